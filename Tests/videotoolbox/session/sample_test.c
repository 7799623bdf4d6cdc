/* The content of a session's samples: behaviours 25 to 30 of the programs that use VideoToolbox. FFmpeg checks the
 * streams. */
#include "session_support.h"

#include "ffmpeg.h"

enum { FRAMES = 60 };

/* Encodes frames with two key frames and, unless `live`, with B-frames. */
static VTCompressionSessionRef encode_all(collected *all, bool live) {
    VTCompressionSessionRef session = live ? live_session(64, 64, all) : session_of(64, 64, all);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_MaxKeyFrameInterval, 40), noErr);
    encode_frames(session, FRAMES);
    CHECK_EQ(all->count, FRAMES);
    return session;
}

/* The nal_unit_type of the first slice, read without the library. `referred_to` becomes whether its nal_ref_idc is not
 * 0. */
static int slice_type(CMSampleBufferRef sample, bool *referred_to) {
    CMBlockBufferRef data = CMSampleBufferGetDataBuffer(sample);
    const size_t size = CMBlockBufferGetDataLength(data);
    for (size_t at = 0; at + 5 <= size;) {
        uint8_t head[5];
        REQUIRE(CMBlockBufferCopyDataBytes(data, at, 5, head) == noErr);
        const int type = head[4] & 31;
        *referred_to = head[4] >> 5 & 3;
        if (type >= 1 && type <= 5) return type;
        at += 4 + ((size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3]);
    }
    return 0;
}

/* Behaviour 25: every way in which programs tell key frames from others, and B-frames that can be dropped. */
static void test_key_frames(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = encode_all(&all, false);
    int key_frames = 0, droppable = 0;
    for (int i = 0; i < all.count; i++) {
        bool referred_to = false;
        const bool idr = slice_type(all.samples[i], &referred_to) == 5;
        CFArrayRef array = CMSampleBufferGetSampleAttachmentsArray(all.samples[i], false);
        REQUIRE(array != NULL);
        CHECK_EQ(CFArrayGetCount(array), 1);
        CHECK_EQ(CFGetTypeID(CFArrayGetValueAtIndex(array, 0)), CFDictionaryGetTypeID());
        /* Programs test the absence of the key, or its value. The values are the singletons. */
        CHECK(attachment_of(all.samples[i], kCMSampleAttachmentKey_NotSync) == (idr ? NULL : kCFBooleanTrue));
        /* Programs compare the pointer of this value. */
        CHECK(attachment_of(all.samples[i], kCMSampleAttachmentKey_DependsOnOthers) ==
            (idr ? kCFBooleanFalse : kCFBooleanTrue));
        CHECK(attachment_of(all.samples[i], kCMSampleAttachmentKey_PartialSync) == NULL);
        CFTypeRef depended_on = attachment_of(all.samples[i], kCMSampleAttachmentKey_IsDependedOnByOthers);
        CHECK(referred_to ? depended_on != kCFBooleanFalse : depended_on == kCFBooleanFalse);
        key_frames += idr;
        droppable += !referred_to;
    }
    CHECK_EQ(key_frames, 2);
    CHECK(droppable > 0); /* otherwise B-frames are not tested */
    end_session(session, &all);
}

/* Temporal layers: programs that send to several receivers leave out the samples that no other depends on. */
static void test_temporal_layers(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = live_session(64, 64, &all);
    const double half = 0.5, share = 0.7;
    CFNumberRef fraction = CFNumberCreate(NULL, kCFNumberDoubleType, &half);
    CFNumberRef bits = CFNumberCreate(NULL, kCFNumberDoubleType, &share);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_BaseLayerFrameRateFraction, fraction), noErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_BaseLayerBitRateFraction, bits), noErr);
    /* This session has no adaptive quantisation, with which the fraction is kept. */
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_BaseLayerBitRateFraction, NULL), noErr);
    encode_frames(session, FRAMES);
    REQUIRE(CHECK_EQ(all.count, FRAMES));
    for (int i = 0; i < all.count; i++) {
        bool referred_to = false;
        (void)slice_type(all.samples[i], &referred_to);
        CFTypeRef depended_on = attachment_of(all.samples[i], kCMSampleAttachmentKey_IsDependedOnByOthers);
        CHECK_EQ(referred_to, i % 2 == 0);
        CHECK(referred_to ? depended_on != kCFBooleanFalse : depended_on == kCFBooleanFalse);
    }
    CFRelease(bits);
    CFRelease(fraction);
    end_session(session, &all);
}

/* Behaviours 26 and 27: one description for all samples, with both parameter sets, and none of them in the data. */
static void test_format_description(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = encode_all(&all, false);
    CMFormatDescriptionRef format = CMSampleBufferGetFormatDescription(all.samples[0]);
    const uint8_t *sets[2] = {NULL, NULL};
    size_t count = 0, sizes[2] = {0, 0};
    int length = 0;
    REQUIRE(format != NULL);
    CHECK_EQ(CMVideoFormatDescriptionGetCodecType(format), 'avc1');
    CHECK_EQ(CMVideoFormatDescriptionGetDimensions(format).width, 64);
    CHECK_EQ(CMVideoFormatDescriptionGetDimensions(format).height, 64);
    CHECK_EQ(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(format, 0, NULL, NULL, &count, &length), noErr);
    CHECK_EQ(count, 2);
    CHECK_EQ(length, 4);
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(format, i, &sets[i], &sizes[i], NULL, NULL), noErr);
        CHECK(sizes[i] > 2 && (sets[i][0] & 31) == (i ? 8 : 7));
    }
    for (int i = 0; i < all.count; i++) {
        CHECK_PTR_EQ(CMSampleBufferGetFormatDescription(all.samples[i]), format);
        CMBlockBufferRef data = CMSampleBufferGetDataBuffer(all.samples[i]);
        for (size_t at = 0, size = CMBlockBufferGetDataLength(data); at + 5 <= size;) {
            uint8_t head[5];
            REQUIRE(CMBlockBufferCopyDataBytes(data, at, 5, head) == noErr);
            CHECK((head[4] & 31) != 7 && (head[4] & 31) != 8);
            at += 4 + ((size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3]);
            CHECK(at <= size);
        }
    }

    /* Behaviour 28: the record has the profile, compatibility and level of the SPS, lengths of 4 bytes, one SPS. */
    CFDictionaryRef atoms =
        CMFormatDescriptionGetExtension(format, kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms);
    REQUIRE(atoms && CFGetTypeID(atoms) == CFDictionaryGetTypeID());
    CFDataRef record = CFDictionaryGetValue(atoms, CFSTR("avcC"));
    REQUIRE(record && CFGetTypeID(record) == CFDataGetTypeID());
    const uint8_t *bytes = CFDataGetBytePtr(record);
    REQUIRE((size_t)CFDataGetLength(record) >= 11 + sizes[0] + sizes[1]);
    CHECK(bytes[0] == 1 && memcmp(bytes + 1, sets[0] + 1, 3) == 0 && bytes[4] == 0xff && bytes[5] == 0xe1);
    CHECK_EQ(bytes[6] << 8 | bytes[7], sizes[0]);
    CHECK_BYTES(bytes + 8, sets[0], sizes[0]);

    /* Parameter sets are valid as long as the description, which outlives the session and its samples. */
    uint8_t copy[64];
    REQUIRE(sizes[0] <= sizeof copy);
    memcpy(copy, sets[0], sizes[0]);
    CFRetain(format);
    end_session(session, &all);
    CHECK_BYTES(sets[0], copy, sizes[0]);
    CFRelease(format);
}

/* Behaviour 29: lengths of 4 bytes, the total size, one block that a client may write to and that outlives the sample. */
static void test_data(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = encode_all(&all, true);
    stream_file file;
    stream_open(&file);
    for (int i = 0; i < all.count; i++) {
        CMBlockBufferRef data = CMSampleBufferGetDataBuffer(all.samples[i]);
        size_t at_offset = 0, total = 0;
        char *bytes = NULL;
        REQUIRE(data != NULL);
        CHECK_EQ(CMSampleBufferGetTotalSampleSize(all.samples[i]), CMBlockBufferGetDataLength(data));
        CHECK_EQ(CMSampleBufferGetSampleSize(all.samples[i], 0), CMBlockBufferGetDataLength(data));
        CHECK_EQ(CMSampleBufferGetNumSamples(all.samples[i]), 1);
        CHECK(CMSampleBufferDataIsReady(all.samples[i]));
        CHECK(CMBlockBufferIsRangeContiguous(data, 0, 0));
        CHECK_EQ(CMBlockBufferGetDataPointer(data, 0, &at_offset, &total, &bytes), noErr);
        CHECK_EQ(at_offset, total);
        CHECK_EQ(total, CMBlockBufferGetDataLength(data));
        if (is_key_frame(all.samples[i])) {
            for (size_t p = 0; p < 2; p++) {
                const uint8_t *set = NULL;
                size_t size = 0;
                CHECK_EQ(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(
                             CMSampleBufferGetFormatDescription(all.samples[i]), p, &set, &size, NULL, NULL),
                    noErr);
                REQUIRE(fwrite("\0\0\0\1", 1, 4, file.file) == 4 && fwrite(set, 1, size, file.file) == size);
            }
        }
        CFRetain(data);
        CFRelease(all.samples[i]);
        all.samples[i] = NULL;
        /* Start codes in place of the lengths. */
        for (size_t at = 0; at + 4 < total;) {
            const uint8_t *head = (const uint8_t *)bytes + at;
            const size_t next = at + 4 + ((size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3]);
            REQUIRE(next <= total);
            memcpy(bytes + at, "\0\0\0\1", 4);
            at = next;
        }
        REQUIRE(fwrite(bytes, 1, total, file.file) == total);
        CFRelease(data);
    }
    FILE *pictures = stream_judge(&file, "-v error -xerror", "-f rawvideo -pix_fmt yuv420p -");
    size_t size = 0;
    char block[4096];
    for (size_t got; (got = fread(block, 1, sizeof block, pictures)) > 0;) size += got;
    CHECK_EQ(pclose(pictures), 0);
    CHECK_EQ(size, (size_t)FRAMES * 64 * 64 * 3 / 2);
    stream_close(&file);
    end_session(session, &all);
}

/* Checks that every sample's description has the value, or lacks the key if `expected` is NULL. */
static void check_extension(const collected *all, CFStringRef key, CFTypeRef expected) {
    CHECK(all->count > 0);
    for (int i = 0; i < all->count; i++) {
        CFTypeRef value = CMFormatDescriptionGetExtension(CMSampleBufferGetFormatDescription(all->samples[i]), key);
        CHECK(expected ? value && CFEqual(value, expected) : !value);
    }
}

/* Checks the chroma location that ffprobe finds in the parameter sets of the first sample. */
static void check_chroma_location(const collected *all, const char *expected) {
    char line[128] = "", command[512];
    stream_file file;
    stream_open(&file);
    for (size_t i = 0; i < 2; i++) {
        const uint8_t *set = NULL;
        size_t size = 0;
        REQUIRE(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(
                    CMSampleBufferGetFormatDescription(all->samples[0]), i, &set, &size, NULL, NULL) == noErr);
        REQUIRE(fwrite("\0\0\0\1", 1, 4, file.file) == 4 && fwrite(set, 1, size, file.file) == size);
    }
    char *bytes = NULL;
    size_t total = 0;
    REQUIRE(CMBlockBufferGetDataPointer(CMSampleBufferGetDataBuffer(all->samples[0]), 0, NULL, &total, &bytes) == noErr);
    for (size_t at = 0; at + 4 < total;) {
        const uint8_t *head = (const uint8_t *)bytes + at;
        const size_t size = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
        REQUIRE(fwrite("\0\0\0\1", 1, 4, file.file) == 4 && fwrite(head + 4, 1, size, file.file) == size);
        at += 4 + size;
    }
    REQUIRE(fflush(file.file) == 0);
    snprintf(command, sizeof command,
        "ffprobe -v error -f h264 -show_entries stream=chroma_location -of default=nk=1:nw=1 '%s'", file.path);
    FILE *pipe = popen(command, "r");
    REQUIRE(pipe && fgets(line, sizeof line, pipe));
    CHECK_EQ(pclose(pipe), 0);
    line[strcspn(line, "\n")] = 0;
    CHECK_STR_EQ(line, expected);
    stream_close(&file);
}

/* Programs that write files read fields, light and profiles from the description. */
static void test_extensions(void) {
    static const uint8_t light[4] = {3, 232, 1, 144};
    uint8_t mastering[24] = {0};
    collected all = COLLECTED;
    VTCompressionSessionRef session = session_of(64, 64, &all);
    mastering[17] = 1;
    const CFStringRef keys[] = {kCMFormatDescriptionExtension_MasteringDisplayColorVolume,
        kCMFormatDescriptionExtension_ContentLightLevelInfo, kCMFormatDescriptionExtension_ICCProfile,
        kCMFormatDescriptionExtension_GammaLevel, kCMFormatDescriptionExtension_FieldDetail};
    const CFStringRef properties[] = {kVTCompressionPropertyKey_MasteringDisplayColorVolume,
        kVTCompressionPropertyKey_ContentLightLevelInfo, kVTCompressionPropertyKey_ICCProfile,
        kVTCompressionPropertyKey_GammaLevel, kVTCompressionPropertyKey_FieldDetail};
    const CFTypeRef values[] = {CFDataCreate(NULL, mastering, 24), CFDataCreate(NULL, light, 4),
        CFDataCreate(NULL, light, 3), number(2.2), CFRetain(kCMFormatDescriptionFieldDetail_SpatialFirstLineLate)};
    for (int i = 0; i < 5; i++) {
        CHECK_EQ(VTSessionSetProperty(session, properties[i], values[i]), noErr);
        CHECK_EQ(VTSessionSetProperty(session, properties[i], NULL), noErr);
        CHECK_EQ(VTSessionSetProperty(session, properties[i], values[i]), noErr);
    }
    encode_frames(session, 10);
    CFRelease(session);
    CHECK_EQ(all.count, 10);
    for (int i = 0; i < 5; i++) check_extension(&all, keys[i], values[i]);
    for (int i = 1; i < all.count; i++)
        CHECK_PTR_EQ(
            CMSampleBufferGetFormatDescription(all.samples[i]), CMSampleBufferGetFormatDescription(all.samples[0]));
    collected_clear(&all);

    /* Extensions that follow from other properties are present too, and those of a property that was reset are
     * absent. */
    session = session_of(64, 64, &all);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_FieldCount, 2), noErr);
    CHECK_EQ(VTSessionSetProperty(session, properties[1], values[1]), noErr);
    CHECK_EQ(VTSessionSetProperty(session, properties[1], NULL), noErr);
    CHECK_EQ(encode(session, 0), noErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CFRelease(session);
    check_extension(&all, keys[1], NULL);
    check_extension(&all, keys[4], kCMFormatDescriptionFieldDetail_TemporalTopFirst);
    collected_clear(&all);
    for (int i = 0; i < 5; i++) CFRelease(values[i]);
}

/* Encodes one frame, and releases it. */
static void encode_frame(VTCompressionSessionRef session, CVPixelBufferRef buffer) {
    CHECK_EQ(VTCompressionSessionEncodeFrame(session, buffer, kCMTimeZero, kCMTimeInvalid, NULL, NULL, NULL), noErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CFRelease(buffer);
}

/* Releases the session of one frame, and checks the chroma location of the description and of the stream. */
static void end_with_chroma_location(VTCompressionSessionRef session, collected *all, CFStringRef location, const char *name) {
    CFRelease(session);
    REQUIRE(all->count == 1);
    check_extension(all, kCMFormatDescriptionExtension_ChromaLocationTopField, location);
    check_chroma_location(all, name);
    collected_clear(all);
}

/* The chroma location is a property whose name has no constant, as in HandBrake, or an attachment of the first frame,
 * as in FFmpeg. The stream and the description contain it. */
static void test_chroma_location(void) {
    const CFStringRef top = CFSTR("ChromaLocationTopField"), bottom = CFSTR("ChromaLocationBottomField");
    for (int attached = 0; attached < 2; attached++) {
        collected all = COLLECTED;
        VTCompressionSessionRef session = session_of(64, 64, &all);
        CVPixelBufferRef buffer = frame_of(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, 64, 64, 0);
        if (attached) {
            CVBufferSetAttachment(buffer, kCVImageBufferChromaLocationTopFieldKey,
                kCVImageBufferChromaLocation_TopLeft, kCVAttachmentMode_ShouldPropagate);
        } else {
            CHECK(copy_value(session, top) == NULL);
            CHECK_EQ(VTSessionSetProperty(session, top, kCFBooleanTrue), kVTPropertyNotSupportedErr);
            CHECK_EQ(VTSessionSetProperty(session, top, CFSTR("Middle")), kVTParameterErr);
            CHECK_EQ(VTSessionSetProperty(session, bottom, kCVImageBufferChromaLocation_Left), noErr);
            /* The stream has one chroma location for both fields. */
            CHECK_EQ(VTSessionSetProperty(session, top, kCVImageBufferChromaLocation_TopLeft), kVTParameterErr);
            CHECK_EQ(VTSessionSetProperty(session, bottom, kCVImageBufferChromaLocation_TopLeft), noErr);
            CHECK_EQ(VTSessionSetProperty(session, top, kCVImageBufferChromaLocation_TopLeft), noErr);
            CHECK_EQ(VTSessionSetProperty(session, CFSTR("x264.params"), CFSTR("threads=1")), noErr);
            CFTypeRef params = copy_value(session, CFSTR("x264.params")), location = copy_value(session, top);
            CHECK(params && CFEqual(params, CFSTR("threads=1")));
            CHECK(location && CFEqual(location, kCVImageBufferChromaLocation_TopLeft));
            if (params) CFRelease(params);
            if (location) CFRelease(location);
        }
        encode_frame(session, buffer);
        if (attached)
            CHECK_EQ(VTSessionSetProperty(session, top, kCVImageBufferChromaLocation_Center), kVTPropertyReadOnlyErr);
        end_with_chroma_location(session, &all, kCMFormatDescriptionChromaLocation_TopLeft, "topleft");
    }
}

/* RGB is converted with centred chroma, which the stream and the description indicate. */
static void test_chroma_location_of_rgb(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = session_of(64, 64, &all);
    encode_frame(session, frame_of(kCVPixelFormatType_32BGRA, 64, 64, 0));
    end_with_chroma_location(session, &all, kCMFormatDescriptionChromaLocation_Center, "center");
}

/* The chroma location in x264.params takes precedence. */
static void test_chroma_location_of_params(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = session_of(64, 64, &all);
    CHECK_EQ(VTSessionSetProperty(session, CFSTR("ChromaLocationTopField"), kCVImageBufferChromaLocation_Left), noErr);
    CHECK_EQ(VTSessionSetProperty(session, CFSTR("x264.params"), CFSTR("chromaloc=2")), noErr);
    encode_frame(session, frame_of(kCVPixelFormatType_32BGRA, 64, 64, 0));
    end_with_chroma_location(session, &all, kCMFormatDescriptionChromaLocation_TopLeft, "topleft");
}

/* A colour that was reset to its default is that of the frames, as if it had never been set. */
static void test_colours_that_are_null(void) {
    const CFTypeRef nothing[] = {NULL, kCFNull};
    for (int i = 0; i < 2; i++) {
        collected all = COLLECTED;
        VTCompressionSessionRef session = session_of(64, 64, &all);
        CVPixelBufferRef buffer = frame_of(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, 64, 64, 0);
        CVBufferSetAttachment(buffer, kCVImageBufferColorPrimariesKey, kCVImageBufferColorPrimaries_ITU_R_2020,
            kCVAttachmentMode_ShouldPropagate);
        CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_ColorPrimaries, nothing[i]), noErr);
        encode_frame(session, buffer);
        CFRelease(session);
        REQUIRE(all.count == 1);
        check_extension(
            &all, kCMFormatDescriptionExtension_ColorPrimaries, kCMFormatDescriptionColorPrimaries_ITU_R_2020);
        collected_clear(&all);
    }
}

/* Colours that libnalu has no name for reach the stream, set or attached, and are read back. */
static void test_colours_by_code(void) {
    for (int attached = 0; attached < 2; attached++) {
        collected all = COLLECTED;
        VTCompressionSessionRef session = session_of(64, 64, &all);
        CVPixelBufferRef buffer = frame_of(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, 64, 64, 0);
        if (attached) {
            CVBufferSetAttachment(buffer, kCVImageBufferColorPrimariesKey, kCVImageBufferColorPrimaries_DCI_P3,
                kCVAttachmentMode_ShouldPropagate);
            CVBufferSetAttachment(buffer, kCVImageBufferTransferFunctionKey,
                kCVImageBufferTransferFunction_SMPTE_ST_428_1, kCVAttachmentMode_ShouldPropagate);
        } else {
            CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_ColorPrimaries,
                kCVImageBufferColorPrimaries_DCI_P3), noErr);
            CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_TransferFunction,
                kCVImageBufferTransferFunction_SMPTE_ST_428_1), noErr);
        }
        encode_frame(session, buffer);
        CFTypeRef primaries = copy_value(session, kVTCompressionPropertyKey_ColorPrimaries);
        CHECK(primaries && CFEqual(primaries, kCVImageBufferColorPrimaries_DCI_P3));
        if (primaries) CFRelease(primaries);
        CFRelease(session);
        REQUIRE(all.count == 1);
        check_extension(
            &all, kCMFormatDescriptionExtension_ColorPrimaries, kCMFormatDescriptionColorPrimaries_DCI_P3);
        check_extension(&all, kCMFormatDescriptionExtension_TransferFunction,
            kCMFormatDescriptionTransferFunction_SMPTE_ST_428_1);
        collected_clear(&all);
    }
}

static int gone;
static void count_gone(void *context, void *block, size_t size) {
    (void)context, (void)size;
    gone++;
    free(block);
}

static void attach_own(void *refcon, void *frame, OSStatus status, VTEncodeInfoFlags flags, CMSampleBufferRef sample) {
    const CMBlockBufferCustomBlockSource source = {.FreeBlock = count_gone};
    CMBlockBufferRef own = NULL;
    if (sample) {
        REQUIRE(CMBlockBufferCreateWithMemoryBlock(NULL, malloc(4), 4, NULL, &source, 0, 4, 0, &own) == noErr);
        CMSetAttachment(sample, CFSTR("HB_HDR_PLUS"), own, kCMAttachmentMode_ShouldPropagate);
        CFRelease(own);
    }
    collect(refcon, frame, status, flags, sample);
}

/* Behaviour 30: the callback attaches its own data, which is present later and is released with the sample. */
static void test_own_attachments(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = NULL;
    REQUIRE(VTCompressionSessionCreate(
                NULL, 64, 64, kCMVideoCodecType_H264, NULL, NULL, NULL, attach_own, &all, &session) == noErr);
    encode_frames(session, 10);
    CFRelease(session);
    CHECK_EQ(all.count, 10);
    CHECK_EQ(gone, 0);
    for (int i = 0; i < all.count; i++) {
        CFTypeRef own = CMGetAttachment(all.samples[i], CFSTR("HB_HDR_PLUS"), NULL);
        CHECK(own && CFGetTypeID(own) == CMBlockBufferGetTypeID());
    }
    collected_clear(&all);
    CHECK_EQ(gone, 10);
}

int main(void) {
    RUN(test_key_frames);
    RUN(test_temporal_layers);
    RUN(test_format_description);
    RUN(test_data);
    RUN(test_extensions);
    RUN(test_chroma_location);
    RUN(test_chroma_location_of_rgb);
    RUN(test_chroma_location_of_params);
    RUN(test_colours_that_are_null);
    RUN(test_colours_by_code);
    RUN(test_own_attachments);
    return check_result();
}
