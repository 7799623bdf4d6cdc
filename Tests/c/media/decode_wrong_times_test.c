/* Samples whose presentation times are their decode times, as in MP4 files copied from raw streams. The
 * bitstream determines the order. */
#include "decode_support.h"

enum { FRAMES = 48, STEP = 3600 };

static decode_recorder expected = DECODE_RECORDER_INIT, all = DECODE_RECORDER_INIT;

/* Makes the samples of a stream that the ffmpeg command encodes. */
static size_t make_samples(const char *options, const char *name, nalu_sample **samples) {
    int status = 0;
    const char *path = test_path(name);
    media_run(&status, "ffmpeg -nostdin -v error -y -f lavfi -i 'testsrc2=s=128x96:r=25' -frames:v %d %s '%s' 2>&1", FRAMES,
              options, path);
    REQUIRE(status == 0);
    REQUIRE(stream_samples(path, samples, FRAMES) == FRAMES);
    return FRAMES;
}

static nalu_sample *moved_to(const nalu_sample *sample, nalu_time presentation, nalu_time decode, nalu_time duration) {
    size_t size = 0;
    const uint8_t *data = nalu_sample_get_data(sample, &size);
    nalu_sample *moved = NULL;
    REQUIRE_OK(nalu_sample_create(data, size, nalu_sample_get_format_description(sample), presentation, duration, decode,
                                  nalu_sample_get_attachments(sample), &moved));
    return moved;
}

/* Returns the sample with the time of its position in decode order. */
static nalu_sample *at_decode_time(const nalu_sample *sample, size_t number) {
    nalu_time time = nalu_time_make((int64_t)number * STEP, 90000);
    return moved_to(sample, time, time, nalu_time_make(STEP, 90000));
}

static void decode(nalu_sample **samples, uint32_t flags, int threads, uint32_t asynchronous, decode_recorder *recorder) {
    nalu_decompression_session *session = make_decoder_with(nalu_sample_get_format_description(samples[0]), flags, threads,
                                                            record_decoded, recorder);
    for (size_t i = 0; i < FRAMES; i++)
        CHECK_OK(nalu_decompression_session_decode_frame(session, samples[i], asynchronous, FRAME(i), NULL));
    CHECK_OK(wait_all(session));
    CHECK_EQ(check_each_once(recorder, FRAMES), FRAMES);
    nalu_decompression_session_release(session);
}

static void check_stream(const char *options, const char *name) {
    nalu_sample *samples[FRAMES], *moved[FRAMES];
    make_samples(options, name, samples);
    for (size_t i = 0; i < FRAMES; i++) moved[i] = at_decode_time(samples[i], i);
    decode(samples, 0, 1, 0, &expected);
    size_t late = 0;
    for (int threads = 1; threads <= 3; threads++)
        for (uint32_t flags = 0; flags <= NALU_DECODER_DROP_UNTIL_KEY_FRAME; flags += NALU_DECODER_DROP_UNTIL_KEY_FRAME) {
            decode(moved, flags, threads, threads > 1 ? ASYNCHRONOUS : 0, &all);
            for (size_t i = 0; i < FRAMES; i++) {
                const decoded *it = &all.results[i];
                CHECK_STATUS(it->status, NALU_STATUS_OK);
                CHECK_EQ(it->flags & NALU_DECODE_INFO_DAMAGED, 0);
                CHECK_EQ(FRAME_NUMBER(it->frame_refcon), FRAME_NUMBER(expected.results[i].frame_refcon));
                CHECK_EQ(nalu_time_compare(it->time, nalu_time_make((int64_t)i * STEP, 90000)), 0);
                late += FRAME_NUMBER(it->frame_refcon) != i;
                size_t size = 0, length = 0;
                uint8_t *image = image_bytes(it->image, &length), *right = image_bytes(expected.results[i].image, &size);
                if (CHECK_EQ(length, size)) CHECK_BYTES(image, right, length);
                free(image);
                free(right);
            }
            decoded_clear(&all);
        }
    /* The stream has reordered pictures. */
    CHECK(late > 0);
    decoded_clear(&expected);
    for (size_t i = 0; i < FRAMES; i++) {
        nalu_sample_release(samples[i]);
        nalu_sample_release(moved[i]);
    }
}

static void pictures_with_wrong_times_are_in_output_order(void) {
    check_stream("-c:v libx264 -x264-params bframes=3:b-pyramid=normal:b-adapt=0:keyint=17 -pix_fmt yuv420p", "a.h264");
    check_stream("-c:v libx264 -x264-params bframes=3:b-adapt=0:open-gop=1:keyint=13 -pix_fmt yuv420p", "b.h264");
    check_stream("-c:v libx264 -x264-params bframes=2:b-adapt=0:slices=3:keyint=48 -pix_fmt yuv420p", "c.h264");
    check_stream("-c:v libx264 -x264-params bframes=2:b-adapt=0:interlaced=1:keyint=20 -pix_fmt yuv420p", "d.h264");
    check_stream("-c:v libx265 -x265-params log-level=none:bframes=4:b-adapt=0:keyint=15 -pix_fmt yuv420p", "e.h265");
    check_stream("-c:v libx265 -x265-params log-level=none:bframes=3:b-adapt=0:open-gop=0:radl=2:keyint=16 -pix_fmt yuv420p",
                 "f.h265");
}

/* Neither the loss detector nor the decoder takes samples with decode times only for a loss, also if those before
 * sample `from` have their presentation times. Durations are not known, as in a file with reordered pictures. */
static void check_no_loss(const char *options, const char *name, size_t from) {
    nalu_sample *samples[FRAMES];
    make_samples(options, name, samples);
    nalu_loss_detector *detector = NULL;
    REQUIRE_OK(nalu_loss_detector_create(&detector));
    for (size_t i = 0; i < FRAMES; i++) {
        nalu_time decoded = nalu_sample_get_decode_time(samples[i]);
        nalu_time time = i < from ? nalu_sample_get_presentation_time(samples[i]) : decoded;
        nalu_sample *moved = moved_to(samples[i], time, decoded, nalu_time_invalid());
        nalu_sample_release(samples[i]);
        samples[i] = moved;
        int32_t loss = 9;
        CHECK_OK(nalu_loss_detector_check(detector, samples[i], &loss));
        if (!CHECK_EQ(loss, NALU_LOSS_NONE)) fprintf(stderr, "%s, sample %zu of wrong times from %zu on\n", name, i, from);
    }
    nalu_loss_detector_release(detector);
    decode(samples, NALU_DECODER_DROP_UNTIL_KEY_FRAME, 1, 0, &all);
    for (size_t i = 0; i < FRAMES; i++) {
        CHECK_STATUS(all.results[i].status, NALU_STATUS_OK);
        nalu_sample_release(samples[i]);
    }
    decoded_clear(&all);
}

static void wrong_times_are_not_reported_as_loss(void) {
    static const size_t from[] = {0, 20, 29};
    for (size_t k = 0; k < sizeof from / sizeof from[0]; k++) {
        check_no_loss("-c:v libx264 -x264-params bframes=3:b-adapt=0:keyint=17 -pix_fmt yuv420p", "g.h264", from[k]);
        check_no_loss("-c:v libx264 -x264-params bframes=3:b-pyramid=normal:b-adapt=0:keyint=48 -pix_fmt yuv420p", "h.h264",
                      from[k]);
        check_no_loss("-c:v libx265 -x265-params log-level=none:bframes=4:b-adapt=0:keyint=48 -pix_fmt yuv420p", "i.h265",
                      from[k]);
    }
}

int main(void) {
    RUN(pictures_with_wrong_times_are_in_output_order);
    RUN(wrong_times_are_not_reported_as_loss);
    return check_result();
}
