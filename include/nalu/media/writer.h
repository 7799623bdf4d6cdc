/*
 * nalu/media/writer.h - samples into a file or a stream: MP4, MOV, Matroska, MPEG-TS, FLV, raw H.264 and
 * H.265.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_MEDIA_WRITER_H
#define NALU_MEDIA_WRITER_H

#include "../base.h"
#include "../format.h"
#include "../sample.h"
#include "reader.h"

NALU_BEGIN_DECLS

/*
 * Writes samples into a container. Reference-counted.
 *
 *     nalu_writer *writer = NULL;
 *     nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
 *     options.flags = NALU_WRITER_OVERWRITE;
 *     status = nalu_writer_create_with_path("out.mp4", NULL, &options, &writer);
 *     status = nalu_writer_add_track(writer, nalu_sample_get_format_description(sample), NULL, &track);
 *     status = nalu_writer_write_sample(writer, track, sample);     // once a sample, in decode order
 *     status = nalu_writer_finish(writer);
 *     nalu_writer_release(writer);
 *
 * Any thread may call any function; calls on one writer happen one after the other. No lock is held
 * while a client's callback runs: from inside it every function of the same writer but retain and
 * release returns NALU_STATUS_REENTRANT.
 *
 * CONTAINERS, by name (and by the ending of a path):
 *
 *     mp4       (.mp4 .m4v)   ISO base media file; parameter sets in `avcC` or `hvcC` alone (sample entries
 *                             'avc1', 'hvc1'). Written when it can seek, or fragmented.
 *     mov       (.mov .qt)    QuickTime; as mp4.
 *     matroska  (.mkv)        Times are rounded to milliseconds.
 *     mpegts    (.ts .m2t)    Annex B with parameter sets before each key frame. Times are rounded to
 *                             1/90000 s, and all moved by a constant, so that none is negative.
 *     flv       (.flv)        H.264 alone. Times are rounded to milliseconds, and all moved by a
 *                             constant when a decode time would be negative.
 *     h264      (.h264 .264 .avc)   H.264 alone: Annex B, parameter sets before each key frame; no times.
 *     hevc      (.h265 .265 .hevc)  H.265 alone: as h264.
 *
 * Key frames are marked as such, and of H.265 besides those recovery points (NALU_SAMPLE_PARTIAL_SYNC) that are CRA
 * pictures: decoders that start there leave out by themselves what is shown before (ITU-T H.265 8.1.3).
 *
 * TIMES in mp4 and mov are exact: presentation times, decode times, and the duration of the last
 * sample. Presentation begins where the samples' times begin (an edit list says so), or at 0 with
 * NALU_WRITER_START_AT_ZERO. See nalu_writer_track_options.timescale. A sample without a duration
 * lasts until the next one; the last then lasts as long as the one before it.
 *
 * Colour (`colr`), pixel aspect ratio (`pasp`) and size come from the format description, whose
 * parameter sets say them. The clean aperture is the stream's cropping; the size is the one after it.
 *
 * WHEN SOMETHING FAILS to be written (a full disk, a closed pipe, a callback that refuses),
 * that call returns _INPUT_OUTPUT with the system's reason, and so does every later one, which writes
 * nothing any more. What is complete stays usable: a fragmented regular file is cut back to the end of
 * its last complete fragment; mpegts, matroska, flv, h264 and hevc can be read up to the failure. An mp4 or
 * mov that is not fragmented has its index at its end, and is worth nothing without it: record
 * fragmented what must not be lost.
 *
 * FRAGMENTED mp4 and mov are made of fragments that each can be played without what comes after. A fragment is
 * ended by the first sample of the next one, and handed to the system before the nalu_writer_write_sample that ends
 * it returns: it survives the death of the process (not of the machine: nothing is forced to the disk).
 */
typedef struct nalu_writer nalu_writer;

/* nalu_writer_options.flags */
enum {
    /* Replace a file that exists; without it creation fails. Paths only. */
    NALU_WRITER_OVERWRITE = 1u << 0,
    /* mp4, mov: write fragments (`moof`), each beginning with a key frame; needs no seeking. The offsets
     * are relative to the fragment (default-base-is-moof), as CMAF and Media Source Extensions want. */
    NALU_WRITER_FRAGMENTED = 1u << 1,
    /* mp4, mov, not fragmented: finish moves the index before the samples, so that playing can start
     * before all is loaded. Needs a path, or a descriptor that can be read. */
    NALU_WRITER_FAST_START = 1u << 2,
    /* Move all times so that the first sample that is written is presented at 0. */
    NALU_WRITER_START_AT_ZERO = 1u << 3
};

/* Start from NALU_WRITER_OPTIONS_INIT; fields are only ever appended. */
typedef struct nalu_writer_options {
    uint32_t struct_size; /* sizeof(nalu_writer_options) */
    uint32_t flags;       /* NALU_WRITER_..., default 0 */
    /* Fragmented: seconds, 0.001 to 2000, after which the next sample begins a new fragment, as every key frame does.
     * 0, the default: key frames alone do. */
    double fragment_duration;
    /* Seconds since 1970-01-01 00:00 UTC, for mp4, mov and matroska. 0, the default: none, so that
     * the same samples give the same file. At most 253402300799 (the year 9999). */
    int64_t creation_time;
} nalu_writer_options;

#define NALU_WRITER_OPTIONS_INIT {(uint32_t)sizeof(nalu_writer_options), 0, 0.0, 0}

/* Start from NALU_WRITER_TRACK_OPTIONS_INIT; fields are only ever appended. */
typedef struct nalu_writer_track_options {
    uint32_t struct_size; /* sizeof(nalu_writer_track_options) */
    /* By how many degrees players turn the picture clockwise: 0 (the default), 90, 180, 270. mp4 and mov. */
    int32_t rotation;
    /* mp4, mov: units a second of the track's times. 0, the default: the time scale of the first sample's times, or
     * their least common multiple. A sample whose times are not whole in it is refused with
     * _INVALID_TIME, never rounded: set it where time scales are mixed, to their least common multiple. Decode times
     * may be at most 2147483647 units apart, and so may a decode and a presentation time. */
    int32_t timescale;
} nalu_writer_track_options;

#define NALU_WRITER_TRACK_OPTIONS_INIT {(uint32_t)sizeof(nalu_writer_track_options), 0, 0}

/*
 * Creates a writer to a file. path: in the file system; it is created with the permissions 0666 less
 * the umask. container: a name from the list above, or NULL for the path's ending. options: NULL for the
 * defaults.
 *
 * Nothing is written before the first sample. writer_out receives the writer with one reference; NULL on
 * failure, which leaves no new file.
 *
 * _PARAMETER: path or writer_out is NULL, unknown flags, struct_size below the first published size, or
 * the container is NULL and the ending unknown. _OUT_OF_RANGE: a number in the options.
 * _UNSUPPORTED_DATA_FORMAT: no such container. _CONFLICT: options that do not go together, or not with
 * the container. _INPUT_OUTPUT: the file cannot be created; also when it exists and
 * NALU_WRITER_OVERWRITE is not set. _UNSUPPORTED_OPTION, _ALLOCATION_FAILED.
 */
NALU_API NALU_NODISCARD nalu_status nalu_writer_create_with_path(const char *path, const char *container,
    const nalu_writer_options *options, nalu_writer **writer_out);

/*
 * Creates a writer to a descriptor that is open for writing: a file (from its current place on, which must then be
 * its beginning), a pipe, a socket. It stays the caller's, who closes it after the last
 * release; it may be non-blocking (calls wait until it takes more). container: required.
 *
 * Statuses as above; _CONFLICT also when the container must seek and the descriptor cannot, or is not at its
 * beginning.
 */
NALU_API NALU_NODISCARD nalu_status nalu_writer_create_with_file_descriptor(int32_t descriptor,
    const char *container, const nalu_writer_options *options, nalu_writer **writer_out);

/* Takes `size` bytes at the current place, all of them. 0, or an errno number (such as EIO) for a
 * failure, which is final. Called during nalu_writer_write_sample, nalu_writer_finish and the last release, from
 * their thread. C++ exceptions and longjmp must not leave it. */
typedef int32_t (*nalu_writer_write_callback)(void *refcon, const uint8_t *bytes, size_t size);

/* Moves the current place to `offset` bytes from the beginning. 0 or an errno number. */
typedef int32_t (*nalu_writer_seek_callback)(void *refcon, int64_t offset);

/*
 * Creates a writer to functions of the client. seek: NULL when there is none, as for sockets. container: required.
 * refcon: handed to both; destroy_refcon: NULL, or called once with refcon when the writer has ended,
 * not when creation fails.
 *
 * Statuses as above; _PARAMETER also when write is NULL; _CONFLICT also when the container must seek and
 * seek is NULL.
 */
NALU_API NALU_NODISCARD nalu_status nalu_writer_create_with_callbacks(nalu_writer_write_callback write,
    nalu_writer_seek_callback seek, void *refcon, void (*destroy_refcon)(void *refcon),
    const char *container, const nalu_writer_options *options, nalu_writer **writer_out);

/* Returns `writer`. */
NALU_API nalu_writer *nalu_writer_retain(nalu_writer *writer);

/* Gives a reference back. The last one ends a writer that was not finished as nalu_writer_finish does, without a
 * word about what then fails; one whose track has no sample leaves an empty file. */
NALU_API void nalu_writer_release(nalu_writer *writer);

/*
 * Adds the video track, before the first sample: one, in every container. options: NULL for the
 * defaults. track_out receives its number, 0 for the first; it may be NULL.
 *
 * _PARAMETER: format is NULL, or a struct_size below the first published size. _OUT_OF_RANGE: a number
 * in the options. _CONFLICT: an option that the container cannot carry. _UNSUPPORTED_DATA_FORMAT: there is a video track
 * already, or the container has no place for the codec. _OUT_OF_ORDER: a sample was written, or the writer is finished. _REENTRANT,
 * _INVALID_HANDLE, _UNSUPPORTED_OPTION, _ALLOCATION_FAILED.
 */
NALU_API NALU_NODISCARD nalu_status nalu_writer_add_track(nalu_writer *writer, nalu_format_description *format,
    const nalu_writer_track_options *options, uint32_t *track_out);

/*
 * Adds a track of a reader that goes from file to file as it is: sound or subtitles, of any codec that the container takes
 * (mp4: AAC, MP3, AC-3, Opus, FLAC, ...; in mpegts and flv fewer; none in h264 and hevc), with its language. Before the
 * first sample of the reader and of the writer; the video track is added too.
 *
 * From then on nalu_reader_next_sample hands the track's packets to the writer as it comes past them, where it gives
 * samples of the selected tracks. The writer keeps those that come before the first sample of the video track, and puts all
 * in order by their decode times, so that writing comes some packets later. Their times are those of the file, and
 * NALU_WRITER_START_AT_ZERO moves them as it moves the video. The reader keeps a reference to the writer. When something
 * cannot be written, the writer's next call tells. The writer's callbacks must not call the reader.
 *
 * reader_track: its number in the reader. track_out: receives its number here; it may be NULL.
 *
 * _OUT_OF_RANGE: no such track. _UNSUPPORTED_DATA_FORMAT: it is video, or the container has no place for its codec.
 * _OUT_OF_ORDER: a sample was read or written, the writer is finished, or the track goes to a writer already.
 * _PARAMETER, _INVALID_HANDLE, _REENTRANT, _ALLOCATION_FAILED.
 */
NALU_API NALU_NODISCARD nalu_status nalu_writer_add_track_from_reader(nalu_writer *writer, nalu_reader *reader,
    uint32_t reader_track, uint32_t *track_out);

/*
 * Writes the next sample of a track, in decode order. The sample may be released when it returns.
 *
 * _OUT_OF_RANGE: no such track. _INVALID_TIME: presentation or decode time is not numeric, the decode time does not
 * grow or is after the presentation time, or a time cannot be said in the track's time scale; nothing is written,
 * and the next sample is welcome. _UNSUPPORTED_DATA_FORMAT: the sample's format description is not the track's, and
 * the container has the parameter sets once for the track (all but mpegts, h264
 * and hevc). _OUT_OF_ORDER: the writer is
 * finished, or the first sample is neither a key frame nor a recovery point (NALU_SAMPLE_PARTIAL_SYNC).
 * _INPUT_OUTPUT: see above. _PARAMETER, _INVALID_HANDLE, _REENTRANT, _ALLOCATION_FAILED.
 */
NALU_API NALU_NODISCARD nalu_status nalu_writer_write_sample(nalu_writer *writer, uint32_t track,
    nalu_sample *sample);

/*
 * Completes the file: the last fragment, the index. Nothing can be written after it; a second call does
 * nothing. With no sample written the file stays empty.
 *
 * _INPUT_OUTPUT: see above. _OUT_OF_ORDER: no track was added. _PARAMETER, _INVALID_HANDLE, _REENTRANT.
 */
NALU_API NALU_NODISCARD nalu_status nalu_writer_finish(nalu_writer *writer);

NALU_END_DECLS

#endif
