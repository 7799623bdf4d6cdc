/* H.265 decoder configuration records that FFmpeg's muxer wrote for streams of x265, and their expected
 * contents. */
#ifndef NALU_TESTS_HEVC_RECORDS_H
#define NALU_TESTS_HEVC_RECORDS_H

#include "check.h"

typedef struct hevc_record {
    const char *name;
    const char *hex; /* content of the hvcC box of: ffmpeg -c:v libx265 -tag:v hvc1 out.mp4 */
    uint32_t sets;
    nalu_sequence_info info; /* as printed by ffmpeg -bsf:v trace_headers */
} hevc_record;

static const hevc_record hevc_records[] = {
    /* 4:2:0, cropped from 176x144, B-pyramid. */
    {"main",
     "0101600000009000000000003cf000fcfdf8f800000f03a00001001840010c01ffff01600000030090000003000003003c959809a10001"
     "002d42010101600000030090000003000003003ca016202477796566924cafffc080b0df69c2000007d20000ea6010a200010007440"
     "1c172b46240",
     3,
     {0, 1, 0x90, 60, 1, 8, 8, 176, 144, 172, 140, 0, 0, 4, 4, 1, 4, 0, 49280, 45279, 0, 2, 2, 2, 0, 2, 4, 60000, 1001, 0, 0}},
    /* Ten bits, BT.2020 and PQ, full range, HRD, two temporal sub-layers, and SEI. (FFmpeg 5.1 misreads the HRD
     * and then prints a min_spatial_segmentation_idc of 2; the SPS has none.) */
    {"main 10",
     "0102200000009000000000003cf000fcfdfafa00001304a00001001c40010c02ffff02200000030090000003000003003c00009598acc0"
     "48a10001004442010202200000030090000003000003003c0000a01620244d965662b35c995ffe000800eadc2440278400000fa40001"
     "d4c1803259b8007a10001e84b8007a10001e8488a2000100064401c173d18927000100064e0181010f80",
     4,
     {0, 2, 0x90, 60, 1, 10, 10, 176, 144, 176, 144, 0, 0, 0, 0, 1, 4, 0, 4, 117, 1, 9, 16, 9, 1, 2, 4, 60000, 1001, 1, 0}},
    /* 4:4:4 without reordering; coding blocks of 16. */
    {"4:4:4",
     "0104080000009e08000000003cf000fcfff8f800000f03a00001001740010c01ffff0408000003009e0800000300003c928090a1000100"
     "2a4201010408000003009e0800000300003c9002c4048b2c94b7cafff00800075680800001f480003a9804a2000100084401c1731831"
     "1090",
     3,
     {0, 4, 0x9e, 60, 3, 8, 8, 176, 144, 176, 144, 0, 0, 0, 0, 1, 3, 0, 128, 117, 0, 2, 2, 2, 0, 0, 3, 60000, 1001, 0, -1}},
    /* 4:2:2, twelve bits. */
    {"4:2:2",
     "010408000000990800000000fff000fcfefcfc00000f03a00001001740010c01ffff04080000030099080000030000ff999809a1000100"
     "2c42010104080000030099080000030000ffb016202445296666924dafff00800075680800001f480003a98040a2000100064401c171"
     "ab12",
     3,
     {0, 4, 0x99, 255, 2, 12, 12, 176, 144, 176, 144, 0, 0, 0, 0, 1, 5, 0, 128, 117, 0, 2, 2, 2, 0, 2, 5, 60000, 1001, 0, -1}},
};
enum { HEVC_RECORD_COUNT = sizeof hevc_records / sizeof hevc_records[0] };

/* Copies the record's bytes and returns their number. */
static inline size_t hevc_record_bytes(const hevc_record *record, uint8_t bytes[512]) {
    size_t size = strlen(record->hex) / 2;
    REQUIRE(size <= 512);
    for (size_t i = 0; i < size; i++) {
        unsigned byte = 0;
        REQUIRE(sscanf(record->hex + 2 * i, "%2x", &byte) == 1);
        bytes[i] = (uint8_t)byte;
    }
    return size;
}

static inline nalu_format_description *hevc_format(const hevc_record *record) {
    uint8_t bytes[512];
    size_t size = hevc_record_bytes(record, bytes);
    nalu_format_description *format = NULL;
    REQUIRE_OK(nalu_format_description_create_from_hvcc(bytes, size, &format));
    return format;
}

#endif
