/**
 * @file
 * Copies a part of a file without encoding it again.
 *
 * base.h has the conventions for statuses and structs. docs/cutting.md describes which frames are
 * copied and which are encoded.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_MEDIA_CUT_H
#define NALU_MEDIA_CUT_H

#include "../base.h"
#include "../time.h"

NALU_BEGIN_DECLS

/**
 * Receives the progress, 0 to 1. Returns 0 to continue; another number ends the cut with
 * NALU_STATUS_CANCELLED.
 *
 * @par Threading
 * The thread that calls nalu_cut. C++ exceptions and longjmp must not leave the callback.
 */
typedef int32_t (*nalu_cut_progress_callback)(void *refcon, double progress);

/** Flags of nalu_cut_options. */
enum {
    /** Replace an existing file. Without this flag, an output that exists is refused. */
    NALU_CUT_OVERWRITE = 1u << 0
};

/** The part to copy, and the form of the output. Start from NALU_CUT_OPTIONS_INIT. */
typedef struct nalu_cut_options {
    uint32_t struct_size; /**< sizeof(nalu_cut_options) */
    uint32_t flags;       /**< NALU_CUT_OVERWRITE. Default: 0 */
    /**
     * The part consists of the frames presented at start or later and before end, in times of the
     * input. Default: all zeros, from the first frame to the last.
     */
    nalu_time start, end;
    /**
     * The output's container: a name in writer.h. Default: NULL, the one of the path's
     * extension.
     */
    const char *container;
    /**
     * The input's format if its content does not show it; see nalu_reader_options. Default: NULL,
     * detected from the content.
     */
    const char *format;
    /** A function that is called after each frame, with refcon. Default: NULL. */
    nalu_cut_progress_callback progress;
    void *refcon;
} nalu_cut_options;

#define NALU_CUT_OPTIONS_INIT \
    {(uint32_t)sizeof(nalu_cut_options), 0, {0, 0, 0, 0}, {0, 0, 0, 0}, NULL, NULL, NULL, NULL}

/** The numbers of frames that a cut copied, encoded and hid. */
typedef struct nalu_cut_result {
    uint32_t struct_size;     /**< sizeof(nalu_cut_result), set by the caller */
    uint32_t left_out_tracks; /**< tracks of the input that the output does not have */
    uint64_t copied_frames;   /**< their samples are those of the input, byte for byte */
    uint64_t encoded_frames;  /**< encoded again, at the edges */
    uint64_t hidden_frames;   /**< outside the part, needed for decoding, hidden by the edit list */
} nalu_cut_result;

/**
 * Copies a part of a file: the video, and the synchronous audio and subtitles.
 *
 * Copied samples have the same bytes as in the input. Only two groups of pictures are encoded
 * again: those from the start up to the next IDR picture, and the last pictures if they refer to
 * later ones. The encoded pictures have their own parameter sets in the same sample entry. The
 * output begins at 0, with the distances between frames unchanged.
 *
 * Some edges cannot be encoded: those of H.265, of interlaced or lossless video, of chroma other
 * than 4:2:0, and of open groups of pictures (docs/cutting.md lists all). An mp4 or mov then
 * contains every sample that decoding needs, and its edit list hides the samples outside the part.
 *
 * @param input the path of a seekable file.
 * @param output a path; see nalu_writer_create_with_path.
 * @param options NULL for the defaults.
 * @param result_out NULL, or struct_size is set by the caller and the other fields are filled in.
 * @return NALU_STATUS_OK, a common status (base.h), or one of these, and no file was written or
 *   replaced; after a failure while writing, containers other than mp4 and mov keep what was
 *   written:
 * @retval NALU_STATUS_PARAMETER the output is the input, or its extension names no container
 * @retval NALU_STATUS_INVALID_TIME start or end is not numeric, or end is not after start
 * @retval NALU_STATUS_VALUE_NOT_AVAILABLE no frame is in the part
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT the input has no H.264 or H.265 video; or the edges
 *   cannot be encoded, and the container has no edit list; or the input's edit list displays
 *   several ranges
 * @retval NALU_STATUS_BAD_DATA the input is corrupt
 * @retval NALU_STATUS_CONFLICT the input is not seekable
 * @retval NALU_STATUS_INPUT_OUTPUT reading or writing failed; or the output exists, and
 *   NALU_CUT_OVERWRITE is not set
 * @retval NALU_STATUS_COULD_NOT_CREATE_INSTANCE FFmpeg cannot be loaded (load.h)
 * @retval NALU_STATUS_CANCELLED the callback has ended the cut
 * @par Threading
 * Waits for the input and the output. Inside a session's callback it returns
 * NALU_STATUS_WOULD_BLOCK if pictures must be encoded.
 */
NALU_API NALU_NODISCARD nalu_status nalu_cut(const char *input, const char *output,
    const nalu_cut_options *options, nalu_cut_result *result_out);

NALU_END_DECLS

#endif
