/* Samples of many NAL units as small as can be, and a check that what is done with them takes time in proportion. */
#ifndef NALU_TESTS_TINY_UNITS_H
#define NALU_TESTS_TINY_UNITS_H

#include <nalu/nalu.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "sanitized.h"

/* `size` bytes of units that hold nothing but `header`, and after them the units of `from`. */
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

/* The processor's time in seconds, so that other programs on the machine do not count. */
static inline double processor_seconds(void) {
    struct timespec now;
    REQUIRE(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static inline int takes_linear_time(const double best[2]) {
    /* Below 20 ms the clock says little. */
    return (best[1] < 9 * best[0] || best[1] < 0.02) && best[1] < (IS_SANITIZED ? 10 : 1);
}

/*
 * `work` takes about four times as long for 400 kB as for 100 kB. Where it walks from the first unit to each one, it takes
 * sixteen times as long, and seconds.
 */
static inline void check_linear(void (*work)(size_t size)) {
    double best[2] = {1e9, 1e9};
    /* What else the machine does can add to the time and not take from it. */
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
