/*
 * The same as examples/videotoolbox/vt_live_encoder.c and VTLiveEncoder, with libnalu's own interface. The streams
 * have to be equal, byte for byte.
 *
 *     plain_live_encoder WIDTH HEIGHT FRAMES_PER_SECOND BITS_PER_SECOND <IN.nv12 >OUT.h264
 */
#include <nalu/nalu.h>
#include <stdio.h>
#include <stdlib.h>

static void write_unit(const uint8_t *bytes, size_t size) {
    static const uint8_t start_code[4] = {0, 0, 0, 1};
    if (fwrite(start_code, 1, 4, stdout) != 4 || fwrite(bytes, 1, size, stdout) != size) exit(1);
}

static void write_sample(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    (void)refcon, (void)frame, (void)flags;
    if (status != NALU_STATUS_OK || !sample) exit(1);
    const nalu_format_description *format = nalu_sample_get_format_description(sample);
    size_t offset = 0, size = 0;
    for (uint32_t i = 0; nalu_sample_is_key_frame(sample) && i < nalu_format_description_get_parameter_set_count(format); i++) {
        const uint8_t *set = nalu_format_description_get_parameter_set(format, i, &size);
        write_unit(set, size);
    }
    for (const uint8_t *unit; (unit = nalu_sample_next_nal(sample, &offset, &size)) != NULL;) write_unit(unit, size);
}

static nalu_status configure(nalu_compression_session *session, int rate, int bits_a_second) {
    const double limit[2] = {bits_a_second / 8 * 3 / 2, 1};
    nalu_status status = nalu_session_set_bool(session, NALU_PROPERTY_REAL_TIME, 1);
    if (status == NALU_STATUS_OK) status = nalu_session_set_bool(session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 0);
    if (status == NALU_STATUS_OK)
        status = nalu_session_set_string(session, NALU_PROPERTY_PROFILE_LEVEL, "H264_Main_AutoLevel");
    if (status == NALU_STATUS_OK) status = nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, bits_a_second);
    if (status == NALU_STATUS_OK) status = nalu_session_set_numbers(session, NALU_PROPERTY_DATA_RATE_LIMITS, limit, 2);
    if (status == NALU_STATUS_OK) status = nalu_session_set_double(session, NALU_PROPERTY_EXPECTED_FRAME_RATE, rate);
    if (status == NALU_STATUS_OK) status = nalu_session_set_int64(session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, rate * 2);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    const int width = atoi(argv[1]), height = atoi(argv[2]), rate = atoi(argv[3]);
    const size_t luma = (size_t)width * (size_t)height, chroma = (size_t)(width + 1) / 2 * 2 * (size_t)((height + 1) / 2);
    uint8_t *picture = malloc(luma + chroma);
    const void *planes[2] = {picture, picture + luma};
    const int64_t strides[2] = {width, (width + 1) / 2 * 2};
    const uint64_t sizes[2] = {luma, chroma};
    nalu_compression_session *session = NULL;
    nalu_status status =
        nalu_compression_session_create(width, height, NALU_CODEC_H264, NULL, NULL, write_sample, NULL, NULL, &session);
    if (status == NALU_STATUS_OK) status = configure(session, rate, atoi(argv[4]));
    for (int64_t n = 0; picture && status == NALU_STATUS_OK && fread(picture, 1, luma + chroma, stdin) == luma + chroma; n++)
        status = nalu_compression_session_encode_planes(session, width, height, NALU_PIXEL_FORMAT_420V, 2, planes, strides,
            sizes, nalu_time_make(n, rate), nalu_time_make(1, rate), NULL, NULL, NULL);
    if (status == NALU_STATUS_OK) status = nalu_compression_session_complete_frames(session, nalu_time_invalid());
    if (status != NALU_STATUS_OK) fprintf(stderr, "plain_live_encoder: %s\n", nalu_last_error_message());
    nalu_compression_session_release(session);
    free(picture);
    return status == NALU_STATUS_OK && fflush(stdout) == 0 ? 0 : 1;
}
