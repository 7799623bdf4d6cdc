#include "pixel_components.h"

#include <math.h>
#include <string.h>

/* Products and sums are rounded separately, not fused, so that a frame becomes the same bytes on every processor. */
#pragma STDC FP_CONTRACT OFF

/* ---- Positions of components ---------------------------------------------------------------- */

/* The position of a component in a packed pixel: the byte offset of its word, the shift in that word, and its number of
 * bits. */
typedef struct place {
    uint8_t offset;
    uint8_t shift;
    uint8_t bits;
} place;

typedef struct packed {
    OSType type;
    uint8_t storage;
    uint8_t step;
    place places[NALU_COMPONENTS]; /* 0 bits: no such component */
} packed;

#define BYTES(type, step, r, g, b, a, alpha)                                                                           \
    {type, NALU_STORAGE_8, step, {{r, 0, 8}, {g, 0, 8}, {b, 0, 8}, {a, 0, alpha}}}

static const packed packed_formats[] = {
    BYTES(kCVPixelFormatType_24RGB, 3, 0, 1, 2, 0, 0),
    BYTES(kCVPixelFormatType_24BGR, 3, 2, 1, 0, 0, 0),
    BYTES(kCVPixelFormatType_32ARGB, 4, 1, 2, 3, 0, 8),
    BYTES(kCVPixelFormatType_32BGRA, 4, 2, 1, 0, 3, 8),
    BYTES(kCVPixelFormatType_32ABGR, 4, 3, 2, 1, 0, 8),
    BYTES(kCVPixelFormatType_32RGBA, 4, 0, 1, 2, 3, 8),
    BYTES(kCVPixelFormatType_4444YpCbCrA8, 4, 1, 0, 2, 3, 8),
    BYTES(kCVPixelFormatType_4444YpCbCrA8R, 4, 1, 2, 3, 0, 8),
    BYTES(kCVPixelFormatType_4444AYpCbCr8, 4, 1, 2, 3, 0, 8),
    BYTES(kCVPixelFormatType_444YpCbCr8, 3, 1, 2, 0, 0, 0),
    {kCVPixelFormatType_64ARGB, NALU_STORAGE_BIG_16, 8, {{2, 0, 16}, {4, 0, 16}, {6, 0, 16}, {0, 0, 16}}},
    {kCVPixelFormatType_64RGBALE, NALU_STORAGE_LITTLE_16, 8, {{0, 0, 16}, {2, 0, 16}, {4, 0, 16}, {6, 0, 16}}},
    {kCVPixelFormatType_48RGB, NALU_STORAGE_BIG_16, 6, {{0, 0, 16}, {2, 0, 16}, {4, 0, 16}, {0, 0, 0}}},
    {kCVPixelFormatType_4444AYpCbCr16, NALU_STORAGE_LITTLE_16, 8, {{2, 0, 16}, {4, 0, 16}, {6, 0, 16}, {0, 0, 16}}},
    {kCVPixelFormatType_40ARGBLEWideGamut, NALU_STORAGE_LITTLE_16, 8, {{2, 6, 10}, {4, 6, 10}, {6, 6, 10}, {0, 6, 10}}},
    {kCVPixelFormatType_16BE555, NALU_STORAGE_BIG_16, 2, {{0, 10, 5}, {0, 5, 5}, {0, 0, 5}, {0, 0, 0}}},
    {kCVPixelFormatType_16LE555, NALU_STORAGE_LITTLE_16, 2, {{0, 10, 5}, {0, 5, 5}, {0, 0, 5}, {0, 0, 0}}},
    {kCVPixelFormatType_16LE5551, NALU_STORAGE_LITTLE_16, 2, {{0, 11, 5}, {0, 6, 5}, {0, 1, 5}, {0, 0, 1}}},
    {kCVPixelFormatType_16BE565, NALU_STORAGE_BIG_16, 2, {{0, 11, 5}, {0, 5, 6}, {0, 0, 5}, {0, 0, 0}}},
    {kCVPixelFormatType_16LE565, NALU_STORAGE_LITTLE_16, 2, {{0, 11, 5}, {0, 5, 6}, {0, 0, 5}, {0, 0, 0}}},
    {kCVPixelFormatType_30RGB, NALU_STORAGE_BIG_32, 4, {{0, 22, 10}, {0, 12, 10}, {0, 2, 10}, {0, 0, 0}}},
    {kCVPixelFormatType_30RGB_r210, NALU_STORAGE_BIG_32, 4, {{0, 20, 10}, {0, 10, 10}, {0, 0, 10}, {0, 0, 0}}},
    {kCVPixelFormatType_30RGBLEPackedWideGamut, NALU_STORAGE_LITTLE_32, 4,
     {{0, 20, 10}, {0, 10, 10}, {0, 0, 10}, {0, 0, 0}}},
    {kCVPixelFormatType_ARGB2101010LEPacked, NALU_STORAGE_LITTLE_32, 4,
     {{0, 20, 10}, {0, 10, 10}, {0, 0, 10}, {0, 30, 2}}},
    {kCVPixelFormatType_444YpCbCr10, NALU_STORAGE_LITTLE_32, 4, {{0, 12, 10}, {0, 2, 10}, {0, 22, 10}, {0, 0, 0}}},
    {kCVPixelFormatType_64RGBAHalf, NALU_STORAGE_HALF, 8, {{0, 0, 16}, {2, 0, 16}, {4, 0, 16}, {6, 0, 16}}},
    {kCVPixelFormatType_128RGBAFloat, NALU_STORAGE_FLOAT, 16, {{0, 0, 32}, {4, 0, 32}, {8, 0, 32}, {12, 0, 32}}},
    {kCVPixelFormatType_4444AYpCbCrFloat, NALU_STORAGE_FLOAT, 16, {{4, 0, 32}, {8, 0, 32}, {12, 0, 32}, {0, 0, 32}}},
    {kCVPixelFormatType_OneComponent8, NALU_STORAGE_8, 1, {{0, 0, 8}}},
    {kCVPixelFormatType_OneComponent10, NALU_STORAGE_LITTLE_16, 2, {{0, 6, 10}}},
    {kCVPixelFormatType_OneComponent12, NALU_STORAGE_LITTLE_16, 2, {{0, 4, 12}}},
    {kCVPixelFormatType_OneComponent16, NALU_STORAGE_LITTLE_16, 2, {{0, 0, 16}}},
    {kCVPixelFormatType_OneComponent16Half, NALU_STORAGE_HALF, 2, {{0, 0, 16}}},
    {kCVPixelFormatType_OneComponent32Float, NALU_STORAGE_FLOAT, 4, {{0, 0, 32}}},
    {kCVPixelFormatType_16Gray, NALU_STORAGE_BIG_16, 2, {{0, 0, 16}}},
    {kCVPixelFormatType_32AlphaGray, NALU_STORAGE_BIG_16, 4, {{2, 0, 16}, {0, 0, 0}, {0, 0, 0}, {0, 0, 16}}},
};

static nalu_component sample(unsigned storage, unsigned plane, unsigned offset, unsigned step, unsigned bits) {
    return (nalu_component){
        .storage = (uint8_t)storage,
        .plane = (uint8_t)plane,
        .offset = (uint8_t)offset,
        .step = (uint8_t)step,
        /* A value of 10 bits is in the highest bits of a 16-bit word. */
        .shift = storage == NALU_STORAGE_8 ? 0 : (uint8_t)(16 - bits),
        .bits = (uint8_t)bits,
        .horizontal = 1,
        .vertical = 1,
    };
}

/* Describes packed 4:2:2, where two pixels share chroma. `y`, `cb` and `cr` are the positions of the first luma, of Cb
 * and of Cr, counted in samples. */
static void place_pairs(nalu_components *components, unsigned storage, unsigned bits, unsigned y, unsigned cb,
                        unsigned cr) {
    const unsigned size = storage == NALU_STORAGE_LITTLE_16 ? 2 : 1;
    components->each[0] = sample(storage, 0, y * size, 2 * size, bits);
    components->each[1] = sample(storage, 0, cb * size, 4 * size, bits);
    components->each[2] = sample(storage, 0, cr * size, 4 * size, bits);
    components->each[1].horizontal = components->each[2].horizontal = 2;
}

static bool place_planes(nalu_components *components) {
    const nalu_format *format = components->format;
    const nalu_format_plane *planes = format->planes;
    const unsigned size = planes[0].block_bytes;
    const unsigned storage = size == 1 ? NALU_STORAGE_8 : NALU_STORAGE_LITTLE_16;
    if (!(format->flags & NALU_FORMAT_YCBCR) || planes[0].block_width > 1) return false;
    const bool interleaved = planes[1].block_bytes == 2 * size;
    components->each[0] = sample(storage, 0, 0, size, format->component_bits);
    components->each[1] = sample(storage, 1, 0, planes[1].block_bytes, format->component_bits);
    components->each[2] = interleaved ? sample(storage, 1, size, 2 * size, format->component_bits)
                                      : sample(storage, 2, 0, size, format->component_bits);
    if (format->flags & NALU_FORMAT_ALPHA) components->each[3] = sample(storage, 2, 0, size, format->component_bits);
    for (int i = 0; i < NALU_COMPONENTS; i++) {
        components->each[i].horizontal = planes[components->each[i].plane].horizontal;
        components->each[i].vertical = planes[components->each[i].plane].vertical;
    }
    return true;
}

static bool place_packed(nalu_components *components) {
    for (size_t i = 0; i < sizeof packed_formats / sizeof *packed_formats; i++) {
        const packed *found = &packed_formats[i];
        if (found->type != components->format->type) continue;
        for (int c = 0; c < NALU_COMPONENTS; c++) {
            const place *place = &found->places[c];
            if (!place->bits) continue;
            components->each[c] = sample(found->storage, 0, place->offset, found->step, place->bits);
            components->each[c].shift = place->shift;
        }
        return true;
    }
    return false;
}

/* Sets the stored values for 0 and 1. */
static void scale(const nalu_format *format, nalu_component *component, bool chroma, bool alpha) {
    const float unit = ldexpf(1, component->bits - 8), largest = ldexpf(1, component->bits) - 1;
    component->zero = 0;
    component->range = largest;
    if (component->storage == NALU_STORAGE_HALF || component->storage == NALU_STORAGE_FLOAT) component->range = 1;
    else if (format->flags & NALU_FORMAT_WIDE_RANGE) {
        component->zero = 384;
        component->range = 511;
    } else if (alpha) return;
    else if (chroma) {
        component->zero = 128 * unit;
        component->range = format->flags & NALU_FORMAT_VIDEO_RANGE ? 224 * unit : largest;
    } else if (format->flags & NALU_FORMAT_VIDEO_RANGE) {
        component->zero = format->type == kCVPixelFormatType_4444YpCbCrA8R ? 0 : 16 * unit;
        component->range = 219 * unit;
    }
}

bool nalu_components_of(const nalu_format *format, nalu_components *components) {
    *components = (nalu_components){.format = format, .rgb = format->flags & NALU_FORMAT_RGB};
    bool found = true;
    switch (format->type) {
    case kCVPixelFormatType_422YpCbCr8: place_pairs(components, NALU_STORAGE_8, 8, 1, 0, 2); break;
    case kCVPixelFormatType_422YpCbCr8_yuvs:
    case kCVPixelFormatType_422YpCbCr8FullRange: place_pairs(components, NALU_STORAGE_8, 8, 0, 1, 3); break;
    case kCVPixelFormatType_422YpCbCr16: place_pairs(components, NALU_STORAGE_LITTLE_16, 16, 1, 0, 2); break;
    case kCVPixelFormatType_422YpCbCr10: place_pairs(components, NALU_STORAGE_THREE_IN_32, 10, 1, 0, 2); break;
    default: found = format->plane_count > 1 ? place_planes(components) : place_packed(components); break;
    }
    components->horizontal = components->vertical = 1;
    for (int i = 0; i < NALU_COMPONENTS; i++) {
        nalu_component *component = &components->each[i];
        scale(format, component, !components->rgb && (i == 1 || i == 2), i == 3);
        if (component->storage && component->horizontal > components->horizontal)
            components->horizontal = component->horizontal;
        if (component->storage && component->vertical > components->vertical)
            components->vertical = component->vertical;
    }
    return found;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static float float_of_half(uint16_t half) {
    const int exponent = half >> 10 & 31;
    const float fraction = (float)(half & 1023);
    const float size = exponent == 0    ? ldexpf(fraction, -24)
                       : exponent == 31 ? (half & 1023 ? NAN : INFINITY)
                                        : ldexpf(fraction + 1024, exponent - 25);
    return half & 0x8000 ? -size : size;
}

static uint16_t half_of_float(float value) {
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const float size = fabsf(value);
    int exponent = 0;
    if (isnan(value)) return 0x7e00;
    if (size >= 65520) return sign | 0x7c00;
    if (size < ldexpf(1, -14)) return sign | (uint16_t)lrintf(ldexpf(size, 24));
    (void)frexpf(size, &exponent);
    /* A fraction that is rounded up to 1024 carries into the exponent, which is correct. */
    return sign | (uint16_t)(((exponent + 14) << 10) + lrintf(ldexpf(size, 11 - exponent)) - 1024);
}

static uint32_t little_16(const uint8_t *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }
static uint32_t big_16(const uint8_t *p) { return (uint32_t)p[1] | (uint32_t)p[0] << 8; }
static uint32_t little_32(const uint8_t *p) { return little_16(p) | little_16(p + 2) << 16; }
static uint32_t big_32(const uint8_t *p) { return big_16(p + 2) | big_16(p) << 16; }

#define READ(word)                                                                                                     \
    for (size_t i = 0; i < count; i++, p += step)                                                                      \
        values[i] = ((float)(int32_t)((word)(p) >> shift & mask) - zero) * scale

void nalu_component_read(const nalu_component *component, const uint8_t *row, size_t count, float *values) {
    const uint32_t mask = (uint32_t)((UINT64_C(1) << component->bits) - 1);
    const float scale = 1 / component->range, zero = component->zero;
    const size_t step = component->step;
    const int shift = component->shift;
    const uint8_t *p = row + component->offset;
    switch ((nalu_storage)component->storage) {
    case NALU_STORAGE_NONE: break;
    case NALU_STORAGE_8:
        for (size_t i = 0; i < count; i++, p += step) values[i] = ((float)*p - zero) * scale;
        break;
    case NALU_STORAGE_LITTLE_16: READ(little_16); break;
    case NALU_STORAGE_BIG_16: READ(big_16); break;
    case NALU_STORAGE_LITTLE_32: READ(little_32); break;
    case NALU_STORAGE_BIG_32: READ(big_32); break;
    case NALU_STORAGE_THREE_IN_32:
        for (size_t i = 0, at = component->offset; i < count; i++, at += step)
            values[i] = ((float)(little_32(row + at / 3 * 4) >> at % 3 * 10 & mask) - zero) * scale;
        break;
    case NALU_STORAGE_HALF:
        for (size_t i = 0; i < count; i++, p += step) values[i] = float_of_half((uint16_t)little_16(p));
        break;
    case NALU_STORAGE_FLOAT:
        for (size_t i = 0; i < count; i++, p += step) memcpy(&values[i], p, sizeof *values);
        break;
    }
}

/* Sets bits in a word of `size` bytes, in little-endian or big-endian order. */
static void add_bits(uint8_t *p, uint32_t bits, int size, bool big) {
    for (int i = 0; i < size; i++) p[big ? size - 1 - i : i] |= (uint8_t)(bits >> 8 * i);
}

/* Returns the nearest integer from 0 to `largest`; 0 for NaN. */
static inline uint32_t rounded(float value, float largest) {
    value = value > 0 ? value : 0;
    value = value < largest ? value : largest;
    return (uint32_t)(int32_t)(value + 0.5f);
}

#define WRITE(size, big)                                                                                               \
    for (size_t i = 0; i < count; i++, p += step)                                                                      \
        add_bits(p, rounded(values[i] * range + zero, largest) << shift, size, big)

void nalu_component_write(const nalu_component *component, uint8_t *row, size_t count, const float *values) {
    const float largest = ldexpf(1, component->bits) - 1, range = component->range, zero = component->zero;
    const size_t step = component->step;
    const int shift = component->shift;
    uint8_t *p = row + component->offset;
    switch ((nalu_storage)component->storage) {
    case NALU_STORAGE_NONE: break;
    case NALU_STORAGE_8:
        for (size_t i = 0; i < count; i++, p += step) *p = (uint8_t)rounded(values[i] * range + zero, 255);
        break;
    case NALU_STORAGE_LITTLE_16: WRITE(2, false); break;
    case NALU_STORAGE_BIG_16: WRITE(2, true); break;
    case NALU_STORAGE_LITTLE_32: WRITE(4, false); break;
    case NALU_STORAGE_BIG_32: WRITE(4, true); break;
    case NALU_STORAGE_THREE_IN_32:
        for (size_t i = 0, at = component->offset; i < count; i++, at += step)
            add_bits(row + at / 3 * 4, rounded(values[i] * range + zero, largest) << at % 3 * 10, 4, false);
        break;
    case NALU_STORAGE_HALF:
        for (size_t i = 0; i < count; i++, p += step) add_bits(p, half_of_float(values[i]), 2, false);
        break;
    case NALU_STORAGE_FLOAT:
        for (size_t i = 0; i < count; i++, p += step) memcpy(p, &values[i], sizeof *values);
        break;
    }
}
