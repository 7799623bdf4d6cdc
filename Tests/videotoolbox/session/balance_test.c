/* Sessions free every object that they make. NALU_TEST_SESSIONS is the number of sessions, 10000 in long runs. */
#include "session_support.h"

#include <malloc.h>

static _Atomic int released;

/* Counts the releases of a value. */
static void count_release(CFAllocatorRef allocator, const void *value) {
    (void)allocator, (void)value;
    released++;
}

static const void *retain_nothing(CFAllocatorRef allocator, const void *value) {
    (void)allocator;
    return value;
}

/* An array whose release is counted, as an attachment of samples. */
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

static int session_count(void) {
    const char *asked = getenv("NALU_TEST_SESSIONS");
    return asked && atoi(asked) > 0 ? atoi(asked) : 300;
}

static void test_nothing_is_left(void) {
    const int sessions = session_count();
    int samples = 0;
    size_t before = 0;
    for (int round = 0; round < sessions; round++) {
        one_session(round, &samples);
        if (round == sessions / 3) before = used_memory();
    }
    CHECK_EQ(samples, 2 * sessions);
    CHECK_EQ(released, samples); /* each sample buffer has been released, with its attachments */
    /* One object of 64 bytes that each session leaks exceeds this limit. */
    const double grown = (double)used_memory() - (double)before;
    printf("%d sessions, %d samples, %d ended, %.0f bytes more after the first third\n", sessions, samples, released,
        grown);
    if (!IS_SANITIZED) CHECK(grown < 64.0 * sessions * 2 / 3 + 200000);
}

/* ---- Decoding ---- */

static _Atomic int freed_blocks;

static void count_block(void *refcon, void *block, size_t size) {
    (void)refcon, (void)size;
    freed_blocks++;
    free(block);
}

/* A new sample, with the data and the parameter sets of another one. */
static CMSampleBufferRef copy_sample(CMSampleBufferRef source) {
    const CMBlockBufferCustomBlockSource blocks = {.FreeBlock = count_block};
    CMBlockBufferRef data = CMSampleBufferGetDataBuffer(source), block = NULL;
    CMFormatDescriptionRef format = NULL;
    CMSampleBufferRef sample = NULL;
    CMSampleTimingInfo timing;
    const uint8_t *sets[2];
    size_t sizes[2];
    const size_t size = CMBlockBufferGetDataLength(data);
    void *bytes = malloc(size);
    for (size_t i = 0; i < 2; i++)
        REQUIRE(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(
                    CMSampleBufferGetFormatDescription(source), i, &sets[i], &sizes[i], NULL, NULL) == noErr);
    REQUIRE(CMVideoFormatDescriptionCreateFromH264ParameterSets(NULL, 2, sets, sizes, 4, &format) == noErr);
    REQUIRE(CMBlockBufferCopyDataBytes(data, 0, size, bytes) == noErr);
    REQUIRE(CMBlockBufferCreateWithMemoryBlock(NULL, bytes, size, NULL, &blocks, 0, size, 0, &block) == noErr);
    REQUIRE(CMSampleBufferGetSampleTimingInfo(source, 0, &timing) == noErr);
    REQUIRE(CMSampleBufferCreateReady(NULL, block, format, 1, 1, &timing, 1, &size, &sample) == noErr);
    CFRelease(block);
    CFRelease(format);
    return sample;
}

static void keep_image(void *refcon, void *frame, OSStatus status, VTDecodeInfoFlags flags, CVImageBufferRef image,
    CMTime time, CMTime duration) {
    (void)frame, (void)flags, (void)time, (void)duration;
    CHECK_EQ(status, noErr);
    if (image) *(CVPixelBufferRef *)refcon = CVPixelBufferRetain(image);
}

static void one_decoding(int round, CMSampleBufferRef source) {
    CMSampleBufferRef sample = copy_sample(source);
    CVPixelBufferRef image = NULL, other = NULL;
    CFTypeRef pool = NULL;
    CFDictionaryRef supported = NULL;
    VTDecompressionSessionRef session = NULL;
    VTDecompressionOutputCallbackRecord callback = {keep_image, &image};
    CFNumberRef format = integer((int)kCVPixelFormatType_32BGRA);
    CFDictionaryRef attributes = pair(kCVPixelBufferPixelFormatTypeKey, format);
    CFRelease(format);
    CHECK_EQ(VTDecompressionSessionCreate(NULL, CMSampleBufferGetFormatDescription(sample), NULL,
                 round % 2 ? attributes : NULL, &callback, &session),
        noErr);
    CFRelease(attributes);
    REQUIRE(session);
    const VTDecodeFrameFlags flags = round % 4 > 1 ? kVTDecodeFrame_EnableAsynchronousDecompression : 0;
    CHECK_EQ(VTDecompressionSessionDecodeFrame(session, sample, flags, NULL, NULL), noErr);
    CHECK_EQ(VTDecompressionSessionWaitForAsynchronousFrames(session), noErr);
    CHECK_EQ(VTSessionCopyProperty(session, kVTDecompressionPropertyKey_PixelBufferPool, NULL, &pool), noErr);
    if (CHECK(pool != NULL)) {
        CHECK_EQ(CVPixelBufferPoolCreatePixelBuffer(NULL, (CVPixelBufferPoolRef)pool, &other), kCVReturnSuccess);
        CFRelease(pool);
    }
    if (round % 16 == 0) {
        CHECK_EQ(VTSessionCopySupportedPropertyDictionary(session, &supported), noErr);
        if (supported) CFRelease(supported);
    }
    CFRelease(sample);
    if (round % 3 == 0) VTDecompressionSessionInvalidate(session);
    CFRelease(session);
    CHECK(image != NULL);
    CVPixelBufferRelease(image);
    CVPixelBufferRelease(other);
}

/* The same for decompression sessions, and for the samples, data, descriptions, pools and images that belong to
 * them. */
static void test_nothing_is_left_of_decoding(void) {
    const int sessions = session_count();
    collected all = COLLECTED;
    size_t before = 0;
    VTCompressionSessionRef encoder = live_session(64, 64, &all);
    CHECK_EQ(encode(encoder, 0), noErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(encoder, kCMTimeInvalid), noErr);
    CFRelease(encoder);
    REQUIRE(all.count == 1 && all.samples[0]);
    for (int round = 0; round < sessions; round++) {
        one_decoding(round, all.samples[0]);
        if (round == sessions / 3) before = used_memory();
    }
    CHECK_EQ(freed_blocks, sessions);
    const double grown = (double)used_memory() - (double)before;
    printf("%d decompression sessions, %d blocks freed, %.0f bytes more after the first third\n", sessions,
        freed_blocks, grown);
    if (!IS_SANITIZED) CHECK(grown < 64.0 * sessions * 2 / 3 + 200000);
    collected_clear(&all);
}

int main(void) {
    RUN(test_nothing_is_left);
    RUN(test_nothing_is_left_of_decoding);
    return check_result();
}
