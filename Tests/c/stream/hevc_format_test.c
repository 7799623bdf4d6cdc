/* H.265 format descriptions from hvcC and from parameter sets: their values, samples with them, and rejected
 * input. */
#include "hevc_records.h"
#include "refusal.h"

typedef struct units {
    const uint8_t *bytes[700];
    size_t sizes[700];
    uint32_t count;
} units;

static units units_of(const nalu_format_description *format) {
    units u = {.count = nalu_format_description_get_parameter_set_count(format)};
    for (uint32_t i = 0; i < u.count; i++) {
        u.bytes[i] = nalu_format_description_get_parameter_set(format, i, &u.sizes[i]);
        REQUIRE(u.bytes[i] != NULL);
    }
    return u;
}

static nalu_status from_units(const units *u, uint32_t length_size, nalu_format_description **out) {
    *out = STALE;
    nalu_status status = nalu_format_description_create_from_hevc_parameter_sets(u->count, u->bytes, u->sizes,
        length_size, out);
    CHECK((status == NALU_STATUS_OK) == (*out != NULL));
    return status;
}

static nalu_status from_record(const uint8_t *bytes, size_t size, nalu_format_description **out) {
    *out = STALE;
    nalu_status status = nalu_format_description_create_from_hvcc(bytes, size, out);
    CHECK((status == NALU_STATUS_OK) == (*out != NULL));
    return status;
}

static int type_of(const uint8_t *unit) { return unit[0] >> 1 & 63; }

static void test_record(const hevc_record *record) {
    uint8_t bytes[600];
    size_t size = hevc_record_bytes(record, bytes), found_size = 0;
    memset(bytes + size, 7, 3);
    nalu_format_description *format;
    REQUIRE_OK(from_record(bytes, size + 3, &format));
    CHECK_EQ(nalu_format_description_get_codec(format), NALU_CODEC_HEVC);
    CHECK_EQ(nalu_format_description_get_width(format), record->info.width);
    CHECK_EQ(nalu_format_description_get_height(format), record->info.height);
    CHECK_EQ(nalu_format_description_get_length_size(format), 4);
    CHECK_EQ(nalu_format_description_get_parameter_set_count(format), record->sets);
    CHECK_PTR_EQ(nalu_format_description_get_parameter_set(format, record->sets, NULL), NULL);
    const uint8_t *own = nalu_format_description_get_hvcc(format, &found_size);
    REQUIRE(CHECK_EQ(found_size, size));
    CHECK_BYTES(own, bytes, size);
    CHECK_PTR_EQ(nalu_format_description_get_avcc(format, &found_size), NULL);
    CHECK_EQ(found_size, 0);

    const int types[] = {NALU_HEVC_NAL_VPS, NALU_HEVC_NAL_SPS, NALU_HEVC_NAL_PPS, NALU_HEVC_NAL_PREFIX_SEI};
    units u = units_of(format);
    for (uint32_t i = 0; i < u.count; i++) CHECK_EQ(type_of(u.bytes[i]), types[i]);
    nalu_sequence_info info = {.struct_size = sizeof info}, parsed = info, expected = record->info;
    expected.struct_size = sizeof info;
    REQUIRE_OK(nalu_format_description_get_sequence_info(format, &info));
    for (size_t i = 0; i < sizeof info / 4; i++) {
        int32_t is, should;
        memcpy(&is, (const char *)&info + 4 * i, 4);
        memcpy(&should, (const char *)&expected + 4 * i, 4);
        if (!CHECK_EQ(is, should)) fprintf(stderr, "%s: field %zu of nalu_sequence_info\n", record->name, i);
    }
    CHECK_OK(nalu_parse_hevc_sequence_parameter_set(u.bytes[1], u.sizes[1], &parsed));
    CHECK_BYTES(&parsed, &info, sizeof info);

    /* NAL units in any order give FFmpeg's record byte by byte. */
    units turned = {.count = u.count};
    for (uint32_t i = 0; i < u.count; i++) {
        turned.bytes[i] = u.bytes[u.count - 1 - i], turned.sizes[i] = u.sizes[u.count - 1 - i];
    }
    nalu_format_description *made;
    REQUIRE_OK(from_units(&turned, 4, &made));
    own = nalu_format_description_get_hvcc(made, &found_size);
    REQUIRE(CHECK_EQ(found_size, size));
    CHECK_BYTES(own, bytes, size);
    CHECK_EQ(nalu_format_description_equal(made, format), 1);
    nalu_format_description_release(made);
    REQUIRE_OK(from_units(&u, 2, &made));
    CHECK_EQ(nalu_format_description_equal(made, format), 0);
    CHECK_EQ(nalu_format_description_get_length_size(made), 2);
    nalu_format_description_release(made);
    nalu_format_description_release(format);
}

static void hvcc_records_are_read_and_written(void) {
    for (int i = 0; i < HEVC_RECORD_COUNT; i++) test_record(&hevc_records[i]);
}

/* A format description of one codec is rejected for the other codec. */
static void a_format_of_one_codec_is_refused_for_the_other(void) {
    nalu_format_description *a = hevc_format(&hevc_records[0]), *b = hevc_format(&hevc_records[1]), *made;
    CHECK_EQ(nalu_format_description_equal(a, b), 0);
    CHECK_PTR_EQ(nalu_format_description_get_hvcc(NULL, NULL), NULL);
    units u = units_of(a);
    CHECK_STATUS(nalu_format_description_create_from_parameter_sets(u.count, u.bytes, u.sizes, 4, &made),
        NALU_STATUS_BAD_DATA);
    static const uint8_t sps[] = {0x67, 0x42, 0xc0, 0x0a, 0xda, 0x27, 0x89}, pps[] = {0x68, 0xce, 0x3c, 0x80};
    units avc = {{sps, pps}, {sizeof sps, sizeof pps}, 2};
    REQUIRE_OK(nalu_format_description_create_from_parameter_sets(2, avc.bytes, avc.sizes, 4, &made));
    size_t size = 9;
    CHECK_PTR_EQ(nalu_format_description_get_hvcc(made, &size), NULL);
    CHECK_EQ(size, 0);
    CHECK_EQ(nalu_format_description_equal(made, a), 0);
    avc.bytes[2] = pps, avc.sizes[2] = sizeof pps, avc.count = 3;
    nalu_format_description_release(made);
    CHECK_STATUS(from_units(&avc, 4, &made), NALU_STATUS_BAD_DATA);
    nalu_format_description_release(a);
    nalu_format_description_release(b);
}

static void wrong_h265_parameter_sets_are_refused(void) {
    nalu_format_description *format = hevc_format(&hevc_records[0]), *made;
    const units good = units_of(format);
    units u = good;
#define BAD(status, ...) REFUSED(from_units(&u, 4, &made), status, __VA_ARGS__); u = good
    REFUSED(from_units(&u, 3, &made), NALU_STATUS_PARAMETER, "length_size is 3");
    REFUSED(from_units(&u, UINT32_MAX, &made), NALU_STATUS_PARAMETER, "length_size is 4294967295");
    u.count = 2;
    BAD(NALU_STATUS_BAD_DATA, "count is 2", "3 to 606");
    u.count = UINT32_MAX;
    BAD(NALU_STATUS_BAD_DATA, "count is 4294967295");
    u.bytes[1] = NULL;
    BAD(NALU_STATUS_PARAMETER, "parameter_sets[1] is NULL");
    u.sizes[1] = SIZE_MAX;
    BAD(NALU_STATUS_PARAMETER, "18446744073709551615");
    u.bytes[0] = u.bytes[2], u.sizes[0] = u.sizes[2];
    BAD(NALU_STATUS_BAD_DATA, "0 VPS", "1 to 16");
    u.bytes[1] = u.bytes[2], u.sizes[1] = u.sizes[2];
    BAD(NALU_STATUS_BAD_DATA, "0 SPS", "1 to 16");
    u.bytes[2] = u.bytes[1], u.sizes[2] = u.sizes[1];
    BAD(NALU_STATUS_BAD_DATA, "0 PPS", "1 to 64");
    for (int i = 3; i < 67; i++) u.bytes[i] = good.bytes[2], u.sizes[i] = good.sizes[2];
    u.count = 67;
    BAD(NALU_STATUS_BAD_DATA, "65 PPS", "1 to 64");
    for (uint32_t i = 0; i < 3; i++) {
        u.sizes[i] = 0;
        BAD(NALU_STATUS_BAD_DATA, "0 bytes");
        u.sizes[i] = 1;
        BAD(NALU_STATUS_BAD_DATA, "1 bytes");
        u.sizes[i] = 2;
        BAD(NALU_STATUS_BAD_DATA, "stop bit");
    }
    u.bytes[3] = (const uint8_t *)"\x26\x01\xaf", u.sizes[3] = 3, u.count = 4;
    BAD(NALU_STATUS_BAD_DATA, "parameter set 3");
    u.bytes[3] = (const uint8_t *)"\x44\x09\xc1\x72\xb4", u.sizes[3] = 5, u.count = 4;
    BAD(NALU_STATUS_BAD_DATA, "layer 0");
    static uint8_t large[65536] = {0x4e, 1};
    u.bytes[3] = large, u.sizes[3] = 65536, u.count = 4;
    BAD(NALU_STATUS_BAD_DATA, "65536", "65535");
    REFUSED(nalu_format_description_create_from_hevc_parameter_sets(3, NULL, good.sizes, 4, &made),
        NALU_STATUS_PARAMETER, "parameter_sets is NULL");
    REFUSED(nalu_format_description_create_from_hevc_parameter_sets(3, good.bytes, NULL, 4, &made),
        NALU_STATUS_PARAMETER, "sizes is NULL");
    REFUSED(nalu_format_description_create_from_hevc_parameter_sets(3, good.bytes, good.sizes, 4, NULL),
        NALU_STATUS_PARAMETER, "format_out is NULL");
    REFUSED(nalu_format_description_create_from_hvcc(NULL, 3, &made), NALU_STATUS_PARAMETER, "bytes is NULL");
    REFUSED(nalu_format_description_create_from_hvcc(large, 3, NULL), NALU_STATUS_PARAMETER, "format_out is NULL");
    nalu_sequence_info info = {.struct_size = sizeof info};
    REFUSED(nalu_parse_hevc_sequence_parameter_set(NULL, 3, &info), NALU_STATUS_PARAMETER, "bytes is NULL");
    REFUSED(nalu_parse_hevc_sequence_parameter_set(good.bytes[1], good.sizes[1], NULL), NALU_STATUS_PARAMETER, "info");
    REFUSED(nalu_parse_hevc_sequence_parameter_set(good.bytes[0], good.sizes[0], &info), NALU_STATUS_BAD_DATA, "SPS");
    info.struct_size = 8;
    REFUSED(nalu_parse_hevc_sequence_parameter_set(good.bytes[1], good.sizes[1], &info), NALU_STATUS_PARAMETER, "8");
    nalu_format_description_release(format);
}

/* Writes ue(v) (ITU-T H.265 9.2). */
static void put_number(uint8_t *bytes, size_t *bit, uint64_t value) {
    int length = 0;
    while ((value + 1) >> (length + 1)) length++;
    *bit += (size_t)length;
    for (int i = length; i >= 0; i--, (*bit)++) {
        if ((value + 1) >> i & 1) bytes[*bit >> 3] |= (uint8_t)(0x80 >> (*bit & 7));
    }
}

/* Sizes that are too large, zero, no multiple of the coding block size, or smaller than the conformance
 * window's offsets. */
static void impossible_h265_sizes_are_refused(void) {
    enum { YES = 0 }; /* ue(v) of one bit, which is 1 */
    static const struct { uint64_t values[20]; int count; nalu_status status; const char *says; } sizes[] = {
        {{65536, 16}, 2, NALU_STATUS_UNSUPPORTED_DATA_FORMAT, "65536 x 16 pixels"},
        {{16, 16400}, 2, NALU_STATUS_UNSUPPORTED_DATA_FORMAT, "16 x 16400 pixels"},
        {{4294967294, 4294967294}, 2, NALU_STATUS_UNSUPPORTED_DATA_FORMAT, "4294967294 x 4294967294 pixels"},
        {{0, 16}, 2, NALU_STATUS_BAD_DATA, "pic_width_in_luma_samples is 0"},
        {{16, 0}, 2, NALU_STATUS_BAD_DATA, "pic_height_in_luma_samples is 0"},
        {{16, 16, YES, 4, 4, 0, 0}, 7, NALU_STATUS_BAD_DATA, "leaves 0 x 16 of 16 x 16"},
        {{16, 16, YES, 0, 0, 9, 9}, 7, NALU_STATUS_BAD_DATA, "leaves 16 x -20 of 16 x 16"},
        {{16, 16, YES, 0, 4294967294}, 5, NALU_STATUS_BAD_DATA, "conf_win_right_offset is 4294967294"},
        /* 8 bits, 4 bits of order, one sub-layer, 1 picture kept, no reordering, coding blocks of 8 to 16,
         * transforms of 4. */
        {{20, 16, YES, 0, 0, 0, 0, 0, 0, 0, YES, 0, 0, 0, 0, 1}, 16, NALU_STATUS_BAD_DATA, "20 x 16 pixels"},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        /* One sub-layer, Main at level 2.0; then SPS 0 in 4:2:0. */
        uint8_t sps[80] = {0x42, 1, 1, 1, 0x60, 0, 0, 0x90, 0, 0, 0, 0, 0, 60}, safe[100];
        size_t bit = 8 * 15, size = 0, zeros = 0;
        sps[14] = 60;
        put_number(sps, &bit, 0);
        put_number(sps, &bit, 1);
        for (int k = 0; k < sizes[i].count; k++) put_number(sps, &bit, sizes[i].values[k]);
        put_number(sps, &bit, 0);
        for (size_t k = 0; k < (bit + 7) / 8; k++) {
            if (zeros >= 2 && sps[k] <= 3) safe[size++] = 3, zeros = 0;
            zeros = sps[k] == 0 ? zeros + 1 : 0;
            safe[size++] = sps[k];
        }
        nalu_sequence_info info = {.struct_size = sizeof info, .width = 5};
        REFUSED(nalu_parse_hevc_sequence_parameter_set(safe, size, &info), sizes[i].status, sizes[i].says);
        CHECK_EQ(info.width, 5);
    }
}

/* A record that is truncated at any length or has changed bits gives a status. */
static void corrupt_hvcc_records_give_a_status(void) {
    uint32_t random = 1;
    for (int i = 0; i < HEVC_RECORD_COUNT; i++) {
        uint8_t good[512], bytes[512];
        size_t size = hevc_record_bytes(&hevc_records[i], good);
        nalu_format_description *format;
        for (size_t cut = 0; cut < size; cut++) {
            REFUSED(from_record(good, cut, &format), NALU_STATUS_BAD_DATA, "hvcC");
        }
        for (size_t k = 0; k < size * 8 + 2000; k++) {
            memcpy(bytes, good, size);
            if (k < size * 8) {
                bytes[k >> 3] ^= (uint8_t)(1u << (k & 7));
            } else {
                for (int n = 0; n < 6; n++) {
                    random = random * 1664525u + 1013904223u;
                    bytes[(random >> 8) % size] = (uint8_t)(random >> 24);
                }
            }
            nalu_status status = from_record(bytes, size, &format);
            CHECK(status == NALU_STATUS_OK || status == NALU_STATUS_BAD_DATA
                || status == NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
            if (format) {
                CHECK(nalu_format_description_get_width(format) > 0 && nalu_format_description_get_height(format) > 0);
                units u = units_of(format);
                nalu_format_description *made;
                CHECK_OK(from_units(&u, nalu_format_description_get_length_size(format), &made));
                nalu_format_description_release(made);
            }
            nalu_format_description_release(format);
        }
    }
    uint8_t good[512];
    size_t size = hevc_record_bytes(&hevc_records[0], good);
    nalu_format_description *format;
    good[0] = 0;
    REFUSED(from_record(good, size, &format), NALU_STATUS_BAD_DATA, "configurationVersion", "0");
    good[0] = 1, good[21] = 0x0e;
    REFUSED(from_record(good, size, &format), NALU_STATUS_BAD_DATA, "length size", "3");
    good[21] = 0x0f, good[23] = 0xa1;
    REFUSED(from_record(good, size, &format), NALU_STATUS_BAD_DATA, "type 33");
    good[22] = 0;
    REFUSED(from_record(good, 23, &format), NALU_STATUS_BAD_DATA, "0 VPS");
}

/* The Annex B form has the parameter sets after the delimiter, and only at key frames and recovery points. */
static void h265_samples_have_annex_b_forms(void) {
    static const uint8_t data[] = {0, 0, 0, 3, 0x46, 1, 0x10, 0, 0, 0, 4, 0x28, 1, 0xaf, 9};
    nalu_format_description *format = hevc_format(&hevc_records[1]);
    units u = units_of(format);
    const nalu_time time = nalu_time_make(1, 30), none = nalu_time_invalid();
    const uint32_t partial = NALU_SAMPLE_NOT_SYNC | NALU_SAMPLE_PARTIAL_SYNC;
    const struct { size_t skipped; uint32_t flags; int has_sets; } cases[] = {
        {0, 0, 1}, {7, 0, 1}, {0, partial, 1}, {0, NALU_SAMPLE_NOT_SYNC, 0}, {7, NALU_SAMPLE_NOT_SYNC, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        nalu_sample *sample = NULL;
        REQUIRE_OK(nalu_sample_create(data + cases[i].skipped, sizeof data - cases[i].skipped, format, time, none, none,
            cases[i].flags, &sample));
        CHECK_EQ(nalu_sample_is_key_frame(sample), cases[i].flags == 0);
        uint8_t expected[600], found[600];
        size_t size = 0, found_size = 0;
        const uint8_t code[] = {0, 0, 0, 1};
        memcpy(expected, data, sizeof data);
#define ADD(bytes, count) (memcpy(expected + size, code, 4), memcpy(expected + size + 4, bytes, count), size += 4 + (count))
        if (cases[i].skipped == 0) ADD(data + 4, 3);
        for (uint32_t k = 0; cases[i].has_sets && k < u.count; k++) ADD(u.bytes[k], u.sizes[k]);
        ADD(data + 11, 4);
        REQUIRE_OK(nalu_sample_copy_annex_b(sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES, found, sizeof found,
            &found_size));
        REQUIRE(CHECK_EQ(found_size, size));
        CHECK_BYTES(found, expected, size);
        nalu_sample_release(sample);
    }
    nalu_format_description_release(format);
}

int main(void) {
    RUN(hvcc_records_are_read_and_written);
    RUN(a_format_of_one_codec_is_refused_for_the_other);
    RUN(wrong_h265_parameter_sets_are_refused);
    RUN(impossible_h265_sizes_are_refused);
    RUN(corrupt_hvcc_records_give_a_status);
    RUN(h265_samples_have_annex_b_forms);
    return check_result();
}
