/**
 * @file
 * Properties for channels that lose data.
 *
 * docs/loss-recovery.md compares them with forced key frames. nalu/properties.h explains the fixed
 * lines.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_PROPERTIES_RECOVERY_H
#define NALU_PROPERTIES_RECOVERY_H

/**
 * Whether frames can be encoded from acknowledged frames only, for receivers that report which
 * frames they have decoded.
 *
 * - Type: bool
 * - Unit: none
 * - Range: false, true
 * - Default: false
 * - Takes effect: before opening
 *
 * The client passes on the tokens that the receiver acknowledges (nalu_frame_options); a frame with
 * NALU_FRAME_FORCE_LTR_REFRESH then refers to acknowledged frames only, or is a key frame. The
 * encoder keeps ReferenceBufferCount frames; if that is 0, as many as the level allows, at most 14.
 * A key frame interval of 0, scene cuts and dropped frames cause no key frames
 * (docs/loss-recovery.md). Each frame is delivered before its encode returns. Properties that need
 * delay, and NaluAllowIntraRefresh, are refused with NALU_STATUS_CONFLICT.
 */
#define NALU_PROPERTY_ENABLE_LTR "EnableLTR"

/**
 * Whether a frame can begin an intra refresh, in place of a key frame. Nalu's own.
 *
 * - Type: bool
 * - Unit: none
 * - Range: false, true
 * - Default: false
 * - Takes effect: before opening
 *
 * NALU_FRAME_BEGIN_INTRA_REFRESH begins a refresh: a column of intra macroblocks moves over the
 * picture from left to right by 16 pixels per frame. No frame is then as large as a key frame. The
 * first sample of a refresh is a recovery point with NALU_SAMPLE_PARTIAL_SYNC. A key frame interval
 * of 0 means no limit. Each frame refers only to the previous one, and none is delayed; properties
 * that need delay or more references are refused with NALU_STATUS_CONFLICT.
 */
#define NALU_PROPERTY_ALLOW_INTRA_REFRESH "NaluAllowIntraRefresh"

#endif
