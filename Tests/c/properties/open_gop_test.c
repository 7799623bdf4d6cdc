/* AllowOpenGOP: key frames after the first one are recovery points. Frames presented before a recovery point
 * refer across it. */
#include "clip.h"
#include "refusal.h"

enum { RECOVERY_POINT = 6 };

/* Returns the frame's number from its presentation time, at 30 frames per second. */
static int64_t number_of(const nalu_sample *sample) { return nalu_sample_get_presentation_time(sample).value; }

static int is_partial(const nalu_sample *sample) {
    return (nalu_sample_get_attachments(sample) & NALU_SAMPLE_PARTIAL_SYNC) != 0;
}

static void open_clip(clip *c, const char *more) {
    clip_open(c, 64, 48);
    REQUIRE_OK(nalu_session_set_string(c->session, NALU_PROPERTY_X264_PARAMS, "bframes=3:b-adapt=0:scenecut=0"));
    REQUIRE_OK(nalu_session_set_properties_from_text(c->session, more));
}

/* Returns 1 if recovery_frame_cnt is 0 (its first bit is set), so pictures are correct from this one on. */
static int has_recovery_message(const nalu_sample *sample) {
    for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
        size_t size = 0;
        const uint8_t *nal = nalu_sample_get_nal(sample, i, &size);
        if ((nal[0] & 31) == NALU_NAL_SEI && size > 3 && nal[1] == RECOVERY_POINT) return nal[3] >> 7;
    }
    return 0;
}

/* Checks which frames are IDR or recovery points, and the attachments of the samples. */
static void check_keys(const clip *c, const int *idr, const int *partial) {
    int64_t frames = 0;
    for (int i = 0; i < c->count; i++) {
        const nalu_sample *sample = c->samples[i];
        const int64_t number = number_of(sample);
        const uint32_t flags = nalu_sample_get_attachments(sample);
        int is_idr = 0, is_open = 0;
        for (const int *k = idr; *k >= 0; k++) is_idr |= *k == number;
        for (const int *k = partial; *k >= 0; k++) is_open |= *k == number;
        char what[40];
        snprintf(what, sizeof what, "frame %d", (int)number);
        check_integers(nalu_sample_is_key_frame(sample), is_idr, __FILE__, __LINE__, what);
        check_integers(is_partial(sample), is_open, __FILE__, __LINE__, what);
        check_integers((flags & NALU_SAMPLE_NOT_SYNC) != 0, !is_idr, __FILE__, __LINE__, what);
        check_integers(has_recovery_message(sample), is_open, __FILE__, __LINE__, what);
        if (is_open || is_idr) {
            CHECK_EQ(sample_slice_type(sample), 2);
            CHECK(!(flags & NALU_SAMPLE_DEPENDS_ON_OTHERS));
            CHECK(flags & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS);
        }
        if (is_open) CHECK(flags & NALU_SAMPLE_EARLIER_DISPLAY_TIMES_ALLOWED);
        frames += number;
        const nalu_time decode = nalu_sample_get_decode_time(sample);
        CHECK(nalu_time_compare(decode, nalu_sample_get_presentation_time(sample)) <= 0);
        if (i > 0) CHECK(nalu_time_compare(nalu_sample_get_decode_time(c->samples[i - 1]), decode) < 0);
        /* Annex B contains parameter sets before both kinds of key frames. */
        size_t with = 0, without = 0;
        CHECK_OK(nalu_sample_copy_annex_b(sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES, NULL, 0, &with));
        CHECK_OK(nalu_sample_copy_annex_b(sample, NALU_ANNEX_B_NO_PARAMETER_SETS, NULL, 0, &without));
        CHECK_EQ(with > without, is_idr || is_open);
    }
    CHECK_EQ(frames, (long long)c->count * (c->count - 1) / 2);
}

/* Returns the number of samples after the recovery point in decode order that are presented before it. */
static int leading(const clip *c, int64_t number) {
    int found = 0, seen = 0;
    for (int i = 0; i < c->count; i++) {
        if (number_of(c->samples[i]) == number) seen = 1;
        else if (seen) found += number_of(c->samples[i]) < number;
    }
    return found;
}

static void key_frames_by_interval_are_recovery_points(void) {
    const int idr[] = {0, -1}, open[] = {10, 20, 30, -1}, none[] = {-1}, closed[] = {0, 10, 20, 30, -1};
    clip c;
    int32_t value = -1;
    open_clip(&c, "AllowOpenGOP=true,MaxKeyFrameInterval=10");
    CHECK_OK(nalu_session_get_bool(c.session, NALU_PROPERTY_ALLOW_OPEN_GOP, &value));
    CHECK_EQ(value, 1);
    clip_encode_all(&c, 40);
    check_keys(&c, idr, open);
    CHECK(leading(&c, 10) > 0 && leading(&c, 20) > 0 && leading(&c, 30) > 0);
    CHECK_OK(nalu_session_get_bool(c.session, NALU_PROPERTY_ALLOW_OPEN_GOP, &value));
    CHECK_EQ(value, 1);
    REFUSED(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_OPEN_GOP, 0), NALU_STATUS_TOO_LATE, "AllowOpenGOP");
    CHECK_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_OPEN_GOP, 1));
    nalu_session_statistics statistics = {.struct_size = sizeof statistics};
    REQUIRE_OK(nalu_compression_session_get_statistics(c.session, &statistics));
    CHECK_EQ(statistics.key_frames, 1);
    const size_t bytes = clip_bytes(&c);
    clip_close(&c);

    open_clip(&c, "MaxKeyFrameInterval=10");
    CHECK_OK(nalu_session_get_bool(c.session, NALU_PROPERTY_ALLOW_OPEN_GOP, &value));
    CHECK_EQ(value, 0);
    clip_encode_all(&c, 40);
    check_keys(&c, closed, none);
    CHECK_EQ(leading(&c, 10), 0);
    printf("  %zu bytes open, %zu closed\n", bytes, clip_bytes(&c));
    clip_close(&c);
}

/* A small interval, an interval in seconds, and forced key frames. */
static void forced_and_close_key_frames_are_idr(void) {
    clip c;
    open_clip(&c, "AllowOpenGOP=true,MaxKeyFrameIntervalDuration=0.2");
    clip_encode(&c, 9);
    REQUIRE_OK(clip_encode_at(&c, nalu_time_make(9, 30), nalu_time_make(1, 30), NALU_FRAME_FORCE_KEY_FRAME));
    clip_encode_all(&c, 10);
    const int idr[] = {0, 9, -1}, open[] = {6, 15, -1};
    check_keys(&c, idr, open);
    clip_encode_all(&c, 10);
    const int again[] = {0, 9, 20, -1}, reopened[] = {6, 15, 26, -1};
    check_keys(&c, again, reopened);
    clip_close(&c);

    const int none[] = {-1}, all[] = {0, 1, 2, 3, 4, 5, -1}, two[] = {2, 4, -1}, first[] = {0, -1};
    open_clip(&c, "AllowOpenGOP=true,MaxKeyFrameInterval=1");
    clip_encode_all(&c, 6);
    check_keys(&c, all, none);
    clip_close(&c);
    open_clip(&c, "AllowOpenGOP=true,AllowTemporalCompression=false");
    clip_encode_all(&c, 6);
    check_keys(&c, all, none);
    clip_close(&c);
    open_clip(&c, "AllowOpenGOP=true,MaxKeyFrameInterval=2");
    clip_encode_all(&c, 6);
    check_keys(&c, first, two);
    clip_close(&c);
}

/* Scene cuts are recovery points too; x264 places them. */
static void scene_cuts_are_recovery_points(void) {
    clip c;
    int found = 0;
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_OPEN_GOP, 1));
    c.noise = 0;
    clip_encode(&c, 20);
    c.noise = 255;
    clip_encode_all(&c, 20);
    for (int i = 0; i < c.count; i++) {
        CHECK_EQ(nalu_sample_is_key_frame(c.samples[i]), i == 0);
        found += is_partial(c.samples[i]);
    }
    CHECK(found > 0);
    clip_close(&c);
}

/* Without B-frames no group is open. */
static void without_b_frames_no_group_is_open(void) {
    const int idr[] = {0, 5, -1}, none[] = {-1};
    int32_t value = -1;
    clip c;
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session,
        "x264.preset=ultrafast,AllowOpenGOP=true,MaxKeyFrameInterval=5"));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(nalu_session_get_bool(c.session, NALU_PROPERTY_ALLOW_OPEN_GOP, &value));
        CHECK_EQ(value, 0);
        if (i == 0) clip_encode(&c, 8);
    }
    clip_finish(&c);
    check_keys(&c, idr, none);
    clip_close(&c);
}

int main(void) {
    RUN(key_frames_by_interval_are_recovery_points);
    RUN(forced_and_close_key_frames_are_idr);
    RUN(scene_cuts_are_recovery_points);
    RUN(without_b_frames_no_group_is_open);
    return check_result();
}
