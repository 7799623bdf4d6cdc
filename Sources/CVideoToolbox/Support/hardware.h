/* Programs often require hardware by habit. No hardware encoder or decoder is supported here. */
#ifndef NALU_VT_HARDWARE_H
#define NALU_VT_HARDWARE_H

#include <stdbool.h>

/* Returns true if sessions that require hardware are refused, as on a Mac without it. That is so if the environment has
 * NALU_VT_STRICT_HARDWARE=1, or the CMake option of that name is on. */
bool nalu_hardware_is_strict(void);

#endif
