/**
 * @file
 * The statuses of CoreVideo.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CVRETURN_H
#define CVRETURN_H

#include <CoreVideo/CVBase.h>

typedef int32_t CVReturn;

CF_ENUM(CVReturn) {
    kCVReturnSuccess = 0,

    kCVReturnFirst = -6660,

    kCVReturnError = kCVReturnFirst,
    /** A pointer that must not be NULL, a size of 0, or a stride or plane that is too small. */
    kCVReturnInvalidArgument = -6661,
    kCVReturnAllocationFailed = -6662,
    kCVReturnUnsupported = -6663,

    kCVReturnInvalidDisplay = -6670,
    kCVReturnDisplayLinkAlreadyRunning = -6671,
    kCVReturnDisplayLinkNotRunning = -6672,
    kCVReturnDisplayLinkCallbacksNotSet = -6673,

    /** An unknown pixel format, or one whose layout is not supported. */
    kCVReturnInvalidPixelFormat = -6680,
    /** A size that is too large. */
    kCVReturnInvalidSize = -6681,
    /**
     * A value in a dictionary of attributes that has a wrong type, is out of range, or is
     * missing.
     */
    kCVReturnInvalidPixelBufferAttributes = -6682,
    kCVReturnPixelBufferNotOpenGLCompatible = -6683,
    kCVReturnPixelBufferNotMetalCompatible = -6684,

    /** The pool already has as many buffers in use as the auxiliary attributes allow. */
    kCVReturnWouldExceedAllocationThreshold = -6689,
    kCVReturnPoolAllocationFailed = -6690,
    kCVReturnInvalidPoolAttributes = -6691,
    kCVReturnRetry = -6692,

    kCVReturnLast = -6699,
};

#endif
