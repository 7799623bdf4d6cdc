/**
 * @file
 * The statuses and flags of VideoToolbox.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VTERRORS_H
#define VTERRORS_H

#include <VideoToolbox/VTBase.h>

/**
 * The numbers are the same as on a Mac. The comments of the functions name the statuses that are
 * returned. The others are never returned; programs compare statuses with them.
 */
CF_ENUM(OSStatus) {
    kVTPropertyNotSupportedErr = -12900,
    kVTPropertyReadOnlyErr = -12901,
    kVTParameterErr = -12902,
    kVTInvalidSessionErr = -12903,
    kVTAllocationFailedErr = -12904,
    kVTPixelTransferNotSupportedErr = -12905,
    kVTCouldNotFindVideoDecoderErr = -12906,
    kVTCouldNotCreateInstanceErr = -12907,
    kVTCouldNotFindVideoEncoderErr = -12908,
    kVTVideoDecoderBadDataErr = -12909,
    kVTVideoDecoderUnsupportedDataFormatErr = -12910,
    kVTVideoDecoderMalfunctionErr = -12911,
    kVTVideoEncoderMalfunctionErr = -12912,
    kVTVideoDecoderNotAvailableNowErr = -12913,
    kVTImageRotationNotSupportedErr = -12914,
    kVTPixelRotationNotSupportedErr = -12914,
    kVTVideoEncoderNotAvailableNowErr = -12915,
    kVTFormatDescriptionChangeNotSupportedErr = -12916,
    kVTInsufficientSourceColorDataErr = -12917,
    kVTCouldNotCreateColorCorrectionDataErr = -12918,
    kVTColorSyncTransformConvertFailedErr = -12919,
    kVTVideoDecoderAuthorizationErr = -12210,
    kVTVideoEncoderAuthorizationErr = -12211,
    kVTColorCorrectionPixelTransferFailedErr = -12212,
    kVTMultiPassStorageIdentifierMismatchErr = -12213,
    kVTMultiPassStorageInvalidErr = -12214,
    kVTFrameSiloInvalidTimeStampErr = -12215,
    kVTFrameSiloInvalidTimeRangeErr = -12216,
    kVTCouldNotFindTemporalFilterErr = -12217,
    kVTPixelTransferNotPermittedErr = -12218,
    kVTColorCorrectionImageRotationFailedErr = -12219,
    kVTVideoDecoderRemovedErr = -17690,
    kVTSessionMalfunctionErr = -17691,
    kVTVideoDecoderNeedsRosettaErr = -17692,
    kVTVideoEncoderNeedsRosettaErr = -17693,
    kVTVideoDecoderReferenceMissingErr = -17694,
    kVTVideoDecoderCallbackMessagingErr = -17695,
    kVTVideoDecoderUnknownErr = -17696,
    kVTExtensionDisabledErr = -17697,
    kVTVideoEncoderMVHEVCVideoLayerIDsMismatchErr = -17698,
    kVTCouldNotOutputTaggedBufferGroupErr = -17699,
    kVTCouldNotFindExtensionErr = -19510,
    kVTExtensionConflictErr = -19511,
    kVTVideoEncoderAutoWhiteBalanceNotLockedErr = -19512,
};

/** Options for decoding a frame; see VTDecompressionSession.h. */
typedef CF_OPTIONS(uint32_t, VTDecodeFrameFlags) {
    kVTDecodeFrame_EnableAsynchronousDecompression = 1 << 0, /**< the call need not wait */
    kVTDecodeFrame_DoNotOutputFrame = 1 << 1,                /**< it may still be a reference */
    kVTDecodeFrame_1xRealTimePlayback = 1 << 2,              /**< no effect */
    kVTDecodeFrame_EnableTemporalProcessing = 1 << 3,        /**< output order */
};

/** Information about a decoded frame. */
typedef CF_OPTIONS(uint32_t, VTDecodeInfoFlags) {
    kVTDecodeInfo_Asynchronous = 1 << 0,
    kVTDecodeInfo_FrameDropped = 1 << 1,
    kVTDecodeInfo_ImageBufferModifiable = 1 << 2,
    kVTDecodeInfo_SkippedLeadingFrameDropped = 1 << 3,
    kVTDecodeInfo_FrameInterrupted = 1 << 4,
};

/** Information about an encoded frame. */
typedef CF_OPTIONS(uint32_t, VTEncodeInfoFlags) {
    kVTEncodeInfo_Asynchronous = 1 << 0, /**< the output may follow after EncodeFrame returns */
    kVTEncodeInfo_FrameDropped = 1 << 1, /**< there is no sample buffer */
};

#endif
