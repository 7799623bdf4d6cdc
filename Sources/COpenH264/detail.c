/* The detail of a frame. */
#include "openh264.h"

#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The sum of the differences of bytes. Compilers do not find the instruction for 16 of them by themselves. */
static uint32_t difference(const uint8_t *a, const uint8_t *b, int32_t count) {
    uint32_t sum = 0;
    int32_t i = 0;
#ifdef __SSE2__
    __m128i sums = _mm_setzero_si128();
    for (; i + 16 <= count; i += 16)
        sums = _mm_add_epi64(sums, _mm_sad_epu8(_mm_loadu_si128((const __m128i *)(a + i)), _mm_loadu_si128((const __m128i *)(b + i))));
    sum = (uint32_t)(_mm_cvtsi128_si32(sums) + _mm_cvtsi128_si32(_mm_srli_si128(sums, 8)));
#endif
    for (; i < count; i++) sum += (uint32_t)abs(a[i] - b[i]);
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
