/*
 * nalu/properties/rate.h - properties for bit rate, quality and quantisers.
 *
 * There are four ways to hold a rate, and they exclude each other: AverageBitRate (optionally with
 * DataRateLimits), ConstantBitRate, VariableBitRate, and Quality or ConstantQualityFactor.
 * docs/rate-control.md says which one fits what, and how each behaves. nalu/properties.h explains
 * the fixed lines.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_PROPERTIES_RATE_H
#define NALU_PROPERTIES_RATE_H

/* ---- Average bit rate ----------------------------------------------------------------------- */

/*
 * The long-term average bit rate.
 *
 * Type:          integer
 * Unit:          bits per second
 * Range:         0, or 1000 to 2000000000
 * Default:       0: the encoder holds a constant quality instead
 * Takes effect:  next frame, between non-zero values; a change from or to 0: before opening
 *
 * The rate over a few seconds is held near the average. Without delay, it is within 10 % of a new
 * one a second after the change on even content; where the content changes too, that second had
 * 0.64 to 1.68 of the rate, and three seconds up to 1.27 (docs/rate-control.md). With a quality it
 * is a ceiling and not a target. x264 counts whole kilobits per second, in this and every other
 * rate: 1999 means 1000. An AutoLevel is chosen when the encoder is opened, and stays when the rate
 * rises later.
 */
#define NALU_PROPERTY_AVERAGE_BIT_RATE "AverageBitRate"

/*
 * Upper limits for the bytes in any window of time.
 *
 * Type:          numbers: bytes, seconds; or bytes, seconds, bytes, seconds
 * Unit:          bytes; seconds of decode time
 * Range:         bytes 1000 to 1e12, and at least 1000 per second; seconds 0.05 to 60
 * Default:       none
 * Takes effect:  next frame
 *
 * No window of that many seconds holds more than that many bytes of samples, to which a client adds
 * parameter sets in Annex B. Where a frame exceeds a limit that the encoder planned for, it is
 * dropped: its callback receives NALU_ENCODE_INFO_FRAME_DROPPED with NALU_STATUS_OK. If others
 * refer to it, they are dropped too, up to the next key frame, which is then made at once. With
 * MoreFramesBeforeStart or MoreFramesAfterEnd, windows that reach into two parts hold no more
 * either (docs/segments.md).
 */
#define NALU_PROPERTY_DATA_RATE_LIMITS "DataRateLimits"

/*
 * The number of frames in the whole clip, for a file whose size is AverageBitRate times its
 * duration.
 *
 * Type:          integer
 * Unit:          frames
 * Range:         0 to 2147483647
 * Default:       0: not known
 * Takes effect:  before opening
 *
 * The session spends the bits that are left over the part of the clip that is left, by giving the
 * encoder 0.6 to 1.6 times AverageBitRate. With ExpectedDuration set too, the one that ends first
 * counts. A clip that ends earlier or later than announced is no error. Needs AverageBitRate;
 * excludes both qualities and a multi-pass storage (NALU_STATUS_CONFLICT).
 */
#define NALU_PROPERTY_SOURCE_FRAME_COUNT "SourceFrameCount"

/*
 * The duration of the whole clip. See NALU_PROPERTY_SOURCE_FRAME_COUNT.
 *
 * Type:          double
 * Unit:          seconds
 * Range:         0 to 1000000
 * Default:       0: not known
 * Takes effect:  before opening
 */
#define NALU_PROPERTY_EXPECTED_DURATION "ExpectedDuration"

/* ---- Constant bit rate ---------------------------------------------------------------------- */

/*
 * A constant bit rate, with filler data where pictures need fewer bits.
 *
 * Type:          integer
 * Unit:          bits per second
 * Range:         0, or 64000 to 800000000
 * Default:       0: off
 * Takes effect:  before opening
 *
 * Without delay (RealTime, or a MaxFrameDelayCount of 0), any second of decode time has that many
 * bits of samples, within 2 %; with lookahead, any stretch has its share, within half a second or
 * ten frames (HRD, ITU-T H.264 Annex C; parameter sets in Annex B come on top). A frame that is too
 * large is dropped, as with DataRateLimits. Needs ExpectedFrameRate, and frames that arrive at that
 * rate, each of at most 999872 bytes, in large frames up to 4 bytes per pixel. Excludes
 * AverageBitRate, VariableBitRate, both qualities, DataRateLimits and MaxAllowedFrameQP.
 */
#define NALU_PROPERTY_CONSTANT_BIT_RATE "ConstantBitRate"

/* ---- Variable bit rate ---------------------------------------------------------------------- */

/*
 * A long-term average within a leaky bucket, which the three VBV properties describe.
 *
 * Type:          integer
 * Unit:          bits per second
 * Range:         0, or 1000 to 800000000
 * Default:       0: off
 * Takes effect:  before opening
 *
 * The encoder plans ahead for it, so it excludes everything that holds no frame back: RealTime, a
 * MaxFrameDelayCount of 0 and the tune zerolatency. Also excludes AverageBitRate, ConstantBitRate,
 * both qualities and DataRateLimits (NALU_STATUS_CONFLICT).
 */
#define NALU_PROPERTY_VARIABLE_BIT_RATE "VariableBitRate"

/*
 * The rate at which bits flow into the bucket of VariableBitRate.
 *
 * Type:          integer
 * Unit:          bits per second
 * Range:         0, or VariableBitRate to 800000000
 * Default:       0: twice VariableBitRate
 * Takes effect:  next frame, with VariableBitRate
 *
 * Frames keep the VBV properties with which they were handed in: a larger value is used as soon as
 * all frames before the change have left the encoder. A picture takes its bits out of the bucket at
 * its decode time, and cannot take more than the bucket holds. Without VariableBitRate, a value
 * other than the default is refused when the encoder is opened (NALU_STATUS_CONFLICT) and
 * afterwards (NALU_STATUS_TOO_LATE).
 */
#define NALU_PROPERTY_VBV_MAX_BIT_RATE "VBVMaxBitRate"

/*
 * The size of the bucket of VariableBitRate.
 *
 * Type:          double
 * Unit:          seconds of VBVMaxBitRate
 * Range:         0.1 to 60
 * Default:       2.5
 * Takes effect:  next frame, with VariableBitRate
 *
 * The bucket is limited to the 2000000000 bits that x264 can count. Without VariableBitRate, as
 * NALU_PROPERTY_VBV_MAX_BIT_RATE.
 */
#define NALU_PROPERTY_VBV_BUFFER_DURATION "VBVBufferDuration"

/*
 * How full the bucket of VariableBitRate is at the first frame.
 *
 * Type:          double
 * Unit:          percent
 * Range:         0 to 100
 * Default:       90
 * Takes effect:  before opening
 *
 * Without VariableBitRate, as NALU_PROPERTY_VBV_MAX_BIT_RATE.
 */
#define NALU_PROPERTY_VBV_INITIAL_DELAY_PERCENTAGE "VBVInitialDelayPercentage"

/* ---- Quality and quantisers ----------------------------------------------------------------- */

/*
 * A constant quality.
 *
 * Type:          double
 * Unit:          none
 * Range:         0 to 1: 0.25 low, 0.5 normal, 0.75 high, 1 the finest that the profile allows
 * Default:       unset; with no bit rate either, 0.5
 * Takes effect:  next frame, if the encoder was opened with a quality; else before opening
 *
 * The value maps to x264's CRF: 0, 0.25, 0.5, 0.75 and 1 give 51, 30, 23, 17 and 1, with linear
 * interpolation in between. Below level 5, x264 keeps each frame within the size that the level
 * allows (MinCR of ITU-T H.264 A.3). Noise then takes a coarser quantiser than the value asks for.
 */
#define NALU_PROPERTY_QUALITY "Quality"

/*
 * A consistent visual quality, with or without limits of the rate.
 *
 * Type:          double
 * Unit:          none
 * Range:         0 (the lowest) to 1 (the finest that the profile allows): the scale of Quality
 * Default:       unset
 * Takes effect:  next frame, if the encoder was opened with a quality; else before opening
 *
 * Together with it, AverageBitRate and DataRateLimits are ceilings: content that needs fewer bits
 * for the quality gets those, and content that needs more has a lower quality while it lasts. The
 * name and the range are those of VideoToolbox in macOS 27, where Quality fixes the quantiser and
 * this property does not; here both hold x264's rate factor. Excludes Quality, ConstantBitRate,
 * VariableBitRate, SourceFrameCount, ExpectedDuration and a multi-pass storage
 * (NALU_STATUS_CONFLICT).
 */
#define NALU_PROPERTY_CONSTANT_QUALITY_FACTOR "ConstantQualityFactor"

/*
 * The coarsest quantiser of any macroblock.
 *
 * Type:          integer
 * Unit:          QP
 * Range:         0 (finest) to 51
 * Default:       unset: the encoder's bound
 * Takes effect:  next frame, which becomes a key frame
 *
 * The bounds win over the rate. A frame that needs more bits at this QP than AverageBitRate allows
 * gets them; one that exceeds DataRateLimits is dropped. A minimum above the maximum is refused
 * (NALU_STATUS_CONFLICT). For a change, the session empties the encoder and opens it again; the
 * parameter sets stay. A QP means the same step in 8 and 10 bits (QP_Y of ITU-T H.264 7.4.3); at
 * 10 bits the encoder's own bound is -12.
 */
#define NALU_PROPERTY_MAX_ALLOWED_FRAME_QP "MaxAllowedFrameQP"

/*
 * The finest quantiser of any macroblock. See NALU_PROPERTY_MAX_ALLOWED_FRAME_QP.
 *
 * Type:          integer
 * Unit:          QP
 * Range:         0 (finest) to 51
 * Default:       unset: the encoder's bound
 * Takes effect:  next frame, which becomes a key frame
 */
#define NALU_PROPERTY_MIN_ALLOWED_FRAME_QP "MinAllowedFrameQP"

/*
 * Whether the quantiser follows the picture: finer in flat areas, coarser in busy ones.
 *
 * Type:          integer
 * Unit:          none
 * Range:         NALU_QP_MODULATION_LEVEL_DEFAULT, NALU_QP_MODULATION_LEVEL_DISABLE
 * Default:       NALU_QP_MODULATION_LEVEL_DEFAULT: as preset and tune say
 * Takes effect:  before opening
 *
 * x264's macroblock tree, which spreads the quantiser by how much later frames refer to a place,
 * stays on in either case; `x264.params` "mbtree=0" turns it off.
 */
#define NALU_PROPERTY_SPATIAL_ADAPTIVE_QP_LEVEL "SpatialAdaptiveQPLevel"

#define NALU_QP_MODULATION_LEVEL_DEFAULT (-1)
#define NALU_QP_MODULATION_LEVEL_DISABLE 0

/* ---- Frame rate ----------------------------------------------------------------------------- */

/*
 * The frame rate that the client expects to deliver.
 *
 * Type:          double
 * Unit:          frames per second
 * Range:         0 to 1000
 * Default:       0: not known; rate control starts from 30
 * Takes effect:  next frame, for rate control without lookahead; else before opening
 *
 * Rate control starts from this rate, and the stream's timing information carries it. Rounded to a
 * thousandth; 29.97 and similar rates become 30000/1001 and so on; the least is 0.001. It can
 * change while no frame is held back (RealTime, or a MaxFrameDelayCount of 0) and ConstantBitRate
 * is off; the timing information stays. Otherwise rate control follows the presentation times.
 */
#define NALU_PROPERTY_EXPECTED_FRAME_RATE "ExpectedFrameRate"

#endif
