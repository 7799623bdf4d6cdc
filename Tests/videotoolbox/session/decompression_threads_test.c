/*
 * Decompression sessions that several threads use at the same time. Some threads decode, one waits, one reads
 * properties, one outputs delayed frames, and one ends the session. Each accepted sample has one callback, and
 * callbacks do not overlap.
 */
#include "streams.h"

#include <stdatomic.h>

enum { SESSIONS = 4, DECODERS = 3, ROUNDS = 3, FRAMES = 40 };

typedef struct arena {
    VTDecompressionSessionRef session;
    const stream *source;
    int decoders;            /* threads that decode; more than one only if no frame refers to another */
    bool is_ended_early;
    atomic_int working;      /* the number of these threads that have not ended */
    atomic_int inside;       /* the number of callbacks that run now */
    atomic_int accepted[DECODERS * ROUNDS * FRAMES], returned[DECODERS * ROUNDS * FRAMES];
    atomic_int images;
    CVPixelBufferRef kept; /* an image of the callback */
} arena;

typedef struct decoder {
    arena *in;
    int number;
    pthread_t thread;
} decoder;

static void take_image(void *refcon, void *frame, OSStatus status, VTDecodeInfoFlags flags, CVImageBufferRef image, CMTime time,
                       CMTime duration) {
    arena *in = (arena *)refcon;
    (void)time, (void)duration;
    CHECK_EQ(atomic_fetch_add(&in->inside, 1), 0);
    atomic_fetch_add(&in->returned[(uintptr_t)frame], 1);
    if (image) {
        CHECK_EQ(status, noErr);
        CHECK_EQ(CVPixelBufferGetWidth(image), 178);
        CVPixelBufferRelease(in->kept);
        in->kept = CVPixelBufferRetain(image);
        atomic_fetch_add(&in->images, 1);
    } else {
        CHECK(status != noErr || (flags & kVTDecodeInfo_FrameDropped));
    }
    atomic_fetch_sub(&in->inside, 1);
}

static void *decode_some(void *context) {
    decoder *it = (decoder *)context;
    arena *in = it->in;
    for (int i = 0; i < ROUNDS * FRAMES; i++) {
        const int frame = it->number * ROUNDS * FRAMES + i;
        const VTDecodeFrameFlags flags = i % 4 ? kVTDecodeFrame_EnableAsynchronousDecompression : 0;
        const OSStatus status = VTDecompressionSessionDecodeFrame(in->session, in->source->samples[i % FRAMES], flags,
                                                                  (void *)(uintptr_t)frame, NULL);
        if (status == noErr) atomic_fetch_add(&in->accepted[frame], 1);
        else CHECK(in->is_ended_early && status == kVTInvalidSessionErr);
    }
    atomic_fetch_sub(&in->working, 1);
    return NULL;
}

static bool is_gone(const arena *in, OSStatus status) {
    if (status == noErr) return false;
    CHECK(in->is_ended_early && status == kVTInvalidSessionErr);
    return true;
}

static void *wait_often(void *context) {
    arena *in = (arena *)context;
    while (atomic_load(&in->working) > 0) {
        if (is_gone(in, VTDecompressionSessionWaitForAsynchronousFrames(in->session))) break;
        check_pause();
    }
    return NULL;
}

static void *finish_often(void *context) {
    arena *in = (arena *)context;
    while (atomic_load(&in->working) > 0) {
        if (is_gone(in, VTDecompressionSessionFinishDelayedFrames(in->session))) break;
        for (int i = 0; i < 20; i++) check_pause();
    }
    return NULL;
}

/* Uses buffers of the session's own pool, next to the decoder. */
static void use_pool(CVPixelBufferPoolRef pool) {
    CVPixelBufferRef buffers[3] = {NULL};
    for (int i = 0; i < 3; i++) CHECK_EQ(CVPixelBufferPoolCreatePixelBuffer(NULL, pool, &buffers[i]), kCVReturnSuccess);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(CVPixelBufferLockBaseAddress(buffers[i], 0), kCVReturnSuccess);
        memset(CVPixelBufferGetBaseAddressOfPlane(buffers[i], 0), i, CVPixelBufferGetBytesPerRowOfPlane(buffers[i], 0));
        CHECK_EQ(CVPixelBufferUnlockBaseAddress(buffers[i], 0), kCVReturnSuccess);
        CVPixelBufferRelease(buffers[i]);
    }
}

static void *ask_often(void *context) {
    arena *in = (arena *)context;
    CFTypeRef *const keys[] = {(CFTypeRef *)&kVTDecompressionPropertyKey_NumberOfFramesBeingDecoded,
        (CFTypeRef *)&kVTDecompressionPropertyKey_MinOutputPresentationTimeStampOfFramesBeingDecoded,
        (CFTypeRef *)&kVTDecompressionPropertyKey_SupportedPixelFormatsOrderedByQuality,
        (CFTypeRef *)&kVTDecompressionPropertyKey_ContentHasInterframeDependencies,
        (CFTypeRef *)&kVTDecompressionPropertyKey_ThreadCount, (CFTypeRef *)&kVTDecompressionPropertyKey_PixelBufferPool};
    enum { KEYS = sizeof keys / sizeof *keys };
    for (int i = 0; atomic_load(&in->working) > 0; i++) {
        CFTypeRef value = NULL;
        CVPixelBufferRef black = NULL;
        const CFStringRef key = (CFStringRef)*keys[i % KEYS];
        if (is_gone(in, VTSessionCopyProperty(in->session, key, NULL, &value))) break;
        if (value && CFGetTypeID(value) == CVPixelBufferPoolGetTypeID()) use_pool((CVPixelBufferPoolRef)value);
        if (value) CFRelease(value);
        if (is_gone(in, VTSessionSetProperty(in->session, kVTDecompressionPropertyKey_RealTime,
                                             i % 2 ? kCFBooleanTrue : kCFBooleanFalse)))
            break;
        (void)VTDecompressionSessionCanAcceptFormatDescription(in->session, stream_format(in->source));
        if (i % 16 == 0) {
            if (is_gone(in, VTDecompressionSessionCopyBlackPixelBuffer(in->session, &black))) break;
            CVPixelBufferRelease(black);
        }
        check_pause();
    }
    return NULL;
}

static void *end_early(void *context) {
    arena *in = (arena *)context;
    WAIT_UNTIL(atomic_load(&in->images) > 20 || atomic_load(&in->working) == 0);
    VTDecompressionSessionInvalidate(in->session);
    CHECK_EQ(atomic_load(&in->inside), 0);
    return NULL;
}

static void run(arena arenas[SESSIONS]) {
    static void *(*const others[])(void *) = {wait_often, finish_often, ask_often, ask_often, end_early};
    enum { OTHERS = sizeof others / sizeof *others };
    decoder decoders[SESSIONS][DECODERS];
    pthread_t threads[SESSIONS][OTHERS];
    for (int s = 0; s < SESSIONS; s++) {
        VTDecompressionOutputCallbackRecord callback = {take_image, &arenas[s]};
        REQUIRE(VTDecompressionSessionCreate(NULL, stream_format(arenas[s].source), NULL, NULL, &callback, &arenas[s].session) ==
                noErr);
        atomic_store(&arenas[s].working, arenas[s].decoders);
        for (int d = 0; d < arenas[s].decoders; d++) {
            decoders[s][d] = (decoder){.in = &arenas[s], .number = d};
            REQUIRE(pthread_create(&decoders[s][d].thread, NULL, decode_some, &decoders[s][d]) == 0);
        }
        for (int o = 0; o < OTHERS - !arenas[s].is_ended_early; o++)
            REQUIRE(pthread_create(&threads[s][o], NULL, others[o], &arenas[s]) == 0);
    }
    for (int s = 0; s < SESSIONS; s++) {
        for (int d = 0; d < arenas[s].decoders; d++) pthread_join(decoders[s][d].thread, NULL);
        for (int o = 0; o < OTHERS - !arenas[s].is_ended_early; o++) pthread_join(threads[s][o], NULL);
    }
}

static void check_arena(arena *in) {
    const int frames = in->decoders * ROUNDS * FRAMES;
    int accepted = 0;
    if (!in->is_ended_early) CHECK_EQ(VTDecompressionSessionWaitForAsynchronousFrames(in->session), noErr);
    CFRelease(in->session);
    for (int i = 0; i < frames; i++) {
        accepted += atomic_load(&in->accepted[i]);
        CHECK_EQ(atomic_load(&in->returned[i]), atomic_load(&in->accepted[i]));
    }
    if (!in->is_ended_early) CHECK_EQ(accepted, frames);
    CHECK(atomic_load(&in->images) > 0);
    printf("  %d threads decode, %s: %d of %d samples accepted, %d images\n", in->decoders,
           in->is_ended_early ? "ended early" : "to the end", accepted, frames, atomic_load(&in->images));
    /* Images outlive the session. */
    if (in->kept) CHECK_EQ(CVPixelBufferGetHeight(in->kept), 148);
    CVPixelBufferRelease(in->kept);
}

static void any_thread_may_call_anything(void) {
    static arena arenas[SESSIONS];
    stream intra, reordered;
    stream_make(&intra, "-c:v libx264 -x264-params keyint=1 -pix_fmt yuv420p", false, "nv12");
    stream_make(&reordered, "-c:v libx264 -x264-params bframes=2:keyint=10:scenecut=0 -pix_fmt yuv420p", false, "nv12");
    for (int s = 0; s < SESSIONS; s++) {
        arenas[s].source = s % 2 ? &reordered : &intra;
        arenas[s].decoders = s % 2 ? 1 : DECODERS;
        arenas[s].is_ended_early = s >= SESSIONS / 2;
    }
    run(arenas);
    for (int s = 0; s < SESSIONS; s++) check_arena(&arenas[s]);
    stream_free(&intra);
    stream_free(&reordered);
}

int main(void) {
    RUN(any_thread_may_call_anything);
    return check_result();
}
