/* The folder for files that are removed together with an object. */
#ifndef NALU_VT_TEMPORARY_H
#define NALU_VT_TEMPORARY_H

#include <CoreFoundation/CoreFoundation.h>
#include <limits.h>
#include <stdbool.h>

enum { NALU_PATH_SIZE = PATH_MAX };

/* The folder of the file that a URL names; for NULL, the folder for temporary files. False for a URL that names no
 * file. */
bool nalu_folder_for(CFURLRef url, char folder[NALU_PATH_SIZE]);

#endif
