/* Samples: data and NAL units, the three forms of Annex B, unchanged times and refcons, attachments, and use
 * after the end of the session. */
#include "clip.h"
#include "refusal.h"

static void nal_units_are_found_by_index(void) {
    clip c;
    clip_open(&c, 96, 80);
    clip_encode_all(&c, 30);
    for (int i = 0; i < c.count; i++) {
        size_t data_size = 0, size = 0, sum = 0;
        const uint8_t *data = nalu_sample_get_data(c.samples[i], &data_size);
        const uint32_t count = nalu_sample_get_nal_count(c.samples[i]);
        REQUIRE(data && count > 0);
        for (uint32_t k = 0; k < count; k++) {
            const uint8_t *nal = nalu_sample_get_nal(c.samples[i], k, &size);
            CHECK_PTR_EQ(nal, data + sum + 4);
            CHECK_EQ(size, (size_t)nal[-4] << 24 | (size_t)nal[-3] << 16 | (size_t)nal[-2] << 8 | nal[-1]);
            /* Parameter sets are only in the format description. */
            CHECK((nal[0] & 31) != NALU_NAL_SPS && (nal[0] & 31) != NALU_NAL_PPS && !(nal[0] & 0x80));
            sum += 4 + size;
        }
        CHECK_EQ(sum, data_size);
        size = 9;
        CHECK_PTR_EQ(nalu_sample_get_nal(c.samples[i], count, &size), NULL);
        CHECK_EQ(size, 0);
        CHECK_PTR_EQ(nalu_sample_get_nal(c.samples[i], UINT32_MAX, NULL), NULL);
    }
    clip_close(&c);
}

static void annex_b_has_three_forms(void) {
    static uint8_t bytes[1 << 17];
    clip c;
    clip_open(&c, 96, 80);
    clip_encode_all(&c, 4);
    for (int i = 0; i < c.count; i++) {
        const nalu_format_description *format = nalu_sample_get_format_description(c.samples[i]);
        const int key = nalu_sample_is_key_frame(c.samples[i]);
        size_t data_size = 0, sets_size = 0;
        (void)nalu_sample_get_data(c.samples[i], &data_size);
        for (uint32_t k = 0; k < nalu_format_description_get_parameter_set_count(format); k++) {
            size_t size = 0;
            (void)nalu_format_description_get_parameter_set(format, k, &size);
            sets_size += 4 + size;
        }
        for (int32_t form = 0; form < 3; form++) {
            const int with_sets = form == NALU_ANNEX_B_PARAMETER_SETS_ALWAYS ||
                                  (form == NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES && key);
            const size_t expected = data_size + (with_sets ? sets_size : 0);
            size_t size = 0, offset = 0, length = 0;
            const uint8_t *nal = NULL;
            uint32_t units = 0;
            CHECK_OK(nalu_sample_copy_annex_b(c.samples[i], form, NULL, 0, &size));
            CHECK_EQ(size, expected);
            memset(bytes, 0xaa, sizeof bytes);
            size = 0;
            REFUSED(nalu_sample_copy_annex_b(c.samples[i], form, bytes, expected - 1, &size),
                NALU_STATUS_BUFFER_TOO_SMALL, "capacity", "at least");
            CHECK_EQ(size, expected);
            CHECK_EQ(bytes[0], 0xaa);
            CHECK_OK(nalu_sample_copy_annex_b(c.samples[i], form, bytes, expected, &size));
            CHECK_BYTES(bytes, "\0\0\0\1", 4);
            CHECK_EQ(bytes[expected], 0xaa);
            CHECK_OK(nalu_sample_copy_annex_b(c.samples[i], form, bytes, SIZE_MAX, &size));
            while (nalu_annex_b_next(bytes, expected, &offset, &nal, &length) == NALU_STATUS_OK) {
                const int type = nal[0] & 31;
                if (with_sets && units < 2) CHECK_EQ(type, units ? NALU_NAL_PPS : NALU_NAL_SPS);
                else CHECK(type != NALU_NAL_PPS && type != NALU_NAL_SPS);
                units++;
            }
            CHECK_EQ(units, nalu_sample_get_nal_count(c.samples[i]) + (with_sets ? 2 : 0));
        }
        const int32_t bad[] = {-1, 3, INT32_MAX, INT32_MIN};
        for (int k = 0; k < 4; k++) {
            size_t size = 5;
            char value[40];
            snprintf(value, sizeof value, "parameter_sets is %d", bad[k]);
            REFUSED(nalu_sample_copy_annex_b(c.samples[i], bad[k], NULL, 0, &size), NALU_STATUS_PARAMETER, value,
                    "NALU_ANNEX_B_");
            CHECK_EQ(size, 5);
        }
    }
    clip_close(&c);
}

/* Times are returned bit for bit with any timescales, flags and epochs; refcons too. */
static void times_and_refcons_are_returned_bit_for_bit(void) {
    const nalu_time times[][2] = {
        {{0, 1, 1, 0}, {1001, 30000, 1, 0}}, {{1001, 30000, 3, 0}, {0, 0, 0, 0}}, {{2, 29, 1, 0}, {0, 1, 1, 0}},
        {{50000, 600000, 1, 0}, {7, INT32_MAX, 3, 0}}, {{1, 1, 1, 0}, {INT64_MAX, 1, 1, 0}},
        {{-5, 10, 1, 1}, {33, 1000, 1, 0}}, {{4, 10, 1, 1}, {77, 88, 0, 99}}};
    const int count = sizeof times / sizeof *times;
    for (int reordering = 0; reordering < 2; reordering++) {
        static const char marks[16];
        clip c;
        int found = 0;
        clip_open(&c, 64, 48);
        REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, reordering));
        const void *planes[2] = {c.pixels, c.pixels + 64 * 48};
        const int64_t strides[2] = {64, 64};
        for (int i = 0; i < count; i++, c.fed++) {
            clip_draw(&c);
            REQUIRE_OK(nalu_compression_session_encode_planes(c.session, 64, 48, NALU_PIXEL_FORMAT_420V, 2, planes,
                strides, NULL, times[i][0], times[i][1], NULL, (void *)(uintptr_t)&marks[i], NULL));
        }
        clip_finish(&c);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < count; k++) {
                const nalu_time time = nalu_sample_get_presentation_time(c.samples[i]);
                const nalu_time duration = nalu_sample_get_duration(c.samples[i]);
                if (nalu_sample_get_frame_refcon(c.samples[i]) != &marks[k]) continue;
                found++;
                CHECK_BYTES(&time, &times[k][0], sizeof time);
                if (times[k][1].flags) CHECK_BYTES(&duration, &times[k][1], sizeof duration);
                else CHECK_EQ(nalu_time_is_numeric(duration), 0);
            }
        CHECK_EQ(found, count);
        clip_close(&c);
    }
}

static void attachments_describe_key_frames_and_references(void) {
    clip c;
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 10));
    clip_encode_all(&c, 30);
    int disposable = 0;
    for (int i = 0; i < c.count; i++) {
        const uint32_t flags = nalu_sample_get_attachments(c.samples[i]);
        const int key = nalu_sample_is_key_frame(c.samples[i]);
        CHECK_EQ(flags & ~15u, 0);
        CHECK_EQ(key, !(flags & NALU_SAMPLE_NOT_SYNC));
        if (key) {
            CHECK(!(flags & NALU_SAMPLE_DEPENDS_ON_OTHERS));
            CHECK(flags & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS);
        }
        disposable += !(flags & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS);
        /* A sample presented after a later one has the attachment for this. */
        for (int k = i + 1; k < c.count; k++)
            if (nalu_time_compare(nalu_sample_get_presentation_time(c.samples[k]),
                                  nalu_sample_get_presentation_time(c.samples[i])) < 0)
                CHECK(flags & NALU_SAMPLE_EARLIER_DISPLAY_TIMES_ALLOWED);
        const double qp = nalu_sample_get_average_qp(c.samples[i]);
        CHECK(qp >= 0 && qp <= 51);
    }
    CHECK(disposable > 0);
    clip_close(&c);
}

static void a_sample_outlives_its_session(void) {
    clip c;
    clip_open(&c, 64, 48);
    clip_encode_all(&c, 3);
    nalu_sample *kept = nalu_sample_retain(c.samples[1]);
    size_t size = 0;
    const uint8_t *data = nalu_sample_get_data(kept, &size);
    const uint32_t first = data[4];
    clip_close(&c);
    CHECK_PTR_EQ(nalu_sample_get_data(kept, &size), data);
    CHECK_EQ(data[4], first);
    CHECK_EQ(nalu_format_description_get_width(nalu_sample_get_format_description(kept)), 64);
    nalu_sample_release(kept);
}

int main(void) {
    RUN(nal_units_are_found_by_index);
    RUN(annex_b_has_three_forms);
    RUN(times_and_refcons_are_returned_bit_for_bit);
    RUN(attachments_describe_key_frames_and_references);
    RUN(a_sample_outlives_its_session);
    return check_result();
}
