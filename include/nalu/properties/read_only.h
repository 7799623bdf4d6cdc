/*
 * nalu/properties/read_only.h - properties that report what a session does.
 *
 * Setting one of them returns NALU_STATUS_PROPERTY_READ_ONLY. Reading one before it is available
 * returns NALU_STATUS_VALUE_NOT_AVAILABLE. nalu/properties.h explains the fixed lines.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_PROPERTIES_READ_ONLY_H
#define NALU_PROPERTIES_READ_ONLY_H

/* ---- The session ---------------------------------------------------------------------------- */

/*
 * The number of accepted frames whose callback has not returned yet.
 *
 * Type:          integer
 * Unit:          frames
 * Range:         0 or more
 * Available:     always
 */
#define NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES "NumberOfPendingFrames"

/*
 * The identifier of the encoder.
 *
 * Type:          string
 * Unit:          none
 * Range:         "org.videolan.x264"
 * Available:     always
 */
#define NALU_PROPERTY_ENCODER_ID "EncoderID"

/*
 * Whether the encoder is hardware.
 *
 * Type:          bool
 * Unit:          none
 * Range:         false
 * Available:     always
 */
#define NALU_PROPERTY_USING_HARDWARE_ACCELERATED_VIDEO_ENCODER \
    "UsingHardwareAcceleratedVideoEncoder"

/*
 * The parameters with which x264 runs, in the form of `x264.params`.
 *
 * Type:          string
 * Unit:          none
 * Range:         x264's names and values
 * Available:     when the encoder is open
 *
 * Together with the preset they give the same stream. Not in it is what has no option or is not for
 * `x264.params`: the intra partitions that the preset ultrafast leaves out, fields, CleanAperture,
 * AllowOpenGOP, recovery from loss, ConstantBitRate, several passes, and what the session decides
 * for each frame, such as key frames and changes of the rate.
 */
#define NALU_PROPERTY_X264_EFFECTIVE "x264.effective"

/*
 * How many frames the decode order of a sample may differ from presentation order. Nalu's own.
 *
 * Type:          integer
 * Unit:          frames
 * Range:         0 to 2
 * Available:     when the encoder is open
 */
#define NALU_PROPERTY_REORDER_DEPTH "NaluReorderDepth"

/*
 * The average size of a frame: the bit rate divided by 8 and by ExpectedFrameRate, rounded. The bit
 * rate is AverageBitRate, ConstantBitRate or VariableBitRate.
 *
 * Type:          integer
 * Unit:          bytes
 * Range:         0 or more
 * Available:     when a bit rate and ExpectedFrameRate are set, and Quality is not
 */
#define NALU_PROPERTY_ESTIMATED_AVERAGE_BYTES_PER_FRAME "EstimatedAverageBytesPerFrame"

/*
 * Whether a frame may have a QP of its own (nalu_frame_options.base_frame_qp_plus_1).
 *
 * Type:          bool
 * Unit:          none
 * Range:         false, true
 * Available:     always
 *
 * True if `x264.params` has "crf" and no other rate control option, so that only the client holds
 * the rate. Otherwise x264 limits each frame by a buffer, and makes rows coarser when a frame is
 * finer than those before it.
 */
#define NALU_PROPERTY_SUPPORTS_BASE_FRAME_QP "SupportsBaseFrameQP"

/* ---- Presets -------------------------------------------------------------------------------- */

/*
 * The presets, each with the properties that it sets.
 *
 * Type:          string: preset="key=value,key=value",preset="..."
 * Unit:          none
 * Range:         HighQuality, Balanced, HighSpeed, VideoConferencing
 * Available:     always
 *
 * nalu_session_copy_preset_as_text returns one of them for nalu_session_set_properties_from_text.
 * Each sets AllowFrameReordering, MaxFrameDelayCount, RealTime and `x264.preset`, and nothing else,
 * so a preset replaces one that was set before. Set a preset first and your own properties after
 * it. docs/rate-control.md compares their speed and quality.
 */
#define NALU_PROPERTY_SUPPORTED_PRESET_DICTIONARIES "SupportedPresetDictionaries"

/* For files: x264's preset slower. */
#define NALU_COMPRESSION_PRESET_HIGH_QUALITY "HighQuality"
/* For files: x264's preset medium. */
#define NALU_COMPRESSION_PRESET_BALANCED "Balanced"
/* For files: x264's preset veryfast. */
#define NALU_COMPRESSION_PRESET_HIGH_SPEED "HighSpeed"
/* RealTime, no B-frames, and each frame comes back before its encode returns. Set ExpectedFrameRate
 * so that NaluRealTimeGovernor can hold that rate. */
#define NALU_COMPRESSION_PRESET_VIDEO_CONFERENCING "VideoConferencing"

/* ---- The governor --------------------------------------------------------------------------- */

/*
 * How many steps NaluRealTimeGovernor has gone down. Nalu's own.
 *
 * Type:          integer
 * Unit:          steps
 * Range:         0 (as opened) to NaluGovernorStepCount
 * Available:     always
 */
#define NALU_PROPERTY_GOVERNOR_STEP "NaluGovernorStep"

/*
 * How many steps NaluRealTimeGovernor can go down from the settings with which the encoder was
 * opened. Nalu's own.
 *
 * Type:          integer
 * Unit:          steps
 * Range:         0 to 5
 * Available:     when the encoder is open
 *
 * 5 with the preset medium and slower ones, fewer with faster presets or cheaper `x264.params`, 0
 * with ultrafast. Also 0 where nothing is governed: without RealTime, ExpectedFrameRate or
 * NaluRealTimeGovernor.
 */
#define NALU_PROPERTY_GOVERNOR_STEP_COUNT "NaluGovernorStepCount"

/* ---- Frames that need no copy --------------------------------------------------------------- */

/*
 * Whether buffers of the session's pool are encoded without a copy.
 *
 * Type:          bool
 * Unit:          none
 * Range:         false, true
 * Available:     when the encoder is open
 *
 * True if the pool's format is 4:2:0 in the stream's range, the size is even, and the stream has 8
 * bits. See nalu_compression_session_get_pixel_buffer_pool.
 */
#define NALU_PROPERTY_PIXEL_BUFFER_POOL_IS_SHARED "PixelBufferPoolIsShared"

/*
 * The frames that are encoded without a copy.
 *
 * Type:          string: PixelFormatType="420v",Width=1280,Height=720,BytesPerRowAlignment=64
 * Unit:          pixels for Width and Height; bytes for BytesPerRowAlignment
 * Range:         PixelFormatType '420v', '420f', 'x420', 'xf20'; even Width and Height
 * Available:     always; before the encoder is open, what it would be
 *
 * VideoToolbox's dictionary as text. 'y420' and 'f420' need no copy either where '420v' and '420f'
 * do not. Any stride will do; BytesPerRowAlignment is that of the library's own buffers. 'x420' and
 * 'xf20' lose nothing, but are converted.
 */
#define NALU_PROPERTY_VIDEO_ENCODER_PIXEL_BUFFER_ATTRIBUTES "VideoEncoderPixelBufferAttributes"

/* ---- Clips in parts ------------------------------------------------------------------------- */

/*
 * How many sessions like this one, each with a part of a clip, fill the processors that the process
 * may use. See NALU_PROPERTY_MORE_FRAMES_BEFORE_START and docs/segments.md.
 *
 * Type:          integer
 * Unit:          sessions
 * Range:         1 or more
 * Available:     when the encoder is open
 *
 * The number of processors divided by the number of the encoder's threads. It is 1 by default,
 * since the encoder's threads fill the processors, and more with MaximizePowerEfficiency or
 * `x264.params` "threads=1".
 */
#define NALU_PROPERTY_RECOMMENDED_PARALLELIZATION_LIMIT "RecommendedParallelizationLimit"

/*
 * The least number of frames in a part of a clip: twice the longest distance between key frames.
 *
 * Type:          integer
 * Unit:          frames
 * Range:         1 or more
 * Available:     when the encoder is open
 *
 * At this length, at most every second key frame is the one that begins a part.
 */
#define NALU_PROPERTY_RECOMMENDED_PARALLELIZED_SUBDIVISION_MINIMUM_FRAME_COUNT \
    "RecommendedParallelizedSubdivisionMinimumFrameCount"

/*
 * The same as a duration: by ExpectedFrameRate, or else twice MaxKeyFrameIntervalDuration.
 *
 * Type:          double
 * Unit:          seconds
 * Range:         above 0
 * Available:     when the encoder is open and one of the two is set
 */
#define NALU_PROPERTY_RECOMMENDED_PARALLELIZED_SUBDIVISION_MINIMUM_DURATION \
    "RecommendedParallelizedSubdivisionMinimumDuration"

#endif
