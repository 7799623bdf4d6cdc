#include "support.h"

/* The error of rounding and of a scale with 14 fractional bits, for values of up to 10 bits. */
static const double depth_limit = 0.54;

typedef struct depth {
    const char *name;
    int32_t bits, shift, is_full;
} depth;

static const depth depths[] = {
    {"8 bits, video", 8, 0, 0}, {"8 bits, full", 8, 0, 1}, {"10 bits, video", 10, 6, 0}, {"10 bits, full", 10, 6, 1},
    {"10 low bits, video", 10, 0, 0},
};

static int32_t bytes_of(const depth *depth) { return depth->bits > 8 ? 2 : 1; }

static int32_t value_at(const plane *plane, const depth *depth, int32_t x, int32_t y) {
    return depth->bits > 8 ? words_of(plane, y)[x] >> depth->shift : row_of(plane, y)[x];
}

static void fill(const plane *plane, const depth *depth) {
    if (depth->bits > 8)
        fill_words(plane, depth->bits, depth->shift);
    else
        fill_bytes(plane);
}

/* Returns a quarter of the value; halves are rounded to the even neighbour. */
static double quarter(int32_t value) {
    const int32_t low = value / 4, rest = value % 4;
    return limited(rest > 2 || (rest == 2 && low % 2) ? low + 1 : low, 255);
}

static void change(const depth *from, const depth *to, int32_t is_luma, int32_t width, int32_t height) {
    const span old = is_luma ? luma_span(from->bits, from->is_full) : chroma_span(from->bits, from->is_full);
    const span new = is_luma ? luma_span(to->bits, to->is_full) : chroma_span(to->bits, to->is_full);
    const double scale = new.span / old.span, offset = new.zero - old.zero * scale, bias = (offset + 0.5) * 16384;
    const int is_quarter = from->bits > 8 && to->bits == 8 && !from->is_full && !to->is_full;
    const nalu_byte_map map = {(int32_t)(scale * 16384 + 0.5), (int32_t)(bias < 0 ? bias - 0.5 : bias + 0.5)};
    const int32_t step = from->bits == 8 ? NALU_DEPTH_WIDEN
        : to->bits > 8                   ? NALU_DEPTH_WORDS
        : is_quarter                     ? NALU_DEPTH_QUARTER
                                         : NALU_DEPTH_NARROW;

    const plane source = make_plane(0, random_below(LAYOUTS), width * bytes_of(from), height);
    const int32_t layout = random_below(LAYOUTS);
    fill(&source, from);
    plane destination;
    for (int32_t level = NALU_KERNEL_PORTABLE; level <= NALU_KERNEL_AVX512; level++) {
        destination = make_plane(1, layout, width * bytes_of(to), height);
        const nalu_depth_job job = {source.first_row, destination.first_row, source.stride, destination.stride, width, height,
                                    step, from->shift, to->shift, level, map};
        nalu_change_depth(&job);
        take_result(&destination, level);
        end_level(level);
    }
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++) {
            const int32_t value = value_at(&source, from, x, y);
            /* For a division by four only one result is right, so any difference counts as an error. */
            take_value(value_at(&destination, to, x, y),
                       is_quarter ? quarter(value) : limited(value * scale + offset, (double)((1 << to->bits) - 1)));
        }
}

void test_depths(void) {
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        for (size_t j = 0; j < sizeof depths / sizeof *depths; j++) {
            if (depths[i].bits == 8 && depths[j].bits == 8) continue;
            begin_case("%s to %s", depths[i].name, depths[j].name);
            for (int32_t width = 1; width <= 70; width += width < 36 ? 1 : 11)
                for (int32_t is_luma = 0; is_luma < 2; is_luma++)
                    change(&depths[i], &depths[j], is_luma, width, 1 + width % 3);
            change(&depths[i], &depths[j], 1, 333, 5);
            end_case(depth_limit);
        }
}

/* ---- Averages -------------------------------------------------------------------------------------------------------- */

/* The error of rounding and of a scale with 24 fractional bits. */
static const double average_limit = 0.51;

static const depth sources[] = {
    {"8 bits, video", 8, 0, 0}, {"8 bits, full", 8, 0, 1}, {"10 bits, video", 10, 6, 0}, {"10 bits, full", 10, 6, 1},
    {"16 bits, video", 16, 0, 0}, {"16 bits, full", 16, 0, 1},
};

static int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }

typedef struct average {
    const depth *from, *to;
    int32_t components, columns, rows, width, height;
    int32_t is_planar;
} average;

static double mean_at(const plane *source, const average *it, int32_t x, int32_t y, int32_t component) {
    double sum = 0;
    for (int32_t i = 0; i < 4; i++) {
        const int32_t column = smaller(x * it->columns + (it->columns == 2 ? i % 2 : 0), it->width - 1);
        const int32_t row = smaller(y * it->rows + (it->rows == 2 ? i / 2 : 0), it->height - 1);
        sum += value_at(source, it->from, column * it->components + component, row);
    }
    return sum / 4;
}

static void take_average(const average *it) {
    const int32_t is_luma = it->components == 1, both = it->components == 2 && !it->is_planar;
    const span old = is_luma ? luma_span(it->from->bits, it->from->is_full) : chroma_span(it->from->bits, it->from->is_full);
    const span new = is_luma ? luma_span(it->to->bits, it->to->is_full) : chroma_span(it->to->bits, it->to->is_full);
    const double scale = new.span / old.span, offset = new.zero - old.zero * scale, one = 1 << 24;
    const double bias = (offset + 0.5) * one;
    const int32_t maximum = (1 << it->to->bits) - 1, bytes = bytes_of(it->to);
    const int32_t columns = (it->width + it->columns - 1) / it->columns, rows = (it->height + it->rows - 1) / it->rows;

    const plane source = make_plane(0, random_below(LAYOUTS), it->width * it->components * bytes_of(it->from), it->height);
    const int32_t layout = random_below(LAYOUTS);
    fill(&source, it->from);
    const plane first = make_plane(1, layout, columns * bytes * (both ? 2 : 1), rows);
    const plane second = make_plane(2, (layout + 1) % LAYOUTS, columns * bytes, rows);
    const nalu_average_job job = {
        source.first_row, source.stride, it->width, it->height, it->components, it->columns, it->rows, bytes_of(it->from),
        it->from->shift, {first.first_row, both ? first.first_row + bytes : second.first_row},
        {first.stride, both ? first.stride : second.stride}, both ? 2 : 1, bytes, it->to->shift, maximum,
        (int64_t)(scale / 4 * one + 0.5), (int64_t)(bias < 0 ? bias - 0.5 : bias + 0.5)};
    nalu_average_plane(&job);
    take_result(&first, NALU_KERNEL_PORTABLE);
    take_result(&second, NALU_KERNEL_PORTABLE);
    end_level(NALU_KERNEL_PORTABLE);

    for (int32_t y = 0; y < rows; y++)
        for (int32_t x = 0; x < columns; x++)
            for (int32_t i = 0; i < it->components; i++) {
                const plane *destination = i && !both ? &second : &first;
                take_value(value_at(destination, it->to, both ? 2 * x + i : x, y),
                           limited(mean_at(&source, it, x, y, i) * scale + offset, maximum));
            }
}

void test_averages(void) {
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        for (size_t j = 0; j < 4; j++) {
            begin_case("averages, %s to %s", sources[i].name, depths[j].name);
            for (int32_t width = 1; width <= 40; width += 3)
                for (int32_t shape = 0; shape < 6; shape++) {
                    const int32_t is_luma = shape == 0;
                    const average it = {&sources[i], &depths[j], is_luma ? 1 : 2, is_luma ? 1 : 1 + shape % 2,
                                        is_luma ? 1 : 2 - (shape == 3), width, 1 + width % 4, shape > 3};
                    take_average(&it);
                }
            end_case(average_limit);
        }
}
