/*
 * nalu/properties.h - the properties of a compression session.
 *
 * Keys are strings with VideoToolbox's spelling. Every property that a session accepts has an
 * effect; what it cannot do is refused with a status. docs/properties.md has a table of all of them, and one
 * of VideoToolbox's other keys, with the reason why each is not supported. Unless said otherwise a property
 * is set before the encoder is open (before prepare or the first frame) and later returns
 * NALU_STATUS_TOO_LATE. A property marked LIVE can change at any time: the change takes effect with
 * the next frame handed in, and never by itself causes a key frame (but for the two bounds of the QP).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_PROPERTIES_H
#define NALU_PROPERTIES_H

#include "base.h"
#include "session.h"

NALU_BEGIN_DECLS

/* ---- Rate ------------------------------------------------------------------ */

/*
 * Integer, bits a second, 0 or 1000 to 2000000000, default 0: the encoder decides (constant
 * quality). LIVE between non-zero values; NALU_STATUS_TOO_LATE when the running encoder has no bit
 * rate to change. A long-term average, with the rate over a few seconds held near it. With
 * NALU_PROPERTY_QUALITY set it is a ceiling instead of an aim. The level that an AutoLevel took when
 * the encoder was opened stays, also where the rate rises beyond it. Here as in every other rate x264 counts whole
 * kilobits: 1999 runs as 1000. With a rate, or limits, and several threads x264 makes other bytes in each run, because its
 * bucket goes by how far each thread is; `x264.params` "threads=1" makes them the same.
 */
#define NALU_PROPERTY_AVERAGE_BIT_RATE "AverageBitRate"

/*
 * Numbers, bytes and seconds in turn, none, one or two pairs; default none. No window of `seconds` (0.05 to 60; decode
 * time) holds more than `bytes` (at least 1000, and 1000 a second, up to 1e12) of samples. Mapped to the VBV so that rate x
 * seconds + buffer never exceeds the limit. Where the encoder passes it all the same (MaxAllowedFrameQP, a limit that
 * becomes much tighter, bursts of frames in real time), frames are dropped: their callback has
 * NALU_ENCODE_INFO_FRAME_DROPPED and NALU_STATUS_OK, and when other frames refer to a dropped one, so are those up to the
 * next key frame, which is then made at once. LIVE: a frame keeps the limits with which it was handed in, and windows begin
 * anew with the first frame behind a change.
 */
#define NALU_PROPERTY_DATA_RATE_LIMITS "DataRateLimits"

/*
 * Double, 0 to 1, default unset: 0.25 low, 0.5 normal, 0.75 high, 1 the finest that the profile
 * allows. Unset with no bit rate means 0.5. Maps to x264's CRF: 0, 0.25, 0.5, 0.75, 1 give
 * 51, 30, 23, 17, 1, linear in between. LIVE when it was in force when the encoder was opened.
 */
#define NALU_PROPERTY_QUALITY "Quality"

/*
 * Double, frames a second, 0 to 1000, default 0: not known. Taken to a thousandth, at least one, and
 * 29.97 and its kin as 30000/1001 and so on. Rate control starts from it (30 when
 * it is not known) and the stream's timing information tells it. LIVE for the rate control of a
 * session that holds no frame back (RealTime, or a MaxFrameDelayCount of 0), while the stream's timing
 * information stays; else NALU_STATUS_TOO_LATE, because rate control follows the presentation times.
 */
#define NALU_PROPERTY_EXPECTED_FRAME_RATE "ExpectedFrameRate"

/*
 * Integers, 0 (finest) to 51, default unset: the encoder's bounds. No macroblock of the stream is quantised
 * finer than MinAllowedFrameQP or coarser than MaxAllowedFrameQP. They win over the rate: where a frame at
 * MaxAllowedFrameQP takes more than AverageBitRate has, it gets more; where it takes more than
 * DataRateLimits, it is dropped. A minimum above the maximum is refused with NALU_STATUS_CONFLICT. In a
 * stream of 10 bits a QP means the same step as in one of 8 (QP_Y of ITU-T H.264 7.4.3), where the encoder by
 * itself may go down to -12. LIVE, but x264 cannot change its bounds: where they differ from those of the frame
 * before, the frames that the encoder holds are brought out of it, and it is opened again with the new bounds, so
 * that the next frame handed in is a key frame. The parameter sets stay.
 */
#define NALU_PROPERTY_MAX_ALLOWED_FRAME_QP "MaxAllowedFrameQP"
#define NALU_PROPERTY_MIN_ALLOWED_FRAME_QP "MinAllowedFrameQP"

/*
 * Integer, NALU_QP_MODULATION_LEVEL_DEFAULT or _DISABLE, default the former: within a frame the encoder
 * spreads the quantiser by how busy the picture is, as preset and tune say. Disabled: it does not. (x264's
 * macroblock tree, which spreads it by how much later frames refer to a place, stays; `x264.params` "mbtree=0"
 * takes it away.)
 */
#define NALU_PROPERTY_SPATIAL_ADAPTIVE_QP_LEVEL "SpatialAdaptiveQPLevel"

/*
 * Integer, frames, 0 to 2147483647, and double, seconds, 0 to 1000000; defaults 0: not known. How long the whole clip
 * is, for a file whose size is to be AverageBitRate times its duration: the session spends what is left of these bits
 * over what is left of the clip, by telling the encoder a rate of 0.6 to 1.6 of AverageBitRate. Of both, the one that
 * ends first counts. A clip that ends earlier has the bits of the time that it had, with what was still missing or too
 * much; one that goes on keeps its average, and makes up for what is missing within half a second. Neither is an
 * error. NALU_STATUS_CONFLICT beside Quality or a multi-pass storage, and, when the encoder is opened, without
 * AverageBitRate.
 */
#define NALU_PROPERTY_SOURCE_FRAME_COUNT "SourceFrameCount"
#define NALU_PROPERTY_EXPECTED_DURATION "ExpectedDuration"

/*
 * Integer, bits a second, 0 or 64000 to 800000000, default 0: not asked for. Constant bit rate: the samples of any second
 * of decode time have so many bits, within 2 %, as the NAL HRD parameters of the stream say (ITU-T H.264 Annex C, type II,
 * cbr_flag 1). Pictures that need fewer bits are filled up with filler data NAL units; no picture has much more than its
 * share, key frames neither, which costs quality. Needs ExpectedFrameRate, at which frames must then come: without lookahead
 * (RealTime, or a MaxFrameDelayCount of 0) each frame gets that share whenever it comes; with lookahead x264 goes by the
 * presentation times, and the stream's timing information has 90000 ticks a second in place of ExpectedFrameRate.
 * NALU_STATUS_CONFLICT beside AverageBitRate, VariableBitRate, Quality, DataRateLimits and
 * MaxAllowedFrameQP, and when the encoder is opened without ExpectedFrameRate, or with more bits a frame than x264 can
 * fill up: 999872 bytes, in large frames up to 4 bytes a pixel, at most 1000000000 bits.
 */
#define NALU_PROPERTY_CONSTANT_BIT_RATE "ConstantBitRate"

/*
 * Integer, bits a second, 0 or 1000 to 800000000, default 0: not asked for. A long-term average within a leaky bucket
 * (the VBV) that the three properties below describe. The encoder plans ahead for it: NALU_STATUS_CONFLICT where no frame
 * is held back (RealTime, or a MaxFrameDelayCount of 0), and beside AverageBitRate, ConstantBitRate, Quality and
 * DataRateLimits.
 */
#define NALU_PROPERTY_VARIABLE_BIT_RATE "VariableBitRate"

/*
 * The bucket of VariableBitRate. VBVMaxBitRate: integer, bits a second, 0 to 800000000, at least VariableBitRate; what flows
 * in; default 0: twice VariableBitRate. VBVBufferDuration: double, seconds of VBVMaxBitRate that it holds, 0.1 to 60,
 * default 2.5. Both are LIVE. VBVInitialDelayPercentage: double, 0 to 100, default 90: how full it is at the first frame.
 * A picture takes its bits out at its decode time; what the bucket does not hold it cannot take. Where the encoder is opened
 * without VariableBitRate, other than the default values are refused with NALU_STATUS_CONFLICT, later _TOO_LATE.
 * The bucket is cut to the 2000000000 bits that x264 can count.
 */
#define NALU_PROPERTY_VBV_MAX_BIT_RATE "VBVMaxBitRate"
#define NALU_PROPERTY_VBV_BUFFER_DURATION "VBVBufferDuration"
#define NALU_PROPERTY_VBV_INITIAL_DELAY_PERCENTAGE "VBVInitialDelayPercentage"

/* ---- Key frames and structure ------------------------------------------------ */

/*
 * Integer, frames, 0 to 2147483647, default 0: the encoder decides (250). The most frames from one key frame
 * to the next; 1 makes every frame one. The encoder may place key frames earlier, at scene cuts. LIVE.
 */
#define NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL "MaxKeyFrameInterval"

/*
 * Double, seconds, 0 to 86400, default 0: no limit. The most time, by presentation times, from one key frame
 * to the next; whichever of this and NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL comes first. LIVE.
 */
#define NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL_DURATION "MaxKeyFrameIntervalDuration"

/* Bool, default true. False: key frames only. LIVE. */
#define NALU_PROPERTY_ALLOW_TEMPORAL_COMPRESSION "AllowTemporalCompression"

/*
 * Bool, default true where the profile and delay allow. False: no B-frames, so that decode order is
 * presentation order (and pic_order_cnt_type is 2). True is refused with NALU_STATUS_CONFLICT where Baseline or
 * RealTime excludes it. Read back, it says what the stream will do.
 */
#define NALU_PROPERTY_ALLOW_FRAME_REORDERING "AllowFrameReordering"

/*
 * Bool, default false: groups of pictures are closed, each key frame is IDR. True: those that
 * NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, its duration or a scene cut bring are recovery points instead (an I-frame
 * with the SEI message of ITU-T H.264 D.1.8), and B-frames that are shown before one refer across it. Their samples
 * have NALU_SAMPLE_PARTIAL_SYNC and NALU_SAMPLE_NOT_SYNC. IDR remain the first frame, those with
 * NALU_FRAME_FORCE_KEY_FRAME, the one after complete_frames has emptied the encoder, and all where every frame is a
 * key frame. NALU_STATUS_CONFLICT beside what excludes B-frames. Read back, it says what the stream will do: false
 * where there are no B-frames (the preset ultrafast).
 */
#define NALU_PROPERTY_ALLOW_OPEN_GOP "AllowOpenGOP"

/*
 * Bools, default false. True: the samples of another session precede or follow those of this one, and together they
 * are one stream: a clip encoded in parts. All sessions of the clip set the one or both that are true of them.
 * Their parameter sets are then the same bytes, whatever Quality, AverageBitRate, DataRateLimits, the intervals of
 * key frames and the pictures, when all the other properties and the size are equal; where the rates differ, take a
 * fixed level, because an AutoLevel goes by the rate. Each part begins with an IDR frame, whose idr_pic_id differs
 * from that of the part before (ITU-T H.264 7.4.3; parts of one frame are told apart by their times, 1 ms to 4 s
 * apart). The client puts the samples together, and sees to it that times go on; decode times of a part may begin
 * before its first presentation time, by NaluReorderDepth frames. Rate control begins anew in each part:
 * DataRateLimits hold within a part, not in windows that reach into two.
 */
#define NALU_PROPERTY_MORE_FRAMES_BEFORE_START "MoreFramesBeforeStart"
#define NALU_PROPERTY_MORE_FRAMES_AFTER_END "MoreFramesAfterEnd"

/*
 * String, one of the H264_ constants below, default H264_High_AutoLevel. An AutoLevel takes the
 * lowest level that holds the size, frame rate, bit rate and reference frames. A fixed level limits
 * reference frames and rate, and is refused when it cannot hold the size. A stream that uses nothing of
 * what a profile has beyond a lower one announces the lower one (with the preset ultrafast, for example).
 */
#define NALU_PROPERTY_PROFILE_LEVEL "ProfileLevel"

/* String, "CABAC" or "CAVLC", default CABAC where the profile has it (not with the preset ultrafast). */
#define NALU_PROPERTY_H264_ENTROPY_MODE "H264EntropyMode"

/*
 * Integer, bytes, 0 or 500 to 16777216, default 0: no limit. The most bytes in one slice NAL unit. (One
 * macroblock may take 3200 bits, ITU-T H.264 A.3.1: a lower limit could not be kept.) LIVE when it was not 0
 * when the encoder was opened, and then not to 0.
 */
#define NALU_PROPERTY_MAX_H264_SLICE_BYTES "MaxH264SliceBytes"

/*
 * Nalu's own. Bool, default true. False: one slice a frame, for receivers that cannot take more.
 * True lets a low-delay session encode the slices of a frame in parallel.
 */
#define NALU_PROPERTY_ALLOW_MULTIPLE_SLICES "NaluAllowMultipleSlices"

/*
 * Integer, frames, 0 to 16, default 0: the encoder decides. How many frames the encoder refers to, and exactly
 * the max_num_ref_frames of the stream; with B-frames at least 2 are needed, so 1 means none (and excludes
 * AllowFrameReordering true), and below 4 no B-frame refers to another. NALU_STATUS_CONFLICT where a fixed level
 * has no room for as many frames of the size.
 */
#define NALU_PROPERTY_REFERENCE_BUFFER_COUNT "ReferenceBufferCount"

/* ---- Delay -------------------------------------------------------------------- */

/*
 * Integer, frames, -1 to 250, default -1: no limit. Before encode of frame N returns, frame N - M
 * has come back. 0: each frame comes back before its encode returns; x264 runs without lookahead,
 * B-frames or frame threads. Larger values leave them that much room.
 */
#define NALU_PROPERTY_MAX_FRAME_DELAY_COUNT "MaxFrameDelayCount"

/*
 * Bool, default unset. True: frames follow the wall clock: no lookahead, no B-frames, no frame of
 * delay in the encoder, the preset veryfast unless `x264.preset` is set. False or unset: quality goes first.
 */
#define NALU_PROPERTY_REAL_TIME "RealTime"

/*
 * Integer, frames, 0 to 250, default unset: as many as the preset has. How far the encoder looks ahead, which it
 * needs so many frames of delay for (B-frames need their own in any case). At most MaxFrameDelayCount where that is
 * set, else NALU_STATUS_CONFLICT; one frame of that delay belongs to the encoder, and up to two to B-frames, so
 * that so many fewer are looked at. RealTime has no lookahead: other than 0 is refused beside it.
 */
#define NALU_PROPERTY_SUGGESTED_LOOK_AHEAD_FRAME_COUNT "SuggestedLookAheadFrameCount"

/*
 * Bool, default unset. True: a faster preset: veryfast, or superfast with RealTime. NALU_STATUS_CONFLICT beside
 * another `x264.preset`. False is like unset.
 */
#define NALU_PROPERTY_PRIORITIZE_ENCODING_SPEED_OVER_QUALITY "PrioritizeEncodingSpeedOverQuality"

/*
 * Bool, default unset. True: the encoder works in one thread, for work in the background. NALU_STATUS_CONFLICT
 * beside RealTime true. False is like unset.
 */
#define NALU_PROPERTY_MAXIMIZE_POWER_EFFICIENCY "MaximizePowerEfficiency"

/*
 * Bool, default false. True: each sample has the quality metrics of nalu_sample_get_quality_metrics, and the session's
 * statistics have their means. The stream is the same, encoding a few percent slower.
 */
#define NALU_PROPERTY_CALCULATE_MEAN_SQUARED_ERROR "CalculateMeanSquaredError"

/*
 * Nalu's own. Bool, default true. With RealTime true and ExpectedFrameRate set: where frames take the encoder longer than
 * 0.9 of the time that there is for one, its analysis steps down to a cheaper one (sub-pixel refinement, references, motion
 * search, partitions), without a key frame; and up again, where the step above is expected to take no more than 0.75 of the
 * time, a second after the last change at the earliest. At 720p the cheapest analysis is about five times as fast as that of
 * the preset medium, for 1.1 dB (benchmarks/governor.c shows it at work). The preset ultrafast has no cheaper one. Without
 * RealTime or ExpectedFrameRate, and where it is false, the analysis stays as the encoder was opened. LIVE.
 * An exhaustive motion search (`x264.params` "me=esa" or "me=tesa") is kept, because x264 could not go back to it. A few slow
 * frames among fast ones, of a busy machine or key frames, change nothing, or not for long.
 */
#define NALU_PROPERTY_REAL_TIME_GOVERNOR "NaluRealTimeGovernor"

/* ---- Colour and geometry --------------------------------------------------------- */

/*
 * Strings, defaults ITU_R_709_2 from 720 lines on; below, SMPTE_C, ITU_R_709_2 and ITU_R_601_4
 * (BT.601 with 525 lines). Written to the stream's VUI; the matrix also converts RGB. Constants below.
 */
#define NALU_PROPERTY_COLOR_PRIMARIES "ColorPrimaries"
#define NALU_PROPERTY_TRANSFER_FUNCTION "TransferFunction"
#define NALU_PROPERTY_YCBCR_MATRIX "YCbCrMatrix"

/* Numbers, horizontal and vertical spacing, each 1 to 65535, default none (not said; square). */
#define NALU_PROPERTY_PIXEL_ASPECT_RATIO "PixelAspectRatio"

/*
 * Numbers, the width and height of the part of the picture that is shown, 2 or more, and how many pixels its centre
 * lies to the right of and below the centre of the session's size (VideoToolbox's dictionary of Width, Height,
 * HorizontalOffset and VerticalOffset; ISO/IEC 14496-12, clap). Default none: all of it. The whole picture is encoded;
 * the stream's cropping leaves the part, and the size of the format description is the part's. 4:2:0 crops even
 * numbers of pixels at each side (an odd session size is encoded in the next even one: its added column or row counts
 * at the right or at the bottom), others, and a part beyond the picture, are refused with NALU_STATUS_OUT_OF_RANGE.
 * (FFmpeg crops at the left to the pixel only with `-flags unaligned`.)
 */
#define NALU_PROPERTY_CLEAN_APERTURE "CleanAperture"

/*
 * Numbers, the display that the clip was mastered on, as the message of ITU-T H.264 D.2.29 has them (VideoToolbox's
 * 24 bytes): x and y of the green, the blue and the red primary and of the white point, in 0.00002, 0 to 50000; then
 * the highest and the lowest luminance, in 0.0001 cd/m2, up to 4294967295, the highest over the lowest, or 0: not
 * known. Default none. Written as SEI with each key frame, whatever the transfer function and the bit depth.
 */
#define NALU_PROPERTY_MASTERING_DISPLAY_COLOR_VOLUME "MasteringDisplayColorVolume"

/*
 * Numbers, the light of the brightest pixel of the clip (MaxCLL) and that of its brightest frame on average (MaxFALL),
 * in cd/m2, 0 to 65535; 0: not said. ITU-T H.264 D.2.31, VideoToolbox's 4 bytes. Default none. Written as the above.
 */
#define NALU_PROPERTY_CONTENT_LIGHT_LEVEL_INFO "ContentLightLevelInfo"

/*
 * String, default "Auto": the two above are written to the stream. "None": they are not, and remain for whoever
 * writes a container to read. VideoToolbox's RequestSDRRangePreservation asks for metadata that are made from the
 * pictures; there are none, and it is refused with NALU_STATUS_OUT_OF_RANGE.
 */
#define NALU_PROPERTY_HDR_METADATA_INSERTION_MODE "HDRMetadataInsertionMode"

/*
 * Integer, 1: frames are progressive; 2: they are interlaced, the lines of two fields in turn. Default unset: 1, or 2
 * where NALU_PROPERTY_FIELD_DETAIL is set. Interlaced frames have a multiple of 4 rows and at most 8192 macroblocks
 * (NALU_STATUS_OUT_OF_RANGE); 4:2:0 has the chroma of the two fields in turn too, and what is converted is
 * converted field by field (where its chroma sits the stream then does not say); they are not scaled: another size
 * is refused with NALU_STATUS_INVALID_SIZE. The stream has macroblock-adaptive frame and field coding.
 * NALU_STATUS_CONFLICT with Baseline, the constrained profiles, levels below 2.1 and above 4.1 (ITU-T H.264
 * table A-4), and MaxH264SliceBytes.
 */
#define NALU_PROPERTY_FIELD_COUNT "FieldCount"

/*
 * String, one of the constants below: which field is the earlier one. Default TemporalTopFirst where frames are
 * interlaced. TemporalTopFirst and SpatialFirstLineEarly: the one with the first line. Written with each frame
 * (pic_struct, ITU-T H.264 D.1.3). NALU_STATUS_CONFLICT beside a FieldCount of 1.
 */
#define NALU_PROPERTY_FIELD_DETAIL "FieldDetail"

/*
 * Nalu's own. Bool, default true: frames of another size than the session's are scaled, as
 * VideoToolbox does. False: they are refused with NALU_STATUS_INVALID_SIZE. LIVE.
 */
#define NALU_PROPERTY_ALLOW_SCALING "NaluAllowScaling"

/*
 * String, default "": how frames of another size than the session's come into the picture. VideoToolbox's dictionary as
 * text, in the form of nalu_session_set_properties_from_text below: "ScalingMode=Letterbox,DownsamplingMode=Average".
 * LIVE. A frame of the session's size is never scaled; with NaluAllowScaling false another size is refused as ever.
 *
 * ScalingMode, one of the constants NALU_SCALING_MODE_*:
 * Normal, the default: the frame is stretched over the whole picture.
 * Letterbox: all of the frame, undistorted, in the middle, with black bars (the lowest luma of the range, no colour)
 *   beside it or above and below it. Bars have an even number of columns or rows, to the nearest, as many at each side
 *   (the column or row that is added to an odd session size counts as its last one).
 * Trim: as much of the middle of the frame as fills the picture undistorted. As much goes at each side, to the nearest
 *   that the frame's chroma allows: an even number of columns and rows of 4:2:0, of columns of 4:2:2, any number else.
 * CropSourceToCleanAperture: the frame is stretched. Frames have no clean aperture of their own; all of it counts.
 * The picture is, in all but the first, what CleanAperture leaves of the session's size, with black around it, and its
 * pixels have the shape that PixelAspectRatio says, while those of the frame are square.
 *
 * DownsamplingMode: Average, the default: a chroma sample is the average of its pixels, and sits in their middle.
 *
 * NALU_STATUS_OUT_OF_RANGE, and a sentence: DownsamplingMode "Decimate" and all other keys, among them VideoToolbox's
 * DestinationCleanAperture, DestinationPixelAspectRatio and DestinationYCbCrMatrix, which properties of the session say.
 */
#define NALU_PROPERTY_PIXEL_TRANSFER_PROPERTIES "PixelTransferProperties"

/* ---- The encoder's own door --------------------------------------------------------- */

/* String, one of x264's presets: ultrafast superfast veryfast faster fast medium slow slower veryslow placebo.
 * Default medium, or veryfast with RealTime; a faster one with PrioritizeEncodingSpeedOverQuality. */
#define NALU_PROPERTY_X264_PRESET "x264.preset"

/* String, x264's tunes, at most one of film animation grain stillimage psnr ssim, and fastdecode
 * zerolatency beside it, separated by commas. Default none. */
#define NALU_PROPERTY_X264_TUNE "x264.tune"

/*
 * String, x264's options as "name=value:name=value", default "". Applied last, so they win over what Nalu
 * derives. Names and values are checked; those that belong to the session (annexb, repeat-headers, frames,
 * log, stats and the like) are refused with a sentence that says why. What x264 itself judges only when it is
 * opened fails there with NALU_STATUS_COULD_NOT_CREATE_INSTANCE. Not covered by the promise of stability.
 */
#define NALU_PROPERTY_X264_PARAMS "x264.params"

/*
 * Integer, 8 or 10: bits a sample of the stream, luma and chroma. Default: 10 where source_attributes, or
 * without them the first frame, is 'x420' or 'xf20' and ProfileLevel is unset; else 8. So a client that names
 * a profile gets the depth which that profile has in VideoToolbox, and who names none keeps all bits.
 *
 * 10 makes the profile High 10 (profile_idc 110), which many hardware decoders do not play. VideoToolbox has no
 * constant for it: an H264_High_ constant stands for High 10 then, with that level and High 10's bit rates
 * (three times those of Main, ITU-T H.264 table A-2); another ProfileLevel is refused with
 * NALU_STATUS_CONFLICT. Frames of any format go with either depth; nalu_pixel_transfer_image says how they are
 * converted. In `x264.params` qp, qpmin and qpmax are x264's own numbers, 12 higher at 10 bits; crf is not.
 */
#define NALU_PROPERTY_OUTPUT_BIT_DEPTH "OutputBitDepth"

/* ---- Recovery from loss ------------------------------------------------------------- */

/*
 * Bool, default false. True: for receivers over a channel that loses samples and can answer. Each sample has a token
 * (nalu_sample_get_ltr_acknowledgement_token), frames bring the tokens that the receiver acknowledges, and a frame with
 * NALU_FRAME_FORCE_LTR_REFRESH is made from acknowledged frames alone, or is a key frame. A frame refers to one other,
 * and the encoder holds the last NALU_PROPERTY_REFERENCE_BUFFER_COUNT frames; where that is 0, as many as a fixed level
 * does, and an AutoLevel takes one that holds 8. No frame is held back, as with a MaxFrameDelayCount of 0: what needs
 * delay conflicts. Not together with NALU_PROPERTY_ALLOW_INTRA_REFRESH. (FFmpeg's decoder shows nothing for up to 16
 * frames when it is the frame with which frame_num begins anew that was lost; what it shows then is right.)
 */
#define NALU_PROPERTY_ENABLE_LTR "EnableLTR"

/*
 * Nalu's own. Bool, default false. True: a frame with NALU_FRAME_BEGIN_INTRA_REFRESH begins a refresh: a column of intra
 * macroblocks that moves over the picture from the left, one macroblock (16 pixels) a frame, so that no frame is as
 * large as a key frame. That sample is a recovery point (ITU-T H.264 D.2.8) and has NALU_SAMPLE_PARTIAL_SYNC: who starts
 * there has the right picture after recovery_frame_cnt frames, two less than the picture is wide in macroblocks. There
 * are no key frames but the first, forced ones and those of MaxKeyFrameInterval and -Duration, whose 0 means none here.
 * A frame refers to the one before alone, and none is held back: what needs delay or references conflicts.
 */
#define NALU_PROPERTY_ALLOW_INTRA_REFRESH "NaluAllowIntraRefresh"

/* ---- Read only ------------------------------------------------------------------------- */

/* String: the parameters that x264 runs with, in the form of `x264.params`; with the preset beside them
 * they give the same stream (x264 has no option for the intra partitions that ultrafast leaves out).
 * NALU_STATUS_VALUE_NOT_AVAILABLE before the encoder is open. */
#define NALU_PROPERTY_X264_EFFECTIVE "x264.effective"

/* Integer: frames accepted whose callback has not returned yet. */
#define NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES "NumberOfPendingFrames"

/* Nalu's own. Integer: how many steps the governor has taken down, 0 (as opened) to 5; fewer with presets that are fast
 * already. */
#define NALU_PROPERTY_GOVERNOR_STEP "NaluGovernorStep"

/* Nalu's own. Integer: how many steps down the governor has from the settings that the encoder was opened with: 5 with
 * the presets medium and slower, fewer with faster ones and where `x264.params` made them cheaper already, none with
 * ultrafast. 0 as well where nothing is governed: without RealTime, without NaluRealTimeGovernor, without
 * ExpectedFrameRate. NALU_STATUS_VALUE_NOT_AVAILABLE before the encoder is open. */
#define NALU_PROPERTY_GOVERNOR_STEP_COUNT "NaluGovernorStepCount"

/* Bool: false. */
#define NALU_PROPERTY_USING_HARDWARE_ACCELERATED_VIDEO_ENCODER "UsingHardwareAcceleratedVideoEncoder"

/* String: the encoder's identifier, "org.videolan.x264". */
#define NALU_PROPERTY_ENCODER_ID "EncoderID"

/* Nalu's own. Integer: how many frames a sample's decode order may differ from presentation order: 0, 1 or 2.
 * NALU_STATUS_VALUE_NOT_AVAILABLE before the encoder is open. */
#define NALU_PROPERTY_REORDER_DEPTH "NaluReorderDepth"

/* Integer, bytes: AverageBitRate (or ConstantBitRate, VariableBitRate) through 8 and through ExpectedFrameRate, rounded.
 * NALU_STATUS_VALUE_NOT_AVAILABLE where one of them is not set, or Quality is. */
#define NALU_PROPERTY_ESTIMATED_AVERAGE_BYTES_PER_FRAME "EstimatedAverageBytesPerFrame"

/*
 * Bool: frames may bring a QP of their own, nalu_frame_options.base_frame_qp_plus_1. True where `x264.params` has
 * "crf" and no other option of rate control: nothing then holds the rate but the client. Otherwise x264 keeps a
 * bucket and makes the rows of a frame coarser that has a finer QP than the frames before.
 */
#define NALU_PROPERTY_SUPPORTS_BASE_FRAME_QP "SupportsBaseFrameQP"

/*
 * String: the presets that there are, each with the properties that it sets, as text in the form described below:
 *
 *     HighQuality="AllowFrameReordering=unset,...,x264.preset=slower",Balanced="...",HighSpeed="...",VideoConferencing="..."
 *
 * nalu_session_copy_preset_as_text gives one of them, for nalu_session_set_properties_from_text. Each sets
 * AllowFrameReordering, MaxFrameDelayCount, RealTime and `x264.preset`, so that a preset that is set after another is as
 * if it had been the only one; set your own properties behind it. None says anything of rate, quality or key frames.
 *
 * HighQuality, Balanced and HighSpeed are for files, and take the presets slower, medium and veryfast. At the same
 * rate (bikes and bigbuckbunny of scripts/fetch_clips) HighQuality has 0.2 to 0.5 dB more PSNR than Balanced and takes
 * about 2.5 times its processor time; HighSpeed has 1.1 to 2.0 dB less and takes about 0.4 of it.
 * VideoConferencing has RealTime, no B-frames, and gives each frame back before its encode returns; unlike
 * VideoToolbox's it needs nothing set when the session is created. With ExpectedFrameRate NaluRealTimeGovernor keeps
 * it at that rate.
 */
#define NALU_PROPERTY_SUPPORTED_PRESET_DICTIONARIES "SupportedPresetDictionaries"

/*
 * Bool: buffers of the session's pool (nalu_compression_session_get_pixel_buffer_pool) are encoded where they lie, without
 * a copy: their format is a 4:2:0 one of the stream's range, the size is even, and the stream has 8 bits.
 * NALU_STATUS_VALUE_NOT_AVAILABLE before the encoder is open, which decides range and depth.
 */
#define NALU_PROPERTY_PIXEL_BUFFER_POOL_IS_SHARED "PixelBufferPoolIsShared"

/*
 * String: the frames that are encoded without a copy, VideoToolbox's dictionary in the form of
 * nalu_session_set_properties_from_text:
 *
 *     PixelFormatType="420v",Width=1280,Height=720,BytesPerRowAlignment=64
 *
 * Width and Height are even: the size that is encoded. Rows may lie at any distance; that of the alignment, in bytes, is
 * what the library's own buffers have. 'y420' or 'f420' is encoded without a copy in place of '420v' or '420f'. In 10 bits
 * the format is 'x420' or 'xf20', which loses nothing but is converted. Before the encoder is open, what it would be.
 */
#define NALU_PROPERTY_VIDEO_ENCODER_PIXEL_BUFFER_ATTRIBUTES "VideoEncoderPixelBufferAttributes"

/*
 * How to cut a clip for several sessions that encode its parts at the same time; NALU_PROPERTY_MORE_FRAMES_BEFORE_START
 * and _AFTER_END make one stream of the parts. NALU_STATUS_VALUE_NOT_AVAILABLE before the encoder is open.
 *
 * Integer: how many sessions like this one fill the processors that the process may use: their number by that of the
 * encoder's threads, at least 1. 1 by default, since the encoder's threads fill them already; more where
 * NALU_PROPERTY_MAXIMIZE_POWER_EFFICIENCY or `x264.params` "threads=1" keeps the encoder to fewer.
 */
#define NALU_PROPERTY_RECOMMENDED_PARALLELIZATION_LIMIT "RecommendedParallelizationLimit"

/*
 * Integer: the least frames of a part: twice the frames that may lie from one key frame to the next, so that the key frame
 * that a part begins with is one of two at the most.
 */
#define NALU_PROPERTY_RECOMMENDED_PARALLELIZED_SUBDIVISION_MINIMUM_FRAME_COUNT \
    "RecommendedParallelizedSubdivisionMinimumFrameCount"

/*
 * Double, seconds: the same as a duration, by NALU_PROPERTY_EXPECTED_FRAME_RATE, or else twice
 * NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL_DURATION; NALU_STATUS_VALUE_NOT_AVAILABLE where neither is set.
 */
#define NALU_PROPERTY_RECOMMENDED_PARALLELIZED_SUBDIVISION_MINIMUM_DURATION \
    "RecommendedParallelizedSubdivisionMinimumDuration"

/* ---- Values ------------------------------------------------------------------------------ */

#define NALU_COMPRESSION_PRESET_HIGH_QUALITY "HighQuality"
#define NALU_COMPRESSION_PRESET_BALANCED "Balanced"
#define NALU_COMPRESSION_PRESET_HIGH_SPEED "HighSpeed"
#define NALU_COMPRESSION_PRESET_VIDEO_CONFERENCING "VideoConferencing"

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
/* Known, but refused with NALU_STATUS_OUT_OF_RANGE: x264 does not write the Extended profile. */
#define NALU_PROFILE_LEVEL_H264_EXTENDED_5_0 "H264_Extended_5_0"
#define NALU_PROFILE_LEVEL_H264_EXTENDED_AUTO_LEVEL "H264_Extended_AutoLevel"

#define NALU_QP_MODULATION_LEVEL_DEFAULT (-1)
#define NALU_QP_MODULATION_LEVEL_DISABLE 0

#define NALU_H264_ENTROPY_MODE_CAVLC "CAVLC"
#define NALU_H264_ENTROPY_MODE_CABAC "CABAC"

#define NALU_FIELD_DETAIL_TEMPORAL_TOP_FIRST "TemporalTopFirst"
#define NALU_FIELD_DETAIL_TEMPORAL_BOTTOM_FIRST "TemporalBottomFirst"
#define NALU_FIELD_DETAIL_SPATIAL_FIRST_LINE_EARLY "SpatialFirstLineEarly"
#define NALU_FIELD_DETAIL_SPATIAL_FIRST_LINE_LATE "SpatialFirstLineLate"

#define NALU_HDR_METADATA_INSERTION_MODE_NONE "None"
#define NALU_HDR_METADATA_INSERTION_MODE_AUTO "Auto"

/* The keys of PixelTransferProperties, and their values. */
#define NALU_PIXEL_TRANSFER_PROPERTY_SCALING_MODE "ScalingMode"
#define NALU_PIXEL_TRANSFER_PROPERTY_DOWNSAMPLING_MODE "DownsamplingMode"

#define NALU_SCALING_MODE_NORMAL "Normal"
#define NALU_SCALING_MODE_CROP_SOURCE_TO_CLEAN_APERTURE "CropSourceToCleanAperture"
#define NALU_SCALING_MODE_LETTERBOX "Letterbox"
#define NALU_SCALING_MODE_TRIM "Trim"

#define NALU_DOWNSAMPLING_MODE_AVERAGE "Average"

#define NALU_COLOR_PRIMARIES_ITU_R_709_2 "ITU_R_709_2"
#define NALU_COLOR_PRIMARIES_EBU_3213 "EBU_3213"
#define NALU_COLOR_PRIMARIES_SMPTE_C "SMPTE_C"
#define NALU_COLOR_PRIMARIES_P3_D65 "P3_D65"
#define NALU_COLOR_PRIMARIES_ITU_R_2020 "ITU_R_2020"

#define NALU_TRANSFER_FUNCTION_ITU_R_709_2 "ITU_R_709_2"
#define NALU_TRANSFER_FUNCTION_SMPTE_240M_1995 "SMPTE_240M_1995"
#define NALU_TRANSFER_FUNCTION_ITU_R_2020 "ITU_R_2020"
#define NALU_TRANSFER_FUNCTION_SMPTE_ST_2084_PQ "SMPTE_ST_2084_PQ"
#define NALU_TRANSFER_FUNCTION_ITU_R_2100_HLG "ITU_R_2100_HLG"
#define NALU_TRANSFER_FUNCTION_LINEAR "Linear"
#define NALU_TRANSFER_FUNCTION_SRGB "IEC_sRGB"

#define NALU_YCBCR_MATRIX_ITU_R_709_2 "ITU_R_709_2"
#define NALU_YCBCR_MATRIX_ITU_R_601_4 "ITU_R_601_4"
#define NALU_YCBCR_MATRIX_SMPTE_240M_1995 "SMPTE_240M_1995"
#define NALU_YCBCR_MATRIX_ITU_R_2020 "ITU_R_2020"

/* ---- Setting and reading -------------------------------------------------------------------- */

/*
 * Set one property. Integers and doubles may be given for each other's properties when the value
 * is whole; a bool property takes the integers 0 and 1. Strings are copied.
 *
 * _PARAMETER: NULL session, key or value. _PROPERTY_NOT_SUPPORTED: unknown key, or one of VideoToolbox's
 * that is not supported; then the sentence says why. _PROPERTY_READ_ONLY. _WRONG_TYPE. _OUT_OF_RANGE:
 * also NaN and infinities. _CONFLICT: it contradicts another property. _TOO_LATE. _INVALID_SESSION,
 * _INVALID_HANDLE. On failure nothing is changed.
 */
NALU_API NALU_NODISCARD nalu_status nalu_session_set_int64(nalu_compression_session *session,
    const char *key, int64_t value);
NALU_API NALU_NODISCARD nalu_status nalu_session_set_double(nalu_compression_session *session,
    const char *key, double value);
/* value: 0 is false, anything else true. */
NALU_API NALU_NODISCARD nalu_status nalu_session_set_bool(nalu_compression_session *session,
    const char *key, int32_t value);
NALU_API NALU_NODISCARD nalu_status nalu_session_set_string(nalu_compression_session *session,
    const char *key, const char *value);
/* values may be NULL when count is 0. */
NALU_API NALU_NODISCARD nalu_status nalu_session_set_numbers(nalu_compression_session *session,
    const char *key, const double *values, size_t count);
/* Restores the default. */
NALU_API NALU_NODISCARD nalu_status nalu_session_unset_property(nalu_compression_session *session,
    const char *key);

enum {
    NALU_PROPERTY_TYPE_BOOL = 1,
    NALU_PROPERTY_TYPE_INT64 = 2,
    NALU_PROPERTY_TYPE_DOUBLE = 3,
    NALU_PROPERTY_TYPE_STRING = 4,
    NALU_PROPERTY_TYPE_NUMBERS = 5,
    /* In nalu_property only: restore the default. */
    NALU_PROPERTY_TYPE_UNSET = 6
};

/* One property and its value, for nalu_session_set_properties. Frozen. */
typedef struct nalu_property {
    const char *key;
    int32_t type;          /* NALU_PROPERTY_TYPE_...: which of the values below is read */
    uint32_t number_count; /* for NUMBERS */
    int64_t integer;       /* for BOOL and INT64 */
    double number;         /* for DOUBLE */
    const char *string;    /* for STRING */
    const double *numbers; /* for NUMBERS */
} nalu_property;

/*
 * Sets several properties at once: all of them, or on failure none. Conflicts are judged on the
 * result, so the order does not matter. properties may be NULL when count is 0. Statuses as above, and
 * _PARAMETER for more than 4096 properties; the sentence names the key that failed.
 */
NALU_API NALU_NODISCARD nalu_status nalu_session_set_properties(nalu_compression_session *session,
    const nalu_property *properties, size_t count);

/*
 * Read one property. Numbers convert into each other where exact, and a bool reads as the integer 0 or 1;
 * *value_out is not changed on failure.
 *
 * _VALUE_NOT_AVAILABLE: it has no value now (for a property that is unset and whose default depends
 * on the encoder, before the encoder is open). _PARAMETER, _PROPERTY_NOT_SUPPORTED, _WRONG_TYPE,
 * _INVALID_SESSION, _INVALID_HANDLE.
 */
NALU_API NALU_NODISCARD nalu_status nalu_session_get_int64(nalu_compression_session *session,
    const char *key, int64_t *value_out);
NALU_API NALU_NODISCARD nalu_status nalu_session_get_double(nalu_compression_session *session,
    const char *key, double *value_out);
NALU_API NALU_NODISCARD nalu_status nalu_session_get_bool(nalu_compression_session *session,
    const char *key, int32_t *value_out);
/* Copies the string with its terminating NUL, which size_out counts; buffer and capacity as in
 * bitstream.h. Also _BUFFER_TOO_SMALL. */
NALU_API NALU_NODISCARD nalu_status nalu_session_copy_string(nalu_compression_session *session,
    const char *key, char *buffer, size_t capacity, size_t *size_out);
/* Copies the numbers; capacity and count_out count numbers, not bytes. Also _BUFFER_TOO_SMALL. */
NALU_API NALU_NODISCARD nalu_status nalu_session_copy_numbers(nalu_compression_session *session,
    const char *key, double *values, size_t capacity, size_t *count_out);

/* ---- As text ----------------------------------------------------------------------------------- */

/*
 * Property sets as text, in UTF-8:
 *
 *     AverageBitRate=2000000,RealTime=true,DataRateLimits=[375000,1],x264.params="qpmin=10:qpmax=51"
 *
 *     text    = [ setting { "," setting } ]
 *     setting = word "=" value
 *     value   = "true" | "false" | "unset" | number | word | string | list
 *     word    = ( letter | "_" ) { letter | digit | "_" | "." | "-" }
 *     number  = [ "-" ] digit { digit } [ "." digit { digit } ] [ ( "e" | "E" ) [ "-" | "+" ] digit { digit } ]
 *     list    = "[" [ number { "," number } ] "]"
 *     string  = '"' { character } '"'
 *
 * Letters and digits are those of ASCII. The word before "=" is a key, no key comes twice, and an empty text sets
 * nothing. Spaces, tabs, carriage returns and line feeds may stand before and after all of these but not inside a word
 * or a number; in a string they count. true and false are bools, unset restores the default, each in this spelling.
 * Any other word is a string; one in quotes may hold every character but NUL, with a backslash before each quote and
 * each backslash, and before nothing else. So "true", "unset", "" and what is no word need quotes.
 *
 * A number with neither point nor exponent is an integer, and must fit int64_t; every other one, and each in a list,
 * is the nearest double, and must be finite. The point is a point in every locale. A list has at most 1024 numbers.
 */

/*
 * Sets properties from text: all of them, or on failure none, as nalu_session_set_properties does, with its statuses
 * and conversions. Also _PARAMETER for text that has another form, and _OUT_OF_RANGE for numbers that do not fit;
 * the sentence tells where, in bytes from 0.
 */
NALU_API NALU_NODISCARD nalu_status nalu_session_set_properties_from_text(nalu_compression_session *session,
    const char *text);

/*
 * Copies every writable property whose value differs from its default, as such text with its terminating NUL, which
 * size_out counts; buffer and capacity as in bitstream.h. "" when there is none. Set from this text, a new session of
 * the same size has the same properties, doubles bit for bit. The order is that of nalu_property_get_key.
 *
 * _PARAMETER, _BUFFER_TOO_SMALL, _INVALID_SESSION, _INVALID_HANDLE.
 */
NALU_API NALU_NODISCARD nalu_status nalu_session_copy_properties_as_text(nalu_compression_session *session,
    char *buffer, size_t capacity, size_t *size_out);

/*
 * Copies what a preset sets, as such text with its terminating NUL, which size_out counts; buffer and capacity as in
 * bitstream.h. preset: one of the NALU_COMPRESSION_PRESET_ constants; see NALU_PROPERTY_SUPPORTED_PRESET_DICTIONARIES.
 *
 *     nalu_session_copy_preset_as_text(session, NALU_COMPRESSION_PRESET_HIGH_SPEED, text, sizeof text, &size);
 *     nalu_session_set_properties_from_text(session, text);
 *
 * _OUT_OF_RANGE: there is no such preset. _PARAMETER, _BUFFER_TOO_SMALL, _INVALID_SESSION, _INVALID_HANDLE.
 */
NALU_API NALU_NODISCARD nalu_status nalu_session_copy_preset_as_text(nalu_compression_session *session,
    const char *preset, char *buffer, size_t capacity, size_t *size_out);

/* ---- Introspection ---------------------------------------------------------------------------- */

/* How many properties there are, and their keys; NULL beyond the last. Static storage. */
NALU_API uint32_t nalu_property_get_count(void);
NALU_API const char *nalu_property_get_key(uint32_t index);

/* What a property is. Set struct_size before the call; fields are only ever appended. Strings have
 * static storage. */
typedef struct nalu_property_info {
    uint32_t struct_size;
    int32_t type;          /* NALU_PROPERTY_TYPE_BOOL to _NUMBERS */
    int32_t writable;      /* 1: can be set */
    int32_t live;          /* 1: can change while encoding */
    double minimum;        /* for numbers: of each number; NaN when there is no range */
    double maximum;
    uint32_t allowed_value_count; /* for strings with a list; see nalu_property_get_allowed_value */
    uint32_t reserved;     /* 0 */
    const char *default_value; /* as text; "" when unset */
    const char *documentation; /* one or two sentences */
} nalu_property_info;

/* _PARAMETER: a NULL argument, or struct_size below the first published size.
 * _PROPERTY_NOT_SUPPORTED: unknown key. */
NALU_API NALU_NODISCARD nalu_status nalu_property_get_info(const char *key, nalu_property_info *info);

/* One of the strings that a property takes; NULL beyond the last and for an unknown key. */
NALU_API const char *nalu_property_get_allowed_value(const char *key, uint32_t index);

NALU_END_DECLS

#endif
