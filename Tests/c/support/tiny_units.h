/* Samples with many NAL units of minimal size, and a check that the time to process them grows linearly. */
#ifndef NALU_TESTS_TINY_UNITS_H
#define NALU_TESTS_TINY_UNITS_H

#include <nalu/nalu.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "sanitized.h"

/* Returns a sample with `size` bytes of NAL units that contain only `header`, followed by the NAL units of
 * `from`. */
static inline nalu_sample *with_tiny_units(const nalu_sample *from, const uint8_t *header, uint8_t header_size,
                                           size_t size, uint32_t attachments) {
    size_t own = 0, at = 0;
    const uint8_t *data = nalu_sample_get_data(from, &own);
    uint8_t *bytes = (uint8_t *)calloc(1, size + 8 + own);
    REQUIRE(bytes && data);
    while (at < size) {
        bytes[at + 3] = header_size;
        memcpy(bytes + at + 4, header, header_size);
        at += 4u + header_size;
    }
    memcpy(bytes + at, data, own);
    nalu_sample *made = NULL;
    REQUIRE_OK(nalu_sample_create(bytes, at + own, nalu_sample_get_format_description(from),
                                  nalu_sample_get_presentation_time(from), nalu_sample_get_duration(from),
                                  nalu_sample_get_decode_time(from), attachments, &made));
    free(bytes);
    return made;
}

/* Returns the processor time of the process in seconds, which other programs on the machine do not affect. */
static inline double processor_seconds(void) {
    struct timespec now;
    REQUIRE(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static inline int takes_linear_time(const double best[2]) {
    /* Times below 20 ms are too inaccurate. */
    return (best[1] < 9 * best[0] || best[1] < 0.02) && best[1] < (IS_SANITIZED ? 10 : 1);
}

/*
 * Checks that `work` takes about four times as long for 400 kB as for 100 kB. An algorithm that walks from the
 * first NAL unit to each one takes sixteen times as long, and seconds.
 */
static inline void check_linear(void (*work)(size_t size)) {
    double best[2] = {1e9, 1e9};
    /* Other programs on the machine can only lengthen the time, so the minimum of several rounds counts. */
    for (int round = 0; round < 3 || (round < 10 && !takes_linear_time(best)); round++)
        for (int i = 0; i < 2; i++) {
            double start = processor_seconds();
            work(i == 0 ? 100000 : 400000);
            double seconds = processor_seconds() - start;
            if (seconds < best[i]) best[i] = seconds;
        }
    if (!CHECK(takes_linear_time(best)))
        fprintf(stderr, "%g s for 100 kB, %g s for 400 kB\n", best[0], best[1]);
}

#endif
