/* The detail of a frame. */
#include "openh264.h"

#include <stdlib.h>

static uint32_t difference(const uint8_t *a, const uint8_t *b, int32_t count) {
    uint32_t sum = 0;
    /* x86-64 has an instruction for 16 differences (PSADBW). Without the pragma the compiler uses it for four. */
#pragma clang loop vectorize_width(16)
    for (int32_t i = 0; i < count; i++) sum += (uint32_t)abs(a[i] - b[i]);
    return sum;
}

double nalu_openh264_detail(const nalu_openh264_frame *frame, int32_t width, int32_t height) {
    uint64_t sum = 0, count = 0;
    for (int plane = 0; plane < 3; plane++) {
        const int32_t columns = plane ? width / 2 : width, rows = plane ? height / 2 : height;
        for (int32_t row = 0; row < rows; row++) {
            const uint8_t *line = frame->planes[plane] + (int64_t)row * frame->strides[plane];
            sum += difference(line, line + 1, columns - 1);
            count += (uint64_t)columns - 1;
            if (row == 0) continue;
            sum += difference(line, line - frame->strides[plane], columns);
            count += (uint64_t)columns;
        }
    }
    return count ? (double)sum / (double)count : 0;
}
