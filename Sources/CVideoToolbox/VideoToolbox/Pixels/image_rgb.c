#include "image_rgb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRACTION = 16 };

bool nalu_image_rgb_is_possible(const nalu_components *source, const nalu_components *destination) {
    bool possible = !source->rgb && source->format->plane_count > 1 && destination->rgb &&
                    destination->format->plane_count == 1;
    for (int c = 0; c < 3; c++)
        possible = possible && source->each[c].storage == NALU_STORAGE_8 &&
                   destination->each[c].storage == NALU_STORAGE_8 && destination->each[c].step == 4;
    return possible && !source->each[3].storage && destination->each[3].storage == NALU_STORAGE_8;
}

/* Conversion factors, as fixed-point numbers with FRACTION bits after the binary point. */
typedef struct factors {
    int32_t zero;
    int32_t luma;
    int32_t red_cr;
    int32_t green_cb;
    int32_t green_cr;
    int32_t blue_cb;
    int shifts[NALU_COMPONENTS]; /* the lowest bits of R, G, B and alpha in a little-endian word */
} factors;

static factors factors_of(const nalu_image *source, const nalu_image *destination) {
    const double one = 255.0 * (1 << FRACTION);
    const double luma = one / source->components.each[0].range, chroma = one / source->components.each[1].range;
    const double red = source->weights.red, blue = source->weights.blue, green = 1 - red - blue;
    factors factors = {
        .zero = (int32_t)source->components.each[0].zero,
        .luma = (int32_t)lrint(luma),
        .red_cr = (int32_t)lrint(chroma * 2 * (1 - red)),
        .green_cb = (int32_t)lrint(chroma * 2 * (1 - blue) * blue / green),
        .green_cr = (int32_t)lrint(chroma * 2 * (1 - red) * red / green),
        .blue_cb = (int32_t)lrint(chroma * 2 * (1 - blue)),
    };
    for (int c = 0; c < NALU_COMPONENTS; c++) factors.shifts[c] = destination->components.each[c].offset * 8;
    return factors;
}

/* Writes one chroma sample for every column of the image, minus 128, so that zero is neutral. */
static void expand(const nalu_component *component, const uint8_t *row, size_t width, int16_t *values) {
    const size_t step = component->step;
    const uint8_t *p = row + component->offset;
    if (component->horizontal == 1) {
        for (size_t x = 0; x < width; x++) values[x] = (int16_t)(p[x * step] - 128);
        return;
    }
    for (size_t x = 0; x < (width + 1) / 2; x++)
        values[2 * x] = values[2 * x + 1] = (int16_t)(p[x * step] - 128);
}

static inline uint32_t byte_of(int32_t value) {
    value >>= FRACTION;
    value = value < 0 ? 0 : value;
    return (uint32_t)(value > 255 ? 255 : value);
}

static void convert_row(factors factors, const uint8_t *luma, const int16_t *cb, const int16_t *cr, uint8_t *to,
                        size_t width) {
    const uint32_t opaque = UINT32_C(255) << factors.shifts[3];
    for (size_t x = 0; x < width; x++) {
        const int32_t y = (luma[x] - factors.zero) * factors.luma + (1 << (FRACTION - 1));
        const uint32_t red = byte_of(y + factors.red_cr * cr[x]);
        const uint32_t green = byte_of(y - factors.green_cb * cb[x] - factors.green_cr * cr[x]);
        const uint32_t blue = byte_of(y + factors.blue_cb * cb[x]);
        const uint32_t pixel =
            opaque | red << factors.shifts[0] | green << factors.shifts[1] | blue << factors.shifts[2];
        memcpy(to + 4 * x, &pixel, sizeof pixel);
    }
}

bool nalu_image_rgb_convert(const nalu_image *source, const nalu_image *destination) {
    const factors factors = factors_of(source, destination);
    const nalu_component *each = source->components.each;
    const size_t width = source->width, vertical = each[1].vertical;
    int16_t *cb = malloc((width + 1) * 2 * sizeof *cb), *cr = cb ? cb + width + 1 : NULL;
    if (!cb) return false;
    for (size_t y = 0; y < source->height; y++) {
        if (y % vertical == 0) {
            const size_t row = y / vertical;
            expand(&each[1], source->planes[each[1].plane] + row * source->strides[each[1].plane], width, cb);
            expand(&each[2], source->planes[each[2].plane] + row * source->strides[each[2].plane], width, cr);
        }
        convert_row(factors, source->planes[0] + y * source->strides[0], cb, cr,
                    destination->planes[0] + y * destination->strides[0], width);
    }
    free(cb);
    return true;
}
