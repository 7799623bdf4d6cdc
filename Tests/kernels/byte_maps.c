#include "support.h"

/* The error of rounding and of a scale with 14 fractional bits. */
static const double map_limit = 0.51;

static const char *const range_names[] = {"kept", "expanded", "compressed"};

/* The conversion of a component by RangeMap: 0 keep, 1 to full range, 2 to video range. */
typedef struct exact_map {
    double scale, offset;
    nalu_byte_map map;
} exact_map;

static exact_map make_map(int32_t range, int32_t is_luma) {
    const span video = is_luma ? luma_span(8, 0) : chroma_span(8, 0), full = is_luma ? luma_span(8, 1) : chroma_span(8, 1);
    exact_map result;
    result.scale = range == 0 ? 1 : range == 1 ? full.span / video.span : video.span / full.span;
    result.offset = range == 0 ? 0 : range == 1 ? full.zero - video.zero * result.scale : video.zero - full.zero * result.scale;
    const double bias = (result.offset + 0.5) * 16384;
    result.map.scale = (int32_t)(result.scale * 16384 + 0.5);
    result.map.bias = (int32_t)(bias < 0 ? bias - 0.5 : bias + 0.5);
    return result;
}

static double exact(const exact_map *map, double value) { return limited(map->scale * value + map->offset, 255); }

static void map_plane(const exact_map *map, int32_t width, int32_t height, int32_t is_in_place) {
    const plane source = make_plane(0, random_below(LAYOUTS), width, height);
    const int32_t layout = random_below(LAYOUTS);
    fill_bytes(&source);
    plane destination;
    for (int32_t level = NALU_KERNEL_PORTABLE; level <= NALU_KERNEL_AVX512; level++) {
        destination = make_plane(1, layout, width, height);
        if (is_in_place)
            for (int32_t y = 0; y < height; y++)
                for (int32_t x = 0; x < width; x++) row_of(&destination, y)[x] = row_of(&source, y)[x];
        const plane *read = is_in_place ? &destination : &source;
        const nalu_map_job job = {
            read->first_row, destination.first_row, read->stride, destination.stride, width, height, level, map->map};
        nalu_map_plane(&job);
        take_result(&destination, level);
        end_level(level);
    }
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++) take_value(row_of(&destination, y)[x], exact(map, row_of(&source, y)[x]));
}

void test_byte_maps(void) {
    static const int32_t widths[] = {1, 2, 3, 15, 16, 17, 31, 33, 64, 70, 131, 511, 512, 513, 1025};
    for (int32_t range = 0; range < 3; range++)
        for (int32_t is_luma = 0; is_luma < 2; is_luma++) {
            const exact_map map = make_map(range, is_luma);
            begin_case("a plane of %s, range %s", is_luma ? "luma" : "chroma", range_names[range]);
            for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
                map_plane(&map, widths[i], 3, 0);
                map_plane(&map, widths[i], 2, 1);
            }
            end_case(map_limit);
        }
}

static void reduce_packed(int32_t range, int32_t luma_first, int32_t is_planar, int32_t width, int32_t height) {
    const int32_t pairs = (width + 1) / 2, rows = (height + 1) / 2, layout = random_below(LAYOUTS);
    const plane source = make_plane(0, random_below(LAYOUTS), 4 * pairs, height);
    const exact_map luma_map = make_map(range, 1), chroma_map = make_map(range, 0);
    fill_bytes(&source);
    plane luma, cb, cr;
    for (int32_t level = NALU_KERNEL_PORTABLE; level <= NALU_KERNEL_AVX512; level++) {
        luma = make_plane(1, layout, width, height);
        cb = make_plane(2, (layout + 1) % LAYOUTS, is_planar ? pairs : 2 * pairs, rows);
        cr = make_plane(3, (layout + 2) % LAYOUTS, pairs, rows);
        const nalu_packed_job job = {
            source.first_row, source.stride, width, height, luma_first, level, luma_map.map, chroma_map.map,
            {luma.first_row, cb.first_row, is_planar ? cr.first_row : NULL, luma.stride, cb.stride, cr.stride}};
        nalu_packed_422_to_420(&job);
        take_result(&luma, level);
        take_result(&cb, level);
        if (is_planar) take_result(&cr, level);
        end_level(level);
    }
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            take_value(row_of(&luma, y)[x], exact(&luma_map, row_of(&source, y)[2 * x + 1 - luma_first]));
    for (int32_t y = 0; y < rows; y++)
        for (int32_t x = 0; x < pairs; x++)
            for (int32_t i = 0; i < 2; i++) {
                const int32_t at = 4 * x + 2 * i + luma_first, second = 2 * y + (2 * y + 1 < height);
                const double mean = (row_of(&source, 2 * y)[at] + row_of(&source, second)[at]) / 2.0;
                const uint8_t value = !is_planar ? row_of(&cb, y)[2 * x + i] : i == 0 ? row_of(&cb, y)[x] : row_of(&cr, y)[x];
                take_value(value, exact(&chroma_map, mean));
            }
}

void test_packed_422(void) {
    for (int32_t range = 0; range < 3; range++)
        for (int32_t i = 0; i < 4; i++) {
            begin_case("%s to %s, range %s", i % 2 ? "YUYV" : "UYVY", i / 2 ? "three planes" : "two planes",
                       range_names[range]);
            for (int32_t width = 1; width <= 70; width += width < 20 ? 1 : 7)
                for (int32_t height = 1; height <= 3; height++) reduce_packed(range, i % 2, i / 2, width, height);
            reduce_packed(range, i % 2, i / 2, 333, 5);
            end_case(map_limit);
        }
}
