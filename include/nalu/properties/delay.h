/**
 * @file
 * Properties for delay, speed and analysis.
 *
 * nalu/properties.h explains the fixed lines.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_PROPERTIES_DELAY_H
#define NALU_PROPERTIES_DELAY_H

/* ---- Delay ---------------------------------------------------------------------------------- */

/**
 * Whether frames arrive in real time, for example from a camera.
 *
 * - Type: bool
 * - Unit: none
 * - Range: false: quality goes first; true
 * - Default: unset, the same as false
 * - Takes effect: before opening
 *
 * If true, the encoder delays no frame: it uses neither lookahead nor B-frames. The preset is
 * veryfast unless `x264.preset` is set.
 */
#define NALU_PROPERTY_REAL_TIME "RealTime"

/**
 * The maximum number of frames that the encoder may delay.
 *
 * - Type: integer
 * - Unit: frames
 * - Range: -1 to 250
 * - Default: -1: no limit
 * - Takes effect: before opening
 *
 * With a value of M, frame N - M is delivered before encode of frame N returns. With 0, each frame
 * is delivered before its own encode returns, and x264 runs without lookahead, B-frames and frame
 * threads. Together these three may delay M frames.
 */
#define NALU_PROPERTY_MAX_FRAME_DELAY_COUNT "MaxFrameDelayCount"

/**
 * The length of the encoder's lookahead.
 *
 * - Type: integer
 * - Unit: frames
 * - Range: 0 to 250, and at most MaxFrameDelayCount if that is set
 * - Default: unset: the preset's value
 * - Takes effect: before opening
 *
 * The encoder delays that many frames. If MaxFrameDelayCount is set, one frame of that delay is for
 * the encoder and up to two are for B-frames; the lookahead is that much shorter. RealTime excludes
 * every value except 0 (NALU_STATUS_CONFLICT).
 */
#define NALU_PROPERTY_SUGGESTED_LOOK_AHEAD_FRAME_COUNT "SuggestedLookAheadFrameCount"

/**
 * The maximum length of the encoder's lookahead with any preset. Nalu's own.
 *
 * - Type: integer
 * - Unit: frames
 * - Range: 0 to 250
 * - Default: unset: no limit
 * - Takes effect: before opening
 *
 * An upper bound for programs that do not set the other properties. Unlike
 * SuggestedLookAheadFrameCount, it lengthens no preset's lookahead and excludes nothing. It has no
 * effect if SuggestedLookAheadFrameCount or `rc-lookahead` of `x264.params` is set. If it shortens
 * the lookahead, x264's qcomp is 0.5 instead of 0.6, which recovers some of the bits that this
 * costs: 12 frames instead of 40 cost 1 to 5 % (docs/videotoolbox.md).
 */
#define NALU_PROPERTY_MAX_LOOK_AHEAD_FRAME_COUNT "NaluMaxLookAheadFrameCount"

/* ---- Speed ---------------------------------------------------------------------------------- */

/**
 * Whether a faster preset is used: veryfast, or superfast together with RealTime.
 *
 * - Type: bool
 * - Unit: none
 * - Range: false, true
 * - Default: unset, the same as false
 * - Takes effect: before opening
 *
 * True excludes another `x264.preset` (NALU_STATUS_CONFLICT).
 */
#define NALU_PROPERTY_PRIORITIZE_ENCODING_SPEED_OVER_QUALITY "PrioritizeEncodingSpeedOverQuality"

/**
 * Whether the encoder uses a single thread, for background work.
 *
 * - Type: bool
 * - Unit: none
 * - Range: false, true
 * - Default: unset, the same as false
 * - Takes effect: before opening
 *
 * True excludes RealTime true (NALU_STATUS_CONFLICT).
 */
#define NALU_PROPERTY_MAXIMIZE_POWER_EFFICIENCY "MaximizePowerEfficiency"

/**
 * Whether the encoder's analysis becomes cheaper while the machine is too slow for the frame rate.
 * Nalu's own. The governor needs RealTime true and ExpectedFrameRate.
 *
 * - Type: bool
 * - Unit: none
 * - Range: false: the analysis stays as it was when the encoder was opened; true
 * - Default: true
 * - Takes effect: next frame
 *
 * If frames take longer than 0.9 of the available time, the analysis steps down: sub-pixel
 * refinement, references, motion search, partitions. It steps up again if the next step is expected
 * to take at most 0.75 of the time, one second after the last change or later. No step causes a key
 * frame. The preset ultrafast has no cheaper step, and an exhaustive motion search (`x264.params`
 * "me=esa" or "me=tesa") stays. docs/rate-control.md has figures.
 */
#define NALU_PROPERTY_REAL_TIME_GOVERNOR "NaluRealTimeGovernor"

/* ---- Measurement ---------------------------------------------------------------------------- */

/**
 * Whether each sample has quality metrics (nalu_sample_get_quality_metrics), and the session's
 * statistics contain their means.
 *
 * - Type: bool
 * - Unit: none
 * - Range: false, true
 * - Default: false
 * - Takes effect: before opening
 *
 * The property does not change the stream. Encoding is a few percent slower if it is true.
 */
#define NALU_PROPERTY_CALCULATE_MEAN_SQUARED_ERROR "CalculateMeanSquaredError"

#endif
