/* A client that writes two seconds of grey as a fragmented MP4 to standard output. */
#include <nalu/media.h>
#include <stdio.h>
#include <string.h>

static nalu_writer *writer;
static nalu_status result;

static void got_frame(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    static int has_track;
    (void)refcon, (void)frame, (void)flags;
    if (result == NALU_STATUS_OK) result = status;
    if (result != NALU_STATUS_OK || sample == NULL) return;
    if (!has_track) result = nalu_writer_add_track(writer, nalu_sample_get_format_description(sample), NULL, NULL);
    has_track = 1;
    if (result == NALU_STATUS_OK) result = nalu_writer_write_sample(writer, 0, sample);
}

int main(void) {
    static uint8_t pixels[320 * 180 * 4];
    const void *planes[1] = {pixels};
    const int64_t strides[1] = {320 * 4};
    nalu_compression_session *session = NULL;
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    options.flags = NALU_WRITER_FRAGMENTED;
    nalu_status status = nalu_writer_create_with_file_descriptor(1, "mp4", &options, &writer);
    if (status == NALU_STATUS_OK)
        status = nalu_compression_session_create(320, 180, NALU_CODEC_H264, NULL, NULL, got_frame, NULL, NULL, &session);
    for (int i = 0; i < 60 && status == NALU_STATUS_OK; i++) {
        memset(pixels, i * 4, sizeof pixels);
        status = nalu_compression_session_encode_planes(session, 320, 180, NALU_PIXEL_FORMAT_BGRA, 1, planes, strides,
                                                        NULL, nalu_time_make(i, 30), nalu_time_make(1, 30), NULL, NULL,
                                                        NULL);
    }
    if (status == NALU_STATUS_OK) status = nalu_compression_session_complete_frames(session, nalu_time_invalid());
    if (status == NALU_STATUS_OK) status = result;
    if (status == NALU_STATUS_OK) status = nalu_writer_finish(writer);
    if (status != NALU_STATUS_OK) fprintf(stderr, "%s\n", nalu_last_error_message());
    nalu_compression_session_release(session);
    nalu_writer_release(writer);
    return status == NALU_STATUS_OK ? 0 : 1;
}
