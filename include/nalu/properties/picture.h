/**
 * @file
 * Properties for colour, bit depth, HDR, geometry, fields, scaling.
 *
 * nalu/properties.h explains the fixed lines.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_PROPERTIES_PICTURE_H
#define NALU_PROPERTIES_PICTURE_H

/* ---- Colour --------------------------------------------------------------------------------- */

/**
 * The colour primaries, written to the VUI of the stream.
 *
 * ITU-T H.273 has codes for colours without a CoreVideo name. The properties of this section
 * therefore accept a name, or the code as an integer or as a string of digits. One key for both
 * forms means that a name and a code cannot contradict each other. A code that has a name is read
 * back as the name, another code as its digits. The range, limited or full, is no property: it is
 * the range of the frames' pixel format.
 *
 * - Type: string; an integer also sets it
 * - Unit: none
 * - Range: one of the NALU_COLOR_PRIMARIES_ constants, or 1 to 12, a code of ITU-T H.273 table 2 (2
 *   is unspecified, 3 is reserved)
 * - Default: ITU_R_709_2 for 720 lines or more, else SMPTE_C
 * - Takes effect: before opening
 */
#define NALU_PROPERTY_COLOR_PRIMARIES "ColorPrimaries"

#define NALU_COLOR_PRIMARIES_ITU_R_709_2 "ITU_R_709_2"
#define NALU_COLOR_PRIMARIES_EBU_3213 "EBU_3213"
#define NALU_COLOR_PRIMARIES_SMPTE_C "SMPTE_C"
#define NALU_COLOR_PRIMARIES_P3_D65 "P3_D65"
#define NALU_COLOR_PRIMARIES_ITU_R_2020 "ITU_R_2020"

/**
 * The transfer function, written to the VUI of the stream.
 *
 * - Type: string; an integer also sets it
 * - Unit: none
 * - Range: one of the NALU_TRANSFER_FUNCTION_ constants, or 1 to 18, a code of ITU-T H.273 table 3
 *   (2 is unspecified, 3 is reserved)
 * - Default: ITU_R_709_2
 * - Takes effect: before opening
 */
#define NALU_PROPERTY_TRANSFER_FUNCTION "TransferFunction"

#define NALU_TRANSFER_FUNCTION_ITU_R_709_2 "ITU_R_709_2"
#define NALU_TRANSFER_FUNCTION_SMPTE_240M_1995 "SMPTE_240M_1995"
#define NALU_TRANSFER_FUNCTION_ITU_R_2020 "ITU_R_2020"
#define NALU_TRANSFER_FUNCTION_SMPTE_ST_2084_PQ "SMPTE_ST_2084_PQ"
#define NALU_TRANSFER_FUNCTION_ITU_R_2100_HLG "ITU_R_2100_HLG"
#define NALU_TRANSFER_FUNCTION_LINEAR "Linear"
#define NALU_TRANSFER_FUNCTION_SRGB "IEC_sRGB"

/**
 * The matrix between RGB and YCbCr: it converts RGB frames, and is written to the VUI of the
 * stream.
 *
 * The named matrices convert RGB frames. Code 5 has the weights of 6, and code 2 those of the
 * default. With another code an RGB frame is refused (NALU_STATUS_CONFLICT).
 *
 * - Type: string; an integer also sets it
 * - Unit: none
 * - Range: one of the NALU_YCBCR_MATRIX_ constants, or 1 to 14, a code of ITU-T H.273 table 4 (2 is
 *   unspecified, 3 is reserved)
 * - Default: ITU_R_709_2 for 720 lines or more, else ITU_R_601_4
 * - Takes effect: before opening
 */
#define NALU_PROPERTY_YCBCR_MATRIX "YCbCrMatrix"

#define NALU_YCBCR_MATRIX_ITU_R_709_2 "ITU_R_709_2"
#define NALU_YCBCR_MATRIX_ITU_R_601_4 "ITU_R_601_4"
#define NALU_YCBCR_MATRIX_SMPTE_240M_1995 "SMPTE_240M_1995"
#define NALU_YCBCR_MATRIX_ITU_R_2020 "ITU_R_2020"

/**
 * The location of the chroma samples among the luma samples, for both fields (ITU-T H.264 figure
 * E-1). Nalu's own: VideoToolbox reads it from the attachments of a frame.
 *
 * The property describes the frames and moves no sample. The conversion of RGB frames puts chroma
 * into the centre.
 *
 * - Type: string; an integer also sets it
 * - Unit: none
 * - Range: one of the NALU_CHROMA_LOCATION_ constants, or chroma_sample_loc_type, 0 to 5
 * - Default: Center for progressive RGB frames, else Left
 * - Takes effect: before opening
 */
#define NALU_PROPERTY_CHROMA_LOCATION "NaluChromaLocation"

#define NALU_CHROMA_LOCATION_LEFT "Left"
#define NALU_CHROMA_LOCATION_CENTER "Center"
#define NALU_CHROMA_LOCATION_TOP_LEFT "TopLeft"
#define NALU_CHROMA_LOCATION_TOP "Top"
#define NALU_CHROMA_LOCATION_BOTTOM_LEFT "BottomLeft"
#define NALU_CHROMA_LOCATION_BOTTOM "Bottom"

/**
 * The bit depth of the stream, luma and chroma.
 *
 * - Type: integer
 * - Unit: bits per sample
 * - Range: 8, 10
 * - Default: 10 if the source is 'x420' or 'xf20' and ProfileLevel is unset, or if ProfileLevel is
 *   HEVC_Main10_AutoLevel; else 8
 * - Takes effect: before opening
 *
 * The source is that of source_attributes, or the first frame. For H.265, 10 bits are the profile
 * Main 10; HEVC_Main_AutoLevel excludes them. For H.264, they need the profile High 10,
 * which many hardware decoders cannot play. An H264_High_ constant of ProfileLevel then means High
 * 10 with that level and its bit rates; other profiles are refused (NALU_STATUS_CONFLICT). Frames
 * of any format can be encoded at either depth. In `x264.params`, qp, qpmin and qpmax are 12 higher
 * at 10 bits than at 8; crf is not.
 */
#define NALU_PROPERTY_OUTPUT_BIT_DEPTH "OutputBitDepth"

/* ---- HDR metadata --------------------------------------------------------------------------- */

/**
 * The display on which the video was mastered (ITU-T H.264 D.2.29).
 *
 * - Type: ten numbers: x, y of green, blue, red and white; highest, lowest luminance
 * - Unit: 0.00002 for x and y; 0.0001 cd/m2 for luminance
 * - Range: 0 to 50000 for x and y; 0 to 4294967295 for luminance, highest above lowest
 * - Default: none
 * - Takes effect: before opening
 *
 * A luminance of 0 means not known. The numbers are those of VideoToolbox's 24 bytes. They are
 * written as an SEI message with each key frame, for every transfer function and bit depth.
 */
#define NALU_PROPERTY_MASTERING_DISPLAY_COLOR_VOLUME "MasteringDisplayColorVolume"

/**
 * The luminance of the brightest pixel (MaxCLL) and the average luminance of the brightest frame
 * (MaxFALL), ITU-T H.264 D.2.31.
 *
 * - Type: two numbers: MaxCLL, MaxFALL
 * - Unit: cd/m2
 * - Range: 0 to 65535; 0 means not known
 * - Default: none
 * - Takes effect: before opening
 *
 * The numbers are those of VideoToolbox's 4 bytes. They are written as an SEI message with each key
 * frame.
 */
#define NALU_PROPERTY_CONTENT_LIGHT_LEVEL_INFO "ContentLightLevelInfo"

/**
 * Whether MasteringDisplayColorVolume and ContentLightLevelInfo are written to the stream.
 *
 * - Type: string
 * - Unit: none
 * - Range: NALU_HDR_METADATA_INSERTION_MODE_NONE, NALU_HDR_METADATA_INSERTION_MODE_AUTO
 * - Default: NALU_HDR_METADATA_INSERTION_MODE_AUTO: they are written
 * - Takes effect: before opening
 *
 * With "None" both can still be read, for example by the code that writes the container.
 * VideoToolbox's RequestSDRRangePreservation would need metadata computed from the pictures; it is
 * refused with NALU_STATUS_OUT_OF_RANGE.
 */
#define NALU_PROPERTY_HDR_METADATA_INSERTION_MODE "HDRMetadataInsertionMode"

#define NALU_HDR_METADATA_INSERTION_MODE_NONE "None"
#define NALU_HDR_METADATA_INSERTION_MODE_AUTO "Auto"

/* ---- Geometry ------------------------------------------------------------------------------- */

/**
 * The shape of a pixel.
 *
 * - Type: two numbers: horizontal and vertical spacing
 * - Unit: none
 * - Range: 1 to 65535 each
 * - Default: none: the stream has no aspect ratio; players assume square pixels
 * - Takes effect: before opening
 */
#define NALU_PROPERTY_PIXEL_ASPECT_RATIO "PixelAspectRatio"

/**
 * The region of the picture that players show (clap of ISO/IEC 14496-12).
 *
 * - Type: four numbers: width, height, horizontal and vertical offset of the centre
 * - Unit: pixels
 * - Range: width and height 2 to 16384; the region must lie within the session's size
 * - Default: none: the whole picture
 * - Takes effect: before opening
 *
 * The offsets are from the centre of the session's size, positive to the right and down. The whole
 * picture is encoded, and the stream crops it to the region; the format description has the
 * region's size. 4:2:0 can only crop an even number of pixels on each side; other values are
 * refused (NALU_STATUS_OUT_OF_RANGE). The column or row added to an odd session size is on the
 * right or at the bottom.
 */
#define NALU_PROPERTY_CLEAN_APERTURE "CleanAperture"

/* ---- Interlaced frames ---------------------------------------------------------------------- */

/**
 * Whether frames are progressive or interlaced.
 *
 * - Type: integer
 * - Unit: fields per frame
 * - Range: 1: progressive; 2: interlaced, with alternating lines of two fields
 * - Default: unset: 1, or 2 if FieldDetail is set
 * - Takes effect: before opening
 *
 * Interlaced frames need a height that is a multiple of 4 and at most 8192 macroblocks. They are
 * converted field by field and never scaled. The stream uses macroblock-adaptive frame/field
 * coding. NALU_STATUS_CONFLICT with the Baseline and constrained profiles, with levels below 2.1 or
 * above 4.1 (ITU-T H.264 table A-4), and with MaxH264SliceBytes.
 */
#define NALU_PROPERTY_FIELD_COUNT "FieldCount"

/**
 * The earlier field of an interlaced frame.
 *
 * - Type: string
 * - Unit: none
 * - Range: one of the NALU_FIELD_DETAIL_ constants
 * - Default: NALU_FIELD_DETAIL_TEMPORAL_TOP_FIRST if frames are interlaced
 * - Takes effect: before opening
 *
 * With TEMPORAL_TOP_FIRST and SPATIAL_FIRST_LINE_EARLY, the field with the first line is the
 * earlier one. The order is written with each frame (pic_struct, ITU-T H.264 D.1.3).
 * NALU_STATUS_CONFLICT with a FieldCount of 1.
 */
#define NALU_PROPERTY_FIELD_DETAIL "FieldDetail"

#define NALU_FIELD_DETAIL_TEMPORAL_TOP_FIRST "TemporalTopFirst"
#define NALU_FIELD_DETAIL_TEMPORAL_BOTTOM_FIRST "TemporalBottomFirst"
#define NALU_FIELD_DETAIL_SPATIAL_FIRST_LINE_EARLY "SpatialFirstLineEarly"
#define NALU_FIELD_DETAIL_SPATIAL_FIRST_LINE_LATE "SpatialFirstLineLate"

/* ---- Scaling -------------------------------------------------------------------------------- */

/**
 * Whether frames of another size than the session's are scaled. Nalu's own.
 *
 * - Type: bool
 * - Unit: none
 * - Range: false: they are refused with NALU_STATUS_INVALID_SIZE; true
 * - Default: true
 * - Takes effect: next frame
 */
#define NALU_PROPERTY_ALLOW_SCALING "NaluAllowScaling"

/**
 * How frames of another size than the session's are fitted into the picture.
 *
 * - Type: string: "key=value,key=value"
 * - Unit: none
 * - Range: the keys NALU_PIXEL_TRANSFER_PROPERTY_, each with one of its values
 * - Default: "": stretched over the whole picture
 * - Takes effect: next frame
 *
 * The text form of VideoToolbox's dictionary, for example
 * "ScalingMode=Letterbox,DownsamplingMode=Average". All modes except Normal scale into the region
 * of CleanAperture, with black around it; the picture's pixels have the shape of PixelAspectRatio,
 * and those of the frame are square. Other keys and DownsamplingMode "Decimate" are refused
 * (NALU_STATUS_OUT_OF_RANGE).
 */
#define NALU_PROPERTY_PIXEL_TRANSFER_PROPERTIES "PixelTransferProperties"

/** The keys of PixelTransferProperties. */
#define NALU_PIXEL_TRANSFER_PROPERTY_SCALING_MODE "ScalingMode"
#define NALU_PIXEL_TRANSFER_PROPERTY_DOWNSAMPLING_MODE "DownsamplingMode"

/** The default: the frame is stretched over the whole picture. */
#define NALU_SCALING_MODE_NORMAL "Normal"
/** The whole frame is stretched over the picture, since frames have no clean aperture. */
#define NALU_SCALING_MODE_CROP_SOURCE_TO_CLEAN_APERTURE "CropSourceToCleanAperture"
/**
 * The whole frame is shown undistorted and centred, with black bars on two sides. Both bars have
 * the same even number of columns or rows; a column or row added to an odd session size belongs to
 * the last bar.
 */
#define NALU_SCALING_MODE_LETTERBOX "Letterbox"
/**
 * The middle of the frame fills the picture undistorted. The same amount is cut off on both sides,
 * as far as the frame's chroma allows.
 */
#define NALU_SCALING_MODE_TRIM "Trim"

/**
 * The default and the only accepted value: a chroma sample is the average of its pixels and lies in
 * their middle.
 */
#define NALU_DOWNSAMPLING_MODE_AVERAGE "Average"

#endif
