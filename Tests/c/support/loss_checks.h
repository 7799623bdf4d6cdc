/* Calls of a loss detector that must not fail. */
#ifndef NALU_TESTS_LOSS_CHECKS_H
#define NALU_TESTS_LOSS_CHECKS_H

#include "check.h"

#include <nalu/loss_detector.h>

static inline nalu_loss_detector *make_detector(void) {
    nalu_loss_detector *detector = NULL;
    REQUIRE_OK(nalu_loss_detector_create(&detector));
    return detector;
}

/* Returns the number of missing pictures. */
static inline int32_t check(nalu_loss_detector *detector, nalu_sample *sample) {
    int32_t missing = 9;
    CHECK_OK(nalu_loss_detector_check(detector, sample, &missing));
    return missing;
}

#endif
