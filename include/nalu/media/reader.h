/**
 * @file
 * Samples from a file or a stream: MP4, MOV, Matroska, MPEG-TS, FLV, raw H.264 and H.265.
 *
 * base.h has the conventions for handles, threads, statuses, buffers and structs.
 * docs/containers.md describes how samples, times and corrupt files are read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_MEDIA_READER_H
#define NALU_MEDIA_READER_H

#include "../base.h"
#include "../format.h"
#include "../sample.h"
#include "../time.h"

NALU_BEGIN_DECLS

/**
 * Reads samples from a container, or from a raw Annex B stream. Reference-counted.
 *
 * @code{.c}
 * nalu_reader_create_with_path("in.mp4", NULL, &reader);
 * while ((status = nalu_reader_next_sample(reader, &track, &sample)) == NALU_STATUS_OK) {
 *     ...
 *     nalu_sample_release(sample);
 * }
 * if (status != NALU_STATUS_VALUE_NOT_AVAILABLE)  // not the end of the input
 *     puts(nalu_last_error_message());
 * nalu_reader_release(reader);
 * @endcode
 *
 * Calls on one reader run one after the other, except nalu_reader_cancel and
 * nalu_reader_get_status, which never wait. No lock is held during a client's callback. Inside the
 * callback, functions of the same reader return NALU_STATUS_REENTRANT, and getters return 0 or
 * NULL; cancel, get_status, retain and release work as elsewhere.
 *
 * The format of a file is detected from its content, not from its name, unless
 * nalu_reader_options.format names it. Files to which the input refers (playlists, external tracks)
 * are not opened, and nothing is decoded. Times are those of the container, with the edit list of
 * mp4 and mov applied. Samples that the edit list hides are returned only if displayed samples may
 * refer to them, with NALU_SAMPLE_DO_NOT_DISPLAY.
 *
 * In a child process after fork, the readers of the parent are invalid, because both processes
 * share the position of the file: functions with a status return NALU_STATUS_INVALID_SESSION, and
 * getters return 0, NULL or an invalid time. nalu_reader_cancel and nalu_reader_get_status work,
 * but see nothing of the parent. The parent's readers continue.
 */
typedef struct nalu_reader nalu_reader;

/** The states of a reader, with the numbers of AVFoundation's AVAssetReader.Status. */
enum {
    NALU_READER_STATUS_UNKNOWN = 0,   /**< open; nothing read yet */
    NALU_READER_STATUS_READING = 1,
    NALU_READER_STATUS_COMPLETED = 2, /**< every selected track is at its end */
    /**
     * input/output or memory failed, final; or the selected tracks are at their end, but the input
     * ends too early
     */
    NALU_READER_STATUS_FAILED = 3,
    NALU_READER_STATUS_CANCELLED = 4  /**< final */
};

/* ---- Creation ------------------------------------------------------------------------------- */

/** Flags of nalu_reader_options. */
enum {
    /**
     * Read an mp4 or mov as if it had no edit list: every sample is returned, none has
     * NALU_SAMPLE_DO_NOT_DISPLAY, and times are those of the media. Other tracks may then be out of
     * step. Default: the edit list is applied, as players do; see "Edit lists" in
     * docs/containers.md.
     */
    NALU_READER_IGNORE_EDIT_LIST = 1u << 0,
    /**
     * If the input is not seekable, and is an mp4 or mov whose index (moov) follows the media data:
     * first copy the whole input to a temporary file, and read that file. The file has no name, is
     * in the directory that the environment variable TMPDIR names, or in /tmp, and is removed with
     * the reader. The reader can then seek. All other inputs are read as they arrive. Default: such
     * an input is NALU_STATUS_BAD_DATA.
     */
    NALU_READER_SPOOL = 1u << 1
};

/** Options of a reader. Start from NALU_READER_OPTIONS_INIT. */
typedef struct nalu_reader_options {
    uint32_t struct_size; /**< sizeof(nalu_reader_options) */
    uint32_t flags;       /**< NALU_READER_IGNORE_EDIT_LIST, NALU_READER_SPOOL. Default: 0 */
    /**
     * The time for which a frame of a raw stream is shown, positive. Default: all zeros, the
     * duration in the stream; see nalu_stream_parser_options.
     */
    nalu_time frame_duration;
    /**
     * The format of an input whose content does not show it, such as a stream that begins in the
     * middle: a name that nalu_reader_get_container returns, or the name of another FFmpeg demuxer.
     * Default: NULL, detected from the content.
     */
    const char *format;
    /**
     * The maximum number of pixels of a picture before cropping, positive. A sample with more is
     * left out with NALU_STATUS_INVALID_SIZE. Default: 0, meaning 35,651,584, the maximum of level
     * 6.2.
     */
    int64_t maximum_pixel_count;
} nalu_reader_options;

#define NALU_READER_OPTIONS_INIT {(uint32_t)sizeof(nalu_reader_options), 0, {0, 0, 0, 0}, NULL, 0}

/**
 * Opens a file, pipe, device or address, and reads the descriptions of its tracks.
 *
 * An address begins with http://, srt://, tcp:// or udp://, and FFmpeg must have been built with
 * its protocol. It cannot seek. If nothing arrives for 10 seconds, opening and reading fail with
 * NALU_STATUS_INPUT_OUTPUT.
 *
 * Every file that FFmpeg supports can be opened, also a file without a readable track; see
 * NALU_TRACK_READABLE.
 *
 * @param options NULL for the defaults.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_INPUT_OUTPUT the file cannot be opened or read, or the temporary file for
 *   NALU_READER_SPOOL cannot be written
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT FFmpeg does not support the format of the file, or
 *   has no format of the name options->format; or the file is a still picture (HEIF), or a media
 *   segment without its initialization segment
 * @retval NALU_STATUS_BAD_DATA the file cannot be read, for example an mp4 without its index (moov)
 * @retval NALU_STATUS_INVALID_TIME frame_duration
 * @retval NALU_STATUS_OUT_OF_RANGE maximum_pixel_count
 * @retval NALU_STATUS_COULD_NOT_CREATE_INSTANCE FFmpeg cannot be loaded (load.h)
 * @par Ownership
 * reader_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_reader_create_with_path(const char *path,
    const nalu_reader_options *options, nalu_reader **reader_out);

/**
 * Reads up to size bytes from the current position. Returns how many (at least 1), 0 at the end, or
 * a negative errno number such as -EIO; a failure is final.
 *
 * @par Threading
 * The thread that calls nalu_reader_create_with_callbacks, nalu_reader_next_sample or
 * nalu_reader_seek. C++ exceptions and longjmp must not leave the callback.
 */
typedef int64_t (*nalu_reader_read_callback)(void *refcon, uint8_t *bytes, size_t size);

/** Sets the current position, in bytes from the beginning. Returns 0 or an errno number. */
typedef int32_t (*nalu_reader_seek_callback)(void *refcon, int64_t offset);

/**
 * Opens an input that the client's functions read, and reads the descriptions of its tracks.
 *
 * @param read required.
 * @param seek NULL if the input is not seekable; an mp4 must then begin with its index or be
 *   fragmented, or options must have NALU_READER_SPOOL.
 * @param size the number of bytes; -1 if not known.
 * @param refcon passed to read and seek.
 * @param destroy_refcon NULL, or called once with refcon when the reader has ended.
 * @param options NULL for the defaults.
 * @return the statuses of nalu_reader_create_with_path.
 * @par Ownership
 * reader_out receives one reference. On failure destroy_refcon is not called; the caller keeps
 * refcon.
 */
NALU_API NALU_NODISCARD nalu_status nalu_reader_create_with_callbacks(
    nalu_reader_read_callback read, nalu_reader_seek_callback seek, int64_t size, void *refcon,
    void (*destroy_refcon)(void *refcon), const nalu_reader_options *options,
    nalu_reader **reader_out);

/** Adds a reference, and returns reader. */
NALU_API nalu_reader *nalu_reader_retain(nalu_reader *reader);

/** Releases one reference. Samples may outlive the reader. */
NALU_API void nalu_reader_release(nalu_reader *reader);

/* ---- Tracks --------------------------------------------------------------------------------- */

/**
 * Returns the name of the container: "mp4", "mov", "matroska", "mpegts", "flv", "h264", "hevc", or
 * the first of FFmpeg's names for it.
 *
 * @par Ownership
 * The string lives as long as the reader.
 */
NALU_API const char *nalu_reader_get_container(const nalu_reader *reader);

/**
 * Returns the presentation duration of the longest track; the invalid time if not known. For mp4
 * and mov, the duration includes the empty time before the track's first sample. For mpegts, it
 * lasts from the earliest start of a track to the latest end.
 */
NALU_API nalu_time nalu_reader_get_duration(const nalu_reader *reader);

/** Returns the number of tracks, which does not change. */
NALU_API uint32_t nalu_reader_get_track_count(const nalu_reader *reader);

/** Flags of nalu_reader_track. */
enum {
    NALU_TRACK_READABLE = 1u << 0, /**< H.264 or H.265 video: it has samples */
    NALU_TRACK_SELECTED = 1u << 1, /**< nalu_reader_next_sample returns its samples */
    NALU_TRACK_DEFAULT = 1u << 2,  /**< the file marks it to be played by default */
    /**
     * mp4, mov: its samples are encrypted (ISO/IEC 23001-7). A reader has no key:
     * nalu_reader_next_sample returns NALU_STATUS_UNSUPPORTED_DATA_FORMAT. For audio the flag is
     * set when the first packet is read.
     */
    NALU_TRACK_ENCRYPTED = 1u << 3
};

/** Media types of nalu_reader_track: the codes of AVMediaType; OTHER for covers, for example. */
#define NALU_MEDIA_TYPE_VIDEO ((nalu_four_char_code)0x76696465u)    /**< 'vide' */
#define NALU_MEDIA_TYPE_AUDIO ((nalu_four_char_code)0x736f756eu)    /**< 'soun' */
#define NALU_MEDIA_TYPE_SUBTITLE ((nalu_four_char_code)0x7362746cu) /**< 'sbtl' */
#define NALU_MEDIA_TYPE_OTHER ((nalu_four_char_code)0x64617461u)    /**< 'data' */

/** The description of a track in a file. */
typedef struct nalu_reader_track {
    uint32_t struct_size; /**< sizeof(nalu_reader_track), set by the caller */
    uint32_t flags;       /**< NALU_TRACK_... */
    nalu_four_char_code media_type; /**< NALU_MEDIA_TYPE_... */
    nalu_four_char_code codec; /**< NALU_CODEC_...; for other codecs the container's tag, or 0 */
    const char *codec_name;    /**< FFmpeg's, for example "h264" or "aac"; static storage */
    char language[4];          /**< ISO 639-2; "und" if not known */
    int32_t timescale;         /**< units per second of its times */
    nalu_time start_time;      /**< time of the first displayed sample; invalid if not known */
    nalu_time duration;        /**< invalid if not known */
    int64_t bit_rate;          /**< bits per second; 0 if not known */
    uint64_t sample_count;     /**< 0 if not known */
    /** The size of video after cropping and before rotation, in pixels. */
    int32_t width, height;
    /**
     * The orientation of video: players mirror the picture from left to right if is_mirrored is 1,
     * and then rotate it clockwise by 0, 90, 180 or 270 degrees.
     */
    int32_t rotation;
    int32_t is_mirrored;
    double transform[6];       /**< video: a b c d tx ty of CGAffineTransform */
    int32_t pixel_aspect_ratio_horizontal, pixel_aspect_ratio_vertical; /**< video: default 1:1 */
    double nominal_frame_rate; /**< video: mean frames per second; 0 if not known */
    /** The sample rate of audio in samples per second, and its channels; 0 if not known. */
    uint32_t sample_rate, channel_count;
} nalu_reader_track;

/**
 * Reads the description of a track.
 *
 * @param track_out struct_size is set by the caller; the other fields are filled in.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_OUT_OF_RANGE there is no such track
 * @retval NALU_STATUS_REENTRANT the call was made from a callback of this reader
 */
NALU_API NALU_NODISCARD nalu_status nalu_reader_get_track(const nalu_reader *reader,
    uint32_t track, nalu_reader_track *track_out);

/**
 * Returns the current format description of a readable track. It changes when parameter sets change
 * within the stream. NULL for other tracks, and until parameter sets have been read.
 *
 * Its SPS also contains the cropping, colour, range and pixel aspect ratio that only the container
 * states; see "Samples" in docs/containers.md.
 *
 * @par Ownership
 * The format description lives as long as the reader.
 */
NALU_API nalu_format_description *nalu_reader_get_format_description(const nalu_reader *reader,
    uint32_t track);

/**
 * Selects or deselects a track: nalu_reader_next_sample returns the samples of selected tracks.
 * Initially one track is selected: the first readable track that is played by default, or without
 * such a track the first readable track.
 *
 * @param is_selected 0 or 1.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_OUT_OF_RANGE there is no such track, or is_selected
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT the track is not readable
 * @retval NALU_STATUS_OUT_OF_ORDER a sample was read since the creation or the last seek
 * @retval NALU_STATUS_REENTRANT the call was made from a callback of this reader
 */
NALU_API NALU_NODISCARD nalu_status nalu_reader_select_track(nalu_reader *reader, uint32_t track,
    int32_t is_selected);

/* ---- Samples -------------------------------------------------------------------------------- */

/**
 * Returns the next sample of the selected tracks, in the order of the file: in decode order within
 * a track.
 *
 * @param track_out NULL, or receives the track.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_VALUE_NOT_AVAILABLE the end of the input
 * @retval NALU_STATUS_BAD_DATA a corrupt sample was left out: its lengths do not add up, or it has
 *   no time or no parameter sets; the next call continues after it. Also returned once if the input
 *   ends too early
 * @retval NALU_STATUS_INVALID_SIZE a sample was left out whose picture has more pixels than
 *   maximum_pixel_count; the next call continues after it
 * @retval NALU_STATUS_CANCELLED nalu_reader_cancel was called; final
 * @retval NALU_STATUS_INPUT_OUTPUT reading failed; final
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT there is no readable track; or the sample is
 *   encrypted, and the next call continues after it
 * @retval NALU_STATUS_OUT_OF_ORDER no track is selected
 * @retval NALU_STATUS_REENTRANT the call was made from a callback of this reader
 * @par Threading
 * Waits for the input.
 * @par Ownership
 * sample_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_reader_next_sample(nalu_reader *reader,
    uint32_t *track_out, nalu_sample **sample_out);

/**
 * Moves to a time. The next sample is a sample of the first selected track at which decoding can
 * begin (a key frame or NALU_SAMPLE_PARTIAL_SYNC): the last one presented at or before the time, or
 * the first sample of the track if there is none.
 *
 * Other selected tracks continue nearby, with a sample at which decoding can begin. The samples and
 * their times are those of reading from the beginning. Raw streams, and containers that do not
 * state the time of each picture (all but mp4, mov, matroska, flv and mpegts), are therefore read
 * again from their beginning, which takes as long as reading them. docs/containers.md has the
 * exceptions. After a failure to do so, nothing more can be read.
 *
 * @return the statuses of nalu_reader_next_sample, or:
 * @retval NALU_STATUS_INVALID_TIME time is not numeric
 * @retval NALU_STATUS_CONFLICT the input is not seekable
 * @retval NALU_STATUS_BAD_DATA the container has no way to seek
 * @par Threading
 * Waits for the input.
 */
NALU_API NALU_NODISCARD nalu_status nalu_reader_seek(nalu_reader *reader, nalu_time time);

/**
 * Makes the call in progress in another thread, and all later ones, return NALU_STATUS_CANCELLED. A
 * call inside the client's read callback returns after the callback. A reader that has completed or
 * failed keeps that state.
 *
 * @return NALU_STATUS_OK or a common status (base.h).
 * @par Threading
 * Does not wait.
 */
NALU_API NALU_NODISCARD nalu_status nalu_reader_cancel(nalu_reader *reader);

/**
 * Returns NALU_READER_STATUS_...; 0 for NULL.
 *
 * @par Threading
 * Does not wait.
 */
NALU_API int32_t nalu_reader_get_status(const nalu_reader *reader);

NALU_END_DECLS

#endif
