/*
 * Definitions of the functions in functions.h, under Nalu's own symbols.
 *
 * Each function calls FFmpeg's function through a pointer from dlsym. So a program that only
 * encodes never loads FFmpeg, which with its dependencies is more than a hundred libraries. With
 * NALU_FFMPEG_IS_LINKED, FFmpeg is linked in, and each function calls FFmpeg's function directly.
 */
#include "functions.h"
#include "headers.h"

#include <stdint.h>

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN int32_t nalu_ff_load(char *message, size_t capacity);
HIDDEN void nalu_ff_set_log_level(int32_t level);

/* Defines a function of Nalu. The compiler checks that it has the type of FFmpeg's function. */
#define DEFINE(result, name, parameters, arguments) \
    HIDDEN result nalu_ffmpeg_##name parameters; \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), __typeof__(nalu_ffmpeg_##name)), \
        #name " has another type in FFmpeg's headers"); \
    result nalu_ffmpeg_##name parameters { return FUNCTION(name) arguments; }

#ifdef NALU_FFMPEG_IS_LINKED

#define FUNCTION(name) name
NALU_FFMPEG_FUNCTIONS(DEFINE)

int32_t nalu_ff_load(char *message, size_t capacity) {
    (void)message, (void)capacity;
    return 0;
}

void nalu_ff_set_log_level(int32_t level) { av_log_set_level(level); }

#else

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loading.h"

#define TEXT(value) TEXT_OF(value)
#define TEXT_OF(value) #value

/* ---- The libraries ------------------------------------------------------------------------------------------------------ */

#define UTIL_FILE "libavutil.so." TEXT(LIBAVUTIL_VERSION_MAJOR)
#define RESAMPLE_FILE "libswresample.so." TEXT(LIBSWRESAMPLE_VERSION_MAJOR)
#define CODEC_FILE "libavcodec.so." TEXT(LIBAVCODEC_VERSION_MAJOR)
#define FORMAT_FILE "libavformat.so." TEXT(LIBAVFORMAT_VERSION_MAJOR)

/* The names of a library's functions, each followed by a NUL. Unlike an array of pointers, one
 * string needs no relocation when libnalu is loaded. */
#define NAME(result, name, parameters, arguments) #name "\0"
static const char util_names[] = NALU_FFMPEG_UTIL_FUNCTIONS(NAME);
static const char resample_names[] = NALU_FFMPEG_RESAMPLE_FUNCTIONS(NAME);
static const char codec_names[] = NALU_FFMPEG_CODEC_FUNCTIONS(NAME);
static const char format_names[] = NALU_FFMPEG_FORMAT_FUNCTIONS(NAME);

typedef struct library {
    const char *file;
    const char *package; /* the package's name in Debian */
    const char *version_name;
    unsigned version; /* the version of the headers */
    const char *names;
} library;

/* The libraries in the order of their dependencies. So the first library that cannot be loaded is
 * the missing one. */
enum { LIBRARY_COUNT = 4 };
static const library libraries[LIBRARY_COUNT] = {
    {UTIL_FILE, "libavutil" TEXT(LIBAVUTIL_VERSION_MAJOR), "avutil_version", LIBAVUTIL_VERSION_INT, util_names},
    {RESAMPLE_FILE, "libswresample" TEXT(LIBSWRESAMPLE_VERSION_MAJOR), "swresample_version", LIBSWRESAMPLE_VERSION_INT,
        resample_names},
    {CODEC_FILE, "libavcodec" TEXT(LIBAVCODEC_VERSION_MAJOR), "avcodec_version", LIBAVCODEC_VERSION_INT, codec_names},
    {FORMAT_FILE, "libavformat" TEXT(LIBAVFORMAT_VERSION_MAJOR), "avformat_version", LIBAVFORMAT_VERSION_INT, format_names},
};

/*
 * ELF metadata about libraries that are opened by dlopen
 * (https://uapi-group.org/specifications/specs/elf_dlopen_metadata). Packaging tools read the
 * dependency on FFmpeg from this note.
 */
#define NOTE_TEXT(file) \
    "{\"feature\":\"media\",\"description\":\"Containers and decoding\",\"priority\":\"recommended\",\"soname\":[\"" file "\"]}"
#define NOTES "[" NOTE_TEXT(FORMAT_FILE) "," NOTE_TEXT(CODEC_FILE) "," NOTE_TEXT(RESAMPLE_FILE) "," NOTE_TEXT(UTIL_FILE) "]"
__attribute__((used, section(".note.dlopen"), aligned(4))) static const struct {
    uint32_t name_size, text_size, type;
    char name[4];
    _Alignas(4) char text[sizeof NOTES];
} note = {sizeof note.name, sizeof note.text, 0x407c0c0a, "FDO", NOTES};

/* ---- The functions ------------------------------------------------------------------------------------------------------ */

#define INDEX(result, name, parameters, arguments) INDEX_##name,
enum { NALU_FFMPEG_FUNCTIONS(INDEX) FUNCTION_COUNT };

/* The addresses of FFmpeg's functions, in the order of functions.h. Threads may load FFmpeg at the
 * same time. They write the same addresses, because opened libraries stay open. */
static _Atomic(void *) functions[FUNCTION_COUNT];
static atomic_bool is_loaded;

/* The requested log level; INT_MIN if no level was requested. */
static _Atomic int log_level = INT_MIN;

static void *find(int index);

/* Returns the address of a function. A relaxed load suffices, because the calling thread has seen
 * is_loaded. */
static inline void *function(int index) {
    void *found = atomic_load_explicit(&functions[index], memory_order_relaxed);
    return __builtin_expect(found != NULL, 1) ? found : find(index);
}

#define FUNCTION(name) ((__typeof__(&name))function(INDEX_##name))
NALU_FFMPEG_FUNCTIONS(DEFINE)

/* ---- Loading ------------------------------------------------------------------------------------------------------------ */

/* Returns whether a library can be used with headers of version `wanted`. Within a major version,
 * FFmpeg adds functions and fields and removes none, so an older minor version is not enough. */
static bool fits(unsigned version, unsigned wanted) {
    return AV_VERSION_MAJOR(version) == AV_VERSION_MAJOR(wanted) && AV_VERSION_MINOR(version) >= AV_VERSION_MINOR(wanted);
}

/* Opens one library and writes the addresses of its functions. If this fails, closes the library
 * and writes the reason. */
static bool open_library(const library *it, void **addresses, char *reason, size_t capacity) {
    void *handle = dlopen(it->file, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *error = dlerror();
        snprintf(reason, capacity, "%s", error ? error : "dlopen failed");
        return false;
    }
    unsigned (*version)(void) = (unsigned (*)(void))dlsym(handle, it->version_name);
    const char *missing = version ? NULL : it->version_name;
    if (version && !fits(version(), it->version))
        snprintf(reason, capacity, "it has version %u.%u, and Nalu was built with %u.%u", AV_VERSION_MAJOR(version()),
            AV_VERSION_MINOR(version()), AV_VERSION_MAJOR(it->version), AV_VERSION_MINOR(it->version));
    else if (missing || (missing = nalu_loading_resolve(handle, it->names, addresses)))
        snprintf(reason, capacity, "it has no function %s", missing);
    else
        return true;
    dlclose(handle);
    return false;
}

static int32_t load(char *message, size_t capacity) {
    void *found[FUNCTION_COUNT];
    int first = 0;
    for (int i = 0; i < LIBRARY_COUNT; i++) {
        char reason[512];
        /* A loaded library stays open even if a later library is missing. Some of FFmpeg's
         * dependencies leak memory when they are unloaded. */
        if (!open_library(&libraries[i], &found[first], reason, sizeof reason)) {
            snprintf(message, capacity,
                "%s cannot be loaded (%s): install %s, or add the directory of a build of FFmpeg that has this library to "
                "LD_LIBRARY_PATH", libraries[i].file, reason, libraries[i].package);
            return -1;
        }
        first += nalu_loading_count(libraries[i].names);
    }
    for (int i = 0; i < FUNCTION_COUNT; i++) atomic_store_explicit(&functions[i], found[i], memory_order_relaxed);
    atomic_store_explicit(&is_loaded, true, memory_order_seq_cst);
    const int level = atomic_load(&log_level);
    if (level != INT_MIN) nalu_ffmpeg_av_log_set_level(level);
    return 0;
}

int32_t nalu_ff_load(char *message, size_t capacity) {
    if (atomic_load_explicit(&is_loaded, memory_order_acquire)) return 0;
    const bool has_locked = nalu_loading_lock();
    const int32_t result = atomic_load_explicit(&is_loaded, memory_order_acquire) ? 0 : load(message, capacity);
    if (has_locked) nalu_loading_unlock();
    return result;
}

void nalu_ff_set_log_level(int32_t level) {
    atomic_store(&log_level, level);
    if (atomic_load(&is_loaded)) nalu_ffmpeg_av_log_set_level(level);
}

/* Loads FFmpeg for a call that was made before nalu_ff_load, which is a mistake in Nalu. Ends the
 * process if FFmpeg cannot be loaded. */
__attribute__((cold, noinline)) static void *find(int index) {
    char message[1024];
    if (nalu_ff_load(message, sizeof message) != 0) {
        fprintf(stderr, "nalu: %s\n", message);
        abort();
    }
    return atomic_load_explicit(&functions[index], memory_order_relaxed);
}

#endif
