/*
 * libx265, which is loaded when the first session asks for H.265. The build needs its header only.
 */
#ifndef NALU_CX265_LIBRARY_H
#define NALU_CX265_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#include <x265.h>

/*
 * Returns the functions of libx265 for a bit depth of 8 or 10. Opens the library at the first call; it stays open.
 * Returns NULL with a message that names the library and its package, if it is missing or cannot encode that depth.
 * Any thread may call this function.
 */
const x265_api *nalu_x265_api(int depth, char *message, size_t capacity);

/*
 * Sets the parameters that all sessions share. The encoder is silent: errors are returned as statuses. Samples have length
 * prefixes, and the parameter sets are in the format description.
 */
void nalu_x265_set_form(x265_param *param);

/* Frees the strings that x265_param_parse and x265_encoder_parameters allocate for a parameter, which x265_param_free of
 * x265 3.5 does not. */
void nalu_x265_free_strings(x265_param *param);

/* Returns 1 if the process may reserve so many bytes of address space, which its limit (RLIMIT_AS) can forbid; else 0. */
int nalu_x265_can_reserve(int64_t bytes);

/* Returns a name of x265_preset_names; NULL after the last. Swift does not import static arrays as such. */
const char *nalu_x265_preset_name(int32_t index);

/* Separates pairs of 16-bit samples into two planes. `step` and `stride` are in bytes. */
void nalu_x265_split(const void *pairs, size_t step, void *first, void *second, size_t stride, int32_t width,
                     int32_t height);

#endif
