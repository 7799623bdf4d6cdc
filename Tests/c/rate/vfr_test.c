/*
 * Frames at varying rates: 30 per second, 5 per second, none for three seconds, 60 per second. Key frames follow time,
 * and the bit rate is per second, not per frame.
 */
#define RATE_SHRINK 2
#include "rate_clip.h"

typedef struct vfr_log {
    rate_log rate;
    double presented[4096];
    int key[4096];
    double qp[4096];
} vfr_log;

static void take(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    vfr_log *log = (vfr_log *)refcon;
    if (sample) {
        log->presented[log->rate.count] = nalu_time_get_seconds(nalu_sample_get_presentation_time(sample));
        log->key[log->rate.count] = nalu_sample_is_key_frame(sample);
        log->qp[log->rate.count] = nalu_sample_get_average_qp(sample);
    }
    rate_take(&log->rate, frame, status, flags, sample);
}

enum { RATE = 250000 };

static void encode_unevenly(vfr_log *log, const char *properties) {
    memset(log, 0, sizeof *log);
    REQUIRE_OK(nalu_compression_session_create(RATE_WIDTH, RATE_HEIGHT, NALU_CODEC_H264, NULL, NULL, take, log, NULL,
                                               &log->rate.session));
    CHECK_OK(nalu_session_set_properties_from_text(log->rate.session, properties));
    int64_t time = 0; /* in 600ths of a second */
    for (int frame = 0; time < 12 * 600; frame++) {
        rate_encode(&log->rate, rate_picture(frame), nalu_time_make(time, 600));
        time += time < 3 * 600 ? 20 : time < 6 * 600 ? 120 : time == 6 * 600 ? 3 * 600 : 10;
    }
    rate_finish(&log->rate);
}

/* Checks that the first frame at least `duration` after a key frame is a key frame. */
static void check_key_frames(const vfr_log *log, double duration) {
    double last = log->presented[0];
    CHECK(log->key[0]);
    for (int i = 1; i < log->rate.count; i++) {
        if (log->key[i]) last = log->presented[i];
        CHECK(log->presented[i] - last < duration + 1e-9);
    }
    CHECK_NEAR(log->rate.key_frames, 6, 1);
}

static void hold(const char *name, const char *mode, double least, double most) {
    static vfr_log log;
    char text[200];
    /* One thread: with several, x264's VBV buffer depends on the progress of each thread, and so on the
     * machine's load. */
    snprintf(text, sizeof text,
             "AverageBitRate=%d,MaxKeyFrameIntervalDuration=2,x264.params=\"scenecut=0:threads=1\"%s", RATE, mode);
    encode_unevenly(&log, text);
    check_key_frames(&log, 2);
    double even = rate_bytes(&log.rate, 1, 2) * 8 / 2 / RATE, seldom = rate_bytes(&log.rate, 4, 2) * 8 / 2 / RATE;
    double often = rate_bytes(&log.rate, 10, 1.9) * 8 / 1.9 / RATE;
    printf("  %s: %.2f of the rate at 30 per second, %.2f at 5, %.2f at 60\n", name, even, seldom, often);
    CHECK(even > least && even < most);
    CHECK(seldom > least && seldom < most);
    CHECK(often > least && often < most);
}

static void key_frames_and_rate_follow_presentation_times(void) {
    hold("real time", ",RealTime=true", 0.75, 1.2);
    /* After the gap the VBV buffer is full: it holds one second of the rate. */
    hold("file", ",x264.preset=veryfast", 0.75, 1 + 1 / 1.9 + 0.1);
}

/* Screen recorders write pairs of frames with close times. A constant quality is independent of the distance: x264 adds
 * about 5 to the QP of a frame of 10 ms, and no more to that of a shorter one. */
static void close_frames_keep_their_quality(void) {
    static const char *const modes[] = {"Quality=0.9", "Quality=0.5", "Quality=0.9,RealTime=true"};
    for (int mode = 0; mode < 3; mode++) {
        double highest[2] = {0, 0};
        for (int is_close = 0; is_close < 2; is_close++) {
            static vfr_log log;
            memset(&log, 0, sizeof log);
            REQUIRE_OK(nalu_compression_session_create(RATE_WIDTH, RATE_HEIGHT, NALU_CODEC_H264, NULL, NULL, take, &log, NULL,
                                                       &log.rate.session));
            CHECK_OK(nalu_session_set_properties_from_text(log.rate.session, modes[mode]));
            for (int frame = 0; frame < 40; frame++) {
                int64_t time = frame * 3600;
                if (is_close && frame % 10 == 5) time -= 3599;
                rate_encode(&log.rate, rate_picture(frame), nalu_time_make(time, 90000));
            }
            rate_finish(&log.rate);
            for (int i = 0; i < log.rate.count; i++)
                if (log.qp[i] > highest[is_close]) highest[is_close] = log.qp[i];
        }
        printf("  %s: highest mean QP of a frame %.1f, %.1f with close frames\n", modes[mode], highest[0], highest[1]);
        CHECK(highest[1] <= highest[0] + 7);
    }
}

int main(void) {
    rate_load();
    RUN(close_frames_keep_their_quality);
    RUN(key_frames_and_rate_follow_presentation_times);
    return check_result();
}
