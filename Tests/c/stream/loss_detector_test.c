/* Lost reference pictures: each loss is reported once, and nothing else. */
#include "clip.h"
#include "loss_checks.h"
#include "refusal.h"

static int is_reference(const nalu_sample *sample) {
    return (nalu_sample_get_attachments(sample) & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS) != 0;
}

static void make(clip *c, const char *parameters, int64_t interval, int32_t frames) {
    clip_open(c, 64, 48);
    REQUIRE_OK(nalu_session_set_string(c->session, NALU_PROPERTY_X264_PARAMS, parameters));
    REQUIRE_OK(nalu_session_set_int64(c->session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, interval));
    clip_encode_all(c, frames);
}

/* Leaves out up to three samples at each place. Lost references are reported with the next sample, unless it is
 * a key frame. Without lost references nothing is reported. */
static void check_every_loss(const clip *c) {
    for (int32_t count = 0; count <= 3; count++)
        for (int32_t first = 1; first + count < c->count; first++) {
            nalu_loss_detector *detector = make_detector();
            int lost = 0;
            for (int32_t i = 0; i < c->count; i++) {
                if (i >= first && i < first + count) {
                    lost |= is_reference(c->samples[i]);
                    continue;
                }
                int32_t missing = check(detector, c->samples[i]);
                int expected = i == first + count && lost && !nalu_sample_is_key_frame(c->samples[i]);
                if (!CHECK_EQ(missing, expected)) fprintf(stderr, "%d of %d lost, at %d\n", count, first, i);
            }
            nalu_loss_detector_release(detector);
        }
}

static void every_loss_is_reported_once(void) {
    static const struct {
        const char *parameters;
        int64_t interval;
    } kinds[] = {
        {"threads=1:bframes=0:ref=1:scenecut=0", 17}, /* after each 17 references frame_num is 0, as in a key
                                                       * frame */
        {"threads=1:bframes=0:ref=2:scenecut=0", 16},
        {"threads=1:bframes=0:ref=2:scenecut=0", 33},
        {"threads=1:bframes=3:b-adapt=0:b-pyramid=none:scenecut=0", 68},
        {"threads=1:bframes=3:b-adapt=0:b-pyramid=normal:scenecut=0", 33},
        {"threads=1:bframes=2:b-adapt=1:b-pyramid=normal:scenecut=0", 1000},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        clip c;
        make(&c, kinds[i].parameters, kinds[i].interval, 100);
        check_every_loss(&c);
        clip_close(&c);
    }
}

static void detection_can_begin_anywhere(void) {
    clip c;
    make(&c, "threads=1:bframes=3:b-adapt=0:b-pyramid=normal:scenecut=0", 30, 60);
    for (int32_t first = 0; first < c.count; first++) {
        nalu_loss_detector *detector = make_detector();
        for (int32_t i = first; i < c.count; i++) CHECK_EQ(check(detector, c.samples[i]), 0);
        nalu_loss_detector_release(detector);
    }
    clip_close(&c);
}

static void wrong_arguments_are_refused(void) {
    static zeros nothing;
    clip c;
    make(&c, "threads=1", 30, 2);
    nalu_loss_detector *detector = make_detector();
    int32_t missing = 9;
    CHECK_STATUS(nalu_loss_detector_create(NULL), NALU_STATUS_PARAMETER);
    REFUSED(nalu_loss_detector_check(NULL, c.samples[0], &missing), NALU_STATUS_PARAMETER, "detector");
    CHECK_EQ(missing, 0);
    REFUSED(nalu_loss_detector_check((nalu_loss_detector *)&nothing, c.samples[0], &missing), NALU_STATUS_INVALID_HANDLE,
            "detector", "nalu_loss_detector");
    REFUSED(nalu_loss_detector_check(detector, NULL, &missing), NALU_STATUS_PARAMETER, "sample");
    REFUSED(nalu_loss_detector_check(detector, (nalu_sample *)detector, &missing), NALU_STATUS_INVALID_HANDLE, "sample");
    REFUSED(nalu_loss_detector_check(detector, c.samples[0], NULL), NALU_STATUS_PARAMETER, "loss_out");
    static const uint8_t bytes[] = {0, 0, 0, 2, 9, 0x10, 0, 0, 0, 2, 0x65, 0};
    for (size_t size = 6; size <= 12; size += 6) {
        nalu_sample *sample = NULL;
        REQUIRE_OK(nalu_sample_create(bytes, size, nalu_sample_get_format_description(c.samples[0]), nalu_time_make(0, 1),
                                      nalu_time_invalid(), nalu_time_invalid(), 0, &sample));
        REFUSED(nalu_loss_detector_check(detector, sample, &missing), NALU_STATUS_BAD_DATA, "slice");
        nalu_sample_release(sample);
    }
    CHECK_PTR_EQ(nalu_loss_detector_retain(detector), detector);
    CHECK(nalu_loss_detector_retain(NULL) == NULL);
    nalu_loss_detector_release(NULL);
    nalu_loss_detector_release(detector);
    CHECK_EQ(check(detector, c.samples[0]), 0);
    nalu_loss_detector_release(detector);
    clip_close(&c);
}

int main(void) {
    RUN(every_loss_is_reported_once);
    RUN(detection_can_begin_anywhere);
    RUN(wrong_arguments_are_refused);
    return check_result();
}
