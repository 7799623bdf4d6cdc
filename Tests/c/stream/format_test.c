/* Format descriptions from a session, from parameter sets and from avcC: their values, and rejected input. */
#include "clip.h"
#include "refusal.h"

static clip c;
static nalu_format_description *made_by_session;
static const uint8_t *sps, *pps, *record;
static size_t sps_size, pps_size, record_size;

static void a_sessions_format_describes_its_stream(void) {
    const nalu_format_description *f = made_by_session;
    CHECK_EQ(nalu_format_description_get_codec(f), NALU_CODEC_H264);
    CHECK_EQ(nalu_format_description_get_width(f), 100);
    CHECK_EQ(nalu_format_description_get_height(f), 50);
    CHECK_EQ(nalu_format_description_get_length_size(f), 4);
    CHECK_EQ(nalu_format_description_get_parameter_set_count(f), 2);
    CHECK_EQ(sps[0] & 31, NALU_NAL_SPS);
    CHECK_EQ(pps[0] & 31, NALU_NAL_PPS);
    size_t size = 9;
    CHECK_PTR_EQ(nalu_format_description_get_parameter_set(f, 2, &size), NULL);
    CHECK_EQ(size, 0);
    CHECK_PTR_EQ(nalu_format_description_get_parameter_set(f, UINT32_MAX, NULL), NULL);
    CHECK_PTR_EQ(nalu_format_description_get_parameter_set(f, 0, NULL), sps);
    CHECK_PTR_EQ(nalu_format_description_get_avcc(f, NULL), record);
    /* All samples share one description, even after the encoder was flushed and opened again. */
    for (int i = 0; i < c.count; i++) CHECK_PTR_EQ(nalu_sample_get_format_description(c.samples[i]), f);
}

/* avcC byte by byte (ISO/IEC 14496-15 5.3.3.1). */
static void avcc_has_the_bytes_of_the_standard(void) {
    const uint8_t head[] = {1, sps[1], sps[2], sps[3], 0xff, 0xe1, (uint8_t)(sps_size >> 8), (uint8_t)sps_size};
    REQUIRE(record_size == sizeof head + sps_size + 3 + pps_size + 4);
    CHECK_BYTES(record, head, sizeof head);
    CHECK_BYTES(record + sizeof head, sps, sps_size);
    const uint8_t *rest = record + sizeof head + sps_size;
    CHECK(rest[0] == 1 && rest[1] == (uint8_t)(pps_size >> 8) && rest[2] == (uint8_t)pps_size);
    CHECK_BYTES(rest + 3, pps, pps_size);
    /* High profile: 4:2:0, eight bits, no SPS extension. */
    CHECK_BYTES(rest + 3 + pps_size, ((const uint8_t[]){0xfd, 0xf8, 0xf8, 0}), 4);
}

static nalu_status from_sets(uint32_t count, const uint8_t *const *sets, const size_t *sizes, uint32_t length_size,
                             nalu_format_description **out) {
    *out = STALE;
    nalu_status status = nalu_format_description_create_from_parameter_sets(count, sets, sizes, length_size, out);
    CHECK((status == NALU_STATUS_OK) == (*out != NULL));
    return status;
}

static void a_format_is_made_from_parameter_sets(void) {
    const uint8_t *sets[2] = {pps, sps};
    const size_t sizes[2] = {pps_size, sps_size};
    nalu_format_description *made = NULL;
    nalu_sequence_info a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
    REQUIRE_OK(from_sets(2, sets, sizes, 4, &made));
    CHECK_EQ(nalu_format_description_equal(made, made_by_session), 1);
    CHECK_EQ(nalu_format_description_equal(made, made), 1);
    CHECK_EQ(nalu_format_description_get_width(made), 100);
    size_t size = 0;
    CHECK_BYTES(nalu_format_description_get_parameter_set(made, 0, &size), sps, sps_size);
    CHECK_EQ(size, sps_size);
    CHECK_BYTES(nalu_format_description_get_avcc(made, &size), record, record_size);
    CHECK_EQ(size, record_size);
    CHECK_OK(nalu_format_description_get_sequence_info(made, &a));
    CHECK_OK(nalu_format_description_get_sequence_info(made_by_session, &b));
    CHECK_BYTES(&a, &b, sizeof a);
    CHECK_PTR_EQ(nalu_format_description_retain(made), made);
    nalu_format_description_release(made);
    CHECK_EQ(nalu_format_description_get_height(made), 50);
    nalu_format_description_release(made);

    const uint32_t length_sizes[] = {1, 2, 4};
    for (int i = 0; i < 3; i++) {
        REQUIRE_OK(from_sets(2, sets, sizes, length_sizes[i], &made));
        CHECK_EQ(nalu_format_description_get_length_size(made), length_sizes[i]);
        CHECK_EQ(nalu_format_description_equal(made, made_by_session), length_sizes[i] == 4);
        nalu_format_description_release(made);
    }
}

static void wrong_parameter_sets_are_refused(void) {
    static uint8_t large[65537] = {0x68};
    const uint8_t *sets[300];
    size_t sizes[300];
    nalu_format_description *made;
    for (int i = 0; i < 300; i++) sets[i] = i ? pps : sps, sizes[i] = i ? pps_size : sps_size;
#define BAD(count, length_size, status, ...) \
    REFUSED(from_sets(count, sets, sizes, length_size, &made), status, __VA_ARGS__)
    BAD(2, 0, NALU_STATUS_PARAMETER, "length_size is 0", "1, 2 or 4");
    BAD(2, 3, NALU_STATUS_PARAMETER, "length_size is 3");
    BAD(2, UINT32_MAX, NALU_STATUS_PARAMETER, "length_size is 4294967295");
    BAD(0, 4, NALU_STATUS_BAD_DATA, "count is 0");
    BAD(1, 4, NALU_STATUS_BAD_DATA, "count is 1");
    BAD(300, 4, NALU_STATUS_BAD_DATA, "count is 300", "255 PPS");
    BAD(257, 4, NALU_STATUS_BAD_DATA, "256 PPS", "255");
    BAD(UINT32_MAX, 4, NALU_STATUS_BAD_DATA, "count is 4294967295");
    REQUIRE_OK(from_sets(256, sets, sizes, 4, &made));
    CHECK_EQ(nalu_format_description_get_parameter_set_count(made), 256);
    nalu_format_description_release(made);
    for (int i = 0; i < 32; i++) sets[i] = sps, sizes[i] = sps_size;
    BAD(33, 4, NALU_STATUS_BAD_DATA, "32 SPS", "31");
    BAD(2, 4, NALU_STATUS_BAD_DATA, "PPS");
    sets[0] = pps, sizes[0] = pps_size, sets[1] = pps, sizes[1] = pps_size;
    BAD(2, 4, NALU_STATUS_BAD_DATA, "no SPS");
    sets[0] = sps, sizes[0] = sps_size - 5;
    BAD(2, 4, NALU_STATUS_BAD_DATA, "SPS");
    sizes[0] = 0;
    BAD(2, 4, NALU_STATUS_BAD_DATA, "parameter set 0", "0 bytes");
    sizes[0] = SIZE_MAX;
    BAD(2, 4, NALU_STATUS_PARAMETER, "18446744073709551615");
    sizes[0] = sps_size, sets[1] = (const uint8_t *)"\x65\x88", sizes[1] = 2;
    BAD(2, 4, NALU_STATUS_BAD_DATA, "parameter set 1", "neither SPS nor PPS");
    sets[1] = large, sizes[1] = 65536;
    BAD(2, 4, NALU_STATUS_BAD_DATA, "65536", "65535");
    sets[1] = (const uint8_t *)"\x68", sizes[1] = 1;
    BAD(2, 4, NALU_STATUS_BAD_DATA, "PPS");
}

static void a_format_is_made_from_avcc(void) {
    nalu_format_description *made = STALE;
    uint8_t copy[512];
    REQUIRE(record_size < sizeof copy - 8);
    REQUIRE_OK(nalu_format_description_create_from_avcc(record, record_size, &made));
    CHECK_EQ(nalu_format_description_equal(made, made_by_session), 1);
    nalu_format_description_release(made);
    for (size_t size = 0; size < record_size; size++) {
        uint8_t *cut = (uint8_t *)malloc(size ? size : 1);
        REQUIRE(cut);
        memcpy(cut, record, size);
        made = STALE;
        nalu_status status = nalu_format_description_create_from_avcc(cut, size, &made);
        /* avcC is still valid without the four bytes that old writers omit. */
        check_statuses(status, size == record_size - 4 || (status == NALU_STATUS_OK && size > record_size - 4)
                                   ? NALU_STATUS_OK : NALU_STATUS_BAD_DATA, __FILE__, __LINE__, "cut record");
        CHECK((status == NALU_STATUS_OK) == (made != NULL));
        if (made) CHECK_EQ(nalu_format_description_get_width(made), 100);
        nalu_format_description_release(made);
        free(cut);
    }
    memcpy(copy, record, record_size);
#define SPOILED(at, value, ...) \
    do { \
        copy[at] = value; \
        REFUSED(nalu_format_description_create_from_avcc(copy, record_size, &made), NALU_STATUS_BAD_DATA, \
            __VA_ARGS__); \
        CHECK_PTR_EQ(made, NULL); \
        copy[at] = record[at]; \
    } while (0)
    SPOILED(0, 2, "configurationVersion", "2", "1");
    SPOILED(4, 0xfe, "length size", "3");
    SPOILED(5, 0xe0, "SPS");
    SPOILED(8, 0x65, "type");
    SPOILED(6, 0xff, "length");
    /* Bytes after the record are not part of it. */
    memset(copy + record_size, 0xff, 8);
    REQUIRE_OK(nalu_format_description_create_from_avcc(copy, record_size + 8, &made));
    CHECK_EQ(nalu_format_description_equal(made, made_by_session), 1);
    nalu_format_description_release(made);
    REFUSED(nalu_format_description_create_from_avcc(copy, SIZE_MAX, &made), NALU_STATUS_PARAMETER, "size");
}

static void a_format_outlives_its_session(void) {
    clip other;
    clip_open(&other, 64, 48);
    clip_encode_all(&other, 1);
    nalu_format_description *f = nalu_format_description_retain(nalu_sample_get_format_description(other.samples[0]));
    clip_close(&other);
    CHECK_EQ(nalu_format_description_get_width(f), 64);
    CHECK_EQ(nalu_format_description_equal(f, made_by_session), 0);
    nalu_format_description_release(f);
}

int main(void) {
    clip_open(&c, 100, 50);
    clip_encode_all(&c, 5);
    clip_encode_all(&c, 5);
    made_by_session = nalu_sample_get_format_description(c.samples[0]);
    sps = nalu_format_description_get_parameter_set(made_by_session, 0, &sps_size);
    pps = nalu_format_description_get_parameter_set(made_by_session, 1, &pps_size);
    record = nalu_format_description_get_avcc(made_by_session, &record_size);
    RUN(a_sessions_format_describes_its_stream);
    RUN(avcc_has_the_bytes_of_the_standard);
    RUN(a_format_is_made_from_parameter_sets);
    RUN(wrong_parameter_sets_are_refused);
    RUN(a_format_is_made_from_avcc);
    RUN(a_format_outlives_its_session);
    clip_close(&c);
    return check_result();
}
