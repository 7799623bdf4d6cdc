/* The floating-point environment of a client's thread. Programs of some languages trap invalid operations. The compiler's
 * code for comparisons with NaN is an invalid operation, and NaN stands for values that are not set. */
#ifndef NALU_VT_FLOAT_ENVIRONMENT_H
#define NALU_VT_FLOAT_ENVIRONMENT_H

#include <fenv.h>

/* Sets the default environment, and returns the client's. */
fenv_t nalu_float_environment_hide(void);
void nalu_float_environment_restore(const fenv_t *client);

/* The rest of the function runs with the default environment. The client's is restored when the function returns. */
#define NALU_HIDE_FLOAT_ENVIRONMENT \
    const fenv_t float_environment __attribute__((cleanup(nalu_float_environment_restore), unused)) = \
        nalu_float_environment_hide()

#endif
