/*
 * nalu/media/reader.h - samples out of a file or a stream: MP4, MOV, Matroska, MPEG-TS, FLV, raw H.264 and H.265.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_MEDIA_READER_H
#define NALU_MEDIA_READER_H

#include "../base.h"
#include "../format.h"
#include "../sample.h"
#include "../time.h"

NALU_BEGIN_DECLS

/*
 * Reads samples out of a container, or out of a raw Annex B stream. Reference-counted.
 *
 *     nalu_reader_create_with_path("in.mp4", NULL, &reader);
 *     while ((status = nalu_reader_next_sample(reader, &track, &sample)) == NALU_STATUS_OK) {
 *         ...
 *         nalu_sample_release(sample);
 *     }
 *     if (status != NALU_STATUS_VALUE_NOT_AVAILABLE) puts(nalu_last_error_message());   // else: the end
 *     nalu_reader_release(reader);
 *
 * Any thread may call any function; calls on one reader happen one after the other, but for nalu_reader_cancel and
 * nalu_reader_get_status, which never wait. No lock is held while a client's callback runs: from inside it every other
 * function of the same reader but retain and release returns NALU_STATUS_REENTRANT (getters 0 or NULL).
 *
 * What a file is, its content tells, not its name. Files that it refers to (playlists, external tracks) are not opened,
 * and nothing is decoded.
 *
 * SAMPLES are length-prefixed: where the container has them so (mp4, mov, matroska, flv) they are its bytes, without
 * a copy, with lengths of as many bytes as the file's; else Annex B is rewritten with lengths of 4 bytes. Parameter sets
 * are not among them but in their format description, also where the file has them among the samples; a set that changes
 * makes a new one. All other NAL units stay, delimiters and SEI too. Attachments come from the NAL units: an IDR picture
 * (of H.265 a BLA picture too) is a key frame; another intra picture that the file marks as one to begin with, a CRA picture,
 * or one that has a recovery point SEI, is NALU_SAMPLE_PARTIAL_SYNC.
 *
 * TIMES are the container's, in its own units, with the edit list of mp4 and mov applied: what nalu_writer has
 * written comes back as it was, negative decode times too. Matroska has no decode times: they are made as
 * nalu_sample_get_decode_time says. A decode time after its presentation time, as damaged files have, is moved back to
 * it. A sample has a duration where the container says one; the last one of an mp4 lasts to the end of its track.
 * Samples that the edit list does not show are given out when others depend on them, with presentation times outside the
 * track's start_time and duration, else left out.
 * Raw streams, and tracks without presentation times (avi), have the times of nalu_stream_parser_push.
 *
 * MEMORY: the index of an mp4 (about 40 bytes a sample), a sample, and some that were read ahead; the index of an mp4 or mov
 * is held once more while it is read. What a damaged or hostile mp4 or mov says of itself is compared with what it has, before
 * memory is taken for it: entries of a table must be in the file, and samples without entries of their own can be as many as
 * the input has bytes, or 65536 if that is more; where its size is not known, as many as bytes have come and 524288. More
 * is _BAD_DATA, with the box's name, place and count, and the input gives nothing more. A mov with a compressed header
 * (cmov), as movies older than H.264 have it, is _UNSUPPORTED_DATA_FORMAT.
 */
typedef struct nalu_reader nalu_reader;

/* AVAssetReader.Status of AVFoundation, with its numbers. */
enum {
    NALU_READER_STATUS_UNKNOWN = 0,   /* open; nothing read yet */
    NALU_READER_STATUS_READING = 1,
    NALU_READER_STATUS_COMPLETED = 2, /* every selected track is at its end */
    NALU_READER_STATUS_FAILED = 3,    /* _INPUT_OUTPUT or _ALLOCATION_FAILED; final */
    NALU_READER_STATUS_CANCELLED = 4  /* final */
};

/* Start from NALU_READER_OPTIONS_INIT; fields are only ever appended. */
typedef struct nalu_reader_options {
    uint32_t struct_size; /* sizeof(nalu_reader_options) */
    uint32_t flags;       /* 0 */
    /* For raw streams, how long a frame is shown, positive. All zeros: as the stream says; see
     * nalu_stream_parser_options. */
    nalu_time frame_duration;
} nalu_reader_options;

#define NALU_READER_OPTIONS_INIT {(uint32_t)sizeof(nalu_reader_options), 0, {0, 0, 0, 0}}

/*
 * Opens a file (a pipe or a device too) and reads what its tracks are. options: NULL for the defaults. reader_out
 * receives the reader with one reference; NULL on failure.
 *
 * Files of any kind that FFmpeg knows can be opened, also those without video that is readable here (see NALU_TRACK_READABLE).
 *
 * _INPUT_OUTPUT: the file cannot be opened or read. _UNSUPPORTED_DATA_FORMAT: its content is no format that FFmpeg knows.
 * _BAD_DATA: it is, but cannot be read: an mp4 that was cut off before its index (moov) was written, for example.
 * _PARAMETER: path or reader_out is NULL, unknown flags, or struct_size below the first published size. _INVALID_TIME:
 * options.frame_duration. _UNSUPPORTED_OPTION, _ALLOCATION_FAILED.
 */
NALU_API NALU_NODISCARD nalu_status nalu_reader_create_with_path(const char *path,
    const nalu_reader_options *options, nalu_reader **reader_out);

/* Fills up to `size` bytes from the current place on: how many (at least 1), 0 at the end, or a negative errno number (such
 * as -EIO) for a failure, which is final. Called from nalu_reader_create_with_callbacks, nalu_reader_next_sample and
 * nalu_reader_seek, in their thread. C++ exceptions and longjmp must not leave it. */
typedef int64_t (*nalu_reader_read_callback)(void *refcon, uint8_t *bytes, size_t size);

/* Moves the current place to `offset` bytes from the beginning. 0 or an errno number. */
typedef int32_t (*nalu_reader_seek_callback)(void *refcon, int64_t offset);

/*
 * The same from functions of the client. seek: NULL when there is none; an mp4 must then have its index in front, or be
 * fragmented. size: bytes in all, -1 when that is not known. refcon: handed to both; destroy_refcon: NULL, or called
 * once with refcon when the reader has ended, not when creation fails.
 *
 * Statuses as above; _PARAMETER also when read is NULL.
 */
NALU_API NALU_NODISCARD nalu_status nalu_reader_create_with_callbacks(nalu_reader_read_callback read,
    nalu_reader_seek_callback seek, int64_t size, void *refcon, void (*destroy_refcon)(void *refcon),
    const nalu_reader_options *options, nalu_reader **reader_out);

/* Returns `reader`. */
NALU_API nalu_reader *nalu_reader_retain(nalu_reader *reader);

/* Samples outlive the reader. */
NALU_API void nalu_reader_release(nalu_reader *reader);

/* "mp4", "mov", "matroska", "mpegts", "flv", "h264", "hevc", or FFmpeg's own name of another container (the first of its
 * list). Lives as long as the reader. NULL for NULL. */
NALU_API const char *nalu_reader_get_container(const nalu_reader *reader);

/* The presentation duration of the longest track; invalid when not known. */
NALU_API nalu_time nalu_reader_get_duration(const nalu_reader *reader);

/* Fixed once the reader is created. */
NALU_API uint32_t nalu_reader_get_track_count(const nalu_reader *reader);

/* nalu_reader_track.flags */
enum {
    NALU_TRACK_READABLE = 1u << 0, /* H.264 or H.265 video: gives samples */
    NALU_TRACK_SELECTED = 1u << 1, /* nalu_reader_next_sample gives its samples */
    NALU_TRACK_DEFAULT = 1u << 2   /* the file says that it is played by default */
};

/* nalu_reader_track.media_type; AVMediaType's codes, and 'data' for all else, such as covers. */
#define NALU_MEDIA_TYPE_VIDEO ((nalu_four_char_code)0x76696465u)    /* 'vide' */
#define NALU_MEDIA_TYPE_AUDIO ((nalu_four_char_code)0x736f756eu)    /* 'soun' */
#define NALU_MEDIA_TYPE_SUBTITLE ((nalu_four_char_code)0x7362746cu) /* 'sbtl' */
#define NALU_MEDIA_TYPE_OTHER ((nalu_four_char_code)0x64617461u)    /* 'data' */

/* What a file says of a track. Fields are only ever appended. */
typedef struct nalu_reader_track {
    uint32_t struct_size; /* sizeof(nalu_reader_track) */
    uint32_t flags;       /* NALU_TRACK_... */
    nalu_four_char_code media_type;
    nalu_four_char_code codec; /* NALU_CODEC_H264 or _HEVC; for other tracks the container's own tag, or 0 */
    const char *codec_name;    /* FFmpeg's: "h264", "hevc", "aac", ...; static storage */
    char language[4];          /* ISO 639-2; "und" when not known */
    int32_t timescale;         /* units a second of its times */
    nalu_time start_time;      /* of the first sample that is shown; invalid when not known */
    nalu_time duration;        /* invalid when not known */
    int64_t bit_rate;          /* bits a second; 0 when not known */
    uint64_t sample_count;     /* 0 when not known */
    int32_t width, height;     /* pixels after cropping, before rotation; video only */
    int32_t rotation;          /* degrees clockwise by which a player turns the picture: 0, 90, 180, 270 */
    int32_t is_mirrored;       /* 1: it is flipped from left to right before it is turned */
    double transform[6];       /* a b c d tx ty as in CGAffineTransform; the identity without one */
    int32_t pixel_aspect_ratio_horizontal, pixel_aspect_ratio_vertical; /* 1:1 when nothing is said */
    double nominal_frame_rate; /* average frames a second; 0 when not known */
    uint32_t sample_rate, channel_count; /* audio; 0 when the container does not say */
} nalu_reader_track;

/* Set struct_size before the call; the library fills as many fields as fit. _OUT_OF_RANGE: no such track. _PARAMETER: a
 * NULL argument, or struct_size below the first published size. _INVALID_HANDLE, _REENTRANT. */
NALU_API NALU_NODISCARD nalu_status nalu_reader_get_track(const nalu_reader *reader, uint32_t track,
    nalu_reader_track *track_out);

/* The format description of a readable track as it is now (it changes when parameter sets change mid-stream); borrowed,
 * lives as long as the reader. NULL for other tracks, and where no parameter sets have been met yet. */
NALU_API nalu_format_description *nalu_reader_get_format_description(const nalu_reader *reader, uint32_t track);

/*
 * Whether nalu_reader_next_sample gives a track's samples: is_selected 0 or 1. At first the first readable track alone is
 * selected, one that is played by default before others.
 *
 * _OUT_OF_RANGE: no such track, or is_selected. _UNSUPPORTED_DATA_FORMAT: the track is not readable. _OUT_OF_ORDER: a
 * sample has been read since the creation or the last seek. _PARAMETER, _INVALID_HANDLE, _REENTRANT.
 */
NALU_API NALU_NODISCARD nalu_status nalu_reader_select_track(nalu_reader *reader, uint32_t track, int32_t is_selected);

/*
 * The next sample of the selected tracks, in the file's order (decode order within a track), with a reference of the
 * caller's own. track_out: receives its track; may be NULL. sample_out: NULL on failure.
 *
 * _VALUE_NOT_AVAILABLE: the end. _BAD_DATA: a sample is damaged (lengths that do not add up, no time, no parameter sets) and
 * was left out; the next call goes on behind it. _CANCELLED: see nalu_reader_cancel. _INPUT_OUTPUT, _ALLOCATION_FAILED:
 * final. _UNSUPPORTED_DATA_FORMAT: there is no readable track. _OUT_OF_ORDER: no track is selected. _PARAMETER: reader or
 * sample_out is NULL. _INVALID_HANDLE, _REENTRANT.
 */
NALU_API NALU_NODISCARD nalu_status nalu_reader_next_sample(nalu_reader *reader, uint32_t *track_out,
    nalu_sample **sample_out);

/*
 * The next sample will be the last one of the first selected track that decoding can begin with (a key frame or
 * NALU_SAMPLE_PARTIAL_SYNC) and that is presented at or before `time`; if there is none, the first. Other selected
 * tracks go on near there, with one that decoding can begin with. Raw streams are read from their beginning for it.
 *
 * _INVALID_TIME: time is not numeric. _CONFLICT: the input cannot seek. _BAD_DATA: the container cannot. Others as
 * nalu_reader_next_sample.
 */
NALU_API NALU_NODISCARD nalu_status nalu_reader_seek(nalu_reader *reader, nalu_time time);

/*
 * Never waits; the call under way in another thread, and all later ones, return NALU_STATUS_CANCELLED. A call that is
 * inside a client's read callback returns when that does. A reader that is at its end or has failed stays so.
 *
 * _PARAMETER, _INVALID_HANDLE.
 */
NALU_API NALU_NODISCARD nalu_status nalu_reader_cancel(nalu_reader *reader);

/* NALU_READER_STATUS_...; never waits. 0 for NULL. */
NALU_API int32_t nalu_reader_get_status(const nalu_reader *reader);

NALU_END_DECLS

#endif
