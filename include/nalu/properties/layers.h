/**
 * @file
 * Properties of temporal layers: frames that a receiver, or a server between, can leave out.
 *
 * docs/temporal-layers.md describes the stream. nalu/properties.h explains the fixed lines.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_PROPERTIES_LAYERS_H
#define NALU_PROPERTIES_LAYERS_H

/**
 * The fraction of the frames that form the base layer.
 *
 * - Type: number
 * - Unit: none
 * - Range: 0.25, 0.5, 1
 * - Default: 1: one layer
 * - Takes effect: before opening
 *
 * Every second frame, or every fourth one, belongs to the base layer, as do key frames and intra
 * frames; each frame refers to the frame of the base layer before it. Samples of the other frames
 * lack NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS (docs/temporal-layers.md). No frame is delayed;
 * properties that need delay, NaluAllowIntraRefresh, interlaced frames and a multi-pass storage are
 * refused with NALU_STATUS_CONFLICT. DataRateLimits hold. With EnableLTR, a frame with
 * NALU_FRAME_FORCE_LTR_REFRESH refers to an acknowledged frame of the base layer.
 */
#define NALU_PROPERTY_BASE_LAYER_FRAME_RATE_FRACTION "BaseLayerFrameRateFraction"

/**
 * The fraction of the bits that the base layer receives.
 *
 * - Type: number
 * - Unit: none
 * - Range: 0.3 to 0.9
 * - Default: unset: the frames of the base layer have a QP that is lower by 3
 * - Takes effect: before opening
 *
 * It is a fraction of the bits of all frames over a few seconds. The encoder changes the QP of the
 * frames between those of the base layer until the fraction is reached, by -12 to 18. Needs
 * BaseLayerFrameRateFraction below 1, and adaptive quantisation, which x264's preset ultrafast and
 * SpatialAdaptiveQPLevel 0 turn off; otherwise opening the encoder fails with
 * NALU_STATUS_CONFLICT.
 */
#define NALU_PROPERTY_BASE_LAYER_BIT_RATE_FRACTION "BaseLayerBitRateFraction"

#endif
