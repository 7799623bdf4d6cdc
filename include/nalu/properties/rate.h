/**
 * @file
 * Properties for bit rate, quality and QP.
 *
 * A session has one of four kinds of rate control: AverageBitRate (optionally with DataRateLimits),
 * ConstantBitRate, VariableBitRate, and Quality or ConstantQualityFactor. They exclude each other,
 * with one exception: AverageBitRate together with a quality is a ceiling. docs/rate-control.md
 * describes each kind and its use. nalu/properties.h explains the fixed lines.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_PROPERTIES_RATE_H
#define NALU_PROPERTIES_RATE_H

/* ---- Average bit rate ----------------------------------------------------------------------- */

/**
 * The long-term average bit rate.
 *
 * - Type: integer
 * - Unit: bits per second
 * - Range: 0, or 1000 to 2000000000
 * - Default: 0: the encoder holds a constant quality instead
 * - Takes effect: next frame, between non-zero values; a change from or to 0: before opening
 *
 * The rate over a few seconds stays near the average, except after a frame that is much harder than
 * foreseen (H.265 without delay, docs/encoders.md). After a change without delay, the second that
 * begins one second later is within 15 % of the new rate on real clips, unless x264 is at its
 * highest QP; three seconds had 0.90 to 1.13 of it (docs/rate-control.md). With a quality the rate
 * is a ceiling. x264 counts every rate in whole kilobits per second: 1999 means 1000. An AutoLevel
 * is chosen on opening, and stays if the rate rises later.
 */
#define NALU_PROPERTY_AVERAGE_BIT_RATE "AverageBitRate"

/**
 * Upper limits for the bytes in every sliding window of time.
 *
 * - Type: numbers: bytes, seconds; or bytes, seconds, bytes, seconds
 * - Unit: bytes; seconds of decode time
 * - Range: bytes 1000 to 1e12, and at least 1000 per second; seconds 0.05 to 60
 * - Default: none
 * - Takes effect: next frame
 *
 * No window of that many seconds holds more than that many bytes of samples, and of parameter sets
 * with NaluParameterSetsInStream. A frame that exceeds a limit for which the encoder planned is
 * dropped: its callback receives NALU_ENCODE_INFO_FRAME_DROPPED with NALU_STATUS_OK. Frames that
 * refer to it are dropped too, up to the next key frame, which is then made at once. With
 * MoreFramesBeforeStart or MoreFramesAfterEnd, the limits also hold for windows that reach into two
 * chunks, unless NaluLimitsOverSeams is false (docs/chunks.md).
 */
#define NALU_PROPERTY_DATA_RATE_LIMITS "DataRateLimits"

/**
 * The number of frames in the whole video, for a file whose size is AverageBitRate times its
 * duration.
 *
 * - Type: integer
 * - Unit: frames
 * - Range: 0 to 2147483647
 * - Default: 0: not known
 * - Takes effect: before opening
 *
 * The session distributes the remaining bits over the rest of the video, with 0.6 to 1.6 times
 * AverageBitRate. If ExpectedDuration is set too, the shorter of the two counts. A video that ends
 * earlier or later than announced is no error. The property needs AverageBitRate. It excludes
 * Quality, ConstantQualityFactor and a multi-pass storage (NALU_STATUS_CONFLICT).
 */
#define NALU_PROPERTY_SOURCE_FRAME_COUNT "SourceFrameCount"

/**
 * The duration of the whole video. See NALU_PROPERTY_SOURCE_FRAME_COUNT.
 *
 * - Type: double
 * - Unit: seconds
 * - Range: 0 to 1000000
 * - Default: 0: not known
 * - Takes effect: before opening
 */
#define NALU_PROPERTY_EXPECTED_DURATION "ExpectedDuration"

/* ---- Constant bit rate ---------------------------------------------------------------------- */

/**
 * A constant bit rate, with filler data if pictures need fewer bits.
 *
 * - Type: integer
 * - Unit: bits per second
 * - Range: 0, or 64000 to 800000000
 * - Default: 0: off
 * - Takes effect: before opening
 *
 * Without delay (RealTime, or a MaxFrameDelayCount of 0), every second without dropped frames has
 * that many bits of samples, within 2 %. With lookahead, every interval has its share, within half
 * a second or ten frames (HRD, ITU-T H.264 Annex C; see NaluParameterSetsInStream). A frame that is
 * too large is dropped. Needs ExpectedFrameRate and frames at that rate, each of at most 999872
 * bytes, in large frames up to 4 bytes per pixel. Excludes AverageBitRate, VariableBitRate,
 * Quality, ConstantQualityFactor, DataRateLimits and MaxAllowedFrameQP.
 */
#define NALU_PROPERTY_CONSTANT_BIT_RATE "ConstantBitRate"

/* ---- Parameter sets in the stream ----------------------------------------------------------- */

/**
 * Whether the client writes the parameter sets into the stream before each key frame. Nalu's own.
 *
 * - Type: bool
 * - Unit: none
 * - Range: false, true
 * - Default: false
 * - Takes effect: before opening
 *
 * Set it to true for a stream in Annex B (nalu_sample_copy_annex_b) or MPEG-TS. The parameter sets,
 * about 50 bytes for each key frame, then count as bytes of the key frame's sample: for the plan
 * and the HRD of ConstantBitRate, for the VBV buffer of VariableBitRate, and for DataRateLimits.
 * The samples themselves have no parameter sets in either case. MP4 and Matroska store the
 * parameter sets once; there, leave the property false. A chunk joiner counts samples only, so true
 * excludes NaluLimitsOverSeams false (NALU_STATUS_CONFLICT).
 */
#define NALU_PROPERTY_PARAMETER_SETS_IN_STREAM "NaluParameterSetsInStream"

/* ---- Variable bit rate ---------------------------------------------------------------------- */

/**
 * A long-term average bit rate within the VBV buffer that the three VBV properties describe.
 *
 * - Type: integer
 * - Unit: bits per second
 * - Range: 0, or 1000 to 800000000
 * - Default: 0: off
 * - Takes effect: before opening
 *
 * The encoder plans ahead and therefore delays frames, so the property excludes RealTime, a
 * MaxFrameDelayCount of 0 and the tune zerolatency. It also excludes AverageBitRate,
 * ConstantBitRate, Quality, ConstantQualityFactor and DataRateLimits (NALU_STATUS_CONFLICT).
 */
#define NALU_PROPERTY_VARIABLE_BIT_RATE "VariableBitRate"

/**
 * The rate at which bits flow into the VBV buffer of VariableBitRate.
 *
 * - Type: integer
 * - Unit: bits per second
 * - Range: 0, or VariableBitRate to 800000000
 * - Default: 0: twice VariableBitRate
 * - Takes effect: next frame, with VariableBitRate
 *
 * Frames keep the VBV properties with which they were handed in: a larger value is used when all
 * frames before the change have left the encoder. A picture removes its bits from the VBV buffer at
 * its decode time, and cannot remove more than the buffer contains. Without VariableBitRate, a
 * value other than the default is refused on opening (NALU_STATUS_CONFLICT) and afterwards
 * (NALU_STATUS_TOO_LATE).
 */
#define NALU_PROPERTY_VBV_MAX_BIT_RATE "VBVMaxBitRate"

/**
 * The size of the VBV buffer of VariableBitRate.
 *
 * - Type: double
 * - Unit: seconds of VBVMaxBitRate
 * - Range: 0.1 to 60
 * - Default: 2.5
 * - Takes effect: next frame, with VariableBitRate
 *
 * The VBV buffer is limited to the 2000000000 bits that x264 can count.
 * NALU_PROPERTY_VBV_MAX_BIT_RATE describes the property without VariableBitRate.
 */
#define NALU_PROPERTY_VBV_BUFFER_DURATION "VBVBufferDuration"

/**
 * The fullness of VariableBitRate's VBV buffer at the first frame.
 *
 * - Type: double
 * - Unit: percent
 * - Range: 0 to 100
 * - Default: 90
 * - Takes effect: before opening
 *
 * NALU_PROPERTY_VBV_MAX_BIT_RATE describes the property without VariableBitRate.
 */
#define NALU_PROPERTY_VBV_INITIAL_DELAY_PERCENTAGE "VBVInitialDelayPercentage"

/* ---- Quality and QP ----------------------------------------------------------------------- */

/**
 * A constant quality.
 *
 * - Type: double
 * - Unit: none
 * - Range: 0 to 1: 0.25 low, 0.5 normal, 0.75 high, 1 the best that the profile allows
 * - Default: unset; 0.5 if no bit rate is set either
 * - Takes effect: next frame, if the encoder was opened with a quality; else before opening
 *
 * The value maps to x264's CRF: 0, 0.25, 0.5, 0.75 and 1 become 51, 30, 23, 17 and 1, with linear
 * interpolation in between. Below level 5, x264 keeps each frame within the size that the level
 * allows (MinCR of ITU-T H.264 A.3). Noise then has a higher QP than the value implies.
 */
#define NALU_PROPERTY_QUALITY "Quality"

/**
 * A consistent visual quality, with or without limits for the rate.
 *
 * - Type: double
 * - Unit: none
 * - Range: 0 (the lowest) to 1 (the best that the profile allows): the scale of Quality
 * - Default: unset
 * - Takes effect: next frame, if the encoder was opened with a quality; else before opening
 *
 * AverageBitRate and DataRateLimits are ceilings together with this property: content that needs
 * fewer bits for the quality gets fewer, and content that needs more has a lower quality. The name
 * and the range are those of VideoToolbox in macOS 27. There Quality fixes the QP and this property
 * does not; here both fix x264's rate factor. Excludes Quality, ConstantBitRate, VariableBitRate,
 * SourceFrameCount, ExpectedDuration and a multi-pass storage (NALU_STATUS_CONFLICT).
 */
#define NALU_PROPERTY_CONSTANT_QUALITY_FACTOR "ConstantQualityFactor"

/**
 * The maximum QP of any macroblock.
 *
 * - Type: integer
 * - Unit: QP
 * - Range: 0 (finest) to 51
 * - Default: unset: the encoder's bound
 * - Takes effect: next frame, which becomes a key frame
 *
 * The QP bounds override the rate. A frame that needs more bits at this QP than AverageBitRate
 * allows gets them; a frame that exceeds DataRateLimits is dropped. A minimum above the maximum is
 * refused (NALU_STATUS_CONFLICT). For a change, the session drains the encoder and opens it again;
 * the parameter sets stay. A QP means the same step in 8 and 10 bits (QP_Y of ITU-T H.264 7.4.3);
 * at 10 bits the encoder's own lower bound is -12.
 */
#define NALU_PROPERTY_MAX_ALLOWED_FRAME_QP "MaxAllowedFrameQP"

/**
 * The minimum QP of any macroblock. See NALU_PROPERTY_MAX_ALLOWED_FRAME_QP.
 *
 * - Type: integer
 * - Unit: QP
 * - Range: 0 (finest) to 51
 * - Default: unset: the encoder's bound
 * - Takes effect: next frame, which becomes a key frame
 */
#define NALU_PROPERTY_MIN_ALLOWED_FRAME_QP "MinAllowedFrameQP"

/**
 * Whether the QP adapts to the picture: lower in flat areas, higher in busy ones.
 *
 * - Type: integer
 * - Unit: none
 * - Range: NALU_QP_MODULATION_LEVEL_DEFAULT, NALU_QP_MODULATION_LEVEL_DISABLE
 * - Default: NALU_QP_MODULATION_LEVEL_DEFAULT: the preset and tune decide
 * - Takes effect: before opening
 *
 * x264's macroblock tree, which lowers the QP of areas that later frames refer to, stays on in
 * either case; `x264.params` "mbtree=0" turns it off.
 */
#define NALU_PROPERTY_SPATIAL_ADAPTIVE_QP_LEVEL "SpatialAdaptiveQPLevel"

#define NALU_QP_MODULATION_LEVEL_DEFAULT (-1)
#define NALU_QP_MODULATION_LEVEL_DISABLE 0

/* ---- Frame rate ----------------------------------------------------------------------------- */

/**
 * The frame rate that the client expects to deliver.
 *
 * - Type: double
 * - Unit: frames per second
 * - Range: 0 to 1000
 * - Default: 0: not known; rate control starts from 30
 * - Takes effect: next frame, for rate control without lookahead; else before opening
 *
 * Rate control starts from this rate, and the stream's timing information contains it. The rate is
 * rounded to a thousandth; 29.97 and similar rates become 30000/1001 and so on; the smallest rate
 * is 0.001. It can change if the encoder delays no frame (RealTime, or a MaxFrameDelayCount of 0)
 * and ConstantBitRate is off; the timing information stays. Otherwise rate control follows the
 * presentation times.
 */
#define NALU_PROPERTY_EXPECTED_FRAME_RATE "ExpectedFrameRate"

#endif
