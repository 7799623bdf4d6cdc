/* The places of key frames: MaxKeyFrameInterval, MaxKeyFrameIntervalDuration, AllowTemporalCompression and
 * forced key frames, changed while encoding, with and without B-frames, at fixed and variable frame rates. */
#include "clip.h"

/* Writes the numbers of the key frames in presentation order as text: "0 5 10". Frame times are frame numbers /
 * 30. */
static void keys(const clip *c, char *text, size_t size) {
    char is_key[CLIP_MOST] = {0};
    size_t used = 0;
    for (int32_t i = 0; i < c->count; i++) {
        const nalu_time time = nalu_sample_get_presentation_time(c->samples[i]);
        const int key = nalu_sample_is_key_frame(c->samples[i]);
        const uint32_t attachments = nalu_sample_get_attachments(c->samples[i]);
        is_key[time.value] = (char)key;
        CHECK_EQ((attachments & NALU_SAMPLE_NOT_SYNC) == 0, key);
        /* Key frames have IDR slices, and no other frame has one. */
        for (uint32_t k = 0; k < nalu_sample_get_nal_count(c->samples[i]); k++) {
            const uint8_t *nal = nalu_sample_get_nal(c->samples[i], k, NULL);
            if (nal_is_slice(nal)) CHECK_EQ((nal[0] & 31) == NALU_NAL_SLICE_IDR, key);
        }
    }
    text[0] = 0;
    for (int32_t i = 0; i < CLIP_MOST; i++)
        if (is_key[i]) used += (size_t)snprintf(text + used, size - used, used ? " %d" : "%d", i);
}

static void finish_and_check(clip *c, const char *expected, int line) {
    char text[200];
    clip_finish(c);
    keys(c, text, sizeof text);
    check_strings(text, expected, __FILE__, line, "key frames");
    clip_close(c);
}
#define FINISH(c, expected) finish_and_check((c), (expected), __LINE__)

/* Opens a clip. Each case runs with and without B-frames. */
static void open_clip(clip *c, int reordering) {
    clip_open(c, 64, 48);
    REQUIRE_OK(nalu_session_set_bool(c->session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, reordering));
}
#define BOTH for (int reordering = 0; reordering < 2; reordering++)

static void interval(clip *c, int64_t frames) {
    REQUIRE_OK(nalu_session_set_int64(c->session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, frames));
}

static void duration(clip *c, double seconds) {
    REQUIRE_OK(nalu_session_set_double(c->session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL_DURATION, seconds));
}

static void forced(clip *c) {
    REQUIRE_OK(clip_encode_at(c, nalu_time_make(c->fed, 30), nalu_time_make(1, 30), NALU_FRAME_FORCE_KEY_FRAME));
}

static void max_key_frame_interval_limits_the_distance(void) {
    BOTH {
        clip c;
        open_clip(&c, reordering), interval(&c, 5), clip_encode(&c, 23);
        FINISH(&c, "0 5 10 15 20");
        open_clip(&c, reordering), interval(&c, 1), clip_encode(&c, 6);
        FINISH(&c, "0 1 2 3 4 5");
        open_clip(&c, reordering), interval(&c, 2147483647), clip_encode(&c, 260);
        FINISH(&c, "0");
        open_clip(&c, reordering), clip_encode(&c, 260);
        FINISH(&c, "0 250");
    }
}

static void max_key_frame_interval_can_change_while_encoding(void) {
    BOTH {
        clip c;
        open_clip(&c, reordering), interval(&c, 10), clip_encode(&c, 13);
        interval(&c, 4), clip_encode(&c, 10); /* frame 13 is the third after key frame 10; 14 is due */
        interval(&c, 0), clip_encode(&c, 10);
        FINISH(&c, "0 10 14 18 22");
        /* If the new interval has already passed, the next frame is a key frame. */
        open_clip(&c, reordering), clip_encode(&c, 9), interval(&c, 3), clip_encode(&c, 4);
        FINISH(&c, "0 9 12");
        /* The change itself makes no key frame. */
        open_clip(&c, reordering), interval(&c, 30), clip_encode(&c, 10), interval(&c, 20), clip_encode(&c, 5);
        FINISH(&c, "0");
    }
}

static void forced_key_frames_restart_the_interval(void) {
    BOTH {
        clip c;
        open_clip(&c, reordering), clip_encode(&c, 7), forced(&c), clip_encode(&c, 4), forced(&c), forced(&c);
        clip_encode(&c, 2);
        FINISH(&c, "0 7 12 13");
        /* A forced key frame restarts the interval. */
        open_clip(&c, reordering), interval(&c, 5), clip_encode(&c, 7), forced(&c), clip_encode(&c, 12);
        FINISH(&c, "0 5 7 12 17");
        open_clip(&c, reordering), duration(&c, 0.2), clip_encode(&c, 8), forced(&c), clip_encode(&c, 8);
        FINISH(&c, "0 6 8 14");
    }
}

static void max_key_frame_interval_duration_limits_the_time(void) {
    BOTH {
        clip c;
        open_clip(&c, reordering), duration(&c, 0.5), clip_encode(&c, 40);
        FINISH(&c, "0 15 30");
        /* The limit that is reached first counts. */
        open_clip(&c, reordering), duration(&c, 0.5), interval(&c, 10), clip_encode(&c, 31);
        FINISH(&c, "0 10 20 30");
        open_clip(&c, reordering), duration(&c, 0.2), interval(&c, 10), clip_encode(&c, 14);
        FINISH(&c, "0 6 12");
        /* The duration is changed while encoding. */
        open_clip(&c, reordering), clip_encode(&c, 10), duration(&c, 0.1), clip_encode(&c, 5), duration(&c, 0);
        clip_encode(&c, 10);
        FINISH(&c, "0 10 13");
    }
}

/* At variable frame rates two key frames are never further apart than the limit, and none comes earlier than
 * necessary. */
static void the_duration_holds_at_variable_frame_rates(void) {
    static const int steps[] = {1, 7, 2, 12, 3, 1, 1, 14, 5, 6, 9, 2, 2, 13, 1, 4};
    BOTH {
        clip c;
        int64_t time = 0, last_key = 0;
        char text[200], expected[200] = "0";
        open_clip(&c, reordering), duration(&c, 0.5);
        for (int i = 0; i < 48; i++) {
            const int64_t next = time + steps[i % 16];
            /* A frame is a key frame if the frame after it would come too late. */
            if (i > 0 && next - last_key > 15) {
                last_key = time;
                snprintf(expected + strlen(expected), 16, " %d", (int)time);
            }
            REQUIRE_OK(clip_encode_at(&c, nalu_time_make(time, 30), nalu_time_make(next - time, 30), 0));
            time = next;
        }
        clip_finish(&c);
        keys(&c, text, sizeof text);
        CHECK_STR_EQ(text, expected);
        clip_close(&c);
    }
}

static void without_temporal_compression_every_frame_is_a_key_frame(void) {
    BOTH {
        clip c;
        open_clip(&c, reordering);
        REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_TEMPORAL_COMPRESSION, 0));
        clip_encode(&c, 5);
        REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_TEMPORAL_COMPRESSION, 1));
        clip_encode(&c, 5);
        REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_TEMPORAL_COMPRESSION, 0));
        clip_encode(&c, 2);
        FINISH(&c, "0 1 2 3 4 10 11");
    }
}

/* After complete_frames the encoder restarts. So the next frame is a key frame if frames were delayed. */
static void a_key_frame_follows_complete_frames_if_frames_were_delayed(void) {
    clip c;
    open_clip(&c, 1), interval(&c, 8), clip_encode_all(&c, 5);
    clip_encode(&c, 10);
    FINISH(&c, "0 5 13");
}

int main(void) {
    RUN(max_key_frame_interval_limits_the_distance);
    RUN(max_key_frame_interval_can_change_while_encoding);
    RUN(forced_key_frames_restart_the_interval);
    RUN(max_key_frame_interval_duration_limits_the_time);
    RUN(the_duration_holds_at_variable_frame_rates);
    RUN(without_temporal_compression_every_frame_is_a_key_frame);
    RUN(a_key_frame_follows_complete_frames_if_frames_were_delayed);
    return check_result();
}
