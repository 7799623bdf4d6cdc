/*
 * Copies the video and the audio of a file into another container, without encoding them again.
 *
 *     remux IN OUT
 *
 * The extension of OUT names the container: .mp4, .mov, .mkv, .ts, .flv, .h264, .h265. The samples and their times stay
 * as they are; a raw stream gets the times that its parameter sets state. Audio that the container does not support is left
 * out.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <nalu/media.h>
#include <nalu/nalu.h>
#include <stdio.h>
#include <stdlib.h>

/* Copies the samples and returns their number; -1 if something fails, with its message in nalu_last_error_message. */
static long copy_samples(nalu_reader *reader, nalu_writer *writer) {
    nalu_writer_track_options options = NALU_WRITER_TRACK_OPTIONS_INIT;
    nalu_sample *sample = NULL;
    nalu_status status;
    uint32_t track = 0, added = 0;
    long count = 0;
    while ((status = nalu_reader_next_sample(reader, &track, &sample)) == NALU_STATUS_OK) {
        /* Nothing before the first key frame or recovery point can be decoded. */
        if (count > 0 || nalu_sample_is_key_frame(sample)
            || nalu_sample_get_attachments(sample) & NALU_SAMPLE_PARTIAL_SYNC) {
            if (count == 0)
                status = nalu_writer_add_track(writer, nalu_sample_get_format_description(sample), &options, &added);
            if (status == NALU_STATUS_OK) status = nalu_writer_write_sample(writer, added, sample);
            count++;
        }
        nalu_sample_release(sample);
        if (status != NALU_STATUS_OK) return -1;
    }
    /* VALUE_NOT_AVAILABLE is the end of the input. */
    if (status != NALU_STATUS_VALUE_NOT_AVAILABLE) return -1;
    return count == 0 || nalu_writer_finish(writer) == NALU_STATUS_OK ? count : -1;
}

/* Lets the reader pass the packets of the audio tracks to the writer, while it returns the samples of the video. */
static nalu_status copy_audio(nalu_reader *reader, nalu_writer *writer) {
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
        && copy_audio(reader, writer) == NALU_STATUS_OK)
        count = copy_samples(reader, writer);
    if (count < 0)
        fprintf(stderr, "remux: %s\n", nalu_last_error_message());
    else
        printf("%s: %ld samples of %s\n", argv[2], count, argv[1]);
    nalu_writer_release(writer);
    nalu_reader_release(reader);
    return count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
