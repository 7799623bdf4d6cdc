/**
 * @file
 * Finds lost pictures that other pictures refer to.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_LOSS_DETECTOR_H
#define NALU_LOSS_DETECTOR_H

#include "base.h"
#include "sample.h"

NALU_BEGIN_DECLS

/**
 * Checks the samples of an H.264 or H.265 stream, so that a receiver can request a key frame in
 * time. Reference-counted.
 *
 * @code{.c}
 * nalu_loss_detector_create(&detector);
 * ...
 * int32_t loss;
 * nalu_status status = nalu_loss_detector_check(detector, sample, &loss);
 * if (status != NALU_STATUS_OK || loss == NALU_LOSS_REFERENCE)
 *     request_key_frame();
 * @endcode
 *
 * The detector reads the first slice header of each sample. It cannot detect that a later slice of
 * a picture is missing. Nor can it detect losses after which the stream's picture numbers happen to
 * continue. docs/loss-recovery.md lists what is detected for each codec.
 */
typedef struct nalu_loss_detector nalu_loss_detector;

/**
 * Creates a detector.
 *
 * @return NALU_STATUS_OK or a common status (base.h).
 * @par Ownership
 * detector_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_loss_detector_create(nalu_loss_detector **detector_out);

/** Adds a reference, and returns detector. */
NALU_API nalu_loss_detector *nalu_loss_detector_retain(nalu_loss_detector *detector);

/** Releases one reference. */
NALU_API void nalu_loss_detector_release(nalu_loss_detector *detector);

/** The results of nalu_loss_detector_check. */
enum {
    /** No picture that others refer to is missing before this sample. */
    NALU_LOSS_NONE = 0,
    /**
     * A picture is missing that other pictures refer to. H.264: this sample or a later one may
     * refer to it. H.265: this sample can refer to it. Request a key frame.
     */
    NALU_LOSS_REFERENCE = 1,
    /**
     * H.265 only: this sample cannot be decoded, and later ones can. It is a leading picture (RASL
     * or RADL) that can refer to a missing picture: one that was lost, or one before the beginning
     * of the stream or sequence. No key frame is needed: the pictures displayed from the random
     * access picture on do not refer to this sample.
     */
    NALU_LOSS_LEADING = 2
};

/**
 * Checks the next sample for losses before it.
 *
 * The first sample, key frames and CRA pictures report NALU_LOSS_NONE. A loss is reported once:
 * with the next sample (H.264), or with the first sample that can refer to the missing picture
 * (H.265). Afterwards the missing pictures count as present, for H.265 until the next random access
 * picture. Each leading picture that cannot be decoded is reported, and itself counts as missing.
 * Missing pictures that no other picture refers to are not reported.
 *
 * @param sample the next sample in decode order. Pass every sample that arrives, with presentation
 *   times in output order. In a stream that can reorder, times count only after a time and the
 *   picture order count have decreased together, and only if lost pictures have room between two
 *   samples; decode times in place of presentation times are therefore no loss. Uneven times are no
 *   loss either. But a sample must not end, by its duration, before the next one is displayed:
 *   samples need their true durations, or none. The durations of a reader's samples count only
 *   where they are those of the display.
 * @param loss_out receives NALU_LOSS_...
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT the sample is audio
 * @retval NALU_STATUS_BAD_DATA no slice of the sample can be read, its parameter sets are missing,
 *   or (H.265) it does not begin its picture; the sample counts as missing
 */
NALU_API NALU_NODISCARD nalu_status nalu_loss_detector_check(nalu_loss_detector *detector,
    nalu_sample *sample, int32_t *loss_out);

NALU_END_DECLS

#endif
