/* Samples from the caller's bytes: their values, the two ways to own the bytes, and rejected arguments. */
#include "clip.h"
#include "refusal.h"

static clip c;

static nalu_format_description *format_of(int32_t i) { return nalu_sample_get_format_description(c.samples[i]); }

/* Samples recreated from a session's samples, by copying and by wrapping, have the same values. */
static void recreated_samples_equal_those_of_a_session(void) {
    for (int32_t i = 0; i < c.count; i++) {
        const nalu_sample *from = c.samples[i];
        size_t size = 0, made_size = 0;
        const uint8_t *bytes = nalu_sample_get_data(from, &size);
        const nalu_time pts = nalu_sample_get_presentation_time(from), dts = nalu_sample_get_decode_time(from);
        const nalu_time duration = nalu_sample_get_duration(from);
        const uint32_t flags = nalu_sample_get_attachments(from);
        nalu_sample *made[2] = {STALE, STALE};
        REQUIRE_OK(nalu_sample_create(bytes, size, format_of(i), pts, duration, dts, flags, &made[0]));
        REQUIRE_OK(nalu_sample_create_with_bytes(bytes, size, NULL, NULL, format_of(i), pts, duration, dts, flags,
            &made[1]));
        for (int k = 0; k < 2; k++) {
            static uint8_t a[1 << 17], b[1 << 17];
            const uint8_t *copy = nalu_sample_get_data(made[k], &made_size);
            CHECK_EQ(copy == bytes, k == 1);
            REQUIRE(CHECK_EQ(made_size, size));
            CHECK_BYTES(copy, bytes, size);
            CHECK_PTR_EQ(nalu_sample_get_format_description(made[k]), format_of(i));
            CHECK_EQ(nalu_sample_get_nal_count(made[k]), nalu_sample_get_nal_count(from));
            const nalu_time times[3] = {nalu_sample_get_presentation_time(made[k]),
                nalu_sample_get_decode_time(made[k]), nalu_sample_get_duration(made[k])};
            CHECK_BYTES(&times[0], &pts, sizeof pts);
            CHECK_BYTES(&times[1], &dts, sizeof dts);
            CHECK_BYTES(&times[2], &duration, sizeof duration);
            CHECK_EQ(nalu_sample_get_attachments(made[k]), flags);
            CHECK_EQ(nalu_sample_is_key_frame(made[k]), nalu_sample_is_key_frame(from));
            CHECK(isnan(nalu_sample_get_average_qp(made[k])));
            CHECK_EQ(nalu_sample_get_ltr_acknowledgement_token(made[k]), -1);
            CHECK_PTR_EQ(nalu_sample_get_frame_refcon(made[k]), NULL);
            nalu_quality_metrics metrics = {.struct_size = sizeof metrics};
            REFUSED(nalu_sample_get_quality_metrics(made[k], &metrics), NALU_STATUS_VALUE_NOT_AVAILABLE, "quality");
            for (int32_t form = 0; form < 3; form++) {
                size_t a_size = 0, b_size = 0;
                REQUIRE_OK(nalu_sample_copy_annex_b(from, form, a, sizeof a, &a_size));
                REQUIRE_OK(nalu_sample_copy_annex_b(made[k], form, b, sizeof b, &b_size));
                REQUIRE(CHECK_EQ(a_size, b_size));
                CHECK_BYTES(a, b, a_size);
            }
            nalu_sample_release(made[k]);
        }
    }
}

/* Length prefixes of one and two bytes: the Annex B form is the same, with the delimiter before the parameter
 * sets. */
static void length_prefixes_of_every_size_are_accepted(void) {
    const uint32_t sizes[] = {1, 2, 4};
    for (int k = 0; k < 3; k++) {
        const uint32_t n = sizes[k];
        const uint8_t *sets[2];
        size_t set_sizes[2];
        for (uint32_t i = 0; i < 2; i++)
            sets[i] = nalu_format_description_get_parameter_set(format_of(0), i, &set_sizes[i]);
        nalu_format_description *format = NULL;
        nalu_sample *sample = NULL;
        REQUIRE_OK(nalu_format_description_create_from_parameter_sets(2, sets, set_sizes, n, &format));
        uint8_t data[32] = {0}, annex_b[256];
        const uint8_t units[3][3] = {{9, 0x10, 0}, {6, 1, 2}, {0x65, 3, 4}};
        const uint32_t lengths[3] = {2, 3, 3};
        size_t size = 0, at = 0, all = 0;
        for (int i = 0; i < 3; i++) {
            data[size + n - 1] = (uint8_t)lengths[i];
            memcpy(data + size + n, units[i], lengths[i]);
            size += n + lengths[i];
        }
        REQUIRE_OK(nalu_sample_create(data, size, format, nalu_time_make(1, 2), nalu_time_invalid(),
            nalu_time_invalid(), 0, &sample));
        nalu_format_description_release(format);
        CHECK_EQ(nalu_sample_get_nal_count(sample), 3);
        for (uint32_t i = 0; i < 3; i++) {
            const uint8_t *unit = nalu_sample_get_nal(sample, i, &all);
            REQUIRE(CHECK_EQ(all, lengths[i]));
            CHECK_BYTES(unit, units[i], all);
        }
        REQUIRE_OK(nalu_sample_copy_annex_b(sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES, annex_b,
            sizeof annex_b, &all));
        CHECK_EQ(all, 5 * 4 + 8 + set_sizes[0] + set_sizes[1]);
        CHECK_BYTES(annex_b, "\0\0\0\1\x09\x10\0\0\0\1", 10);
        at = 10;
        CHECK_BYTES(annex_b + at, sets[0], set_sizes[0]);
        CHECK_BYTES(annex_b + all - 14, "\0\0\0\1\x06\1\2\0\0\0\1\x65\3\4", 14);
        CHECK_EQ(nalu_time_is_numeric(nalu_sample_get_duration(sample)), 0);
        CHECK_EQ(nalu_time_compare(nalu_sample_get_decode_time(sample), nalu_time_make(1, 2)), 0);
        nalu_sample_release(sample);
    }
}

static void count_release(void *refcon) { ++*(int *)refcon; }

static void wrapped_bytes_are_released_once(void) {
    static const uint8_t data[] = {0, 0, 0, 1, 0x65}, bad[] = {0, 0, 0, 2, 0x65};
    int released = 0;
    nalu_sample *sample = NULL;
    const nalu_time none = nalu_time_invalid(), zero = nalu_time_zero();
    REQUIRE_OK(nalu_sample_create_with_bytes(data, sizeof data, count_release, &released, format_of(0), zero, none,
        none, 0, &sample));
    CHECK_PTR_EQ(nalu_sample_get_data(sample, NULL), data);
    CHECK_PTR_EQ(nalu_sample_retain(sample), sample);
    nalu_sample_release(sample);
    CHECK_EQ(released, 0);
    nalu_sample_release(sample);
    CHECK_EQ(released, 1);
    CHECK_STATUS(nalu_sample_create_with_bytes(bad, sizeof bad, count_release, &released, format_of(0), zero, none,
        none, 0, &sample), NALU_STATUS_BAD_DATA);
    CHECK_EQ(released, 1);
    CHECK_PTR_EQ(sample, NULL);
}

static const nalu_time second = {1, 1, 1, 0};

static nalu_status make(const char *bytes, size_t size, nalu_time pts, nalu_time duration, nalu_time dts,
                        uint32_t flags) {
    nalu_sample *a = STALE, *b = STALE;
    int released = 0;
    const nalu_status wrapped = nalu_sample_create_with_bytes((const uint8_t *)bytes, size, count_release, &released,
        format_of(0), pts, duration, dts, flags, &b);
    const nalu_status status = nalu_sample_create((const uint8_t *)bytes, size, format_of(0), pts, duration, dts,
        flags, &a);
    CHECK_EQ(status, wrapped);
    CHECK_EQ(a != NULL, status == NALU_STATUS_OK);
    nalu_sample_release(a);
    nalu_sample_release(b);
    CHECK_EQ(released, status == NALU_STATUS_OK);
    return status;
}

static void wrong_arguments_of_create_are_refused(void) {
    const char good[] = "\0\0\0\1\x65\0\0\0\1\x65";
    const nalu_time none = nalu_time_invalid();
    const nalu_time strange[] = {{0, 1, 5, 0}, {0, 1, 9, 0}, {0, 1, 17, 0}, {7, 0, 1, 0}, {7, -1, 1, 0}};
    CHECK_OK(make(good, 10, second, none, none, 0));
    CHECK_OK(make(good, 10, second, nalu_time_zero(), second, 31));
    for (size_t size = 0; size < 10; size++)
        if (size != 5) REFUSED(make(good, size, second, none, none, 0), NALU_STATUS_BAD_DATA, size ? "length" : "NAL");
    REFUSED(make("\0\0\0\0\x65", 5, second, none, none, 0), NALU_STATUS_BAD_DATA, "length", "0");
    REFUSED(make("\xff\xff\xff\xff\x65", 5, second, none, none, 0), NALU_STATUS_BAD_DATA, "4294967295");
    REFUSED(make(NULL, 5, second, none, none, 0), NALU_STATUS_PARAMETER, "bytes", "NULL");
    REFUSED(make(NULL, 0, second, none, none, 0), NALU_STATUS_BAD_DATA, "size is 0");
    REFUSED(make(good, SIZE_MAX, second, none, none, 0), NALU_STATUS_PARAMETER, "size");
    REFUSED(make(good, 10, none, none, none, 0), NALU_STATUS_INVALID_TIME, "presentation_time");
    for (int i = 0; i < 5; i++) {
        REFUSED(make(good, 10, strange[i], none, none, 0), NALU_STATUS_INVALID_TIME, "presentation_time");
        if (i < 3) {
            REFUSED(make(good, 10, second, strange[i], none, 0), NALU_STATUS_INVALID_TIME, "duration");
            REFUSED(make(good, 10, second, none, strange[i], 0), NALU_STATUS_INVALID_TIME, "decode_time");
        }
    }
    REFUSED(make(good, 10, second, nalu_time_make(-1, 30), none, 0), NALU_STATUS_INVALID_TIME, "duration", "negative");
    REFUSED(make(good, 10, second, none, nalu_time_make(31, 30), 0), NALU_STATUS_INVALID_TIME, "decode_time");
    CHECK_OK(make(good, 10, second, none, nalu_time_make(-31, 30), 0));
    CHECK_OK(make(good, 10, second, none, none, NALU_SAMPLE_DO_NOT_DISPLAY));
    REFUSED(make(good, 10, second, none, none, 64), NALU_STATUS_PARAMETER, "attachments", "0x40");
    REFUSED(make(good, 10, second, none, none, UINT32_MAX), NALU_STATUS_PARAMETER, "attachments");
    REFUSED(make(good, 10, second, none, none, NALU_SAMPLE_PARTIAL_SYNC), NALU_STATUS_PARAMETER, "PARTIAL_SYNC");

    nalu_sample *sample = STALE;
    zeros nothing = {{0}};
    REFUSED(nalu_sample_create((const uint8_t *)good, 10, NULL, second, none, none, 0, &sample),
        NALU_STATUS_PARAMETER, "format", "NULL");
    CHECK_PTR_EQ(sample, NULL);
    REFUSED(nalu_sample_create((const uint8_t *)good, 10, (nalu_format_description *)(void *)&nothing, second, none,
        none, 0, &sample), NALU_STATUS_INVALID_HANDLE, "format");
    REFUSED(nalu_sample_create((const uint8_t *)good, 10, format_of(0), second, none, none, 0, NULL),
        NALU_STATUS_PARAMETER, "sample_out");
    REFUSED(nalu_sample_create_with_bytes((const uint8_t *)good, 10, NULL, NULL, format_of(0), second, none, none, 0,
        NULL), NALU_STATUS_PARAMETER, "sample_out");
}

int main(void) {
    clip_open(&c, 96, 80);
    clip_encode_all(&c, 20);
    RUN(recreated_samples_equal_those_of_a_session);
    RUN(length_prefixes_of_every_size_are_accepted);
    RUN(wrapped_bytes_are_released_once);
    RUN(wrong_arguments_of_create_are_refused);
    clip_close(&c);
    return check_result();
}
