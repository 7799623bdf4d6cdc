/* Callbacks, waiting and the end of a session: behaviours 1 to 12 of the programs that use VideoToolbox. */
#include "session_support.h"

#include <unistd.h>

/* Behaviour 1: callbacks are called in decode order, and each has its frame's refcon. */
static void test_callbacks_come_in_decode_order(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = session_of(64, 64, &all);
    for (int n = 0; n < 40; n++) CHECK_EQ(encode_with(session, n, NULL, (void *)(intptr_t)(n + 1)), noErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CHECK_EQ(all.count, 40);
    int reordered = 0;
    for (int i = 0; i < all.count; i++) {
        const CMTime time = CMSampleBufferGetPresentationTimeStamp(all.samples[i]);
        CHECK_EQ((intptr_t)all.refcons[i], time.value + 1);
        if (i == 0) continue;
        CHECK(CMTimeCompare(CMSampleBufferGetDecodeTimeStamp(all.samples[i - 1]),
                  CMSampleBufferGetDecodeTimeStamp(all.samples[i])) < 0);
        reordered += CMTimeCompare(CMSampleBufferGetPresentationTimeStamp(all.samples[i - 1]), time) > 0;
    }
    CHECK(reordered > 0); /* otherwise the order proves nothing */
    end_session(session, &all);
}

static OSStatus encode_at(VTCompressionSessionRef session, CVPixelBufferRef buffer, CMTime time) {
    VTEncodeInfoFlags flags = 99;
    const OSStatus status =
        VTCompressionSessionEncodeFrame(session, buffer, time, kCMTimeInvalid, NULL, NULL, &flags);
    CHECK_EQ(flags, status == noErr ? kVTEncodeInfo_Asynchronous : 0);
    return status;
}

/* Behaviours 2 and 3: one callback for each accepted frame, never two at the same time, and none for a refused
 * frame. */
static void test_one_callback_for_each_accepted_frame(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = live_session(64, 64, &all);
    CVPixelBufferRef buffer = frame_of(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, 64, 64, 0);
    for (int n = 0; n < 20; n++) CHECK_EQ(encode_at(session, buffer, CMTimeMake(n, 30)), noErr);
    CHECK_EQ(encode_at(session, buffer, CMTimeMake(3, 30)), kVTParameterErr);
    CHECK_EQ(encode_at(session, buffer, kCMTimeInvalid), kVTParameterErr);
    CHECK_EQ(encode_at(session, buffer, kCMTimePositiveInfinity), kVTParameterErr);
    CHECK_EQ(encode_at(session, buffer, CMTimeMake(20, 30)), noErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeIndefinite), noErr);
    CHECK_EQ(all.count, 21);
    CHECK_EQ(all.overlapped, 0);
    for (int i = 0; i < 21; i++) {
        CHECK_EQ(all.statuses[i], noErr);
        /* Refused frames have no effect on the decode times. */
        CHECK_EQ(CMTimeCompare(CMSampleBufferGetDecodeTimeStamp(all.samples[i]),
                     CMSampleBufferGetPresentationTimeStamp(all.samples[i])),
            0);
    }
    CVPixelBufferRelease(buffer);
    end_session(session, &all);
}

enum { FRAME_BYTES = 64 * 64 * 3 / 2 };

static void free_planes(void *refcon, void *frame, OSStatus status, VTEncodeInfoFlags flags, CMSampleBufferRef sample) {
    CHECK_EQ(status, noErr);
    CHECK_EQ(flags, 0);
    CHECK(sample != NULL);
    *(int *)refcon += 1;
    memset(frame, 0xa5, FRAME_BYTES);
    free(frame);
}

/* Behaviour 4: the callback frees the planes. */
static void test_planes_can_be_freed_in_the_callback(void) {
    int count = 0;
    VTCompressionSessionRef session = NULL;
    CHECK_EQ(VTCompressionSessionCreate(
                 NULL, 64, 64, kCMVideoCodecType_H264, NULL, NULL, NULL, free_planes, &count, &session),
        noErr);
    for (int n = 0; n < 60; n++) {
        uint8_t *bytes = malloc(FRAME_BYTES);
        void *planes[2] = {bytes, bytes + 64 * 64};
        size_t widths[2] = {64, 32}, heights[2] = {64, 32}, strides[2] = {64, 64};
        CVPixelBufferRef buffer = NULL;
        fill_plane(bytes, 64, 64, 96, n);
        CHECK_EQ(CVPixelBufferCreateWithPlanarBytes(NULL, 64, 64, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, NULL,
                     0, 2, planes, widths, heights, strides, NULL, NULL, NULL, &buffer),
            kCVReturnSuccess);
        CHECK_EQ(
            VTCompressionSessionEncodeFrame(session, buffer, CMTimeMake(n, 30), kCMTimeInvalid, NULL, bytes, NULL),
            noErr);
        CVPixelBufferRelease(buffer);
    }
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CHECK_EQ(count, 60);
    CFRelease(session);
}

/* Encodes 30 frames from separate buffers, or from one that is overwritten as soon as EncodeFrame has returned. */
static void encode_from_buffers(collected *all, bool shared) {
    CVPixelBufferRef buffers[30];
    VTCompressionSessionRef session = session_of(192, 128, all);
    /* x264's macroblock tree reads uninitialized memory, and its streams differ between runs. */
    CHECK_EQ(VTSessionSetProperty(session, CFSTR("x264.params"), CFSTR("threads=1:mbtree=0")), noErr);
    for (int n = 0; n < 30; n++) {
        buffers[n] = shared && n ? (CVPixelBufferRef)CFRetain(buffers[0])
                                 : frame_of(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, 192, 128, n);
        paint(buffers[n], n);
        CHECK_EQ(encode_at(session, buffers[n], CMTimeMake(n, 30)), noErr);
        if (shared) paint(buffers[n], 99);
    }
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    for (int n = 0; n < 30; n++) CVPixelBufferRelease(buffers[n]);
    CFRelease(session);
}

/* Behaviour 4: the stream is the same if buffers are overwritten immediately. */
static void test_pixels_are_copied(void) {
    collected kept = COLLECTED, overwritten = COLLECTED;
    encode_from_buffers(&kept, false);
    encode_from_buffers(&overwritten, true);
    REQUIRE(kept.count == 30 && overwritten.count == 30);
    for (int i = 0; i < 30; i++) {
        char *a = NULL, *b = NULL;
        size_t size = 0, other = 0;
        CMBlockBufferGetDataPointer(CMSampleBufferGetDataBuffer(kept.samples[i]), 0, NULL, &size, &a);
        CMBlockBufferGetDataPointer(CMSampleBufferGetDataBuffer(overwritten.samples[i]), 0, NULL, &other, &b);
        CHECK(size > 0 && size == other && memcmp(a, b, size) == 0);
    }
    collected_clear(&kept);
    collected_clear(&overwritten);
}

typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool open;
    int blocked;
    int count;
    VTCompressionSessionRef session;
    double pending; /* read inside the callback */
} gate;

static void wait_at_gate(void *refcon, void *frame, OSStatus status, VTEncodeInfoFlags flags,
    CMSampleBufferRef sample) {
    gate *gate = refcon;
    (void)frame, (void)status, (void)flags, (void)sample;
    pthread_mutex_lock(&gate->lock);
    gate->blocked = 1;
    pthread_cond_broadcast(&gate->changed);
    while (!gate->open) pthread_cond_wait(&gate->changed, &gate->lock);
    gate->count++;
    pthread_mutex_unlock(&gate->lock);
    gate->pending = copy_number(gate->session, kVTCompressionPropertyKey_NumberOfPendingFrames);
}

static void *encode_many(void *refcon) {
    gate *gate = refcon;
    for (int n = 1; n < 20; n++) CHECK_EQ(encode(gate->session, n), noErr);
    return NULL;
}

/* Behaviour 5: a callback may block. EncodeFrame waits meanwhile, and properties can be read. */
static void test_a_blocked_callback_slows_the_session(void) {
    gate gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    pthread_t thread;
    CHECK_EQ(VTCompressionSessionCreate(
                 NULL, 64, 64, kCMVideoCodecType_H264, NULL, NULL, NULL, wait_at_gate, &gate, &gate.session),
        noErr);
    CHECK_EQ(VTSessionSetProperty(gate.session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), noErr);
    CHECK_EQ(encode(gate.session, 0), noErr);
    pthread_mutex_lock(&gate.lock);
    while (!gate.blocked) pthread_cond_wait(&gate.changed, &gate.lock);
    pthread_mutex_unlock(&gate.lock);
    REQUIRE(pthread_create(&thread, NULL, encode_many, &gate) == 0);
    /* The queue is bounded: the number of pending frames stays well below the number of frames passed. */
    WAIT_UNTIL(copy_number(gate.session, kVTCompressionPropertyKey_NumberOfPendingFrames) >= 3);
    usleep(50000);
    const double pending = copy_number(gate.session, kVTCompressionPropertyKey_NumberOfPendingFrames);
    CHECK(pending >= 3 && pending < 10);
    pthread_mutex_lock(&gate.lock);
    gate.open = true;
    pthread_cond_broadcast(&gate.changed);
    pthread_mutex_unlock(&gate.lock);
    pthread_join(thread, NULL);
    CHECK_EQ(VTCompressionSessionCompleteFrames(gate.session, kCMTimePositiveInfinity), noErr);
    CHECK_EQ(gate.count, 20);
    CHECK(gate.pending >= 1); /* the frame of the callback itself */
    CFRelease(gate.session);
}

/* Behaviour 6: a dropped frame has noErr, NULL and exactly kVTEncodeInfo_FrameDropped; getters accept the NULL. */
static void test_a_dropped_frame(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = live_session(320, 240, &all);
    /* A limit that such pictures exceed. */
    CFNumberRef numbers[2] = {number(1200), number(1)};
    CFArrayRef limits = CFArrayCreate(NULL, (const void **)numbers, 2, &kCFTypeArrayCallBacks);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_DataRateLimits, limits), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, 9600), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_MaxAllowedFrameQP, 20), noErr);
    for (int n = 0; n < 10; n++) {
        CVPixelBufferRef buffer = frame_of(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, 320, 240, 50 * n);
        CHECK_EQ(encode_at(session, buffer, CMTimeMake(n, 30)), noErr);
        CVPixelBufferRelease(buffer);
    }
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CHECK_EQ(all.count, 10);
    int dropped = 0;
    for (int i = 0; i < all.count; i++) {
        if (all.samples[i]) continue;
        dropped++;
        CHECK_EQ(all.statuses[i], noErr);
        CHECK_EQ(all.flags[i], kVTEncodeInfo_FrameDropped);
    }
    CHECK(dropped > 0);
    CMSampleBufferRef volatile none = NULL;
    CHECK(CMSampleBufferGetDataBuffer(none) == NULL && CMSampleBufferGetFormatDescription(none) == NULL);
    CHECK(!CMSampleBufferDataIsReady(none) && CMSampleBufferGetTotalSampleSize(none) == 0);
    CFRelease(numbers[0]);
    CFRelease(numbers[1]);
    CFRelease(limits);
    end_session(session, &all);
}

/* Behaviour 7: a time that is not numeric completes all frames. A numeric time completes the frames up to it. */
static void test_spellings_of_complete_frames(void) {
    CMTime unusual = CMTimeMake(1, 1);
    unusual.flags = kCMTimeFlags_Indefinite;
    const CMTime times[] = {kCMTimeIndefinite, kCMTimePositiveInfinity, kCMTimeInvalid, unusual};
    collected all = COLLECTED;
    VTCompressionSessionRef session = session_of(64, 64, &all);
    int handed = 0;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        for (int k = 0; k < 5; k++) CHECK_EQ(encode(session, handed++), noErr);
        CHECK_EQ(VTCompressionSessionCompleteFrames(session, times[i]), noErr);
        CHECK_EQ(collected_count(&all), handed);
    }
    for (int k = 0; k < 10; k++) CHECK_EQ(encode(session, handed++), noErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, CMTimeMake(handed - 6, 30)), noErr);
    CHECK(collected_count(&all) >= handed - 5);
    end_session(session, &all);
}

typedef struct late_gate {
    gate gate;
    pthread_mutex_t returned_lock;
    bool returned;
} late_gate;

static void wait_from_the_third_on(void *refcon, void *frame, OSStatus status, VTEncodeInfoFlags flags,
    CMSampleBufferRef sample) {
    late_gate *late = refcon;
    if (sample && CMSampleBufferGetPresentationTimeStamp(sample).value >= 2)
        wait_at_gate(&late->gate, frame, status, flags, sample);
}

/* Opens the gate when CompleteFrames has returned, or after a minute, so that a failing test ends. */
static void *open_late(void *refcon) {
    late_gate *late = refcon;
    for (int i = 0; i < 6000; i++) {
        pthread_mutex_lock(&late->returned_lock);
        const bool returned = late->returned;
        pthread_mutex_unlock(&late->returned_lock);
        if (returned) break;
        usleep(10000);
    }
    pthread_mutex_lock(&late->gate.lock);
    late->gate.open = true;
    pthread_cond_broadcast(&late->gate.changed);
    pthread_mutex_unlock(&late->gate.lock);
    return NULL;
}

/* Behaviour 7: a numeric time does not wait for later frames, whose callback is blocked here. */
static void test_complete_frames_until(void) {
    late_gate late = {.gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER},
        .returned_lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread;
    CHECK_EQ(VTCompressionSessionCreate(NULL, 64, 64, kCMVideoCodecType_H264, NULL, NULL, NULL, wait_from_the_third_on,
                 &late, &late.gate.session),
        noErr);
    CHECK_EQ(VTSessionSetProperty(late.gate.session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), noErr);
    for (int n = 0; n < 4; n++) CHECK_EQ(encode(late.gate.session, n), noErr);
    REQUIRE(pthread_create(&thread, NULL, open_late, &late) == 0);
    CHECK_EQ(VTCompressionSessionCompleteFrames(late.gate.session, CMTimeMake(1, 30)), noErr);
    pthread_mutex_lock(&late.gate.lock);
    CHECK(!late.gate.open);
    pthread_mutex_unlock(&late.gate.lock);
    pthread_mutex_lock(&late.returned_lock);
    late.returned = true;
    pthread_mutex_unlock(&late.returned_lock);
    pthread_join(thread, NULL);
    CHECK_EQ(VTCompressionSessionCompleteFrames(late.gate.session, kCMTimeInvalid), noErr);
    CHECK_EQ(late.gate.count, 2);
    CFRelease(late.gate.session);
}

/* Behaviour 8: CompleteFrames outputs the only frame of a session, which can be used and changed afterwards. */
static void test_output_is_there_when_complete_frames_returns(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = session_of(64, 64, &all);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, 200000), noErr);
    for (int n = 0; n < 5; n++) {
        CHECK_EQ(encode(session, n), noErr);
        CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeIndefinite), noErr);
        CHECK_EQ(all.count, n + 1);
        CHECK(all.samples[n] != NULL);
        CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, 200000 + 10000 * n), noErr);
    }
    end_session(session, &all);
}

/* Behaviour 9: the last release ends a session. Frames that are pending then are returned, each once. */
static void test_release_without_invalidate(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = session_of(64, 64, &all);
    for (int n = 0; n < 10; n++) CHECK_EQ(encode(session, n), noErr);
    CFRelease(session);
    CHECK_EQ(all.count, 10);
    collected_clear(&all);
}

typedef struct farewell {
    VTCompressionSessionRef session;
    pthread_barrier_t ready;
    _Atomic int count;
} farewell;

static void release_session(void *refcon, void *frame, OSStatus status, VTEncodeInfoFlags flags,
    CMSampleBufferRef sample) {
    farewell *farewell = refcon;
    (void)frame, (void)status, (void)flags, (void)sample;
    if (farewell->count == 0) {
        pthread_barrier_wait(&farewell->ready);
        /* These calls would wait for this callback. They have no effect. */
        CHECK_EQ(VTCompressionSessionCompleteFrames(farewell->session, kCMTimeInvalid), kVTParameterErr);
        VTCompressionSessionInvalidate(farewell->session);
        CFRelease(farewell->session);
    }
    farewell->count++;
}

/* The last reference may be released inside the callback. */
static void test_release_inside_the_callback(void) {
    for (int round = 0; round < 20; round++) {
        farewell farewell = {.count = 0};
        pthread_barrier_init(&farewell.ready, NULL, 2);
        CHECK_EQ(VTCompressionSessionCreate(NULL, 64, 64, kCMVideoCodecType_H264, NULL, NULL, NULL, release_session,
                     &farewell, &farewell.session),
            noErr);
        CHECK_EQ(VTSessionSetProperty(farewell.session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), noErr);
        CHECK_EQ(encode(farewell.session, 0), noErr);
        CHECK_EQ(encode(farewell.session, 1), noErr);
        pthread_barrier_wait(&farewell.ready);
        WAIT_UNTIL(farewell.count >= 2);
        CHECK_EQ(farewell.count, 2);
        pthread_barrier_destroy(&farewell.ready);
    }
}

/* Releases the last reference before EncodeFrame has returned. */
static void release_at_once(void *refcon, void *frame, OSStatus status, VTEncodeInfoFlags flags,
    CMSampleBufferRef sample) {
    farewell *farewell = refcon;
    (void)frame, (void)status, (void)flags, (void)sample;
    CFRelease(farewell->session);
    farewell->count++;
}

static void test_release_before_encode_returns(void) {
    CVPixelBufferRef buffer = frame_of(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, 64, 64, 0);
    for (int round = 0; round < 40; round++) {
        farewell farewell = {.count = 0};
        CHECK_EQ(VTCompressionSessionCreate(NULL, 64, 64, kCMVideoCodecType_H264, NULL, NULL, NULL, release_at_once,
                     &farewell, &farewell.session),
            noErr);
        CHECK_EQ(VTSessionSetProperty(farewell.session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), noErr);
        CHECK_EQ(VTCompressionSessionEncodeFrame(farewell.session, buffer, CMTimeMake(0, 30), kCMTimeInvalid, NULL, NULL,
                     NULL),
            noErr);
        WAIT_UNTIL(farewell.count >= 1);
        CHECK_EQ(farewell.count, 1);
    }
    CVPixelBufferRelease(buffer);
}

static void *invalidate_soon(void *session) {
    usleep((useconds_t)(rand() % 4000));
    VTCompressionSessionInvalidate((VTCompressionSessionRef)session);
    return NULL;
}

static void count_frame(void *refcon, void *frame, OSStatus status, VTEncodeInfoFlags flags, CMSampleBufferRef sample) {
    (void)frame, (void)status, (void)flags, (void)sample;
    __atomic_fetch_add((int *)refcon, 1, __ATOMIC_SEQ_CST);
}

/* Behaviour 11: another thread calls Invalidate while frames are passed. Each accepted frame has been returned. */
static void test_invalidate_while_encoding(void) {
    CVPixelBufferRef buffer = frame_of(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, 64, 64, 0);
    for (int round = 0; round < 30; round++) {
        VTCompressionSessionRef session = NULL;
        pthread_t ending;
        int returned = 0, accepted = 0;
        CHECK_EQ(VTCompressionSessionCreate(NULL, 64, 64, kCMVideoCodecType_H264, NULL, NULL, NULL, count_frame, &returned,
                     &session),
            noErr);
        CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), noErr);
        REQUIRE(pthread_create(&ending, NULL, invalidate_soon, session) == 0);
        OSStatus status = noErr;
        for (int n = 0; status == noErr; n++) {
            status = VTCompressionSessionEncodeFrame(session, buffer, CMTimeMake(n, 30), kCMTimeInvalid, NULL, NULL, NULL);
            if (status == noErr) accepted++;
        }
        pthread_join(ending, NULL);
        CHECK_EQ(status, kVTInvalidSessionErr);
        CHECK_EQ(__atomic_load_n(&returned, __ATOMIC_SEQ_CST), accepted);
        CFRelease(session);
    }
    CVPixelBufferRelease(buffer);
}

/* Behaviour 10: Invalidate(NULL) does nothing; nor does a second call. */
static void test_invalidate_null(void) {
    VTCompressionSessionInvalidate(NULL);
    VTCompressionSessionRef session = session_of(64, 64, NULL);
    VTCompressionSessionInvalidate(session);
    VTCompressionSessionInvalidate(session);
    CFRelease(session);
}

/* Behaviour 11: no callback begins after Invalidate has returned, and each pending frame has had its own. */
static void test_no_callback_after_invalidate(void) {
    for (int round = 0; round < 10; round++) {
        collected all = COLLECTED;
        VTCompressionSessionRef session = session_of(64, 64, &all);
        uintptr_t refcons = 0;
        for (int n = 0; n < 8; n++) CHECK_EQ(encode_with(session, n, NULL, (void *)((uintptr_t)1 << n)), noErr);
        if (round % 2) VTCompressionSessionInvalidate(session);
        else CFRelease(session);
        CHECK_EQ(all.count, 8);
        for (int i = 0; i < all.count; i++) {
            refcons += (uintptr_t)all.refcons[i];
            CHECK_EQ(all.statuses[i], all.samples[i] ? noErr : kVTInvalidSessionErr);
            CHECK_EQ(all.flags[i], all.samples[i] ? 0 : kVTEncodeInfo_FrameDropped);
        }
        CHECK_EQ(refcons, 255);
        usleep(2000);
        CHECK_EQ(collected_count(&all), 8);
        if (round % 2) CFRelease(session);
        collected_clear(&all);
    }
}

/* Behaviour 12: the calls of an invalidated session report it, and the session has no pool. */
static void test_an_invalidated_session(void) {
    collected all = COLLECTED;
    CFTypeRef value = NULL;
    CFDictionaryRef dictionary = NULL;
    VTCompressionSessionRef session = session_of(64, 64, &all);
    CHECK(VTCompressionSessionGetPixelBufferPool(session) != NULL);
    VTCompressionSessionInvalidate(session);
    CHECK(VTCompressionSessionGetPixelBufferPool(session) == NULL);
    CHECK_EQ(VTCompressionSessionPrepareToEncodeFrames(session), kVTInvalidSessionErr);
    CHECK_EQ(encode(session, 0), kVTInvalidSessionErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), kVTInvalidSessionErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), kVTInvalidSessionErr);
    CHECK_EQ(VTSessionCopyProperty(session, kVTCompressionPropertyKey_EncoderID, NULL, &value), kVTInvalidSessionErr);
    CHECK_EQ(VTSessionCopySupportedPropertyDictionary(session, &dictionary), kVTInvalidSessionErr);
    CHECK(value == NULL && dictionary == NULL);
    CHECK_EQ(all.count, 0);
    CFRelease(session);
}

int main(void) {
    RUN(test_callbacks_come_in_decode_order);
    RUN(test_one_callback_for_each_accepted_frame);
    RUN(test_planes_can_be_freed_in_the_callback);
    RUN(test_pixels_are_copied);
    RUN(test_a_blocked_callback_slows_the_session);
    RUN(test_a_dropped_frame);
    RUN(test_spellings_of_complete_frames);
    RUN(test_complete_frames_until);
    RUN(test_output_is_there_when_complete_frames_returns);
    RUN(test_release_without_invalidate);
    RUN(test_release_inside_the_callback);
    RUN(test_release_before_encode_returns);
    RUN(test_invalidate_while_encoding);
    RUN(test_invalidate_null);
    RUN(test_no_callback_after_invalidate);
    RUN(test_an_invalidated_session);
    return check_result();
}
