/*
 * Decodes the video of any file, encodes it again, and writes an MP4 with the same times and a copy of the audio.
 *
 *     transcoder IN OUT.mp4 [BITRATE]
 *
 * BITRATE is in bits per second; without it the quality is constant. Reader, decompression session, compression session and
 * writer each call the next. Decoded images are encoded without a copy.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <nalu/media.h>
#include <nalu/nalu.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct transcoder {
    nalu_compression_session *encoder;
    nalu_writer *writer;
    int has_track;
    uint32_t track;
    long encoded, lost;      /* lost: samples without an image */
    pthread_mutex_t lock;    /* for status, which the callbacks of both sessions set */
    nalu_status status;      /* the first failure; its message is on stderr */
};

/* Keeps the first failure. `message`: NULL for that of the call of libnalu that failed last in this thread. */
static void note(struct transcoder *it, nalu_status status, const char *message) {
    pthread_mutex_lock(&it->lock);
    if (status != NALU_STATUS_OK && it->status == NALU_STATUS_OK) {
        it->status = status;
        fprintf(stderr, "transcoder: %s\n", message ? message : nalu_last_error_message());
    }
    pthread_mutex_unlock(&it->lock);
}

static nalu_status first_failure(struct transcoder *it) {
    pthread_mutex_lock(&it->lock);
    nalu_status status = it->status;
    pthread_mutex_unlock(&it->lock);
    return status;
}

/* Called on the compression session's thread, in decode order. */
static void got_sample(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    struct transcoder *it = refcon;
    (void)frame, (void)flags;
    if (status != NALU_STATUS_OK) note(it, status, nalu_status_string(status));
    if (!sample || first_failure(it) != NALU_STATUS_OK) return;
    if (!it->has_track) {
        /* The encoder's parameter sets are known now. */
        nalu_format_description *format = nalu_sample_get_format_description(sample);
        note(it, nalu_writer_add_track(it->writer, format, NULL, &it->track), NULL);
        it->has_track = 1;
    }
    if (first_failure(it) == NALU_STATUS_OK)
        note(it, nalu_writer_write_sample(it->writer, it->track, sample), NULL);
    it->encoded++;
}

/* Called on the decompression session's thread, in presentation order. */
static void got_picture(void *refcon, void *frame, nalu_status status, nalu_decode_info_flags flags,
                        nalu_pixel_buffer *image, nalu_time presentation_time, nalu_time duration) {
    struct transcoder *it = refcon;
    (void)frame, (void)flags, (void)status;
    if (!image) {
        it->lost++;
        return;
    }
    nalu_callback_allow_waits(1); /* until the encoder has room */
    status = nalu_compression_session_encode_frame(it->encoder, image, presentation_time, duration, NULL, NULL, NULL);
    note(it, status, NULL);
}

static int transcode(const char *input, const char *output, int64_t bit_rate) {
    struct transcoder it = {.lock = PTHREAD_MUTEX_INITIALIZER, .status = NALU_STATUS_OK};
    nalu_reader *reader = NULL;
    nalu_decompression_session *decoder = NULL;
    nalu_format_description *format = NULL;
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    nalu_reader_track track = {.struct_size = sizeof track};
    nalu_sample *sample = NULL;
    uint32_t number = 0;

    nalu_status status = nalu_reader_create_with_path(input, NULL, &reader);
    while (status == NALU_STATUS_OK && number < nalu_reader_get_track_count(reader)) {
        status = nalu_reader_get_track(reader, number, &track);
        if (track.flags & NALU_TRACK_SELECTED) break;
        number++;
    }
    format = nalu_reader_get_format_description(reader, number);
    options.flags = NALU_WRITER_OVERWRITE;
    if (status == NALU_STATUS_OK)
        status = nalu_compression_session_create(track.width, track.height, NALU_CODEC_H264, NULL, NULL, got_sample, &it,
                                                 NULL, &it.encoder);
    if (status == NALU_STATUS_OK && track.nominal_frame_rate > 0)
        status = nalu_session_set_double(it.encoder, NALU_PROPERTY_EXPECTED_FRAME_RATE, track.nominal_frame_rate);
    if (status == NALU_STATUS_OK && bit_rate > 0)
        status = nalu_session_set_int64(it.encoder, NALU_PROPERTY_AVERAGE_BIT_RATE, bit_rate);
    if (status == NALU_STATUS_OK) status = nalu_writer_create_with_path(output, NULL, &options, &it.writer);
    for (uint32_t other = 0; status == NALU_STATUS_OK && other < nalu_reader_get_track_count(reader); other++) {
        nalu_reader_track facts = {.struct_size = sizeof facts};
        status = nalu_reader_get_track(reader, other, &facts);
        if (status != NALU_STATUS_OK || facts.media_type != NALU_MEDIA_TYPE_AUDIO) continue;
        status = nalu_writer_add_track_from_reader(it.writer, reader, other, NULL);
        /* MP4 does not support every audio codec. */
        if (status == NALU_STATUS_UNSUPPORTED_DATA_FORMAT) status = NALU_STATUS_OK;
    }
    if (status == NALU_STATUS_OK)
        status = nalu_decompression_session_create(format, NULL, NULL, got_picture, &it, NULL, &decoder);

    while (status == NALU_STATUS_OK && first_failure(&it) == NALU_STATUS_OK) {
        status = nalu_reader_next_sample(reader, NULL, &sample);
        if (status != NALU_STATUS_OK) break;
        status = nalu_decompression_session_decode_frame(decoder, sample, NALU_DECODE_FRAME_ASYNCHRONOUS, NULL, NULL);
        nalu_sample_release(sample);
    }
    if (status == NALU_STATUS_VALUE_NOT_AVAILABLE) /* the end */
        status = nalu_decompression_session_wait_for_asynchronous_frames(decoder);
    if (status == NALU_STATUS_OK) status = nalu_compression_session_complete_frames(it.encoder, nalu_time_invalid());
    if (status == NALU_STATUS_OK) status = first_failure(&it);
    if (status == NALU_STATUS_OK) status = nalu_writer_finish(it.writer);
    if (status != NALU_STATUS_OK && it.status == NALU_STATUS_OK)
        fprintf(stderr, "transcoder: %s\n", nalu_last_error_message());

    /* In this order, so that no object calls one that has been released. */
    nalu_reader_release(reader);
    nalu_decompression_session_release(decoder);
    nalu_compression_session_release(it.encoder);
    nalu_writer_release(it.writer);
    if (status == NALU_STATUS_OK) printf("%s: %ld pictures, %ld samples without one\n", output, it.encoded, it.lost);
    return status == NALU_STATUS_OK;
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: transcoder IN OUT.mp4 [BITRATE]\n");
        return EXIT_FAILURE;
    }
    return transcode(argv[1], argv[2], argc > 3 ? strtoll(argv[3], NULL, 10) : 0) ? EXIT_SUCCESS : EXIT_FAILURE;
}
