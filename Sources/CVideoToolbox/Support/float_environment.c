#include "float_environment.h"

fenv_t nalu_float_environment_hide(void) {
    fenv_t client;
    fegetenv(&client);
    fesetenv(FE_DFL_ENV);
    return client;
}

void nalu_float_environment_restore(const fenv_t *client) { fesetenv(client); }
