/*
 * Puts the video of a file into another container, without encoding it anew, and its sound beside it.
 *
 *     remux IN OUT
 *
 * The ending of OUT tells the container: .mp4, .mov, .mkv, .ts, .flv, .h264, .h265. The samples and their times stay
 * as they are; a stream without a container gets the times that its parameter sets tell. Sound that the container does not
 * take is left out.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <nalu/media.h>
#include <nalu/nalu.h>
#include <stdio.h>
#include <stdlib.h>

/* Copies the samples, and returns how many; -1 when something fails, which nalu_last_error_message tells. */
static long copy_samples(nalu_reader *reader, nalu_writer *writer) {
    nalu_writer_track_options options = NALU_WRITER_TRACK_OPTIONS_INIT;
    nalu_sample *sample = NULL;
    nalu_status status;
    uint32_t track = 0, added = 0;
    long count = 0;
    while ((status = nalu_reader_next_sample(reader, &track, &sample)) == NALU_STATUS_OK) {
        /* Nothing before the first key frame can be decoded. */
        if (count > 0 || nalu_sample_is_key_frame(sample)) {
            if (count == 0)
                status = nalu_writer_add_track(writer, nalu_sample_get_format_description(sample), &options, &added);
            if (status == NALU_STATUS_OK) status = nalu_writer_write_sample(writer, added, sample);
            count++;
        }
        nalu_sample_release(sample);
        if (status != NALU_STATUS_OK) return -1;
    }
    /* VALUE_NOT_AVAILABLE is the end. */
    if (status != NALU_STATUS_VALUE_NOT_AVAILABLE) return -1;
    return count == 0 || nalu_writer_finish(writer) == NALU_STATUS_OK ? count : -1;
}

/* Has the sound go along: the reader hands it to the writer while it gives the samples of the video. */
static nalu_status pass_sound(nalu_reader *reader, nalu_writer *writer) {
    for (uint32_t track = 0; track < nalu_reader_get_track_count(reader); track++) {
        nalu_reader_track facts = {.struct_size = sizeof facts};
        nalu_status status = nalu_reader_get_track(reader, track, &facts);
        if (status == NALU_STATUS_OK && facts.media_type == NALU_MEDIA_TYPE_AUDIO)
            status = nalu_writer_add_track_from_reader(writer, reader, track, NULL);
        if (status != NALU_STATUS_OK && status != NALU_STATUS_UNSUPPORTED_DATA_FORMAT) return status;
    }
    return NALU_STATUS_OK;
}

int main(int argc, char **argv) {
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    nalu_reader *reader = NULL;
    nalu_writer *writer = NULL;
    long count = -1;
    if (argc != 3) {
        fputs("usage: remux IN OUT\n", stderr);
        return 2;
    }
    options.flags = NALU_WRITER_OVERWRITE;
    if (nalu_reader_create_with_path(argv[1], NULL, &reader) == NALU_STATUS_OK
        && nalu_writer_create_with_path(argv[2], NULL, &options, &writer) == NALU_STATUS_OK
        && pass_sound(reader, writer) == NALU_STATUS_OK)
        count = copy_samples(reader, writer);
    if (count < 0)
        fprintf(stderr, "remux: %s\n", nalu_last_error_message());
    else
        printf("%s: %ld samples of %s\n", argv[2], count, argv[1]);
    nalu_writer_release(writer);
    nalu_reader_release(reader);
    return count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
