/**
 * @file
 * Properties for key frames, frame types, profile and slices.
 *
 * nalu/properties.h explains the fixed lines.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_PROPERTIES_STRUCTURE_H
#define NALU_PROPERTIES_STRUCTURE_H

/* ---- Key frames ----------------------------------------------------------------------------- */

/**
 * The greatest distance from one key frame to the next.
 *
 * - Type: integer
 * - Unit: frames
 * - Range: 0 to 2147483647; 1 makes every frame a key frame
 * - Default: 0: the encoder decides: 250, or no limit with EnableLTR or NaluAllowIntraRefresh
 * - Takes effect: next frame
 *
 * The encoder may place key frames earlier, at scene cuts; with EnableLTR or NaluAllowIntraRefresh
 * it does not.
 */
#define NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL "MaxKeyFrameInterval"

/**
 * The greatest time from one key frame to the next, by presentation times.
 *
 * - Type: double
 * - Unit: seconds
 * - Range: 0 to 86400
 * - Default: 0: no limit
 * - Takes effect: next frame
 *
 * With MaxKeyFrameInterval, the limit that is reached first counts. The duration of a frame decides
 * whether the next frame would be too late. A frame without a duration is expected to last as long
 * as the longest frame since the second-last key frame; a key frame is late only after a longer
 * gap.
 */
#define NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL_DURATION "MaxKeyFrameIntervalDuration"

/**
 * Whether frames may refer to other frames.
 *
 * - Type: bool
 * - Unit: none
 * - Range: false: key frames only; true
 * - Default: true
 * - Takes effect: next frame
 */
#define NALU_PROPERTY_ALLOW_TEMPORAL_COMPRESSION "AllowTemporalCompression"

/**
 * Whether groups of pictures may be open: beginning with a recovery point and not a key frame.
 *
 * - Type: bool
 * - Unit: none
 * - Range: false, true
 * - Default: false: every key frame is IDR
 * - Takes effect: before opening
 *
 * If true, an interval or a scene cut causes an I-frame with a recovery point SEI message (ITU-T
 * H.264 D.1.8) in place of a key frame. B-frames presented before it may refer to frames before it.
 * Its sample has NALU_SAMPLE_PARTIAL_SYNC and NALU_SAMPLE_NOT_SYNC. The first frame, forced key
 * frames, the frame after complete_frames, and the frames of a key-frame-only stream are still IDR.
 * Properties that exclude B-frames are refused (NALU_STATUS_CONFLICT). The value read is false for
 * streams without B-frames.
 */
#define NALU_PROPERTY_ALLOW_OPEN_GOP "AllowOpenGOP"

/**
 * Whether the samples of another session precede those of this one in the same stream.
 *
 * - Type: bool
 * - Unit: none
 * - Range: false, true
 * - Default: false
 * - Takes effect: before opening
 *
 * With this property and MoreFramesAfterEnd, several sessions encode the chunks of one video, and
 * the client joins their samples. The parameter sets of all chunks are the same bytes if the size
 * and all properties are equal, apart from rates, quality, limits, key frame intervals and picture
 * content. Set a fixed level if the rates differ. docs/chunks.md has the details.
 */
#define NALU_PROPERTY_MORE_FRAMES_BEFORE_START "MoreFramesBeforeStart"

/**
 * Whether the samples of another session follow those of this one in the same stream. See
 * NALU_PROPERTY_MORE_FRAMES_BEFORE_START.
 *
 * - Type: bool
 * - Unit: none
 * - Range: false, true
 * - Default: false
 * - Takes effect: before opening
 */
#define NALU_PROPERTY_MORE_FRAMES_AFTER_END "MoreFramesAfterEnd"

/**
 * Whether DataRateLimits hold in windows that reach into another chunk. Nalu's own.
 *
 * - Type: bool
 * - Unit: none
 * - Range: false, true
 * - Default: true
 * - Takes effect: before opening
 *
 * If true, a session with MoreFramesBeforeStart or MoreFramesAfterEnd keeps to fixed shares of the
 * limits, so that the windows over the seams hold without a check. If false, it uses the limits as
 * if it encoded the whole video, and its chunk can use more bits. A window over a seam can then
 * exceed a limit, but rarely does. A chunk joiner with the limits reports such seams
 * (nalu_chunk_joiner_get_seams_over_limits); encode the chunks at these seams again with the value
 * true. All passes over a chunk may have either value.
 */
#define NALU_PROPERTY_LIMITS_OVER_SEAMS "NaluLimitsOverSeams"

/* ---- References ----------------------------------------------------------------------------- */

/**
 * Whether the encoder may use B-frames, so that decode order differs from presentation order.
 *
 * - Type: bool
 * - Unit: none
 * - Range: false, true
 * - Default: true if profile, preset and delay allow it
 * - Takes effect: before opening
 *
 * If false, pic_order_cnt_type is 2. True is refused (NALU_STATUS_CONFLICT) together with a
 * Baseline profile, RealTime, the tune zerolatency, a MaxFrameDelayCount below 3, or a
 * ReferenceBufferCount of 1. The value read is true if the stream will have B-frames.
 */
#define NALU_PROPERTY_ALLOW_FRAME_REORDERING "AllowFrameReordering"

/**
 * Whether B-frames may refer to other B-frames. Nalu's own.
 *
 * - Type: bool
 * - Unit: none
 * - Range: false, true
 * - Default: true
 * - Takes effect: before opening
 *
 * If false, NALU_PROPERTY_REORDER_DEPTH is at most 1. Programs for a Mac expect that: they shift
 * decode times by one frame. A b-pyramid in x264.params overrides the property.
 */
#define NALU_PROPERTY_ALLOW_B_PYRAMID "NaluAllowBPyramid"

/**
 * The number of reference frames, max_num_ref_frames of the stream.
 *
 * - Type: integer
 * - Unit: frames
 * - Range: 0 to 16
 * - Default: 0: the encoder decides
 * - Takes effect: before opening
 *
 * B-frames need at least 2 reference frames, so 1 means no B-frames. Below 4, no B-frame refers to
 * another B-frame. The value is refused (NALU_STATUS_CONFLICT) if a fixed level does not allow that
 * many frames.
 */
#define NALU_PROPERTY_REFERENCE_BUFFER_COUNT "ReferenceBufferCount"

/* ---- Slices --------------------------------------------------------------------------------- */

/**
 * The greatest size of a slice NAL unit.
 *
 * - Type: integer
 * - Unit: bytes
 * - Range: 0, or 500 to 16777216
 * - Default: 0: no limit
 * - Takes effect: next frame, between non-zero values; a change from or to 0: before opening
 *
 * A macroblock is never divided. If it alone is larger than the limit, it is a slice of its own,
 * which exceeds the limit. Noise has such macroblocks at low QPs: they take about 820 bytes with
 * 8 bits, and 1180 with OutputBitDepth 10. A limit of at least 1000, or 1400 with 10 bits,
 * therefore holds at every QP, and a limit of at least 500 if MinAllowedFrameQP is at least 22.
 */
#define NALU_PROPERTY_MAX_H264_SLICE_BYTES "MaxH264SliceBytes"

/**
 * Whether a frame may have several slices. Nalu's own.
 *
 * - Type: bool
 * - Unit: none
 * - Range: false: one slice per frame, for receivers that need it; true
 * - Default: true
 * - Takes effect: before opening
 *
 * If true, a session without delay encodes the slices of a frame in parallel.
 */
#define NALU_PROPERTY_ALLOW_MULTIPLE_SLICES "NaluAllowMultipleSlices"

/* ---- Entropy coding ------------------------------------------------------------------------- */

/**
 * The entropy coder.
 *
 * - Type: string
 * - Unit: none
 * - Range: NALU_H264_ENTROPY_MODE_CAVLC, NALU_H264_ENTROPY_MODE_CABAC
 * - Default: CABAC if the profile has it; CAVLC with the preset ultrafast
 * - Takes effect: before opening
 */
#define NALU_PROPERTY_H264_ENTROPY_MODE "H264EntropyMode"

#define NALU_H264_ENTROPY_MODE_CAVLC "CAVLC"
#define NALU_H264_ENTROPY_MODE_CABAC "CABAC"

/* ---- Profile and level ---------------------------------------------------------------------- */

/**
 * The profile and level of the stream.
 *
 * - Type: string
 * - Unit: none
 * - Range: one of the NALU_PROFILE_LEVEL_H264_ constants, except EXTENDED; for H.265
 *   NALU_PROFILE_LEVEL_HEVC_MAIN_AUTO_LEVEL or NALU_PROFILE_LEVEL_HEVC_MAIN10_AUTO_LEVEL
 * - Default: NALU_PROFILE_LEVEL_H264_HIGH_AUTO_LEVEL; for H.265 Main, or Main 10 with 10 bits
 * - Takes effect: before opening
 *
 * An AutoLevel is the lowest level that allows the size, frame rate, bit rate and reference frames.
 * A fixed level limits reference frames and rate, and is refused if it does not allow the size. A
 * stream that uses only the tools of a lower profile announces the lower profile, for example with
 * the preset ultrafast.
 */
#define NALU_PROPERTY_PROFILE_LEVEL "ProfileLevel"

#define NALU_PROFILE_LEVEL_H264_BASELINE_1_3 "H264_Baseline_1_3"
#define NALU_PROFILE_LEVEL_H264_BASELINE_3_0 "H264_Baseline_3_0"
#define NALU_PROFILE_LEVEL_H264_BASELINE_3_1 "H264_Baseline_3_1"
#define NALU_PROFILE_LEVEL_H264_BASELINE_3_2 "H264_Baseline_3_2"
#define NALU_PROFILE_LEVEL_H264_BASELINE_4_0 "H264_Baseline_4_0"
#define NALU_PROFILE_LEVEL_H264_BASELINE_4_1 "H264_Baseline_4_1"
#define NALU_PROFILE_LEVEL_H264_BASELINE_4_2 "H264_Baseline_4_2"
#define NALU_PROFILE_LEVEL_H264_BASELINE_5_0 "H264_Baseline_5_0"
#define NALU_PROFILE_LEVEL_H264_BASELINE_5_1 "H264_Baseline_5_1"
#define NALU_PROFILE_LEVEL_H264_BASELINE_5_2 "H264_Baseline_5_2"
#define NALU_PROFILE_LEVEL_H264_BASELINE_AUTO_LEVEL "H264_Baseline_AutoLevel"
#define NALU_PROFILE_LEVEL_H264_CONSTRAINED_BASELINE_AUTO_LEVEL "H264_ConstrainedBaseline_AutoLevel"
#define NALU_PROFILE_LEVEL_H264_MAIN_3_0 "H264_Main_3_0"
#define NALU_PROFILE_LEVEL_H264_MAIN_3_1 "H264_Main_3_1"
#define NALU_PROFILE_LEVEL_H264_MAIN_3_2 "H264_Main_3_2"
#define NALU_PROFILE_LEVEL_H264_MAIN_4_0 "H264_Main_4_0"
#define NALU_PROFILE_LEVEL_H264_MAIN_4_1 "H264_Main_4_1"
#define NALU_PROFILE_LEVEL_H264_MAIN_4_2 "H264_Main_4_2"
#define NALU_PROFILE_LEVEL_H264_MAIN_5_0 "H264_Main_5_0"
#define NALU_PROFILE_LEVEL_H264_MAIN_5_1 "H264_Main_5_1"
#define NALU_PROFILE_LEVEL_H264_MAIN_5_2 "H264_Main_5_2"
#define NALU_PROFILE_LEVEL_H264_MAIN_AUTO_LEVEL "H264_Main_AutoLevel"
#define NALU_PROFILE_LEVEL_H264_HIGH_3_0 "H264_High_3_0"
#define NALU_PROFILE_LEVEL_H264_HIGH_3_1 "H264_High_3_1"
#define NALU_PROFILE_LEVEL_H264_HIGH_3_2 "H264_High_3_2"
#define NALU_PROFILE_LEVEL_H264_HIGH_4_0 "H264_High_4_0"
#define NALU_PROFILE_LEVEL_H264_HIGH_4_1 "H264_High_4_1"
#define NALU_PROFILE_LEVEL_H264_HIGH_4_2 "H264_High_4_2"
#define NALU_PROFILE_LEVEL_H264_HIGH_5_0 "H264_High_5_0"
#define NALU_PROFILE_LEVEL_H264_HIGH_5_1 "H264_High_5_1"
#define NALU_PROFILE_LEVEL_H264_HIGH_5_2 "H264_High_5_2"
#define NALU_PROFILE_LEVEL_H264_HIGH_AUTO_LEVEL "H264_High_AutoLevel"
#define NALU_PROFILE_LEVEL_H264_CONSTRAINED_HIGH_AUTO_LEVEL "H264_ConstrainedHigh_AutoLevel"
/** Refused with NALU_STATUS_OUT_OF_RANGE: x264 does not write the Extended profile. */
#define NALU_PROFILE_LEVEL_H264_EXTENDED_5_0 "H264_Extended_5_0"
#define NALU_PROFILE_LEVEL_H264_EXTENDED_AUTO_LEVEL "H264_Extended_AutoLevel"
#define NALU_PROFILE_LEVEL_HEVC_MAIN_AUTO_LEVEL "HEVC_Main_AutoLevel"
#define NALU_PROFILE_LEVEL_HEVC_MAIN10_AUTO_LEVEL "HEVC_Main10_AutoLevel"

#endif
