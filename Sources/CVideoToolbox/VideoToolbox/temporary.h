/* Paths of the files that are removed together with an object. */
#ifndef NALU_VT_TEMPORARY_H
#define NALU_VT_TEMPORARY_H

#include <CoreFoundation/CoreFoundation.h>
#include <limits.h>
#include <stdbool.h>

enum { NALU_PATH_SIZE = PATH_MAX };

/* The path of a file URL. False for a URL of another scheme or without one, and for an object that is no URL. */
bool nalu_path_of_url(CFURLRef url, char path[NALU_PATH_SIZE]);

/* The directory for temporary files: TMPDIR, else /tmp. */
void nalu_temporary_directory(char directory[NALU_PATH_SIZE]);

#endif
