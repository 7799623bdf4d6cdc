#include "temporary.h"

#include <stdlib.h>
#include <string.h>

bool nalu_folder_for(CFURLRef url, char folder[NALU_PATH_SIZE]) {
    if (!url) {
        const char *wanted = getenv("TMPDIR");
        if (!wanted || !*wanted || strlen(wanted) >= NALU_PATH_SIZE) wanted = "/tmp";
        strcpy(folder, wanted);
        return true;
    }
    if (CFGetTypeID(url) != CFURLGetTypeID() ||
        !CFURLGetFileSystemRepresentation(url, true, (uint8_t *)folder, NALU_PATH_SIZE))
        return false;
    char *name = strrchr(folder, '/');
    if (!name || !name[1]) return false;
    name[name == folder ? 1 : 0] = 0;
    return true;
}
