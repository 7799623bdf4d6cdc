/* Times of samples: behaviours 22 to 24 of the programs that use VideoToolbox. */
#include "session_support.h"

static bool same(CMTime a, CMTime b) {
    return a.value == b.value && a.timescale == b.timescale && a.flags == b.flags && a.epoch == b.epoch;
}

static void encode_times(VTCompressionSessionRef session, const CMTime *times, const CMTime *durations, int count) {
    CVPixelBufferRef buffer = frame_of(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, 64, 64, 0);
    for (int n = 0; n < count; n++) {
        paint(buffer, n);
        CHECK_EQ(VTCompressionSessionEncodeFrame(session, buffer, times[n], durations[n], NULL, NULL, NULL), noErr);
    }
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CVPixelBufferRelease(buffer);
}

static bool is_one_of(CMTime time, const CMTime *times, int count) {
    for (int i = 0; i < count; i++)
        if (same(time, times[i])) return true;
    return false;
}

/* Behaviour 22: value, timescale, flags and epoch are the caller's, bit for bit, in every time of a sample. */
static void test_times_are_the_callers(void) {
    enum { COUNT = 24 };
    const int32_t scales[] = {30000, 1000000000, 90000, 7, 600};
    CMTime times[COUNT], durations[COUNT];
    for (int n = 0; n < COUNT; n++) {
        const int32_t scale = scales[n % 5];
        times[n] = CMTimeMake((int64_t)(1000 + n) * scale, scale);
        times[n].epoch = 5;
        if (n % 3 == 0) times[n].flags |= kCMTimeFlags_HasBeenRounded;
        durations[n] = n % 2 ? CMTimeMake(scale, scale) : kCMTimeInvalid;
    }
    for (int reorders = 0; reorders < 2; reorders++) {
        collected all = COLLECTED;
        VTCompressionSessionRef session = session_of(64, 64, &all);
        CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_AllowFrameReordering,
                     reorders ? kCFBooleanTrue : kCFBooleanFalse),
            noErr);
        encode_times(session, times, durations, COUNT);
        CHECK_EQ(all.count, COUNT);
        for (int i = 0; i < all.count; i++) {
            const CMTime time = CMSampleBufferGetPresentationTimeStamp(all.samples[i]);
            const int n = (int)CMTimeGetSeconds(time) - 1000;
            REQUIRE(n >= 0 && n < COUNT);
            CHECK(same(time, times[n]));
            CHECK(same(CMSampleBufferGetDuration(all.samples[i]), durations[n]));
            CHECK(is_one_of(CMSampleBufferGetDecodeTimeStamp(all.samples[i]), times, COUNT));
            CHECK(same(CMSampleBufferGetOutputPresentationTimeStamp(all.samples[i]), time));
        }
        end_session(session, &all);
    }
}

/* Behaviour 23: with reordering, the n-th decode time is the n-th smallest presentation time: none is shifted, and some
 * are after their presentation times. */
static void test_decode_times_with_reordering(void) {
    enum { COUNT = 40 };
    CMTime times[COUNT], durations[COUNT];
    collected all = COLLECTED;
    VTCompressionSessionRef session = session_of(64, 64, &all);
    for (int n = 0; n < COUNT; n++) {
        times[n] = CMTimeMake(100 + 40 * n + n % 3, 1000);
        durations[n] = CMTimeMake(40, 1000);
    }
    encode_times(session, times, durations, COUNT);
    REQUIRE(all.count == COUNT);
    int later = 0;
    for (int i = 0; i < COUNT; i++) {
        const CMTime decode = CMSampleBufferGetDecodeTimeStamp(all.samples[i]);
        CHECK(same(decode, times[i]));
        /* Behaviour 19: FFmpeg shifts the decode times of H.264 by one frame, which has to be enough. */
        if (i > 0) CHECK(CMTimeCompare(times[i - 1], CMSampleBufferGetPresentationTimeStamp(all.samples[i])) <= 0);
        later += CMTimeCompare(decode, CMSampleBufferGetPresentationTimeStamp(all.samples[i])) > 0;
    }
    CHECK(later > 0);
    end_session(session, &all);
}

/* Behaviour 24: without reordering, the decode time is the presentation time. */
static void test_decode_times_without_reordering(void) {
    enum { COUNT = 10 };
    CMTime times[COUNT], durations[COUNT];
    collected all = COLLECTED;
    VTCompressionSessionRef session = live_session(64, 64, &all);
    for (int n = 0; n < COUNT; n++) {
        times[n] = CMTimeMake(1 + 7 * n * n, 90000);
        durations[n] = kCMTimeInvalid;
    }
    encode_times(session, times, durations, COUNT);
    REQUIRE(all.count == COUNT);
    for (int i = 0; i < COUNT; i++) {
        CHECK(same(CMSampleBufferGetPresentationTimeStamp(all.samples[i]), times[i]));
        CHECK(same(CMSampleBufferGetDecodeTimeStamp(all.samples[i]), times[i]));
        CHECK(CMTIME_IS_INVALID(CMSampleBufferGetDuration(all.samples[i])));
    }
    end_session(session, &all);
}

int main(void) {
    RUN(test_times_are_the_callers);
    RUN(test_decode_times_with_reordering);
    RUN(test_decode_times_without_reordering);
    return check_result();
}
