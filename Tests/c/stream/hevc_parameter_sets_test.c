/* H.265 parameter sets with syntax that x265 does not write: levels and profiles of three sub-layers, layer
 * sets, scaling lists, PCM, predicted reference picture sets, long-term pictures, HRD parameters of both kinds
 * and of sub-pictures, restrictions. FFmpeg reads them to the stop bit without a message (-bsf:v
 * trace_headers). */
#include "refusal.h"

static const char vps_text[] =
    "40013c15ffff24080000030099d000000300007bd00004080000030090000003000003005d5e1c905700000303e90000c350e8";
static const char sps_text[] =
    "42013524080000030099d000000300007bd00004080000030090000003000003005d5e33003c4801106d90cca3255334723b91ae"
    "57442ba215d10a52ba215d10ae885295d10ae885744294ae8857442ba215d10ae8857442ba215d10ae8857442ba215d10ae8a574"
    "42ba215d10ae8857442ba215d10ae8857442ba215d10ae8857452ba215d10ae8857442ba215d10ae8857442ba215d10ae8857442"
    "ba2840ae8857442ba215d10ae8857442ba215d10ae8857442ba215d10ae8a102ba215d10ae8857442ba215d10ae8857442ba215d"
    "10ae8857442ba2840ae8857442ba215d10ae8857442ba215d10ae8857442ba215d10ae8a102ba215d10ae8857442ba215d10ae88"
    "57442ba215d10ae8857442ba2eef52b5ab7a65bbf604b204b57fe005000436e1224136cd3216000003000200000300795e067a48"
    "c6ef59007d2001389004b2047003e90009c480259023932007d2001389004b2047003ea0009c480259023c01f48004e24012c811"
    "c00fa80027120096408f99803e90009c480259023801f50004e24012c811e00fac0027120096408e007d2001389004b2047003ea"
    "0009c480259023c01f58004e24012c811dc04e68203d";
/* The same without timing. */
static const char untimed_text[] =
    "42013524080000030099d000000300007bd00004080000030090000003000003005d5e33003c4801106d90cca3255334723b91ae"
    "57442ba215d10a52ba215d10ae885295d10ae885744294ae8857442ba215d10ae8857442ba215d10ae8857442ba215d10ae8a574"
    "42ba215d10ae8857442ba215d10ae8857442ba215d10ae8857452ba215d10ae8857442ba215d10ae8857442ba215d10ae8857442"
    "ba2840ae8857442ba215d10ae8857442ba215d10ae8857442ba215d10ae8a102ba215d10ae8857442ba215d10ae8857442ba215d"
    "10ae8857442ba2840ae8857442ba215d10ae8857442ba215d10ae8857442ba215d10ae8a102ba215d10ae8857442ba215d10ae88"
    "57442ba215d10ae8857442ba2eef52b5ab7a65bbf604b204b57fe005000436e1224136cd3215c04e68203d";
/* PPS with tiles, with wavefronts, with neither, and with both. */
static const char *const pps_texts[] = {"440146d4d0135a163b65e240", "440166d4d0135a163b5890", "440121b53404d6858ed224", "440129b53404d6858edd7890"};

typedef struct unit {
    uint8_t bytes[512];
    size_t size;
} unit;

static unit unit_of(const char *text) {
    unit u = {.size = strlen(text) / 2};
    REQUIRE(u.size <= sizeof u.bytes);
    for (size_t i = 0; i < u.size; i++) {
        unsigned byte = 0;
        REQUIRE(sscanf(text + 2 * i, "%2x", &byte) == 1);
        u.bytes[i] = (uint8_t)byte;
    }
    return u;
}

/* The values common to both SPS, and the differing ones as arguments. */
static nalu_sequence_info expected(uint32_t time_scale, uint32_t units, int32_t has_decoder) {
    return (nalu_sequence_info){.struct_size = sizeof(nalu_sequence_info), .profile_idc = 4, .constraint_flags = 0x99,
        .level_idc = 123, .chroma_format_idc = 2, .luma_bit_depth = 10, .chroma_bit_depth = 12, .coded_width = 1928,
        .coded_height = 1088, .width = 1920, .height = 1080, .crop_left = 4, .crop_top = 3, .crop_right = 4,
        .crop_bottom = 5, .frame_mbs_only = 1, .max_num_ref_frames = 6, .pixel_aspect_ratio_horizontal = 40,
        .pixel_aspect_ratio_vertical = 33, .video_full_range = 1, .color_primaries = 9, .transfer_characteristics = 18,
        .matrix_coefficients = 9, .fixed_frame_rate = has_decoder, .reorder_depth = 3, .max_dec_frame_buffering = 6,
        .time_scale = time_scale, .num_units_in_tick = units, .nal_hrd = has_decoder,
        .chroma_location = 2};
}

static void check_info(const nalu_sequence_info *is, const nalu_sequence_info *should) {
    for (size_t i = 0; i < sizeof *is / 4; i++) {
        int32_t a, b;
        memcpy(&a, (const char *)is + 4 * i, 4);
        memcpy(&b, (const char *)should + 4 * i, 4);
        if (!CHECK_EQ(a, b)) fprintf(stderr, "field %zu of nalu_sequence_info\n", i);
    }
}

static void unusual_h265_sequence_parameter_sets_are_read(void) {
    unit sps = unit_of(sps_text), untimed = unit_of(untimed_text);
    nalu_sequence_info info = {.struct_size = sizeof info}, timed = expected(120, 1, 1), without = expected(0, 0, 0);
    REQUIRE_OK(nalu_parse_hevc_sequence_parameter_set(sps.bytes, sps.size, &info));
    check_info(&info, &timed);
    REQUIRE_OK(nalu_parse_hevc_sequence_parameter_set(untimed.bytes, untimed.size, &info));
    check_info(&info, &without);
}

/* hvcC byte by byte (ISO/IEC 14496-15 8.3.3.1). */
static void hvcc_has_the_bytes_of_the_standard(void) {
    static const int sets[][2] = {{0, -1}, {1, -1}, {2, -1}, {3, -1}, {0, 1}, {1, 1}};
    static const uint8_t parallelism[] = {2, 3, 1, 0, 0, 3};
    unit vps = unit_of(vps_text), sps = unit_of(untimed_text);
    for (int i = 0; i < 6; i++) {
        unit a = unit_of(pps_texts[sets[i][0]]), b = unit_of(pps_texts[sets[i][1] < 0 ? 0 : sets[i][1]]);
        const uint8_t *units[] = {vps.bytes, sps.bytes, a.bytes, b.bytes};
        const size_t sizes[] = {vps.size, sps.size, a.size, b.size};
        nalu_format_description *format = NULL;
        REQUIRE_OK(nalu_format_description_create_from_hevc_parameter_sets(sets[i][1] < 0 ? 3 : 4, units, sizes, 2, &format));
        const uint8_t head[] = {1, 0x24, 8, 0, 0, 0, 0x99, 0xd0, 0, 0, 0, 0, 123, 0xf0, 77, (uint8_t)(0xfc | parallelism[i]),
            0xfc | 2, 0xf8 | 2, 0xf8 | 4, 0, 0, 3 << 3 | 4 | 1, 3, 0xa0, 0, 1, 0, (uint8_t)vps.size};
        size_t size = 0;
        const uint8_t *record = nalu_format_description_get_hvcc(format, &size);
        REQUIRE(size > sizeof head + vps.size + sps.size + 10);
        CHECK_BYTES(record, head, sizeof head);
        CHECK_BYTES(record + sizeof head, vps.bytes, vps.size);
        const uint8_t *rest = record + sizeof head + vps.size;
        const uint8_t next[] = {0xa1, 0, 1, (uint8_t)(sps.size >> 8), (uint8_t)sps.size};
        CHECK_BYTES(rest, next, sizeof next);
        CHECK_BYTES(rest + sizeof next, sps.bytes, sps.size);
        const uint8_t last[] = {0xa2, 0, sets[i][1] < 0 ? 1 : 2, 0, (uint8_t)a.size};
        CHECK_BYTES(rest + sizeof next + sps.size, last, sizeof last);
        /* The VPS contains the timing that the SPS lacks. */
        nalu_sequence_info info = {.struct_size = sizeof info}, should = expected(100000, 1001, 0);
        REQUIRE_OK(nalu_format_description_get_sequence_info(format, &info));
        check_info(&info, &should);
        CHECK_EQ(nalu_format_description_get_length_size(format), 2);
        nalu_format_description_release(format);
    }
}

/* Parameter sets truncated at any byte are rejected. With changed bits they are parameter sets, or a status is
 * returned. */
static void corrupt_h265_parameter_sets_give_a_status(void) {
    const char *const texts[] = {vps_text, sps_text, untimed_text, pps_texts[0], pps_texts[1]};
    for (int i = 0; i < 5; i++) {
        const unit good = unit_of(texts[i]);
        unit vps = unit_of(vps_text), sps = unit_of(sps_text), pps = unit_of(pps_texts[0]);
        unit *changed = i == 0 ? &vps : i < 3 ? &sps : &pps;
        const uint8_t *units[] = {vps.bytes, sps.bytes, pps.bytes};
        for (size_t k = 0; k < good.size + good.size * 8; k++) {
            *changed = good;
            if (k < good.size) changed->size = k; else changed->bytes[(k - good.size) >> 3] ^= (uint8_t)(1u << (k & 7));
            const size_t sizes[] = {vps.size, sps.size, pps.size};
            nalu_format_description *format = STALE;
            nalu_status status = nalu_format_description_create_from_hevc_parameter_sets(3, units, sizes, 4, &format);
            CHECK((status == NALU_STATUS_OK) == (format != NULL));
            CHECK(status == NALU_STATUS_OK || status == NALU_STATUS_BAD_DATA
                || status == NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
            if (k < 8) CHECK_STATUS(status, NALU_STATUS_BAD_DATA);
            if (k < good.size && i == 1) CHECK_STATUS(status, NALU_STATUS_BAD_DATA);
            nalu_format_description_release(format);
        }
    }
}

int main(void) {
    RUN(unusual_h265_sequence_parameter_sets_are_read);
    RUN(hvcc_has_the_bytes_of_the_standard);
    RUN(corrupt_h265_parameter_sets_give_a_status);
    return check_result();
}
