/*
 * Live properties that a thread changes again and again while another one encodes. Each frame has one callback, the
 * limits and the last values hold, and no memory of earlier values remains.
 *
 * NALU_TEST_CHANGES in the environment is the number of changes, instead of 100000, or 20000 under a sanitizer.
 */
#include "session_support.h"

#include <malloc.h>
#include <stdatomic.h>

enum { SIZE = 64, RATE = 30, MOST_FRAMES = 1 << 21, LAST_FRAMES = 4 * RATE };

/* Limits in bytes per second. All frames of a window have to be passed under one limit. Each limit therefore stays for
 * a part of the storm, and is set again and again during it. */
static const int limits[] = {9000, 12000, 15000, 10500, 8000, 14000, 11000, 6000};
enum { LIMITS = sizeof limits / sizeof *limits, LAST_LIMIT = 6000, LAST_BIT_RATE = 80000 };
#define LAST_QUALITY 0.625

static struct {
    VTCompressionSessionRef session;
    pthread_mutex_t gate; /* held during each call that encodes */
    atomic_bool is_over, is_asked_to_pause;
    bool has_quality; /* otherwise a rate */
    int fed, part, first_of_part[LIMITS + 1];
    /* Fields that only the callback changes; its calls do not overlap. */
    int count, failures;
    uint32_t sizes[MOST_FRAMES];
} storm = {.gate = PTHREAD_MUTEX_INITIALIZER};

static void count_sample(void *refcon, void *frame, OSStatus status, VTEncodeInfoFlags flags, CMSampleBufferRef sample) {
    const intptr_t number = (intptr_t)frame;
    (void)refcon;
    /* A frame that the limits do not permit is dropped, and has no sample. */
    storm.failures += number != storm.count || status != noErr || !(sample || (flags & kVTEncodeInfo_FrameDropped));
    storm.sizes[number] = sample ? (uint32_t)CMSampleBufferGetTotalSampleSize(sample) : 0;
    storm.count++;
}

static void feed(int frames) {
    for (int i = 0; i < frames; i++) {
        while (atomic_load(&storm.is_asked_to_pause)) check_pause();
        pthread_mutex_lock(&storm.gate);
        REQUIRE(storm.fed < MOST_FRAMES);
        CHECK_EQ(encode_with(storm.session, storm.fed, NULL, (void *)(intptr_t)storm.fed), noErr);
        storm.fed++;
        pthread_mutex_unlock(&storm.gate);
    }
}

static void *encode_on(void *context) {
    while (!atomic_load(&storm.is_over)) feed(1);
    return context;
}

static OSStatus set_limit(int bytes) {
    CFTypeRef pair[] = {integer(bytes), integer(1)};
    CFArrayRef list = CFArrayCreate(NULL, pair, 2, &kCFTypeArrayCallBacks);
    CFRelease(pair[0]);
    CFRelease(pair[1]);
    return set_and_release(storm.session, kVTCompressionPropertyKey_DataRateLimits, list);
}

static void change(int number) {
    VTCompressionSessionRef session = storm.session;
    OSStatus status = noErr;
    switch (number % 5) {
    case 0:
        status = storm.has_quality
            ? set_number(session, kVTCompressionPropertyKey_Quality, number % 11 / 10.0)
            : set_integer(session, kVTCompressionPropertyKey_AverageBitRate, 60000 + number % 97 * 500);
        break;
    case 1: status = set_limit(limits[storm.part]); break;
    case 2: status = set_integer(session, kVTCompressionPropertyKey_ExpectedFrameRate, 24 + number % 7); break;
    case 3: status = set_integer(session, kVTCompressionPropertyKey_MinAllowedFrameQP, 1 + number % 30); break;
    default: status = set_integer(session, kVTCompressionPropertyKey_MaxAllowedFrameQP, 40 + number % 12);
    }
    if (status != noErr) REQUIRE(CHECK_EQ(status, noErr)); /* one report is enough */
}

/* Begins a part, between two frames. */
static void begin_part(int part) {
    pthread_mutex_lock(&storm.gate);
    storm.part = part;
    storm.first_of_part[part] = storm.fed;
    CHECK_EQ(set_limit(limits[part]), noErr);
    pthread_mutex_unlock(&storm.gate);
}

/* The bytes in use while nothing is encoded. */
static size_t quiet_bytes(void) {
    atomic_store(&storm.is_asked_to_pause, true);
    pthread_mutex_lock(&storm.gate);
    CHECK_EQ(VTCompressionSessionCompleteFrames(storm.session, kCMTimeInvalid), noErr);
    CHECK_EQ(storm.count, storm.fed);
    const size_t bytes = mallinfo2().uordblks;
    pthread_mutex_unlock(&storm.gate);
    atomic_store(&storm.is_asked_to_pause, false);
    return bytes;
}

static void check_limit(int part) {
    const int first = storm.first_of_part[part], end = storm.first_of_part[part + 1];
    int64_t sum = 0, most = 0;
    for (int i = first; i < end; i++) {
        sum += storm.sizes[i] - (i >= first + RATE ? (int64_t)storm.sizes[i - RATE] : 0);
        if (sum > most) most = sum;
    }
    CHECK(most <= limits[part]);
    printf("  %d frames: at most %lld bytes per second, limit %d\n", end - first, (long long)most, limits[part]);
}

static void change_while_frames_are_encoded(bool has_quality) {
    const char *asked = getenv("NALU_TEST_CHANGES");
    const int changes = asked && atoi(asked) > 0 ? atoi(asked) : IS_SANITIZED ? 20000 : 100000;
    pthread_t thread;
    size_t before = 0;
    storm.has_quality = has_quality;
    storm.fed = storm.count = storm.failures = 0;
    atomic_store(&storm.is_over, false);
    CHECK_EQ(VTCompressionSessionCreate(NULL, SIZE, SIZE, kCMVideoCodecType_H264, NULL, NULL, NULL, count_sample, NULL,
                 &storm.session),
        noErr);
    REQUIRE(storm.session);
    CHECK_EQ(VTSessionSetProperty(storm.session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), noErr);
    CHECK_EQ(VTSessionSetProperty(storm.session, CFSTR("x264.preset"), CFSTR("ultrafast")), noErr);
    begin_part(0);
    for (int i = 0; i < 5; i++) change(i);
    feed(2 * RATE);
    REQUIRE(pthread_create(&thread, NULL, encode_on, NULL) == 0);
    for (int i = 0; i < changes; i++) {
        if (i == changes / 10) before = quiet_bytes();
        if (storm.part < LIMITS - 2 && i > (storm.part + 1) * (changes / (LIMITS - 1))) begin_part(storm.part + 1);
        change(i);
    }
    const size_t after = quiet_bytes();
    atomic_store(&storm.is_over, true);
    pthread_join(thread, NULL);
    /* A leak of 16 bytes in each change exceeds this limit. */
    if (!IS_SANITIZED) CHECK(after < before + 128 * 1024 + (size_t)changes * 4);
    printf("  %d changes, %d frames, %zu bytes in use after a tenth, %zu at the end\n", changes, storm.fed, before, after);

    CHECK_EQ(has_quality ? set_number(storm.session, kVTCompressionPropertyKey_Quality, LAST_QUALITY)
                         : set_integer(storm.session, kVTCompressionPropertyKey_AverageBitRate, LAST_BIT_RATE),
        noErr);
    begin_part(LIMITS - 1);
    CHECK_EQ(set_integer(storm.session, kVTCompressionPropertyKey_MaxAllowedFrameQP, 51), noErr);
    CHECK_EQ(set_integer(storm.session, kVTCompressionPropertyKey_ExpectedFrameRate, RATE), noErr);
    feed(LAST_FRAMES);
    CHECK_EQ(VTCompressionSessionCompleteFrames(storm.session, kCMTimeInvalid), noErr);
    CHECK_EQ(storm.count, storm.fed);
    CHECK_EQ(storm.failures, 0);
    storm.first_of_part[LIMITS] = storm.fed;
    for (int part = 0; part < LIMITS; part++) check_limit(part);
    if (has_quality) CHECK(copy_number(storm.session, kVTCompressionPropertyKey_Quality) == LAST_QUALITY);
    else CHECK_EQ(copy_number(storm.session, kVTCompressionPropertyKey_AverageBitRate), LAST_BIT_RATE);
    CHECK_EQ(copy_number(storm.session, kVTCompressionPropertyKey_MaxAllowedFrameQP), 51);
    CFArrayRef list = copy_value(storm.session, kVTCompressionPropertyKey_DataRateLimits);
    int bytes = 0;
    REQUIRE(list && CFArrayGetCount(list) == 2);
    CFNumberGetValue(CFArrayGetValueAtIndex(list, 0), kCFNumberIntType, &bytes);
    CHECK_EQ(bytes, LAST_LIMIT);
    CFRelease(list);
    CFRelease(storm.session);
}

static void a_rate_changes(void) { change_while_frames_are_encoded(false); }
static void a_quality_changes(void) { change_while_frames_are_encoded(true); }

int main(void) {
    RUN(a_rate_changes);
    RUN(a_quality_changes);
    return check_result();
}
