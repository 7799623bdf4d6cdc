/* Paths of temporary files and directories. */
#ifndef NALU_VT_TEMPORARY_H
#define NALU_VT_TEMPORARY_H

#include <CoreFoundation/CoreFoundation.h>
#include <limits.h>
#include <stdbool.h>

enum { NALU_PATH_SIZE = PATH_MAX };

/* Returns the path of a file URL. Returns false for another scheme, for no scheme, and for an object that is not a
 * URL. */
bool nalu_path_of_url(CFURLRef url, char path[NALU_PATH_SIZE]);

/* Returns the directory for temporary files: TMPDIR, or /tmp. */
void nalu_temporary_directory(char directory[NALU_PATH_SIZE]);

#endif
