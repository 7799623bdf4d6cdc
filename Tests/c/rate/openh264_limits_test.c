/* DataRateLimits of OpenH264, which has no VBV buffer: every window holds, because frames are dropped. */
#define LIMITED_SHRINK 2
#include "limited_clips.h"

static const struct {
    const char *text;
    double limits[4];
} cases[] = {
    {"AverageBitRate=150000,DataRateLimits=[25000,1]", {25000, 1}},
    {"AverageBitRate=150000,DataRateLimits=[25000,1,5000,0.1]", {25000, 1, 5000, 0.1}},
    {"AverageBitRate=1250000,DataRateLimits=[25000,1]", {25000, 1}},
    {"Quality=1,DataRateLimits=[37500,1,7500,0.1]", {37500, 1, 7500, 0.1}},
    {"DataRateLimits=[15000,1]", {15000, 1}},
    {"AverageBitRate=100000,BaseLayerFrameRateFraction=0.5,DataRateLimits=[15000,1]", {15000, 1}},
    {"MaxAllowedFrameQP=30,AverageBitRate=75000,DataRateLimits=[15000,1]", {15000, 1}},
    {"MaxKeyFrameInterval=1,AverageBitRate=75000,DataRateLimits=[15000,1]", {15000, 1}},
};

static void every_window_holds(void) {
    begin_decoding();
    for (int k = 0; k < CLIPS; k++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            result it;
            double fullest = 0;
            nalu_compression_session *session = open_with(&it, cases[i].text);
            for (int frame = 0; frame < FRAMES; frame++) encode(session, &clips[k], frame, nalu_time_make(frame, RATE));
            finish(session, &it);
            CHECK_EQ(it.frames, FRAMES);
            for (int l = 0; l < 4 && cases[i].limits[l] > 0; l += 2)
                CHECK_EQ(windows_over(&it, 0, cases[i].limits[l], cases[i].limits[l + 1], &fullest), 0);
            printf("  %s, %s: %d dropped, %.2f full\n", clips[k].name, cases[i].text, it.dropped, fullest);
            CHECK(it.samples >= FRAMES / 15);
        }
    end_decoding();
}

static void a_limit_that_changes_holds_from_its_frame_on(void) {
    begin_decoding();
    for (int k = 0; k < CLIPS; k++) {
        result it;
        double fullest = 0;
        nalu_compression_session *session = open_with(&it, "AverageBitRate=300000");
        for (int frame = 0; frame < FRAMES; frame++) {
            if (frame == 75)
                REQUIRE_OK(nalu_session_set_properties_from_text(session, "AverageBitRate=75000,DataRateLimits=[12500,1]"));
            encode(session, &clips[k], frame, nalu_time_make(frame, RATE));
        }
        finish(session, &it);
        CHECK_EQ(windows_over(&it, 75.0 / RATE - 1e-6, 12500, 1, &fullest), 0);
    }
    end_decoding();
}

int main(void) {
    encoder_id = "org.openh264.openh264";
    RUN(every_window_holds);
    RUN(a_limit_that_changes_holds_from_its_frame_on);
    return check_result();
}
