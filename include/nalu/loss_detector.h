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
 * Follows the samples of an H.264 or H.265 stream, for receivers that have to know when to ask for a key frame.
 * Reference-counted. Any thread may call any function on it; the samples must be given in decode order, every one that
 * arrives, with presentation times in output order.
 *
 *     nalu_loss_detector_create(&detector);
 *     if (nalu_loss_detector_check(detector, sample, &missing) != NALU_STATUS_OK || missing == NALU_LOSS_REFERENCE)
 *         ask_for_a_key_frame();
 *
 * It reads the first slice header of each sample, so that the loss of later slices of a picture is not seen. Missing pictures
 * to which no other refers are no loss.
 *
 * H.264: frame_num counts reference pictures (ITU-T H.264 7.4.3); a loss is seen by the next picture. What cannot be seen:
 * the loss of exactly so many successive reference pictures that frame_num, which has 4 to 16 bits, comes to the same value
 * again; and losses in streams that allow gaps (gaps_in_frame_num_value_allowed_flag).
 *
 * H.265: each slice names the pictures that are to be there, and says which of them its picture can refer to (ITU-T H.265
 * 8.3.2); a loss is seen by the first picture that can refer to what is lost. So sub-layers that are left out on purpose
 * are none. What cannot be seen: the loss of so many successive pictures that slice_pic_order_cnt_lsb, which has 4 to
 * 16 bits, comes to the same values again.
 *
 * Both: the loss of a key frame together with what makes the numbers go on as if nothing had been is seen by the times of the
 * samples: where they are in another order than the picture order count has them, and where all samples have the same
 * duration: a stream that was even, and then is not, as if a key frame had been left out, is taken for it (H.264: where
 * frame_num comes to 3 or less). So give samples whose spacing varies their true durations, or none.
 */
typedef struct nalu_loss_detector nalu_loss_detector;

/* _PARAMETER: detector_out is NULL. _ALLOCATION_FAILED. detector_out receives one reference. */
NALU_API NALU_NODISCARD nalu_status nalu_loss_detector_create(nalu_loss_detector **detector_out);

/* Returns `detector`. */
NALU_API nalu_loss_detector *nalu_loss_detector_retain(nalu_loss_detector *detector);
NALU_API void nalu_loss_detector_release(nalu_loss_detector *detector);

/* What nalu_loss_detector_check finds. */
enum {
    NALU_LOSS_NONE = 0,
    /* A picture is missing to which this or a later one may refer; H.265: to which this one can refer. */
    NALU_LOSS_REFERENCE = 1,
    /* H.265: the sample itself cannot be decoded. It is a leading picture (RASL or RADL), which precedes in output order the
     * random access picture before it, and can refer to a picture that is missing: because it was lost, or because the
     * stream begins, a sequence ends, or a link is broken there. What is displayed from the random access picture on does
     * not refer to it: it needs no key frame. */
    NALU_LOSS_LEADING = 2
};

/*
 * Looks at the next sample. missing_out receives NALU_LOSS_...: NALU_LOSS_NONE for the first sample, for every key frame, and
 * for every CRA picture. A loss of references is told once, with the first sample behind it (H.264) or that needs it (H.265):
 * from then on what is missing is taken for there, as decoders do that make it up, until in H.265 the next random access
 * picture comes. Leading pictures that cannot be decoded are told each, and are not taken for there.
 *
 * _BAD_DATA: no slice in the sample can be read, or it refers to parameter sets that there are not, or, H.265, it is not the
 * first of its picture; the sample counts as missing. _PARAMETER: a NULL argument. _INVALID_HANDLE.
 */
NALU_API NALU_NODISCARD nalu_status nalu_loss_detector_check(nalu_loss_detector *detector, nalu_sample *sample,
    int32_t *missing_out);

NALU_END_DECLS

#endif
