/*
 * libx264 without Nalu, opened with the parameters of a session, for comparisons. The target needs
 * Sources/CX264 among its include directories, and libx264.
 */
#ifndef NALU_TESTS_BARE_X264_H
#define NALU_TESTS_BARE_X264_H

#include <nalu/nalu.h>
#include <shim.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bare_encoder {
    x264_t *encoder;
    x264_param_t parameters;
    x264_picture_t input, output;
    x264_nal_t *units;
    int unit_count;
    int follows_time;
    int64_t count, last_key, key_interval; /* key_interval: 0 if x264 places the key frames */
} bare_encoder;

/* Returns the property x264.effective of a prepared session, to be freed by the caller; NULL on failure. */
static inline char *bare_effective(nalu_compression_session *session) {
    size_t size = 0;
    if (nalu_session_copy_string(session, NALU_PROPERTY_X264_EFFECTIVE, NULL, 0, &size) != NALU_STATUS_OK) return NULL;
    char *text = malloc(size);
    if (text && nalu_session_copy_string(session, NALU_PROPERTY_X264_EFFECTIVE, text, size, &size) == NALU_STATUS_OK)
        return text;
    free(text);
    return NULL;
}

/* Opens x264 with the parameters in `effective`. Returns 1 if x264 then runs with exactly these parameters.
 * `preset` sets what x264 has no option for: the intra partitions, which ultrafast switches off. */
static inline int bare_open(bare_encoder *bare, int width, int height, const char *preset, const char *effective) {
    char *text = strdup(effective), *rest = NULL, described[8192] = "";
    memset(bare, 0, sizeof *bare);
    if (!text) return 0;
    x264_param_default_preset(&bare->parameters, preset, NULL);
    for (char *name = strtok_r(text, ":", &rest); name; name = strtok_r(NULL, ":", &rest)) {
        char *value = strchr(name, '=');
        if (value) *value++ = 0;
        if (x264_param_parse(&bare->parameters, name, value) != 0) {
            fprintf(stderr, "x264 does not take %s=%s\n", name, value);
            free(text);
            return 0;
        }
    }
    free(text);
    bare->parameters.i_width = width;
    bare->parameters.i_height = height;
    bare->parameters.i_csp = X264_CSP_NV12;
    bare->parameters.b_annexb = 0;
    bare->parameters.b_repeat_headers = 0;
    bare->parameters.i_log_level = X264_LOG_NONE;
    bare->parameters.i_timebase_num = 1;
    bare->parameters.i_timebase_den = 90000; /* like a session that is prepared before its first frame */
    bare->follows_time = bare->parameters.b_vfr_input;
    const nalu_x264_asked asked = nalu_x264_ask(&bare->parameters, strstr(effective, ":fps=") != NULL);
    if (!asked.says_fps) bare->parameters.i_fps_num = 30, bare->parameters.i_fps_den = 1; /* a session's default */
    bare->encoder = nalu_x264_open(&bare->parameters);
    if (!bare->encoder) return 0;
    x264_encoder_parameters(bare->encoder, &bare->parameters);
    nalu_x264_describe(&bare->parameters, &asked, described, sizeof described);
    if (strcmp(described, effective) != 0) {
        fprintf(stderr, "the bare encoder does not run with equal parameters:\n  %s\n  %s\n", effective, described);
        x264_encoder_close(bare->encoder);
        return 0;
    }
    x264_picture_init(&bare->input);
    bare->input.img.i_csp = X264_CSP_NV12;
    bare->input.img.i_plane = 2;
    bare->last_key = -1;
    bare->key_interval = bare->parameters.i_keyint_max == X264_KEYINT_MAX_INFINITE ? 250 : 0;
    return 1;
}

static inline int bare_run(bare_encoder *bare, x264_picture_t *picture) {
    int size = x264_encoder_encode(bare->encoder, &bare->units, &bare->unit_count, picture, &bare->output);
    if (size > 0 && bare->output.b_keyframe) {
        int64_t number = bare->follows_time ? bare->output.i_pts / 3000 : bare->output.i_pts;
        if (number > bare->last_key) bare->last_key = number;
    }
    return size;
}

/* Encodes the next frame at 30 frames per second. Returns the size of the output, 0 without output, a negative
 * number on failure. The output is NAL units with 4-byte lengths and begins at bare->units[0].p_payload. */
static inline int bare_encode(bare_encoder *bare, const uint8_t *luma, const uint8_t *chroma, int stride) {
    int64_t number = bare->count++;
    int is_key = bare->last_key < 0 || (bare->key_interval > 0 && number - bare->last_key >= bare->key_interval);
    if (is_key) bare->last_key = number;
    bare->input.i_type = is_key ? X264_TYPE_IDR : X264_TYPE_AUTO;
    bare->input.i_pts = bare->follows_time ? number * 3000 : number;
    bare->input.img.plane[0] = (uint8_t *)(uintptr_t)luma;
    bare->input.img.plane[1] = (uint8_t *)(uintptr_t)chroma;
    bare->input.img.i_stride[0] = stride;
    bare->input.img.i_stride[1] = stride;
    return bare_run(bare, &bare->input);
}

/* Outputs a frame that x264 has delayed. Returns its size; 0 if no frame is left. */
static inline int bare_drain(bare_encoder *bare) {
    while (x264_encoder_delayed_frames(bare->encoder) > 0) {
        int size = bare_run(bare, NULL);
        if (size != 0) return size;
    }
    return 0;
}

static inline void bare_close(bare_encoder *bare) {
    x264_encoder_close(bare->encoder);
    x264_param_cleanup(&bare->parameters);
}

#endif
