#include "environment.h"

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

static bool is_of_file(CFURLRef url) {
    if (CFGetTypeID(url) != CFURLGetTypeID()) return false;
    CFURLRef absolute = CFURLCopyAbsoluteURL(url);
    CFStringRef scheme = absolute ? CFURLCopyScheme(absolute) : NULL;
    const bool is = scheme && CFStringCompare(scheme, CFSTR("file"), kCFCompareCaseInsensitive) == kCFCompareEqualTo;
    if (scheme) CFRelease(scheme);
    if (absolute) CFRelease(absolute);
    return is;
}

bool nalu_path_of_url(CFURLRef url, char path[NALU_PATH_SIZE]) {
    return is_of_file(url) && CFURLGetFileSystemRepresentation(url, true, (uint8_t *)path, NALU_PATH_SIZE);
}

void nalu_temporary_directory(char directory[NALU_PATH_SIZE]) {
    const char *wanted = getenv("TMPDIR");
    if (!wanted || !*wanted || strlen(wanted) >= NALU_PATH_SIZE) wanted = "/tmp";
    strcpy(directory, wanted);
}
