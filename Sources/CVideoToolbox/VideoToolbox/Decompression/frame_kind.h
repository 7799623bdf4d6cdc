/* The kind of a frame, read from its NAL units. Sample buffers that programs make often have no attachments that
 * describe it. */
#ifndef NALU_VT_FRAME_KIND_H
#define NALU_VT_FRAME_KIND_H

#include <nalu/sample.h>
#include <stdbool.h>

typedef struct nalu_frame_kind {
    bool is_key;        /* IDR */
    bool is_recovery;   /* a recovery point or random access point other than IDR */
    bool is_intra;      /* refers to no other frame */
    bool is_referenced; /* other frames may refer to it */
    bool has_slice;
    bool has_sequence;  /* a sequence parameter set */
} nalu_frame_kind;

/* Returns false if the bytes are not NAL units that follow their lengths. */
bool nalu_frame_kind_read(nalu_format_description *format, const uint8_t *bytes, size_t size, nalu_frame_kind *kind_out);

/* Returns NALU_SAMPLE_... flags. `is_first`: no frame has been decoded yet, so decoding may start at an intra frame. */
uint32_t nalu_frame_kind_attachments(const nalu_frame_kind *kind, bool is_first);

#endif
