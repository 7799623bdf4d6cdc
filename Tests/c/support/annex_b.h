/* Samples in Annex B form. */
#ifndef NALU_TESTS_ANNEX_B_H
#define NALU_TESTS_ANNEX_B_H

#include "check.h"

/* Appends a sample to a file. `parameter_sets`: NALU_ANNEX_B_... */
void annex_b_write(FILE *file, const nalu_sample *sample, int32_t parameter_sets);

#endif
