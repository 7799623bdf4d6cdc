#include "changes.h"

#include "../../Support/constant.h"
#include "../../Support/property_list.h"
#include "compression_wishes.h"
#include "encoder.h"
#include "property_names.h"
#include "sample_extensions.h"
#include "structured.h"
#include "../../Support/value.h"

#include <CoreVideo/CVImageBuffer.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

NALU_CONSTANT(nalu_chroma_location_top, "ChromaLocationTopField");
NALU_CONSTANT(nalu_chroma_location_bottom, "ChromaLocationBottomField");


struct nalu_changes {
    nalu_property *list;
    size_t count, capacity;
    CFMutableDictionaryRef kept; /* the session's values, with the changes */
    struct nalu_wishes wishes;
    bool is_wish[NALU_WISH_COUNT]; /* the wishes that the call contains */
    bool has_params;               /* x264.params or a chroma location */
    bool has_storage;
    CFTypeRef storage;
    unsigned colours;
    bool describes_samples;
    bool is_live; /* programs change one of the keys between frames */
};

/* ---- Gathering ---- */

OSStatus nalu_changes_add(struct nalu_changes *changes, const nalu_property *property) {
    if (changes->count == changes->capacity) {
        const size_t capacity = 2 * changes->capacity + 16;
        nalu_property *list = realloc(changes->list, capacity * sizeof *list);
        if (!list) return kVTAllocationFailedErr;
        changes->list = list;
        changes->capacity = capacity;
    }
    nalu_property copy = *property;
    const size_t size = property->number_count * sizeof *property->numbers;
    copy.key = strdup(property->key);
    copy.string = property->string ? strdup(property->string) : NULL;
    double *numbers = property->numbers ? malloc(size + 1) : NULL;
    if (numbers) memcpy(numbers, property->numbers, size);
    copy.numbers = numbers;
    changes->list[changes->count++] = copy;
    const bool made = copy.key && !copy.string == !property->string && !numbers == !property->numbers;
    return made ? noErr : kVTAllocationFailedErr;
}

OSStatus nalu_changes_add_string(struct nalu_changes *changes, const char *key, const char *text) {
    return nalu_changes_add(
        changes, &(nalu_property){.key = key, .type = NALU_PROPERTY_TYPE_STRING, .string = text});
}

OSStatus nalu_changes_add_numbers(struct nalu_changes *changes, const char *key, const double *numbers, size_t count) {
    return nalu_changes_add(changes, &(nalu_property){.key = key, .type = NALU_PROPERTY_TYPE_NUMBERS,
                                         .number_count = (uint32_t)count, .numbers = numbers});
}

static void forget_list(struct nalu_changes *changes, size_t from) {
    while (changes->count > from) {
        const nalu_property *last = &changes->list[--changes->count];
        free((void *)last->key);
        free((void *)last->string);
        free((void *)last->numbers);
    }
}

/* The header states why each of these has no effect. */
static const struct {
    const CFStringRef *key;
    CFTypeID (*type)(void);
} without_effect[] = {
    {&kVTCompressionPropertyKey_Depth, CFNumberGetTypeID},
    {&kVTCompressionPropertyKey_PreserveAlphaChannel, CFBooleanGetTypeID},
    {&kVTCompressionPropertyKey_AlphaChannelMode, CFStringGetTypeID},
    {&kVTCompressionPropertyKey_AspectRatio16x9, CFBooleanGetTypeID},
    {&kVTCompressionPropertyKey_ProgressiveScan, CFBooleanGetTypeID},
    {&kVTCompressionPropertyKey_GammaLevel, CFNumberGetTypeID},
    {&kVTCompressionPropertyKey_ICCProfile, CFDataGetTypeID},
    {&kVTCompressionPropertyKey_PreserveDynamicHDRMetadata, CFBooleanGetTypeID},
    {&kCVImageBufferGammaLevelKey, CFNumberGetTypeID},
};

enum { WITHOUT_EFFECT = sizeof without_effect / sizeof *without_effect };

/* Returns WITHOUT_EFFECT for another key. */
static size_t place_without_effect(CFStringRef key) {
    size_t place = 0;
    while (place < WITHOUT_EFFECT && !CFEqual(key, *without_effect[place].key)) place++;
    return place;
}

bool nalu_is_without_effect(CFStringRef key) { return place_without_effect(key) < WITHOUT_EFFECT; }

/* A boolean can also be a number. */
static bool has_type(CFTypeRef value, CFTypeID type) {
    bool flag = false;
    return CFGetTypeID(value) == type || (type == CFBooleanGetTypeID() && nalu_read_bool(value, &flag));
}

/* Keys of the encoder specification, which programs put into the properties of a session too. */
static bool is_of_specification(CFStringRef key) {
    const CFStringRef keys[] = {kVTVideoEncoderSpecification_EncoderID,
        kVTVideoEncoderSpecification_EnableHardwareAcceleratedVideoEncoder,
        kVTVideoEncoderSpecification_RequireHardwareAcceleratedVideoEncoder,
        kVTVideoEncoderSpecification_EnableLowLatencyRateControl,
        kVTVideoEncoderSpecification_RequiredEncoderGPURegistryID,
        kVTVideoEncoderSpecification_PreferredEncoderGPURegistryID};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (CFEqual(key, keys[i])) return true;
    return false;
}

/* Properties that programs change between frames: OBS changes the constant rate, and Firefox makes a session live. */
static bool is_changed_live(const char *name) {
    static const char *const names[] = {NALU_PROPERTY_CONSTANT_BIT_RATE, NALU_PROPERTY_REAL_TIME,
        NALU_PROPERTY_PRIORITIZE_ENCODING_SPEED_OVER_QUALITY, NALU_PROPERTY_MAX_FRAME_DELAY_COUNT,
        NALU_PROPERTY_PROFILE_LEVEL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* Returns true if libnalu refuses the property while it encodes, and no other encoder is opened for it either. */
static bool is_fixed(const char *name) {
    nalu_property_info info = {.struct_size = sizeof info};
    return nalu_property_get_info(name, &info) == NALU_STATUS_OK && !info.live && !is_changed_live(name);
}

/* Keeps a copy: the caller's array or dictionary may not retain its contents. */
static OSStatus keep(struct nalu_changes *changes, CFStringRef key, CFTypeRef value) {
    CFStringRef key_copy = CFStringCreateCopy(NULL, key);
    CFTypeRef copy = nalu_property_list_copy_value(NULL, value);
    const bool made = key_copy && (copy || !value);
    if (made && copy) CFDictionarySetValue(changes->kept, key_copy, copy);
    else if (made) CFDictionaryRemoveValue(changes->kept, key_copy);
    if (copy) CFRelease(copy);
    if (key_copy) CFRelease(key_copy);
    return made ? noErr : kVTAllocationFailedErr;
}

static OSStatus gather_wish(struct nalu_changes *changes, enum nalu_wish wish, int32_t type, CFTypeRef value) {
    double number = NAN;
    if (value && type == NALU_PROPERTY_TYPE_BOOL) {
        bool flag = false;
        if (!nalu_read_bool(value, &flag)) return kVTPropertyNotSupportedErr;
        number = flag;
    } else if (value) {
        if (!nalu_read_double(value, &number)) return kVTPropertyNotSupportedErr;
        if (type == NALU_PROPERTY_TYPE_INT64 && isnan(number)) return kVTPropertyNotSupportedErr;
        if (!isfinite(number)) return kVTParameterErr;
    }
    changes->wishes.values[wish] = number;
    changes->is_wish[wish] = true;
    return noErr;
}

static OSStatus gather_plain(struct nalu_changes *changes, const char *key, int32_t type, CFTypeRef value) {
    nalu_property property = {.key = key, .type = type};
    bool flag = false;
    char *text = NULL;
    switch (type) {
    case NALU_PROPERTY_TYPE_BOOL:
        if (!nalu_read_bool(value, &flag)) return kVTPropertyNotSupportedErr;
        property.integer = flag;
        break;
    case NALU_PROPERTY_TYPE_INT64:
        if (!nalu_read_int64(value, &property.integer)) return kVTPropertyNotSupportedErr;
        /* "Never" is written as the largest number of any width. */
        if (strcmp(key, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL) == 0 && property.integer > INT32_MAX)
            property.integer = INT32_MAX;
        break;
    case NALU_PROPERTY_TYPE_DOUBLE:
        if (!nalu_read_double(value, &property.number)) return kVTPropertyNotSupportedErr;
        break;
    case NALU_PROPERTY_TYPE_STRING:
        text = nalu_property_text_of_value(key, value);
        if (!text) return kVTPropertyNotSupportedErr;
        property.string = text;
        break;
    default: return kVTPropertyNotSupportedErr;
    }
    const OSStatus status = nalu_changes_add(changes, &property);
    free(text);
    return status;
}

static OSStatus gather_named(struct nalu_changes *changes, CFStringRef key, const char *name, CFTypeRef value) {
    nalu_property_info info = {.struct_size = sizeof info};
    const nalu_status known = nalu_property_get_info(name, &info);
    if (known != NALU_STATUS_OK) return nalu_vt_status(known);
    if (!info.writable) return kVTPropertyReadOnlyErr;
    const enum nalu_wish wish = nalu_wish_of_key(name);
    if (wish != NALU_WISH_COUNT) return gather_wish(changes, wish, info.type, value);
    const struct nalu_structured *structured = nalu_structured_property(name);
    OSStatus status;
    if (!value) status = nalu_changes_add(changes, &(nalu_property){.key = name, .type = NALU_PROPERTY_TYPE_UNSET});
    else if (structured) status = structured->set(changes, name, value);
    else return gather_plain(changes, name, info.type, value);
    if (status == noErr && structured && structured->kept) status = keep(changes, key, value);
    return status;
}

bool nalu_is_of_params(CFStringRef key) {
    return CFEqual(key, CFSTR(NALU_PROPERTY_X264_PARAMS)) || CFEqual(key, nalu_chroma_location_top) ||
        CFEqual(key, nalu_chroma_location_bottom);
}

/* A colour that the client sets is not taken from frames. */
static void note_colour(struct nalu_changes *changes, CFStringRef key) {
    const CFStringRef colours[] = {kVTCompressionPropertyKey_ColorPrimaries,
        kVTCompressionPropertyKey_TransferFunction, kVTCompressionPropertyKey_YCbCrMatrix, nalu_chroma_location_top,
        nalu_chroma_location_bottom};
    for (unsigned i = 0; i < sizeof colours / sizeof *colours; i++)
        if (CFEqual(key, colours[i])) changes->colours |= 1u << (i < 4 ? i : 3);
}

static OSStatus gather(struct nalu_changes *changes, CFTypeRef object, CFTypeRef value) {
    if (CFGetTypeID(object) != CFStringGetTypeID()) return kVTParameterErr;
    CFStringRef key = object;
    /* kCFNull itself has no type in the toolchain's CoreFoundation. */
    if (value && (value == kCFNull || CFGetTypeID(value) == CFNullGetTypeID())) value = NULL;
    if (value) note_colour(changes, key);
    changes->describes_samples |= nalu_is_of_sample_extensions(key);
    const size_t place = place_without_effect(key);
    if (place < WITHOUT_EFFECT) {
        if (value && !has_type(value, without_effect[place].type())) return kVTPropertyNotSupportedErr;
        return keep(changes, key, value);
    }
    if (CFEqual(key, kVTCompressionPropertyKey_UsingGPURegistryID)) return kVTPropertyReadOnlyErr;
    if (CFEqual(key, kVTCompressionPropertyKey_MultiPassStorage)) {
        changes->has_storage = true;
        changes->storage = value;
        return noErr;
    }
    if (nalu_is_of_params(key)) {
        if (value && CFGetTypeID(value) != CFStringGetTypeID()) return kVTPropertyNotSupportedErr;
        changes->has_params = true;
        return keep(changes, key, value);
    }
    char *name = nalu_property_name_of_key(key);
    if (!name) return kVTPropertyNotSupportedErr;
    changes->is_live |= is_changed_live(name);
    const OSStatus status = gather_named(changes, key, name, value);
    free(name);
    return status;
}

/* Adds x264.params and the chroma location. The client's options override what this library derives: a B-pyramid, because
 * programs shift decode times by one frame of reordering, as H.264 of a Mac has no more; and the location. */
static OSStatus add_params(struct nalu_changes *changes) {
    CFTypeRef top = CFDictionaryGetValue(changes->kept, nalu_chroma_location_top);
    CFTypeRef bottom = CFDictionaryGetValue(changes->kept, nalu_chroma_location_bottom);
    CFTypeRef params = CFDictionaryGetValue(changes->kept, CFSTR(NALU_PROPERTY_X264_PARAMS));
    /* The encoder writes one location for both fields. */
    if (top && bottom && !CFEqual(top, bottom)) return kVTParameterErr;
    char *client = params ? nalu_read_string(params) : strdup("");
    char *location = top || bottom ? nalu_read_string(top ? top : bottom) : NULL;
    OSStatus status = client && !location == !(top || bottom) ? noErr : kVTAllocationFailedErr;
    if (status == noErr) {
        const bool adds = !strstr(client, "b-pyramid");
        const size_t size = strlen(client) + sizeof NALU_USUAL_PARAMS + 1;
        char *all = calloc(1, size);
        if (all && adds) strcpy(all, *client ? NALU_USUAL_PARAMS ":" : NALU_USUAL_PARAMS);
        if (all) strcat(all, client);
        status = all ? nalu_changes_add_string(changes, NALU_PROPERTY_X264_PARAMS, all) : kVTAllocationFailedErr;
        free(all);
    }
    if (status == noErr) {
        const bool sets = location && !strstr(client, "chromaloc");
        status = nalu_changes_add(changes,
            &(nalu_property){.key = NALU_PROPERTY_CHROMA_LOCATION,
                .type = sets ? NALU_PROPERTY_TYPE_STRING : NALU_PROPERTY_TYPE_UNSET,
                .string = sets ? location : NULL});
    }
    free(location);
    free(client);
    return status;
}

/* ---- Applying ---- */

/* Returns true if frames have come, and a wish of the call would have an effect only together with a later one. */
static bool is_too_late(VTCompressionSessionRef session, const struct nalu_changes *changes) {
    if (!session->has_begun || nalu_wishes_have_effect(&session->wishes, &changes->wishes)) return false;
    for (int wish = 0; wish < NALU_WISH_COUNT; wish++) {
        int32_t reorders = 0;
        const double before = session->wishes.values[wish], after = changes->wishes.values[wish];
        if (!changes->is_wish[wish] || isnan(after) || after == before) continue;
        if (wish != NALU_WISH_ALLOW_FRAME_REORDERING) return true;
        const nalu_status status =
            nalu_session_get_bool(session->encoder, NALU_PROPERTY_ALLOW_FRAME_REORDERING, &reorders);
        if (status == NALU_STATUS_OK && reorders != (after != 0)) return true;
    }
    return false;
}

static nalu_status set_all(VTCompressionSessionRef session, struct nalu_changes *changes, const struct nalu_wishes *to) {
    const size_t before = changes->count;
    nalu_property wishes[NALU_WISH_COUNT];
    const int count = nalu_wishes_changes(&session->wishes, to, wishes);
    nalu_status status = count < 0 ? NALU_STATUS_OUT_OF_RANGE : NALU_STATUS_OK;
    for (int i = 0; i < count && status == NALU_STATUS_OK; i++)
        if (nalu_changes_add(changes, &wishes[i]) != noErr) status = NALU_STATUS_ALLOCATION_FAILED;
    if (status == NALU_STATUS_OK) status = nalu_session_set_properties(session->encoder, changes->list, changes->count);
    forget_list(changes, before);
    return status;
}

/* Needs the lock. libnalu neither calls back here nor waits for a frame. */
static OSStatus apply(VTCompressionSessionRef session, struct nalu_changes *changes, bool is_another) {
    if (session->invalidated) return kVTInvalidSessionErr;
    if (!is_another && is_too_late(session, changes)) return kVTPropertyReadOnlyErr;
    /* The storage first, because it can be taken back exactly. */
    CFTypeRef former = session->storage ? CFRetain(session->storage) : NULL;
    const enum nalu_single_pass single_pass = session->single_pass;
    OSStatus status = changes->has_storage ? nalu_set_storage(session, changes->storage) : noErr;
    const bool has_set_storage = changes->has_storage && status == noErr;
    if (has_set_storage) changes->wishes.several_passes = session->wishes.several_passes;
    if (status == noErr) {
        nalu_status set = set_all(session, changes, &changes->wishes);
        /* While it encodes and looks ahead, the encoder uses the times of the frames, which contain the same rate. */
        const bool is_constant = session->wishes.values[NALU_WISH_CONSTANT_BIT_RATE] > 0;
        if (set == NALU_STATUS_TOO_LATE && changes->is_wish[NALU_WISH_EXPECTED_FRAME_RATE] && !is_constant) {
            struct nalu_wishes to = changes->wishes;
            to.values[NALU_WISH_EXPECTED_FRAME_RATE] = session->wishes.values[NALU_WISH_EXPECTED_FRAME_RATE];
            set = set_all(session, changes, &to);
        }
        status = nalu_vt_status(set);
    }
    if (status == noErr) {
        CFRelease(session->kept);
        session->kept = (CFMutableDictionaryRef)CFRetain(changes->kept);
        session->wishes = changes->wishes;
    } else if (has_set_storage) {
        (void)!nalu_set_storage(session, former);
        session->single_pass = single_pass;
    }
    if (former) CFRelease(former);
    return status;
}

/* Returns true if libnalu itself refuses nothing of the call but the keys that another encoder can have between frames. */
static bool may_be_replaced(VTCompressionSessionRef session, const struct nalu_changes *changes) {
    if (!changes->is_live || changes->has_storage) return false;
    for (size_t i = 0; i < changes->count; i++)
        /* An open encoder accepts the value that it has. */
        if (is_fixed(changes->list[i].key) &&
            nalu_session_set_properties(session->encoder, &changes->list[i], 1) != NALU_STATUS_OK)
            return false;
    for (int wish = 0; wish < NALU_WISH_COUNT; wish++) {
        const double before = session->wishes.values[wish], after = changes->wishes.values[wish];
        const bool is_same = before == after || (isnan(before) && isnan(after));
        if (!is_same && is_fixed(nalu_wish_key((enum nalu_wish)wish))) return false;
    }
    return true;
}

static OSStatus apply_to_another(VTCompressionSessionRef session, void *changes) {
    pthread_mutex_lock(&session->lock);
    const OSStatus status = apply(session, changes, true);
    pthread_mutex_unlock(&session->lock);
    return status;
}

static OSStatus set_pairs(VTCompressionSessionRef session, const void **keys, const void **values, CFIndex count) {
    struct nalu_changes changes = {0};
    OSStatus status = noErr;
    bool replaces = false;
    pthread_mutex_lock(&session->lock);
    changes.wishes = session->wishes;
    changes.kept = CFDictionaryCreateMutableCopy(NULL, 0, session->kept);
    if (session->invalidated) status = kVTInvalidSessionErr;
    else if (!changes.kept) status = kVTAllocationFailedErr;
    for (CFIndex i = 0; i < count && status == noErr; i++) status = gather(&changes, keys[i], values[i]);
    if (status == noErr && changes.has_params) status = add_params(&changes);
    if (status == noErr) {
        status = apply(session, &changes, false);
        replaces = status == kVTPropertyReadOnlyErr && session->has_begun && may_be_replaced(session, &changes);
    }
    pthread_mutex_unlock(&session->lock);
    if (replaces) status = nalu_encoder_replace(session, apply_to_another, &changes);
    if (status == noErr) atomic_fetch_or(&session->colours_set, changes.colours);
    if (status == noErr && changes.describes_samples) nalu_sample_extensions_update(session);
    forget_list(&changes, 0);
    free(changes.list);
    if (changes.kept) CFRelease(changes.kept);
    return status;
}

OSStatus nalu_set_property(VTCompressionSessionRef session, CFStringRef key, CFTypeRef value) {
    const void *keys[] = {key}, *values[] = {value};
    return set_pairs(session, keys, values, 1);
}

OSStatus nalu_set_properties(VTCompressionSessionRef session, CFDictionaryRef properties) {
    const CFIndex count = CFDictionaryGetCount(properties);
    const void **pairs = (const void **)calloc((size_t)count + 1, 2 * sizeof *pairs);
    if (!pairs) return kVTAllocationFailedErr;
    CFDictionaryGetKeysAndValues(properties, pairs, pairs + count);
    CFIndex used = 0;
    for (CFIndex i = 0; i < count; i++) {
        CFTypeRef key = pairs[i];
        if (!key || (CFGetTypeID(key) == CFStringGetTypeID() && is_of_specification(key))) continue;
        pairs[used] = key;
        pairs[count + used++] = pairs[count + i];
    }
    const OSStatus status = set_pairs(session, pairs, pairs + count, used);
    free((void *)pairs);
    return status;
}
