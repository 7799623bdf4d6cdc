/* Compares the pixel kernels with the formulas of the standards, at every level, on the processor of this
 * machine. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns 0 if a vector kernel is built but never chosen, because it would not be tested. */
static int has_its_level(void) {
#if defined(__aarch64__)
    return nalu_kernel_level(NALU_KERNEL_NEON) == NALU_KERNEL_NEON && nalu_kernel_level(NALU_KERNEL_PORTABLE) == 0;
#else
    return nalu_kernel_level(NALU_KERNEL_PORTABLE) == 0;
#endif
}

int main(void) {
    alarm(600);
    if (!has_its_level()) {
        fprintf(stderr, "kernels: failed: the vector kernels are not chosen\n");
        return EXIT_FAILURE;
    }
    test_rgb_to_420();
    test_byte_maps();
    test_packed_422();
    test_depths();
    test_averages();
    test_shrinking();
    test_yuv_to_rgb();
    test_moved_samples();
    return any_failed() ? EXIT_FAILURE : EXIT_SUCCESS;
}
