/* The format description of a stream whose parameter sets change inside samples. */
#ifndef NALU_VT_CURRENT_FORMAT_H
#define NALU_VT_CURRENT_FORMAT_H

#include <CoreMedia/CMFormatDescription.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The description of the frame that is decoded now. Any thread may use it. */
typedef struct nalu_current_format {
    pthread_mutex_t lock;
    CMFormatDescriptionRef given;   /* that of the last sample buffer, or NULL */
    CMFormatDescriptionRef current; /* `given`, with the parameter sets of a later sample buffer; NULL without `given` */
} nalu_current_format;

void nalu_current_format_init(nalu_current_format *format);
void nalu_current_format_destroy(nalu_current_format *format);

/* Returns the description of a frame's pictures, with one reference. `given` is that of the sample buffer. Parameter sets
 * in a sample buffer apply until others follow, or until the client passes another description. They determine the
 * colours, the pixel aspect ratio and so on, except for extensions of `given` that differ from its own parameter sets: a
 * container states them.
 *
 * `bytes` are NAL units that follow their lengths; `has_sequence`: a sequence parameter set is among them. */
CMFormatDescriptionRef nalu_current_format_copy(nalu_current_format *format, CMFormatDescriptionRef given,
    const uint8_t *bytes, size_t size, bool has_sequence) CF_RETURNS_RETAINED;

/* Forgets the parameter sets of earlier sample buffers. */
void nalu_current_format_reset(nalu_current_format *format);

#endif
