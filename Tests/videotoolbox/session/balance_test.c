/* Sessions leave nothing behind: every object that they make is freed. NALU_TEST_SESSIONS says how many; 10000 in long
 * runs. */
#include "session_support.h"

#include <malloc.h>

static _Atomic int released;

/* A value whose end is seen. */
static void count_release(CFAllocatorRef allocator, const void *value) {
    (void)allocator, (void)value;
    released++;
}

static const void *retain_nothing(CFAllocatorRef allocator, const void *value) {
    (void)allocator;
    return value;
}

/* An array that counts its own end; it serves as a token on samples. */
static CFArrayRef witness(void) {
    static const CFArrayCallBacks callbacks = {0, retain_nothing, count_release, NULL, NULL};
    const void *values[1] = {&released};
    return CFArrayCreate(NULL, values, 1, &callbacks);
}

static void attach_witness(void *refcon, void *frame, OSStatus status, VTEncodeInfoFlags flags,
    CMSampleBufferRef sample) {
    (void)frame, (void)flags;
    CHECK_EQ(status, noErr);
    if (!sample) return;
    CFArrayRef array = witness();
    CMSetAttachment(sample, CFSTR("witness"), array, kCMAttachmentMode_ShouldNotPropagate);
    CFRelease(array);
    __atomic_fetch_add((int *)refcon, 1, __ATOMIC_SEQ_CST);
}

static size_t used_memory(void) { return mallinfo2().uordblks; }

static void one_session(int round, int *samples) {
    VTCompressionSessionRef session = NULL;
    CFTypeRef value = NULL;
    CFDictionaryRef supported = NULL;
    CHECK_EQ(VTCompressionSessionCreate(
                 NULL, 64, 64, kCMVideoCodecType_H264, NULL, NULL, NULL, attach_witness, samples, &session),
        noErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), noErr);
    CHECK_EQ(VTSessionSetProperty(session, CFSTR("x264.preset"), CFSTR("ultrafast")), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, 100000), noErr);
    CHECK_EQ(set_number(session, kVTCompressionPropertyKey_GammaLevel, 2.2), noErr);
    CHECK_EQ(VTSessionCopyProperty(session, kVTCompressionPropertyKey_ProfileLevel, NULL, &value), noErr);
    if (value) CFRelease(value);
    if (round % 16 == 0) {
        CHECK_EQ(VTSessionCopySupportedPropertyDictionary(session, &supported), noErr);
        if (supported) CFRelease(supported);
    }
    CVPixelBufferRef buffer = NULL;
    CHECK_EQ(CVPixelBufferPoolCreatePixelBuffer(NULL, VTCompressionSessionGetPixelBufferPool(session), &buffer),
        kCVReturnSuccess);
    for (int n = 0; n < 2; n++) {
        paint(buffer, n);
        CHECK_EQ(VTCompressionSessionEncodeFrame(session, buffer, CMTimeMake(n, 30), kCMTimeInvalid, NULL, NULL, NULL),
            noErr);
    }
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CVPixelBufferRelease(buffer);
    if (round % 2) VTCompressionSessionInvalidate(session);
    CFRelease(session);
}

static void test_nothing_is_left(void) {
    const char *asked = getenv("NALU_TEST_SESSIONS");
    const int sessions = asked && atoi(asked) > 0 ? atoi(asked) : 300;
    int samples = 0;
    size_t before = 0;
    for (int round = 0; round < sessions; round++) {
        one_session(round, &samples);
        if (round == sessions / 3) before = used_memory();
    }
    CHECK_EQ(samples, 2 * sessions);
    CHECK_EQ(released, samples); /* each sample buffer has ended, with its attachments */
    /* A single object of 64 bytes a session would be seen. */
    const double grown = (double)used_memory() - (double)before;
    printf("%d sessions, %d samples, %d ended, %.0f bytes more after the first third\n", sessions, samples, released,
        grown);
    if (!IS_SANITIZED) CHECK(grown < 64.0 * sessions * 2 / 3 + 200000);
}

int main(void) {
    RUN(test_nothing_is_left);
    return check_result();
}
