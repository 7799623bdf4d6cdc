/* For samples with very many small NAL units, the time of the decoder and the writer grows in proportion to
 * their size. */
#include "decode_support.h"
#include "hevc_records.h"
#include "tiny_units.h"

static decode_recorder all = DECODE_RECORDER_INIT;
static clip c;
static nalu_sample *hevc_sample;

static void decode(size_t size) {
    static const uint8_t header[] = {NALU_NAL_SEI};
    nalu_sample *sample = with_tiny_units(c.samples[0], header, sizeof header, size, 0);
    nalu_decompression_session *session = make_decoder(&c, record_decoded, &all);
    CHECK_OK(nalu_decompression_session_decode_frame(session, sample, 0, FRAME(0), NULL));
    CHECK_OK(wait_all(session));
    CHECK_EQ(all.count, 1);
    end_decoder(session, &all);
    nalu_sample_release(sample);
}

static void decoding_takes_linear_time(void) {
    make_clip(&c, 3, false);
    check_linear(decode);
    clip_close(&c);
}

/* The writer searches for the slice of a recovery point, to know whether players can begin there. */
static void write_recovery_point(size_t size) {
    static const uint8_t header[] = {NALU_HEVC_NAL_PREFIX_SEI << 1, 1};
    nalu_sample *sample = with_tiny_units(hevc_sample, header, sizeof header, size,
                                          NALU_SAMPLE_NOT_SYNC | NALU_SAMPLE_PARTIAL_SYNC);
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    options.flags = NALU_WRITER_OVERWRITE;
    nalu_writer *writer = media_writer_to(test_path("tiny.mp4"), &options);
    uint32_t track = 9;
    REQUIRE_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(sample), NULL, &track));
    CHECK_OK(nalu_writer_write_sample(writer, track, sample));
    media_finish(writer);
    nalu_sample_release(sample);
}

static void writing_takes_linear_time(void) {
    static const uint8_t slice[] = {0, 0, 0, 4, NALU_HEVC_NAL_CRA << 1, 1, 0xac, 0x80};
    nalu_format_description *format = hevc_format(&hevc_records[0]);
    REQUIRE_OK(nalu_sample_create(slice, sizeof slice, format, nalu_time_make(0, 25), nalu_time_make(1, 25),
                                  nalu_time_invalid(), 0, &hevc_sample));
    nalu_format_description_release(format);
    check_linear(write_recovery_point);
    nalu_sample_release(hevc_sample);
}

int main(void) {
    RUN(decoding_takes_linear_time);
    RUN(writing_takes_linear_time);
    return check_result();
}
