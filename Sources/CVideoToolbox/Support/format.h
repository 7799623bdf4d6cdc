/* Between the format descriptions of libnalu and those of CoreMedia. */
#ifndef NALU_VT_FORMAT_H
#define NALU_VT_FORMAT_H

#include <CoreMedia/CMFormatDescription.h>
#include <nalu/format.h>

/* Types of atoms: "avcC", "hvcC". */
extern const CFStringRef nalu_atom_avcc;
extern const CFStringRef nalu_atom_hvcc;

/* A new description of a stream: size, colour, pixel aspect ratio, fields and the atom from the parameter sets, and
 * `extensions` (may be NULL), whose values win. Retains `format`. NULL without memory. */
CMFormatDescriptionRef nalu_format_create(CFAllocatorRef allocator, nalu_format_description *format,
    CFDictionaryRef extensions) CF_RETURNS_RETAINED;

/* What a description was made from, or what its atom "avcC" or "hvcC" says; NULL where there is none that can be read. It
 * lives as long as the description. */
nalu_format_description *nalu_format_of(CMFormatDescriptionRef description);

/* The description of the last sample, so that all samples of a stream have the same. All zeros to begin with. */
typedef struct nalu_format_cache {
    nalu_format_description *format;
    CMFormatDescriptionRef description;
    CFDictionaryRef extensions;
} nalu_format_cache;

/* The description for a sample with this format and these extensions: the last one if they are the same. The cache owns it.
 * For one thread at a time. NULL without memory. */
CMFormatDescriptionRef nalu_format_cache_get(nalu_format_cache *cache, nalu_format_description *format,
    CFDictionaryRef extensions);

void nalu_format_cache_destroy(nalu_format_cache *cache);

#endif
