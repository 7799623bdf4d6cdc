#include "frame_kind.h"

/* A bit reader for the first bits of a slice header or SEI. These bits are too few to contain emulation prevention
 * bytes. */
typedef struct bits {
    const uint8_t *bytes;
    size_t size;
    size_t at;
} bits;

static unsigned next_bit(bits *b) {
    if (b->at >= b->size * 8) return 0;
    const unsigned bit = b->bytes[b->at / 8] >> (7 - b->at % 8) & 1;
    b->at++;
    return bit;
}

/* Reads ue(v) of ITU-T H.264, 9.1. */
static uint32_t next_unsigned(bits *b) {
    int zeros = 0;
    while (zeros < 32 && b->at < b->size * 8 && !next_bit(b)) zeros++;
    uint64_t value = 1;
    for (int i = 0; i < zeros; i++) value = value << 1 | next_bit(b);
    return (uint32_t)(value - 1);
}

/* Returns true if one of the SEI messages is a recovery point: payload type 6 of ITU-T H.264, D.1. */
static bool has_recovery_point(const uint8_t *nal, size_t size) {
    for (size_t at = 1; at + 2 < size;) {
        size_t type = 0, length = 0;
        while (at < size && nal[at] == 255) type += nal[at++];
        if (at < size) type += nal[at++];
        while (at < size && nal[at] == 255) length += nal[at++];
        if (at < size) length += nal[at++];
        if (type == 6) return true;
        if (length > size) return false;
        at += length;
    }
    return false;
}

static void read_h264(const uint8_t *nal, size_t size, nalu_frame_kind *kind) {
    const int type = nal[0] & 31;
    if (type == 6 && has_recovery_point(nal, size)) kind->is_recovery = true;
    if (type == 7) kind->has_sequence = true;
    if (type != 1 && type != 2 && type != 5) return;
    bits header = {nal + 1, size - 1, 0};
    (void)next_unsigned(&header); /* first_mb_in_slice */
    const uint32_t slice_type = next_unsigned(&header) % 5;
    if (type == 5) kind->is_key = true;
    /* Slice type 2 is I, 4 is SI. */
    if (slice_type != 2 && slice_type != 4) kind->is_intra = false;
    if (nal[0] & 0x60) kind->is_referenced = true;
    kind->has_slice = true;
}

static void read_hevc(const uint8_t *nal, size_t size, nalu_frame_kind *kind) {
    const int type = nal[0] >> 1 & 63;
    /* Only the base layer is read. */
    if (type == 33 && size > 2 && !(nal[0] & 1) && !(nal[1] >> 3)) kind->has_sequence = true;
    if (type > 31 || size < 3 || (nal[0] & 1) || nal[1] >> 3) return;
    const bool is_random_access = type >= 16 && type <= 23;
    if (type == 19 || type == 20) kind->is_key = true;
    else if (is_random_access) kind->is_recovery = true;
    if (!is_random_access) kind->is_intra = false;
    /* The even NAL unit types below 16 are sub-layer non-reference pictures. */
    if (type >= 16 || type % 2) kind->is_referenced = true;
    kind->has_slice = true;
}

bool nalu_frame_kind_read(nalu_format_description *format, const uint8_t *bytes, size_t size, nalu_frame_kind *kind_out) {
    const bool is_hevc = nalu_format_description_get_codec(format) == NALU_CODEC_HEVC;
    const uint32_t length_size = nalu_format_description_get_length_size(format);
    *kind_out = (nalu_frame_kind){.is_intra = true};
    size_t offset = 0, nal_size = 0, count = 0;
    const uint8_t *nal = NULL;
    while (offset < size) {
        if (nalu_length_prefixed_next(bytes, size, length_size, &offset, &nal, &nal_size) != NALU_STATUS_OK || !nal) return false;
        count++;
        if (nal_size > 0) (is_hevc ? read_hevc : read_h264)(nal, nal_size, kind_out);
    }
    if (!kind_out->has_slice) kind_out->is_intra = false;
    /* The second field of an IDR picture may refer to the first. The frame refers to no other frame all the same. */
    if (kind_out->is_key) kind_out->is_intra = true;
    return count > 0;
}

uint32_t nalu_frame_kind_attachments(const nalu_frame_kind *kind, bool is_first) {
    uint32_t flags = kind->is_referenced ? NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS : 0;
    if (kind->is_key) return flags;
    flags |= NALU_SAMPLE_NOT_SYNC;
    if (kind->is_recovery || (is_first && kind->is_intra)) flags |= NALU_SAMPLE_PARTIAL_SYNC;
    return kind->is_intra ? flags : flags | NALU_SAMPLE_DEPENDS_ON_OTHERS;
}
