/* Loading of libx265, and helpers that Swift cannot express. */
#include "library.h"

#include "loading.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* x265_api_get is a macro that pastes the number of the build into the symbol, for the purposes of dlopen. */
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

static const char names[] = TEXT(x265_api_get) "\0";
static const nalu_library library = {"libx265.so." TEXT(X265_BUILD), "libx265-" TEXT(X265_BUILD), names};
static void *functions[1];
static bool is_loaded;

const x265_api *nalu_x265_api(int depth, char *message, size_t capacity) {
    if (nalu_libraries_load(&library, 1, functions, &is_loaded, message, capacity) != 0) return NULL;
    const x265_api *api = ((__typeof__(&x265_api_get))functions[0])(depth);
    if (!api) {
        snprintf(message, capacity, "%s cannot encode %d bits: install %s of Debian, which has 8 and 10 bits", library.file,
            depth, library.package);
        return NULL;
    }
    if (api->api_major_version != X265_MAJOR_VERSION || api->sizeof_param != (int)sizeof(x265_param) ||
        api->sizeof_picture != (int)sizeof(x265_picture) || api->sizeof_frame_stats != (int)sizeof(x265_frame_stats)) {
        snprintf(message, capacity, "%s cannot be used: its structures differ from those that libnalu was built with",
            library.file);
        return NULL;
    }
    return api;
}

void nalu_x265_set_form(x265_param *param) {
    param->logLevel = X265_LOG_NONE;
    param->bAnnexB = 0;
    param->bRepeatHeaders = 0;
    param->bEmitInfoSEI = 0;
    param->bEnableAccessUnitDelimiters = 0;
    param->internalCsp = X265_CSP_I420;
    /* With open groups of pictures, x265 writes a forced IDR picture as CRA. */
    param->bOpenGOP = 0;
    param->rc.rateControlMode = X265_RC_CRF;
}

void nalu_x265_free_strings(x265_param *param) {
    free((void *)(uintptr_t)param->numaPools);
    free((void *)(uintptr_t)param->masteringDisplayColorVolume);
    param->numaPools = param->masteringDisplayColorVolume = NULL;
}

int nalu_x265_can_reserve(int64_t bytes) {
    /* A mapping without access counts against the limit, and not against the machine's memory. */
    void *place = mmap(NULL, (size_t)bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) return 0;
    munmap(place, (size_t)bytes);
    return 1;
}

const char *nalu_x265_preset_name(int32_t index) {
    const int32_t count = (int32_t)(sizeof x265_preset_names / sizeof *x265_preset_names);
    return index < count ? x265_preset_names[index] : NULL;
}

void nalu_x265_split(const void *pairs, size_t step, void *first, void *second, size_t stride, int32_t width,
                     int32_t height) {
    for (int32_t y = 0; y < height; y++) {
        const uint16_t *in = (const uint16_t *)((const char *)pairs + (size_t)y * step);
        uint16_t *a = (uint16_t *)((char *)first + (size_t)y * stride);
        uint16_t *b = (uint16_t *)((char *)second + (size_t)y * stride);
        for (int32_t x = 0; x < width; x++) {
            a[x] = in[2 * x];
            b[x] = in[2 * x + 1];
        }
    }
}
