/* The attributes of pixel buffers: dictionaries with and without callbacks, read during one call. */
#ifndef NALU_VT_PIXEL_ATTRIBUTES_H
#define NALU_VT_PIXEL_ATTRIBUTES_H

#include "pixel_formats.h"

/* Of rows and planes, in bytes. */
enum { NALU_LARGEST_ALIGNMENT = 65536 };

typedef struct nalu_pixel_attributes {
    size_t width;  /* 0 where missing, here and in the next */
    size_t height;
    const nalu_format *format; /* the first known one of an array */
    bool names_formats;
    size_t left, right, top, bottom;
    size_t row_alignment;   /* at least 64 */
    size_t plane_alignment; /* a power of two, at least 64 */
    CFDictionaryRef propagated;     /* not retained, may be NULL, as the next */
    CFDictionaryRef not_propagated;
} nalu_pixel_attributes;

/* Reads a dictionary, or NULL. kCVReturnInvalidPixelBufferAttributes for a value of a wrong type or out of range. An
 * unknown pixel format is none. */
CVReturn nalu_pixel_attributes_read(CFDictionaryRef attributes, nalu_pixel_attributes *read_out);

/* A dictionary with the pairs of another (or NULL) and with a size and a format; NULL without memory. */
CFDictionaryRef nalu_pixel_attributes_complete(CFAllocatorRef allocator, CFDictionaryRef attributes, size_t width,
                                               size_t height, OSType format);

/* 1: *value_out is the number of a key; 0: there is none; -1: its value is not a number. */
int nalu_dictionary_integer(CFDictionaryRef dictionary, CFStringRef key, int64_t *value_out);
int nalu_dictionary_double(CFDictionaryRef dictionary, CFStringRef key, double *value_out);

/* Sets a CFNumber of 64 bits. */
void nalu_dictionary_set_integer(CFMutableDictionaryRef dictionary, CFStringRef key, int64_t value);

/* A mutable dictionary that retains, with copies of the pairs of another (or NULL), as nalu_property_list_copy makes them;
 * NULL without memory. */
CFMutableDictionaryRef nalu_dictionary_copy(CFAllocatorRef allocator, CFDictionaryRef dictionary);

#endif
