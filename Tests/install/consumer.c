/* A client of an installed libnalu: encodes ten grey frames and checks that each was delivered. */
#include <nalu/nalu.h>
#include <stdio.h>
#include <string.h>

static void got_frame(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                      nalu_sample *sample) {
    (void)frame_refcon;
    (void)flags;
    if (status == NALU_STATUS_OK && sample != NULL && nalu_sample_get_nal_count(sample) > 0) (*(int *)refcon)++;
}

int main(void) {
    static uint8_t pixels[320 * 180 * 4];
    const void *planes[1] = {pixels};
    const int64_t strides[1] = {320 * 4};
    nalu_compression_session *session = NULL;
    int frames = 0;
    nalu_status status = nalu_compression_session_create(320, 180, NALU_CODEC_H264, NULL, NULL, got_frame, &frames, NULL,
                                                         &session);
    for (int i = 0; i < 10 && status == NALU_STATUS_OK; i++) {
        memset(pixels, i * 20, sizeof pixels);
        status = nalu_compression_session_encode_planes(session, 320, 180, NALU_PIXEL_FORMAT_BGRA, 1, planes, strides,
                                                        NULL, nalu_time_make(i, 30), nalu_time_make(1, 30), NULL, NULL,
                                                        NULL);
    }
    if (status == NALU_STATUS_OK) status = nalu_compression_session_complete_frames(session, nalu_time_invalid());
    if (status != NALU_STATUS_OK) fprintf(stderr, "%s\n", nalu_last_error_message());
    nalu_compression_session_release(session);
    printf("C: nalu %s, %d frames\n", nalu_version_string(), frames);
    return status == NALU_STATUS_OK && frames == 10 ? 0 : 1;
}
