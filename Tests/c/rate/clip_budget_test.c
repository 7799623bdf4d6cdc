/*
 * SourceFrameCount and ExpectedDuration: either property brings the size of a clip closer to AverageBitRate
 * times duration. Wrong values are no errors.
 */
#include "movie.h"
#include "refusal.h"

/* Returns the relative difference between the size and the requested size. */
static double encode(const movie *m, int32_t frames, int64_t rate, const char *properties) {
    double size = 0, asked = movie_asked_size(m, frames, rate);
    nalu_compression_session *session = movie_open(m, rate, properties, &size);
    REQUIRE_OK(nalu_session_set_double(session, NALU_PROPERTY_EXPECTED_FRAME_RATE,
                                       (double)m->rate_numerator / (double)m->rate_denominator));
    for (int32_t i = 0; i < frames; i++) REQUIRE_OK(movie_encode(session, m, i));
    REQUIRE_OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
    nalu_compression_session_release(session);
    return size / asked - 1;
}

static void compare(const movie *m, int32_t frames, int64_t rate, const char *properties, double *without, double *with) {
    char text[256];
    *without = encode(m, frames, rate, properties);
    snprintf(text, sizeof text, "%s,SourceFrameCount=%d", properties, frames);
    *with = encode(m, frames, rate, text);
    snprintf(text, sizeof text, "%s,ExpectedDuration=%.6f", properties,
             frames * (double)m->rate_denominator / (double)m->rate_numerator);
    double by_time = encode(m, frames, rate, text);
    printf("  %dx%d, %d frames, %lld b/s, %s: %+.2f %%, with a hint %+.2f %% and %+.2f %%\n", m->width, m->height, frames,
           (long long)rate, properties, *without * 100, *with * 100, by_time * 100);
    if (fabs(by_time) > fabs(*with)) *with = by_time;
}

static void length_hints_bring_the_size_closer_to_the_target(void) {
    movie rabbit = movie_load_or_draw(movie_draw_waves, "bigbuckbunny", 1280, 720, 132, 25, 1);
    movie carphone = movie_load_or_draw(movie_draw_waves, "carphone_pristine", 176, 144, 120, 30000, 1001);
    double without, with;
    for (int reorders = 1; reorders >= 0; reorders--) {
        if (!is_tried(1 + reorders)) continue;
        compare(&rabbit, 132, 1200000, reorders ? "x264.preset=superfast" : "x264.preset=superfast,AllowFrameReordering=false",
                &without, &with);
        CHECK(fabs(with) < 0.04 && fabs(with) < fabs(without) / 2);
    }
    compare(&carphone, 120, 60000, "x264.preset=veryfast", &without, &with);
    CHECK(fabs(with) < 0.04 && fabs(with) < fabs(without));
    compare(&carphone, 120, 120000, "RealTime=true", &without, &with);
    CHECK(fabs(with) < 0.04);

    /* Clips that are longer or shorter than announced: no errors, and the average stays close to the rate. */
    static const char *const wrong[] = {"SourceFrameCount=60", "SourceFrameCount=60,ExpectedDuration=5.28",
                                        "ExpectedDuration=1000"};
    for (int i = 0; i < 3; i++) {
        char text[128];
        snprintf(text, sizeof text, "x264.preset=superfast,%s", wrong[i]);
        const double off = is_tried(1) ? encode(&rabbit, 132, 1200000, text) : encode(&carphone, 120, 120000, text);
        printf("  a wrong hint, %s: %+.2f %%\n", wrong[i], off * 100);
        CHECK(fabs(off) < 0.15);
    }
    free(rabbit.pixels);
    free(carphone.pixels);
}

static void settings_that_length_hints_exclude_are_refused(void) {
    static const char *const hints[] = {"SourceFrameCount=30", "ExpectedDuration=1.5"};
    for (int i = 0; i < 2; i++) {
        nalu_compression_session *session = NULL;
        nalu_multi_pass_storage *storage = NULL;
        REQUIRE_OK(nalu_compression_session_create(64, 48, NALU_CODEC_H264, NULL, NULL, NULL, NULL, NULL, &session));
        CHECK_OK(nalu_session_set_properties_from_text(session, hints[i]));
        REFUSED(nalu_compression_session_prepare(session), NALU_STATUS_CONFLICT, i ? "ExpectedDuration 1.5" :
                "SourceFrameCount 30", "AverageBitRate");
        REFUSED(nalu_session_set_double(session, NALU_PROPERTY_QUALITY, 0.5), NALU_STATUS_CONFLICT, "Quality 0.5");
        CHECK_OK(nalu_multi_pass_storage_create(NULL, &storage));
        REFUSED(nalu_compression_session_set_multi_pass_storage(session, storage), NALU_STATUS_CONFLICT, "first pass");
        nalu_multi_pass_storage_release(storage);
        CHECK_OK(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, 100000));
        CHECK_OK(nalu_compression_session_prepare(session));
        CHECK_OK(nalu_session_set_properties_from_text(session, i ? "ExpectedDuration=2" : "SourceFrameCount=31"));
        nalu_compression_session_release(session);
    }
}

int main(void) {
    RUN(length_hints_bring_the_size_closer_to_the_target);
    RUN(settings_that_length_hints_exclude_are_refused);
    return check_result();
}
