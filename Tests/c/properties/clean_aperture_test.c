/* CleanAperture: the stream's cropping leaves the requested part of the picture. Apertures that 4:2:0 cannot
 * crop are rejected. */
#include "clip.h"
#include "refusal.h"

static void check_aperture(int32_t width, int32_t height, const double *aperture, const int32_t *sides) {
    clip c;
    double back[4] = {0};
    size_t count = 0;
    clip_open(&c, width, height);
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PRESET, "ultrafast"));
    REQUIRE_OK(nalu_session_set_numbers(c.session, NALU_PROPERTY_CLEAN_APERTURE, aperture, 4));
    CHECK_OK(nalu_session_copy_numbers(c.session, NALU_PROPERTY_CLEAN_APERTURE, back, 4, &count));
    CHECK_EQ(count, 4);
    CHECK_BYTES(back, aperture, sizeof back);
    clip_encode_all(&c, 2);
    const nalu_sequence_info info = clip_info(&c);
    const nalu_format_description *format = nalu_sample_get_format_description(c.samples[0]);
    CHECK_EQ(info.width, (int32_t)aperture[0]);
    CHECK_EQ(info.height, (int32_t)aperture[1]);
    CHECK_EQ(nalu_format_description_get_width(format), (int32_t)aperture[0]);
    CHECK_EQ(nalu_format_description_get_height(format), (int32_t)aperture[1]);
    CHECK_EQ(info.crop_left, sides[0]);
    CHECK_EQ(info.crop_top, sides[1]);
    /* The encoded size is the session's size, rounded up to whole macroblocks. */
    CHECK_EQ(info.coded_width, (width + 15) / 16 * 16);
    CHECK_EQ(info.coded_height, (height + 15) / 16 * 16);
    CHECK_EQ(info.crop_left + info.width + info.crop_right, info.coded_width);
    CHECK_EQ(info.crop_top + info.height + info.crop_bottom, info.coded_height);
    REFUSED(nalu_session_unset_property(c.session, NALU_PROPERTY_CLEAN_APERTURE), NALU_STATUS_TOO_LATE,
            "CleanAperture");
    CHECK_OK(nalu_session_set_numbers(c.session, NALU_PROPERTY_CLEAN_APERTURE, aperture, 4));
    clip_close(&c);
}

static void the_cropping_leaves_the_requested_aperture(void) {
    static const struct { int32_t width, height; double aperture[4]; int32_t sides[2]; } all[] = {
        {64, 48, {64, 48, 0, 0}, {0, 0}},
        {64, 48, {60, 44, 0, 0}, {2, 2}},
        {64, 48, {62, 46, -1, 1}, {0, 2}},
        {64, 48, {2, 2, 31, -23}, {62, 0}},
        {64, 48, {2, 2, -31, 23}, {0, 46}},
        {100, 60, {90, 50, 5, 3}, {10, 8}},
        /* For an odd size, the padding column and row count as cropped at the right and at the bottom. */
        {63, 47, {62, 46, -0.5, -0.5}, {0, 0}},
        {63, 47, {64, 48, 0.5, 0.5}, {0, 0}},
        {63, 47, {60, 44, 0.5, 0.5}, {2, 2}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        check_aperture(all[i].width, all[i].height, all[i].aperture, all[i].sides);
}

static void apertures_that_420_cannot_crop_are_refused(void) {
    static const struct { int32_t width, height; double aperture[4]; const char *word; } all[] = {
        {64, 48, {63, 48, 0, 0}, "0.5 pixels"}, {64, 48, {62, 48, 0, 0}, "1.0 pixels"},
        {64, 48, {60, 48, 1, 0}, "3.0 pixels"}, {64, 48, {60, 48, 0.25, 0}, "left"},
        {64, 48, {64, 46, 0, 0}, "top"}, {64, 48, {66, 48, 0, 0}, "-1.0"}, {64, 48, {64, 48, 2, 0}, "right"},
        {64, 48, {64, 48, 0, -2}, "top"}, {64, 48, {64, 44, 0, 4}, "bottom"}, {64, 48, {64, 48.5, 0, 0}, "top"},
        {63, 47, {62, 46, 0, 0}, "0.5"}, {63, 47, {63, 47, 0, 0}, "right"},
        {64, 48, {0, 0, 0, 0}, "2 or more"}, {64, 48, {-2, 4, 0, 0}, "2 or more"},
        {64, 48, {16385, 4, 0, 0}, "16384"}, {64, 48, {NAN, 4, 0, 0}, "CleanAperture"},
        {64, 48, {4, 4, INFINITY, 0}, "CleanAperture"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        clip c;
        size_t count = 9;
        clip_open(&c, all[i].width, all[i].height);
        REFUSED(nalu_session_set_numbers(c.session, NALU_PROPERTY_CLEAN_APERTURE, all[i].aperture, 4),
                NALU_STATUS_OUT_OF_RANGE, "CleanAperture", "expected", all[i].word);
        CHECK_OK(nalu_session_copy_numbers(c.session, NALU_PROPERTY_CLEAN_APERTURE, NULL, 0, &count));
        CHECK_EQ(count, 0);
        const double few[3] = {4, 4, 0};
        REFUSED(nalu_session_set_numbers(c.session, NALU_PROPERTY_CLEAN_APERTURE, few, 3), NALU_STATUS_OUT_OF_RANGE,
                "CleanAperture", "offset");
        clip_close(&c);
    }
}

/* The shown pixels: those inside the cropping are the same as without it. */
static void cropping_does_not_change_the_shown_pixels(void) {
    const double aperture[4] = {60, 44, 0, 0};
    clip plain, cropped;
    clip_open(&plain, 64, 48);
    clip_open(&cropped, 64, 48);
    REQUIRE_OK(nalu_session_set_numbers(cropped.session, NALU_PROPERTY_CLEAN_APERTURE, aperture, 4));
    clip_encode(&plain, 10);
    clip_encode(&cropped, 10);
    clip_finish(&plain);
    clip_finish(&cropped);
    CHECK_EQ(plain.count, 10);
    check_same_samples(&plain, &cropped);
    clip_close(&plain);
    clip_close(&cropped);
}

int main(void) {
    RUN(the_cropping_leaves_the_requested_aperture);
    RUN(apertures_that_420_cannot_crop_are_refused);
    RUN(cropping_does_not_change_the_shown_pixels);
    return check_result();
}
