/**
 * @file
 * Definitions for all headers of CoreVideo.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CVBASE_H
#define CVBASE_H

#include <CoreFoundation/CoreFoundation.h>

#ifdef __cplusplus
#define CV_EXPORT extern "C"
#else
#define CV_EXPORT extern
#endif

/**
 * Mark a parameter `XRef *out`, or a result, with which the caller receives a reference to
 * release.
 */
#define CV_RETURNS_RETAINED_PARAMETER CF_RETURNS_RETAINED
#define CV_RETURNS_RETAINED CF_RETURNS_RETAINED

CF_ASSUME_NONNULL_BEGIN

typedef uint64_t CVOptionFlags;

/* ---- Times ---------------------------------------------------------------------------------- */

typedef CF_ENUM(uint32_t, CVSMPTETimeType) {
    kCVSMPTETimeType24 = 0,
    kCVSMPTETimeType25 = 1,
    kCVSMPTETimeType30Drop = 2,
    kCVSMPTETimeType30 = 3,
    kCVSMPTETimeType2997 = 4,
    kCVSMPTETimeType2997Drop = 5,
    kCVSMPTETimeType60 = 6,
    kCVSMPTETimeType5994 = 7,
};

typedef CF_OPTIONS(uint32_t, CVSMPTETimeFlags) {
    kCVSMPTETimeValid = 1u << 0,
    kCVSMPTETimeRunning = 1u << 1,
};

/** A time code of SMPTE ST 12. */
typedef struct CVSMPTETime {
    SInt16 subframes;
    SInt16 subframeDivisor;
    UInt32 counter;
    UInt32 type;  /**< kCVSMPTETimeType... */
    UInt32 flags; /**< kCVSMPTETimeValid, kCVSMPTETimeRunning */
    SInt16 hours;
    SInt16 minutes;
    SInt16 seconds;
    SInt16 frames;
} CVSMPTETime;

typedef CF_OPTIONS(int32_t, CVTimeFlags) {
    kCVTimeIsIndefinite = 1 << 0,
};

/** A time of timeValue / timeScale seconds. */
typedef struct CVTime {
    int64_t timeValue;
    int32_t timeScale;
    int32_t flags; /**< kCVTimeIsIndefinite */
} CVTime;

CV_EXPORT const CVTime kCVZeroTime;
CV_EXPORT const CVTime kCVIndefiniteTime;

typedef CF_OPTIONS(uint64_t, CVTimeStampFlags) {
    kCVTimeStampVideoTimeValid = 1u << 0,
    kCVTimeStampHostTimeValid = 1u << 1,
    kCVTimeStampSMPTETimeValid = 1u << 2,
    kCVTimeStampVideoRefreshPeriodValid = 1u << 3,
    kCVTimeStampRateScalarValid = 1u << 4,
    kCVTimeStampTopField = 1u << 16,
    kCVTimeStampBottomField = 1u << 17,
    kCVTimeStampVideoHostTimeValid = kCVTimeStampVideoTimeValid | kCVTimeStampHostTimeValid,
    kCVTimeStampIsInterlaced = kCVTimeStampTopField | kCVTimeStampBottomField,
};

/** The time at which a display shows a frame. */
typedef struct CVTimeStamp {
    uint32_t version; /**< 0 */
    int32_t videoTimeScale;
    int64_t videoTime;
    uint64_t hostTime;
    double rateScalar;
    int64_t videoRefreshPeriod;
    CVSMPTETime smpteTime;
    uint64_t flags; /**< kCVTimeStamp... */
    uint64_t reserved;
} CVTimeStamp;

CF_ASSUME_NONNULL_END

#endif
