/* Decompression sessions: the pictures equal those of FFmpeg, bit for bit, in all forms of calls. */
#include "streams.h"

static results all = RESULTS_INIT;

#define FRAME(i) ((void *)((uintptr_t)(i) + 1))

/* Decodes as FFmpeg's hwaccel does: one frame in each call, and no flags. The picture has arrived when the call
 * returns. */
static void decode_synchronously(const stream *s, VTDecompressionSessionRef session) {
    for (size_t i = 0; i < s->count; i++) {
        VTDecodeInfoFlags flags = 99;
        CHECK_EQ(VTDecompressionSessionDecodeFrame(session, s->samples[i], 0, FRAME(i), &flags), noErr);
        CHECK_EQ(flags, 0);
        CHECK_EQ(results_count(&all), i + 1);
        CHECK(all.all[i].frame_refcon == FRAME(i));
        const CMTime time = CMSampleBufferGetPresentationTimeStamp(s->samples[i]);
        CHECK(memcmp(&all.all[i].time, &time, sizeof time) == 0);
    }
}

static void decode_asynchronously(const stream *s, VTDecompressionSessionRef session) {
    for (size_t i = 0; i < s->count; i++) {
        VTDecodeInfoFlags flags = 0;
        CHECK_EQ(VTDecompressionSessionDecodeFrame(session, s->samples[i], kVTDecodeFrame_EnableAsynchronousDecompression,
                                                   FRAME(i), &flags),
                 noErr);
        CHECK_EQ(flags, kVTDecodeInfo_Asynchronous);
    }
    CHECK_EQ(VTDecompressionSessionWaitForAsynchronousFrames(session), noErr);
    for (size_t i = 0; i < s->count && i < all.count; i++) CHECK(all.all[i].frame_refcon == FRAME(i));
}

static void decode_in_output_order(const stream *s, VTDecompressionSessionRef session, VTDecodeFrameFlags flags) {
    for (size_t i = 0; i < s->count; i++)
        CHECK_EQ(VTDecompressionSessionDecodeFrame(session, s->samples[i], flags | kVTDecodeFrame_EnableTemporalProcessing,
                                                   FRAME(i), NULL),
                 noErr);
    CHECK_EQ(VTDecompressionSessionFinishDelayedFrames(session), noErr);
    CHECK_EQ(VTDecompressionSessionWaitForAsynchronousFrames(session), noErr);
    for (size_t i = 1; i < all.count; i++) CHECK(CMTimeCompare(all.all[i - 1].time, all.all[i].time) < 0);
}

static void decode_with_handlers(const stream *s, VTDecompressionSessionRef session) {
    for (size_t i = 0; i < s->count; i++) {
        void *frame = FRAME(i);
        VTDecompressionOutputHandler handler =
            ^(OSStatus status, VTDecodeInfoFlags flags, CVImageBufferRef image, CMTime time, CMTime duration) {
                record(&all, frame, status, flags, image, time, duration);
            };
        CHECK_EQ(VTDecompressionSessionDecodeFrameWithOutputHandler(
                     session, s->samples[i], i % 2 ? kVTDecodeFrame_EnableAsynchronousDecompression : 0, NULL, handler),
                 noErr);
    }
    CHECK_EQ(VTDecompressionSessionWaitForAsynchronousFrames(session), noErr);
}

static void check_format(const char *options, bool is_hevc, const char *pixels, OSType format) {
    stream s;
    stream_make(&s, options, is_hevc, pixels);
    CHECK_EQ(s.count, 40);
    for (int form = 0; form < 5; form++) {
        VTDecompressionSessionRef session = make_session(stream_format(&s), NULL, form == 4 ? NULL : &all);
        if (form == 0) decode_synchronously(&s, session);
        if (form == 1) decode_asynchronously(&s, session);
        if (form == 2) decode_in_output_order(&s, session, 0);
        if (form == 3) decode_in_output_order(&s, session, kVTDecodeFrame_EnableAsynchronousDecompression);
        if (form == 4) decode_with_handlers(&s, session);
        for (size_t i = 0; i < all.count; i++)
            if (all.all[i].image) CHECK_EQ(CVPixelBufferGetPixelFormatType(all.all[i].image), format);
        check_pictures(&all, &s);
        end_decoding(session, &all);
    }
    stream_free(&s);
}

static void pictures_are_those_of_ffmpeg(void) {
    check_format("-c:v libx264 -x264-params bframes=3:b-pyramid=normal:keyint=13 -pix_fmt yuv420p", false, "nv12",
                 kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    check_format("-c:v libx264 -x264-params bframes=2:open-gop=1:keyint=9:slices=3 -pix_fmt yuv420p", false, "nv12",
                 kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    check_format("-c:v libx264 -x264-params bframes=2:interlaced=1:keyint=20 -pix_fmt yuv420p", false, "nv12",
                 kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    check_format("-c:v libx264 -x264-params bframes=3:keyint=20 -pix_fmt yuv420p10le", false, "p010le",
                 kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange);
    check_format("-c:v libx265 -x265-params log-level=none:bframes=4:keyint=11 -pix_fmt yuv420p", true, "nv12",
                 kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    check_format("-c:v libx265 -x265-params log-level=none:bframes=4:keyint=17 -pix_fmt yuv420p10le", true, "p010le",
                 kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange);
}

/* FFmpeg's sample buffers have no times, no sizes and no attachments, and it makes the `avcC` itself. */
static void bare_sample_buffers_will_do(void) {
    stream s;
    stream_make(&s, "-c:v libx264 -x264-params bframes=2:keyint=20 -pix_fmt yuv420p", false, "nv12");
    CFDictionaryRef atoms =
        CMFormatDescriptionGetExtension(stream_format(&s), kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms);
    REQUIRE(atoms);
    CFMutableDictionaryRef extensions =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms, atoms);
    CFDictionarySetValue(extensions, kVTVideoDecoderSpecification_RequireHardwareAcceleratedVideoDecoder, kCFBooleanTrue);
    CMFormatDescriptionRef format = NULL;
    REQUIRE(CMVideoFormatDescriptionCreate(NULL, kCMVideoCodecType_H264, 178, 148, extensions, &format) == noErr);
    VTDecompressionOutputCallbackRecord callback = {record, &all};
    VTDecompressionSessionRef session = NULL;
    CFDictionaryRef attributes = make_attributes(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, 178, 148);
    REQUIRE(VTDecompressionSessionCreate(NULL, format, extensions, attributes, &callback, &session) == noErr);
    CFRelease(attributes);
    for (size_t i = 0; i < s.count; i++) {
        CMBlockBufferRef block = CMSampleBufferGetDataBuffer(s.samples[i]);
        const size_t size = CMBlockBufferGetDataLength(block);
        uint8_t *bytes = (uint8_t *)malloc(size);
        REQUIRE(CMBlockBufferCopyDataBytes(block, 0, size, bytes) == noErr);
        CMSampleBufferRef bare = make_sample(bytes, size, format, NULL);
        free(bytes);
        CHECK_EQ(VTDecompressionSessionDecodeFrame(session, bare, 0, NULL, NULL), noErr);
        CHECK_EQ(VTDecompressionSessionWaitForAsynchronousFrames(session), noErr);
        CFRelease(bare);
        if (!CHECK_EQ(results_count(&all), i + 1)) break;
        CHECK(CMTIME_IS_INVALID(all.all[i].time));
        CHECK(all.all[i].image != NULL);
        all.all[i].time = CMSampleBufferGetPresentationTimeStamp(s.samples[i]);
    }
    check_pictures(&all, &s);
    end_decoding(session, &all);
    CFRelease(extensions);
    CFRelease(format);
    stream_free(&s);
}

/* FFmpeg passes the data of an interlaced frame in MP4 once for each field. The picture is the same both times, and the
 * pictures that refer to it are correct. */
static void interlaced_frames_may_come_twice(void) {
    stream s;
    stream_make(&s, "-c:v libx264 -x264-params bframes=2:interlaced=1:keyint=20 -pix_fmt yuv420p", false, "nv12");
    VTDecompressionSessionRef session = make_session(stream_format(&s), NULL, &all);
    for (size_t i = 0; i < s.count; i++) {
        CHECK_EQ(VTDecompressionSessionDecodeFrame(session, s.samples[i], 0, FRAME(i), NULL), noErr);
        CHECK_EQ(VTDecompressionSessionDecodeFrame(session, s.samples[i], 0, FRAME(i), NULL), noErr);
        REQUIRE(results_count(&all) == i + 2);
        CHECK(all.all[i + 1].image == all.all[i].image);
        CHECK(all.all[i + 1].frame_refcon == FRAME(i));
        CVPixelBufferRelease(all.all[--all.count].image);
    }
    check_pictures(&all, &s);
    end_decoding(session, &all);
    stream_free(&s);
}

/* Attributes with one format, with a list of formats, and with another size. */
static void images_are_as_wanted(void) {
    static const struct {
        OSType format;
        const char *pixels;
    } wanted[] = {{kCVPixelFormatType_420YpCbCr8Planar, "yuv420p"}, {kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, "nv12"}};
    for (size_t i = 0; i < 2; i++) {
        stream s;
        stream_make(&s, "-c:v libx264 -x264-params bframes=1:keyint=20 -pix_fmt yuv420p", false, wanted[i].pixels);
        CFDictionaryRef attributes = make_attributes(wanted[i].format, 0, 0);
        VTDecompressionSessionRef session = make_session(stream_format(&s), attributes, &all);
        CFRelease(attributes);
        decode_synchronously(&s, session);
        check_pictures(&all, &s);
        end_decoding(session, &all);
        stream_free(&s);
    }
    stream s;
    stream_make(&s, "-c:v libx264 -x264-params keyint=20 -pix_fmt yuv420p", false, "nv12");
    int64_t codes[] = {kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr8Planar};
    CFMutableArrayRef list = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    for (size_t i = 0; i < 2; i++) {
        CFNumberRef number = CFNumberCreate(NULL, kCFNumberSInt64Type, &codes[i]);
        CFArrayAppendValue(list, number);
        CFRelease(number);
    }
    CFMutableDictionaryRef attributes = (CFMutableDictionaryRef)make_attributes(0, 96, 80);
    CFDictionarySetValue(attributes, kCVPixelBufferPixelFormatTypeKey, list);
    VTDecompressionSessionRef session = make_session(stream_format(&s), attributes, &all);
    CHECK_EQ(VTDecompressionSessionDecodeFrame(session, s.samples[0], 0, NULL, NULL), noErr);
    REQUIRE(all.count == 1 && all.all[0].image);
    /* The format of the list that loses nothing of 8 bits. */
    CHECK_EQ(CVPixelBufferGetPixelFormatType(all.all[0].image), kCVPixelFormatType_420YpCbCr8Planar);
    CHECK_EQ(CVPixelBufferGetWidth(all.all[0].image), 96);
    CHECK_EQ(CVPixelBufferGetHeight(all.all[0].image), 80);
    CHECK(all.all[0].flags & kVTDecodeInfo_ImageBufferModifiable);
    end_decoding(session, &all);
    CFRelease(attributes);
    CFRelease(list);
    stream_free(&s);
}

/* A sample of a plane of a '420v' or 'y420' image of any size. */
static uint8_t sample_of(CVPixelBufferRef image, size_t plane, size_t x, size_t y) {
    return ((const uint8_t *)CVPixelBufferGetBaseAddressOfPlane(image, plane))
        [y * CVPixelBufferGetBytesPerRowOfPlane(image, plane) + x];
}

/* VLC requests the coded size, which consists of whole macroblocks. The pictures of 178 x 148 are not scaled in such
 * images. */
static void images_are_padded_to_the_coded_size(void) {
    static const int32_t sizes[][2] = {{192, 160}, {178, 160}, {192, 0}, {184, 152}};
    static const OSType formats[] = {
        kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr8Planar, kCVPixelFormatType_32BGRA};
    stream s;
    stream_make(&s, "-c:v libx264 -x264-params keyint=20 -pix_fmt yuv420p", false, "nv12");
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++) {
            CFDictionaryRef attributes = make_attributes(formats[k], sizes[i][0], sizes[i][1]);
            VTDecompressionSessionRef session = make_session(stream_format(&s), attributes, &all);
            CFRelease(attributes);
            CHECK_EQ(VTDecompressionSessionDecodeFrame(session, s.samples[0], 0, NULL, NULL), noErr);
            REQUIRE(all.count == 1 && all.all[0].image);
            CVPixelBufferRef image = all.all[0].image;
            const size_t width = (size_t)sizes[i][0], height = sizes[i][1] ? (size_t)sizes[i][1] : 148;
            CHECK_EQ(CVPixelBufferGetWidth(image), width);
            CHECK_EQ(CVPixelBufferGetHeight(image), height);
            const CGRect clean = CVImageBufferGetCleanRect(image);
            CHECK(clean.origin.x == 0 && clean.origin.y == 0 && clean.size.width == 178 && clean.size.height == 148);
            CVPixelBufferLockBaseAddress(image, kCVPixelBufferLock_ReadOnly);
            for (size_t y = 0; y < height && k < 2; y++) {
                const size_t row = y < 148 ? y : 147;
                size_t wrong = 0;
                for (size_t x = 0; x < width; x++)
                    wrong += sample_of(image, 0, x, y) != s.pictures[row * 178 + (x < 178 ? x : 177)];
                CHECK_EQ(wrong, 0);
            }
            for (size_t y = 0; y < height / 2 && k == 0; y++) {
                const uint8_t *row = s.pictures + 178 * 148 + (y < 74 ? y : 73) * 178;
                size_t wrong = 0;
                for (size_t x = 0; x < width; x++)
                    wrong += sample_of(image, 1, x, y) != row[x < 178 ? x : 176 + x % 2];
                CHECK_EQ(wrong, 0);
            }
            CVPixelBufferUnlockBaseAddress(image, kCVPixelBufferLock_ReadOnly);
            end_decoding(session, &all);
        }
    /* For a larger size, the picture is scaled. */
    CFDictionaryRef attributes = make_attributes(0, 194, 160);
    VTDecompressionSessionRef session = make_session(stream_format(&s), attributes, &all);
    CFRelease(attributes);
    CHECK_EQ(VTDecompressionSessionDecodeFrame(session, s.samples[0], 0, NULL, NULL), noErr);
    REQUIRE(all.count == 1 && all.all[0].image);
    CHECK_EQ(CVImageBufferGetCleanRect(all.all[0].image).size.width, 194);
    end_decoding(session, &all);
    stream_free(&s);
}

/* The stream's colours are attached to the images, and propagate. */
static void images_have_the_colours_of_the_stream(void) {
    stream s;
    stream_make(&s,
                "-c:v libx264 -x264-params colorprim=bt709:transfer=bt709:colormatrix=bt709:sar=4/3:keyint=20 "
                "-pix_fmt yuv420p",
                false, "nv12");
    VTDecompressionSessionRef session = make_session(stream_format(&s), NULL, &all);
    CHECK_EQ(VTDecompressionSessionDecodeFrame(session, s.samples[0], 0, NULL, NULL), noErr);
    REQUIRE(all.count == 1 && all.all[0].image);
    const struct {
        CFStringRef key, value;
    } expected[] = {{kCVImageBufferColorPrimariesKey, kCVImageBufferColorPrimaries_ITU_R_709_2},
                    {kCVImageBufferTransferFunctionKey, kCVImageBufferTransferFunction_ITU_R_709_2},
                    {kCVImageBufferYCbCrMatrixKey, kCVImageBufferYCbCrMatrix_ITU_R_709_2}};
    for (size_t i = 0; i < 3; i++) {
        CVAttachmentMode mode = kCVAttachmentMode_ShouldNotPropagate;
        CFTypeRef value = CVBufferCopyAttachment(all.all[0].image, expected[i].key, &mode);
        if (!CHECK(value != NULL)) continue;
        CHECK(CFEqual(value, expected[i].value));
        CHECK_EQ(mode, kCVAttachmentMode_ShouldPropagate);
        CFRelease(value);
    }
    CFTypeRef ratio = CVBufferCopyAttachment(all.all[0].image, kCVImageBufferPixelAspectRatioKey, NULL);
    if (CHECK(ratio != NULL)) CFRelease(ratio);
    end_decoding(session, &all);
    stream_free(&s);
}

/* Makes a sample buffer of `format` with the data of another one. `has_sets` puts the parameter sets of that one before. */
static CMSampleBufferRef make_in_band(CMSampleBufferRef sample, CMFormatDescriptionRef format, bool is_hevc, bool has_sets) {
    CMFormatDescriptionRef own = CMSampleBufferGetFormatDescription(sample);
    CMBlockBufferRef block = CMSampleBufferGetDataBuffer(sample);
    static uint8_t bytes[1 << 16];
    const size_t count = is_hevc ? 3 : 2, length = CMBlockBufferGetDataLength(block);
    size_t at = 0;
    for (size_t i = 0; has_sets && i < count; i++) {
        const uint8_t *set = NULL;
        size_t size = 0;
        REQUIRE((is_hevc ? CMVideoFormatDescriptionGetHEVCParameterSetAtIndex
                         : CMVideoFormatDescriptionGetH264ParameterSetAtIndex)(own, i, &set, &size, NULL, NULL) == noErr);
        REQUIRE(size < 256);
        memcpy(bytes + at, (const uint8_t[]){0, 0, 0, (uint8_t)size}, 4);
        memcpy(bytes + at + 4, set, size);
        at += 4 + size;
    }
    REQUIRE(at + length <= sizeof bytes);
    REQUIRE(CMBlockBufferCopyDataBytes(block, 0, length, bytes + at) == noErr);
    return make_sample(bytes, at + length, format, NULL);
}

/* Returns a description with other colour primaries than those of its parameter sets. */
static CMFormatDescriptionRef with_primaries(CMFormatDescriptionRef format, CFStringRef primaries) {
    const CMVideoDimensions size = CMVideoFormatDescriptionGetDimensions(format);
    CMFormatDescriptionRef made = NULL;
    CFMutableDictionaryRef extensions = CFDictionaryCreateMutableCopy(NULL, 0, CMFormatDescriptionGetExtensions(format));
    CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_ColorPrimaries, primaries);
    REQUIRE(CMVideoFormatDescriptionCreate(NULL, CMFormatDescriptionGetMediaSubType(format), size.width, size.height, extensions,
                                           &made) == noErr);
    CFRelease(extensions);
    return made;
}

static void decode_with_primaries(VTDecompressionSessionRef session, CMSampleBufferRef sample, CFStringRef primaries) {
    const size_t count = all.count;
    CHECK_EQ(VTDecompressionSessionDecodeFrame(session, sample, 0, NULL, NULL), noErr);
    REQUIRE(all.count == count + 1 && all.all[count].image);
    CFTypeRef value = CVBufferGetAttachment(all.all[count].image, kCVImageBufferColorPrimariesKey, NULL);
    CHECK(value && CFEqual(value, primaries));
}

/* The stream's colours change at a key frame, with a new format description or with parameter sets in the sample. Colours
 * that only the client's description states stay. */
static void colours_change_at_a_key_frame(void) {
    const CFStringRef p3 = kCVImageBufferColorPrimaries_P3_D65, hd = kCVImageBufferColorPrimaries_ITU_R_709_2,
                      uhd = kCVImageBufferColorPrimaries_ITU_R_2020;
    for (int is_hevc = 0; is_hevc < 2; is_hevc++) {
        stream old, new;
        stream_make(&old,
                    is_hevc ? "-c:v libx265 -preset ultrafast -x265-params log-level=none:bframes=0:colorprim=bt709 -pix_fmt yuv420p"
                            : "-c:v libx264 -preset ultrafast -x264-params colorprim=bt709 -pix_fmt yuv420p",
                    is_hevc, "nv12");
        stream_make(&new,
                    is_hevc ? "-c:v libx265 -preset ultrafast -x265-params log-level=none:bframes=0:colorprim=bt2020 -pix_fmt yuv420p"
                            : "-c:v libx264 -preset ultrafast -x264-params colorprim=bt2020 -pix_fmt yuv420p",
                    is_hevc, "nv12");
        VTDecompressionSessionRef session = make_session(stream_format(&old), NULL, &all);
        decode_with_primaries(session, old.samples[0], hd);
        decode_with_primaries(session, new.samples[0], uhd);
        decode_with_primaries(session, new.samples[1], uhd);
        decode_with_primaries(session, old.samples[0], hd);

        CMFormatDescriptionRef container = with_primaries(stream_format(&old), p3);
        const struct {
            CMFormatDescriptionRef format;
            CFStringRef before, after;
        } cases[] = {{stream_format(&old), hd, uhd}, {container, p3, p3}};
        for (size_t i = 0; i < 2; i++) {
            CMSampleBufferRef former = make_in_band(old.samples[0], cases[i].format, is_hevc, false);
            CMSampleBufferRef key = make_in_band(new.samples[0], cases[i].format, is_hevc, true);
            CMSampleBufferRef next = make_in_band(new.samples[1], cases[i].format, is_hevc, false);
            CMSampleBufferRef again = make_in_band(old.samples[0], cases[i].format, is_hevc, true);
            decode_with_primaries(session, former, cases[i].before);
            decode_with_primaries(session, key, cases[i].after);
            decode_with_primaries(session, next, cases[i].after);
            decode_with_primaries(session, again, cases[i].before);
            CFRelease(former);
            CFRelease(key);
            CFRelease(next);
            CFRelease(again);
        }
        CFRelease(container);
        end_decoding(session, &all);
        stream_free(&old);
        stream_free(&new);
    }
}

/* Primaries and transfer functions are not converted. A client that requests others gets a status, and images keep the
 * stream's. */
static void other_colours_are_refused(void) {
    stream s;
    stream_make(&s,
                "-c:v libx264 -x264-params colorprim=bt709:transfer=bt709:colormatrix=bt709:sar=4/3:keyint=20 "
                "-pix_fmt yuv420p",
                false, "nv12");
    CFDictionaryRef attributes = make_attributes(kCVPixelFormatType_32BGRA, 0, 0);
    VTDecompressionSessionRef session = make_session(stream_format(&s), attributes, &all);
    const void *keys[] = {kVTPixelTransferPropertyKey_DestinationColorPrimaries,
                          kVTPixelTransferPropertyKey_DestinationTransferFunction};
    const void *values[][2] = {
        {kCVImageBufferColorPrimaries_P3_D65, kCVImageBufferTransferFunction_ITU_R_709_2},
        {kCVImageBufferColorPrimaries_ITU_R_709_2, kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ},
        {kCVImageBufferColorPrimaries_ITU_R_709_2, kCVImageBufferTransferFunction_ITU_R_709_2}};
    const CFStringRef key = kVTDecompressionPropertyKey_PixelTransferProperties;
    for (int i = 0; i < 3; i++) {
        CFDictionaryRef transfer = CFDictionaryCreate(NULL, keys, values[i], 2, &kCFTypeDictionaryKeyCallBacks,
                                                      &kCFTypeDictionaryValueCallBacks);
        CFTypeRef kept = NULL;
        CHECK_EQ(VTSessionSetProperty(session, key, transfer), i < 2 ? kVTPixelTransferNotSupportedErr : noErr);
        CHECK_EQ(VTSessionCopyProperty(session, key, NULL, &kept), noErr);
        REQUIRE(kept);
        CHECK_EQ(CFDictionaryGetCount(kept), i < 2 ? 0 : 2);
        CFRelease(kept);
        CFRelease(transfer);
        CHECK_EQ(VTDecompressionSessionDecodeFrame(session, s.samples[i], 0, NULL, NULL), noErr);
        REQUIRE(all.count == (size_t)i + 1 && all.all[i].image);
        CHECK(CFEqual(CVBufferGetAttachment(all.all[i].image, kCVImageBufferColorPrimariesKey, NULL), values[2][0]));
        CHECK(CFEqual(CVBufferGetAttachment(all.all[i].image, kCVImageBufferTransferFunctionKey, NULL), values[2][1]));
    }
    CFRelease(attributes);
    end_decoding(session, &all);
    stream_free(&s);
}

int main(void) {
    RUN(pictures_are_those_of_ffmpeg);
    RUN(bare_sample_buffers_will_do);
    RUN(interlaced_frames_may_come_twice);
    RUN(images_are_as_wanted);
    RUN(images_are_padded_to_the_coded_size);
    RUN(images_have_the_colours_of_the_stream);
    RUN(colours_change_at_a_key_frame);
    RUN(other_colours_are_refused);
    return check_result();
}
