/**
 * @file
 * The presets, tunes and options of x264, and the presets of x265.
 *
 * These properties follow the encoders' versions; the promise of stability does not cover them.
 * nalu/properties.h explains the fixed lines.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_PROPERTIES_ENCODER_H
#define NALU_PROPERTIES_ENCODER_H

/**
 * x264's preset.
 *
 * - Type: string
 * - Unit: none
 * - Range: ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow, placebo
 * - Default: medium; veryfast with RealTime; see also PrioritizeEncodingSpeedOverQuality
 * - Takes effect: before opening
 */
#define NALU_PROPERTY_X264_PRESET "x264.preset"

/**
 * x264's tunes, separated by commas.
 *
 * - Type: string
 * - Unit: none
 * - Range: at most one of film, animation, grain, stillimage, psnr, ssim; and fastdecode,
 *   zerolatency
 * - Default: none
 * - Takes effect: before opening
 */
#define NALU_PROPERTY_X264_TUNE "x264.tune"

/**
 * x264's options, as "name=value:name=value".
 *
 * - Type: string
 * - Unit: none
 * - Range: x264's names and values, except for options that belong to the session
 * - Default: ""
 * - Takes effect: before opening
 *
 * The options are applied last, so they override values that Nalu derives. Names and values are
 * checked. Options that belong to the session (annexb, repeat-headers, frames, log, stats and
 * similar) are refused; the error message has the reason. An error that x264 detects on opening is
 * NALU_STATUS_COULD_NOT_CREATE_INSTANCE. Opening fails with NALU_STATUS_CONFLICT if x264 would
 * change or not use a value, and for filler without a constant rate. Numbers of threads and
 * references are upper bounds.
 */
#define NALU_PROPERTY_X264_PARAMS "x264.params"

/**
 * x265's preset.
 *
 * - Type: string
 * - Unit: none
 * - Range: ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow, placebo
 * - Default: medium; superfast with RealTime; see also PrioritizeEncodingSpeedOverQuality
 * - Takes effect: before opening
 */
#define NALU_PROPERTY_X265_PRESET "x265.preset"

#endif
