#include "annex_b.h"

void annex_b_write(FILE *file, const nalu_sample *sample, int32_t parameter_sets) {
    size_t size = 0;
    REQUIRE_OK(nalu_sample_copy_annex_b(sample, parameter_sets, NULL, 0, &size));
    uint8_t *bytes = (uint8_t *)malloc(size);
    REQUIRE(bytes);
    REQUIRE_OK(nalu_sample_copy_annex_b(sample, parameter_sets, bytes, size, &size));
    REQUIRE(fwrite(bytes, 1, size, file) == size);
    free(bytes);
}
