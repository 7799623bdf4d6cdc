#include "pixel_formats.h"

#include <nalu/pixel_buffer.h>

enum {
    RGB = NALU_FORMAT_RGB,
    YCBCR = NALU_FORMAT_YCBCR,
    GRAY = NALU_FORMAT_GRAY,
    ALPHA = NALU_FORMAT_ALPHA,
    SENSOR = NALU_FORMAT_SENSOR,
    VIDEO_RANGE = NALU_FORMAT_VIDEO_RANGE,
    FULL_RANGE = NALU_FORMAT_FULL_RANGE,
    WIDE_RANGE = NALU_FORMAT_WIDE_RANGE,
};

static const nalu_format formats[] = {
    {kCVPixelFormatType_1Monochrome, "1Monochrome", RGB, 1, 1, {{1, 1, 8, 1}}, NULL},
    {kCVPixelFormatType_2Indexed, "2Indexed", RGB, 2, 1, {{1, 1, 4, 1}}, NULL},
    {kCVPixelFormatType_4Indexed, "4Indexed", RGB, 4, 1, {{1, 1, 2, 1}}, NULL},
    {kCVPixelFormatType_8Indexed, "8Indexed", RGB, 8, 1, {{1, 1, 1, 1}}, NULL},
    {kCVPixelFormatType_1IndexedGray_WhiteIsZero, "1IndexedGray_WhiteIsZero", GRAY, 1, 1, {{1, 1, 8, 1}}, "ff"},
    {kCVPixelFormatType_2IndexedGray_WhiteIsZero, "2IndexedGray_WhiteIsZero", GRAY, 2, 1, {{1, 1, 4, 1}}, "ff"},
    {kCVPixelFormatType_4IndexedGray_WhiteIsZero, "4IndexedGray_WhiteIsZero", GRAY, 4, 1, {{1, 1, 2, 1}}, "ff"},
    {kCVPixelFormatType_8IndexedGray_WhiteIsZero, "8IndexedGray_WhiteIsZero", GRAY, 8, 1, {{1, 1, 1, 1}}, "ff"},
    {kCVPixelFormatType_16BE555, "16BE555", RGB | FULL_RANGE, 5, 1, {{1, 1, 1, 2}}, NULL},
    {kCVPixelFormatType_16LE555, "16LE555", RGB | FULL_RANGE, 5, 1, {{1, 1, 1, 2}}, NULL},
    {kCVPixelFormatType_16LE5551, "16LE5551", RGB | FULL_RANGE | ALPHA, 5, 1, {{1, 1, 1, 2}}, "0100"},
    {kCVPixelFormatType_16BE565, "16BE565", RGB | FULL_RANGE, 5, 1, {{1, 1, 1, 2}}, NULL},
    {kCVPixelFormatType_16LE565, "16LE565", RGB | FULL_RANGE, 5, 1, {{1, 1, 1, 2}}, NULL},
    {kCVPixelFormatType_24RGB, "24RGB", RGB | FULL_RANGE, 8, 1, {{1, 1, 1, 3}}, NULL},
    {kCVPixelFormatType_24BGR, "24BGR", RGB | FULL_RANGE, 8, 1, {{1, 1, 1, 3}}, NULL},
    {kCVPixelFormatType_32ARGB, "32ARGB", RGB | FULL_RANGE | ALPHA, 8, 1, {{1, 1, 1, 4}}, "ff000000"},
    {kCVPixelFormatType_32BGRA, "32BGRA", RGB | FULL_RANGE | ALPHA, 8, 1, {{1, 1, 1, 4}}, "000000ff"},
    {kCVPixelFormatType_32ABGR, "32ABGR", RGB | FULL_RANGE | ALPHA, 8, 1, {{1, 1, 1, 4}}, "ff000000"},
    {kCVPixelFormatType_32RGBA, "32RGBA", RGB | FULL_RANGE | ALPHA, 8, 1, {{1, 1, 1, 4}}, "000000ff"},
    {kCVPixelFormatType_64ARGB, "64ARGB", RGB | FULL_RANGE | ALPHA, 16, 1, {{1, 1, 1, 8}}, "ffff000000000000"},
    {kCVPixelFormatType_64RGBALE, "64RGBALE", RGB | FULL_RANGE | ALPHA, 16, 1, {{1, 1, 1, 8}}, "000000000000ffff"},
    {kCVPixelFormatType_48RGB, "48RGB", RGB | FULL_RANGE, 16, 1, {{1, 1, 1, 6}}, NULL},
    {kCVPixelFormatType_32AlphaGray, "32AlphaGray", GRAY | FULL_RANGE | ALPHA, 16, 1, {{1, 1, 1, 4}}, "ffff0000"},
    {kCVPixelFormatType_16Gray, "16Gray", GRAY | FULL_RANGE, 16, 1, {{1, 1, 1, 2}}, NULL},
    {kCVPixelFormatType_30RGB, "30RGB", RGB | FULL_RANGE, 10, 1, {{1, 1, 1, 4}}, NULL},
    {kCVPixelFormatType_30RGB_r210, "30RGB_r210", RGB | VIDEO_RANGE, 10, 1, {{1, 1, 1, 4}}, "04010040"},
    {kCVPixelFormatType_30RGBLEPackedWideGamut,
     "30RGBLEPackedWideGamut", RGB | WIDE_RANGE, 10, 1, {{1, 1, 1, 4}}, "80010618"},
    {kCVPixelFormatType_ARGB2101010LEPacked,
     "ARGB2101010LEPacked", RGB | FULL_RANGE | ALPHA, 10, 1, {{1, 1, 1, 4}}, "000000c0"},
    {kCVPixelFormatType_40ARGBLEWideGamut,
     "40ARGBLEWideGamut", RGB | WIDE_RANGE | ALPHA, 10, 1, {{1, 1, 1, 8}}, "c0df006000600060"},
    {kCVPixelFormatType_40ARGBLEWideGamutPremultiplied,
     "40ARGBLEWideGamutPremultiplied", RGB | WIDE_RANGE | ALPHA, 10, 1, {{1, 1, 1, 8}}, "c0df006000600060"},
    {kCVPixelFormatType_64RGBAHalf, "64RGBAHalf", RGB | ALPHA, 16, 1, {{1, 1, 1, 8}}, "000000000000003c"},
    {kCVPixelFormatType_128RGBAFloat,
     "128RGBAFloat", RGB | ALPHA, 32, 1, {{1, 1, 1, 16}}, "0000000000000000000000000000803f"},
    {kCVPixelFormatType_422YpCbCr8, "422YpCbCr8", YCBCR | VIDEO_RANGE, 8, 1, {{1, 1, 2, 4}}, "80108010"},
    {kCVPixelFormatType_422YpCbCr8_yuvs, "422YpCbCr8_yuvs", YCBCR | VIDEO_RANGE, 8, 1, {{1, 1, 2, 4}}, "10801080"},
    {kCVPixelFormatType_422YpCbCr8FullRange,
     "422YpCbCr8FullRange", YCBCR | FULL_RANGE, 8, 1, {{1, 1, 2, 4}}, "00800080"},
    {kCVPixelFormatType_4444YpCbCrA8, "4444YpCbCrA8", YCBCR | VIDEO_RANGE | ALPHA, 8, 1, {{1, 1, 1, 4}}, "801080ff"},
    {kCVPixelFormatType_4444YpCbCrA8R, "4444YpCbCrA8R", YCBCR | VIDEO_RANGE | ALPHA, 8, 1, {{1, 1, 1, 4}}, "ff008080"},
    {kCVPixelFormatType_4444AYpCbCr8, "4444AYpCbCr8", YCBCR | VIDEO_RANGE | ALPHA, 8, 1, {{1, 1, 1, 4}}, "ff108080"},
    {kCVPixelFormatType_4444AYpCbCr16,
     "4444AYpCbCr16", YCBCR | VIDEO_RANGE | ALPHA, 16, 1, {{1, 1, 1, 8}}, "ffff001000800080"},
    {kCVPixelFormatType_4444AYpCbCrFloat,
     "4444AYpCbCrFloat", YCBCR | FULL_RANGE | ALPHA, 32, 1, {{1, 1, 1, 16}}, "0000803f000000000000000000000000"},
    {kCVPixelFormatType_444YpCbCr8, "444YpCbCr8", YCBCR | VIDEO_RANGE, 8, 1, {{1, 1, 1, 3}}, "801080"},
    {kCVPixelFormatType_422YpCbCr16, "422YpCbCr16", YCBCR | VIDEO_RANGE, 16, 1, {{1, 1, 2, 8}}, "0080001000800010"},
    {kCVPixelFormatType_422YpCbCr10,
     "422YpCbCr10", YCBCR | VIDEO_RANGE, 10, 1, {{1, 1, 6, 16}}, "00020120400008040002012040000804"},
    {kCVPixelFormatType_444YpCbCr10, "444YpCbCr10", YCBCR | VIDEO_RANGE, 10, 1, {{1, 1, 1, 4}}, "00080480"},
    {kCVPixelFormatType_420YpCbCr8Planar,
     "420YpCbCr8Planar", YCBCR | VIDEO_RANGE, 8, 3, {{1, 1, 1, 1}, {2, 2, 1, 1}, {2, 2, 1, 1}}, "10 80 80"},
    {kCVPixelFormatType_420YpCbCr8PlanarFullRange,
     "420YpCbCr8PlanarFullRange", YCBCR | FULL_RANGE, 8, 3, {{1, 1, 1, 1}, {2, 2, 1, 1}, {2, 2, 1, 1}}, "00 80 80"},
    {kCVPixelFormatType_422YpCbCr_4A_8BiPlanar,
     "422YpCbCr_4A_8BiPlanar", YCBCR | VIDEO_RANGE | ALPHA, 8, 2, {{1, 1, 2, 4}, {1, 1, 1, 1}}, "80108010 ff"},
    {kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange,
     "420YpCbCr8BiPlanarVideoRange", YCBCR | VIDEO_RANGE, 8, 2, {{1, 1, 1, 1}, {2, 2, 1, 2}}, "10 8080"},
    {kCVPixelFormatType_420YpCbCr8BiPlanarFullRange,
     "420YpCbCr8BiPlanarFullRange", YCBCR | FULL_RANGE, 8, 2, {{1, 1, 1, 1}, {2, 2, 1, 2}}, "00 8080"},
    {kCVPixelFormatType_422YpCbCr8BiPlanarVideoRange,
     "422YpCbCr8BiPlanarVideoRange", YCBCR | VIDEO_RANGE, 8, 2, {{1, 1, 1, 1}, {2, 1, 1, 2}}, "10 8080"},
    {kCVPixelFormatType_422YpCbCr8BiPlanarFullRange,
     "422YpCbCr8BiPlanarFullRange", YCBCR | FULL_RANGE, 8, 2, {{1, 1, 1, 1}, {2, 1, 1, 2}}, "00 8080"},
    {kCVPixelFormatType_444YpCbCr8BiPlanarVideoRange,
     "444YpCbCr8BiPlanarVideoRange", YCBCR | VIDEO_RANGE, 8, 2, {{1, 1, 1, 1}, {1, 1, 1, 2}}, "10 8080"},
    {kCVPixelFormatType_444YpCbCr8BiPlanarFullRange,
     "444YpCbCr8BiPlanarFullRange", YCBCR | FULL_RANGE, 8, 2, {{1, 1, 1, 1}, {1, 1, 1, 2}}, "00 8080"},
    {kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange,
     "420YpCbCr10BiPlanarVideoRange", YCBCR | VIDEO_RANGE, 10, 2, {{1, 1, 1, 2}, {2, 2, 1, 4}}, "0010 00800080"},
    {kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange,
     "422YpCbCr10BiPlanarVideoRange", YCBCR | VIDEO_RANGE, 10, 2, {{1, 1, 1, 2}, {2, 1, 1, 4}}, "0010 00800080"},
    {kCVPixelFormatType_444YpCbCr10BiPlanarVideoRange,
     "444YpCbCr10BiPlanarVideoRange", YCBCR | VIDEO_RANGE, 10, 2, {{1, 1, 1, 2}, {1, 1, 1, 4}}, "0010 00800080"},
    {kCVPixelFormatType_420YpCbCr10BiPlanarFullRange,
     "420YpCbCr10BiPlanarFullRange", YCBCR | FULL_RANGE, 10, 2, {{1, 1, 1, 2}, {2, 2, 1, 4}}, "0000 00800080"},
    {kCVPixelFormatType_422YpCbCr10BiPlanarFullRange,
     "422YpCbCr10BiPlanarFullRange", YCBCR | FULL_RANGE, 10, 2, {{1, 1, 1, 2}, {2, 1, 1, 4}}, "0000 00800080"},
    {kCVPixelFormatType_444YpCbCr10BiPlanarFullRange,
     "444YpCbCr10BiPlanarFullRange", YCBCR | FULL_RANGE, 10, 2, {{1, 1, 1, 2}, {1, 1, 1, 4}}, "0000 00800080"},
    {kCVPixelFormatType_422YpCbCr16BiPlanarVideoRange,
     "422YpCbCr16BiPlanarVideoRange", YCBCR | VIDEO_RANGE, 16, 2, {{1, 1, 1, 2}, {2, 1, 1, 4}}, "0010 00800080"},
    {kCVPixelFormatType_444YpCbCr16BiPlanarVideoRange,
     "444YpCbCr16BiPlanarVideoRange", YCBCR | VIDEO_RANGE, 16, 2, {{1, 1, 1, 2}, {1, 1, 1, 4}}, "0010 00800080"},
    {kCVPixelFormatType_420YpCbCr8VideoRange_8A_TriPlanar,
     "420YpCbCr8VideoRange_8A_TriPlanar", YCBCR | VIDEO_RANGE | ALPHA, 8, 3,
     {{1, 1, 1, 1}, {2, 2, 1, 2}, {1, 1, 1, 1}}, "10 8080 ff"},
    {kCVPixelFormatType_444YpCbCr16VideoRange_16A_TriPlanar,
     "444YpCbCr16VideoRange_16A_TriPlanar", YCBCR | VIDEO_RANGE | ALPHA, 16, 3,
     {{1, 1, 1, 2}, {1, 1, 1, 4}, {1, 1, 1, 2}}, "0010 00800080 ffff"},
    {kCVPixelFormatType_30RGBLE_8A_BiPlanar,
     "30RGBLE_8A_BiPlanar", RGB | FULL_RANGE | ALPHA, 10, 2, {{1, 1, 1, 4}, {1, 1, 1, 1}}, "00000000 ff"},
    {kCVPixelFormatType_OneComponent8, "OneComponent8", GRAY | FULL_RANGE, 8, 1, {{1, 1, 1, 1}}, NULL},
    {kCVPixelFormatType_TwoComponent8, "TwoComponent8", 0, 8, 1, {{1, 1, 1, 2}}, NULL},
    {kCVPixelFormatType_OneComponent10, "OneComponent10", GRAY | FULL_RANGE, 10, 1, {{1, 1, 1, 2}}, NULL},
    {kCVPixelFormatType_OneComponent12, "OneComponent12", GRAY | FULL_RANGE, 12, 1, {{1, 1, 1, 2}}, NULL},
    {kCVPixelFormatType_OneComponent16, "OneComponent16", GRAY | FULL_RANGE, 16, 1, {{1, 1, 1, 2}}, NULL},
    {kCVPixelFormatType_TwoComponent16, "TwoComponent16", 0, 16, 1, {{1, 1, 1, 4}}, NULL},
    {kCVPixelFormatType_OneComponent16Half, "OneComponent16Half", GRAY, 16, 1, {{1, 1, 1, 2}}, NULL},
    {kCVPixelFormatType_OneComponent32Float, "OneComponent32Float", GRAY, 32, 1, {{1, 1, 1, 4}}, NULL},
    {kCVPixelFormatType_TwoComponent16Half, "TwoComponent16Half", 0, 16, 1, {{1, 1, 1, 4}}, NULL},
    {kCVPixelFormatType_TwoComponent32Float, "TwoComponent32Float", 0, 32, 1, {{1, 1, 1, 8}}, NULL},
    {kCVPixelFormatType_14Bayer_GRBG, "14Bayer_GRBG", SENSOR, 14, 1, {{1, 1, 1, 2}}, NULL},
    {kCVPixelFormatType_14Bayer_RGGB, "14Bayer_RGGB", SENSOR, 14, 1, {{1, 1, 1, 2}}, NULL},
    {kCVPixelFormatType_14Bayer_BGGR, "14Bayer_BGGR", SENSOR, 14, 1, {{1, 1, 1, 2}}, NULL},
    {kCVPixelFormatType_14Bayer_GBRG, "14Bayer_GBRG", SENSOR, 14, 1, {{1, 1, 1, 2}}, NULL},
    {kCVPixelFormatType_16VersatileBayer, "16VersatileBayer", SENSOR, 16, 1, {{1, 1, 1, 2}}, NULL},
    {kCVPixelFormatType_96VersatileBayerPacked12, "96VersatileBayerPacked12", SENSOR, 12, 1, {{1, 1, 8, 12}}, NULL},
    {kCVPixelFormatType_64RGBA_DownscaledProResRAW,
     "64RGBA_DownscaledProResRAW", RGB | ALPHA, 16, 1, {{1, 1, 1, 8}}, NULL},
    {kCVPixelFormatType_DisparityFloat16, "DisparityFloat16", 0, 16, 1, {{1, 1, 1, 2}}, NULL},
    {kCVPixelFormatType_DisparityFloat32, "DisparityFloat32", 0, 32, 1, {{1, 1, 1, 4}}, NULL},
    {kCVPixelFormatType_DepthFloat16, "DepthFloat16", 0, 16, 1, {{1, 1, 1, 2}}, NULL},
    {kCVPixelFormatType_DepthFloat32, "DepthFloat32", 0, 32, 1, {{1, 1, 1, 4}}, NULL},
    /* Formats that libnalu defines, for decoded pictures of 12 and 14 bits. */
    {NALU_PIXEL_FORMAT_SV20, "420YpCbCr16BiPlanarVideoRange", YCBCR | VIDEO_RANGE, 16, 2,
     {{1, 1, 1, 2}, {2, 2, 1, 4}}, "0010 00800080"},
    {NALU_PIXEL_FORMAT_SF20, "420YpCbCr16BiPlanarFullRange", YCBCR | FULL_RANGE, 16, 2,
     {{1, 1, 1, 2}, {2, 2, 1, 4}}, "0000 00800080"},
    {NALU_PIXEL_FORMAT_SF22, "422YpCbCr16BiPlanarFullRange", YCBCR | FULL_RANGE, 16, 2,
     {{1, 1, 1, 2}, {2, 1, 1, 4}}, "0000 00800080"},
    {NALU_PIXEL_FORMAT_SF44, "444YpCbCr16BiPlanarFullRange", YCBCR | FULL_RANGE, 16, 2,
     {{1, 1, 1, 2}, {1, 1, 1, 4}}, "0000 00800080"},
};

const nalu_format *nalu_format_at(size_t index) {
    return index < sizeof formats / sizeof *formats ? &formats[index] : NULL;
}

const nalu_format *nalu_format_find(OSType type) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].type == type) return &formats[i];
    return NULL;
}

bool nalu_format_is_encodable(OSType type) {
    static const nalu_pixel_format encodable[] = {
        NALU_PIXEL_FORMAT_420V,  NALU_PIXEL_FORMAT_420F, NALU_PIXEL_FORMAT_Y420, NALU_PIXEL_FORMAT_F420,
        NALU_PIXEL_FORMAT_BGRA,  NALU_PIXEL_FORMAT_RGBA, NALU_PIXEL_FORMAT_ARGB, NALU_PIXEL_FORMAT_ABGR,
        NALU_PIXEL_FORMAT_24RGB, NALU_PIXEL_FORMAT_24BGR, NALU_PIXEL_FORMAT_2VUY, NALU_PIXEL_FORMAT_YUVS,
        NALU_PIXEL_FORMAT_L008,  NALU_PIXEL_FORMAT_X420, NALU_PIXEL_FORMAT_XF20, NALU_PIXEL_FORMAT_422V,
        NALU_PIXEL_FORMAT_422F,  NALU_PIXEL_FORMAT_444V, NALU_PIXEL_FORMAT_444F, NALU_PIXEL_FORMAT_X422,
        NALU_PIXEL_FORMAT_XF22,  NALU_PIXEL_FORMAT_X444, NALU_PIXEL_FORMAT_XF44, NALU_PIXEL_FORMAT_SV20,
        NALU_PIXEL_FORMAT_SF20,  NALU_PIXEL_FORMAT_SV22, NALU_PIXEL_FORMAT_SF22, NALU_PIXEL_FORMAT_SV44,
        NALU_PIXEL_FORMAT_SF44,
    };
    for (size_t i = 0; i < sizeof encodable / sizeof *encodable; i++)
        if (encodable[i] == type) return true;
    return false;
}

size_t nalu_format_plane_width(const nalu_format_plane *plane, size_t columns) {
    return (columns + plane->horizontal - 1) / plane->horizontal;
}

size_t nalu_format_plane_height(const nalu_format_plane *plane, size_t rows) {
    return (rows + plane->vertical - 1) / plane->vertical;
}

size_t nalu_format_row_bytes(const nalu_format_plane *plane, size_t columns) {
    const size_t width = nalu_format_plane_width(plane, columns);
    return (width + plane->block_width - 1) / plane->block_width * plane->block_bytes;
}
