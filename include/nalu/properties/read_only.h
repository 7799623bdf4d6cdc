/**
 * @file
 * Properties that report the state of a session.
 *
 * Setting one of them returns NALU_STATUS_PROPERTY_READ_ONLY. Reading one before it is available
 * returns NALU_STATUS_VALUE_NOT_AVAILABLE. nalu/properties.h explains the fixed lines.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_PROPERTIES_READ_ONLY_H
#define NALU_PROPERTIES_READ_ONLY_H

/* ---- The session ---------------------------------------------------------------------------- */

/**
 * The number of accepted frames whose callback has not returned yet.
 *
 * - Type: integer
 * - Unit: frames
 * - Range: 0 or more
 * - Available: always
 */
#define NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES "NumberOfPendingFrames"

/**
 * The identifier of the encoder.
 *
 * - Type: string
 * - Unit: none
 * - Range: an identifier from nalu_encoder_get_id, for example "org.videolan.x264"
 * - Available: always
 */
#define NALU_PROPERTY_ENCODER_ID "EncoderID"

/**
 * Whether the encoder is a hardware encoder.
 *
 * - Type: bool
 * - Unit: none
 * - Range: false
 * - Available: always
 */
#define NALU_PROPERTY_USING_HARDWARE_ACCELERATED_VIDEO_ENCODER \
    "UsingHardwareAcceleratedVideoEncoder"

/**
 * The parameters with which x264 runs, in the form of `x264.params`.
 *
 * - Type: string
 * - Unit: none
 * - Range: x264's names and values
 * - Available: when the encoder is open
 *
 * The same options and preset produce the same stream, apart from settings without an x264 option
 * or outside `x264.params`: the intra partitions that the preset ultrafast omits, fields,
 * CleanAperture, AllowOpenGOP, recovery from loss, ConstantBitRate, several passes, and the
 * session's decisions for single frames, such as key frames and changes of the rate.
 */
#define NALU_PROPERTY_X264_EFFECTIVE "x264.effective"

/**
 * The parameters with which x265 runs, as "name=value:name=value" with x265's names.
 *
 * - Type: string
 * - Unit: none
 * - Range: x265's names and values
 * - Available: when the encoder is open
 */
#define NALU_PROPERTY_X265_EFFECTIVE "x265.effective"

/**
 * The reorder depth: the number of frames by which decode order may differ from presentation order
 * (max_num_reorder_frames). Nalu's own.
 *
 * - Type: integer
 * - Unit: frames
 * - Range: 0 to 2
 * - Available: when the encoder is open
 */
#define NALU_PROPERTY_REORDER_DEPTH "NaluReorderDepth"

/**
 * The average size of a frame: the bit rate divided by 8 and by ExpectedFrameRate, rounded. The bit
 * rate is AverageBitRate, ConstantBitRate or VariableBitRate.
 *
 * - Type: integer
 * - Unit: bytes
 * - Range: 0 or more
 * - Available: when a bit rate and ExpectedFrameRate are set, and Quality is not
 */
#define NALU_PROPERTY_ESTIMATED_AVERAGE_BYTES_PER_FRAME "EstimatedAverageBytesPerFrame"

/**
 * Whether the client may set the QP of a frame (nalu_frame_options.base_frame_qp_plus_1).
 *
 * - Type: bool
 * - Unit: none
 * - Range: false, true
 * - Available: always
 *
 * With x265, true without AverageBitRate and DataRateLimits. With x264, true if `x264.params` has
 * "crf" and no other rate control option, so that only the client controls the rate. Otherwise
 * x264 limits each frame by a buffer, and raises the QP of rows if a frame has a lower QP than the
 * frames before it.
 */
#define NALU_PROPERTY_SUPPORTS_BASE_FRAME_QP "SupportsBaseFrameQP"

/* ---- Presets -------------------------------------------------------------------------------- */

/**
 * The presets, each with the properties that it sets.
 *
 * - Type: string: preset="key=value,key=value",preset="..."
 * - Unit: none
 * - Range: HighQuality, Balanced, HighSpeed, VideoConferencing
 * - Available: always
 *
 * nalu_session_set_preset sets one of them, and nalu_property_text_read reads this text. Each
 * preset sets AllowFrameReordering, MaxFrameDelayCount, RealTime and `x264.preset`, and nothing
 * else, so it replaces an earlier preset. Set a preset first and other properties after it.
 * docs/rate-control.md compares their speed and quality.
 */
#define NALU_PROPERTY_SUPPORTED_PRESET_DICTIONARIES "SupportedPresetDictionaries"

/** The preset for files with the best quality: x264's preset slower. */
#define NALU_COMPRESSION_PRESET_HIGH_QUALITY "HighQuality"
/** The preset for files between the two others: x264's preset medium. */
#define NALU_COMPRESSION_PRESET_BALANCED "Balanced"
/** The preset for files with the least work: x264's preset veryfast. */
#define NALU_COMPRESSION_PRESET_HIGH_SPEED "HighSpeed"
/**
 * For calls: RealTime, no B-frames, and each frame is delivered before its encode returns. Set
 * ExpectedFrameRate so that NaluRealTimeGovernor can keep that rate.
 */
#define NALU_COMPRESSION_PRESET_VIDEO_CONFERENCING "VideoConferencing"

/* ---- The governor --------------------------------------------------------------------------- */

/**
 * The number of steps that NaluRealTimeGovernor has gone down. Nalu's own.
 *
 * - Type: integer
 * - Unit: steps
 * - Range: 0 (as opened) to NaluGovernorStepCount
 * - Available: always
 */
#define NALU_PROPERTY_GOVERNOR_STEP "NaluGovernorStep"

/**
 * The number of steps that NaluRealTimeGovernor can go down from the settings with which the
 * encoder was opened. Nalu's own.
 *
 * - Type: integer
 * - Unit: steps
 * - Range: 0 to 5
 * - Available: when the encoder is open
 *
 * The value is 5 with the preset medium and slower ones, lower with faster presets or cheaper
 * `x264.params`, and 0 with ultrafast. It is also 0 if the governor is off: without RealTime,
 * ExpectedFrameRate or NaluRealTimeGovernor.
 */
#define NALU_PROPERTY_GOVERNOR_STEP_COUNT "NaluGovernorStepCount"

/* ---- Frames that need no copy --------------------------------------------------------------- */

/**
 * Whether buffers of the session's pool are encoded without a copy.
 *
 * - Type: bool
 * - Unit: none
 * - Range: false, true
 * - Available: when the encoder is open
 *
 * True if the pool's format is 4:2:0 in the stream's range, the size is even, and the stream has 8
 * bits. See nalu_compression_session_get_pixel_buffer_pool.
 */
#define NALU_PROPERTY_PIXEL_BUFFER_POOL_IS_SHARED "PixelBufferPoolIsShared"

/**
 * The properties of frames that are encoded without a copy.
 *
 * - Type: string: PixelFormatType="420v",Width=1280,Height=720,BytesPerRowAlignment=64
 * - Unit: pixels for Width and Height; bytes for BytesPerRowAlignment
 * - Range: PixelFormatType '420v', '420f', 'x420', 'xf20'; even Width and Height
 * - Available: always; before the encoder is open, the values that it would have
 *
 * The text form of VideoToolbox's dictionary. If '420v' and '420f' need no copy, 'y420' and 'f420'
 * need none either. Any stride is accepted; BytesPerRowAlignment is that of the library's own
 * buffers. 'x420' and 'xf20' are converted without loss.
 */
#define NALU_PROPERTY_VIDEO_ENCODER_PIXEL_BUFFER_ATTRIBUTES "VideoEncoderPixelBufferAttributes"

/* ---- Chunks of a video ---------------------------------------------------------------------- */

/**
 * The number of sessions like this one, each with a chunk of a video, that fill the processors
 * available to the process. See NALU_PROPERTY_MORE_FRAMES_BEFORE_START and docs/chunks.md.
 *
 * - Type: integer
 * - Unit: sessions
 * - Range: 1 or more
 * - Available: when the encoder is open
 *
 * The value is the number of processors divided by the number of the encoder's threads. It is 1 by
 * default, since the encoder's threads fill the processors, and more with MaximizePowerEfficiency
 * or `x264.params` "threads=1".
 */
#define NALU_PROPERTY_RECOMMENDED_PARALLELIZATION_LIMIT "RecommendedParallelizationLimit"

/**
 * The minimum number of frames in a chunk of a video: twice the greatest distance between key
 * frames.
 *
 * - Type: integer
 * - Unit: frames
 * - Range: 1 or more
 * - Available: when the encoder is open
 *
 * At this length, at most every second key frame begins a chunk.
 */
#define NALU_PROPERTY_RECOMMENDED_PARALLELIZED_SUBDIVISION_MINIMUM_FRAME_COUNT \
    "RecommendedParallelizedSubdivisionMinimumFrameCount"

/**
 * The minimum duration of a chunk of a video: the minimum number of frames divided by
 * ExpectedFrameRate, or without that rate twice MaxKeyFrameIntervalDuration.
 *
 * - Type: double
 * - Unit: seconds
 * - Range: above 0
 * - Available: when the encoder is open and one of the two is set
 */
#define NALU_PROPERTY_RECOMMENDED_PARALLELIZED_SUBDIVISION_MINIMUM_DURATION \
    "RecommendedParallelizedSubdivisionMinimumDuration"

#endif
