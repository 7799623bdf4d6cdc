#include "hardware.h"

#include <stdlib.h>
#include <string.h>

bool nalu_hardware_is_strict(void) {
#ifdef NALU_VT_STRICT_HARDWARE
    return true;
#else
    const char *strict = getenv("NALU_VT_STRICT_HARDWARE");
    return strict && strcmp(strict, "1") == 0;
#endif
}
