/*
 * nalu/multi_pass.h - several passes over one clip.
 *
 * For a file whose size is given: the first pass learns what the frames need, later ones spend AverageBitRate times the
 * clip's duration accordingly. The client hands in the same frames in each pass:
 *
 *     nalu_multi_pass_storage_create(NULL, &storage);
 *     nalu_compression_session_set_multi_pass_storage(session, storage);
 *     do {
 *         nalu_compression_session_begin_pass(session, 0);
 *         for each frame: nalu_compression_session_encode_frame(session, ...);
 *         nalu_compression_session_end_pass(session, &again);
 *     } while (again);
 *
 * Every pass calls the callback for each of its frames, and its samples make a whole stream, with format descriptions
 * of their own. Those of a later pass replace the ones of the pass before: keep the last pass.
 *
 * examples/two_pass.c is a complete program.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_MULTI_PASS_H
#define NALU_MULTI_PASS_H

#include "base.h"
#include "session.h"
#include "time.h"

NALU_BEGIN_DECLS

/* ---- Storage ------------------------------------------------------------------ */

/*
 * Where the encoder keeps what it learns from pass to pass: files in a directory of its own, which only the user of
 * the process can read. Reference-counted; any thread. A session that it is set to keeps a reference. It serves one
 * session at a time. The files go with the session, the directory with the last reference or by close; a process that
 * is killed leaves them behind.
 */
typedef struct nalu_multi_pass_storage nalu_multi_pass_storage;

/*
 * directory: an existing directory in which the storage makes its own, "nalu-passes-" and six letters; NULL: "/tmp".
 *   Read during the call only. A pass writes some hundred bytes a frame, and 2 a macroblock of 16 x 16 pixels.
 * storage_out: receives the storage with one reference; NULL on failure.
 *
 * _MULTI_PASS_STORAGE_INVALID: the directory is not there, or cannot be written to. _PARAMETER: storage_out is NULL.
 */
NALU_API NALU_NODISCARD nalu_status nalu_multi_pass_storage_create(const char *directory,
    nalu_multi_pass_storage **storage_out);

/* Returns `storage`. */
NALU_API nalu_multi_pass_storage *nalu_multi_pass_storage_retain(nalu_multi_pass_storage *storage);

/* Gives a reference back; the last one removes files and directory. NULL: does nothing. */
NALU_API void nalu_multi_pass_storage_release(nalu_multi_pass_storage *storage);

/*
 * Removes files and directory now. No session takes the storage after that. A second call does nothing.
 *
 * _CONFLICT: a session uses it; invalidate that first. _PARAMETER, _INVALID_HANDLE.
 */
NALU_API NALU_NODISCARD nalu_status nalu_multi_pass_storage_close(nalu_multi_pass_storage *storage);

/*
 * Sets the storage of a session, before its encoder is open; NULL unsets it. With a storage frames are taken inside a
 * pass only, and AverageBitRate must be set. What the session is then told not to be: RealTime, a MaxFrameDelayCount of
 * 0, the tune zerolatency, Quality, DataRateLimits.
 *
 * _CONFLICT: beside one of these, or another session uses the storage. _TOO_LATE: the encoder is open or a pass has
 * begun. _MULTI_PASS_STORAGE_INVALID: it is closed. _PARAMETER, _INVALID_HANDLE, _INVALID_SESSION.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_set_multi_pass_storage(
    nalu_compression_session *session, nalu_multi_pass_storage *storage);

/* ---- Passes -------------------------------------------------------------------- */

enum {
    /* No pass will follow. kVTCompressionSessionBeginFinalPass. */
    NALU_COMPRESSION_SESSION_BEGIN_FINAL_PASS = 1u << 0
};

/*
 * Begins a pass. The encoder opens anew, so the first frame is a key frame and presentation times start over. From the
 * second pass on:
 *
 *   - frame n must have the presentation time that frame n had in the first pass, else it is refused with
 *     NALU_STATUS_INVALID_TIME. That its pixels are the same is the client's affair; where they are not, the size is
 *     missed and the quality spent in the wrong places.
 *   - more frames than in the first pass are refused with NALU_STATUS_CONFLICT. Fewer are taken: the pass ends
 *     with them, and no further one is asked for.
 *   - every frame has the type that it had in the first pass. NALU_FRAME_FORCE_KEY_FRAME is refused with
 *     NALU_STATUS_CONFLICT on a frame that was no key frame then. QP offsets within a frame must be the same as well:
 *     a frame that others refer to has those of the first pass.
 *
 * From the first pass on properties cannot change (NALU_STATUS_TOO_LATE), but for NALU_PROPERTY_ALLOW_SCALING, and
 * AverageBitRate between two passes. Inside a pass, complete_frames brings all frames out and ends the taking: the next
 * call is end_pass, and frames before it are refused with NALU_STATUS_OUT_OF_ORDER.
 *
 * flags: 0 or NALU_COMPRESSION_SESSION_BEGIN_FINAL_PASS.
 *
 * _OUT_OF_ORDER: no storage is set, a pass is running, or the final one is over. _CONFLICT: AverageBitRate is not set,
 * or properties do not go together. _MULTI_PASS_STORAGE_INVALID: its files are gone. _COULD_NOT_CREATE_INSTANCE: the
 * encoder refused. _PARAMETER: unknown flags, or a NULL session. _INVALID_HANDLE, _INVALID_SESSION. On failure no pass
 * has begun.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_begin_pass(nalu_compression_session *session,
    uint32_t flags);

/*
 * Waits until every frame of the pass has come back, and ends the pass.
 *
 * further_passes_requested_out: NULL means that this was the final pass. Else it receives 1 when another pass would
 *   help, and 0 otherwise: 1 after the first pass; after a later one when the samples are more than 1.5 % beside
 *   AverageBitRate times the duration of the clip, unless they are 10 % beside and the pass did not bring them nearer by
 *   a third, and up to the sixth pass; 0 after a final pass, or a pass without frames. Short clips and low rates need such a third
 *   pass. The duration goes from the first frame to the end of the last one, whose duration is its own or that of the
 *   frame before. The encoder takes rates in steps of 1000 bits a second, so below 50000 the size may be missed by more.
 *
 * _OUT_OF_ORDER: no pass is running. _REENTRANT: called from the callback. _ENCODER_MALFUNCTION: frames of the pass
 * failed. _MULTI_PASS_STORAGE_INVALID: what was learned could not be written. After these two the pass has ended and
 * does not count; begin it anew. _PARAMETER, _INVALID_HANDLE, _INVALID_SESSION. On failure the value is 0.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_end_pass(nalu_compression_session *session,
    int32_t *further_passes_requested_out);

/*
 * Which frames the next pass wants, after end_pass has asked for one: always one range, the whole clip.
 *
 * ranges: NULL with capacity 0 asks for the count alone. capacity: how many ranges there is room for.
 *
 * _VALUE_NOT_AVAILABLE: no further pass is asked for. _BUFFER_TOO_SMALL. _PARAMETER: count_out is NULL.
 * _INVALID_HANDLE, _INVALID_SESSION.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_get_time_ranges_for_next_pass(
    nalu_compression_session *session, nalu_time_range *ranges, size_t capacity, size_t *count_out);

NALU_END_DECLS

#endif
