/* Common code of the tests of compression sessions: frames with a moving picture, and a store of the results. */
#ifndef NALU_TESTS_SESSION_SUPPORT_H
#define NALU_TESTS_SESSION_SUPPORT_H

#include "check.h"

#include <VideoToolbox/VideoToolbox.h>
#include <pthread.h>


static inline CFNumberRef number(double value) { return CFNumberCreate(NULL, kCFNumberDoubleType, &value); }
static inline CFNumberRef integer(int value) { return CFNumberCreate(NULL, kCFNumberIntType, &value); }

/* Sets a property, and releases the caller's reference to the value. */
static inline OSStatus set_and_release(VTCompressionSessionRef session, CFStringRef key, CFTypeRef value) {
    const OSStatus status = VTSessionSetProperty(session, key, value);
    CFRelease(value);
    return status;
}

static inline OSStatus set_integer(VTCompressionSessionRef session, CFStringRef key, int value) {
    return set_and_release(session, key, integer(value));
}

static inline OSStatus set_number(VTCompressionSessionRef session, CFStringRef key, double value) {
    return set_and_release(session, key, number(value));
}

static inline CFTypeRef copy_value(VTSessionRef session, CFStringRef key) {
    CFTypeRef value = NULL;
    return VTSessionCopyProperty(session, key, NULL, &value) == noErr ? value : NULL;
}

/* The value of a property as a number; NaN if it is none. */
static inline double copy_number(VTCompressionSessionRef session, CFStringRef key) {
    CFTypeRef value = copy_value(session, key);
    double result = NAN;
    if (value && CFGetTypeID(value) == CFNumberGetTypeID()) CFNumberGetValue(value, kCFNumberDoubleType, &result);
    if (value) CFRelease(value);
    return result;
}

/* A dictionary with one pair. */
static inline CFDictionaryRef pair(CFStringRef key, CFTypeRef value) {
    return CFDictionaryCreate(NULL, (const void **)&key, &value, 1, &kCFTypeDictionaryKeyCallBacks,
        &kCFTypeDictionaryValueCallBacks);
}

/* The n-th byte of a picture that moves to the right, with some noise. */
static inline uint8_t picture_byte(int x, int y, int n) {
    const uint32_t noise = ((uint32_t)x * 374761393u + (uint32_t)y * 668265263u) ^ 0x9e3779b9u;
    return (uint8_t)(16 + ((x + 3 * n) * 2 + y + (int)(noise >> 28)) % 200);
}

static inline void fill_plane(uint8_t *bytes, size_t stride, int width, int height, int n) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) bytes[(size_t)y * stride + (size_t)x] = picture_byte(x, y, n);
}

static inline void paint(CVPixelBufferRef buffer, int n) {
    CVPixelBufferLockBaseAddress(buffer, 0);
    if (!CVPixelBufferIsPlanar(buffer))
        fill_plane(CVPixelBufferGetBaseAddress(buffer), CVPixelBufferGetBytesPerRow(buffer),
            (int)CVPixelBufferGetBytesPerRow(buffer), (int)CVPixelBufferGetHeight(buffer), n);
    for (size_t i = 0; i < CVPixelBufferGetPlaneCount(buffer); i++) {
        /* Fills whole rows, since a sample may have two bytes. */
        const size_t stride = CVPixelBufferGetBytesPerRowOfPlane(buffer, i);
        fill_plane(CVPixelBufferGetBaseAddressOfPlane(buffer, i), stride, (int)stride,
            (int)CVPixelBufferGetHeightOfPlane(buffer, i), n);
    }
    CVPixelBufferUnlockBaseAddress(buffer, 0);
}

static inline CVPixelBufferRef frame_of(OSType format, size_t width, size_t height, int n) {
    CVPixelBufferRef buffer = NULL;
    if (!CHECK(CVPixelBufferCreate(NULL, width, height, format, NULL, &buffer) == kCVReturnSuccess)) exit(1);
    paint(buffer, n);
    return buffer;
}

/* The results of the callbacks. */
enum { MOST_SAMPLES = 512 };
typedef struct collected {
    pthread_mutex_t lock;
    int count;
    int inside; /* the number of callbacks that run now */
    int overlapped;
    CMSampleBufferRef samples[MOST_SAMPLES];
    OSStatus statuses[MOST_SAMPLES];
    VTEncodeInfoFlags flags[MOST_SAMPLES];
    void *refcons[MOST_SAMPLES];
} collected;

#define COLLECTED {.lock = PTHREAD_MUTEX_INITIALIZER}

static inline void collect(void *refcon, void *frame, OSStatus status, VTEncodeInfoFlags flags,
    CMSampleBufferRef sample) {
    collected *all = (collected *)refcon;
    pthread_mutex_lock(&all->lock);
    const int index = all->count++ % MOST_SAMPLES;
    if (all->inside++) all->overlapped = 1;
    all->samples[index] = sample ? (CMSampleBufferRef)CFRetain(sample) : NULL;
    all->statuses[index] = status;
    all->flags[index] = flags;
    all->refcons[index] = frame;
    all->inside--;
    pthread_mutex_unlock(&all->lock);
}

static inline int collected_count(collected *all) {
    pthread_mutex_lock(&all->lock);
    const int count = all->count;
    pthread_mutex_unlock(&all->lock);
    return count;
}

static inline void collected_clear(collected *all) {
    for (int i = 0; i < all->count && i < MOST_SAMPLES; i++)
        if (all->samples[i]) CFRelease(all->samples[i]);
    all->count = 0;
}

/* Releases the session and its results. */
static inline void end_session(VTCompressionSessionRef session, collected *all) {
    CFRelease(session);
    collected_clear(all);
}

static inline VTCompressionSessionRef session_of(int width, int height, collected *all) {
    VTCompressionSessionRef session = NULL;
    const OSStatus status = VTCompressionSessionCreate(
        NULL, width, height, kCMVideoCodecType_H264, NULL, NULL, NULL, all ? collect : NULL, all, &session);
    if (!CHECK_EQ(status, noErr)) exit(1);
    return session;
}

/* A fast session without delay. */
static inline VTCompressionSessionRef live_session(int width, int height, collected *all) {
    VTCompressionSessionRef session = session_of(width, height, all);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), noErr);
    CHECK_EQ(VTSessionSetProperty(session, CFSTR("x264.preset"), CFSTR("ultrafast")), noErr);
    return session;
}

static inline OSStatus encode_with(VTCompressionSessionRef session, int n, CFDictionaryRef options, void *refcon) {
    CVPixelBufferRef buffer = frame_of(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, 64, 64, n);
    const OSStatus status =
        VTCompressionSessionEncodeFrame(session, buffer, CMTimeMake(n, 30), kCMTimeInvalid, options, refcon, NULL);
    CVPixelBufferRelease(buffer);
    return status;
}

static inline OSStatus encode(VTCompressionSessionRef session, int n) { return encode_with(session, n, NULL, NULL); }

/* Encodes frames 0 to count - 1, and waits for them. */
static inline void encode_frames(VTCompressionSessionRef session, int count) {
    for (int n = 0; n < count; n++) CHECK_EQ(encode(session, n), noErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
}

/* The value of a key of the sample's one dictionary; NULL if there is none. */
static inline CFTypeRef attachment_of(CMSampleBufferRef sample, CFStringRef key) {
    CFArrayRef all = CMSampleBufferGetSampleAttachmentsArray(sample, false);
    return all && CFArrayGetCount(all) > 0 ? CFDictionaryGetValue(CFArrayGetValueAtIndex(all, 0), key) : NULL;
}

static inline bool is_key_frame(CMSampleBufferRef sample) {
    return attachment_of(sample, kCMSampleAttachmentKey_NotSync) != kCFBooleanTrue;
}

#endif
