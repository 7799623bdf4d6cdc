/* Decompression sessions: arguments, lifetimes, corrupt data, changes of format, properties and threads. */
#include "streams.h"
#include "supported_keys.h"

static void ignore_several(void *refcon, void *frame, OSStatus status, VTDecodeInfoFlags flags, CMTaggedBufferGroupRef images,
    CMTime time, CMTime duration) {
    (void)refcon, (void)frame, (void)status, (void)flags, (void)images, (void)time, (void)duration;
}

static results all = RESULTS_INIT;

static const char *const PLAIN = "-c:v libx264 -x264-params bframes=2:keyint=10:scenecut=0:slices=2 -pix_fmt yuv420p";

#define FRAME(i) ((void *)((uintptr_t)(i) + 1))
#define ASYNCHRONOUS kVTDecodeFrame_EnableAsynchronousDecompression

static OSStatus decode(VTDecompressionSessionRef session, CMSampleBufferRef sample, VTDecodeFrameFlags flags, size_t number) {
    return VTDecompressionSessionDecodeFrame(session, sample, flags, FRAME(number), NULL);
}

/* ---- Arguments --------------------------------------------------------------------------------------------------------- */

static void wrong_arguments_have_a_status(void) {
    stream s;
    stream_make(&s, PLAIN, false, "nv12");
    VTDecompressionSessionRef session = NULL, none = NULL;
    CMFormatDescriptionRef no_format = NULL, other = NULL;
    CMSampleBufferRef no_sample = NULL;
    VTDecompressionSessionRef *volatile no_place = NULL;
    VTDecompressionOutputHandler no_handler = NULL;
    VTDecompressionOutputMultiImageCallback no_callback = NULL;
    CVPixelBufferRef buffer = NULL;
    VTDecompressionOutputCallbackRecord callback = {record, &all};
    CHECK_EQ(VTDecompressionSessionCreate(NULL, no_format, NULL, NULL, &callback, &session), kVTParameterErr);
    CHECK_EQ(VTDecompressionSessionCreate(NULL, stream_format(&s), NULL, NULL, &callback, no_place), kVTParameterErr);
    CHECK_EQ(VTDecompressionSessionCreate(NULL, (CMFormatDescriptionRef)kCFBooleanTrue, NULL, NULL, &callback, &session),
             kVTParameterErr);
    CHECK_EQ(VTDecompressionSessionCreate(NULL, stream_format(&s), (CFDictionaryRef)CFSTR("x"), NULL, &callback, &session),
             kVTParameterErr);
    CHECK_EQ(VTDecompressionSessionCreate(NULL, stream_format(&s), NULL, (CFDictionaryRef)CFSTR("x"), &callback, &session),
             kVTParameterErr);
    /* H.264 without parameter sets, and another codec. */
    REQUIRE(CMVideoFormatDescriptionCreate(NULL, kCMVideoCodecType_H264, 64, 64, NULL, &other) == noErr);
    CHECK_EQ(VTDecompressionSessionCreate(NULL, other, NULL, NULL, &callback, &session), kVTVideoDecoderBadDataErr);
    CFRelease(other);
    REQUIRE(CMVideoFormatDescriptionCreate(NULL, kCMVideoCodecType_VP9, 64, 64, NULL, &other) == noErr);
    CHECK_EQ(VTDecompressionSessionCreate(NULL, other, NULL, NULL, &callback, &session), kVTCouldNotFindVideoDecoderErr);
    CHECK(session == NULL);
    /* Pixel formats that are unknown, to which nothing can be converted, or that are not numbers. */
    static const OSType formats[] = {0x61626364, kCVPixelFormatType_422YpCbCr_4A_8BiPlanar, kCVPixelFormatType_1Monochrome,
        kCVPixelFormatType_DisparityFloat16};
    CFDictionaryRef attributes = NULL;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        attributes = make_attributes(formats[i], 0, 0);
        CHECK_EQ(VTDecompressionSessionCreate(NULL, stream_format(&s), NULL, attributes, &callback, &session),
                 kVTPixelTransferNotSupportedErr);
        CFRelease(attributes);
    }
    CFTypeRef key = kCVPixelBufferPixelFormatTypeKey, value = CFSTR("420v");
    attributes = CFDictionaryCreate(NULL, &key, &value, 1, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CHECK_EQ(VTDecompressionSessionCreate(NULL, stream_format(&s), NULL, attributes, &callback, &session), kVTParameterErr);
    CFRelease(attributes);
    CHECK(session == NULL);

    CHECK_EQ(decode(none, s.samples[0], 0, 0), kVTParameterErr);
    CHECK_EQ(VTDecompressionSessionFinishDelayedFrames(none), kVTParameterErr);
    CHECK_EQ(VTDecompressionSessionWaitForAsynchronousFrames(none), kVTParameterErr);
    CHECK(!VTDecompressionSessionCanAcceptFormatDescription(none, stream_format(&s)));
    CHECK_EQ(VTDecompressionSessionCopyBlackPixelBuffer(none, &buffer), kVTParameterErr);
    VTDecompressionSessionInvalidate(none);

    session = make_session(stream_format(&s), NULL, &all);
    CHECK_EQ(CFGetTypeID(session), VTDecompressionSessionGetTypeID());
    CHECK_EQ(decode(session, no_sample, 0, 0), kVTParameterErr);
    CHECK_EQ(decode(session, (CMSampleBufferRef)kCFBooleanTrue, 0, 0), kVTParameterErr);
    CHECK(!VTDecompressionSessionCanAcceptFormatDescription(session, no_format));
    CHECK(!VTDecompressionSessionCanAcceptFormatDescription(session, other));
    CHECK(VTDecompressionSessionCanAcceptFormatDescription(session, stream_format(&s)));
    CHECK_EQ(VTDecompressionSessionSetMultiImageCallback(session, no_callback, NULL), kVTParameterErr);
    /* The callback and an output handler exclude each other. */
    VTDecompressionOutputHandler handler =
        ^(OSStatus status, VTDecodeInfoFlags flags, CVImageBufferRef image, CMTime time, CMTime duration) {
            record(&all, NULL, status, flags, image, time, duration);
        };
    CHECK_EQ(VTDecompressionSessionDecodeFrameWithOutputHandler(session, s.samples[0], 0, NULL, handler), kVTParameterErr);
    CHECK_EQ(VTDecompressionSessionDecodeFrameWithOutputHandler(session, s.samples[0], 0, NULL, no_handler), kVTParameterErr);
    CHECK_EQ(VTDecompressionSessionDecodeFrameWithOptionsAndOutputHandler(session, s.samples[0], 0, NULL, NULL, handler),
             kVTParameterErr);
    VTDecompressionMultiImageCapableOutputHandler several =
        ^(OSStatus status, VTDecodeInfoFlags flags, CVImageBufferRef image, CMTaggedBufferGroupRef group, CMTime time,
          CMTime duration) {
            CHECK(group == NULL);
            record(&all, NULL, status, flags, image, time, duration);
        };
    CHECK_EQ(VTDecompressionSessionDecodeFrameWithMultiImageCapableOutputHandler(session, s.samples[0], 0, NULL, several),
             kVTParameterErr);
    CHECK_EQ(VTDecompressionSessionDecodeFrameWithOptions(session, no_sample, 0, NULL, NULL, NULL), kVTParameterErr);
    CHECK_EQ(all.count, 0);
    end_session(session);
    session = make_session(stream_format(&s), NULL, NULL);
    CHECK_EQ(decode(session, s.samples[0], 0, 0), kVTParameterErr);
    end_session(session);
    CFRelease(other);
    CHECK(!VTIsHardwareDecodeSupported(kCMVideoCodecType_AppleProRes422));
    CHECK(!VTIsHardwareDecodeSupported(0));
    CHECK(!VTIsStereoMVHEVCDecodeSupported());
    stream_free(&s);
}

/* FFmpeg requires hardware. By default the session gets the software decoder, and with the variable it is refused. */
static void hardware_is_refused_where_that_is_asked_for(void) {
    stream s;
    stream_make(&s, PLAIN, false, "nv12");
    VTDecompressionSessionRef session = NULL;
    VTDecompressionOutputCallbackRecord callback = {record, &all};
    CFTypeRef key = kVTVideoDecoderSpecification_RequireHardwareAcceleratedVideoDecoder, value = kCFBooleanTrue;
    /* Keys are plain pointers, and nothing is retained. */
    CFDictionaryRef specification = CFDictionaryCreate(NULL, &key, &value, 1, NULL, NULL);
    for (int strict = 0; strict < 2; strict++) {
        setenv("NALU_VT_STRICT_HARDWARE", strict ? "1" : "0", 1);
        /* VLC decodes no H.265 if this is false. */
        CHECK_EQ(VTIsHardwareDecodeSupported(kCMVideoCodecType_H264), !strict);
        CHECK_EQ(VTIsHardwareDecodeSupported(kCMVideoCodecType_HEVC), !strict);
        CHECK_EQ(VTDecompressionSessionCreate(NULL, stream_format(&s), specification, NULL, &callback, &session),
                 strict ? kVTCouldNotFindVideoDecoderErr : noErr);
        if (session) {
            CFTypeRef uses = NULL;
            CHECK_EQ(VTSessionCopyProperty(session, kVTDecompressionPropertyKey_UsingHardwareAcceleratedVideoDecoder, NULL, &uses),
                     noErr);
            CHECK(uses == kCFBooleanFalse);
            if (uses) CFRelease(uses);
            end_session(session);
        }
    }
    unsetenv("NALU_VT_STRICT_HARDWARE");
    CFRelease(specification);
    /* A value of another type. */
    value = CFSTR("yes");
    specification = CFDictionaryCreate(NULL, &key, &value, 1, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    session = NULL;
    CHECK_EQ(VTDecompressionSessionCreate(NULL, stream_format(&s), specification, NULL, &callback, &session), kVTParameterErr);
    CHECK(session == NULL);
    CFRelease(specification);
    stream_free(&s);
}

/* ---- Corrupt data ------------------------------------------------------------------------------------------------ */

static CMSampleBufferRef make_changed(CMSampleBufferRef sample, int kind) {
    CMBlockBufferRef block = CMSampleBufferGetDataBuffer(sample);
    size_t size = CMBlockBufferGetDataLength(block);
    uint8_t *bytes = (uint8_t *)calloc(1, size);
    CMSampleTimingInfo timing;
    REQUIRE(CMBlockBufferCopyDataBytes(block, 0, size, bytes) == noErr);
    REQUIRE(CMSampleBufferGetSampleTimingInfo(sample, 0, &timing) == noErr);
    const size_t first = 4 + ((size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3]);
    if (kind == 0) bytes[0] = 0x7f;          /* a length beyond the end */
    if (kind == 1) size = first;             /* the first of two slices only */
    if (kind == 2) memset(bytes + 5, 0, first - 5); /* a slice of zeros, which FFmpeg cannot read */
    if (kind == 3) size = 3;
    CMSampleBufferRef made = make_sample(bytes, size, CMSampleBufferGetFormatDescription(sample), &timing);
    free(bytes);
    return made;
}

static void corrupt_frames_have_a_status(void) {
    stream s;
    stream_make(&s, PLAIN, false, "nv12");
    for (int kind = 0; kind < 4; kind++) {
        VTDecompressionSessionRef session = make_session(stream_format(&s), NULL, &all);
        CMSampleBufferRef corrupt = make_changed(s.samples[3], kind);
        for (size_t i = 0; i < 3; i++) CHECK_EQ(decode(session, s.samples[i], 0, i), noErr);
        const bool is_refused = kind == 0 || kind == 3;
        CHECK_EQ(decode(session, corrupt, 0, 3), is_refused ? kVTVideoDecoderBadDataErr : noErr);
        CHECK_EQ(all.count, is_refused ? 3 : 4);
        if (!is_refused && all.count == 4) {
            CHECK_EQ(all.all[3].status, kVTVideoDecoderBadDataErr);
            CHECK(all.all[3].image == NULL && all.all[3].frame_refcon == FRAME(3));
        }
        results_clear(&all);
        /* The session continues, and from the next key frame on every picture is correct. */
        for (size_t i = 4; i < s.count; i++) CHECK_EQ(decode(session, s.samples[i], 0, i), noErr);
        CHECK_EQ(all.count, s.count - 4);
        for (size_t i = 6; i < all.count; i++) CHECK(all.all[i].status == noErr && all.all[i].image != NULL);
        end_decoding(session, &all);
        CFRelease(corrupt);
    }
    stream_free(&s);
}

/* Before the first key frame nothing can be decoded, and after it everything can. */
static void decoding_begins_where_it_can(void) {
    stream s;
    stream_make(&s, PLAIN, false, "nv12");
    VTDecompressionSessionRef session = make_session(stream_format(&s), NULL, &all);
    for (size_t i = 3; i < s.count; i++) CHECK_EQ(decode(session, s.samples[i], 0, i), noErr);
    CHECK_EQ(all.count, s.count - 3);
    for (size_t i = 0; i < all.count; i++) {
        CHECK_EQ(all.all[i].status, i < 7 ? kVTVideoDecoderReferenceMissingErr : noErr);
        CHECK_EQ((all.all[i].flags & kVTDecodeInfo_FrameDropped) != 0, i < 7);
    }
    end_decoding(session, &all);
    stream_free(&s);
}

static void frames_that_are_not_wanted_are_dropped(void) {
    stream s;
    stream_make(&s, PLAIN, false, "nv12");
    VTDecompressionSessionRef session = make_session(stream_format(&s), NULL, &all);
    for (size_t i = 0; i < 10; i++) CHECK_EQ(decode(session, s.samples[i], i % 2 ? kVTDecodeFrame_DoNotOutputFrame : 0, i), noErr);
    REQUIRE(all.count == 10);
    for (size_t i = 0; i < 10; i++) {
        CHECK_EQ(all.all[i].status, noErr);
        CHECK_EQ(all.all[i].image != NULL, i % 2 == 0);
        CHECK_EQ((all.all[i].flags & kVTDecodeInfo_FrameDropped) != 0, i % 2 == 1);
    }
    results_clear(&all);
    CHECK_EQ(VTSessionSetProperty(session, kVTDecompressionPropertyKey_OnlyTheseFrames,
                                  kVTDecompressionProperty_OnlyTheseFrames_KeyFrames),
             noErr);
    for (size_t i = 10; i < 30; i++) CHECK_EQ(decode(session, s.samples[i], 0, i), noErr);
    REQUIRE(all.count == 20);
    for (size_t i = 0; i < 20; i++) CHECK_EQ(all.all[i].image != NULL, i % 10 == 0);
    end_decoding(session, &all);
    stream_free(&s);
}

/* ---- Life --------------------------------------------------------------------------------------------------------------- */

static VTDecompressionSessionRef ended;
static int ends_by;

/* Ends the session inside the callback of the third frame. */
static void record_and_end(void *refcon, void *frame_refcon, OSStatus status, VTDecodeInfoFlags flags, CVImageBufferRef image,
                           CMTime time, CMTime duration) {
    record(refcon, frame_refcon, status, flags, image, time, duration);
    if (frame_refcon != FRAME(2)) return;
    CHECK_EQ(VTDecompressionSessionWaitForAsynchronousFrames(ended), kVTParameterErr);
    if (ends_by == 0) VTDecompressionSessionInvalidate(ended);
    CFRelease(ended);
}

static void sessions_may_end_in_the_callback(void) {
    stream s;
    stream_make(&s, PLAIN, false, "nv12");
    for (ends_by = 0; ends_by < 2; ends_by++) {
        VTDecompressionOutputCallbackRecord callback = {record_and_end, &all};
        REQUIRE(VTDecompressionSessionCreate(NULL, stream_format(&s), NULL, NULL, &callback, &ended) == noErr);
        size_t accepted = 0;
        CFRetain(ended);
        for (size_t i = 0; i < s.count; i++) {
            const OSStatus status = decode(ended, s.samples[i], ASYNCHRONOUS, i);
            if (status == noErr) accepted++;
            else CHECK_EQ(status, kVTInvalidSessionErr);
        }
        CFRelease(ended);
        /* Each frame has one callback, and late frames have no image. */
        WAIT_UNTIL(results_count(&all) >= accepted);
        CHECK_EQ(results_count(&all), accepted);
        for (size_t i = 0; i < all.count; i++) CHECK(all.all[i].frame_refcon == FRAME(i));
        usleep(20000);
        CHECK_EQ(results_count(&all), accepted);
        results_clear(&all);
    }
    stream_free(&s);
}

static void after_invalidation_nothing_comes(void) {
    stream s;
    stream_make(&s, PLAIN, false, "nv12");
    VTDecompressionSessionRef session = make_session(stream_format(&s), NULL, &all);
    CVPixelBufferRef black = NULL;
    CFTypeRef value = NULL;
    for (size_t i = 0; i < s.count; i++) CHECK_EQ(decode(session, s.samples[i], ASYNCHRONOUS, i), noErr);
    VTDecompressionSessionInvalidate(session);
    const size_t count = results_count(&all);
    CHECK_EQ(count, s.count);
    for (size_t i = 0; i < all.count; i++)
        CHECK(all.all[i].image || (all.all[i].status == kVTInvalidSessionErr && (all.all[i].flags & kVTDecodeInfo_FrameDropped)));
    CHECK_EQ(decode(session, s.samples[0], 0, 0), kVTInvalidSessionErr);
    CHECK_EQ(VTDecompressionSessionFinishDelayedFrames(session), kVTInvalidSessionErr);
    CHECK_EQ(VTDecompressionSessionWaitForAsynchronousFrames(session), kVTInvalidSessionErr);
    CHECK_EQ(VTDecompressionSessionCopyBlackPixelBuffer(session, &black), kVTInvalidSessionErr);
    CHECK_EQ(VTDecompressionSessionSetMultiImageCallback(session, ignore_several, NULL), kVTInvalidSessionErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTDecompressionPropertyKey_RealTime, kCFBooleanTrue), kVTInvalidSessionErr);
    CHECK_EQ(VTSessionCopyProperty(session, kVTDecompressionPropertyKey_RealTime, NULL, &value), kVTInvalidSessionErr);
    VTDecompressionSessionInvalidate(session);
    CFRelease(session);
    CHECK_EQ(results_count(&all), count);
    results_clear(&all);
    stream_free(&s);
}

static int finalized;

static void count_finalized(void *refcon, void *block, size_t size) {
    (void)refcon, (void)size;
    __atomic_fetch_add(&finalized, 1, __ATOMIC_SEQ_CST);
    free(block);
}

/* Images outlive the session. The session releases its arguments: the memory of each block buffer is freed. */
static void counts_balance(void) {
    enum { ROUNDS = 1000 };
    stream s;
    stream_make(&s, PLAIN, false, "nv12");
    CMBlockBufferRef source = CMSampleBufferGetDataBuffer(s.samples[0]);
    const size_t size = CMBlockBufferGetDataLength(source);
    for (int i = 0; i < ROUNDS; i++) {
        CMBlockBufferCustomBlockSource blocks = {kCMBlockBufferCustomBlockSourceVersion, NULL, count_finalized, NULL};
        CMBlockBufferRef block = NULL;
        CMSampleBufferRef sample = NULL;
        void *bytes = malloc(size);
        REQUIRE(CMBlockBufferCopyDataBytes(source, 0, size, bytes) == noErr);
        REQUIRE(CMBlockBufferCreateWithMemoryBlock(NULL, bytes, size, NULL, &blocks, 0, size, 0, &block) == noErr);
        REQUIRE(CMSampleBufferCreate(NULL, block, true, NULL, NULL, stream_format(&s), 1, 0, NULL, 0, NULL, &sample) == noErr);
        CFRelease(block);
        VTDecompressionSessionRef session = make_session(stream_format(&s), NULL, &all);
        CHECK_EQ(decode(session, sample, i % 2 ? ASYNCHRONOUS : 0, 0), noErr);
        CFRelease(sample);
        if (i % 3) CHECK_EQ(VTDecompressionSessionWaitForAsynchronousFrames(session), noErr);
        CFRelease(session);
        REQUIRE(all.count == 1);
        if (all.all[0].image) CHECK_EQ(CVPixelBufferGetWidth(all.all[0].image), 178);
        results_clear(&all);
    }
    CHECK_EQ(finalized, ROUNDS);
    stream_free(&s);
}

/* ---- Formats ------------------------------------------------------------------------------------------------------------ */

static void the_format_may_change(void) {
    stream small, large, other;
    stream_make(&small, PLAIN, false, "nv12");
    stream_make(&large, "-vf scale=320:240 -c:v libx264 -x264-params keyint=10 -pix_fmt yuv420p", false, "nv12");
    stream_make(&other, "-c:v libx265 -x265-params log-level=none:keyint=10 -pix_fmt yuv420p", true, "nv12");
    VTDecompressionSessionRef session = make_session(stream_format(&small), NULL, &all);
    CHECK(VTDecompressionSessionCanAcceptFormatDescription(session, stream_format(&large)));
    CHECK(!VTDecompressionSessionCanAcceptFormatDescription(session, stream_format(&other)));
    for (size_t i = 0; i < 5; i++) CHECK_EQ(decode(session, small.samples[i], 0, i), noErr);
    for (size_t i = 0; i < 5; i++) CHECK_EQ(decode(session, large.samples[i], 0, i + 5), noErr);
    CHECK_EQ(decode(session, other.samples[0], 0, 10), kVTFormatDescriptionChangeNotSupportedErr);
    REQUIRE(all.count == 10);
    for (size_t i = 0; i < 10; i++) {
        REQUIRE(all.all[i].image);
        CHECK_EQ(CVPixelBufferGetWidth(all.all[i].image), i < 5 ? 178 : 320);
        CHECK_EQ(CVPixelBufferGetHeight(all.all[i].image), i < 5 ? 148 : 240);
    }
    CVPixelBufferRef black = NULL;
    CHECK_EQ(VTDecompressionSessionCopyBlackPixelBuffer(session, &black), noErr);
    REQUIRE(black);
    CHECK_EQ(CVPixelBufferGetWidth(black), 320);
    CHECK_EQ(CVPixelBufferGetPixelFormatType(black), kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    uint8_t bytes[320 * 240 * 3 / 2];
    CHECK_EQ(buffer_bytes(black, bytes, sizeof bytes), sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        if (!CHECK_EQ(bytes[i], i < 320 * 240 ? 16 : 128)) break;
    CVPixelBufferRelease(black);
    end_decoding(session, &all);
    stream_free(&small);
    stream_free(&large);
    stream_free(&other);
}

/* ---- Properties --------------------------------------------------------------------------------------------------------- */

static void properties_are_kept_or_refused(void) {
    stream s;
    stream_make(&s, PLAIN, false, "nv12");
    VTDecompressionSessionRef session = make_session(stream_format(&s), NULL, &all);
    CFTypeRef value = NULL;
    CFDictionaryRef supported = NULL;
    check_values(session);
    CHECK_EQ(VTDecompressionSessionDecodeFrame(session, s.samples[0], 0, NULL, NULL), noErr);
    check_values(session);
    results_clear(&all);
    CHECK_EQ(VTSessionSetProperty(session, kVTDecompressionPropertyKey_RealTime, kCFBooleanTrue), noErr);
    CHECK_EQ(VTSessionCopyProperty(session, kVTDecompressionPropertyKey_RealTime, NULL, &value), noErr);
    CHECK(value == kCFBooleanTrue);
    if (value) CFRelease(value);
    CHECK_EQ(VTSessionSetProperty(session, kVTDecompressionPropertyKey_RealTime, NULL), noErr);
    CHECK_EQ(VTSessionCopyProperty(session, kVTDecompressionPropertyKey_RealTime, NULL, &value), noErr);
    CHECK(value == NULL);
    /* Wrong types result in the same status as in other sessions. */
    const CFStringRef typed[] = {kVTDecompressionPropertyKey_RealTime, kVTDecompressionPropertyKey_ThreadCount,
        kVTDecompressionPropertyKey_FieldMode, kVTDecompressionPropertyKey_PixelTransferProperties};
    for (size_t i = 0; i < 4; i++) {
        CFTypeRef wrong = i == 2 ? (CFTypeRef)kCFBooleanTrue : (CFTypeRef)CFSTR("4");
        CHECK_EQ(VTSessionSetProperty(session, typed[i], wrong), kVTPropertyNotSupportedErr);
    }
    const int32_t one = 1;
    CFNumberRef number_of_true = CFNumberCreate(NULL, kCFNumberSInt32Type, &one);
    CHECK_EQ(VTSessionSetProperty(session, kVTDecompressionPropertyKey_RealTime, number_of_true), noErr);
    CHECK_EQ(VTSessionCopyProperty(session, kVTDecompressionPropertyKey_RealTime, NULL, &value), noErr);
    CHECK(value == kCFBooleanTrue);
    if (value) CFRelease(value);
    CFRelease(number_of_true);
    CHECK_EQ(VTSessionSetProperty(session, CFSTR("Unknown"), kCFBooleanTrue), kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionCopyProperty(session, CFSTR("Unknown"), NULL, &value), kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTDecompressionPropertyKey_UsingHardwareAcceleratedVideoDecoder, kCFBooleanTrue),
             kVTPropertyReadOnlyErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTDecompressionPropertyKey_FieldMode, kVTDecompressionProperty_FieldMode_BothFields),
             noErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTDecompressionPropertyKey_FieldMode, kVTDecompressionProperty_FieldMode_SingleField),
             kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTDecompressionPropertyKey_ReducedResolutionDecode, kCFBooleanTrue),
             kVTPropertyNotSupportedErr);
    /* Behaviour 21: the session keeps its own copy of a dictionary without callbacks. */
    const void *transfer_keys[] = {kVTPixelTransferPropertyKey_ScalingMode}, *transfer_values[] = {kVTScalingMode_Trim};
    CFDictionaryRef plain = CFDictionaryCreate(NULL, transfer_keys, transfer_values, 1, NULL, NULL);
    CHECK_EQ(VTSessionSetProperty(session, kVTDecompressionPropertyKey_PixelTransferProperties, plain), noErr);
    CHECK_EQ(VTSessionCopyProperty(session, kVTDecompressionPropertyKey_PixelTransferProperties, NULL, &value), noErr);
    REQUIRE(value && value != plain);
    CHECK(CFEqual(CFDictionaryGetValue(value, transfer_keys[0]), kVTScalingMode_Trim));
    CFRelease(value);
    CFRelease(plain);
    const int32_t threads[] = {1, 65, -1};
    for (size_t i = 0; i < 3; i++) {
        CFNumberRef number = CFNumberCreate(NULL, kCFNumberSInt32Type, &threads[i]);
        CHECK_EQ(VTSessionSetProperty(session, kVTDecompressionPropertyKey_ThreadCount, number), i ? kVTParameterErr : noErr);
        CFRelease(number);
    }
    CHECK_EQ(VTSessionCopyProperty(session, kVTDecompressionPropertyKey_PixelBufferPool, NULL, &value), noErr);
    REQUIRE(value && CFGetTypeID(value) == CVPixelBufferPoolGetTypeID());
    CVPixelBufferRef buffer = NULL;
    CHECK_EQ(CVPixelBufferPoolCreatePixelBuffer(NULL, (CVPixelBufferPoolRef)value, &buffer), kCVReturnSuccess);
    CHECK_EQ(CVPixelBufferGetWidth(buffer), 178);
    CHECK_EQ(CVPixelBufferGetPixelFormatType(buffer), kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    CVPixelBufferRelease(buffer);
    CFRelease(value);
    for (size_t i = 0; i < s.count; i++) CHECK_EQ(decode(session, s.samples[i], 0, i), noErr);
    CHECK_EQ(VTSessionCopyProperty(session, kVTDecompressionPropertyKey_NumberOfFramesBeingDecoded, NULL, &value), noErr);
    int32_t count = -1;
    CHECK(value && CFNumberGetValue(value, kCFNumberSInt32Type, &count));
    CHECK_EQ(count, 0);
    CFRelease(value);
    check_pictures(&all, &s);
    /* Each property of the supported dictionary can be copied. */
    CHECK_EQ(VTSessionCopySupportedPropertyDictionary(session, &supported), noErr);
    REQUIRE(supported);
    const CFIndex properties = CFDictionaryGetCount(supported);
    const void *keys[64];
    REQUIRE(properties > 10 && properties <= 64);
    CFDictionaryGetKeysAndValues(supported, keys, NULL);
    for (CFIndex i = 0; i < properties; i++) {
        CHECK_EQ(VTSessionCopyProperty(session, keys[i], NULL, &value), noErr);
        if (value) CFRelease(value);
    }
    CFRelease(supported);
    end_decoding(session, &all);
    stream_free(&s);
}

/* ---- Threads -------------------------------------------------------------------------------------------------------------- */

static VTDecompressionSessionRef shared;
static _Atomic bool is_done;

static void *change_thread_count(void *context) {
    (void)context;
    for (int32_t n = 0; !is_done; n++) {
        const int32_t count = 1 + n % 2;
        CFNumberRef number = CFNumberCreate(NULL, kCFNumberSInt32Type, &count);
        CHECK_EQ(VTSessionSetProperty(shared, kVTDecompressionPropertyKey_ThreadCount, number), noErr);
        CFRelease(number);
        usleep(200);
    }
    return NULL;
}

static void *wait_again_and_again(void *context) {
    for (int n = 0; !is_done; n++) {
        const OSStatus status = n % 2 ? VTDecompressionSessionFinishDelayedFrames(shared)
                                      : VTDecompressionSessionWaitForAsynchronousFrames(shared);
        CHECK_EQ(status, noErr);
    }
    return context;
}

enum { ROUNDS_OF_EACH = 3 };

static void *decode_key_frames(void *context) {
    const stream *s = context;
    for (int round = 0; round < ROUNDS_OF_EACH; round++)
        for (size_t i = 0; i < s->count; i++) CHECK_EQ(decode(shared, s->samples[i], 0, i), noErr);
    return NULL;
}

/* A session stays valid until its client ends it, even if its decoder is replaced meanwhile. */
static void the_thread_count_may_change_while_frames_are_decoded(void) {
    enum { DECODING = 2 };
    pthread_t threads[DECODING], changing, waiting;
    stream s;
    stream_make(&s, "-c:v libx264 -x264-params keyint=1 -pix_fmt yuv420p", false, "nv12");
    shared = make_session(stream_format(&s), NULL, &all);
    is_done = false;
    REQUIRE(pthread_create(&changing, NULL, change_thread_count, NULL) == 0);
    REQUIRE(pthread_create(&waiting, NULL, wait_again_and_again, NULL) == 0);
    for (int i = 0; i < DECODING; i++) REQUIRE(pthread_create(&threads[i], NULL, decode_key_frames, &s) == 0);
    for (int i = 0; i < DECODING; i++) pthread_join(threads[i], NULL);
    is_done = true;
    pthread_join(changing, NULL);
    pthread_join(waiting, NULL);
    CHECK_EQ(results_count(&all), DECODING * ROUNDS_OF_EACH * s.count);
    end_decoding(shared, &all);
    stream_free(&s);
}

int main(void) {
    RUN(wrong_arguments_have_a_status);
    RUN(hardware_is_refused_where_that_is_asked_for);
    RUN(corrupt_frames_have_a_status);
    RUN(decoding_begins_where_it_can);
    RUN(frames_that_are_not_wanted_are_dropped);
    RUN(sessions_may_end_in_the_callback);
    RUN(after_invalidation_nothing_comes);
    RUN(counts_balance);
    RUN(the_format_may_change);
    RUN(properties_are_kept_or_refused);
    RUN(the_thread_count_may_change_while_frames_are_decoded);
    return check_result();
}
