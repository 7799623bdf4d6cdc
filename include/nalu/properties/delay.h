/*
 * nalu/properties/delay.h - properties for delay, speed and analysis.
 *
 * nalu/properties.h explains the fixed lines.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_PROPERTIES_DELAY_H
#define NALU_PROPERTIES_DELAY_H

/* ---- Delay ---------------------------------------------------------------------------------- */

/*
 * Whether frames arrive by the wall clock, as from a camera.
 *
 * Type:          bool
 * Unit:          none
 * Range:         false: quality goes first; true
 * Default:       unset, the same as false
 * Takes effect:  before opening
 *
 * With true, the encoder holds no frame back: it uses neither lookahead nor B-frames. The preset is
 * veryfast unless `x264.preset` is set.
 */
#define NALU_PROPERTY_REAL_TIME "RealTime"

/*
 * The most frames that the encoder may hold back.
 *
 * Type:          integer
 * Unit:          frames
 * Range:         -1 to 250
 * Default:       -1: no limit
 * Takes effect:  before opening
 *
 * With M frames, frame N - M has come back before encode of frame N returns. With 0, each frame
 * comes back before its own encode returns, and x264 runs without lookahead, B-frames and frame
 * threads. Larger values leave that much room for them.
 */
#define NALU_PROPERTY_MAX_FRAME_DELAY_COUNT "MaxFrameDelayCount"

/*
 * How far the encoder looks ahead.
 *
 * Type:          integer
 * Unit:          frames
 * Range:         0 to 250, and at most MaxFrameDelayCount where that is set
 * Default:       unset: as the preset says
 * Takes effect:  before opening
 *
 * The encoder holds that many frames back. If MaxFrameDelayCount is set, one frame of that delay
 * belongs to the encoder and up to two to B-frames; the lookahead is that much shorter. RealTime
 * excludes every value but 0 (NALU_STATUS_CONFLICT).
 */
#define NALU_PROPERTY_SUGGESTED_LOOK_AHEAD_FRAME_COUNT "SuggestedLookAheadFrameCount"

/*
 * The most frames that the encoder looks ahead, whatever the preset says. Nalu's own.
 *
 * Type:          integer
 * Unit:          frames
 * Range:         0 to 250
 * Default:       unset: no limit
 * Takes effect:  before opening
 *
 * A bound for programs that do not know the other properties: unlike SuggestedLookAheadFrameCount,
 * it makes no preset look further ahead, and it excludes nothing. Without effect where
 * SuggestedLookAheadFrameCount or `rc-lookahead` of `x264.params` is set. Where it shortens the
 * lookahead, x264's qcomp is 0.5 rather than 0.6, which gives back a part of what that costs; 12
 * frames rather than 40 cost 1 to 5 % of the bits (docs/videotoolbox.md).
 */
#define NALU_PROPERTY_MAX_LOOK_AHEAD_FRAME_COUNT "NaluMaxLookAheadFrameCount"

/* ---- Speed ---------------------------------------------------------------------------------- */

/*
 * Whether a faster preset is used: veryfast, or superfast together with RealTime.
 *
 * Type:          bool
 * Unit:          none
 * Range:         false, true
 * Default:       unset, the same as false
 * Takes effect:  before opening
 *
 * True excludes another `x264.preset` (NALU_STATUS_CONFLICT).
 */
#define NALU_PROPERTY_PRIORITIZE_ENCODING_SPEED_OVER_QUALITY "PrioritizeEncodingSpeedOverQuality"

/*
 * Whether the encoder works in a single thread, for work in the background.
 *
 * Type:          bool
 * Unit:          none
 * Range:         false, true
 * Default:       unset, the same as false
 * Takes effect:  before opening
 *
 * True excludes RealTime true (NALU_STATUS_CONFLICT).
 */
#define NALU_PROPERTY_MAXIMIZE_POWER_EFFICIENCY "MaximizePowerEfficiency"

/*
 * Whether the analysis becomes cheaper while the machine is too slow for the frame rate. Nalu's
 * own. It works with RealTime true and ExpectedFrameRate set.
 *
 * Type:          bool
 * Unit:          none
 * Range:         false: the analysis stays as it was when the encoder was opened; true
 * Default:       true
 * Takes effect:  next frame
 *
 * When frames take longer than 0.9 of the time available, the analysis steps down: sub-pixel
 * refinement, references, motion search, partitions. It steps up again, at the earliest one second
 * after the last change, when the next step is expected to take at most 0.75 of the time. No step
 * causes a key frame. The preset ultrafast has no cheaper step, and an exhaustive motion search
 * (`x264.params` "me=esa" or "me=tesa") stays. docs/rate-control.md has figures.
 */
#define NALU_PROPERTY_REAL_TIME_GOVERNOR "NaluRealTimeGovernor"

/* ---- Measurement ---------------------------------------------------------------------------- */

/*
 * Whether each sample has quality metrics (nalu_sample_get_quality_metrics), and the session's
 * statistics their means.
 *
 * Type:          bool
 * Unit:          none
 * Range:         false, true
 * Default:       false
 * Takes effect:  before opening
 *
 * The stream is the same either way. Encoding is a few percent slower with true.
 */
#define NALU_PROPERTY_CALCULATE_MEAN_SQUARED_ERROR "CalculateMeanSquaredError"

#endif
