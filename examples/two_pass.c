/*
 * Encodes a Y4M clip into an H.264 file of a given size, in several passes.
 *
 *     two_pass IN.y4m OUT.h264 BITRATE [NAME=VALUE,...]
 *
 * The file gets BITRATE bits for each second of the clip. The first pass measures how many bits each frame needs, and the
 * second distributes the bits accordingly. If the size still differs by more than 1.5 %, another pass reduces the
 * difference. The last argument sets further properties, such as "x264.preset=slow,AllowFrameReordering=false".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _POSIX_C_SOURCE 200809L
#include <nalu/nalu.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Prints an error message and returns 0, which means failure. */
static int fail(const char *what, const char *why) {
    fprintf(stderr, "two_pass: %s: %s\n", what, why);
    return 0;
}

/* ---- The input: Y4M is a header line, then each frame as a line "FRAME" and its planes Y, Cb, Cr ---- */

struct clip {
    FILE *file;
    const char *name;
    long first_frame; /* its position in the file, in bytes */
    int32_t width, height;
    int rate_numerator, rate_denominator; /* frames per second */
    uint8_t *pixels;
    size_t frame_size;
};

static int open_clip(struct clip *clip, const char *name) {
    char line[1024], *word, *rest;
    clip->name = name;
    clip->file = fopen(name, "rb");
    if (!clip->file) return fail(name, strerror(errno));
    if (!fgets(line, sizeof line, clip->file) || strncmp(line, "YUV4MPEG2 ", 10) != 0)
        return fail(name, "expected a Y4M clip; make one with: ffmpeg -i CLIP -pix_fmt yuv420p CLIP.y4m");
    for (word = strtok_r(line + 10, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
        if (*word == 'W') clip->width = (int32_t)strtol(word + 1, NULL, 10);
        if (*word == 'H') clip->height = (int32_t)strtol(word + 1, NULL, 10);
        if (*word == 'F') sscanf(word + 1, "%d:%d", &clip->rate_numerator, &clip->rate_denominator);
        /* C420, C420jpeg, C420mpeg2 and C420paldv have 8 bits; C420p10 and others have more. */
        if (*word == 'C' && (strncmp(word, "C420", 4) != 0 || (word[4] == 'p' && word[5] != 'a')))
            return fail(name, "expected 8 bit 4:2:0: ffmpeg -i CLIP -pix_fmt yuv420p CLIP.y4m");
    }
    if (clip->width < 16 || clip->height < 16 || clip->width > NALU_MAX_DIMENSION || clip->height > NALU_MAX_DIMENSION)
        return fail(name, "its size is not one that can be encoded");
    if (clip->rate_numerator < 1 || clip->rate_denominator < 1)
        clip->rate_numerator = 25, clip->rate_denominator = 1;
    clip->first_frame = ftell(clip->file);
    if (clip->first_frame < 0) return fail(name, "expected a file that can be read more than once");
    clip->frame_size = (size_t)clip->width * (size_t)clip->height
        + 2 * (size_t)((clip->width + 1) / 2) * (size_t)((clip->height + 1) / 2);
    clip->pixels = malloc(clip->frame_size);
    return clip->pixels ? 1 : fail(name, "out of memory");
}

/* Reads the next frame. Returns 0 at the end of the clip. */
static int read_frame(struct clip *clip) {
    char line[1024];
    return fgets(line, sizeof line, clip->file) && strncmp(line, "FRAME", 5) == 0
        && fread(clip->pixels, 1, clip->frame_size, clip->file) == clip->frame_size;
}

/* ---- The output: written by the callback on the session's own thread, and read between two passes ---- */

struct output {
    FILE *file;
    uint8_t *bytes; /* grows to the largest sample */
    size_t capacity;
    double size;
    int has_failed;
};

static void got_frame(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                      nalu_sample *sample) {
    const int32_t sets = NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES;
    struct output *output = refcon;
    size_t size = 0;
    (void)frame_refcon, (void)flags, (void)status;
    if (!sample || nalu_sample_copy_annex_b(sample, sets, NULL, 0, &size) != NALU_STATUS_OK) {
        output->has_failed = 1;
        return;
    }
    if (size > output->capacity) {
        free(output->bytes);
        output->capacity = 2 * size;
        output->bytes = malloc(output->capacity);
        if (!output->bytes) output->capacity = 0;
    }
    if (nalu_sample_copy_annex_b(sample, sets, output->bytes, output->capacity, &size) != NALU_STATUS_OK
        || fwrite(output->bytes, 1, size, output->file) != size)
        output->has_failed = 1;
    nalu_sample_get_data(sample, &size); /* the requested size does not include parameter sets */
    output->size += (double)size;
}

/* ---- The passes ---- */

/* Hands in all frames of the clip. Returns their number, or -1. */
static long encode_clip(nalu_compression_session *session, struct clip *clip) {
    const int32_t width = clip->width, height = clip->height, half = (width + 1) / 2;
    const size_t luma = (size_t)width * (size_t)height, chroma = (size_t)half * (size_t)((height + 1) / 2);
    const void *planes[3] = {clip->pixels, clip->pixels + luma, clip->pixels + luma + chroma};
    const int64_t strides[3] = {width, half, half};
    long number;
    if (fseek(clip->file, clip->first_frame, SEEK_SET) != 0) return fail(clip->name, strerror(errno)) - 1;
    for (number = 0; read_frame(clip); number++) {
        nalu_status status = nalu_compression_session_encode_planes(session, width, height, NALU_PIXEL_FORMAT_Y420, 3,
            planes, strides, NULL, nalu_time_make(number * clip->rate_denominator, clip->rate_numerator),
            nalu_time_make(clip->rate_denominator, clip->rate_numerator), NULL, NULL, NULL);
        if (status != NALU_STATUS_OK) return fail("encode", nalu_last_error_message()) - 1;
    }
    return number;
}

/* Runs all passes of a session that has a multi-pass storage. */
static int encode_passes(nalu_compression_session *session, struct clip *clip, struct output *output, double bitrate) {
    int32_t again = 1;
    for (int pass = 1; again; pass++) {
        /* The samples of this pass replace those of the previous pass. */
        output->size = 0;
        rewind(output->file);
        if (ftruncate(fileno(output->file), 0) != 0) return fail("the output", strerror(errno));

        if (nalu_compression_session_begin_pass(session, 0) != NALU_STATUS_OK)
            return fail("begin_pass", nalu_last_error_message());
        long frames = encode_clip(session, clip);
        if (frames < 0) return 0;
        if (nalu_compression_session_end_pass(session, &again) != NALU_STATUS_OK)
            return fail("end_pass", nalu_last_error_message());
        if (output->has_failed) return fail("the output", "a frame could not be encoded or written");

        double asked = bitrate / 8 * (double)frames * clip->rate_denominator / clip->rate_numerator;
        printf("pass %d: %ld frames, %.0f of %.0f bytes (%+.2f %%)\n", pass, frames, output->size, asked,
               asked > 0 ? (output->size / asked - 1) * 100 : 0.0);
    }
    return 1;
}

static int encode(struct clip *clip, struct output *output, long long bitrate, const char *properties) {
    nalu_compression_session *session = NULL;
    nalu_multi_pass_storage *storage = NULL;
    int is_good = nalu_compression_session_create(clip->width, clip->height, NALU_CODEC_H264, NULL, NULL, got_frame,
                                                  output, NULL, &session) == NALU_STATUS_OK
        && nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, bitrate) == NALU_STATUS_OK
        && nalu_session_set_double(session, NALU_PROPERTY_EXPECTED_FRAME_RATE,
               (double)clip->rate_numerator / clip->rate_denominator) == NALU_STATUS_OK
        && nalu_session_set_properties_from_text(session, properties) == NALU_STATUS_OK
        && nalu_multi_pass_storage_create(NULL, &storage) == NALU_STATUS_OK
        && nalu_compression_session_set_multi_pass_storage(session, storage) == NALU_STATUS_OK;
    if (!is_good) fail("the session", nalu_last_error_message());
    is_good = is_good && encode_passes(session, clip, output, (double)bitrate);
    nalu_compression_session_release(session); /* no callback is called after this */
    nalu_multi_pass_storage_release(storage);  /* removes the files of the passes */
    return is_good;
}

int main(int argc, char **argv) {
    struct clip clip = {0};
    struct output output = {0};
    char *end = "";
    long long bitrate = argc >= 4 ? strtoll(argv[3], &end, 10) : 0;
    int is_good;
    if (argc < 4 || argc > 5 || *end || bitrate <= 0) {
        fputs("usage: two_pass IN.y4m OUT.h264 BITRATE [NAME=VALUE,...]     BITRATE is in bits per second\n", stderr);
        return 2;
    }
    is_good = open_clip(&clip, argv[1]);
    if (is_good && !(output.file = fopen(argv[2], "wb"))) is_good = fail(argv[2], strerror(errno));
    is_good = is_good && encode(&clip, &output, bitrate, argc == 5 ? argv[4] : "");
    if (output.file && fclose(output.file) != 0) is_good = fail(argv[2], strerror(errno));
    if (clip.file) fclose(clip.file);
    free(clip.pixels);
    free(output.bytes);
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
