/**
 * @file
 * Several passes over one video, for a file of a given size.
 *
 * The first pass measures how many bits each frame needs. Later passes distribute AverageBitRate
 * times the duration of the video accordingly. The client hands in the same frames in each pass:
 *
 * @code{.c}
 * nalu_multi_pass_storage_create(NULL, &storage);
 * nalu_compression_session_set_multi_pass_storage(session, storage);
 * do {
 *     nalu_compression_session_begin_pass(session, 0);
 *     for each frame: nalu_compression_session_encode_frame(session, ...);
 *     nalu_compression_session_end_pass(session, &again);
 * } while (again);
 * @endcode
 *
 * Each pass calls the callback for all frames. The samples of a pass are a complete stream with
 * their own format descriptions; the parameter sets are the same in every pass. Keep the samples of
 * the last pass. examples/two_pass.c is a complete program.
 *
 * Several processes or machines can encode the chunks of a long video. The statistics of each
 * chunk's first pass are sent as bytes:
 *
 * @verbatim
 * each chunk: first pass, nalu_multi_pass_storage_copy_data
 * one place:  nalu_multi_pass_storage_create_with_data for each, then
 *             nalu_multi_pass_storage_divide_bits: the AverageBitRate of each chunk
 * few chunks: another first pass at the QP that divide_bits returned, then divide again
 * each chunk: nalu_multi_pass_storage_create_with_data, and a session that begins with the
 *             second pass
 * @endverbatim
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_MULTI_PASS_H
#define NALU_MULTI_PASS_H

#include "base.h"
#include "session.h"
#include "time.h"

NALU_BEGIN_DECLS

/* ---- Storage -------------------------------------------------------------------------------- */

/**
 * The statistics that the encoder passes on from pass to pass. Reference-counted. They are files in
 * a directory that only the user of the process can read. One session at a time uses the storage,
 * and retains it.
 *
 * When the session ends or gets another storage, the files are removed, unless the storage was made
 * by nalu_multi_pass_storage_create_with_data. The last release, or close, removes the remaining
 * files and the directory. A process that is killed leaves them in place.
 */
typedef struct nalu_multi_pass_storage nalu_multi_pass_storage;

/**
 * Creates a storage.
 *
 * @param directory an existing directory; NULL means "/tmp". The storage creates a directory in it,
 *   named "nalu-passes-" and six letters or digits. A pass writes about 200 bytes per frame, and up
 *   to 2 bytes for each macroblock of 16 x 16 pixels of a frame.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_MULTI_PASS_STORAGE_INVALID the directory does not exist or cannot be written
 *   to
 * @par Ownership
 * storage_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_multi_pass_storage_create(const char *directory,
    nalu_multi_pass_storage **storage_out);

/** Adds a reference, and returns storage. */
NALU_API nalu_multi_pass_storage *nalu_multi_pass_storage_retain(
    nalu_multi_pass_storage *storage);

/** Releases one reference. The last release removes the files and the directory. */
NALU_API void nalu_multi_pass_storage_release(nalu_multi_pass_storage *storage);

/**
 * Removes the files and the directory now. No session accepts the storage afterwards. A second call
 * does nothing.
 *
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_CONFLICT a session uses the storage; invalidate it first
 */
NALU_API NALU_NODISCARD nalu_status nalu_multi_pass_storage_close(
    nalu_multi_pass_storage *storage);

/**
 * Sets the storage of a session, before the first pass and the first frame. Closes an open encoder
 * as a property does (nalu_compression_session_prepare).
 *
 * With a storage, frames are accepted inside a pass only and need presentation times of epoch 0,
 * and AverageBitRate must be set. A storage excludes RealTime, a MaxFrameDelayCount of 0, the tune
 * zerolatency, EnableLTR, NaluAllowIntraRefresh, Quality, SourceFrameCount and ExpectedDuration.
 * DataRateLimits hold in every pass. After a frame dropped for the limits, later passes make no key
 * frame that the first pass did not have.
 *
 * @param storage NULL removes the storage.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_CONFLICT a property that a storage excludes is set, another session uses the
 *   storage, or its data belong to pictures of another size
 * @retval NALU_STATUS_TOO_LATE a frame was accepted, or a pass has begun
 * @retval NALU_STATUS_MULTI_PASS_STORAGE_INVALID the storage is closed
 * @par Ownership
 * The session retains storage.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_set_multi_pass_storage(
    nalu_compression_session *session, nalu_multi_pass_storage *storage);

/* ---- From one machine to another ------------------------------------------------------------ */

/**
 * Copies the data of a session's first pass: its times and key frames, and the statistics of the
 * encoder. The data have about 200 bytes per frame, and up to 2 bytes for each macroblock of a
 * frame.
 *
 * The bytes have a version and a checksum. Any machine with the same version of x264 can use them.
 *
 * @param buffer,capacity,size_out see BUFFERS in base.h; counted in bytes.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_VALUE_NOT_AVAILABLE no first pass has ended, or its session has ended; call
 *   this after end_pass, before the session is invalidated or released
 * @retval NALU_STATUS_BUFFER_TOO_SMALL capacity is too small
 * @retval NALU_STATUS_MULTI_PASS_STORAGE_INVALID the storage is closed, or its files are gone
 */
NALU_API NALU_NODISCARD nalu_status nalu_multi_pass_storage_copy_data(
    nalu_multi_pass_storage *storage, uint8_t *buffer, size_t capacity, size_t *size_out);

/**
 * Creates a storage with the data of a first pass that another session ran. Sessions with this
 * storage, one after the other, begin with the second pass. They need the size, the pixel format
 * and the properties of the first pass's session; AverageBitRate and NaluLimitsOverSeams may
 * differ.
 *
 * @param directory see nalu_multi_pass_storage_create.
 * @param bytes,size the data from nalu_multi_pass_storage_copy_data; not needed after the call.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_BAD_DATA the bytes are corrupt, contradict themselves, or have a number that
 *   no first pass has; every number is checked, so that the bytes may come from an untrusted source
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT the bytes have a version, or come from an x264, that
 *   this library cannot read
 * @retval NALU_STATUS_MULTI_PASS_STORAGE_INVALID the directory does not exist or cannot be written
 *   to
 * @par Ownership
 * storage_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_multi_pass_storage_create_with_data(const char *directory,
    const uint8_t *bytes, size_t size, nalu_multi_pass_storage **storage_out);

/**
 * Divides the bits of a video among its chunks, so that all have the same quality: each chunk gets
 * the bits that it takes at one QP for the whole video. The model is that of x264's second pass
 * (ratecontrol.c: qscale2bits, get_qscale).
 *
 * A chunk gets at most the rate that the DataRateLimits and the fixed level of its first pass's
 * session allow. The other chunks then share what is left at one QP of their own.
 *
 * @param storages the storage of each chunk, after its first pass.
 * @param count 1 or more.
 * @param total_bits 1 to 2^62. The sum of rate times duration over all chunks is total_bits, apart
 *   from rounding, from chunks that would get less than 1000 bits per second, and unless all chunks
 *   have their highest rate.
 * @param bit_rates_out receives count rates, values for AverageBitRate.
 * @param first_pass_qps_out NULL, or receives count QPs. 0 means that the first pass of the chunk
 *   is accurate enough. A QP of 1 to 51 means that the first pass had QPs far from the one for the
 *   whole video, where the model is inaccurate: repeat it at this QP in a new session with a new
 *   storage (nalu_compression_session_begin_first_pass), then divide again. Repeat a first pass
 *   twice at most.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_OUT_OF_RANGE total_bits is 0 or larger than 2^62
 * @retval NALU_STATUS_VALUE_NOT_AVAILABLE a storage has no data of a first pass
 * @retval NALU_STATUS_MULTI_PASS_STORAGE_INVALID a storage is closed, or its files cannot be read
 */
NALU_API NALU_NODISCARD nalu_status nalu_multi_pass_storage_divide_bits(
    nalu_multi_pass_storage *const *storages, size_t count, uint64_t total_bits,
    int64_t *bit_rates_out, double *first_pass_qps_out);

/* ---- Passes ---------------------------------------------------------------------------------- */

/** Flags of nalu_compression_session_begin_pass. */
enum {
    /** No pass will follow. kVTCompressionSessionBeginFinalPass. */
    NALU_COMPRESSION_SESSION_BEGIN_FINAL_PASS = 1u << 0
};

/**
 * Begins a pass. The encoder is opened again: the first frame is a key frame, and presentation
 * times start over.
 *
 * With a storage created from data, the session's first pass is the second pass of the video. From
 * the second pass on, encode_frame compares each frame with the first pass:
 *   - Frame n must have the same presentation time; otherwise the status is
 *     NALU_STATUS_INVALID_TIME.
 *   - Frames beyond the last of the first pass are refused with NALU_STATUS_CONFLICT. With fewer
 *     frames the pass ends early, and no further pass is requested.
 *   - A frame keeps its type. NALU_FRAME_FORCE_KEY_FRAME on a frame that was not a key frame in the
 *     first pass is refused with NALU_STATUS_CONFLICT.
 *
 * The pixels and QP offsets must be the same too; they are not compared.
 *
 * Properties cannot change after the first pass has begun (NALU_STATUS_TOO_LATE), apart from
 * NALU_PROPERTY_ALLOW_SCALING, and AverageBitRate between two passes. After complete_frames inside
 * a pass, end_pass comes next; frames are refused with NALU_STATUS_OUT_OF_ORDER.
 *
 * @param flags 0 or NALU_COMPRESSION_SESSION_BEGIN_FINAL_PASS.
 * @return NALU_STATUS_OK, a common status (base.h), or one of these, and no pass has begun:
 * @retval NALU_STATUS_OUT_OF_ORDER no storage is set, a pass is running, or the final pass has
 *   ended
 * @retval NALU_STATUS_CONFLICT AverageBitRate is not set, or properties exclude each other
 * @retval NALU_STATUS_MULTI_PASS_STORAGE_INVALID the files of the storage are gone
 * @retval NALU_STATUS_COULD_NOT_CREATE_INSTANCE the encoder refused its parameters
 * @retval NALU_STATUS_WOULD_BLOCK the call was made from another session's callback
 * @par Threading
 * From the second pass on, waits until the session's thread has opened the encoder again.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_begin_pass(
    nalu_compression_session *session, uint32_t flags);

/**
 * Begins a pass like nalu_compression_session_begin_pass, but a first pass encodes at a given QP.
 * The statistics of a first pass are most accurate near its own QPs; without a QP, the encoder
 * begins with a coarse one and approaches AverageBitRate. nalu_multi_pass_storage_divide_bits
 * returns the QP for each chunk. DataRateLimits hold.
 *
 * @param flags as in nalu_compression_session_begin_pass.
 * @param qp the QP of P-frames, 1 to 51. The encoder chooses those of key frames, B-frames and
 *   macroblocks relative to it. Without the macroblock tree (mbtree=0 in x264.params) the QP of a
 *   frame also depends on its content. 0 means as nalu_compression_session_begin_pass.
 * @return as nalu_compression_session_begin_pass, or:
 * @retval NALU_STATUS_OUT_OF_RANGE qp is neither 0 nor 1 to 51
 * @retval NALU_STATUS_OUT_OF_ORDER qp is not 0, and the first pass has ended
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_begin_first_pass(
    nalu_compression_session *session, uint32_t flags, double qp);

/**
 * Waits until every frame of the pass has been delivered, and ends the pass.
 *
 * Another pass is requested after the first one. After the second to the fifth, another pass is
 * requested under two conditions: the size of the samples differs from AverageBitRate times the
 * duration by more than 1.5 %, and another pass is likely to help. A pass is unlikely to help:
 *   - if the difference is more than 10 % and did not fall by 30 % in this pass, and all passes so
 *     far were too small, or all were too large;
 *   - if the encoder would need less than a quarter of AverageBitRate, more than four times it, or
 *     the same rate again, which can happen with DataRateLimits.
 * Short clips and low rates often need a third pass. The duration reaches to the end of the last
 * frame. Below 50000 bits per second the difference may remain larger, since the encoder takes
 * rates in steps of 1000.
 *
 * @param further_passes_requested_out NULL if this was the final pass; otherwise receives 1 or 0,
 *   and 0 on failure.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_OUT_OF_ORDER no pass is running
 * @retval NALU_STATUS_REENTRANT the call was made from the callback
 * @retval NALU_STATUS_ENCODER_MALFUNCTION frames of the pass failed
 * @retval NALU_STATUS_MULTI_PASS_STORAGE_INVALID the statistics could not be written
 *   After the last two, the pass has ended and does not count; begin it again.
 * @retval NALU_STATUS_WOULD_BLOCK the call was made from another session's callback; the pass
 *   continues
 * @par Threading
 * Waits until the callbacks of the pass have returned.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_end_pass(
    nalu_compression_session *session, int32_t *further_passes_requested_out);

/**
 * Reads which frames the next pass needs, after end_pass has requested one. The result is always
 * one range: the whole video.
 *
 * @param ranges,capacity,count_out see BUFFERS in base.h; counted in ranges.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_VALUE_NOT_AVAILABLE no further pass was requested
 * @retval NALU_STATUS_BUFFER_TOO_SMALL capacity is too small
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_get_time_ranges_for_next_pass(
    nalu_compression_session *session, nalu_time_range *ranges, size_t capacity,
    size_t *count_out);

NALU_END_DECLS

#endif
