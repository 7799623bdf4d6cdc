#include "current_format.h"

#include "../../Support/format.h"
#include "../../Support/value.h"

#include <nalu/bitstream.h>

/* The parameter sets of a sample. A picture needs few; further ones are left out. */
enum { MOST_SETS = 32 };
struct sets {
    const uint8_t *bytes[MOST_SETS];
    size_t sizes[MOST_SETS];
    uint32_t count;
};

/* The kinds of parameter sets, as bits. */
enum { VIDEO = 1, SEQUENCE = 2, PICTURE = 4 };

static unsigned kind_of(const uint8_t *nal, size_t size, bool is_hevc) {
    if (size < 2) return 0;
    const int type = is_hevc ? nal[0] >> 1 & 63 : nal[0] & 31;
    if (is_hevc) return type == 32 ? VIDEO : type == 33 ? SEQUENCE : type == 34 ? PICTURE : 0;
    return type == 7 ? SEQUENCE : type == 8 ? PICTURE : 0;
}

/* Adds a NAL unit if it is a parameter set of one of the kinds. Returns its kind. */
static unsigned add(struct sets *sets, const uint8_t *nal, size_t size, bool is_hevc, unsigned kinds) {
    const unsigned kind = kind_of(nal, size, is_hevc) & kinds;
    if (!kind || sets->count == MOST_SETS) return 0;
    sets->bytes[sets->count] = nal;
    sets->sizes[sets->count++] = size;
    return kind;
}

/* Returns libnalu's description with the sample's parameter sets, and those of `former` of which the sample has none of
 * the kind. NULL if they cannot be read. */
static nalu_format_description *read_sets(nalu_format_description *former, const uint8_t *bytes, size_t size) {
    const bool is_hevc = nalu_format_description_get_codec(former) == NALU_CODEC_HEVC;
    const uint32_t length_size = nalu_format_description_get_length_size(former);
    struct sets sets = {.count = 0};
    unsigned found = 0;
    size_t offset = 0, nal_size = 0;
    const uint8_t *nal = NULL;
    while (offset < size) {
        if (nalu_length_prefixed_next(bytes, size, length_size, &offset, &nal, &nal_size) != NALU_STATUS_OK || !nal) return NULL;
        found |= add(&sets, nal, nal_size, is_hevc, VIDEO | SEQUENCE | PICTURE);
    }
    for (uint32_t i = 0; i < nalu_format_description_get_parameter_set_count(former); i++) {
        nal = nalu_format_description_get_parameter_set(former, i, &nal_size);
        if (nal) add(&sets, nal, nal_size, is_hevc, ~found);
    }
    nalu_format_description *made = NULL;
    const nalu_status status = (is_hevc ? nalu_format_description_create_from_hevc_parameter_sets
                                        : nalu_format_description_create_from_parameter_sets)(
        sets.count, sets.bytes, sets.sizes, length_size, &made);
    return status == NALU_STATUS_OK ? made : NULL;
}

/* Returns the extensions that do not come from the description's parameter sets. */
static CFDictionaryRef copy_own_extensions(CMFormatDescriptionRef format) {
    CFArrayRef keys = CMVideoFormatDescriptionGetExtensionKeysCommonWithImageBuffers();
    CMFormatDescriptionRef stated = nalu_format_create(NULL, nalu_format_of(format), NULL);
    CFMutableDictionaryRef own = stated ? nalu_dictionary_create(NULL) : NULL;
    for (CFIndex i = 0; own && i < CFArrayGetCount(keys); i++) {
        CFStringRef key = CFArrayGetValueAtIndex(keys, i);
        CFTypeRef value = CMFormatDescriptionGetExtension(format, key);
        CFTypeRef other = CMFormatDescriptionGetExtension(stated, key);
        if (value && !(other && CFEqual(value, other))) CFDictionarySetValue(own, key, value);
    }
    if (stated) CFRelease(stated);
    return own;
}

/* Returns the description with the parameter sets in a sample, with one reference: `format` itself if they are the same or
 * cannot be read. */
static CMFormatDescriptionRef copy_in_band(CMFormatDescriptionRef format, const uint8_t *bytes, size_t size) {
    nalu_format_description *former = nalu_format_of(format);
    nalu_format_description *sets = former ? read_sets(former, bytes, size) : NULL;
    CMFormatDescriptionRef made = NULL;
    if (sets && !nalu_format_description_equal(sets, former)) {
        CFDictionaryRef own = copy_own_extensions(format);
        if (own) made = nalu_format_create(NULL, sets, own);
        if (own) CFRelease(own);
    }
    nalu_format_description_release(sets);
    return made ? made : (CMFormatDescriptionRef)CFRetain(format);
}

/* ---- The current description ---- */

void nalu_current_format_init(nalu_current_format *format) {
    *format = (nalu_current_format){.given = NULL};
    pthread_mutex_init(&format->lock, NULL);
}

void nalu_current_format_destroy(nalu_current_format *format) {
    nalu_current_format_reset(format);
    pthread_mutex_destroy(&format->lock);
}

/* Sets a description, which may be NULL. Returns the former one, which the caller releases without the lock. */
static CMFormatDescriptionRef exchange(CMFormatDescriptionRef *place, CMFormatDescriptionRef format) {
    CMFormatDescriptionRef former = *place;
    *place = format ? (CMFormatDescriptionRef)CFRetain(format) : NULL;
    return former;
}

/* Needs the lock, and releases it. */
static void set(nalu_current_format *format, CMFormatDescriptionRef given, CMFormatDescriptionRef current) {
    CMFormatDescriptionRef former_given = exchange(&format->given, given);
    CMFormatDescriptionRef former = exchange(&format->current, current);
    pthread_mutex_unlock(&format->lock);
    if (former_given) CFRelease(former_given);
    if (former) CFRelease(former);
}

void nalu_current_format_reset(nalu_current_format *format) {
    pthread_mutex_lock(&format->lock);
    set(format, NULL, NULL);
}

CMFormatDescriptionRef nalu_current_format_copy(nalu_current_format *format, CMFormatDescriptionRef given,
    const uint8_t *bytes, size_t size, bool has_sequence) {
    CMFormatDescriptionRef in_band = has_sequence ? copy_in_band(given, bytes, size) : NULL;
    pthread_mutex_lock(&format->lock);
    CMFormatDescriptionRef current = in_band ? in_band : format->given == given ? format->current : given;
    if (!in_band) CFRetain(current);
    set(format, given, current);
    return current;
}
