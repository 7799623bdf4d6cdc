/* Conversion between libnalu's format descriptions and those of CoreMedia. */
#ifndef NALU_VT_FORMAT_H
#define NALU_VT_FORMAT_H

#include <CoreMedia/CMFormatDescription.h>
#include <nalu/format.h>

/* The atom types "avcC" and "hvcC". */
extern const CFStringRef nalu_atom_avcc;
extern const CFStringRef nalu_atom_hvcc;

/* Creates the description of a stream. The parameter sets provide size, colour, pixel aspect ratio, fields and the
 * atom. The values of `extensions` (may be NULL) override theirs. Retains `format`. Returns NULL if memory is short. */
CMFormatDescriptionRef nalu_format_create(CFAllocatorRef allocator, nalu_format_description *format,
    CFDictionaryRef extensions) CF_RETURNS_RETAINED;

/* Returns the libnalu description that a description was made from, or the one in its "avcC" or "hvcC" atom. Returns
 * NULL if there is no readable atom. The result lives as long as the description. */
nalu_format_description *nalu_format_of(CMFormatDescriptionRef description);

/* The description of the last sample, so that all samples of a stream share one. Starts with all zeros. */
typedef struct nalu_format_cache {
    nalu_format_description *format;
    CMFormatDescriptionRef description;
    CFDictionaryRef extensions;
} nalu_format_cache;

/* Returns the description for a sample with this format and these extensions: the last one if they are unchanged. The
 * cache owns the result. One thread may call at a time. Returns NULL if memory is short. */
CMFormatDescriptionRef nalu_format_cache_get(nalu_format_cache *cache, nalu_format_description *format,
    CFDictionaryRef extensions);

void nalu_format_cache_destroy(nalu_format_cache *cache);

#endif
