/*
 * Decodes a byte stream as it arrives, and writes the pictures as raw frames.
 *
 *     some_source | stream_decoder [h264|hevc] > frames.nv12
 *
 * The bytes are Annex B, as in .h264 and .h265 files, and may arrive in blocks of any size: a stream parser makes samples
 * from them, and a decompression session decodes the samples. Corrupt data are reported on stderr, and decoding continues.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <nalu/media.h>
#include <nalu/nalu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct decoder {
    nalu_decompression_session *session; /* NULL before the first sample */
    long pictures, lost;
    int broken_pipe;
};

/* Called on the session's thread, in presentation order. */
static void got_picture(void *refcon, void *frame, nalu_status status, nalu_decode_info_flags flags,
                        nalu_pixel_buffer *image, nalu_time presentation_time, nalu_time duration) {
    struct decoder *it = refcon;
    (void)frame, (void)flags, (void)duration;
    if (!image) {
        fprintf(stderr, "no picture at %.3f s: %s\n", nalu_time_get_seconds(presentation_time), nalu_status_string(status));
        it->lost++;
        return;
    }
    for (uint32_t plane = 0; plane < nalu_pixel_buffer_get_plane_count(image); plane++) {
        const uint8_t *bytes = nalu_pixel_buffer_get_plane_base_address(image, plane);
        const int64_t stride = nalu_pixel_buffer_get_plane_stride(image, plane);
        /* The second plane of NV12 has interleaved Cb and Cr. */
        const size_t width = (size_t)nalu_pixel_buffer_get_plane_width(image, plane) * (plane + 1);
        const int32_t rows = nalu_pixel_buffer_get_plane_height(image, plane);
        for (int32_t row = 0; row < rows; row++)
            if (fwrite(bytes + row * stride, 1, width, stdout) != width) it->broken_pipe = 1;
    }
    it->pictures++;
}

/* Decodes one sample. The first sample's format description creates the session. */
static nalu_status decode(struct decoder *it, nalu_sample *sample) {
    if (!it->session) {
        nalu_destination_attributes attributes = NALU_DESTINATION_ATTRIBUTES_INIT;
        nalu_status status;
        attributes.pixel_format = NALU_PIXEL_FORMAT_420V;
        status = nalu_decompression_session_create(
            nalu_sample_get_format_description(sample), NULL, &attributes, got_picture, it, NULL, &it->session);
        if (status != NALU_STATUS_OK) return status;
    }
    return nalu_decompression_session_decode_frame(it->session, sample, NALU_DECODE_FRAME_ASYNCHRONOUS, NULL, NULL);
}

/* Decodes the samples that the parser has completed. */
static void drain(struct decoder *it, nalu_stream_parser *parser) {
    nalu_sample *sample = NULL;
    nalu_status status;
    while ((status = nalu_stream_parser_next(parser, &sample)) != NALU_STATUS_WOULD_BLOCK
           && status != NALU_STATUS_VALUE_NOT_AVAILABLE) {
        if (status == NALU_STATUS_OK) status = decode(it, sample);
        if (status != NALU_STATUS_OK) fprintf(stderr, "stream_decoder: %s\n", nalu_last_error_message());
        nalu_sample_release(sample);
    }
}

int main(int argc, char **argv) {
    static uint8_t bytes[1500];
    const int is_hevc = argc > 1 && strcmp(argv[1], "hevc") == 0;
    struct decoder it = {NULL, 0, 0, 0};
    nalu_stream_parser *parser = NULL;
    size_t size;
    if (nalu_stream_parser_create(is_hevc ? NALU_CODEC_HEVC : NALU_CODEC_H264, NULL, &parser) != NALU_STATUS_OK) {
        fprintf(stderr, "stream_decoder: %s\n", nalu_last_error_message());
        return EXIT_FAILURE;
    }
    while ((size = fread(bytes, 1, sizeof bytes, stdin)) > 0 && !it.broken_pipe) {
        /* An invalid time means that times follow from the stream's own rate. The time of arrival could be passed
         * instead. */
        if (nalu_stream_parser_push(parser, bytes, size, nalu_time_invalid()) != NALU_STATUS_OK) break;
        drain(&it, parser);
    }
    if (nalu_stream_parser_finish(parser) == NALU_STATUS_OK) drain(&it, parser);
    if (it.session && nalu_decompression_session_wait_for_asynchronous_frames(it.session) != NALU_STATUS_OK)
        fprintf(stderr, "stream_decoder: %s\n", nalu_last_error_message());
    nalu_decompression_session_release(it.session);
    nalu_stream_parser_release(parser);
    fprintf(stderr, "%ld pictures, %ld lost\n", it.pictures, it.lost);
    return it.pictures > 0 && it.lost == 0 && !it.broken_pipe ? EXIT_SUCCESS : EXIT_FAILURE;
}
