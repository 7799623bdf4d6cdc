/* Makes the same VideoToolbox calls as OBS Studio's plugin mac-videotoolbox, because Debian's package of OBS has no
 * sources of that plugin. The pictures are NV12 from a file. The stream is written with start codes, as OBS passes it to
 * its outputs.
 *
 * usage: host CLIP WIDTH HEIGHT FRAMES RATE OUTPUT cbr|abr|crf KILOBITS|QUALITY B_FRAMES LIMIT [FRAME KILOBITS]
 *
 * LIMIT: none, real, or garbage: for several years the plugin passed CFNumberCreate the address of a double as a
 * Float32. FRAME KILOBITS: a new rate from this frame on, as for a network that becomes slower.
 * Prints a line `pts dts K|-` for each packet, in frames. With B-frames dts has OBS's offset of two frames. */
#include <CoreFoundation/CoreFoundation.h>
#include <CoreMedia/CoreMedia.h>
#include <CoreVideo/CoreVideo.h>
#include <VideoToolbox/VTVideoEncoderList.h>
#include <VideoToolbox/VideoToolbox.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct encoder {
    VTCompressionSessionRef session;
    CMSimpleQueueRef queue;
    CFStringRef id;
    FILE *output;
    int width, height, rate;
    bool b_frames, has_header;
    int packets;
} encoder;

static void check(OSStatus status, const char *what) {
    if (status == noErr) return;
    fprintf(stderr, "%s: %d\n", what, (int)status);
    exit(1);
}

/* ---- The list of encoders ---- */

static void find_encoder(encoder *enc) {
    CFArrayRef list = NULL;
    check(VTCopyVideoEncoderList(NULL, &list), "VTCopyVideoEncoderList");
    for (CFIndex i = 0; i < CFArrayGetCount(list) && !enc->id; i++) {
        CFDictionaryRef one = CFArrayGetValueAtIndex(list, i);
        CMVideoCodecType codec = 0;
        CFNumberGetValue(CFDictionaryGetValue(one, kVTVideoEncoderList_CodecType), kCFNumberSInt32Type, &codec);
        if (codec != kCMVideoCodecType_H264) continue;
        /* This key is optional on a Mac too. */
        CFBooleanRef hardware = CFDictionaryGetValue(one, kVTVideoEncoderList_IsHardwareAccelerated);
        if (hardware && CFBooleanGetValue(hardware)) check(-1, "a hardware encoder on Linux");
        if (CFStringGetLength(CFDictionaryGetValue(one, kVTVideoEncoderList_DisplayName)) == 0) check(-1, "a name to show");
        enc->id = CFRetain(CFDictionaryGetValue(one, kVTVideoEncoderList_EncoderID));
    }
    CFRelease(list);
    if (!enc->id) check(-1, "no encoder of H.264");
}

/* ---- The session ---- */

static void encoded(void *refcon, void *frame, OSStatus status, VTEncodeInfoFlags flags, CMSampleBufferRef sample) {
    if (status != noErr) fprintf(stderr, "callback: %d\n", (int)status);
    if (flags == kVTEncodeInfo_FrameDropped) fprintf(stderr, "callback: a frame was dropped\n");
    if (sample) {
        CFRetain(sample);
        check(CMSimpleQueueEnqueue(refcon, sample), "CMSimpleQueueEnqueue");
    }
    CFRelease(frame);
}

static void set_number(encoder *enc, CFStringRef key, CFNumberType type, const void *value, bool may_fail) {
    CFNumberRef number = CFNumberCreate(NULL, type, value);
    const OSStatus status = VTSessionSetProperty(enc->session, key, number);
    CFRelease(number);
    if (!may_fail) check(status, "VTSessionSetProperty");
}

static void set_rate(encoder *enc, const char *control, double amount) {
    const SInt32 bits = (SInt32)(amount * 1000);
    const Float32 quality = (Float32)amount;
    if (strcmp(control, "crf") == 0)
        set_number(enc, kVTCompressionPropertyKey_Quality, kCFNumberFloat32Type, &quality, false);
    else if (strcmp(control, "cbr") == 0)
        set_number(enc, kVTCompressionPropertyKey_ConstantBitRate, kCFNumberSInt32Type, &bits, false);
    else set_number(enc, kVTCompressionPropertyKey_AverageBitRate, kCFNumberSInt32Type, &bits, false);
}

static void set_limit(encoder *enc, const char *limit, double kilobits) {
    const double seconds = 1.5, bytes = kilobits * 1000 * 1.5 / 8;
    if (strcmp(limit, "none") == 0) return;
    /* The first four bytes of this double, read as a Float32, are 0. */
    const bool garbage = strcmp(limit, "garbage") == 0;
    CFNumberRef numbers[2] = {CFNumberCreate(NULL, garbage ? kCFNumberIntType : kCFNumberDoubleType, &bytes),
        CFNumberCreate(NULL, garbage ? kCFNumberFloat32Type : kCFNumberDoubleType, &seconds)};
    CFArrayRef limits = CFArrayCreate(NULL, (const void **)numbers, 2, &kCFTypeArrayCallBacks);
    const OSStatus status = VTSessionSetProperty(enc->session, kVTCompressionPropertyKey_DataRateLimits, limits);
    CFRelease(numbers[0]);
    CFRelease(numbers[1]);
    CFRelease(limits);
    if (status != kVTPropertyNotSupportedErr) check(status, "DataRateLimits");
}

static void set_properties(encoder *enc) {
    const Float32 seconds = 2, rate = (Float32)enc->rate;
    const SInt32 frames = 2 * enc->rate;
    CFNumberRef duration = CFNumberCreate(NULL, kCFNumberFloat32Type, &seconds);
    CFNumberRef interval = CFNumberCreate(NULL, kCFNumberSInt32Type, &frames);
    CFNumberRef expected = CFNumberCreate(NULL, kCFNumberFloat32Type, &rate);
    const void *keys[] = {kVTCompressionPropertyKey_MaxKeyFrameIntervalDuration,
        kVTCompressionPropertyKey_MaxKeyFrameInterval, kVTCompressionPropertyKey_ExpectedFrameRate,
        kVTCompressionPropertyKey_AllowFrameReordering, kVTCompressionPropertyKey_ProfileLevel};
    const void *values[] = {duration, interval, expected, enc->b_frames ? kCFBooleanTrue : kCFBooleanFalse,
        kVTProfileLevel_H264_High_AutoLevel};
    CFDictionaryRef properties =
        CFDictionaryCreate(NULL, keys, values, 5, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    check(VTSessionSetProperties(enc->session, properties), "VTSessionSetProperties");
    CFRelease(properties);
    CFRelease(duration);
    CFRelease(interval);
    CFRelease(expected);
    /* The last pairs have no key, because there is no HDR metadata. The constants are released although nothing
     * retained them. */
    const void *colour_keys[] = {kVTCompressionPropertyKey_ColorPrimaries, kVTCompressionPropertyKey_TransferFunction,
        kVTCompressionPropertyKey_YCbCrMatrix, NULL, NULL};
    const void *colours[] = {kCVImageBufferColorPrimaries_ITU_R_709_2, kCVImageBufferTransferFunction_ITU_R_709_2,
        kCVImageBufferYCbCrMatrix_ITU_R_709_2, NULL, NULL};
    properties = CFDictionaryCreate(
        NULL, colour_keys, colours, 5, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    check(VTSessionSetProperties(enc->session, properties), "VTSessionSetProperties, colours");
    CFRelease(properties);
    CFRelease(kVTProfileLevel_H264_High_AutoLevel);
    CFRelease(kCFBooleanTrue);
}

static void create(encoder *enc, const char *control, double amount, const char *limit) {
    const void *key = kVTVideoEncoderSpecification_EncoderID, *value = enc->id;
    CFDictionaryRef specification =
        CFDictionaryCreate(NULL, &key, &value, 1, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFMutableDictionaryRef attributes =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    const SInt32 numbers[] = {kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, enc->width, enc->height};
    const CFStringRef names[] = {kCVPixelBufferPixelFormatTypeKey, kCVPixelBufferWidthKey, kCVPixelBufferHeightKey};
    for (int i = 0; i < 3; i++) {
        CFNumberRef number = CFNumberCreate(NULL, kCFNumberSInt32Type, &numbers[i]);
        CFDictionarySetValue(attributes, names[i], number);
        CFRelease(number);
    }
    check(VTCompressionSessionCreate(NULL, enc->width, enc->height, kCMVideoCodecType_H264, specification, attributes,
              NULL, encoded, (void *)enc->queue, &enc->session),
        "VTCompressionSessionCreate");
    CFRelease(specification);
    CFRelease(attributes);
    CFBooleanRef hardware = NULL;
    if (VTSessionCopyProperty(enc->session, kVTCompressionPropertyKey_UsingHardwareAcceleratedVideoEncoder, NULL, &hardware) ==
        noErr) {
        if (CFBooleanGetValue(hardware)) check(-1, "hardware on Linux");
        CFRelease(hardware);
    }
    set_properties(enc);
    set_rate(enc, control, amount);
    if (strcmp(control, "abr") == 0) set_limit(enc, limit, amount);
    check(VTCompressionSessionPrepareToEncodeFrames(enc->session), "VTCompressionSessionPrepareToEncodeFrames");
}

/* ---- Packets ---- */

static void write_unit(encoder *enc, const void *bytes, size_t size) {
    fwrite("\0\0\0\1", 1, 4, enc->output);
    fwrite(bytes, 1, size, enc->output);
}

static void write_header(encoder *enc, CMFormatDescriptionRef description) {
    size_t count = 0;
    int length = 0;
    check(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(description, 0, NULL, NULL, &count, &length), "parameter sets");
    if (length != 4) check(-1, "lengths of four bytes");
    for (size_t i = 0; i < count; i++) {
        const uint8_t *bytes = NULL;
        size_t size = 0;
        check(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(description, i, &bytes, &size, NULL, NULL), "a parameter set");
        write_unit(enc, bytes, size);
    }
}

static void write_packet(encoder *enc, CMSampleBufferRef sample) {
    CFArrayRef attachments = CMSampleBufferGetSampleAttachmentsArray(sample, false);
    bool key = false;
    if (attachments) {
        CFBooleanRef depends = CFDictionaryGetValue(
            CFArrayGetValueAtIndex(attachments, 0), kCMSampleAttachmentKey_DependsOnOthers);
        key = depends == kCFBooleanFalse;
    }
    CMTime pts = CMSampleBufferGetPresentationTimeStamp(sample), dts = CMSampleBufferGetDecodeTimeStamp(sample);
    if (CMTIME_IS_INVALID(dts)) dts = pts;
    else if (enc->b_frames) dts = CMTimeSubtract(dts, CMTimeMake(2, enc->rate));
    if (!enc->has_header && key) write_header(enc, CMSampleBufferGetFormatDescription(sample));
    enc->has_header = enc->has_header || key;
    char *bytes = NULL;
    size_t size = 0;
    check(CMBlockBufferGetDataPointer(CMSampleBufferGetDataBuffer(sample), 0, NULL, &size, &bytes), "the data");
    for (size_t at = 0; at + 4 < size;) {
        const uint8_t *head = (const uint8_t *)bytes + at;
        const size_t length = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
        if (length > size - at - 4) check(-1, "a length beyond the end");
        write_unit(enc, head + 4, length);
        at += 4 + length;
    }
    printf("%lld %lld %c\n", (long long)CMTimeConvertScale(pts, enc->rate, kCMTimeRoundingMethod_Default).value,
        (long long)CMTimeConvertScale(dts, enc->rate, kCMTimeRoundingMethod_Default).value, key ? 'K' : '-');
    enc->packets++;
    CFRelease(sample);
}

/* Fetches packets: one for each encoded frame, as OBS does, or all remaining packets at the end. */
static void take_packets(encoder *enc, bool all) {
    do {
        CMSampleBufferRef sample = (CMSampleBufferRef)CMSimpleQueueDequeue(enc->queue);
        if (!sample) return;
        write_packet(enc, sample);
    } while (all);
}

/* ---- Frames ---- */

static void encode(encoder *enc, const uint8_t *picture, int number) {
    CVPixelBufferRef buffer = NULL;
    CVPixelBufferPoolRef pool = VTCompressionSessionGetPixelBufferPool(enc->session);
    if (!pool) check(-1, "a pool");
    check(CVPixelBufferPoolCreatePixelBuffer(NULL, pool, &buffer), "CVPixelBufferPoolCreatePixelBuffer");
    const CFStringRef keys[] = {
        kCVImageBufferColorPrimariesKey, kCVImageBufferTransferFunctionKey, kCVImageBufferYCbCrMatrixKey};
    const CFStringRef values[] = {kCVImageBufferColorPrimaries_ITU_R_709_2, kCVImageBufferTransferFunction_ITU_R_709_2,
        kCVImageBufferYCbCrMatrix_ITU_R_709_2};
    for (int i = 0; i < 3; i++) CVBufferSetAttachment(buffer, keys[i], values[i], kCVAttachmentMode_ShouldPropagate);
    check(CVPixelBufferLockBaseAddress(buffer, 0), "CVPixelBufferLockBaseAddress");
    for (size_t plane = 0; plane < 2; plane++) {
        uint8_t *to = CVPixelBufferGetBaseAddressOfPlane(buffer, plane);
        for (size_t row = 0; row < CVPixelBufferGetHeightOfPlane(buffer, plane); row++, picture += enc->width)
            memcpy(to + row * CVPixelBufferGetBytesPerRowOfPlane(buffer, plane), picture, (size_t)enc->width);
    }
    check(CVPixelBufferUnlockBaseAddress(buffer, 0), "CVPixelBufferUnlockBaseAddress");
    check(VTCompressionSessionEncodeFrame(enc->session, buffer, CMTimeMake(number, enc->rate), CMTimeMake(1, enc->rate), NULL,
              buffer, NULL),
        "VTCompressionSessionEncodeFrame");
    take_packets(enc, false);
}

int main(int count, char **arguments) {
    if (count != 11 && count != 13) return 2;
    encoder enc = {.width = atoi(arguments[2]), .height = atoi(arguments[3]), .rate = atoi(arguments[5]),
        .b_frames = atoi(arguments[9]) != 0};
    const int frames = atoi(arguments[4]), change = count == 13 ? atoi(arguments[11]) : -1;
    FILE *clip = fopen(arguments[1], "rb");
    enc.output = fopen(arguments[6], "wb");
    const size_t size = (size_t)enc.width * (size_t)enc.height * 3 / 2;
    uint8_t *picture = malloc(size);
    if (!clip || !enc.output || !picture) check(-1, "files");
    find_encoder(&enc);
    check(CMSimpleQueueCreate(NULL, 100, &enc.queue), "CMSimpleQueueCreate");
    create(&enc, arguments[7], atof(arguments[8]), arguments[10]);
    for (int number = 0; number < frames; number++) {
        if (fread(picture, 1, size, clip) != size) check(-1, "the clip is shorter");
        if (number == change) set_rate(&enc, arguments[7], atof(arguments[12]));
        encode(&enc, picture, number);
    }
    check(VTCompressionSessionCompleteFrames(enc.session, kCMTimeIndefinite), "VTCompressionSessionCompleteFrames");
    take_packets(&enc, true);
    VTCompressionSessionInvalidate(enc.session);
    CFRelease(enc.session);
    CFRelease(enc.queue);
    CFRelease(enc.id);
    free(picture);
    fclose(clip);
    return fclose(enc.output) == 0 && enc.packets == frames ? 0 : 1;
}
