#include "support.h"

/* The error of rounding and of weights with 13 fractional bits; for words, also of rounding off their lowest
 * two bits. */
static const double yuv_limit = 0.56;

enum { RGB_LAYOUTS = 6, BYTE_PLANES = 0, BYTE_PAIRS = 1, TEN_BITS = 2, WORD_PAIRS = 3, KINDS = 4 };

static const char *const kind_names[] = {"three planes", "pairs of bytes", "words of 10 bits", "pairs of words"};
/* The positions of red, green and blue. */
static const int32_t places[RGB_LAYOUTS][3] = {{2, 1, 0}, {0, 1, 2}, {1, 2, 3}, {3, 2, 1}, {0, 1, 2}, {2, 1, 0}};

static int32_t size_of_pixel(int32_t layout) { return layout >= NALU_RGB_LAYOUT_RGB ? 3 : 4; }

static int16_t rounded(double value) { return (int16_t)(value < 0 ? value * 8192 - 0.5 : value * 8192 + 0.5); }

typedef struct conversion {
    const matrix *matrix;
    int32_t kind, bits, is_full, columns, layout;
} conversion;

static nalu_yuv_weights make_weights(const conversion *it) {
    const double parts = (double)(1 << (it->bits - 8)), kr = it->matrix->kr, kb = it->matrix->kb, kg = 1 - kr - kb;
    const double luma = luma_span(it->bits, it->is_full).span / parts;
    const double chroma = 255 / (chroma_span(it->bits, it->is_full).span / parts);
    const nalu_yuv_weights weights = {
        rounded(255 / luma), rounded(2 * (1 - kr) * chroma), rounded(-2 * (1 - kb) * kb / kg * chroma),
        rounded(-2 * (1 - kr) * kr / kg * chroma), rounded(2 * (1 - kb) * chroma), it->is_full ? 0 : 16};
    return weights;
}

static double sample(const plane *plane, const conversion *it, int32_t at) {
    if (it->bits == 8) return row_of(plane, 0)[at];
    return words_of(plane, 0)[at] >> (16 - it->bits);
}

static void compare(const conversion *it, const plane *luma, const plane *cb, const plane *cr, const plane *out, int32_t width) {
    const span y_span = luma_span(it->bits, it->is_full), c_span = chroma_span(it->bits, it->is_full);
    const double kr = it->matrix->kr, kb = it->matrix->kb, kg = 1 - kr - kb;
    for (int32_t x = 0; x < width; x++) {
        const int32_t at = x / it->columns;
        const double y = (sample(luma, it, x) - y_span.zero) / y_span.span * 255;
        const double u = (it->kind == BYTE_PLANES ? sample(cb, it, at) : sample(cb, it, 2 * at)) - c_span.zero;
        const double v = (it->kind == BYTE_PLANES ? sample(cr, it, at) : sample(cb, it, 2 * at + 1)) - c_span.zero;
        const double red = y + 2 * (1 - kr) * v / c_span.span * 255, blue = y + 2 * (1 - kb) * u / c_span.span * 255;
        const uint8_t *pixel = row_of(out, 0) + (ptrdiff_t)x * size_of_pixel(it->layout);
        take_value(pixel[places[it->layout][0]], limited(red, 255));
        take_value(pixel[places[it->layout][1]], limited((y - kr * red - kb * blue) / kg, 255));
        take_value(pixel[places[it->layout][2]], limited(blue, 255));
        const int32_t alpha = it->layout == NALU_RGB_LAYOUT_ARGB || it->layout == NALU_RGB_LAYOUT_ABGR ? 0 : 3;
        if (size_of_pixel(it->layout) == 4) take_value(pixel[alpha], 255);
    }
}

static void convert(const conversion *it, int32_t width) {
    const int32_t chroma = (width + it->columns - 1) / it->columns, bytes = it->bits == 8 ? 1 : 2;
    const nalu_yuv_weights weights = make_weights(it);
    const plane luma = make_plane(0, random_below(LAYOUTS), width * bytes, 1);
    const plane cb = make_plane(1, random_below(LAYOUTS), it->kind == BYTE_PLANES ? chroma : 2 * chroma * bytes, 1);
    const plane cr = make_plane(2, random_below(LAYOUTS), chroma, 1);
    const plane out = make_plane(3, random_below(LAYOUTS), width * size_of_pixel(it->layout), 1);
    if (it->bits == 8) {
        fill_bytes(&luma);
        fill_bytes(&cb);
        fill_bytes(&cr);
    } else {
        fill_words(&luma, it->bits, 16 - it->bits);
        fill_words(&cb, it->bits, 16 - it->bits);
    }
    if (it->kind == BYTE_PLANES)
        nalu_rgb_row_from_planes(luma.first_row, cb.first_row, cr.first_row, width, &weights, it->layout, out.first_row);
    else if (it->kind == BYTE_PAIRS)
        nalu_rgb_row_from_pairs(luma.first_row, cb.first_row, width, it->columns, &weights, it->layout, out.first_row);
    else if (it->kind == TEN_BITS)
        nalu_rgb_row_from_words(words_of(&luma, 0), words_of(&cb, 0), width, &weights, it->layout, out.first_row);
    else
        nalu_rgb_row_from_word_pairs(words_of(&luma, 0), words_of(&cb, 0), width, it->columns, &weights, it->layout,
                                     out.first_row);
    take_result(&out, NALU_KERNEL_PORTABLE);
    end_level(NALU_KERNEL_PORTABLE);
    compare(it, &luma, &cb, &cr, &out, width);
}

void test_yuv_to_rgb(void) {
    for (int32_t kind = 0; kind < KINDS; kind++)
        for (int32_t layout = 0; layout < RGB_LAYOUTS; layout++) {
            begin_case("%s to RGB layout %d", kind_names[kind], layout);
            for (int32_t width = 1; width <= 200; width += width < 70 ? 1 : 13)
                for (int32_t columns = 1; columns <= 2; columns++) {
                    if (columns == 1 && (kind == BYTE_PLANES || kind == TEN_BITS)) continue;
                    const int32_t bits = kind == TEN_BITS ? 10 : kind == WORD_PAIRS ? (random_below(2) ? 10 : 16) : 8;
                    conversion it = {NULL, kind, bits, 0, columns, layout};
                    it.matrix = &matrices[random_below(4)];
                    it.is_full = random_below(2);
                    convert(&it, width);
                }
            end_case(yuv_limit);
        }
    for (int32_t layout = 0; layout < RGB_LAYOUTS; layout++) {
        begin_case("planes of RGB to layout %d", layout);
        for (int32_t width = 1; width <= 40; width++) {
            const plane out = make_plane(3, random_below(LAYOUTS), width * size_of_pixel(layout), 1);
            plane planes[3];
            for (int32_t i = 0; i < 3; i++) {
                planes[i] = make_plane(i, random_below(LAYOUTS), width, 1);
                fill_bytes(&planes[i]);
            }
            nalu_rgb_row_from_rgb_planes(planes[0].first_row, planes[1].first_row, planes[2].first_row, width, layout,
                                         out.first_row);
            take_result(&out, NALU_KERNEL_PORTABLE);
            end_level(NALU_KERNEL_PORTABLE);
            for (int32_t x = 0; x < width; x++)
                for (int32_t i = 0; i < 3; i++)
                    take_value(out.first_row[x * size_of_pixel(layout) + places[layout][i]], planes[i].first_row[x]);
        }
        end_case(0);
    }
}

void test_moved_samples(void) {
    begin_case("samples that are moved");
    for (int32_t count = 1; count <= 70; count++) {
        const int32_t shift = random_below(7);
        const plane first = make_plane(0, random_below(LAYOUTS), 2 * count, 1);
        const plane second = make_plane(1, random_below(LAYOUTS), 2 * count, 1);
        fill_words(&first, 10, 0);
        fill_words(&second, 10, 0);

        plane out = make_plane(2, random_below(LAYOUTS), 2 * count, 1);
        nalu_words_shifted(words_of(&first, 0), count, shift, words_of(&out, 0));
        take_result(&out, NALU_KERNEL_PORTABLE);
        for (int32_t x = 0; x < count; x++) take_value(words_of(&out, 0)[x], words_of(&first, 0)[x] * (1 << shift));

        out = make_plane(2, random_below(LAYOUTS), 4 * count, 1);
        nalu_word_pairs_shifted(words_of(&first, 0), words_of(&second, 0), count, shift, words_of(&out, 0));
        take_result(&out, NALU_KERNEL_PORTABLE);
        for (int32_t x = 0; x < 2 * count; x++)
            take_value(words_of(&out, 0)[x], words_of(x % 2 ? &second : &first, 0)[x / 2] * (1 << shift));

        out = make_plane(2, random_below(LAYOUTS), 4 * count, 1);
        nalu_byte_pairs(first.first_row, second.first_row, 2 * count, out.first_row);
        take_result(&out, NALU_KERNEL_PORTABLE);
        for (int32_t x = 0; x < 4 * count; x++)
            take_value(out.first_row[x], (x % 2 ? second : first).first_row[x / 2]);
        end_level(NALU_KERNEL_PORTABLE);
    }
    end_case(0);
}
