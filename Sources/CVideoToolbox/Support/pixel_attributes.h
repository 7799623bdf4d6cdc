/* The attributes of pixel buffers. Their dictionaries may have no callbacks, so they are read only during the client's
 * call. */
#ifndef NALU_VT_PIXEL_ATTRIBUTES_H
#define NALU_VT_PIXEL_ATTRIBUTES_H

#include "pixel_formats.h"

/* The largest alignment of rows and planes, in bytes. */
enum { NALU_LARGEST_ALIGNMENT = 65536 };

typedef struct nalu_pixel_attributes {
    size_t width;  /* 0 if missing; the same for `height` */
    size_t height;
    const nalu_format *format; /* the first known format of an array; NULL if missing or unknown */
    bool names_formats;
    size_t left, right, top, bottom;
    size_t row_alignment;   /* in bytes, at least 64 */
    size_t plane_alignment; /* in bytes, a power of two, at least 64 */
    CFDictionaryRef propagated;     /* not retained, may be NULL; the same for `not_propagated` */
    CFDictionaryRef not_propagated;
} nalu_pixel_attributes;

/* Reads a dictionary, or NULL. Returns kCVReturnInvalidPixelBufferAttributes for a value of a wrong type or out of
 * range. An unknown pixel format is no error: `format` is NULL then. */
CVReturn nalu_pixel_attributes_read(CFDictionaryRef attributes, nalu_pixel_attributes *read_out);

/* Returns a copy of a dictionary (or NULL), with the given size and format. Returns NULL if memory is short. */
CFDictionaryRef nalu_pixel_attributes_complete(CFAllocatorRef allocator, CFDictionaryRef attributes, size_t width,
                                               size_t height, OSType format);

/* Reads the number of a key. Returns 1 if *value_out was set, 0 if the key is missing, -1 if its value is not a
 * number. */
int nalu_dictionary_integer(CFDictionaryRef dictionary, CFStringRef key, int64_t *value_out);
int nalu_dictionary_double(CFDictionaryRef dictionary, CFStringRef key, double *value_out);

#endif
