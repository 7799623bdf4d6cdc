/* Properties that the encoder accepts only before it opens, and that programs change between frames. The session
 * continues with another encoder, which begins with a key frame. Every frame is returned once and in order. */
#include "session_support.h"

enum { WIDTH = 192, HEIGHT = 128 };

static OSStatus encode_at(VTCompressionSessionRef session, int n) {
    CVPixelBufferRef buffer = frame_of(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, WIDTH, HEIGHT, 7 * n);
    const OSStatus status =
        VTCompressionSessionEncodeFrame(session, buffer, CMTimeMake(n, 25), kCMTimeInvalid, NULL, NULL, NULL);
    CVPixelBufferRelease(buffer);
    return status;
}

/* A session as OBS creates it for a constant bit rate. */
static VTCompressionSessionRef constant_session(collected *all, int rate) {
    VTCompressionSessionRef session = session_of(WIDTH, HEIGHT, all);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), noErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_AllowFrameReordering, kCFBooleanFalse), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_ExpectedFrameRate, 25), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_ConstantBitRate, rate), noErr);
    return session;
}

/* Checks that the samples are in order, with the times of their frames. */
static void check_order(const collected *all, int count) {
    CHECK_EQ(all->count, count);
    CHECK(!all->overlapped);
    for (int i = 0; i < all->count; i++) {
        if (!CHECK(all->samples[i] != NULL)) continue;
        CHECK_EQ(CMSampleBufferGetPresentationTimeStamp(all->samples[i]).value, i);
        CHECK_EQ(CMSampleBufferGetDecodeTimeStamp(all->samples[i]).value, i);
    }
}

static void test_the_constant_rate(void) {
    static const int rates[] = {300000, 600000, 200000};
    enum { PART = 75 };
    collected all = COLLECTED;
    VTCompressionSessionRef session = constant_session(&all, rates[0]);
    for (int part = 0; part < 3; part++) {
        if (part) CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_ConstantBitRate, rates[part]), noErr);
        CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_ConstantBitRate), rates[part]);
        for (int n = 0; n < PART; n++) CHECK_EQ(encode_at(session, part * PART + n), noErr);
    }
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    check_order(&all, 3 * PART);
    for (int part = 0; part < 3; part++) {
        double bits = 0;
        for (int n = 0; n < PART; n++)
            bits += 8.0 * (double)CMSampleBufferGetTotalSampleSize(all.samples[part * PART + n]);
        CHECK_NEAR(bits / (PART / 25.0) / rates[part], 1, 0.1);
        CHECK(is_key_frame(all.samples[part * PART]));
        CHECK(!is_key_frame(all.samples[part * PART + 1]));
    }
    /* A refused value leaves the session unchanged. */
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_ConstantBitRate, 1000), kVTParameterErr);
    CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_ConstantBitRate), rates[2]);
    CHECK_EQ(encode_at(session, 3 * PART), noErr);
    VTCompressionSessionInvalidate(session);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_ConstantBitRate, 300000), kVTInvalidSessionErr);
    end_session(session, &all);
}

static int profile_of(CMSampleBufferRef sample) {
    const uint8_t *set = NULL;
    size_t size = 0;
    const OSStatus status = CMVideoFormatDescriptionGetH264ParameterSetAtIndex(
        CMSampleBufferGetFormatDescription(sample), 0, &set, &size, NULL, NULL);
    return status == noErr && size > 1 ? set[1] : -1;
}

static void test_delay_and_profile(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = session_of(WIDTH, HEIGHT, &all);
    for (int n = 0; n < 20; n++) CHECK_EQ(encode_at(session, n), noErr);
    /* Pending frames are output first. */
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), noErr);
    CHECK_EQ(collected_count(&all), 20);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_PrioritizeEncodingSpeedOverQuality, kCFBooleanTrue),
        noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_MaxFrameDelayCount, 0), noErr);
    CHECK_EQ(encode_at(session, 20), noErr);
    CHECK_EQ(collected_count(&all), 21);
    CHECK_EQ(
        VTSessionSetProperty(session, kVTCompressionPropertyKey_ProfileLevel, kVTProfileLevel_H264_Baseline_AutoLevel),
        noErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_ProfileLevel, CFSTR("H264_Finest")), kVTParameterErr);
    CHECK_EQ(encode_at(session, 21), noErr);
    CHECK_EQ(collected_count(&all), 22);
    CHECK_EQ(profile_of(all.samples[0]), 100);
    CHECK_EQ(profile_of(all.samples[20]), 100);
    CHECK_EQ(profile_of(all.samples[21]), 66);
    CHECK(is_key_frame(all.samples[20]) && is_key_frame(all.samples[21]));
    CMTime last = kCMTimeNegativeInfinity;
    for (int i = 0; i < all.count; i++) {
        const CMTime time = CMSampleBufferGetDecodeTimeStamp(all.samples[i]);
        CHECK(CMTimeCompare(last, time) < 0);
        last = time;
    }
    end_session(session, &all);
}

typedef struct inside {
    collected all;
    VTCompressionSessionRef session;
    OSStatus status;
} inside;

static void set_inside(void *refcon, void *frame, OSStatus status, VTEncodeInfoFlags flags, CMSampleBufferRef sample) {
    inside *it = (inside *)refcon;
    collect(&it->all, frame, status, flags, sample);
    it->status = set_integer(it->session, kVTCompressionPropertyKey_ConstantBitRate, 500000);
}

/* Changes that are refused. Inside the callback, the session's frames cannot be awaited. With long-term references, the
 * acknowledged ones would be lost. */
static void test_where_it_is_refused(void) {
    inside it = {.all = COLLECTED};
    REQUIRE(VTCompressionSessionCreate(NULL, WIDTH, HEIGHT, kCMVideoCodecType_H264, NULL, NULL, NULL, set_inside, &it,
                &it.session) == noErr);
    CHECK_EQ(VTSessionSetProperty(it.session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), noErr);
    CHECK_EQ(set_integer(it.session, kVTCompressionPropertyKey_ExpectedFrameRate, 25), noErr);
    CHECK_EQ(set_integer(it.session, kVTCompressionPropertyKey_ConstantBitRate, 300000), noErr);
    CHECK_EQ(encode_at(it.session, 0), noErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(it.session, kCMTimeInvalid), noErr);
    CHECK_EQ(it.all.count, 1);
    CHECK_EQ(it.status, kVTPropertyReadOnlyErr);
    CHECK_EQ(copy_number(it.session, kVTCompressionPropertyKey_ConstantBitRate), 300000);
    CFRelease(it.session);
    collected_clear(&it.all);
    collected all = COLLECTED;
    VTCompressionSessionRef session = session_of(WIDTH, HEIGHT, &all);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_EnableLTR, kCFBooleanTrue), noErr);
    CHECK_EQ(encode_at(session, 0), noErr);
    CHECK_EQ(
        VTSessionSetProperty(session, kVTCompressionPropertyKey_ProfileLevel, kVTProfileLevel_H264_Main_AutoLevel),
        kVTPropertyReadOnlyErr);
    end_session(session, &all);
}

enum { FED = 150 };

static void *feed(void *session) {
    for (int n = 0; n < FED; n++) CHECK_EQ(encode_at((VTCompressionSessionRef)session, n), noErr);
    return NULL;
}

/* Frames that another thread passes meanwhile wait, and none is lost. */
static void test_while_another_thread_encodes(void) {
    collected all = COLLECTED;
    pthread_t thread;
    VTCompressionSessionRef session = constant_session(&all, 300000);
    REQUIRE(pthread_create(&thread, NULL, feed, session) == 0);
    for (int i = 1; i <= 10; i++) {
        WAIT_UNTIL(collected_count(&all) >= 10 * i);
        CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_ConstantBitRate, 300000 + 10000 * i), noErr);
    }
    pthread_join(thread, NULL);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    check_order(&all, FED);
    CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_ConstantBitRate), 400000);
    end_session(session, &all);
}

int main(void) {
    RUN(test_the_constant_rate);
    RUN(test_delay_and_profile);
    RUN(test_where_it_is_refused);
    RUN(test_while_another_thread_encodes);
    return check_result();
}
