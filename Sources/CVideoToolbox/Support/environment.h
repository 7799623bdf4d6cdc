/* The settings in the environment of the process: hardware and temporary files. */
#ifndef NALU_VT_ENVIRONMENT_H
#define NALU_VT_ENVIRONMENT_H

#include <CoreFoundation/CoreFoundation.h>
#include <limits.h>
#include <stdbool.h>

/* Returns true if sessions that require hardware are refused, as on a Mac without it. Programs often require it by habit,
 * and no hardware encoder or decoder is supported here. It is true if the environment has NALU_VT_STRICT_HARDWARE=1, or the
 * CMake option of that name is on. */
bool nalu_hardware_is_strict(void);

enum { NALU_PATH_SIZE = PATH_MAX };

/* Returns the path of a file URL. Returns false for another scheme, for no scheme, and for an object that is not a
 * URL. */
bool nalu_path_of_url(CFURLRef url, char path[NALU_PATH_SIZE]);

/* Returns the directory for temporary files: TMPDIR, or /tmp. */
void nalu_temporary_directory(char directory[NALU_PATH_SIZE]);

#endif
