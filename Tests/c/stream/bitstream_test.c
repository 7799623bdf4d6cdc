/* Walking and rewriting NAL units, made by hand and by a session; reading sequence parameter sets. */
#include "clip.h"
#include "refusal.h"

/* ---- Walking --------------------------------------------------------------------------------------------------- */

/* Writes the NAL units of a stream as "65:3 41:1" (first byte and length), and then the result of the walk. */
static void walk(const void *bytes, size_t size, uint32_t length_size, char *out, size_t capacity) {
    size_t offset = 0, used = 0;
    for (;;) {
        const uint8_t *nal = STALE;
        size_t length = 99, before = offset;
        nalu_status status = length_size
            ? nalu_length_prefixed_next((const uint8_t *)bytes, size, length_size, &offset, &nal, &length)
            : nalu_annex_b_next((const uint8_t *)bytes, size, &offset, &nal, &length);
        if (status != NALU_STATUS_OK) {
            CHECK(nal == NULL && length == 0);
            snprintf(out + used, capacity - used, "%s%s", used ? " " : "", nalu_status_string(status));
            return;
        }
        CHECK(offset > before && offset <= size && length > 0);
        CHECK(nal >= (const uint8_t *)bytes && nal + length <= (const uint8_t *)bytes + size);
        used += (size_t)snprintf(out + used, capacity - used, "%s%02x:%zu", used ? " " : "", nal[0], length);
    }
}

static void check_walk(const void *bytes, size_t size, uint32_t length_size, const char *expected, int line) {
    char found[200];
    /* The copy has the exact size, so that a sanitizer finds reads beyond it. */
    void *copy = malloc(size ? size : 1);
    REQUIRE(copy);
    memcpy(copy, bytes, size);
    walk(copy, size, length_size, found, sizeof found);
    check_strings(found, expected, __FILE__, line, "walk");
    free(copy);
}
#define WALK(bytes, length_size, expected) check_walk(bytes, sizeof bytes - 1, length_size, expected, __LINE__)
#define END "VALUE_NOT_AVAILABLE"

static void nal_units_of_annex_b_are_found(void) {
    WALK("", 0, END);
    WALK("\0\0\1\x65\x88\x80", 0, "65:3 " END);
    WALK("\0\0\0\1\x65\x88\x80", 0, "65:3 " END);
    WALK("\0\0\0\0\0\0\1\x65", 0, "65:1 " END);
    WALK("\0\0\1\x67\1\0\0\1\x68\2\3\0\0\0\1\x65", 0, "67:2 68:3 65:1 " END);
    WALK("\0\0\1\x65\x80\0\0\0\0\0\0", 0, "65:2 " END);
    WALK("\0\0\1\x65\0\0\3\1", 0, "65:5 " END);
    WALK("\0\0\1\0\0\1\x41", 0, "41:1 " END);
    WALK("\0\0\1", 0, END);
    WALK("\0\0\1\x65\0\0", 0, "65:1 " END);
    WALK("\x65\0\0\1\x65", 0, "BAD_DATA");
    WALK("\0\1\x65", 0, "BAD_DATA");
    WALK("\0\0\2\x65", 0, "BAD_DATA");
    WALK("\0\0\0\0", 0, "BAD_DATA");
    WALK("abcdefg", 0, "BAD_DATA");
}

static void length_prefixed_nal_units_are_found(void) {
    WALK("", 1, END);
    WALK("\1\x65", 1, "65:1 " END);
    WALK("\0\2\x65\1\0\1\x41", 2, "65:2 41:1 " END);
    WALK("\0\0\0\2\x65\1\0\0\0\1\x41", 4, "65:2 41:1 " END);
    WALK("\0\0\0\2\x65", 4, "BAD_DATA");
    WALK("\0\0\0", 4, "BAD_DATA");
    WALK("\0\0\0\0", 4, "BAD_DATA");
    WALK("\0\0\0\1\x65\0", 4, "65:1 BAD_DATA");
    WALK("\xff\xff\xff\xff\x65", 4, "BAD_DATA");
    WALK("\xff\xff\x65", 2, "BAD_DATA");
    WALK("\xff\x65", 1, "BAD_DATA");
    WALK("\1\x65", 0, "BAD_DATA");
}

static void wrong_arguments_of_the_walk_are_refused(void) {
    static const uint8_t stream[] = {0, 0, 1, 0x65}, bad[] = {0, 0, 7, 0x65};
    const uint8_t *nal = NULL;
    size_t size = 0, offset = 5;
    REFUSED(nalu_annex_b_next(stream, 4, &offset, &nal, &size), NALU_STATUS_PARAMETER, "offset is 5", "4");
    REFUSED(nalu_length_prefixed_next(stream, 4, 1, &offset, &nal, &size), NALU_STATUS_PARAMETER, "offset is 5", "4");
    offset = SIZE_MAX;
    REFUSED(nalu_annex_b_next(stream, 4, &offset, &nal, &size), NALU_STATUS_PARAMETER, "18446744073709551615");
    CHECK_EQ(offset, SIZE_MAX);
    offset = 4;
    CHECK_STATUS(nalu_annex_b_next(stream, 4, &offset, &nal, &size), NALU_STATUS_VALUE_NOT_AVAILABLE);
    offset = 0;
    REFUSED(nalu_annex_b_next(bad, 4, &offset, &nal, &size), NALU_STATUS_BAD_DATA, "0x7", "offset 2", "start code");
    CHECK_EQ(offset, 0);
    REFUSED(nalu_annex_b_next(stream, SIZE_MAX, &offset, &nal, &size), NALU_STATUS_PARAMETER, "18446744073709551615");
    const uint32_t sizes[] = {0, 3, 5, 8, UINT32_MAX};
    uint8_t out[64];
    for (int i = 0; i < 5; i++) {
        char value[40];
        snprintf(value, sizeof value, "length_size is %u", sizes[i]);
        REFUSED(nalu_length_prefixed_next(stream, 4, sizes[i], &offset, &nal, &size), NALU_STATUS_PARAMETER, value,
                "1, 2 or 4");
        REFUSED(nalu_annex_b_to_length_prefixed(stream, 4, sizes[i], out, 64, &size), NALU_STATUS_PARAMETER, value);
        REFUSED(nalu_length_prefixed_to_annex_b(stream, 4, sizes[i], out, 64, &size), NALU_STATUS_PARAMETER, value);
    }
}

/* ---- Rewriting --------------------------------------------------------------------------------------------------- */

static void annex_b_and_length_prefixes_are_converted(void) {
    static const uint8_t annex_b[] = {0, 0, 1, 0x67, 1, 2, 0, 0, 0, 1, 0x68, 0, 0, 0, 1, 0x65, 0, 0, 3, 9};
    const uint32_t length_sizes[] = {1, 2, 4};
    for (int i = 0; i < 3; i++) {
        const uint32_t prefix = length_sizes[i];
        const size_t expected = 3 * prefix + 3 + 1 + 5;
        uint8_t out[64], back[64];
        size_t size = 0, again = 0;
        memset(out, 0xaa, sizeof out);
        CHECK_OK(nalu_annex_b_to_length_prefixed(annex_b, sizeof annex_b, prefix, NULL, 0, &size));
        CHECK_EQ(size, expected);
        size = 0;
        REFUSED(nalu_annex_b_to_length_prefixed(annex_b, sizeof annex_b, prefix, out, expected - 1, &size),
                NALU_STATUS_BUFFER_TOO_SMALL, "capacity");
        CHECK_EQ(size, expected);
        CHECK_EQ(out[0], 0xaa);
        REFUSED(nalu_annex_b_to_length_prefixed(annex_b, sizeof annex_b, prefix, out, 0, &size),
                NALU_STATUS_BUFFER_TOO_SMALL, "capacity is 0");
        CHECK_OK(nalu_annex_b_to_length_prefixed(annex_b, sizeof annex_b, prefix, out, expected, &size));
        CHECK_EQ(out[expected], 0xaa);
        CHECK_EQ(out[prefix - 1], 3);
        CHECK_EQ(out[prefix], 0x67);

        CHECK_OK(nalu_length_prefixed_to_annex_b(out, expected, prefix, NULL, 0, &again));
        CHECK_EQ(again, 3 * 4 + 9);
        REFUSED(nalu_length_prefixed_to_annex_b(out, expected, prefix, back, again - 1, &again),
                NALU_STATUS_BUFFER_TOO_SMALL, "capacity");
        CHECK_OK(nalu_length_prefixed_to_annex_b(out, expected, prefix, back, again, &again));
        check_walk(back, again, 0, "67:3 68:1 65:5 " END, __LINE__);
        CHECK_OK(nalu_length_prefixed_to_annex_b(out, expected, prefix, back, SIZE_MAX, &again));
    }
    static uint8_t large[70003] = {0, 0, 1};
    size_t size = 5;
    memset(large + 3, 0x55, sizeof large - 3);
    REFUSED(nalu_annex_b_to_length_prefixed(large, sizeof large, 2, NULL, 0, &size), NALU_STATUS_BAD_DATA, "70000",
        "65535");
    REFUSED(nalu_annex_b_to_length_prefixed(large, 300, 1, NULL, 0, &size), NALU_STATUS_BAD_DATA, "297", "255");
    CHECK_EQ(size, 0);
    REFUSED(nalu_length_prefixed_to_annex_b((const uint8_t *)"\0\5\1", 3, 2, NULL, 0, &size), NALU_STATUS_BAD_DATA,
        "is 5");
    REFUSED(nalu_annex_b_to_length_prefixed((const uint8_t *)"\1\2\3", 3, 4, NULL, 0, &size), NALU_STATUS_BAD_DATA,
        "0x1");
}

/* ---- NAL units of a session -------------------------------------------------------------------------------------- */

static void a_sessions_samples_survive_conversion_there_and_back(void) {
    clip c;
    clip_open(&c, 176, 144);
    c.noise = 255;
    clip_encode_all(&c, 12);
    for (int i = 0; i < c.count; i++) {
        static uint8_t annex_b[1 << 18], prefixed[1 << 18];
        size_t data_size = 0, size = 0, back = 0;
        const uint8_t *data = nalu_sample_get_data(c.samples[i], &data_size);
        REQUIRE_OK(nalu_sample_copy_annex_b(c.samples[i], NALU_ANNEX_B_NO_PARAMETER_SETS, annex_b, sizeof annex_b,
            &size));
        CHECK_EQ(size, data_size);
        REQUIRE_OK(nalu_annex_b_to_length_prefixed(annex_b, size, 4, prefixed, sizeof prefixed, &back));
        CHECK_EQ(back, data_size);
        CHECK_BYTES(prefixed, data, data_size);
        size_t offset = 0, length = 0;
        const uint8_t *nal = NULL;
        uint32_t count = 0;
        while (nalu_length_prefixed_next(data, data_size, 4, &offset, &nal, &length) == NALU_STATUS_OK) {
            size_t expected = 0;
            CHECK_PTR_EQ(nal, nalu_sample_get_nal(c.samples[i], count++, &expected));
            CHECK_EQ(length, expected);
        }
        CHECK_EQ(count, nalu_sample_get_nal_count(c.samples[i]));
    }
    clip_close(&c);
}

static void sequence_parameter_sets_are_parsed(void) {
    nalu_sequence_info info = {.struct_size = sizeof info}, whole;
    size_t size = 0;
    clip c;
    clip_open(&c, 128, 96);
    clip_encode_all(&c, 1);
    const nalu_format_description *format = nalu_sample_get_format_description(c.samples[0]);
    const uint8_t *sps = nalu_format_description_get_parameter_set(format, 0, &size);
    REQUIRE_OK(nalu_parse_sequence_parameter_set(sps, size, &info));
    CHECK(info.width == 128 && info.height == 96 && info.profile_idc == 100);
    whole = clip_info(&c);
    CHECK_BYTES(&info, &whole, sizeof info);

    /* An SPS truncated at any length is bad data, and the struct stays unchanged. */
    nalu_sequence_info untouched;
    memset(&untouched, 0x3c, sizeof untouched);
    untouched.struct_size = sizeof untouched;
    for (size_t length = 0; length < size; length++) {
        uint8_t *copy = (uint8_t *)malloc(length ? length : 1);
        REQUIRE(copy);
        memcpy(copy, sps, length);
        info = untouched;
        CHECK_STATUS(nalu_parse_sequence_parameter_set(copy, length, &info), NALU_STATUS_BAD_DATA);
        CHECK(strstr(nalu_last_error_message(), "SPS") != NULL);
        CHECK_BYTES(&info, &untouched, sizeof info);
        free(copy);
    }
    const uint8_t *pps = nalu_format_description_get_parameter_set(format, 1, &size);
    REFUSED(nalu_parse_sequence_parameter_set(pps, size, &info), NALU_STATUS_BAD_DATA, "0x68", "SPS");

    /* Sizes of the struct: the additional fields of a newer header stay unchanged, and an unknown smaller size
     * is rejected. */
    struct { nalu_sequence_info known; unsigned char tail[8]; } newer;
    memset(&newer, 0x3c, sizeof newer);
    sps = nalu_format_description_get_parameter_set(format, 0, &size);
    newer.known.struct_size = sizeof newer;
    CHECK_OK(nalu_parse_sequence_parameter_set(sps, size, &newer.known));
    CHECK(newer.known.struct_size == sizeof newer && newer.known.width == 128 && newer.tail[0] == 0x3c);
    /* The struct of an older header, without chroma_location. */
    info = untouched;
    info.struct_size = offsetof(nalu_sequence_info, chroma_location);
    CHECK_OK(nalu_parse_sequence_parameter_set(sps, size, &info));
    CHECK(info.width == 128 && info.chroma_location == untouched.chroma_location);
    CHECK_OK(nalu_format_description_get_sequence_info(format, &info));
    const uint32_t small[] = {0, 4, offsetof(nalu_sequence_info, chroma_location) - 1};
    for (int i = 0; i < 3; i++) {
        info = untouched;
        info.struct_size = small[i];
        REFUSED(nalu_parse_sequence_parameter_set(sps, size, &info), NALU_STATUS_PARAMETER, "info->struct_size",
                "at least 120");
        REFUSED(nalu_format_description_get_sequence_info(format, &info), NALU_STATUS_PARAMETER, "info->struct_size");
        CHECK_EQ(info.width, untouched.width);
    }
    clip_close(&c);
}

/* Random bytes always give a status. */
static void random_bytes_give_a_status(void) {
    uint32_t random = 1;
    for (int round = 0; round < 20000; round++) {
        uint8_t bytes[48], out[256];
        nalu_sequence_info info = {.struct_size = sizeof info};
        size_t size = 0, offset = 0, length = 0, count = (random >> 8) % sizeof bytes + 1;
        const uint8_t *nal = NULL;
        for (size_t i = 0; i < count; i++)
            bytes[i] = (uint8_t)((random = random * 1664525u + 1013904223u) >> 24) >> (round % 8);
        if (round % 2) bytes[0] = 0x67, bytes[1] = 100;
        (void)!nalu_parse_sequence_parameter_set(bytes, count, &info);
        (void)!nalu_annex_b_to_length_prefixed(bytes, count, 4, out, sizeof out, &size);
        (void)!nalu_length_prefixed_to_annex_b(bytes, count, 1, out, sizeof out, &size);
        while (nalu_annex_b_next(bytes, count, &offset, &nal, &length) == NALU_STATUS_OK) {}
    }
}

int main(void) {
    RUN(nal_units_of_annex_b_are_found);
    RUN(length_prefixed_nal_units_are_found);
    RUN(wrong_arguments_of_the_walk_are_refused);
    RUN(annex_b_and_length_prefixes_are_converted);
    RUN(a_sessions_samples_survive_conversion_there_and_back);
    RUN(sequence_parameter_sets_are_parsed);
    RUN(random_bytes_give_a_status);
    return check_result();
}
