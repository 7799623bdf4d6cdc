/*
 * averages.c - converts chroma of 4:2:2 and 4:4:4 to 4:2:0, and samples of 16 bits to 8 and 10.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels.h"

static inline int32_t sample_at(const nalu_average_job *job, const uint8_t *row, ptrdiff_t index)
{
    if (job->source_bytes == 1)
        return row[index];
    return ((const uint16_t *)(const void *)row)[index] >> job->source_shift;
}

static inline int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

void nalu_average_plane(const nalu_average_job *job)
{
    const int32_t width = (job->source_width + job->columns - 1) / job->columns;
    const int32_t height = (job->source_height + job->rows - 1) / job->rows;
    for (int32_t y = 0; y < height; y++) {
        const uint8_t *row0 = job->source + y * job->rows * job->source_stride;
        const uint8_t *row1 =
            job->source + smaller(y * job->rows + job->rows - 1, job->source_height - 1) * job->source_stride;
        for (int32_t component = 0; component < job->components; component++) {
            uint8_t *out = job->destination[component] + y * job->destination_stride[component];
            for (int32_t x = 0; x < width; x++) {
                const int32_t first = x * job->columns;
                const int32_t last = smaller(first + job->columns - 1, job->source_width - 1);
                const ptrdiff_t a = (ptrdiff_t)first * job->components + component;
                const ptrdiff_t b = (ptrdiff_t)last * job->components + component;
                const int64_t sum = (int64_t)sample_at(job, row0, a) + sample_at(job, row0, b) +
                    sample_at(job, row1, a) + sample_at(job, row1, b);
                int64_t value = (job->scale * sum + job->bias) >> 24;
                value = value < 0 ? 0 : value > job->maximum ? job->maximum : value;
                const ptrdiff_t at = (ptrdiff_t)x * job->destination_step;
                if (job->destination_bytes == 1)
                    out[at] = (uint8_t)value;
                else
                    ((uint16_t *)(void *)out)[at] = (uint16_t)(value << job->destination_shift);
            }
        }
    }
}
