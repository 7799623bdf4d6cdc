/*
 * Dictionaries that a client changes or releases immediately after a call has returned, while frames are encoded and
 * decoded. Their content during the call counts. Each contains mutable keys, strings, arrays and dictionaries.
 */
#include "session_support.h"

#include <stdatomic.h>

enum { SIZE = 64, FRAMES = 30, KEY_FRAME = 10, MOST_VANDALS = 64 };

/* ---- Who changes them ---------------------------------------------------------------------------------------------------- */

/* The threads that change dictionaries. Each owns one, and changes it and all of its content until the test ends. */
static struct {
    pthread_t threads[MOST_VANDALS];
    int count;
    atomic_bool is_over;
} vandals;

static void spoil(CFTypeRef object, int turn) {
    const CFTypeID type = CFGetTypeID(object);
    if (type == CFStringGetTypeID()) {
        CFStringReplaceAll((CFMutableStringRef)object, turn % 2 ? CFSTR("spoilt") : CFSTR("and longer than before"));
    } else if (type == CFDataGetTypeID()) {
        memset(CFDataGetMutableBytePtr((CFMutableDataRef)object), turn, (size_t)CFDataGetLength(object));
    } else if (type == CFArrayGetTypeID()) {
        CFArrayRemoveAllValues((CFMutableArrayRef)object);
        CFArrayAppendValue((CFMutableArrayRef)object, kCFBooleanFalse);
    } else if (type == CFDictionaryGetTypeID()) {
        const void *keys[32], *values[32];
        const CFIndex count = CFDictionaryGetCount(object);
        REQUIRE(count <= 32);
        CFDictionaryGetKeysAndValues(object, keys, values);
        for (CFIndex i = 0; i < count && turn == 0; i++) {
            CFRetain(keys[i]);
            CFRetain(values[i]);
        }
        CFDictionaryRemoveAllValues((CFMutableDictionaryRef)object);
        for (CFIndex i = 0; i < count && turn == 0; i++) {
            spoil(values[i], turn);
            spoil(keys[i], turn);
            CFRelease(keys[i]);
            CFRelease(values[i]);
        }
        CFDictionarySetValue((CFMutableDictionaryRef)object, CFSTR("spoilt"), turn % 2 ? kCFBooleanTrue : kCFBooleanFalse);
    }
}

static void *spoil_on(void *victim) {
    for (int turn = 0; !atomic_load(&vandals.is_over); turn++) {
        spoil(victim, turn);
        check_pause();
    }
    CFRelease(victim);
    return NULL;
}

/* Starts a thread that owns and changes a dictionary, after the call for which it was made. */
static void hand_over(CFMutableDictionaryRef victim) {
    REQUIRE(vandals.count < MOST_VANDALS);
    REQUIRE(pthread_create(&vandals.threads[vandals.count++], NULL, spoil_on, victim) == 0);
}

static void end_vandals(void) {
    atomic_store(&vandals.is_over, true);
    for (int i = 0; i < vandals.count; i++) pthread_join(vandals.threads[i], NULL);
    vandals.count = 0;
    atomic_store(&vandals.is_over, false);
}

/* ---- What is changed ----------------------------------------------------------------------------------------------------- */

static CFMutableDictionaryRef dictionary(void) {
    return CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
}

/* Adds a value under a mutable key, and releases the caller's reference to the value. */
static void add(CFMutableDictionaryRef dictionary, CFStringRef key, CFTypeRef value) {
    CFMutableStringRef copy = CFStringCreateMutableCopy(NULL, 0, key);
    CFDictionarySetValue(dictionary, copy, value);
    CFRelease(copy);
    CFRelease(value);
}

static CFMutableStringRef text(CFStringRef value) { return CFStringCreateMutableCopy(NULL, 0, value); }

static CFMutableArrayRef numbers(int first, int second) {
    CFMutableArrayRef made = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    const int all[] = {first, second};
    for (int i = 0; i < 2; i++) {
        CFNumberRef value = integer(all[i]);
        CFArrayAppendValue(made, value);
        CFRelease(value);
    }
    return made;
}

static CFMutableDictionaryRef picture_attributes(OSType format) {
    CFMutableDictionaryRef made = dictionary(), attached = dictionary();
    add(made, kCVPixelBufferPixelFormatTypeKey, numbers((int)format, kCVPixelFormatType_32ARGB));
    add(made, kCVPixelBufferWidthKey, integer(SIZE));
    add(made, kCVPixelBufferHeightKey, integer(SIZE));
    add(made, kCVPixelBufferIOSurfacePropertiesKey, dictionary());
    add(attached, kCVImageBufferColorPrimariesKey, text(kCVImageBufferColorPrimaries_P22));
    add(made, kCVBufferPropagatedAttachmentsKey, attached);
    return made;
}

static CFMutableDictionaryRef encoder_properties(void) {
    uint8_t light[4] = {0x03, 0xe8, 0x01, 0x90};
    CFMutableDictionaryRef made = dictionary();
    CFMutableDataRef level = CFDataCreateMutable(NULL, 0);
    CFDataAppendBytes(level, light, sizeof light);
    add(made, kVTCompressionPropertyKey_AverageBitRate, integer(200000));
    add(made, kVTCompressionPropertyKey_DataRateLimits, numbers(60000, 1));
    add(made, kVTCompressionPropertyKey_ExpectedFrameRate, integer(30));
    add(made, kVTCompressionPropertyKey_ProfileLevel, text(kVTProfileLevel_H264_Main_AutoLevel));
    add(made, kVTCompressionPropertyKey_ColorPrimaries, text(kCVImageBufferColorPrimaries_ITU_R_709_2));
    add(made, kVTCompressionPropertyKey_ContentLightLevelInfo, level);
    add(made, CFSTR("x264.params"), text(CFSTR("threads=1")));
    add(made, CFSTR("x264.preset"), text(CFSTR("ultrafast")));
    return made;
}

/* ---- Encoding ------------------------------------------------------------------------------------------------------------ */

static void check_encoder(VTCompressionSessionRef session) {
    CFMutableDictionaryRef expected = encoder_properties();
    const void *keys[16], *values[16];
    const CFIndex count = CFDictionaryGetCount(expected);
    CFDictionaryGetKeysAndValues(expected, keys, values);
    for (CFIndex i = 0; i < count; i++) {
        CFTypeRef value = copy_value(session, keys[i]);
        char name[80] = "";
        CFStringGetCString(keys[i], name, sizeof name, kCFStringEncodingUTF8);
        check_that(value && CFEqual(value, values[i]), __FILE__, __LINE__, name, "");
        if (value) CFRelease(value);
    }
    CFRelease(expected);
    CFDictionaryRef attributes = CVPixelBufferPoolGetPixelBufferAttributes(VTCompressionSessionGetPixelBufferPool(session));
    CHECK(CFDictionaryGetValue(attributes, kCVPixelBufferWidthKey) != NULL);
    CHECK(CFDictionaryGetValue(attributes, CFSTR("spoilt")) == NULL);
    CVPixelBufferRef buffer = NULL;
    CHECK_EQ(CVPixelBufferPoolCreatePixelBuffer(NULL, VTCompressionSessionGetPixelBufferPool(session), &buffer), 0);
    CHECK_EQ(CVPixelBufferGetPixelFormatType(buffer), kCVPixelFormatType_32BGRA);
    CVPixelBufferRelease(buffer);
}

static collected all = COLLECTED;

static void encoders_keep_what_they_were_given(void) {
    VTCompressionSessionRef session = NULL;
    CFMutableDictionaryRef specification = dictionary(), attributes = picture_attributes(kCVPixelFormatType_32BGRA);
    CFMutableDictionaryRef properties = encoder_properties();
    add(specification, kVTVideoEncoderSpecification_EnableLowLatencyRateControl, CFRetain(kCFBooleanTrue));
    CHECK_EQ(VTCompressionSessionCreate(NULL, SIZE, SIZE, kCMVideoCodecType_H264, specification, attributes, NULL, collect, &all,
                 &session),
        noErr);
    REQUIRE(session);
    hand_over(specification);
    hand_over(attributes);
    CHECK_EQ(VTSessionSetProperties(session, properties), noErr);
    hand_over(properties);
    for (int i = 0; i < FRAMES; i++) {
        CFMutableDictionaryRef options = dictionary();
        add(options, kVTEncodeFrameOptionKey_ForceKeyFrame, CFRetain(i == KEY_FRAME ? kCFBooleanTrue : kCFBooleanFalse));
        CHECK_EQ(encode_with(session, i, options, NULL), noErr);
        hand_over(options);
        if (i == FRAMES / 2) check_encoder(session);
    }
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    check_encoder(session);
    REQUIRE(all.count == FRAMES);
    for (int i = 0; i < FRAMES; i++) {
        REQUIRE(all.samples[i]);
        CHECK_EQ(is_key_frame(all.samples[i]), i == 0 || i == KEY_FRAME);
    }
    CFRelease(session);
    end_vandals();
}

/* ---- Decoding ------------------------------------------------------------------------------------------------------------ */

static atomic_int images;

static void check_image(void *refcon, void *frame, OSStatus status, VTDecodeInfoFlags flags, CVImageBufferRef image, CMTime time,
    CMTime duration) {
    (void)refcon, (void)frame, (void)flags, (void)time, (void)duration;
    CHECK_EQ(status, noErr);
    if (!CHECK(image != NULL)) return;
    CHECK_EQ(CVPixelBufferGetPixelFormatType(image), kCVPixelFormatType_32BGRA);
    CHECK_EQ(CVPixelBufferGetWidth(image), SIZE);
    CHECK(CVBufferGetAttachment(image, CFSTR("spoilt"), NULL) == NULL);
    atomic_fetch_add(&images, 1);
}

static void decoders_keep_what_they_were_given(void) {
    VTDecompressionSessionRef session = NULL;
    VTDecompressionOutputCallbackRecord callback = {check_image, NULL};
    CFMutableDictionaryRef specification = dictionary(), attributes = picture_attributes(kCVPixelFormatType_32BGRA);
    CFMutableDictionaryRef properties = dictionary(), transfer = dictionary(), expected = dictionary();
    add(specification, kVTVideoDecoderSpecification_EnableHardwareAcceleratedVideoDecoder, CFRetain(kCFBooleanTrue));
    CHECK_EQ(VTDecompressionSessionCreate(
                 NULL, CMSampleBufferGetFormatDescription(all.samples[0]), specification, attributes, &callback, &session),
        noErr);
    REQUIRE(session);
    hand_over(specification);
    hand_over(attributes);
    add(transfer, kVTPixelTransferPropertyKey_ScalingMode, text(kVTScalingMode_Letterbox));
    add(expected, kVTPixelTransferPropertyKey_ScalingMode, text(kVTScalingMode_Letterbox));
    add(properties, kVTDecompressionPropertyKey_PixelTransferProperties, transfer);
    add(properties, kVTDecompressionPropertyKey_OnlyTheseFrames, text(kVTDecompressionProperty_OnlyTheseFrames_AllFrames));
    CHECK_EQ(VTSessionSetProperties(session, properties), noErr);
    hand_over(properties);
    for (int i = 0; i < FRAMES; i++) {
        CFMutableDictionaryRef options = dictionary();
        add(options, kVTDecodeFrameOptionKey_ContentAnalyzerRotation, integer(0));
        CHECK_EQ(VTDecompressionSessionDecodeFrameWithOptions(
                     session, all.samples[i], kVTDecodeFrame_EnableAsynchronousDecompression, options, NULL, NULL),
            noErr);
        hand_over(options);
    }
    CHECK_EQ(VTDecompressionSessionWaitForAsynchronousFrames(session), noErr);
    CHECK_EQ(atomic_load(&images), FRAMES);
    CFTypeRef value = NULL;
    CHECK_EQ(VTSessionCopyProperty(session, kVTDecompressionPropertyKey_PixelTransferProperties, NULL, &value), noErr);
    CHECK(value && CFEqual(value, expected));
    if (value) CFRelease(value);
    CFRelease(expected);
    VTDecompressionSessionInvalidate(session);
    CFRelease(session);
    end_vandals();
}

/* ---- Objects that have a dictionary -------------------------------------------------------------------------------------- */

static void buffers_keep_what_they_were_given(void) {
    CVPixelBufferRef buffer = NULL, pooled = NULL;
    CVPixelBufferPoolRef pool = NULL;
    CMFormatDescriptionRef format = NULL;
    CFMutableDictionaryRef given[3];
    for (int i = 0; i < 3; i++) given[i] = picture_attributes(kCVPixelFormatType_32BGRA);
    CHECK_EQ(CVPixelBufferCreate(NULL, SIZE, SIZE, kCVPixelFormatType_32BGRA, given[0], &buffer), kCVReturnSuccess);
    CHECK_EQ(CVPixelBufferPoolCreate(NULL, NULL, given[1], &pool), kCVReturnSuccess);
    CHECK_EQ(CMVideoFormatDescriptionCreate(NULL, kCMVideoCodecType_VP9, SIZE, SIZE, given[2], &format), noErr);
    REQUIRE(buffer && pool && format);
    for (int i = 0; i < 3; i++) hand_over(given[i]);
    for (int i = 0; i < 20; i++) check_pause();
    CHECK_EQ(CVPixelBufferPoolCreatePixelBuffer(NULL, pool, &pooled), kCVReturnSuccess);
    REQUIRE(pooled);
    CVPixelBufferRef both[] = {buffer, pooled};
    for (int i = 0; i < 2; i++) {
        CFTypeRef colour = CVBufferGetAttachment(both[i], kCVImageBufferColorPrimariesKey, NULL);
        CHECK(colour && CFEqual(colour, kCVImageBufferColorPrimaries_P22));
        CFDictionaryRef attributes = CVPixelBufferCopyCreationAttributes(both[i]);
        CHECK(CFDictionaryGetValue(attributes, kCVPixelBufferIOSurfacePropertiesKey) != NULL);
        CHECK(CFDictionaryGetValue(attributes, CFSTR("spoilt")) == NULL);
        CFRelease(attributes);
        CVPixelBufferRelease(both[i]);
    }
    CFMutableDictionaryRef expected = picture_attributes(kCVPixelFormatType_32BGRA);
    CHECK(CFEqual(CMFormatDescriptionGetExtensions(format), expected));
    CFRelease(expected);
    CFRelease(pool);
    CFRelease(format);
    end_vandals();
}

int main(void) {
    RUN(encoders_keep_what_they_were_given);
    RUN(decoders_keep_what_they_were_given);
    collected_clear(&all);
    RUN(buffers_keep_what_they_were_given);
    return check_result();
}
