/**
 * @file
 * Writes samples to a file or a stream: MP4, MOV, Matroska, MPEG-TS, FLV, raw H.264 and H.265.
 *
 * base.h has the conventions for handles, threads, statuses, buffers and structs.
 * docs/containers.md describes what each container stores, and which data survive a failure.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_MEDIA_WRITER_H
#define NALU_MEDIA_WRITER_H

#include "../base.h"
#include "../format.h"
#include "../sample.h"
#include "reader.h"

NALU_BEGIN_DECLS

/**
 * Writes samples into a container. Reference-counted.
 *
 * @code{.c}
 * nalu_writer *writer = NULL;
 * nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
 * options.flags = NALU_WRITER_OVERWRITE;
 * status = nalu_writer_create_with_path("out.mp4", NULL, &options, &writer);
 * status = nalu_writer_add_track(writer, nalu_sample_get_format_description(sample), NULL,
 *                                &track);
 * status = nalu_writer_write_sample(writer, track, sample);     // for each, in decode order
 * status = nalu_writer_finish(writer);
 * nalu_writer_release(writer);
 * @endcode
 *
 * Containers, with their names and path extensions:
 *
 * @code{.c}
 * mp4       .mp4 .m4v         ISO base media file, seekable or fragmented
 * mov       .mov .qt          QuickTime; otherwise like mp4
 * matroska  .mkv              times are rounded to milliseconds
 * mpegts    .ts .m2t          times are rounded to 1/90000 s, and moved so that none is
 *                             negative
 * flv       .flv              H.264 only; times are rounded to milliseconds, and moved if a
 *                             decode time would be negative
 * h264      .h264 .264 .avc   H.264 only: Annex B without times
 * hevc      .h265 .265 .hevc  H.265 only: Annex B without times
 * @endcode
 *
 * Times in mp4 and mov are exact. A sample without a duration lasts until the next sample; the last
 * sample then lasts as long as the previous one.
 *
 * When writing fails, the call returns NALU_STATUS_INPUT_OUTPUT with the system's reason in the
 * error message. Every later call returns the same, and nothing more is written. Record video that
 * must not be lost as fragmented mp4: an mp4 or mov that is not fragmented cannot be used without
 * the index at its end, and is discarded if it is not finished.
 *
 * Calls on one writer run one after the other. No lock is held during a client's callback. Inside
 * the callback, functions of the same writer return NALU_STATUS_REENTRANT, except retain and
 * release. In a child process after fork, the writers of the parent are invalid: functions return
 * NALU_STATUS_INVALID_SESSION, and a release leaves the file alone.
 */
typedef struct nalu_writer nalu_writer;

/* ---- Creation ------------------------------------------------------------------------------- */

/** Flags of nalu_writer_options. */
enum {
    /**
     * Writers with a path: replace an existing file. Without this flag, creation fails if the file
     * exists; pipes and devices need no flag.
     */
    NALU_WRITER_OVERWRITE = 1u << 0,
    /**
     * mp4 and mov: write fragments (`moof`). Each fragment begins with a key frame and can be
     * played without later fragments. The output need not be seekable. Offsets are relative to the
     * fragment (default-base-is-moof), as CMAF and Media Source Extensions demand.
     */
    NALU_WRITER_FRAGMENTED = 1u << 1,
    /**
     * mp4 and mov that are not fragmented: finish moves the index before the samples, so that
     * playback can start before the whole file is loaded. Needs a path, or a descriptor that can be
     * read.
     */
    NALU_WRITER_FAST_START = 1u << 2,
    /**
     * Move all times so that the earliest presentation time is 0. Without this flag, the times in
     * mp4 and mov, which have no times before 0, are moved in this way if the earliest one is
     * negative.
     */
    NALU_WRITER_START_AT_ZERO = 1u << 3,
    /**
     * Repair decode times that do not increase, or that are after a presentation time, as in files
     * of cameras and broadcasts; docs/containers.md has the rule. Without this flag, such samples
     * are refused with NALU_STATUS_INVALID_TIME. Each sample is written when 16 more are known.
     * nalu_writer_get_counts returns the number of repaired times.
     */
    NALU_WRITER_REPAIR_TIMES = 1u << 4,
    /**
     * mp4 and mov: write parameter sets also before each sample at which decoding can start (sample
     * entries 'avc3' and 'hev1'), so that they may change within a fragmented file too. Without
     * this flag, a file that is not fragmented has this form if the parameter sets change. Some
     * players do not support 'hev1'.
     */
    NALU_WRITER_PARAMETER_SETS_IN_BAND = 1u << 5
};

/** Options of a writer. Start from NALU_WRITER_OPTIONS_INIT. */
typedef struct nalu_writer_options {
    uint32_t struct_size; /**< sizeof(nalu_writer_options) */
    uint32_t flags;       /**< NALU_WRITER_... Default: 0 */
    /**
     * The maximum duration of a fragment with NALU_WRITER_FRAGMENTED, 0.001 to 2000 seconds: the
     * next sample after that time begins a new fragment. Every key frame also begins one. Default:
     * 0, only key frames begin fragments.
     */
    double fragment_duration;
    /**
     * The creation time in mp4, mov and matroska, in seconds since 1970-01-01 00:00 UTC, up to
     * 253402300799 (the year 9999). Default: 0, no creation time, so that the same samples make the
     * same file.
     */
    int64_t creation_time;
} nalu_writer_options;

#define NALU_WRITER_OPTIONS_INIT {(uint32_t)sizeof(nalu_writer_options), 0, 0.0, 0}

/**
 * Creates a writer for a file. Nothing is written before the first sample.
 *
 * An mp4 or mov that is not fragmented is of no use before its end. It is therefore written to a
 * temporary file next to path, which replaces path when it is finished. If path is a symbolic link,
 * the link stays, and its target is replaced. Until then, and after a failure, path is unchanged.
 * An existing file is replaced by nalu_writer_finish only, not by the last release. The new file
 * has the old permissions and, if possible, the old owner; other hard links keep the old content.
 * If the process is killed, nothing is left, or a file ".nalu-..." on file systems without
 * O_TMPFILE.
 *
 * All other output is written to path itself, so that it can be read while it grows: fragments, the
 * other containers, devices and pipes, and files in a directory that cannot be written to. An
 * existing file is truncated at the first sample. If a nalu_reader of this process is reading the
 * file by its path, the file is replaced at the end, as above.
 *
 * @param path a new file is created with the permissions 0666 less the umask.
 * @param container a name from the list above; NULL: the container of the path's extension.
 * @param options NULL for the defaults.
 * @return NALU_STATUS_OK, a common status (base.h), or one of these, and there is no new file:
 * @retval NALU_STATUS_PARAMETER container is NULL, and the path's extension is unknown
 * @retval NALU_STATUS_OUT_OF_RANGE a number in options
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT there is no such container
 * @retval NALU_STATUS_CONFLICT options that exclude each other, or that the container does not have
 * @retval NALU_STATUS_INPUT_OUTPUT the file cannot be created or written; or it exists, and
 *   NALU_WRITER_OVERWRITE is not set
 * @retval NALU_STATUS_COULD_NOT_CREATE_INSTANCE FFmpeg cannot be loaded (load.h)
 * @par Ownership
 * writer_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_writer_create_with_path(const char *path,
    const char *container, const nalu_writer_options *options, nalu_writer **writer_out);

/**
 * Creates a writer for a file descriptor.
 *
 * @param descriptor open for writing: a file at its beginning, a pipe or a socket. The descriptor
 *   may be non-blocking; calls wait until it accepts more.
 * @param container a name from the list above; required.
 * @param options NULL for the defaults.
 * @return the statuses of nalu_writer_create_with_path; NALU_STATUS_CONFLICT also if the container
 *   needs a seekable output, and the descriptor is not seekable or not at its beginning.
 * @par Ownership
 * writer_out receives one reference. The caller closes the descriptor, after the last release.
 */
NALU_API NALU_NODISCARD nalu_status nalu_writer_create_with_file_descriptor(int32_t descriptor,
    const char *container, const nalu_writer_options *options, nalu_writer **writer_out);

/**
 * Writes size bytes, all of them, at the current position. Returns 0 or an errno number such as
 * EIO; a failure is final.
 *
 * @par Threading
 * The thread that calls nalu_writer_write_sample, nalu_writer_finish or the last release. C++
 * exceptions and longjmp must not leave the callback.
 */
typedef int32_t (*nalu_writer_write_callback)(void *refcon, const uint8_t *bytes, size_t size);

/** Sets the current position, in bytes from the beginning. Returns 0 or an errno number. */
typedef int32_t (*nalu_writer_seek_callback)(void *refcon, int64_t offset);

/**
 * Creates a writer that calls functions of the client.
 *
 * @param write required.
 * @param seek NULL if the output is not seekable, for example a socket.
 * @param refcon passed to write and seek.
 * @param destroy_refcon NULL, or called once with refcon when the writer has ended.
 * @param container a name from the list above; required.
 * @param options NULL for the defaults.
 * @return the statuses of nalu_writer_create_with_path; NALU_STATUS_CONFLICT also if the container
 *   needs a seekable output, and seek is NULL.
 * @par Ownership
 * writer_out receives one reference. On failure destroy_refcon is not called; the caller keeps
 * refcon.
 */
NALU_API NALU_NODISCARD nalu_status nalu_writer_create_with_callbacks(
    nalu_writer_write_callback write, nalu_writer_seek_callback seek, void *refcon,
    void (*destroy_refcon)(void *refcon), const char *container,
    const nalu_writer_options *options, nalu_writer **writer_out);

/** Adds a reference, and returns writer. */
NALU_API nalu_writer *nalu_writer_retain(nalu_writer *writer);

/**
 * Releases one reference. The last release finishes an unfinished writer like nalu_writer_finish,
 * but does not report failures. An existing file stays unchanged if it would be replaced at the
 * end, or if no sample was written. A new file without samples stays empty.
 */
NALU_API void nalu_writer_release(nalu_writer *writer);

/* ---- Tracks --------------------------------------------------------------------------------- */

/** Options of a track. Start from NALU_WRITER_TRACK_OPTIONS_INIT. */
typedef struct nalu_writer_track_options {
    uint32_t struct_size; /**< sizeof(nalu_writer_track_options) */
    /**
     * The clockwise rotation by players, for mp4 and mov: 0, 90, 180 or 270 degrees. Default: 0.
     */
    int32_t rotation;
    /**
     * The timescale of the track in mp4 and mov: units per second. Times are never rounded: a
     * sample with a time that is not whole in this unit is refused with NALU_STATUS_INVALID_TIME.
     * The default, 0, is the least common multiple of the timescales of the first sample's times,
     * or of the first two samples' times if those of the first are whole seconds. With
     * NALU_WRITER_REPAIR_TIMES the default is the least common multiple for the first 17 samples'
     * times, doubled until it is 1000 or more. Set timescale to the least common multiple of all
     * timescales if they vary.
     */
    int32_t timescale;
    /**
     * 1 if players mirror the picture from left to right before they rotate it, for mp4 and mov;
     * see nalu_reader_track. Default: 0.
     */
    int32_t is_mirrored;
} nalu_writer_track_options;

#define NALU_WRITER_TRACK_OPTIONS_INIT {(uint32_t)sizeof(nalu_writer_track_options), 0, 0, 0}

/**
 * Adds the video track, or an audio track for the samples of an audio encoder (audio_encoder.h).
 * All tracks are added before the first video sample.
 *
 * Every output has one video track and any number of audio tracks, except h264 and hevc, which have
 * no audio. Samples of different tracks are accepted in any order: the writer sorts them by decode
 * time. A sample is delayed until each track has one, for at most 10 seconds. Times in audio tracks
 * are rounded to one audio frame, and moved with the video. Audio before the time 0 is hidden by an
 * edit list in mp4 and mov, and left out in the other containers.
 *
 * @param options NULL for the defaults, which an audio track must have.
 * @param track_out NULL, or receives the number of the track.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_OUT_OF_RANGE a number in options
 * @retval NALU_STATUS_CONFLICT an option that the container or an audio track does not have
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT there is a video track already, or the container does
 *   not support the codec
 * @retval NALU_STATUS_OUT_OF_ORDER a sample was written, or the writer is finished
 * @retval NALU_STATUS_REENTRANT the call was made from a callback of this writer
 * @par Ownership
 * The caller keeps its reference to format.
 */
NALU_API NALU_NODISCARD nalu_status nalu_writer_add_track(nalu_writer *writer,
    nalu_format_description *format, const nalu_writer_track_options *options,
    uint32_t *track_out);

/**
 * Adds a track that is copied from a reader, with its language: audio or subtitles of any codec
 * that the container supports. Call this function before the first sample of the reader and of the
 * writer; the video track must be added too.
 *
 * Afterwards nalu_reader_next_sample passes each packet of the track that it reads to the writer.
 * The writer sorts packets and samples by decode time, so that writing is delayed by some packets.
 * Times are those of the file; NALU_WRITER_START_AT_ZERO moves them with the video. A decode time
 * that does not increase is moved to after the previous one. Corrupt packets are left out.
 * nalu_writer_get_counts returns the numbers of both. If writing fails, the writer's next call
 * reports the failure.
 *
 * @param reader_track the number of the track in the reader.
 * @param track_out NULL, or receives the number of the track in the writer.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_OUT_OF_RANGE there is no such track
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT the track is video, the container does not support
 *   the codec, or the track is declared, but no packet at the beginning of the input shows its
 *   codec
 * @retval NALU_STATUS_OUT_OF_ORDER a sample was read or written, the writer is finished, or the
 *   track is already copied to a writer
 * @retval NALU_STATUS_REENTRANT the call was made from a callback of this writer
 * @par Threading
 * The writer's callbacks must not call the reader.
 * @par Ownership
 * The reader retains the writer.
 */
NALU_API NALU_NODISCARD nalu_status nalu_writer_add_track_from_reader(nalu_writer *writer,
    nalu_reader *reader, uint32_t reader_track, uint32_t *track_out);

/* ---- Samples -------------------------------------------------------------------------------- */

/**
 * Writes the next sample of a track, in decode order. Audio samples that precede the first video
 * sample wait for it.
 *
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_OUT_OF_RANGE there is no such track, or it is copied from a reader
 * @retval NALU_STATUS_INVALID_TIME a time is not numeric, the decode time does not increase or is
 *   after the presentation time, a time does not fit the track's timescale, or the presentation
 *   time in mp4 or mov is more than 268435456 units of the timescale after the decode time
 *   (2147483647 in fragments), which FFmpeg cannot read; the next sample can be written. With
 *   NALU_WRITER_REPAIR_TIMES: a time is not numeric or does not fit; or times go back by more than
 *   a second, which a later call may report
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT the format description is not the audio track's; or
 *   is not the video track's, and has another codec, or (mp4, mov, matroska) another size, chroma
 *   format or bit depth; or mp4 and mov are fragmented without NALU_WRITER_PARAMETER_SETS_IN_BAND;
 *   or the sample is a reader's, and its edit list displays several ranges
 * @retval NALU_STATUS_OUT_OF_ORDER the writer is finished, or the first sample is neither a key
 *   frame nor NALU_SAMPLE_PARTIAL_SYNC
 * @retval NALU_STATUS_INPUT_OUTPUT writing failed, now or before
 * @retval NALU_STATUS_REENTRANT the call was made from a callback of this writer
 * @par Threading
 * Waits for the output.
 * @par Ownership
 * The caller may release the sample when the function returns.
 */
NALU_API NALU_NODISCARD nalu_status nalu_writer_write_sample(nalu_writer *writer, uint32_t track,
    nalu_sample *sample);

/** The repairs and omissions of a writer so far. */
typedef struct nalu_writer_counts {
    uint32_t struct_size; /**< sizeof(nalu_writer_counts), set by the caller */
    uint32_t reserved;    /**< 0 */
    /** Samples whose decode time was changed by NALU_WRITER_REPAIR_TIMES. */
    uint64_t repaired_decode_times;
    /**
     * The samples among them whose presentation time was also moved later, because no decode time
     * was free before it.
     */
    uint64_t moved_presentation_times;
    /**
     * Packets of tracks from a reader: those with moved times, and corrupt ones that were left
     * out.
     */
    uint64_t moved_packets;
    uint64_t left_out_packets;
} nalu_writer_counts;

/**
 * Reads the repairs and omissions of a writer; after nalu_writer_finish, those of the whole file.
 *
 * @param counts_out struct_size is set by the caller; the other fields are filled in.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_REENTRANT the call was made from a callback of this writer
 */
NALU_API NALU_NODISCARD nalu_status nalu_writer_get_counts(const nalu_writer *writer,
    nalu_writer_counts *counts_out);

/**
 * Completes the file with the last fragment or the index. Nothing can be written afterwards; a
 * second call does nothing. Without samples the file is empty.
 *
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_INPUT_OUTPUT writing failed, now or before; or another program created a file
 *   at the path meanwhile, and NALU_WRITER_OVERWRITE is not set: the error message contains the
 *   path of the finished file
 * @retval NALU_STATUS_OUT_OF_ORDER there is no track
 * @retval NALU_STATUS_REENTRANT the call was made from a callback of this writer
 * @par Threading
 * Waits for the output.
 */
NALU_API NALU_NODISCARD nalu_status nalu_writer_finish(nalu_writer *writer);

NALU_END_DECLS

#endif
