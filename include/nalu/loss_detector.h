/*
 * nalu/loss_detector.h - where pictures of a stream have been lost that others refer to.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_LOSS_DETECTOR_H
#define NALU_LOSS_DETECTOR_H

#include "base.h"
#include "sample.h"

NALU_BEGIN_DECLS

/*
 * Follows the samples of an H.264 stream, for receivers that have to know when to ask for a key frame. Reference-counted.
 * Any thread may call any function on it; the samples must be given in decode order, every one that arrives.
 *
 *     nalu_loss_detector_create(&detector);
 *     if (nalu_loss_detector_check(detector, sample, &missing) != NALU_STATUS_OK || missing) ask_for_a_key_frame();
 *
 * It reads the first slice header of each sample. Missing pictures to which no other refers are no loss. What it cannot see:
 * the loss of exactly so many successive reference pictures that frame_num (ITU-T H.264 7.4.3), which has 4 to 16 bits,
 * comes to the same value again; and losses in streams that allow gaps (gaps_in_frame_num_value_allowed_flag). The loss of
 * a key frame together with what makes frame_num go on as if nothing had been is seen by the times of the samples, where all
 * have the same duration: a stream that was even, and then is not, where frame_num comes to 3 or less, is taken for
 * it. So give samples whose spacing varies their true durations, or none.
 */
typedef struct nalu_loss_detector nalu_loss_detector;

/* _PARAMETER: detector_out is NULL. _ALLOCATION_FAILED. detector_out receives one reference. */
NALU_API NALU_NODISCARD nalu_status nalu_loss_detector_create(nalu_loss_detector **detector_out);

/* Returns `detector`. */
NALU_API nalu_loss_detector *nalu_loss_detector_retain(nalu_loss_detector *detector);
NALU_API void nalu_loss_detector_release(nalu_loss_detector *detector);

/*
 * Looks at the next sample. missing_out receives 1 when between it and the sample before a picture is missing to which this
 * or a later one may refer, else 0: for the first sample, and for every key frame. A loss is told once, with the first
 * sample behind it.
 *
 * _BAD_DATA: no slice in the sample can be read, or it refers to parameter sets that there are not; the sample counts as
 * missing. _UNSUPPORTED_DATA_FORMAT: not H.264. _PARAMETER: a NULL argument. _INVALID_HANDLE.
 */
NALU_API NALU_NODISCARD nalu_status nalu_loss_detector_check(nalu_loss_detector *detector, nalu_sample *sample,
    int32_t *missing_out);

NALU_END_DECLS

#endif
