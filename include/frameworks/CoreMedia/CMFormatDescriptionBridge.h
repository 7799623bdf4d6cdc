/**
 * @file
 * Statuses of the conversion of sample descriptions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CMFORMATDESCRIPTIONBRIDGE_H
#define CMFORMATDESCRIPTIONBRIDGE_H

#include <CoreMedia/CMFormatDescription.h>

/** Programs compare statuses with these values. No function here returns them. */
CF_ENUM(OSStatus) {
    kCMFormatDescriptionBridgeError_InvalidParameter = -12712,
    kCMFormatDescriptionBridgeError_AllocationFailed = -12713,
    kCMFormatDescriptionBridgeError_InvalidSerializedSampleDescription = -12714,
    kCMFormatDescriptionBridgeError_InvalidFormatDescription = -12715,
    kCMFormatDescriptionBridgeError_IncompatibleFormatDescription = -12716,
    kCMFormatDescriptionBridgeError_UnsupportedSampleDescriptionFlavor = -12717,
    kCMFormatDescriptionBridgeError_InvalidSlice = -12719,
};

#endif
