/* CMFormatDescription: parameter sets in and out, extensions, atoms, sizes, comparison, images, wrong arguments. */
#include "check.h"
#include "hevc_records.h"

#include <CoreMedia/CoreMedia.h>
#include <CoreVideo/CoreVideo.h>

/* Behaviour 28: the `avcC` record of a Mac, for 320x240. */
static const uint8_t mac_avcc[] = {0x01, 0x4d, 0x00, 0x0d, 0xff, 0xe1, 0x00, 0x0d, 0x27, 0x4d, 0x00, 0x0d, 0xab, 0x60,
    0xa0, 0xfd, 0x35, 0x06, 0x01, 0x06, 0x02, 0x01, 0x00, 0x04, 0x28, 0xee, 0x3c, 0x80};
static const uint8_t *const mac_sets[2] = {mac_avcc + 8, mac_avcc + 24};
static const size_t mac_sizes[2] = {13, 4};

/* The number of blocks that the last release of a description has freed. Retain counts cannot be read. */
static int freed;
static void free_counted(void *context, void *block, size_t size) {
    (void)context, (void)size;
    freed++;
    free(block);
}

static CFStringRef string(const char *text) { return CFStringCreateWithCString(NULL, text, kCFStringEncodingUTF8); }

static int32_t number_in(CFDictionaryRef dictionary, CFStringRef key) {
    int32_t number = -1;
    CFTypeRef value = CFDictionaryGetValue(dictionary, key);
    if (CHECK(value && CFGetTypeID(value) == CFNumberGetTypeID())) CFNumberGetValue(value, kCFNumberSInt32Type, &number);
    return number;
}

static CFMutableDictionaryRef dictionary(void) {
    return CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
}

static void set_number(CFMutableDictionaryRef into, CFStringRef key, double number) {
    CFNumberRef value = CFNumberCreate(NULL, kCFNumberDoubleType, &number);
    CFDictionarySetValue(into, key, value);
    CFRelease(value);
}

/* Creates the extensions {SampleDescriptionExtensionAtoms: {type: data}}. */
static CFMutableDictionaryRef with_atom(const char *type, const void *bytes, size_t size) {
    CFMutableDictionaryRef extensions = dictionary(), atoms = dictionary();
    CFDataRef data = CFDataCreate(NULL, bytes, (CFIndex)size);
    CFStringRef key = string(type);
    CFDictionarySetValue(atoms, key, data);
    CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms, atoms);
    CFRelease(key);
    CFRelease(data);
    CFRelease(atoms);
    return extensions;
}

static CMFormatDescriptionRef from_mac(void) {
    CMFormatDescriptionRef format = NULL;
    REQUIRE(CMVideoFormatDescriptionCreateFromH264ParameterSets(NULL, 2, mac_sets, mac_sizes, 4, &format) == noErr);
    return format;
}

static void check_atom(CMFormatDescriptionRef format, const char *type, const uint8_t *bytes, size_t size) {
    CFDictionaryRef atoms =
        CMFormatDescriptionGetExtension(format, kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms);
    REQUIRE(atoms && CFGetTypeID(atoms) == CFDictionaryGetTypeID());
    CFStringRef key = string(type);
    CFDataRef atom = CFDictionaryGetValue(atoms, key);
    CFRelease(key);
    REQUIRE(atom && CFGetTypeID(atom) == CFDataGetTypeID());
    if (CHECK_EQ(CFDataGetLength(atom), size)) CHECK_BYTES(CFDataGetBytePtr(atom), bytes, size);
}

/* Behaviour 26: the count and the length size without a parameter set, the SPS before the PPS, pointers that stay
 * valid. */
static void check_mac_sets(CMFormatDescriptionRef format) {
    size_t count = 0, size = 0;
    int length = 0;
    const uint8_t *set = NULL;
    CHECK_EQ(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(format, 0, NULL, NULL, &count, &length), noErr);
    CHECK_EQ(count, 2);
    CHECK_EQ(length, 4);
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(format, i, &set, &size, NULL, NULL), noErr);
        if (CHECK_EQ(size, mac_sizes[i])) CHECK_BYTES(set, mac_sets[i], size);
        const uint8_t *again = NULL;
        CHECK_EQ(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(format, i, &again, NULL, NULL, NULL), noErr);
        CHECK_PTR_EQ(again, set);
    }
    /* Programs count the parameter sets with calls until one fails. */
    CHECK_EQ(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(format, 2, &set, &size, &count, &length),
        kCMFormatDescriptionError_InvalidParameter);
    CHECK(set == NULL && size == 0);
    CHECK_EQ(CMVideoFormatDescriptionGetHEVCParameterSetAtIndex(format, 0, NULL, NULL, &count, &length),
        kCMFormatDescriptionError_InvalidParameter);
}

/* Behaviours 26, 27 and 28. */
static void test_h264_parameter_sets(void) {
    CMFormatDescriptionRef format = from_mac();
    CHECK_EQ(CFGetTypeID(format), CMFormatDescriptionGetTypeID());
    CHECK_EQ(CMFormatDescriptionGetMediaType(format), 'vide');
    CHECK_EQ(CMVideoFormatDescriptionGetCodecType(format), 'avc1');
    CHECK_EQ(CMVideoFormatDescriptionGetDimensions(format).width, 320);
    CHECK_EQ(CMVideoFormatDescriptionGetDimensions(format).height, 240);
    check_mac_sets(format);
    check_atom(format, "avcC", mac_avcc, sizeof mac_avcc);
    CFDictionaryRef extensions = CMFormatDescriptionGetExtensions(format);
    CHECK_EQ(number_in(extensions, kCMFormatDescriptionExtension_FieldCount), 1);
    CHECK(CMFormatDescriptionGetExtension(format, kCMFormatDescriptionExtension_FullRangeVideo) == kCFBooleanFalse);
    CHECK(CFEqual(CMFormatDescriptionGetExtension(format, kCMFormatDescriptionExtension_ColorPrimaries),
        kCVImageBufferColorPrimaries_SMPTE_C));
    CHECK(CFEqual(CMFormatDescriptionGetExtension(format, kCMFormatDescriptionExtension_TransferFunction),
        kCVImageBufferTransferFunction_ITU_R_709_2));
    CHECK(CFEqual(CMFormatDescriptionGetExtension(format, kCMFormatDescriptionExtension_YCbCrMatrix),
        kCVImageBufferYCbCrMatrix_ITU_R_601_4));
    CHECK(CMFormatDescriptionGetExtension(format, kCMFormatDescriptionExtension_PixelAspectRatio) == NULL);
    CFRelease(format);

    /* The PPS first, and another length size. */
    const uint8_t *const sets[2] = {mac_sets[1], mac_sets[0]};
    const size_t sizes[2] = {mac_sizes[1], mac_sizes[0]};
    size_t size = 0;
    int length = 0;
    const uint8_t *set = NULL;
    REQUIRE(CMVideoFormatDescriptionCreateFromH264ParameterSets(NULL, 2, sets, sizes, 2, &format) == noErr);
    CHECK_EQ(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(format, 0, &set, &size, NULL, &length), noErr);
    CHECK_EQ(length, 2);
    if (CHECK_EQ(size, mac_sizes[0])) CHECK_BYTES(set, mac_sets[0], size);
    CFRelease(format);
}

/* An atom in the extensions, as demuxers pass it, and the parameter sets that are read back. */
static void test_atoms_bring_parameter_sets(void) {
    CFMutableDictionaryRef extensions = with_atom("avcC", mac_avcc, sizeof mac_avcc);
    CMFormatDescriptionRef format = NULL, same = from_mac();
    REQUIRE(CMVideoFormatDescriptionCreate(NULL, kCMVideoCodecType_H264, 320, 240, extensions, &format) == noErr);
    CFRelease(extensions);
    check_mac_sets(format);
    check_atom(format, "avcC", mac_avcc, sizeof mac_avcc);
    CHECK(!CMFormatDescriptionEqual(format, same));
    CFStringRef keys[] = {kCMFormatDescriptionExtension_FieldCount, kCMFormatDescriptionExtension_FullRangeVideo,
        kCMFormatDescriptionExtension_ColorPrimaries, kCMFormatDescriptionExtension_TransferFunction,
        kCMFormatDescriptionExtension_YCbCrMatrix, kCMFormatDescriptionExtension_ChromaLocationTopField,
        kCMFormatDescriptionExtension_ChromaLocationBottomField};
    CFArrayRef ignored = CFArrayCreate(NULL, (const void **)keys, 7, &kCFTypeArrayCallBacks);
    CHECK(CMFormatDescriptionEqualIgnoringExtensionKeys(format, same, ignored, NULL));
    CFRelease(ignored);
    CFRelease(format);
    CFRelease(same);

    /* Atoms that cannot be parsed are kept, and result in no parameter sets. */
    size_t count = 7;
    for (size_t size = 0; size < sizeof mac_avcc - 4; size += 3) {
        extensions = with_atom("avcC", mac_avcc, size);
        REQUIRE(CMVideoFormatDescriptionCreate(NULL, kCMVideoCodecType_H264, 320, 240, extensions, &format) == noErr);
        CHECK_EQ(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(format, 0, NULL, NULL, &count, NULL),
            kCMFormatDescriptionError_ValueNotAvailable);
        CHECK_EQ(count, 0);
        check_atom(format, "avcC", mac_avcc, size);
        CFRelease(format);
        CFRelease(extensions);
    }
    /* Values of other types result in no parameter sets either. */
    extensions = dictionary();
    CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms, kCFBooleanTrue);
    REQUIRE(CMVideoFormatDescriptionCreate(NULL, kCMVideoCodecType_H264, 320, 240, extensions, &format) == noErr);
    CHECK_EQ(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(format, 0, NULL, NULL, NULL, NULL),
        kCMFormatDescriptionError_ValueNotAvailable);
    CFRelease(format);
    CFRelease(extensions);
}

/* Programs that write the record themselves omit the fields at its end that High profile adds. */
static void test_short_record_of_high_profile(void) {
    static const uint8_t record[] = {0x01, 0x64, 0x00, 0x0a, 0xff, 0xe1, 0x00, 0x18, 0x67, 0x64, 0x00, 0x0a, 0xac, 0xd9,
        0x44, 0x26, 0xc0, 0x44, 0x00, 0x00, 0x03, 0x00, 0x04, 0x00, 0x00, 0x03, 0x00, 0xc8, 0x3c, 0x48, 0x96, 0x58, 0x01,
        0x00, 0x06, 0x68, 0xeb, 0xe3, 0xcb, 0x22, 0xc0, 0xfd, 0xf8, 0xf8, 0x00};
    for (size_t cut = 0; cut <= 4; cut += 4) {
        CFMutableDictionaryRef extensions = with_atom("avcC", record, sizeof record - cut);
        CMFormatDescriptionRef format = NULL;
        size_t count = 0, size = 0;
        REQUIRE(CMVideoFormatDescriptionCreate(NULL, kCMVideoCodecType_H264, 64, 64, extensions, &format) == noErr);
        CHECK_EQ(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(format, 1, NULL, &size, &count, NULL), noErr);
        CHECK_EQ(count, 2);
        CHECK_EQ(size, 6);
        CFRelease(format);
        CFRelease(extensions);
    }
}

/* Appends the length and the payload of a unit, without emulation prevention bytes, and without a last byte that is
 * only a stop bit. Returns the number of bytes read. */
static size_t append_payload(const uint8_t *from, uint8_t *to, size_t *size) {
    const size_t count = (size_t)(from[0] << 8 | from[1]), start = *size;
    *size += 2;
    for (size_t i = 0, zeros = 0; i < count; i++) {
        const uint8_t byte = from[2 + i];
        if (zeros >= 2 && byte == 3) {
            zeros = 0;
            continue;
        }
        zeros = byte == 0 ? zeros + 1 : 0;
        to[(*size)++] = byte;
    }
    if (to[*size - 1] == 0x80) --*size;
    to[start] = (uint8_t)((*size - start - 2) >> 8);
    to[start + 1] = (uint8_t)(*size - start - 2);
    return 2 + count;
}

/* FFmpeg before version 5 stores parameter sets in this form. A Mac decodes with the records that FFmpeg makes of
 * them. */
static void test_records_of_payloads(void) {
    static const uint8_t high[] = {0x01, 0x64, 0x00, 0x15, 0xff, 0xe1, 0x00, 0x19, 0x67, 0x64, 0x00, 0x15, 0xac, 0xd9,
        0x40, 0xa0, 0x23, 0xb0, 0x11, 0x00, 0x00, 0x03, 0x00, 0x01, 0x00, 0x00, 0x03, 0x00, 0x32, 0x0f, 0x16, 0x2d, 0x96,
        0x01, 0x00, 0x04, 0x68, 0xef, 0x8f, 0xcb};
    static const uint8_t baseline[] = {0x01, 0x42, 0xc0, 0x15, 0xff, 0xe1, 0x00, 0x18, 0x67, 0x42, 0xc0, 0x15, 0xda, 0x02,
        0x80, 0x8e, 0xc0, 0x44, 0x00, 0x00, 0x03, 0x00, 0x04, 0x00, 0x00, 0x03, 0x00, 0xc8, 0x3c, 0x58, 0xba, 0x80, 0x01,
        0x00, 0x04, 0x68, 0xce, 0x0f, 0xc8};
    static const struct {
        const uint8_t *bytes;
        size_t size, left_out;
    } records[] = {{high, sizeof high, 2}, {baseline, sizeof baseline, 3}};
    uint8_t raw[512];
    size_t size = 0, set_size = 0;
    const uint8_t *set = NULL;
    CMFormatDescriptionRef format = NULL;
    CFMutableDictionaryRef extensions = NULL;
    for (int r = 0; r < 2; r++) {
        const uint8_t *avcc = records[r].bytes;
        size_t read = size = 6;
        memcpy(raw, avcc, 6);
        read += append_payload(avcc + read, raw, &size);
        raw[size++] = avcc[read++];
        append_payload(avcc + read, raw, &size);
        CHECK_EQ(size, records[r].size - records[r].left_out);
        extensions = with_atom("avcC", raw, size);
        REQUIRE(CMVideoFormatDescriptionCreate(NULL, kCMVideoCodecType_H264, 640, 272, extensions, &format) == noErr);
        CHECK_EQ(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(format, 0, &set, &set_size, NULL, NULL), noErr);
        if (CHECK_EQ(set_size, avcc[7])) CHECK_BYTES(set, avcc + 8, avcc[7]);
        CHECK_EQ(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(format, 1, &set, &set_size, NULL, NULL), noErr);
        if (CHECK_EQ(set_size, 4)) CHECK_BYTES(set, avcc + records[r].size - 4, 4);
        check_atom(format, "avcC", raw, size);
        CFRelease(format);
        CFRelease(extensions);
    }
    /* A truncated record results in no parameter sets, like other truncated records. */
    for (size_t cut = 7; cut < size; cut++) {
        extensions = with_atom("avcC", raw, cut);
        REQUIRE(CMVideoFormatDescriptionCreate(NULL, kCMVideoCodecType_H264, 640, 272, extensions, &format) == noErr);
        CHECK_EQ(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(format, 0, NULL, NULL, NULL, NULL),
            kCMFormatDescriptionError_ValueNotAvailable);
        CFRelease(format);
        CFRelease(extensions);
    }
    for (size_t r = 0; r < HEVC_RECORD_COUNT; r++) {
        uint8_t hvcc[512];
        hevc_record_bytes(&hevc_records[r], hvcc);
        nalu_format_description *expected = hevc_format(&hevc_records[r]);
        memcpy(raw, hvcc, 23);
        size_t read = size = 23;
        for (int array = 0; array < hvcc[22]; array++) {
            memcpy(raw + size, hvcc + read, 3);
            const int units = hvcc[read + 1] << 8 | hvcc[read + 2];
            size += 3;
            read += 3;
            for (int unit = 0; unit < units; unit++) read += append_payload(hvcc + read, raw, &size);
        }
        extensions = with_atom("hvcC", raw, size);
        REQUIRE(CMVideoFormatDescriptionCreate(NULL, kCMVideoCodecType_HEVC, 176, 144, extensions, &format) == noErr);
        for (uint32_t i = 0; i < hevc_records[r].sets; i++) {
            size_t expected_size = 0;
            const uint8_t *expected_set = nalu_format_description_get_parameter_set(expected, i, &expected_size);
            CHECK_EQ(CMVideoFormatDescriptionGetHEVCParameterSetAtIndex(format, i, &set, &set_size, NULL, NULL), noErr);
            /* A PPS that can be parsed without its stop bit stays without it. */
            if (set_size + 1 == expected_size && expected_set[set_size] == 0x80) expected_size--;
            if (CHECK_EQ(set_size, expected_size)) CHECK_BYTES(set, expected_set, set_size);
        }
        CFRelease(format);
        CFRelease(extensions);
        nalu_format_description_release(expected);
    }
}

static void test_hevc_parameter_sets(void) {
    for (size_t r = 0; r < HEVC_RECORD_COUNT; r++) {
        uint8_t record[512];
        const size_t record_size = hevc_record_bytes(&hevc_records[r], record);
        nalu_format_description *expected = hevc_format(&hevc_records[r]);
        const uint8_t *sets[16];
        size_t sizes[16], count = 0;
        for (uint32_t i = 0; i < hevc_records[r].sets; i++) {
            sets[i] = nalu_format_description_get_parameter_set(expected, i, &sizes[i]);
        }
        CMFormatDescriptionRef format = NULL, read = NULL;
        REQUIRE(CMVideoFormatDescriptionCreateFromHEVCParameterSets(
                    NULL, hevc_records[r].sets, sets, sizes, 4, NULL, &format) == noErr);
        CFMutableDictionaryRef extensions = with_atom("hvcC", record, record_size);
        REQUIRE(CMVideoFormatDescriptionCreate(NULL, kCMVideoCodecType_HEVC, 16, 16, extensions, &read) == noErr);
        CFRelease(extensions);
        CHECK_EQ(CMVideoFormatDescriptionGetCodecType(format), 'hvc1');
        CHECK_EQ(CMVideoFormatDescriptionGetDimensions(format).width, hevc_records[r].info.width);
        CHECK_EQ(CMVideoFormatDescriptionGetDimensions(format).height, hevc_records[r].info.height);
        check_atom(format, "hvcC", record, record_size);
        for (int which = 0; which < 2; which++) {
            CMFormatDescriptionRef description = which ? read : format;
            for (size_t i = 0; i < hevc_records[r].sets; i++) {
                const uint8_t *set = NULL;
                size_t size = 0;
                int length = 0;
                CHECK_EQ(CMVideoFormatDescriptionGetHEVCParameterSetAtIndex(
                             description, i, &set, &size, &count, &length),
                    noErr);
                CHECK_EQ(count, hevc_records[r].sets);
                CHECK_EQ(length, 4);
                if (CHECK_EQ(size, sizes[i])) CHECK_BYTES(set, sets[i], size);
            }
        }
        CHECK_EQ(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(format, 0, NULL, NULL, &count, NULL),
            kCMFormatDescriptionError_InvalidParameter);
        CHECK(CMFormatDescriptionGetExtension(format, kCMFormatDescriptionExtension_FullRangeVideo) ==
            (hevc_records[r].info.video_full_range ? kCFBooleanTrue : kCFBooleanFalse));
        CFDictionaryRef ratio = CMFormatDescriptionGetExtension(format, kCMFormatDescriptionExtension_PixelAspectRatio);
        if (hevc_records[r].info.pixel_aspect_ratio_horizontal > 0 && CHECK(ratio != NULL)) {
            CHECK_EQ(number_in(ratio, kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing),
                hevc_records[r].info.pixel_aspect_ratio_horizontal);
            CHECK_EQ(number_in(ratio, kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing),
                hevc_records[r].info.pixel_aspect_ratio_vertical);
        }
        CFRelease(read);
        /* The extensions of the client are present too, and take precedence. */
        extensions = dictionary();
        CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_FullRangeVideo, kCFBooleanTrue);
        REQUIRE(CMVideoFormatDescriptionCreateFromHEVCParameterSets(
                    NULL, hevc_records[r].sets, sets, sizes, 4, extensions, &read) == noErr);
        CHECK(CMFormatDescriptionGetExtension(read, kCMFormatDescriptionExtension_FullRangeVideo) == kCFBooleanTrue);
        CFRelease(extensions);
        CFRelease(read);
        CFRelease(format);
        nalu_format_description_release(expected);
    }
}

static void test_sizes(void) {
    CFMutableDictionaryRef extensions = dictionary(), aperture = dictionary(), ratio = dictionary();
    CMFormatDescriptionRef format = NULL;
    set_number(aperture, kCMFormatDescriptionKey_CleanApertureWidth, 704);
    set_number(aperture, kCMFormatDescriptionKey_CleanApertureHeight, 560);
    set_number(aperture, kCMFormatDescriptionKey_CleanApertureHorizontalOffset, 2);
    set_number(aperture, kCMFormatDescriptionKey_CleanApertureVerticalOffset, -3);
    set_number(ratio, kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing, 12);
    set_number(ratio, kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing, 11);
    CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_CleanAperture, aperture);
    CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_PixelAspectRatio, ratio);
    REQUIRE(CMVideoFormatDescriptionCreate(NULL, 'jpeg', 720, 576, extensions, &format) == noErr);
    /* The dictionaries are copied: later changes by the client have no effect. */
    CFDictionaryRemoveAllValues(aperture);
    CFDictionaryRemoveAllValues(extensions);
    CGRect clean = CMVideoFormatDescriptionGetCleanAperture(format, true);
    CHECK(clean.origin.x == 10 && clean.origin.y == 5 && clean.size.width == 704 && clean.size.height == 560);
    clean = CMVideoFormatDescriptionGetCleanAperture(format, false);
    CHECK(clean.origin.x == 10 && clean.origin.y == 11);
    CGSize size = CMVideoFormatDescriptionGetPresentationDimensions(format, true, true);
    CHECK(size.width == 768 && size.height == 560);
    size = CMVideoFormatDescriptionGetPresentationDimensions(format, false, true);
    CHECK(size.width == 704 && size.height == 560);
    size = CMVideoFormatDescriptionGetPresentationDimensions(format, false, false);
    CHECK(size.width == 720 && size.height == 576);
    CFRelease(format);
    /* Values of other types have no effect. */
    CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_CleanAperture, kCFBooleanTrue);
    CFDictionarySetValue(ratio, kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing, kCFBooleanTrue);
    CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_PixelAspectRatio, ratio);
    set_number(ratio, kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing, 0);
    REQUIRE(CMVideoFormatDescriptionCreate(NULL, 'jpeg', 720, 576, extensions, &format) == noErr);
    size = CMVideoFormatDescriptionGetPresentationDimensions(format, true, true);
    CHECK(size.width == 720 && size.height == 576);
    CFRelease(format);
    CFRelease(extensions);
    CFRelease(aperture);
    CFRelease(ratio);
}

static void test_comparison(void) {
    CMFormatDescriptionRef one = from_mac(), other = from_mac(), audio = NULL;
    CHECK(CMFormatDescriptionEqual(one, other) && CFEqual(one, other) && CFHash(one) == CFHash(other));
    REQUIRE(CMFormatDescriptionCreate(NULL, kCMMediaType_Audio, 'aac ', NULL, &audio) == noErr);
    CHECK(!CMFormatDescriptionEqual(one, audio) && !CMFormatDescriptionEqual(one, NULL));
    CHECK(!CMFormatDescriptionEqual(NULL, one) && CMFormatDescriptionEqual(NULL, NULL));
    CHECK(!CMFormatDescriptionEqualIgnoringExtensionKeys(one, NULL, NULL, NULL));
    CHECK_EQ(CMFormatDescriptionGetMediaType(audio), 'soun');
    CHECK_EQ(CMFormatDescriptionGetMediaSubType(audio), 'aac ');
    CHECK(CMFormatDescriptionGetExtensions(audio) == NULL);
    CHECK_EQ(CMVideoFormatDescriptionGetDimensions(audio).width, 0);
    CHECK_EQ(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(audio, 0, NULL, NULL, NULL, NULL),
        kCMFormatDescriptionError_InvalidParameter);
    CFRelease(audio);
    CFRelease(other);

    CFMutableDictionaryRef extensions = CFDictionaryCreateMutableCopy(NULL, 0, CMFormatDescriptionGetExtensions(one));
    set_number(extensions, kCMFormatDescriptionExtension_Depth, 24);
    REQUIRE(CMVideoFormatDescriptionCreate(NULL, 'avc1', 320, 240, extensions, &other) == noErr);
    CHECK(!CMFormatDescriptionEqual(one, other));
    CHECK(CMFormatDescriptionEqualIgnoringExtensionKeys(one, other, kCMFormatDescriptionExtension_Depth, NULL));
    CFRelease(other);
    CFDictionaryRemoveValue(extensions, kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms);
    REQUIRE(CMVideoFormatDescriptionCreate(NULL, 'avc1', 320, 240, extensions, &other) == noErr);
    CFStringRef avcc = string("avcC");
    CHECK(!CMFormatDescriptionEqualIgnoringExtensionKeys(one, other, kCMFormatDescriptionExtension_Depth, NULL));
    CHECK(CMFormatDescriptionEqualIgnoringExtensionKeys(one, other, kCMFormatDescriptionExtension_Depth, avcc));
    CFRelease(avcc);
    CFRelease(other);
    CFRelease(extensions);
    CFRelease(one);
}

static void test_images(void) {
    CVPixelBufferRef image = NULL;
    CMFormatDescriptionRef format = NULL, other = NULL;
    REQUIRE(CVPixelBufferCreate(NULL, 64, 48, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, NULL, &image) == 0);
    CVBufferSetAttachment(image, kCVImageBufferColorPrimariesKey, kCVImageBufferColorPrimaries_ITU_R_2020,
        kCVAttachmentMode_ShouldPropagate);
    CFStringRef own = string("org.example.own");
    CVBufferSetAttachment(image, own, kCFBooleanTrue, kCVAttachmentMode_ShouldPropagate);
    REQUIRE(CMVideoFormatDescriptionCreateForImageBuffer(NULL, image, &format) == noErr);
    CHECK_EQ(CMFormatDescriptionGetMediaSubType(format), kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    CHECK_EQ(CMVideoFormatDescriptionGetDimensions(format).width, 64);
    CHECK_EQ(CMVideoFormatDescriptionGetDimensions(format).height, 48);
    CHECK(CFEqual(CMFormatDescriptionGetExtension(format, kCMFormatDescriptionExtension_ColorPrimaries),
        kCMFormatDescriptionColorPrimaries_ITU_R_2020));
    CHECK(CMFormatDescriptionGetExtension(format, own) == NULL);
    CHECK(CMVideoFormatDescriptionMatchesImageBuffer(format, image));
    CVBufferSetAttachment(image, kCVImageBufferColorPrimariesKey, kCVImageBufferColorPrimaries_ITU_R_709_2,
        kCVAttachmentMode_ShouldPropagate);
    CHECK(!CMVideoFormatDescriptionMatchesImageBuffer(format, image));
    CVBufferRemoveAllAttachments(image);
    CHECK(!CMVideoFormatDescriptionMatchesImageBuffer(format, image));
    REQUIRE(CMVideoFormatDescriptionCreateForImageBuffer(NULL, image, &other) == noErr);
    CHECK(CMVideoFormatDescriptionMatchesImageBuffer(other, image));
    CFRelease(other);
    REQUIRE(CMVideoFormatDescriptionCreate(
                NULL, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, 64, 50, NULL, &other) == noErr);
    CHECK(!CMVideoFormatDescriptionMatchesImageBuffer(other, image));
    CFRelease(other);
    CFRelease(own);
    CFRelease(format);
    CVPixelBufferRelease(image);

    CFArrayRef keys = CMVideoFormatDescriptionGetExtensionKeysCommonWithImageBuffers();
    const CFStringRef common[] = {kCVImageBufferColorPrimariesKey, kCVImageBufferTransferFunctionKey,
        kCVImageBufferYCbCrMatrixKey, kCVImageBufferPixelAspectRatioKey, kCVImageBufferCleanApertureKey,
        kCVImageBufferFieldCountKey, kCVImageBufferFieldDetailKey, kCVImageBufferChromaLocationTopFieldKey,
        kCVImageBufferMasteringDisplayColorVolumeKey, kCVImageBufferContentLightLevelInfoKey,
        kCVImageBufferGammaLevelKey, kCVImageBufferICCProfileKey};
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        CHECK(CFArrayContainsValue(keys, CFRangeMake(0, CFArrayGetCount(keys)), common[i]));
    }
    CHECK(CFEqual(kCMFormatDescriptionTransferFunction_sRGB, kCVImageBufferTransferFunction_sRGB));
    CHECK(CFEqual(kCMFormatDescriptionChromaLocation_DV420, kCVImageBufferChromaLocation_DV420));
    CHECK(CFEqual(kCMFormatDescriptionFieldDetail_TemporalTopFirst, kCVImageBufferFieldDetailTemporalTopFirst));
}

/* Behaviours 20 and 21: a dictionary without callbacks is read during the call, and constants survive each release. */
static void test_dictionaries_of_pointers(void) {
    CMFormatDescriptionRef format = NULL;
    CFNumberRef depth = CFNumberCreate(NULL, kCFNumberIntType, &(int){24});
    CFMutableDictionaryRef extensions = CFDictionaryCreateMutable(NULL, 0, NULL, NULL);
    CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_Depth, depth);
    CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_FormatName, NULL);
    REQUIRE(CMVideoFormatDescriptionCreate(NULL, 'jpeg', 1, 1, extensions, &format) == noErr);
    CFRelease(extensions);
    CFRelease(depth);
    CHECK_EQ(number_in(CMFormatDescriptionGetExtensions(format), kCMFormatDescriptionExtension_Depth), 24);
    CHECK_EQ(CFDictionaryGetCount(CMFormatDescriptionGetExtensions(format)), 1);
    CFRelease(format);
    for (int i = 0; i < 3; i++) CFRelease(kCMFormatDescriptionExtension_Depth);
    CHECK_EQ(CFStringGetLength(kCMFormatDescriptionExtension_Depth), 5);

    /* The copy of a dictionary that contains itself ends. */
    extensions = dictionary();
    CFMutableDictionaryRef inner = CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, NULL);
    CFDictionarySetValue(inner, kCMFormatDescriptionExtension_Depth, inner);
    CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_Depth, inner);
    REQUIRE(CMVideoFormatDescriptionCreate(NULL, 'jpeg', 1, 1, extensions, &format) == noErr);
    CFRelease(format);
    CFRelease(extensions);
    CFRelease(inner);
}

static void test_wrong_arguments(void) {
    CMFormatDescriptionRef volatile none = NULL;
    CMFormatDescriptionRef *volatile no_place = NULL;
    CMFormatDescriptionRef format = NULL;
    CVImageBufferRef volatile no_image = NULL;
    const uint8_t *const *volatile no_sets = NULL;
    const size_t *volatile no_sizes = NULL;
    const uint8_t *const missing[2] = {mac_sets[0], NULL};
    const uint8_t *const only_sps[2] = {mac_sets[0], mac_sets[0]};
    const size_t sps_sizes[2] = {13, 13}, cut[2] = {3, 4};
    const OSStatus wrong = kCMFormatDescriptionError_InvalidParameter;
    CHECK_EQ(CMFormatDescriptionCreate(NULL, 'vide', 'jpeg', NULL, no_place), wrong);
    CHECK_EQ(CMVideoFormatDescriptionCreate(NULL, 'jpeg', 1, 1, NULL, no_place), wrong);
    CHECK_EQ(CMVideoFormatDescriptionCreate(NULL, 'jpeg', -1, 1, NULL, &format), wrong);
    CHECK_EQ(CMVideoFormatDescriptionCreate(NULL, 'jpeg', 1, 1, (CFDictionaryRef)kCFBooleanTrue, &format), wrong);
    CHECK_EQ(CMVideoFormatDescriptionCreateForImageBuffer(NULL, no_image, &format), wrong);
    CHECK_EQ(CMVideoFormatDescriptionCreateForImageBuffer(NULL, (CVImageBufferRef)kCFBooleanTrue, &format), wrong);
    CHECK_EQ(CMVideoFormatDescriptionCreateFromH264ParameterSets(NULL, 2, mac_sets, mac_sizes, 4, no_place), wrong);
    CHECK_EQ(CMVideoFormatDescriptionCreateFromH264ParameterSets(NULL, 0, mac_sets, mac_sizes, 4, &format), wrong);
    CHECK_EQ(CMVideoFormatDescriptionCreateFromH264ParameterSets(NULL, SIZE_MAX, mac_sets, mac_sizes, 4, &format), wrong);
    CHECK_EQ(CMVideoFormatDescriptionCreateFromH264ParameterSets(NULL, 2, no_sets, mac_sizes, 4, &format), wrong);
    CHECK_EQ(CMVideoFormatDescriptionCreateFromH264ParameterSets(NULL, 2, mac_sets, no_sizes, 4, &format), wrong);
    CHECK_EQ(CMVideoFormatDescriptionCreateFromH264ParameterSets(NULL, 2, missing, mac_sizes, 4, &format), wrong);
    CHECK_EQ(CMVideoFormatDescriptionCreateFromH264ParameterSets(NULL, 2, only_sps, sps_sizes, 4, &format), wrong);
    CHECK_EQ(CMVideoFormatDescriptionCreateFromH264ParameterSets(NULL, 2, mac_sets, cut, 4, &format), wrong);
    CHECK_EQ(CMVideoFormatDescriptionCreateFromH264ParameterSets(NULL, 1, mac_sets, mac_sizes, 4, &format), wrong);
    for (int length = -1; length <= 5; length++) {
        if (length == 1 || length == 2 || length == 4) continue;
        CHECK_EQ(CMVideoFormatDescriptionCreateFromH264ParameterSets(NULL, 2, mac_sets, mac_sizes, length, &format), wrong);
        CHECK_EQ(CMVideoFormatDescriptionCreateFromHEVCParameterSets(
                     NULL, 2, mac_sets, mac_sizes, length, NULL, &format),
            wrong);
    }
    CHECK_EQ(CMVideoFormatDescriptionCreateFromHEVCParameterSets(NULL, 2, mac_sets, mac_sizes, 4, NULL, &format), wrong);
    CHECK_EQ(CMVideoFormatDescriptionCreateFromHEVCParameterSets(NULL, 2, mac_sets, mac_sizes, 4, NULL, no_place), wrong);
    CHECK(format == NULL);
    CHECK_EQ(CMFormatDescriptionGetMediaType(none), 0);
    CHECK_EQ(CMFormatDescriptionGetMediaSubType(none), 0);
    CHECK(CMFormatDescriptionGetExtensions(none) == NULL);
    CHECK(CMFormatDescriptionGetExtension(none, kCMFormatDescriptionExtension_Depth) == NULL);
    CHECK_EQ(CMVideoFormatDescriptionGetDimensions(none).height, 0);
    CHECK(CMVideoFormatDescriptionGetCleanAperture(none, true).size.width == 0);
    CHECK(CMVideoFormatDescriptionGetPresentationDimensions(none, true, true).width == 0);
    CHECK_EQ(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(none, 0, NULL, NULL, NULL, NULL), wrong);
    CHECK_EQ(CMVideoFormatDescriptionGetHEVCParameterSetAtIndex(none, 0, NULL, NULL, NULL, NULL), wrong);
    CHECK(!CMVideoFormatDescriptionMatchesImageBuffer(none, no_image));
}

/* The value of an extension is released with the last description that has it. */
static void test_everything_is_released(void) {
    CMBlockBufferCustomBlockSource source = {.FreeBlock = free_counted};
    CMBlockBufferRef counted = NULL;
    REQUIRE(CMBlockBufferCreateWithMemoryBlock(NULL, malloc(8), 8, NULL, &source, 0, 8, 0, &counted) == noErr);
    CFMutableDictionaryRef extensions = with_atom("avcC", mac_avcc, sizeof mac_avcc);
    CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_AuxiliaryTypeInfo, counted);
    CFRelease(counted);
    CMFormatDescriptionRef formats[100];
    for (int i = 0; i < 100; i++) {
        REQUIRE(CMVideoFormatDescriptionCreate(NULL, 'avc1', 320, 240, extensions, &formats[i]) == noErr);
    }
    CFRelease(extensions);
    for (int i = 0; i < 100; i++) {
        CHECK_EQ(freed, 0);
        CFRelease(formats[i]);
    }
    CHECK_EQ(freed, 1);
}

int main(void) {
    RUN(test_h264_parameter_sets);
    RUN(test_atoms_bring_parameter_sets);
    RUN(test_short_record_of_high_profile);
    RUN(test_records_of_payloads);
    RUN(test_hevc_parameter_sets);
    RUN(test_sizes);
    RUN(test_comparison);
    RUN(test_images);
    RUN(test_dictionaries_of_pointers);
    RUN(test_wrong_arguments);
    RUN(test_everything_is_released);
    return check_result();
}
