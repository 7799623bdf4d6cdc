/* The struct of a format description, and what its files share. */
#ifndef NALU_VT_FORMAT_DESCRIPTION_H
#define NALU_VT_FORMAT_DESCRIPTION_H

#include "../Support/format.h"
#include "../Support/object.h"

struct opaqueCMFormatDescription {
    CFRuntimeBase base;
    CMMediaType media;
    FourCharCode subtype;
    CMVideoDimensions dimensions;
    CFDictionaryRef extensions; /* or NULL; immutable */
    nalu_format_description *format; /* or NULL */
};

typedef struct opaqueCMFormatDescription description;

/* Takes over the references to `extensions` and `format`, which may be NULL, whether it succeeds or not. NULL without memory. */
CMFormatDescriptionRef nalu_format_description_make(CFAllocatorRef allocator, CMMediaType media, FourCharCode subtype,
    int32_t width, int32_t height, CFDictionaryRef extensions, nalu_format_description *format) CF_RETURNS_RETAINED;

/* NULL and an empty dictionary are the same. */
bool nalu_format_description_same_extensions(CFDictionaryRef a, CFDictionaryRef b);
bool nalu_format_description_same_but_extensions(const description *a, const description *b);

#endif
