/*
 * Writes the video of a file as a stream with start codes, without encoding it again.
 *
 *     mp4_to_stream IN.mp4 OUT.h264|OUT.h265
 *
 * IN may have any container that a reader opens. Each key frame has the parameter sets before it, so that a decoder can
 * begin there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <nalu/media.h>
#include <nalu/nalu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes one sample. The buffer grows to the largest one. Returns a message; NULL if the sample was written. */
static const char *write_sample(nalu_sample *sample, FILE *file) {
    static uint8_t *bytes;
    static size_t capacity;
    size_t size = 0;
    /* Without a buffer the function returns the size. */
    nalu_status status = nalu_sample_copy_annex_b(sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES, NULL, 0, &size);
    if (status == NALU_STATUS_OK && size > capacity) {
        uint8_t *larger = realloc(bytes, size);
        if (!larger) return "there is no memory for a sample";
        bytes = larger;
        capacity = size;
    }
    if (status == NALU_STATUS_OK)
        status =
            nalu_sample_copy_annex_b(sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES, bytes, capacity, &size);
    if (status != NALU_STATUS_OK) return nalu_last_error_message();
    return fwrite(bytes, 1, size, file) == size ? NULL : "the stream cannot be written";
}

/* Checks that the name of the output is that of the codec. */
static const char *check_name(nalu_reader *reader, const char *path) {
    for (uint32_t track = 0; track < nalu_reader_get_track_count(reader); track++) {
        nalu_reader_track facts = {.struct_size = sizeof facts};
        if (nalu_reader_get_track(reader, track, &facts) != NALU_STATUS_OK) continue;
        if (!(facts.flags & NALU_TRACK_SELECTED)) continue;
        const char *extension = strcmp(facts.codec_name, "hevc") == 0 ? ".h265" : ".h264";
        const size_t length = strlen(path);
        if (length > 5 && strcmp(path + length - 5, extension) == 0) return NULL;
        return strcmp(extension, ".h265") == 0 ? "the video is H.265: name the output .h265"
                                               : "the video is H.264: name the output .h264";
    }
    return "the file has no video in H.264 or H.265";
}

int main(int argc, char **argv) {
    nalu_reader *reader = NULL;
    nalu_sample *sample = NULL;
    nalu_status status = NALU_STATUS_OK;
    const char *error = NULL;
    FILE *file = NULL;
    long count = 0;
    if (argc != 3) {
        fputs("usage: mp4_to_stream IN.mp4 OUT.h264|OUT.h265\n", stderr);
        return 2;
    }
    if (nalu_reader_create_with_path(argv[1], NULL, &reader) != NALU_STATUS_OK) error = nalu_last_error_message();
    if (!error) error = check_name(reader, argv[2]);
    if (!error && !(file = fopen(argv[2], "wb"))) error = "the output cannot be created";
    while (!error && (status = nalu_reader_next_sample(reader, NULL, &sample)) == NALU_STATUS_OK) {
        error = write_sample(sample, file);
        nalu_sample_release(sample);
        count++;
    }
    /* VALUE_NOT_AVAILABLE is the end of the input. */
    if (!error && status != NALU_STATUS_VALUE_NOT_AVAILABLE) error = nalu_last_error_message();
    if (file && fclose(file) != 0 && !error) error = "the stream cannot be written";
    if (error) fprintf(stderr, "mp4_to_stream: %s\n", error);
    else printf("%ld samples\n", count);
    nalu_reader_release(reader);
    return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
