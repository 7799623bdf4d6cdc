/* A function of the libavutil that libnalu has loaded. */
#ifndef NALU_TESTS_FFMPEG_FUNCTION_H
#define NALU_TESTS_FFMPEG_FUNCTION_H

#include "check.h"

#include <dlfcn.h>
#include <nalu/media.h>

/* Loads FFmpeg first. Never NULL. */
static inline void *ffmpeg_function(const char *name) {
    char line[4096];
    void *found = NULL;
    REQUIRE_OK(nalu_media_load());
    FILE *maps = fopen("/proc/self/maps", "r");
    REQUIRE(maps);
    while (!found && fgets(line, sizeof line, maps)) {
        const char *path = strchr(line, '/');
        line[strcspn(line, "\n")] = 0;
        void *library = path && strstr(path, "/libavutil.so.") ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
        if (library) found = dlsym(library, name);
    }
    fclose(maps);
    REQUIRE(found);
    return found;
}

#endif
