#include "support.h"

#include <string.h>

/* Half a step is the error of rounding; the rest is that of weights with 15 fractional bits. */
static const double rgb_limit = 0.52;

/* The order of red, green, blue and alpha; alpha may have any value. */
typedef struct rgb_order {
    const char *name;
    int32_t bytes, red, green, blue;
} rgb_order;

static const rgb_order orders[] = {
    {"BGRA", 4, 2, 1, 0}, {"RGBA", 4, 0, 1, 2}, {"ARGB", 4, 1, 2, 3},
    {"ABGR", 4, 3, 2, 1}, {"24RGB", 3, 0, 1, 2}, {"24BGR", 3, 2, 1, 0},
};

static int16_t rounded(double value) { return (int16_t)(value < 0 ? value - 0.5 : value + 0.5); }

/* Makes weights as RGBWeights does: green receives the rounding errors of the others. */
static nalu_rgb_weights make_weights(const matrix *matrix, const rgb_order *order, int32_t is_full) {
    const double one = 32768, luma = luma_span(8, is_full).span / 255 * one, chroma = chroma_span(8, is_full).span / 255 * one;
    const int16_t half = rounded(chroma / 2);
    nalu_rgb_weights weights;
    memset(&weights, 0, sizeof weights);
    weights.luma[order->red] = rounded(matrix->kr * luma);
    weights.luma[order->blue] = rounded(matrix->kb * luma);
    weights.luma[order->green] = (int16_t)((int32_t)(luma + 0.5) - weights.luma[order->red] - weights.luma[order->blue]);
    weights.cb[order->red] = rounded(-matrix->kr / (2 * (1 - matrix->kb)) * chroma);
    weights.cb[order->blue] = half;
    weights.cb[order->green] = (int16_t)(-half - weights.cb[order->red]);
    weights.cr[order->blue] = rounded(-matrix->kb / (2 * (1 - matrix->kr)) * chroma);
    weights.cr[order->red] = half;
    weights.cr[order->green] = (int16_t)(-half - weights.cr[order->blue]);
    weights.luma_bias = ((is_full ? 0 : 16) << 15) + (1 << 14);
    weights.chroma_bias = (128 << 17) + (1 << 16) - 1;
    return weights;
}

typedef struct colour {
    double red, green, blue;
} colour;

static colour colour_at(const plane *source, const rgb_order *order, int32_t x, int32_t y) {
    const uint8_t *pixel = row_of(source, y) + (ptrdiff_t)x * order->bytes;
    const colour result = {pixel[order->red], pixel[order->green], pixel[order->blue]};
    return result;
}

/* Returns luma between 0 and 255. The chroma differences below use the same range. */
static double luma_of(colour c, const matrix *matrix) {
    return matrix->kr * c.red + (1 - matrix->kr - matrix->kb) * c.green + matrix->kb * c.blue;
}

static int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }

static void compare(const plane *source, const rgb_order *order, const matrix *matrix, int32_t is_full, int32_t width,
                    int32_t height, const plane *luma, const plane *cb, const plane *cr) {
    const span y_span = luma_span(8, is_full), c_span = chroma_span(8, is_full);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            take_value(row_of(luma, y)[x],
                       y_span.zero + y_span.span / 255 * luma_of(colour_at(source, order, x, y), matrix));
    for (int32_t y = 0; y < (height + 1) / 2; y++)
        for (int32_t x = 0; x < (width + 1) / 2; x++) {
            colour mean = {0, 0, 0};
            for (int32_t i = 0; i < 4; i++) {
                const colour c =
                    colour_at(source, order, smaller(2 * x + i % 2, width - 1), smaller(2 * y + i / 2, height - 1));
                mean.red += c.red / 4, mean.green += c.green / 4, mean.blue += c.blue / 4;
            }
            const double grey = luma_of(mean, matrix), scale = c_span.span / 255;
            const uint8_t first = cr ? row_of(cb, y)[x] : row_of(cb, y)[2 * x];
            const uint8_t second = cr ? row_of(cr, y)[x] : row_of(cb, y)[2 * x + 1];
            take_value(first, 128 + scale * (mean.blue - grey) / (2 * (1 - matrix->kb)));
            take_value(second, 128 + scale * (mean.red - grey) / (2 * (1 - matrix->kr)));
        }
}

static void convert(const rgb_order *order, const matrix *matrix, int32_t is_full, int32_t is_planar, int32_t width,
                    int32_t height) {
    const plane source = make_plane(0, random_below(LAYOUTS), width * order->bytes, height);
    const int32_t columns = (width + 1) / 2, rows = (height + 1) / 2, layout = random_below(LAYOUTS);
    fill_bytes(&source);
    plane luma, cb, cr;
    for (int32_t level = NALU_KERNEL_PORTABLE; level <= NALU_KERNEL_AVX512; level++) {
        luma = make_plane(1, layout, width, height);
        cb = make_plane(2, (layout + 1) % LAYOUTS, is_planar ? columns : 2 * columns, rows);
        cr = make_plane(3, (layout + 2) % LAYOUTS, columns, rows);
        const nalu_rgb_job job = {
            source.first_row, source.stride, width, height, order->bytes, level, make_weights(matrix, order, is_full),
            {luma.first_row, cb.first_row, is_planar ? cr.first_row : NULL, luma.stride, cb.stride, cr.stride}};
        nalu_rgb_to_420(&job);
        take_result(&luma, level);
        take_result(&cb, level);
        if (is_planar) take_result(&cr, level);
        end_level(level);
    }
    compare(&source, order, matrix, is_full, width, height, &luma, &cb, is_planar ? &cr : NULL);
}

static void convert_somehow(const rgb_order *order, int32_t is_planar, int32_t width, int32_t height) {
    const matrix *matrix = &matrices[random_below(4)];
    const int32_t is_full = random_below(2);
    convert(order, matrix, is_full, is_planar, width, height);
}

void test_rgb_to_420(void) {
    static const int32_t widths[] = {95, 96, 97, 127, 128, 129, 130, 191, 192, 193, 641};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        for (int32_t is_planar = 0; is_planar < 2; is_planar++) {
            begin_case("%s to %s, every width", orders[i].name, is_planar ? "three planes" : "two planes");
            for (int32_t width = 1; width <= 70; width++)
                for (int32_t height = 1; height <= 3; height++)
                    convert_somehow(&orders[i], is_planar, width, height);
            for (size_t j = 0; j < sizeof widths / sizeof *widths; j++)
                convert_somehow(&orders[i], is_planar, widths[j], 5);
            end_case(rgb_limit);
        }
    for (int32_t i = 0; i < 4; i++)
        for (int32_t is_full = 0; is_full < 2; is_full++) {
            begin_case("BGRA to 4:2:0, %s, %s range", matrices[i].name, is_full ? "full" : "video");
            for (int32_t turn = 0; turn < 4; turn++) convert(&orders[0], &matrices[i], is_full, 0, 333, 17);
            end_case(rgb_limit);
        }
}
