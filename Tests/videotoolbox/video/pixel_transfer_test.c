/* VTPixelTransferSession: formats by exact numbers and by the test's own arithmetic, scaling modes, attachments. */
#include "video.h"

#include <VideoToolbox/VideoToolbox.h>
#include <math.h>
#include <pthread.h>

static VTPixelTransferSessionRef session_create(void) {
    VTPixelTransferSessionRef session = NULL;
    REQUIRE(VTPixelTransferSessionCreate(NULL, &session) == noErr);
    return session;
}

static CVPixelBufferRef transferred(VTPixelTransferSessionRef session, CVPixelBufferRef source, size_t width,
                                    size_t height, OSType format) {
    CVPixelBufferRef destination = image(width, height, format);
    CHECK_EQ(VTPixelTransferSessionTransferImage(session, source, destination), noErr);
    return destination;
}

static void check_same(CVPixelBufferRef a, CVPixelBufferRef b, const size_t *row_bytes) {
    for (size_t i = 0; i < planes_of(a); i++)
        for (size_t y = 0; y < CVPixelBufferGetHeightOfPlane(a, i); y++)
            if (!CHECK_BYTES(row_of(a, i, y), row_of(b, i, y), row_bytes[i])) return;
}

/* ---- Formats -------------------------------------------------------------------------------- */

/* Conversions without loss: a conversion and its reverse result in the same bytes. */
static void test_there_and_back(void) {
    static const struct {
        OSType format, through;
        size_t bytes[3];
    } ways[] = {
        {kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr8Planar, {21, 22}},
        {kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, kCVPixelFormatType_420YpCbCr10BiPlanarFullRange, {21, 22}},
        {kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_422YpCbCr8, {21, 22}},
        {kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_444YpCbCr8BiPlanarVideoRange, {21, 22}},
        {kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_444YpCbCr16BiPlanarVideoRange, {21, 22}},
        {kCVPixelFormatType_422YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_422YpCbCr8_yuvs, {21, 22}},
        {kCVPixelFormatType_422YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_422YpCbCr16, {21, 22}},
        {kCVPixelFormatType_422YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_422YpCbCr10, {21, 22}},
        {kCVPixelFormatType_444YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_4444YpCbCrA8, {21, 42}},
        {kCVPixelFormatType_444YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_444YpCbCr8, {21, 42}},
        {kCVPixelFormatType_444YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_4444AYpCbCr8, {21, 42}},
        {kCVPixelFormatType_444YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_4444AYpCbCr16, {21, 42}},
        {kCVPixelFormatType_444YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_444YpCbCr10, {21, 42}},
        {kCVPixelFormatType_444YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_4444AYpCbCrFloat, {21, 42}},
        {kCVPixelFormatType_32BGRA, kCVPixelFormatType_32RGBA, {84}},
        {kCVPixelFormatType_32BGRA, kCVPixelFormatType_32ARGB, {84}},
        {kCVPixelFormatType_32BGRA, kCVPixelFormatType_32ABGR, {84}},
        {kCVPixelFormatType_32BGRA, kCVPixelFormatType_64ARGB, {84}},
        {kCVPixelFormatType_32BGRA, kCVPixelFormatType_64RGBALE, {84}},
        {kCVPixelFormatType_32BGRA, kCVPixelFormatType_64RGBAHalf, {84}},
        {kCVPixelFormatType_32BGRA, kCVPixelFormatType_128RGBAFloat, {84}},
        {kCVPixelFormatType_24RGB, kCVPixelFormatType_24BGR, {63}},
        {kCVPixelFormatType_24RGB, kCVPixelFormatType_48RGB, {63}},
        {kCVPixelFormatType_24RGB, kCVPixelFormatType_30RGB, {63}},
        {kCVPixelFormatType_24RGB, kCVPixelFormatType_30RGB_r210, {63}},
        {kCVPixelFormatType_24RGB, kCVPixelFormatType_ARGB2101010LEPacked, {63}},
        {kCVPixelFormatType_16LE565, kCVPixelFormatType_16BE565, {42}},
        {kCVPixelFormatType_16LE5551, kCVPixelFormatType_32BGRA, {42}},
        {kCVPixelFormatType_OneComponent8, kCVPixelFormatType_16Gray, {21}},
        {kCVPixelFormatType_OneComponent8, kCVPixelFormatType_OneComponent10, {21}},
        {kCVPixelFormatType_OneComponent8, kCVPixelFormatType_OneComponent32Float, {21}},
        {kCVPixelFormatType_OneComponent8, kCVPixelFormatType_32BGRA, {21}},
    };
    VTPixelTransferSessionRef session = session_create();
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        CVPixelBufferRef source = image(21, 13, ways[i].format);
        fill(source, (uint32_t)i);
        CVPixelBufferRef through = transferred(session, source, 21, 13, ways[i].through);
        CVPixelBufferRef back = transferred(session, through, 21, 13, ways[i].format);
        check_same(source, back, ways[i].bytes);
        CFRelease(source);
        CFRelease(through);
        CFRelease(back);
    }
    CFRelease(session);
}

/* A picture of four areas of one colour each, in which no chroma is mixed. */
static CVPixelBufferRef coloured(void) {
    static const uint8_t colours[4][4] = {{40, 40, 200, 255}, {40, 180, 60, 255}, {190, 80, 50, 255}, {128, 128, 128, 255}};
    CVPixelBufferRef buffer = image(32, 16, kCVPixelFormatType_32BGRA);
    for (size_t y = 0; y < 16; y++)
        for (size_t x = 0; x < 32; x++) memcpy(row_of(buffer, 0, y) + 4 * x, colours[x / 16 + y / 8 * 2], 4);
    return buffer;
}

/* Programs convert between all pairs of these formats: from a camera or a decoder to a screen, an encoder or a
 * filter. */
static void test_all_pairs(void) {
    static const OSType formats[] = {
        kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange,
        kCVPixelFormatType_420YpCbCr8Planar, kCVPixelFormatType_420YpCbCr8PlanarFullRange, kCVPixelFormatType_32BGRA,
        kCVPixelFormatType_32ARGB, kCVPixelFormatType_32RGBA, kCVPixelFormatType_32ABGR, kCVPixelFormatType_24RGB,
        kCVPixelFormatType_422YpCbCr8, kCVPixelFormatType_422YpCbCr8_yuvs,
        kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr10BiPlanarFullRange,
        kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange, kCVPixelFormatType_444YpCbCr8BiPlanarVideoRange,
        kCVPixelFormatType_64ARGB};
    enum { FORMATS = sizeof formats / sizeof *formats };
    VTPixelTransferSessionRef session = session_create();
    CVPixelBufferRef original = coloured();
    for (size_t from = 0; from < FORMATS; from++) {
        CVPixelBufferRef source = transferred(session, original, 32, 16, formats[from]);
        for (size_t to = 0; to < FORMATS; to++) {
            CVPixelBufferRef destination = transferred(session, source, 32, 16, formats[to]);
            CVPixelBufferRef seen = transferred(session, destination, 32, 16, kCVPixelFormatType_32BGRA);
            int most = 0;
            for (size_t y = 0; y < 16; y++)
                for (size_t x = 0; x < 32 * 4; x++) {
                    const int difference = abs(row_of(seen, 0, y)[x] - row_of(original, 0, y)[x]);
                    if (difference > most) most = difference;
                }
            CHECK(most <= 4);
            CFRelease(destination);
            CFRelease(seen);
        }
        CFRelease(source);
    }
    CFRelease(original);
    CFRelease(session);
}

/* A format that is only copied results in a status with every other format, in both directions, and nothing is
 * written. */
static void test_formats_that_are_only_copied(void) {
    static const OSType formats[] = {kCVPixelFormatType_422YpCbCr_4A_8BiPlanar, kCVPixelFormatType_14Bayer_RGGB,
        kCVPixelFormatType_8Indexed, kCVPixelFormatType_TwoComponent8, kCVPixelFormatType_DisparityFloat16};
    VTPixelTransferSessionRef session = session_create();
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        CVPixelBufferRef other = image(96, 16, formats[i]), bgra = image(96, 16, kCVPixelFormatType_32BGRA);
        fill(other, 1);
        fill(bgra, 2);
        const uint8_t before[2] = {row_of(other, 0, 0)[0], row_of(bgra, 0, 0)[0]};
        CHECK_EQ(VTPixelTransferSessionTransferImage(session, other, bgra), kVTPixelTransferNotSupportedErr);
        CHECK_EQ(VTPixelTransferSessionTransferImage(session, bgra, other), kVTPixelTransferNotSupportedErr);
        CHECK(row_of(other, 0, 0)[0] == before[0] && row_of(bgra, 0, 0)[0] == before[1]);
        CFRelease(other);
        CFRelease(bgra);
    }
    CFRelease(session);
}

/* Between the same format and size, bytes are copied, whatever the format. */
static void test_copies(void) {
    VTPixelTransferSessionRef session = session_create();
    CFArrayRef codes = CVPixelFormatDescriptionArrayCreateWithAllPixelFormatTypes(NULL);
    for (CFIndex i = 0; i < CFArrayGetCount(codes); i++) {
        int64_t code = 0;
        CFNumberGetValue(CFArrayGetValueAtIndex(codes, i), kCFNumberSInt64Type, &code);
        CVPixelBufferRef source = image(64, 9, (OSType)code);
        fill(source, 7);
        CVPixelBufferRef destination = transferred(session, source, 64, 9, (OSType)code);
        CHECK_BYTES(row_of(source, 0, 8), row_of(destination, 0, 8), 8);
        CFRelease(source);
        CFRelease(destination);
    }
    CFRelease(codes);
    CFRelease(session);
}

/* 'v210': three samples of 10 bits in each word, in the order Cb Y Cr Y. */
static void test_three_samples_in_a_word(void) {
    enum { WIDTH = 9 }; /* six pixels in four words, and a half of the next six */
    VTPixelTransferSessionRef session = session_create();
    CVPixelBufferRef source = image(WIDTH, 1, kCVPixelFormatType_422YpCbCr10);
    uint32_t *words = (uint32_t *)(void *)row_of(source, 0, 0);
    /* Sample n of a row has the value 100 + n. */
    for (uint32_t i = 0; i < 8; i++) words[i] = (100 + 3 * i) | (101 + 3 * i) << 10 | (102 + 3 * i) << 20;
    CVPixelBufferRef planes = transferred(session, source, WIDTH, 1, kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange);
    const uint16_t *luma = (const uint16_t *)(const void *)row_of(planes, 0, 0);
    const uint16_t *chroma = (const uint16_t *)(const void *)row_of(planes, 1, 0);
    for (int x = 0; x < WIDTH; x++) CHECK_EQ(luma[x] >> 6, 101 + 2 * x);
    for (int x = 0; x < (WIDTH + 1) / 2 * 2; x++) CHECK_EQ(chroma[x] >> 6, 100 + 2 * x);
    CVPixelBufferRef back = transferred(session, planes, WIDTH, 1, kCVPixelFormatType_422YpCbCr10);
    for (size_t i = 0; i < 6; i++) CHECK_EQ(((const uint32_t *)(const void *)row_of(back, 0, 0))[i], words[i]);
    CFRelease(source);
    CFRelease(planes);
    CFRelease(back);
    CFRelease(session);
}

static void test_depths(void) {
    VTPixelTransferSessionRef session = session_create();
    CVPixelBufferRef source = image(16, 2, kCVPixelFormatType_422YpCbCr8BiPlanarVideoRange);
    fill(source, 3);
    CVPixelBufferRef deep = transferred(session, source, 16, 2, kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange);
    for (size_t plane = 0; plane < 2; plane++)
        for (size_t x = 0; x < 16; x++)
            CHECK_EQ(((uint16_t *)row_of(deep, plane, 1))[x], row_of(source, plane, 1)[x] * 4 << 6);
    CFRelease(source);
    CFRelease(deep);
    CFRelease(session);
}

/* The result equals the conversion that libnalu makes for its sessions. */
static void test_like_libnalu(void) {
    VTPixelTransferSessionRef session = session_create();
    CVPixelBufferRef source = image(65, 47, kCVPixelFormatType_32BGRA);
    nalu_pixel_buffer *from = NULL, *to = NULL;
    fill(source, 9);
    const void *plane = CVPixelBufferGetBaseAddress(source);
    const int64_t stride = (int64_t)CVPixelBufferGetBytesPerRow(source);
    REQUIRE(nalu_pixel_buffer_create_with_planes(65, 47, NALU_PIXEL_FORMAT_BGRA, 1, &plane, &stride, NULL, NULL, NULL,
                                                 &from) == NALU_STATUS_OK);
    REQUIRE(nalu_pixel_buffer_create(32, 30, NALU_PIXEL_FORMAT_420V, &to) == NALU_STATUS_OK);
    REQUIRE(nalu_pixel_transfer_image(from, to, NALU_MATRIX_AUTOMATIC) == NALU_STATUS_OK);
    CVPixelBufferRef destination =
        transferred(session, source, 32, 30, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    for (uint32_t i = 0; i < 2; i++)
        for (size_t y = 0; y < (i ? 15 : 30); y++)
            CHECK_BYTES(row_of(destination, i, y),
                        (uint8_t *)nalu_pixel_buffer_get_plane_base_address(to, i) +
                            (int64_t)y * nalu_pixel_buffer_get_plane_stride(to, i),
                        32);
    CHECK(CVBufferGetAttachment(destination, kCVImageBufferYCbCrMatrixKey, NULL) ==
          kCVImageBufferYCbCrMatrix_ITU_R_601_4);
    nalu_pixel_buffer_release(from);
    nalu_pixel_buffer_release(to);
    CFRelease(source);
    CFRelease(destination);
    CFRelease(session);
}

/* ---- Colours -------------------------------------------------------------------------------- */

static int byte_of(double value) { return (int)lrint(fmax(0, fmin(255, value))); }

static void test_matrices(void) {
    const struct {
        CFStringRef name;
        double kr, kb;
    } matrices[] = {{kCVImageBufferYCbCrMatrix_ITU_R_709_2, 0.2126, 0.0722},
                    {kCVImageBufferYCbCrMatrix_ITU_R_601_4, 0.299, 0.114},
                    {kCVImageBufferYCbCrMatrix_ITU_R_2020, 0.2627, 0.0593},
                    {kCVImageBufferYCbCrMatrix_SMPTE_240M_1995, 0.212, 0.087}};
    VTPixelTransferSessionRef session = session_create();
    for (size_t m = 0; m < 4; m++)
        for (int full = 0; full < 2; full++) {
            CVPixelBufferRef source = image(64, 16, full ? kCVPixelFormatType_444YpCbCr8BiPlanarFullRange
                                                         : kCVPixelFormatType_444YpCbCr8BiPlanarVideoRange);
            fill(source, (uint32_t)m);
            CVBufferSetAttachment(source, kCVImageBufferYCbCrMatrixKey, matrices[m].name,
                                  kCVAttachmentMode_ShouldPropagate);
            CVPixelBufferRef rgb = transferred(session, source, 64, 16, kCVPixelFormatType_32BGRA);
            for (size_t y = 0; y < 16; y++)
                for (size_t x = 0; x < 64; x++) {
                    const double luma = full ? row_of(source, 0, y)[x] : (row_of(source, 0, y)[x] - 16) * 255.0 / 219;
                    const double scale = full ? 1 : 255.0 / 224;
                    const double cb = (row_of(source, 1, y)[2 * x] - 128) * scale;
                    const double cr = (row_of(source, 1, y)[2 * x + 1] - 128) * scale;
                    const double r = luma + 2 * (1 - matrices[m].kr) * cr, b = luma + 2 * (1 - matrices[m].kb) * cb;
                    const double kg = 1 - matrices[m].kr - matrices[m].kb;
                    const double g = (luma - matrices[m].kr * r - matrices[m].kb * b) / kg;
                    const uint8_t *pixel = row_of(rgb, 0, y) + 4 * x;
                    if (!CHECK(abs(pixel[0] - byte_of(b)) <= 1 && abs(pixel[1] - byte_of(g)) <= 1 &&
                               abs(pixel[2] - byte_of(r)) <= 1 && pixel[3] == 255))
                        return;
                }
            CFRelease(source);
            CFRelease(rgb);
        }
    CFRelease(session);
}

/* A chroma sample of 4:2:0 applies to its four pixels. The four orders of RGB have the same values, and are opaque. */
static void test_orders_of_rgb(void) {
    static const struct {
        OSType format;
        int r, g, b, a;
    } orders[] = {{kCVPixelFormatType_32BGRA, 2, 1, 0, 3},
                  {kCVPixelFormatType_32RGBA, 0, 1, 2, 3},
                  {kCVPixelFormatType_32ARGB, 1, 2, 3, 0},
                  {kCVPixelFormatType_32ABGR, 3, 2, 1, 0}};
    static const OSType formats[] = {kCVPixelFormatType_420YpCbCr8Planar,
                                     kCVPixelFormatType_420YpCbCr8BiPlanarFullRange};
    VTPixelTransferSessionRef session = session_create();
    for (size_t f = 0; f < 2; f++) {
        CVPixelBufferRef source = image(37, 23, formats[f]);
        fill(source, 11);
        for (size_t i = 0; i < 4; i++) {
            CVPixelBufferRef rgb = transferred(session, source, 37, 23, orders[i].format);
            for (size_t y = 0; y < 23; y++)
                for (size_t x = 0; x < 37; x++) {
                    const double luma = row_of(source, 0, y)[x], scale = f ? 1 : 255.0 / 224;
                    const double l = f ? luma : (luma - 16) * 255 / 219;
                    const size_t pair = x / 2 * 2, row = y / 2;
                    const uint8_t u = f ? row_of(source, 1, row)[pair] : row_of(source, 1, row)[x / 2];
                    const uint8_t v = f ? row_of(source, 1, row)[pair + 1] : row_of(source, 2, row)[x / 2];
                    const double cb = (u - 128) * scale, cr = (v - 128) * scale;
                    const uint8_t *pixel = row_of(rgb, 0, y) + 4 * x;
                    if (!CHECK(abs(pixel[orders[i].r] - byte_of(l + 1.402 * cr)) <= 1 &&
                               abs(pixel[orders[i].g] - byte_of(l - 0.344136 * cb - 0.714136 * cr)) <= 1 &&
                               abs(pixel[orders[i].b] - byte_of(l + 1.772 * cb)) <= 1 && pixel[orders[i].a] == 255))
                        return;
                }
            CFRelease(rgb);
        }
        CFRelease(source);
    }
    CFRelease(session);
}

/* Full red of BT.601, converted to the destination's BT.709. */
static void test_destination_matrix(void) {
    VTPixelTransferSessionRef session = session_create();
    CVPixelBufferRef source = image(2, 2, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    memset(row_of(source, 0, 0), 81, 2);
    memset(row_of(source, 0, 1), 81, 2);
    row_of(source, 1, 0)[0] = 90;
    row_of(source, 1, 0)[1] = 240;
    CVBufferSetAttachment(source, kCVImageBufferColorPrimariesKey, kCVImageBufferColorPrimaries_SMPTE_C,
                          kCVAttachmentMode_ShouldPropagate);
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelTransferPropertyKey_DestinationYCbCrMatrix,
                                  kCVImageBufferYCbCrMatrix_ITU_R_709_2),
             noErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelTransferPropertyKey_DestinationTransferFunction,
                                  kCVImageBufferTransferFunction_sRGB),
             noErr);
    CVPixelBufferRef destination = transferred(session, source, 2, 2, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    CHECK(abs(row_of(destination, 0, 0)[0] - 63) <= 1);
    CHECK(abs(row_of(destination, 1, 0)[0] - 102) <= 1);
    CHECK(abs(row_of(destination, 1, 0)[1] - 240) <= 1);
    CHECK(CVBufferGetAttachment(destination, kCVImageBufferYCbCrMatrixKey, NULL) ==
          kCVImageBufferYCbCrMatrix_ITU_R_709_2);
    CHECK(CVBufferGetAttachment(destination, kCVImageBufferColorPrimariesKey, NULL) ==
          kCVImageBufferColorPrimaries_SMPTE_C);
    CHECK(CVBufferGetAttachment(destination, kCVImageBufferTransferFunctionKey, NULL) ==
          kCVImageBufferTransferFunction_sRGB);
    CFRelease(source);
    CFRelease(destination);
    CFRelease(session);
}

/* Primaries and transfer functions are not converted, so others than the source's are refused, and nothing is written. */
static void test_other_colours_are_refused(void) {
    const struct {
        CFStringRef property, attachment, own, other;
    } cases[] = {{kVTPixelTransferPropertyKey_DestinationColorPrimaries, kCVImageBufferColorPrimariesKey,
                  kCVImageBufferColorPrimaries_ITU_R_2020, kCVImageBufferColorPrimaries_ITU_R_709_2},
                 {kVTPixelTransferPropertyKey_DestinationTransferFunction, kCVImageBufferTransferFunctionKey,
                  kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ, kCVImageBufferTransferFunction_ITU_R_709_2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        VTPixelTransferSessionRef session = session_create();
        CVPixelBufferRef source = coloured(), destination = image(32, 16, kCVPixelFormatType_32ARGB);
        memset(row_of(destination, 0, 0), 7, 4);
        CVBufferSetAttachment(source, cases[i].attachment, cases[i].own, kCVAttachmentMode_ShouldPropagate);
        CHECK_EQ(VTSessionSetProperty(session, cases[i].property, cases[i].other), noErr);
        CHECK_EQ(VTPixelTransferSessionTransferImage(session, source, destination), kVTPixelTransferNotSupportedErr);
        CHECK_EQ(row_of(destination, 0, 0)[0], 7);
        CHECK(CVBufferGetAttachment(destination, cases[i].attachment, NULL) == NULL);
        CHECK_EQ(VTSessionSetProperty(session, cases[i].property, cases[i].own), noErr);
        CHECK_EQ(VTPixelTransferSessionTransferImage(session, source, destination), noErr);
        CHECK(CFEqual(CVBufferGetAttachment(destination, cases[i].attachment, NULL), cases[i].own));
        CFRelease(source);
        CFRelease(destination);
        CFRelease(session);
    }
}

/* ---- Sizes ---------------------------------------------------------------------------------- */

/* Behaviour 32: frames larger than the session are scaled, and the middle of a ramp stays in the middle. */
static void test_behaviour_32_scaling(void) {
    static const OSType formats[] = {kCVPixelFormatType_32BGRA, kCVPixelFormatType_422YpCbCr8,
                                     kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange};
    VTPixelTransferSessionRef session = session_create();
    CVPixelBufferRef source = image(640, 360, kCVPixelFormatType_OneComponent8);
    for (size_t y = 0; y < 360; y++)
        for (size_t x = 0; x < 640; x++) row_of(source, 0, y)[x] = (uint8_t)(x * 200 / 640 + 20);
    for (size_t f = 0; f < 3; f++) {
        CVPixelBufferRef small = transferred(session, source, 160, 90, formats[f]);
        CVPixelBufferRef gray = transferred(session, small, 160, 90, kCVPixelFormatType_OneComponent8);
        for (size_t x = 1; x < 159; x++)
            if (!CHECK(abs(row_of(gray, 0, 45)[x] - (int)((x * 4 + 2) * 200 / 640 + 20)) <= 2)) break;
        CVPixelBufferRef large = transferred(session, small, 320, 180, kCVPixelFormatType_OneComponent8);
        for (size_t x = 2; x < 318; x++)
            if (!CHECK(abs(row_of(large, 0, 90)[x] - (int)((x * 2 + 1) * 200 / 640 + 20)) <= 2)) break;
        CFRelease(small);
        CFRelease(gray);
        CFRelease(large);
    }
    CFRelease(source);
    CFRelease(session);
}

static CVPixelBufferRef quartered(size_t width, size_t height) {
    CVPixelBufferRef source = image(width, height, kCVPixelFormatType_OneComponent8);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) row_of(source, 0, y)[x] = x < width / 2 ? 100 : 200;
    return source;
}

static void test_letterbox_and_trim(void) {
    VTPixelTransferSessionRef session = session_create();
    CVPixelBufferRef source = quartered(160, 80);
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelTransferPropertyKey_ScalingMode, kVTScalingMode_Letterbox), noErr);
    CVPixelBufferRef destination =
        transferred(session, source, 80, 80, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    /* 80x40 in the middle, between black bars of 20 rows. */
    CHECK_EQ(row_of(destination, 0, 19)[40], 16);
    CHECK_EQ(row_of(destination, 0, 60)[40], 16);
    CHECK(abs(row_of(destination, 0, 20)[10] - (16 + 100 * 219 / 255)) <= 1);
    CHECK(abs(row_of(destination, 0, 59)[70] - (16 + 200 * 219 / 255)) <= 1);
    CHECK_EQ(row_of(destination, 1, 3)[5], 128);
    CFRelease(destination);
    /* The source's middle half, of both colours. */
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelTransferPropertyKey_ScalingMode, kVTScalingMode_Trim), noErr);
    destination = transferred(session, source, 40, 40, kCVPixelFormatType_32BGRA);
    CHECK_EQ(row_of(destination, 0, 0)[0], 100);
    CHECK_EQ(row_of(destination, 0, 39)[4 * 39], 200);
    CFRelease(destination);
    CFRelease(source);
    CFRelease(session);
}

/* Behaviour 21: the session keeps its own copy of a dictionary without callbacks. */
static void test_behaviour_21_plain_aperture(void) {
    const double sizes[] = {100.5, 50.5};
    const void *keys[] = {kCVImageBufferCleanApertureWidthKey, kCVImageBufferCleanApertureHeightKey}, *values[2];
    for (int i = 0; i < 2; i++) values[i] = CFNumberCreate(NULL, kCFNumberDoubleType, &sizes[i]);
    VTPixelTransferSessionRef session = session_create();
    CFDictionaryRef plain = CFDictionaryCreate(NULL, keys, values, 2, NULL, NULL), kept = NULL;
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelTransferPropertyKey_DestinationCleanAperture, plain), noErr);
    CHECK_EQ(VTSessionCopyProperty(session, kVTPixelTransferPropertyKey_DestinationCleanAperture, NULL, &kept), noErr);
    REQUIRE(kept != NULL && kept != plain);
    CFRelease(plain);
    for (int i = 0; i < 2; i++) CFRelease(values[i]);
    for (int i = 0; i < 2; i++) {
        double size = 0;
        CHECK(CFNumberGetValue(CFDictionaryGetValue(kept, keys[i]), kCFNumberDoubleType, &size) && size == sizes[i]);
    }
    CFRelease(kept);
    CFRelease(session);
}

static void test_clean_apertures(void) {
    const CFStringRef keys[] = {kCVImageBufferCleanApertureWidthKey, kCVImageBufferCleanApertureHeightKey,
                                kCVImageBufferCleanApertureHorizontalOffsetKey};
    const int64_t right_half[] = {80, 80, 40}, quarter[] = {40, 40, 0};
    VTPixelTransferSessionRef session = session_create();
    CVPixelBufferRef source = quartered(160, 80);
    CFDictionaryRef aperture = numbers_create(keys, right_half, 3), smaller = numbers_create(keys, quarter, 2);
    CVBufferSetAttachment(source, kCVImageBufferCleanApertureKey, aperture, kCVAttachmentMode_ShouldPropagate);
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelTransferPropertyKey_ScalingMode,
                                  kVTScalingMode_CropSourceToCleanAperture),
             noErr);
    CVPixelBufferRef destination = transferred(session, source, 80, 80, kCVPixelFormatType_OneComponent8);
    CHECK_EQ(row_of(destination, 0, 0)[0], 200);
    CHECK(!CVBufferHasAttachment(destination, kCVImageBufferCleanApertureKey));
    CFRelease(destination);
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelTransferPropertyKey_DestinationCleanAperture, smaller), noErr);
    destination = transferred(session, source, 80, 80, kCVPixelFormatType_OneComponent8);
    CHECK_EQ(row_of(destination, 0, 19)[40], 0);
    CHECK_EQ(row_of(destination, 0, 20)[20], 200);
    CHECK_EQ(row_of(destination, 0, 20)[19], 0);
    CHECK_EQ(row_of(destination, 0, 59)[59], 200);
    CHECK_EQ(row_of(destination, 0, 60)[59], 0);
    CGRect clean = CVImageBufferGetCleanRect(destination);
    CHECK(clean.origin.x == 20 && clean.size.height == 40);
    CFRelease(destination);
    /* The whole image is scaled together with its aperture. */
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelTransferPropertyKey_ScalingMode, NULL), noErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelTransferPropertyKey_DestinationCleanAperture, NULL), noErr);
    destination = transferred(session, source, 80, 40, kCVPixelFormatType_32BGRA);
    CHECK_EQ(row_of(destination, 0, 0)[0], 100);
    clean = CVImageBufferGetCleanRect(destination);
    CHECK(clean.origin.x == 40 && clean.size.width == 40 && clean.size.height == 40);
    CFRelease(destination);
    CFRelease(aperture);
    CFRelease(smaller);
    CFRelease(source);
    CFRelease(session);
}

static void test_downsampling(void) {
    VTPixelTransferSessionRef session = session_create();
    CVPixelBufferRef source = image(2, 2, kCVPixelFormatType_444YpCbCr8BiPlanarFullRange);
    static const uint8_t chroma[2][4] = {{100, 10, 110, 20}, {120, 30, 150, 40}};
    for (size_t y = 0; y < 2; y++) {
        memset(row_of(source, 0, y), 50, 2);
        memcpy(row_of(source, 1, y), chroma[y], 4);
    }
    CVPixelBufferRef average = transferred(session, source, 2, 2, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange);
    CHECK_EQ(row_of(average, 1, 0)[0], 120);
    CHECK_EQ(row_of(average, 1, 0)[1], 25);
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelTransferPropertyKey_DownsamplingMode, kVTDownsamplingMode_Decimate),
             noErr);
    CVPixelBufferRef first = transferred(session, source, 2, 2, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange);
    CHECK_EQ(row_of(first, 1, 0)[0], 100);
    CHECK_EQ(row_of(first, 1, 0)[1], 10);
    CFRelease(source);
    CFRelease(average);
    CFRelease(first);
    CFRelease(session);
}

/* No byte beyond a row's pixels is written, for odd sizes, up and down. */
static void test_edges(void) {
    static const OSType formats[] = {kCVPixelFormatType_24RGB, kCVPixelFormatType_32BGRA,
                                     kCVPixelFormatType_OneComponent8, kCVPixelFormatType_64ARGB};
    static const size_t bytes[] = {3, 4, 1, 8}, sizes[][2] = {{1, 1}, {3, 2}, {17, 9}, {33, 40}};
    VTPixelTransferSessionRef session = session_create();
    for (size_t s = 0; s < 4; s++)
        for (size_t f = 0; f < 4; f++) {
            CVPixelBufferRef source = image(19, 7, kCVPixelFormatType_420YpCbCr8Planar);
            fill(source, 5);
            const size_t width = sizes[s][0], height = sizes[s][1], stride = width * bytes[f] + 5;
            uint8_t *memory = malloc(stride * height);
            CVPixelBufferRef destination = NULL;
            memset(memory, 0xa5, stride * height);
            REQUIRE(CVPixelBufferCreateWithBytes(NULL, width, height, formats[f], memory, stride, NULL, NULL, NULL,
                                                 &destination) == 0);
            CHECK_EQ(VTPixelTransferSessionTransferImage(session, source, destination), noErr);
            for (size_t y = 0; y < height; y++)
                for (size_t x = width * bytes[f]; x < stride; x++) CHECK_EQ(memory[y * stride + x], 0xa5);
            CFRelease(source);
            CFRelease(destination);
            free(memory);
        }
    CFRelease(session);
}

/* ---- The session ---------------------------------------------------------------------------- */

static void test_properties(void) {
    VTPixelTransferSessionRef session = session_create();
    CFDictionaryRef supported = NULL, serialized = NULL;
    CFTypeRef value = NULL;
    CHECK_EQ(CFGetTypeID(session), VTPixelTransferSessionGetTypeID());
    CHECK_EQ(VTSessionCopySupportedPropertyDictionary(session, &supported), noErr);
    CHECK_EQ(CFDictionaryGetCount(supported), 9);
    CFDictionaryRef mode = CFDictionaryGetValue(supported, kVTPixelTransferPropertyKey_ScalingMode);
    REQUIRE(mode != NULL);
    CHECK_EQ(CFArrayGetCount(CFDictionaryGetValue(mode, kVTPropertySupportedValueListKey)), 4);
    CFRelease(supported);
    CHECK_EQ(VTSessionCopyProperty(session, kVTPixelTransferPropertyKey_ScalingMode, NULL, &value), noErr);
    CHECK(value == kVTScalingMode_Normal);
    CFRelease(value);
    CHECK_EQ(VTSessionCopyProperty(session, kVTPixelTransferPropertyKey_DestinationYCbCrMatrix, NULL, &value), noErr);
    CHECK(value == NULL);
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelTransferPropertyKey_ScalingMode, CFSTR("Other")), kVTParameterErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelTransferPropertyKey_ScalingMode, kCFBooleanTrue),
             kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelTransferPropertyKey_DestinationCleanAperture, kCFBooleanTrue),
             kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, CFSTR("other"), kCFBooleanTrue), kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelTransferPropertyKey_RealTime, kCFBooleanTrue), noErr);
    CHECK_EQ(VTSessionCopySerializableProperties(session, NULL, &serialized), noErr);
    CHECK(CFDictionaryGetValue(serialized, kVTPixelTransferPropertyKey_RealTime) == kCFBooleanTrue);
    CFRelease(serialized);
    CFRelease(session);
}

static void test_wrong_arguments(void) {
    VTPixelTransferSessionRef session = session_create();
    VTPixelTransferSessionRef volatile none = NULL;
    VTPixelTransferSessionRef *volatile nowhere = NULL;
    CVPixelBufferRef volatile no_image = NULL;
    CVPixelBufferRef source = image(8, 8, kCVPixelFormatType_32BGRA);
    CVPixelBufferRef sensor = image(8, 8, kCVPixelFormatType_14Bayer_RGGB);
    CVPixelBufferRef other = image(9, 9, kCVPixelFormatType_32BGRA);
    CHECK_EQ(VTPixelTransferSessionCreate(NULL, nowhere), kVTParameterErr);
    CHECK_EQ(VTPixelTransferSessionTransferImage(none, source, other), kVTParameterErr);
    CHECK_EQ(VTPixelTransferSessionTransferImage(session, no_image, other), kVTParameterErr);
    CHECK_EQ(VTPixelTransferSessionTransferImage(session, source, no_image), kVTParameterErr);
    CHECK_EQ(VTPixelTransferSessionTransferImage(session, source, source), kVTParameterErr);
    CHECK_EQ(VTPixelTransferSessionTransferImage(session, source, sensor), kVTPixelTransferNotSupportedErr);
    CHECK_EQ(VTPixelTransferSessionTransferImage(session, sensor, source), kVTPixelTransferNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelTransferPropertyKey_DestinationYCbCrMatrix, CFSTR("mine")), noErr);
    CHECK_EQ(VTPixelTransferSessionTransferImage(session, source, other), kVTPixelTransferNotSupportedErr);
    VTPixelTransferSessionInvalidate(none);
    VTPixelTransferSessionInvalidate(session);
    CHECK_EQ(VTPixelTransferSessionTransferImage(session, source, other), kVTInvalidSessionErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelTransferPropertyKey_ScalingMode, NULL), kVTInvalidSessionErr);
    CFRelease(session);
    CFRelease(source);
    CFRelease(sensor);
    CFRelease(other);
}

static void *transfer_often(void *session) {
    CVPixelBufferRef source = image(64, 64, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    fill(source, 1);
    for (int i = 0; i < 100; i++) {
        VTSessionSetProperty(session, kVTPixelTransferPropertyKey_ScalingMode,
                             i % 2 ? kVTScalingMode_Normal : kVTScalingMode_Trim);
        CFRelease(transferred(session, source, 32, 32, kCVPixelFormatType_32BGRA));
    }
    CFRelease(source);
    return NULL;
}

static void test_four_threads(void) {
    pthread_t threads[4];
    VTPixelTransferSessionRef session = session_create();
    for (int i = 0; i < 4; i++) REQUIRE(pthread_create(&threads[i], NULL, transfer_often, session) == 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    CFRelease(session);
}

int main(void) {
    RUN(test_there_and_back);
    RUN(test_all_pairs);
    RUN(test_formats_that_are_only_copied);
    RUN(test_copies);
    RUN(test_three_samples_in_a_word);
    RUN(test_depths);
    RUN(test_like_libnalu);
    RUN(test_matrices);
    RUN(test_orders_of_rgb);
    RUN(test_destination_matrix);
    RUN(test_other_colours_are_refused);
    RUN(test_behaviour_32_scaling);
    RUN(test_letterbox_and_trim);
    RUN(test_behaviour_21_plain_aperture);
    RUN(test_clean_apertures);
    RUN(test_downsampling);
    RUN(test_edges);
    RUN(test_properties);
    RUN(test_wrong_arguments);
    RUN(test_four_threads);
    return check_result();
}
