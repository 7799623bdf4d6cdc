/* CVPixelBuffer: the planes of every format by the test's own arithmetic, memory of clients, attributes. */
#include "video.h"

/* ---- Planes --------------------------------------------------------------------------------- */

/* The bits of all components of a pixel in each plane, and the shifts of its size. */
typedef struct expected_plane {
    int bits, columns_shift, rows_shift;
} expected_plane;

typedef struct expected_format {
    const char *code;
    int planes;
    expected_plane plane[3];
} expected_format;

#define PACKED(code, bits) {code, 1, {{bits, 0, 0}}}
#define SEMI(code, bits, x, y) {code, 2, {{bits, 0, 0}, {2 * bits, x, y}}}
static const expected_format expected[] = {
    SEMI("420v", 8, 1, 1),   SEMI("420f", 8, 1, 1),   SEMI("422v", 8, 1, 0),   SEMI("422f", 8, 1, 0),
    SEMI("444v", 8, 0, 0),   SEMI("444f", 8, 0, 0),   SEMI("x420", 16, 1, 1),  SEMI("xf20", 16, 1, 1),
    SEMI("x422", 16, 1, 0),  SEMI("xf22", 16, 1, 0),  SEMI("x444", 16, 0, 0),  SEMI("xf44", 16, 0, 0),
    SEMI("sv20", 16, 1, 1),  SEMI("sf20", 16, 1, 1),  SEMI("sv22", 16, 1, 0),  SEMI("sf22", 16, 1, 0),
    SEMI("sv44", 16, 0, 0),  SEMI("sf44", 16, 0, 0),
    {"y420", 3, {{8, 0, 0}, {8, 1, 1}, {8, 1, 1}}},   {"f420", 3, {{8, 0, 0}, {8, 1, 1}, {8, 1, 1}}},
    {"v0a8", 3, {{8, 0, 0}, {16, 1, 1}, {8, 0, 0}}},  {"s4as", 3, {{16, 0, 0}, {32, 0, 0}, {16, 0, 0}}},
    {"b3a8", 2, {{32, 0, 0}, {8, 0, 0}}},
    PACKED("BGRA", 32),      PACKED("RGBA", 32),      PACKED("ABGR", 32),      PACKED("\0\0\0\x20", 32),
    PACKED("\0\0\0\x18", 24), PACKED("24BG", 24),     PACKED("L555", 16),      PACKED("5551", 16),
    PACKED("\0\0\0\x10", 16), PACKED("B565", 16),     PACKED("L565", 16),      PACKED("b64a", 64),
    PACKED("l64r", 64),      PACKED("b48r", 48),      PACKED("b32a", 32),      PACKED("b16g", 16),
    PACKED("R10k", 32),      PACKED("r210", 32),      PACKED("w30r", 32),      PACKED("l10r", 32),
    PACKED("RGhA", 64),      PACKED("RGfA", 128),     PACKED("v408", 32),      PACKED("r408", 32),
    PACKED("y408", 32),      PACKED("y416", 64),      PACKED("r4fl", 128),     PACKED("v308", 24),
    PACKED("v410", 32),      PACKED("L008", 8),       PACKED("2C08", 16),      PACKED("L010", 16),
    PACKED("L012", 16),      PACKED("L016", 16),      PACKED("2C16", 32),      PACKED("L00h", 16),
    PACKED("L00f", 32),      PACKED("2C0h", 32),      PACKED("2C0f", 64),      PACKED("\0\0\0\x08", 8),
    PACKED("\0\0\0\x28", 8), PACKED("rgg4", 16),      PACKED("bp16", 16),      PACKED("hdis", 16),
    PACKED("fdep", 32),
};

static OSType code_of(const char *text) {
    const uint8_t *bytes = (const uint8_t *)text;
    return (OSType)bytes[0] << 24 | (OSType)bytes[1] << 16 | (OSType)bytes[2] << 8 | bytes[3];
}

static void check_planes(const expected_format *format, size_t width, size_t height) {
    CVPixelBufferRef buffer = NULL;
    uint8_t *end = NULL;
    if (!CHECK_EQ(CVPixelBufferCreate(NULL, width, height, code_of(format->code), NULL, &buffer), 0)) return;
    CHECK_EQ(CVPixelBufferGetPlaneCount(buffer), format->planes == 1 ? 0 : format->planes);
    CHECK_EQ(CVPixelBufferIsPlanar(buffer), format->planes > 1);
    uint8_t *first = CVPixelBufferGetBaseAddress(buffer);
    for (int i = 0; i < format->planes; i++) {
        const expected_plane *plane = &format->plane[i];
        const size_t columns = (width + (1u << plane->columns_shift) - 1) >> plane->columns_shift;
        const size_t rows = (height + (1u << plane->rows_shift) - 1) >> plane->rows_shift;
        uint8_t *base = CVPixelBufferGetBaseAddressOfPlane(buffer, (size_t)i);
        const size_t stride = CVPixelBufferGetBytesPerRowOfPlane(buffer, (size_t)i);
        CHECK_EQ(CVPixelBufferGetWidthOfPlane(buffer, (size_t)i), columns);
        CHECK_EQ(CVPixelBufferGetHeightOfPlane(buffer, (size_t)i), rows);
        /* Behaviour 33: rows are aligned to 64 bytes, and no longer than that. */
        CHECK_EQ(stride, (columns * (size_t)plane->bits / 8 + 63) / 64 * 64);
        CHECK_EQ((uintptr_t)base % 64, 0);
        CHECK(!end || base >= end);
        end = base + stride * rows;
        memset(base, i, stride * rows);
    }
    CHECK((size_t)(end - first) <= CVPixelBufferGetDataSize(buffer));
    CHECK(CVPixelBufferGetBytesPerRow(buffer) * height >= CVPixelBufferGetDataSize(buffer));
    CHECK(CVPixelBufferGetBaseAddressOfPlane(buffer, (size_t)format->planes) == NULL);
    CHECK_EQ(CVPixelBufferGetBytesPerRowOfPlane(buffer, (size_t)format->planes), 0);
    CFRelease(buffer);
}

static void test_planes_of_all_formats_behaviour_33(void) {
    static const size_t sizes[][2] = {{1, 1}, {64, 64}, {65, 33}, {641, 479}, {1920, 1080}};
    for (size_t f = 0; f < sizeof expected / sizeof *expected; f++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) check_planes(&expected[f], sizes[s][0], sizes[s][1]);
}

static size_t row_bytes_of(OSType format, size_t width) {
    CVPixelBufferRef buffer = NULL;
    if (!CHECK_EQ(CVPixelBufferCreate(NULL, width, 2, format, NULL, &buffer), 0)) return 0;
    const size_t row = CVPixelBufferGetBytesPerRow(buffer);
    CFRelease(buffer);
    return row;
}

static void test_rows_of_blocks(void) {
    CHECK_EQ(row_bytes_of(kCVPixelFormatType_422YpCbCr8, 31), 64);
    CHECK_EQ(row_bytes_of(kCVPixelFormatType_422YpCbCr8, 33), 128);
    CHECK_EQ(row_bytes_of(kCVPixelFormatType_422YpCbCr8_yuvs, 33), 128);
    CHECK_EQ(row_bytes_of(kCVPixelFormatType_422YpCbCr8FullRange, 33), 128);
    CHECK_EQ(row_bytes_of(kCVPixelFormatType_422YpCbCr16, 17), 128);
    CHECK_EQ(row_bytes_of(kCVPixelFormatType_422YpCbCr10, 48), 128);
    CHECK_EQ(row_bytes_of(kCVPixelFormatType_422YpCbCr10, 49), 256);
    CHECK_EQ(row_bytes_of(kCVPixelFormatType_1Monochrome, 513), 128);
    CHECK_EQ(row_bytes_of(kCVPixelFormatType_4Indexed, 129), 128);
    CHECK_EQ(row_bytes_of(kCVPixelFormatType_96VersatileBayerPacked12, 48), 128);
}

/* Every listed format makes a buffer, and no other code does. */
static void test_known_formats(void) {
    CFArrayRef codes = CVPixelFormatDescriptionArrayCreateWithAllPixelFormatTypes(NULL);
    REQUIRE(codes != NULL);
    CHECK(CFArrayGetCount(codes) >= 80);
    for (CFIndex i = 0; i < CFArrayGetCount(codes); i++) {
        int64_t code = 0;
        CVPixelBufferRef buffer = NULL;
        CFNumberGetValue(CFArrayGetValueAtIndex(codes, i), kCFNumberSInt64Type, &code);
        CHECK_EQ(CVPixelBufferCreate(NULL, 17, 9, (OSType)code, NULL, &buffer), 0);
        CHECK_EQ(CVPixelBufferGetPixelFormatType(buffer), (OSType)code);
        if (buffer) CFRelease(buffer);
    }
    CFRelease(codes);
    CVPixelBufferRef buffer = NULL;
    CHECK_EQ(CVPixelBufferCreate(NULL, 4, 4, kCVPixelFormatType_Lossless_32BGRA, NULL, &buffer),
             kCVReturnInvalidPixelFormat);
    CHECK_EQ(CVPixelBufferCreate(NULL, 4, 4, 0x3f3f3f3f, NULL, &buffer), kCVReturnInvalidPixelFormat);
    CHECK(buffer == NULL);
}

/* ---- Memory of clients ---------------------------------------------------------------------- */

typedef struct released {
    int count;
    const void *address;
    size_t size, planes;
    const void *plane[3];
} released;

static void note_bytes(void *context, const void *address) {
    released *note = context;
    note->count++;
    note->address = address;
}

static void note_planes(void *context, const void *address, size_t size, size_t planes, const void *addresses[]) {
    released *note = context;
    note->count++;
    note->address = address;
    note->size = size;
    note->planes = planes;
    for (size_t i = 0; i < planes && i < 3; i++) note->plane[i] = addresses[i];
}

static void test_with_bytes(void) {
    static uint8_t pixels[100 * 10];
    released note = {0};
    CVPixelBufferRef buffer = NULL;
    CHECK_EQ(CVPixelBufferCreateWithBytes(NULL, 25, 10, kCVPixelFormatType_32BGRA, pixels, 99, note_bytes, &note, NULL,
                                          &buffer),
             kCVReturnInvalidArgument);
    CHECK_EQ(CVPixelBufferCreateWithBytes(NULL, 25, 10, kCVPixelFormatType_420YpCbCr8Planar, pixels, 100, note_bytes,
                                          &note, NULL, &buffer),
             kCVReturnInvalidPixelFormat);
    CHECK(buffer == NULL && note.count == 0);
    REQUIRE(CVPixelBufferCreateWithBytes(NULL, 25, 10, kCVPixelFormatType_32BGRA, pixels, 100, note_bytes, &note, NULL,
                                         &buffer) == 0);
    CHECK(CVPixelBufferGetBaseAddress(buffer) == pixels);
    CHECK_EQ(CVPixelBufferGetBytesPerRow(buffer), 100);
    CHECK_EQ(CVPixelBufferGetDataSize(buffer), 1000);
    CVPixelBufferRetain(buffer);
    CVPixelBufferRelease(buffer);
    CHECK_EQ(note.count, 0);
    CVPixelBufferRelease(buffer);
    CHECK_EQ(note.count, 1);
    CHECK(note.address == pixels);
}

static void test_with_planar_bytes(void) {
    static uint8_t memory[33 * 17 + 2 * 17 * 9];
    released note = {0};
    CVPixelBufferRef buffer = NULL;
    void *planes[] = {memory, memory + 33 * 17, memory + 33 * 17 + 17 * 9};
    size_t widths[] = {33, 17, 17}, heights[] = {17, 9, 9}, strides[] = {33, 17, 17}, short_heights[] = {17, 8, 8};
    size_t short_strides[] = {33, 16, 17};
    const OSType format = kCVPixelFormatType_420YpCbCr8Planar;
    CHECK_EQ(CVPixelBufferCreateWithPlanarBytes(NULL, 33, 17, format, memory, sizeof memory, 2, planes, widths, heights,
                                                strides, note_planes, &note, NULL, &buffer),
             kCVReturnInvalidArgument);
    CHECK_EQ(CVPixelBufferCreateWithPlanarBytes(NULL, 33, 17, format, memory, sizeof memory, 3, planes, widths,
                                                short_heights, strides, note_planes, &note, NULL, &buffer),
             kCVReturnInvalidArgument);
    CHECK_EQ(CVPixelBufferCreateWithPlanarBytes(NULL, 33, 17, format, memory, sizeof memory, 3, planes, widths, heights,
                                                short_strides, note_planes, &note, NULL, &buffer),
             kCVReturnInvalidArgument);
    CHECK(buffer == NULL && note.count == 0);
    REQUIRE(CVPixelBufferCreateWithPlanarBytes(NULL, 33, 17, format, memory, sizeof memory, 3, planes, widths, heights,
                                               strides, note_planes, &note, NULL, &buffer) == 0);
    for (size_t i = 0; i < 3; i++) {
        CHECK(CVPixelBufferGetBaseAddressOfPlane(buffer, i) == planes[i]);
        CHECK_EQ(CVPixelBufferGetBytesPerRowOfPlane(buffer, i), strides[i]);
        CHECK_EQ(CVPixelBufferGetHeightOfPlane(buffer, i), heights[i]);
    }
    CHECK(CVPixelBufferGetBaseAddress(buffer) == memory);
    CFRelease(buffer);
    CHECK_EQ(note.count, 1);
    CHECK(note.address == memory && note.size == sizeof memory && note.planes == 3 && note.plane[2] == planes[2]);
    /* HandBrake passes no callback and no memory block. */
    REQUIRE(CVPixelBufferCreateWithPlanarBytes(NULL, 33, 17, format, NULL, 0, 3, planes, widths, heights, strides, NULL,
                                               NULL, NULL, &buffer) == 0);
    CHECK_EQ(CVPixelBufferGetDataSize(buffer), sizeof memory);
    CHECK(CVPixelBufferGetBaseAddress(buffer) == NULL);
    CFRelease(buffer);
}

static void test_locks(void) {
    CVPixelBufferRef buffer = NULL;
    REQUIRE(CVPixelBufferCreate(NULL, 8, 8, kCVPixelFormatType_32BGRA, NULL, &buffer) == 0);
    CHECK_EQ(CVPixelBufferUnlockBaseAddress(buffer, 0), kCVReturnError);
    CHECK_EQ(CVPixelBufferLockBaseAddress(buffer, 0), kCVReturnSuccess);
    CHECK_EQ(CVPixelBufferLockBaseAddress(buffer, kCVPixelBufferLock_ReadOnly), kCVReturnSuccess);
    CHECK_EQ(CVPixelBufferUnlockBaseAddress(buffer, kCVPixelBufferLock_ReadOnly), kCVReturnSuccess);
    CHECK_EQ(CVPixelBufferUnlockBaseAddress(buffer, 0), kCVReturnSuccess);
    CHECK_EQ(CVPixelBufferUnlockBaseAddress(buffer, 0), kCVReturnError);
    CHECK_EQ(CVPixelBufferLockBaseAddress(buffer, 8), kCVReturnInvalidArgument);
    /* The unlock needs the flags of the lock. */
    for (CVPixelBufferLockFlags flags = 0; flags < 2; flags++) {
        CHECK_EQ(CVPixelBufferLockBaseAddress(buffer, flags), kCVReturnSuccess);
        CHECK_EQ(CVPixelBufferUnlockBaseAddress(buffer, 1 - flags), kCVReturnInvalidArgument);
        CHECK_EQ(CVPixelBufferUnlockBaseAddress(buffer, flags), kCVReturnSuccess);
        CHECK_EQ(CVPixelBufferUnlockBaseAddress(buffer, flags), kCVReturnError);
    }
    CFRelease(buffer);
}

/* ---- Attributes ----------------------------------------------------------------------------- */

static void test_extended_pixels(void) {
    const CFStringRef keys[] = {kCVPixelBufferExtendedPixelsLeftKey, kCVPixelBufferExtendedPixelsRightKey,
                                kCVPixelBufferExtendedPixelsTopKey, kCVPixelBufferExtendedPixelsBottomKey};
    const int64_t numbers[] = {3, 5, 2, 7};
    size_t left = 0, right = 0, top = 0, bottom = 0;
    CVPixelBufferRef buffer = NULL;
    CFDictionaryRef attributes = numbers_create(keys, numbers, 4);
    REQUIRE(CVPixelBufferCreate(NULL, 17, 9, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, attributes, &buffer) == 0);
    CVPixelBufferGetExtendedPixels(buffer, &left, &right, &top, &bottom);
    CHECK(left == 4 && right == 5 && top == 2 && bottom == 7);
    CHECK(CVPixelBufferIsCompatibleWithAttributes(buffer, attributes));
    uint8_t *luma = CVPixelBufferGetBaseAddressOfPlane(buffer, 0);
    uint16_t *chroma = CVPixelBufferGetBaseAddressOfPlane(buffer, 1);
    const size_t luma_row = CVPixelBufferGetBytesPerRowOfPlane(buffer, 0);
    const size_t chroma_row = CVPixelBufferGetBytesPerRowOfPlane(buffer, 1) / 2;
    for (size_t y = 0; y < 9; y++)
        for (size_t x = 0; x < 17; x++) luma[y * luma_row + x] = (uint8_t)(y * 17 + x + 1);
    for (size_t y = 0; y < 5; y++)
        for (size_t x = 0; x < 9; x++) chroma[y * chroma_row + x] = (uint16_t)(y * 300 + x + 1);
    CHECK_EQ(CVPixelBufferFillExtendedPixels(buffer), kCVReturnSuccess);
    for (long y = -2; y < 16; y++)
        for (long x = -4; x < 22; x++) {
            const long row = y < 0 ? 0 : y > 8 ? 8 : y, column = x < 0 ? 0 : x > 16 ? 16 : x;
            if (!CHECK_EQ(luma[y * (long)luma_row + x], (uint8_t)(row * 17 + column + 1))) return;
        }
    for (long y = -1; y < 8; y++)
        for (long x = -2; x < 11; x++) {
            const long row = y < 0 ? 0 : y > 4 ? 4 : y, column = x < 0 ? 0 : x > 8 ? 8 : x;
            if (!CHECK_EQ(chroma[y * (long)chroma_row + x], (uint16_t)(row * 300 + column + 1))) return;
        }
    CVPixelBufferRef bits = NULL;
    REQUIRE(CVPixelBufferCreate(NULL, 17, 9, kCVPixelFormatType_1Monochrome, NULL, &bits) == 0);
    CHECK_EQ(CVPixelBufferFillExtendedPixels(bits), kCVReturnUnsupported);
    CFRelease(bits);
    CFRelease(buffer);
    CFRelease(attributes);
}

static void test_alignment(void) {
    const CFStringRef keys[] = {kCVPixelBufferBytesPerRowAlignmentKey, kCVPixelBufferPlaneAlignmentKey};
    const int64_t good[] = {48, 4096}, small[] = {16, 1}, wrong[] = {16, 100};
    CVPixelBufferRef buffer = NULL;
    CFDictionaryRef attributes = numbers_create(keys, good, 2), fine = numbers_create(keys, small, 2);
    CFDictionaryRef bad = numbers_create(keys, wrong, 2);
    REQUIRE(CVPixelBufferCreate(NULL, 100, 10, kCVPixelFormatType_420YpCbCr8Planar, attributes, &buffer) == 0);
    for (size_t i = 0; i < 3; i++) {
        CHECK_EQ(CVPixelBufferGetBytesPerRowOfPlane(buffer, i) % 192, 0);
        CHECK_EQ((uintptr_t)CVPixelBufferGetBaseAddressOfPlane(buffer, i) % 4096, 0);
    }
    CHECK(CVPixelBufferIsCompatibleWithAttributes(buffer, attributes));
    CFRelease(buffer);
    REQUIRE(CVPixelBufferCreate(NULL, 100, 10, kCVPixelFormatType_420YpCbCr8Planar, fine, &buffer) == 0);
    CHECK_EQ(CVPixelBufferGetBytesPerRowOfPlane(buffer, 0), 128);
    CHECK(!CVPixelBufferIsCompatibleWithAttributes(buffer, attributes));
    CFRelease(buffer);
    CHECK_EQ(CVPixelBufferCreate(NULL, 100, 10, kCVPixelFormatType_420YpCbCr8Planar, bad, &buffer),
             kCVReturnInvalidPixelBufferAttributes);
    CFRelease(attributes);
    CFRelease(fine);
    CFRelease(bad);
}

/* Behaviour 21: ttLibC releases the numbers right after the call. */
static void test_behaviour_21_plain_dictionary(void) {
    const int align = 256;
    CVPixelBufferRef buffer = NULL;
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &align);
    const void *keys[] = {kCVPixelBufferBytesPerRowAlignmentKey}, *values[] = {number};
    CFDictionaryRef plain = CFDictionaryCreate(NULL, keys, values, 1, NULL, NULL);
    REQUIRE(CVPixelBufferCreate(NULL, 10, 10, kCVPixelFormatType_32BGRA, plain, &buffer) == 0);
    CFRelease(number);
    CFRelease(plain);
    CHECK_EQ(CVPixelBufferGetBytesPerRow(buffer), 256);
    CFDictionaryRef creation = CVPixelBufferCopyCreationAttributes(buffer);
    CHECK_EQ(number_in(creation, kCVPixelBufferBytesPerRowAlignmentKey), 256);
    CHECK_EQ(number_in(creation, kCVPixelBufferWidthKey), 10);
    CHECK_EQ(number_in(creation, kCVPixelBufferPixelFormatTypeKey), kCVPixelFormatType_32BGRA);
    CFRelease(creation);
    CFRelease(buffer);
}

/* Each alignment is possible alone. A common one is not, and the product does not fit into 64 bits. */
static void test_resolved_alignments(void) {
    const CFStringRef key[] = {kCVPixelBufferBytesPerRowAlignmentKey};
    const int64_t primes[] = {65521, 65519, 65497, 65479};
    const void *all[4];
    for (int i = 0; i < 4; i++) all[i] = numbers_create(key, &primes[i], 1);
    for (CFIndex count = 1; count <= 4; count++) {
        CFArrayRef array = CFArrayCreate(NULL, all, count, &kCFTypeArrayCallBacks);
        CFDictionaryRef resolved = NULL;
        const CVReturn expected = count == 1 ? kCVReturnSuccess : kCVReturnInvalidPixelBufferAttributes;
        CHECK_EQ(CVPixelBufferCreateResolvedAttributesDictionary(NULL, array, &resolved), expected);
        CHECK((resolved != NULL) == (count == 1));
        if (resolved) CFRelease(resolved);
        CFRelease(array);
    }
    for (int i = 0; i < 4; i++) CFRelease(all[i]);
}

static void test_resolved_attributes(void) {
    const CFStringRef keys[] = {kCVPixelBufferWidthKey, kCVPixelBufferExtendedPixelsRightKey,
                                kCVPixelBufferBytesPerRowAlignmentKey};
    const int64_t first_numbers[] = {640, 3, 64}, second_numbers[] = {640, 8, 48}, third_numbers[] = {320, 0, 1};
    CFDictionaryRef resolved = NULL;
    const void *all[3] = {numbers_create(keys, first_numbers, 3), numbers_create(keys, second_numbers, 3),
                          numbers_create(keys, third_numbers, 3)};
    CFArrayRef two = CFArrayCreate(NULL, all, 2, &kCFTypeArrayCallBacks);
    CFArrayRef three = CFArrayCreate(NULL, all, 3, &kCFTypeArrayCallBacks);
    REQUIRE(CVPixelBufferCreateResolvedAttributesDictionary(NULL, two, &resolved) == kCVReturnSuccess);
    CHECK_EQ(number_in(resolved, kCVPixelBufferWidthKey), 640);
    CHECK_EQ(number_in(resolved, kCVPixelBufferExtendedPixelsRightKey), 8);
    CHECK_EQ(number_in(resolved, kCVPixelBufferBytesPerRowAlignmentKey), 192);
    CFRelease(resolved);
    CHECK_EQ(CVPixelBufferCreateResolvedAttributesDictionary(NULL, three, &resolved),
             kCVReturnInvalidPixelBufferAttributes);
    CHECK(resolved == NULL);
    CHECK_EQ(CVPixelBufferCreateResolvedAttributesDictionary(NULL, NULL, &resolved), kCVReturnSuccess);
    CFRelease(resolved);
    CFRelease(two);
    CFRelease(three);
    for (int i = 0; i < 3; i++) CFRelease(all[i]);
    test_resolved_alignments();
    /* The resolved format is the common one. */
    CFDictionaryRef bgra = size_create(4, 4, kCVPixelFormatType_32BGRA);
    CFDictionaryRef rgba = size_create(4, 4, kCVPixelFormatType_32RGBA);
    const void *formats[2] = {CFDictionaryGetValue(rgba, kCVPixelBufferPixelFormatTypeKey),
                              CFDictionaryGetValue(bgra, kCVPixelBufferPixelFormatTypeKey)};
    CFArrayRef either = CFArrayCreate(NULL, formats, 2, &kCFTypeArrayCallBacks);
    CFMutableDictionaryRef choice = CFDictionaryCreateMutableCopy(NULL, 0, bgra);
    CFDictionarySetValue(choice, kCVPixelBufferPixelFormatTypeKey, either);
    const void *agree[2] = {choice, bgra}, *differ[2] = {rgba, bgra};
    CFArrayRef agreeing = CFArrayCreate(NULL, agree, 2, &kCFTypeArrayCallBacks);
    CFArrayRef differing = CFArrayCreate(NULL, differ, 2, &kCFTypeArrayCallBacks);
    REQUIRE(CVPixelBufferCreateResolvedAttributesDictionary(NULL, agreeing, &resolved) == kCVReturnSuccess);
    CHECK_EQ(number_in(resolved, kCVPixelBufferPixelFormatTypeKey), kCVPixelFormatType_32BGRA);
    CFRelease(resolved);
    CHECK_EQ(CVPixelBufferCreateResolvedAttributesDictionary(NULL, differing, &resolved),
             kCVReturnInvalidPixelBufferAttributes);
    CVPixelBufferRef buffer = NULL;
    REQUIRE(CVPixelBufferCreate(NULL, 4, 4, kCVPixelFormatType_32BGRA, NULL, &buffer) == 0);
    CHECK(CVPixelBufferIsCompatibleWithAttributes(buffer, choice));
    CHECK(CVPixelBufferIsCompatibleWithAttributes(buffer, NULL));
    CHECK(!CVPixelBufferIsCompatibleWithAttributes(buffer, rgba));
    CFRelease(buffer);
    CFRelease(agreeing);
    CFRelease(differing);
    CFRelease(either);
    CFRelease(choice);
    CFRelease(bgra);
    CFRelease(rgba);
}

/* ---- Wrong arguments ------------------------------------------------------------------------ */

static void test_wrong_arguments(void) {
    CVPixelBufferRef buffer = NULL;
    CVPixelBufferRef volatile none = NULL;
    CVPixelBufferRef *volatile nowhere = NULL;
    void *volatile no_bytes = NULL;
    size_t extended = 1;
    CHECK_EQ(CVPixelBufferCreate(NULL, 4, 4, kCVPixelFormatType_32BGRA, NULL, nowhere), kCVReturnInvalidArgument);
    CHECK_EQ(CVPixelBufferCreate(NULL, 0, 4, kCVPixelFormatType_32BGRA, NULL, &buffer), kCVReturnInvalidArgument);
    CHECK_EQ(CVPixelBufferCreate(NULL, 4, (size_t)-1, kCVPixelFormatType_32BGRA, NULL, &buffer), kCVReturnInvalidSize);
    CHECK_EQ(CVPixelBufferCreate(NULL, 4, 4, kCVPixelFormatType_32BGRA, (CFDictionaryRef)CFSTR("a"), &buffer),
             kCVReturnInvalidPixelBufferAttributes);
    CHECK_EQ(CVPixelBufferCreateWithBytes(NULL, 4, 4, kCVPixelFormatType_32BGRA, no_bytes, 16, NULL, NULL, NULL,
                                          &buffer),
             kCVReturnInvalidArgument);
    CHECK_EQ(CVPixelBufferCreateWithIOSurface(NULL, (IOSurfaceRef)no_bytes, NULL, &buffer), kCVReturnInvalidArgument);
    CHECK_EQ(CVPixelBufferLockBaseAddress(none, 0), kCVReturnInvalidArgument);
    CHECK_EQ(CVPixelBufferUnlockBaseAddress(none, 0), kCVReturnInvalidArgument);
    CHECK_EQ(CVPixelBufferLockBaseAddress((CVPixelBufferRef)CFSTR("a"), 0), kCVReturnInvalidArgument);
    CHECK_EQ(CVPixelBufferFillExtendedPixels(none), kCVReturnInvalidArgument);
    CHECK(CVPixelBufferGetWidth(none) == 0 && CVPixelBufferGetHeight(none) == 0);
    CHECK(CVPixelBufferGetPixelFormatType(none) == 0 && CVPixelBufferGetBaseAddress(none) == NULL);
    CHECK(CVPixelBufferGetBytesPerRow(none) == 0 && CVPixelBufferGetDataSize(none) == 0);
    CHECK(!CVPixelBufferIsPlanar(none) && CVPixelBufferGetPlaneCount(none) == 0);
    CHECK(CVPixelBufferGetWidthOfPlane(none, 0) == 0 && CVPixelBufferGetHeightOfPlane(none, 0) == 0);
    CHECK(CVPixelBufferGetBaseAddressOfPlane(none, 0) == NULL && CVPixelBufferGetBytesPerRowOfPlane(none, 0) == 0);
    CHECK(CVPixelBufferCopyCreationAttributes(none) == NULL);
    CHECK(!CVPixelBufferIsCompatibleWithAttributes(none, NULL));
    CVPixelBufferGetExtendedPixels(none, &extended, NULL, NULL, NULL);
    CHECK_EQ(extended, 0);
    CHECK(CVPixelBufferRetain(none) == NULL);
    CVPixelBufferRelease(none);
    CHECK(buffer == NULL);
}

int main(void) {
    RUN(test_planes_of_all_formats_behaviour_33);
    RUN(test_rows_of_blocks);
    RUN(test_known_formats);
    RUN(test_with_bytes);
    RUN(test_with_planar_bytes);
    RUN(test_locks);
    RUN(test_extended_pixels);
    RUN(test_alignment);
    RUN(test_behaviour_21_plain_dictionary);
    RUN(test_resolved_attributes);
    RUN(test_wrong_arguments);
    return check_result();
}
