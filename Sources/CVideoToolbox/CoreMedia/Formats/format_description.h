/* The struct of a format description, and the functions that its source files share. */
#ifndef NALU_VT_FORMAT_DESCRIPTION_H
#define NALU_VT_FORMAT_DESCRIPTION_H

#include "../../Support/format.h"
#include "../../Support/object.h"

struct opaqueCMFormatDescription {
    CFRuntimeBase base;
    CMMediaType media;
    FourCharCode subtype;
    CMVideoDimensions dimensions;
    CFDictionaryRef extensions; /* immutable; may be NULL */
    nalu_format_description *format; /* may be NULL */
};

typedef struct opaqueCMFormatDescription description;

/* Creates a format description. Takes over the references to `extensions` and `format` (both may be NULL), even if the
 * call fails. Returns NULL if memory is short. */
CMFormatDescriptionRef nalu_format_description_make(CFAllocatorRef allocator, CMMediaType media, FourCharCode subtype,
    int32_t width, int32_t height, CFDictionaryRef extensions, nalu_format_description *format) CF_RETURNS_RETAINED;

/* Compares extensions. NULL and an empty dictionary are equal. */
bool nalu_format_description_same_extensions(CFDictionaryRef a, CFDictionaryRef b);
bool nalu_format_description_same_but_extensions(const description *a, const description *b);

#endif
