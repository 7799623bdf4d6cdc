/*
 * DataRateLimits on hard clips: no window of decode time exceeds a limit, with one and two limits, with and
 * without B-frames. Frames are dropped before a limit is exceeded, and the delivered samples decode without
 * errors.
 */
#define LIMITED_SHRINK 2
#include "limited_clips.h"
#include "refusal.h"

/* `is_repeatable` is false with several threads, because x264's VBV buffer depends on their progress, and with
 * a governor, which depends on the time. */
static void no_window_is_over(int is_repeatable) {
    static result it;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        double fullest = 0;
        int over = 0, dropped[CLIPS] = {0};
        begin_decoding();
        for (int c = 0; c < CLIPS; c++) {
            if (!is_tried(c + (int)i)) continue;
            nalu_compression_session *session = open_with(&it, settings[i].text);
            if (is_repeatable)
                CHECK_OK(nalu_session_set_properties_from_text(session, "NaluRealTimeGovernor=false,x264.params=\"threads=1\""));
            for (int frame = 0; frame < FRAMES; frame++) encode(session, &clips[c], frame, nalu_time_make(frame, RATE));
            finish(session, &it);
            for (int k = 0; k < 4 && settings[i].limits[k] > 0; k += 2)
                over += windows_over(&it, -1, settings[i].limits[k], settings[i].limits[k + 1], &fullest);
            dropped[c] = it.dropped;
            if (is_repeatable) CHECK(it.dropped <= settings[i].most_dropped);
        }
        end_decoding();
        printf("  %s: fullest window %.3f of its limit, dropped %d %d %d %d %d of %d\n", settings[i].name, fullest, dropped[0],
               dropped[1], dropped[2], dropped[3], dropped[4], FRAMES);
        CHECK_EQ(over, 0);
    }
}

static void no_window_exceeds_a_limit(void) { no_window_is_over(0); }

static void no_frame_is_dropped_if_the_encoder_keeps_the_limit(void) { no_window_is_over(1); }

/* A tighter limit set while encoding holds in windows that begin with a frame encoded under it. */
static void a_tighter_limit_holds_from_the_next_frame_on(void) {
    static const char *const modes[] = {"RealTime=true,ExpectedFrameRate=30,AverageBitRate=500000,DataRateLimits=[75000,1]",
                                        "x264.preset=veryfast,AverageBitRate=500000,DataRateLimits=[75000,1]"};
    const double tight[2] = {20000, 1};
    begin_decoding();
    for (int mode = 0; mode < 2; mode++) {
        static result it;
        double fullest = 0;
        nalu_compression_session *session = open_with(&it, modes[mode]);
        for (int frame = 0; frame < FRAMES; frame++) {
            if (frame == 75) CHECK_OK(nalu_session_set_numbers(session, NALU_PROPERTY_DATA_RATE_LIMITS, tight, 2));
            encode(session, &clips[0], frame, nalu_time_make(frame, RATE));
        }
        finish(session, &it);
        CHECK_EQ(windows_over(&it, 75.0 / RATE, tight[0], 1, &fullest), 0);
        printf("  fullest window %.3f of the tighter limit, dropped %d\n", fullest, it.dropped);
        CHECK(it.samples > 75);
    }
    end_decoding();
}

/* Frames with gaps and bursts: windows are measured in time. */
static void limits_hold_with_gaps_and_bursts(void) {
    static const char *const modes[] = {"RealTime=true,AverageBitRate=150000,DataRateLimits=[25000,1]",
                                        "x264.preset=veryfast,AverageBitRate=150000,DataRateLimits=[25000,1]"};
    begin_decoding();
    for (int mode = 0; mode < 2; mode++) {
        static result it;
        double fullest = 0;
        int64_t ticks = 0;
        nalu_compression_session *session = open_with(&it, modes[mode]);
        for (int frame = 0; frame < FRAMES; frame++) {
            encode(session, &clips[frame / 30 % 2 ? 4 : 0], frame, nalu_time_make(ticks, 1000));
            ticks += frame < 50 ? 33 : frame < 70 ? 200 : frame == 70 ? 3000 : 12;
        }
        finish(session, &it);
        CHECK_EQ(windows_over(&it, -1, 25000, 1, &fullest), 0);
        printf("  fullest window %.3f of its limit, dropped %d\n", fullest, it.dropped);
        CHECK(it.samples > 60);
    }
    end_decoding();
}

int main(void) {
    RUN(no_window_exceeds_a_limit);
    RUN(no_frame_is_dropped_if_the_encoder_keeps_the_limit);
    RUN(a_tighter_limit_holds_from_the_next_frame_on);
    RUN(limits_hold_with_gaps_and_bursts);
    return check_result();
}
