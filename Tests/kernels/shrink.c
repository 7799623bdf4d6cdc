#include "support.h"

/* Returns the length that two spans share, in fractions of a sample. */
static int64_t overlap(int64_t start, int64_t end, int64_t other_start, int64_t other_end) {
    const int64_t from = start > other_start ? start : other_start, to = end < other_end ? end : other_end;
    return to > from ? to - from : 0;
}

/* Returns the mean over the area of a sample, rounded once, halves up. The computation uses integers, so only
 * one result is right. */
static int64_t exact_mean(const plane *source, int32_t words, int32_t width, int32_t height, int32_t new_width,
                          int32_t new_height, int32_t x, int32_t y) {
    const int64_t area = (int64_t)width * height;
    int64_t sum = 0;
    for (int32_t row = (int32_t)((int64_t)y * height / new_height); row < height; row++) {
        const int64_t rows = overlap((int64_t)y * height, (int64_t)(y + 1) * height, (int64_t)row * new_height,
                                     (int64_t)(row + 1) * new_height);
        if (rows == 0) break;
        for (int32_t column = (int32_t)((int64_t)x * width / new_width); column < width; column++) {
            const int64_t columns = overlap((int64_t)x * width, (int64_t)(x + 1) * width, (int64_t)column * new_width,
                                            (int64_t)(column + 1) * new_width);
            if (columns == 0) break;
            sum += rows * columns * (words ? words_of(source, row)[column] : row_of(source, row)[column]);
        }
    }
    return (2 * sum + area) / (2 * area);
}

static void shrink(int32_t words, int32_t width, int32_t height, int32_t new_width, int32_t new_height) {
    static uint32_t sums[4096];
    const int32_t bytes = words ? 2 : 1;
    const plane source = make_plane(0, random_below(LAYOUTS), width * bytes, height);
    const int32_t layout = random_below(LAYOUTS);
    if (words)
        fill_words(&source, 10, 0);
    else
        fill_bytes(&source);
    plane destination;
    for (int32_t level = NALU_KERNEL_PORTABLE; level <= NALU_KERNEL_AVX512; level++) {
        destination = make_plane(1, layout, new_width * bytes, new_height);
        const nalu_shrink_job job = {source.first_row, destination.first_row, source.stride, destination.stride, width, height,
                                     new_width, new_height, level, bytes, sums};
        nalu_shrink_plane(&job);
        take_result(&destination, level);
        end_level(level);
    }
    for (int32_t y = 0; y < new_height; y++)
        for (int32_t x = 0; x < new_width; x++)
            take_value(words ? words_of(&destination, y)[x] : row_of(&destination, y)[x],
                       (double)exact_mean(&source, words, width, height, new_width, new_height, x, y));
}

/* With these widths and heights many means lie exactly between two values: half of an even area. */
void test_shrinking(void) {
    for (int32_t words = 0; words < 2; words++) {
        begin_case("%s shrunk to random sizes", words ? "words" : "bytes");
        for (int32_t turn = 0; turn < 400; turn++) {
            const int32_t width = 1 + random_below(60), height = 1 + random_below(30);
            const int32_t new_width = 1 + random_below(width), new_height = 1 + random_below(height);
            shrink(words, width, height, new_width, new_height);
        }
        end_case(0);
        begin_case("%s shrunk by whole numbers", words ? "words" : "bytes");
        for (int32_t turn = 0; turn < 400; turn++) {
            const int32_t columns = 1 + random_below(7), rows = 1 + random_below(7);
            const int32_t width = 1 + random_below(20), height = 1 + random_below(8);
            shrink(words, width * columns, height * rows, width, height);
        }
        shrink(words, 1920, 54, 427, 12);
        shrink(words, 2000, 61, 1, 1);
        end_case(0);
    }
}
