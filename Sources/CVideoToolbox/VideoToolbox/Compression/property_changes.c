#include "property_changes.h"

#include "../../Support/error_message.h"
#include "../../Support/property_list.h"
#include "../../Support/value.h"
#include "delivery.h"
#include "replaceable_encoder.h"
#include "properties.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The changes of one call of VTSessionSetProperty or VTSessionSetProperties. All are gathered, and then applied
 * together or not at all. */
struct changes {
    nalu_property *list;
    size_t count, capacity;
    CFMutableDictionaryRef kept; /* the session's values, with the changes */
    struct nalu_deferred_values deferred;
    bool is_deferred[NALU_DEFERRED_COUNT]; /* the deferred properties that the call contains */
    unsigned flags;                        /* those of all rows that the call contains */
    bool has_storage;
    CFTypeRef storage;
    unsigned colours;
    nalu_compression_session *encoder;
    bool skips_unsupported; /* properties that the encoder does not have are left out */
};

/* ---- Gathering ---- */

static OSStatus add(struct changes *changes, const nalu_property *property) {
    if (changes->count == changes->capacity) {
        const size_t capacity = 2 * changes->capacity + 16;
        nalu_property *list = realloc(changes->list, capacity * sizeof *list);
        if (!list) return kVTAllocationFailedErr;
        changes->list = list;
        changes->capacity = capacity;
    }
    nalu_property copy = *property;
    const size_t size = property->number_count * sizeof *property->numbers;
    copy.string = property->string ? strdup(property->string) : NULL;
    double *numbers = property->numbers ? malloc(size + 1) : NULL;
    if (numbers) memcpy(numbers, property->numbers, size);
    copy.numbers = numbers;
    changes->list[changes->count++] = copy;
    return !copy.string == !property->string && !numbers == !property->numbers ? noErr : kVTAllocationFailedErr;
}

static void forget(struct changes *changes, size_t from) {
    while (changes->count > from) {
        const nalu_property *last = &changes->list[--changes->count];
        free((void *)last->string);
        free((void *)last->numbers);
    }
}

/* A boolean can also be a number. */
static bool has_type(CFTypeRef value, CFTypeID type) {
    bool flag = false;
    return CFGetTypeID(value) == type || (type == CFBooleanGetTypeID() && nalu_read_bool(value, &flag));
}

/* Returns true if libnalu refuses the property while it encodes, and no other encoder is opened for it either. */
static bool is_fixed(const char *name) {
    struct nalu_property_row plain;
    nalu_property_info info = {.struct_size = sizeof info};
    const struct nalu_property_row *row = nalu_property_of_name(name, &plain);
    return row && nalu_property_get_info(name, &info) == NALU_STATUS_OK && !info.live &&
        !(row->flags & NALU_PROPERTY_REPLACES_ENCODER);
}

/* Keeps a copy: the caller's array or dictionary may not retain its contents. */
static OSStatus keep(struct changes *changes, CFStringRef key, CFTypeRef value) {
    CFStringRef key_copy = CFStringCreateCopy(NULL, key);
    CFTypeRef copy = nalu_property_list_copy_value(NULL, value);
    const bool made = key_copy && (copy || !value);
    if (made && copy) CFDictionarySetValue(changes->kept, key_copy, copy);
    else if (made) CFDictionaryRemoveValue(changes->kept, key_copy);
    if (copy) CFRelease(copy);
    if (key_copy) CFRelease(key_copy);
    return made ? noErr : kVTAllocationFailedErr;
}

static OSStatus gather_deferred(struct changes *changes, enum nalu_deferred deferred, int32_t type, CFTypeRef value) {
    double number = NAN;
    bool flag = false;
    if (value && type == NALU_PROPERTY_TYPE_BOOL) {
        if (!nalu_read_bool(value, &flag)) return kVTPropertyNotSupportedErr;
        number = flag;
    } else if (value) {
        if (!nalu_read_double(value, &number)) return kVTPropertyNotSupportedErr;
        if (type == NALU_PROPERTY_TYPE_INT64 && isnan(number)) return kVTPropertyNotSupportedErr;
        if (!isfinite(number)) return kVTParameterErr;
    }
    changes->deferred.values[deferred] = number;
    changes->is_deferred[deferred] = true;
    return noErr;
}

/* Gathers a property of libnalu. */
static OSStatus gather_named(struct changes *changes, const struct nalu_property_row *row, CFTypeRef value) {
    struct nalu_value read = {.property = {.key = row->name, .type = NALU_PROPERTY_TYPE_UNSET}};
    nalu_property_info info = {.struct_size = sizeof info};
    OSStatus status = nalu_vt_status(nalu_property_get_info(row->name, &info));
    if (status != noErr) return status;
    if (!info.writable) return kVTPropertyReadOnlyErr;
    if (row->deferred) return gather_deferred(changes, row->deferred, info.type, value);
    if (value) {
        read.property.type = info.type;
        status = (row->read ? row->read : nalu_value_read)(&row->form, value, &read);
        if (row->most && read.property.integer > row->most) read.property.integer = row->most;
    }
    if (status == noErr) status = add(changes, &read.property);
    free(read.text);
    return status;
}

static OSStatus gather(struct changes *changes, CFTypeRef object, CFTypeRef value) {
    struct nalu_property_row plain;
    if (CFGetTypeID(object) != CFStringGetTypeID()) return kVTParameterErr;
    CFStringRef key = object;
    const struct nalu_property_row *row = nalu_property_of_key(key, &plain);
    if (!row) return changes->skips_unsupported ? noErr : kVTPropertyNotSupportedErr;
    if (changes->skips_unsupported && row->name && !nalu_session_has_property(changes->encoder, row->name)) return noErr;
    /* kCFNull itself has no type in the toolchain's CoreFoundation. */
    if (value && (value == kCFNull || CFGetTypeID(value) == CFNullGetTypeID())) value = NULL;
    if (value && row->type && !has_type(value, row->type())) return kVTPropertyNotSupportedErr;
    /* A colour that the client sets is not taken from frames. */
    if (value && row->colour) changes->colours |= 1u << row->colour;
    changes->flags |= row->flags | (row->extension ? NALU_PROPERTY_DESCRIBES_SAMPLES : 0);
    OSStatus status = row->flags & NALU_PROPERTY_IS_KEPT ? keep(changes, key, value) : noErr;
    if (status != noErr) return status;
    if (row->name) return gather_named(changes, row, value);
    if (row->flags & NALU_PROPERTY_IS_KEPT) return noErr;
    if (!CFEqual(key, kVTCompressionPropertyKey_MultiPassStorage)) return kVTPropertyReadOnlyErr;
    changes->has_storage = true;
    changes->storage = value;
    return noErr;
}

/* Adds the chroma location, unless the client's x264 options contain one. The encoder writes one location for both
 * fields. */
static OSStatus add_chroma_location(struct changes *changes) {
    nalu_property property = {.key = NALU_PROPERTY_CHROMA_LOCATION, .type = NALU_PROPERTY_TYPE_UNSET};
    CFTypeRef params = CFDictionaryGetValue(changes->kept, CFSTR(NALU_PROPERTY_X264_PARAMS));
    CFTypeRef top = CFDictionaryGetValue(changes->kept, nalu_chroma_location_top);
    CFTypeRef bottom = CFDictionaryGetValue(changes->kept, nalu_chroma_location_bottom);
    if (top && bottom && !CFEqual(top, bottom)) return kVTParameterErr;
    const bool is_overridden = params && CFStringFind(params, CFSTR("chromaloc"), 0).location != kCFNotFound;
    char *location = is_overridden ? NULL : nalu_read_string(top ? top : bottom);
    if (location) property.type = NALU_PROPERTY_TYPE_STRING;
    property.string = location;
    const OSStatus status = add(changes, &property);
    free(location);
    return status;
}

/* ---- Applying ---- */

/* Returns true if frames have been passed, and a deferred property of the call would have an effect only together with
 * a later one. */
static bool is_too_late(VTCompressionSessionRef session, const struct changes *changes) {
    if (!session->has_begun || nalu_deferred_have_effect(&session->deferred, &changes->deferred)) return false;
    for (int i = 0; i < NALU_DEFERRED_COUNT; i++) {
        int32_t reorders = 0;
        const double before = session->deferred.values[i], after = changes->deferred.values[i];
        if (!changes->is_deferred[i] || isnan(after) || after == before) continue;
        if (i != NALU_DEFERRED_ALLOW_FRAME_REORDERING) return true;
        const nalu_status status =
            nalu_session_get_bool(session->encoder, NALU_PROPERTY_ALLOW_FRAME_REORDERING, &reorders);
        if (status == NALU_STATUS_OK && reorders != (after != 0)) return true;
    }
    return false;
}

static nalu_status set_all(VTCompressionSessionRef session, struct changes *changes,
    const struct nalu_deferred_values *to) {
    const size_t before = changes->count;
    nalu_property deferred[NALU_DEFERRED_COUNT];
    const int count = nalu_deferred_changes(session->encoder, &session->deferred, to, deferred);
    nalu_status status = count < 0 ? NALU_STATUS_OUT_OF_RANGE : NALU_STATUS_OK;
    for (int i = 0; i < count && status == NALU_STATUS_OK; i++)
        if (add(changes, &deferred[i]) != noErr) status = NALU_STATUS_ALLOCATION_FAILED;
    if (status == NALU_STATUS_OK) status = nalu_session_set_properties(session->encoder, changes->list, changes->count);
    forget(changes, before);
    return status;
}

/* Needs the lock. libnalu neither calls the client here nor waits for a frame. */
static OSStatus apply(VTCompressionSessionRef session, struct changes *changes, bool is_another) {
    if (session->invalidated) return kVTInvalidSessionErr;
    if (!is_another && is_too_late(session, changes)) return kVTPropertyReadOnlyErr;
    /* The storage is set first, because its change can be undone exactly. */
    CFTypeRef former = session->storage ? CFRetain(session->storage) : NULL;
    const enum nalu_single_pass single_pass = session->single_pass;
    OSStatus status = changes->has_storage ? nalu_set_storage(session, changes->storage) : noErr;
    const bool has_set_storage = changes->has_storage && status == noErr;
    if (has_set_storage) changes->deferred.several_passes = session->deferred.several_passes;
    if (status == noErr) {
        nalu_status set = set_all(session, changes, &changes->deferred);
        /* While it encodes and looks ahead, the encoder uses the times of the frames, which contain the same rate. */
        const bool is_constant = session->deferred.values[NALU_DEFERRED_CONSTANT_BIT_RATE] > 0;
        if (set == NALU_STATUS_TOO_LATE && changes->is_deferred[NALU_DEFERRED_EXPECTED_FRAME_RATE] && !is_constant) {
            struct nalu_deferred_values to = changes->deferred;
            to.values[NALU_DEFERRED_EXPECTED_FRAME_RATE] = session->deferred.values[NALU_DEFERRED_EXPECTED_FRAME_RATE];
            set = set_all(session, changes, &to);
        }
        status = nalu_vt_status(set);
    }
    if (status == noErr) {
        CFRelease(session->kept);
        session->kept = (CFMutableDictionaryRef)CFRetain(changes->kept);
        session->deferred = changes->deferred;
    } else if (has_set_storage) {
        (void)!nalu_set_storage(session, former);
        session->single_pass = single_pass;
    }
    if (former) CFRelease(former);
    return status;
}

/* Returns true if libnalu refuses only properties of the call for which another encoder is opened. */
static bool may_be_replaced(VTCompressionSessionRef session, const struct changes *changes) {
    if (!(changes->flags & NALU_PROPERTY_REPLACES_ENCODER) || changes->has_storage) return false;
    for (size_t i = 0; i < changes->count; i++)
        /* An open encoder accepts the value that it has. */
        if (is_fixed(changes->list[i].key) &&
            nalu_session_set_properties(session->encoder, &changes->list[i], 1) != NALU_STATUS_OK)
            return false;
    for (int i = NALU_NOT_DEFERRED + 1; i < NALU_DEFERRED_COUNT; i++)
        if (!nalu_deferred_is_same(session->deferred.values[i], changes->deferred.values[i]) &&
            is_fixed(nalu_property_of_deferred((enum nalu_deferred)i)->name))
            return false;
    return true;
}

static OSStatus apply_to_another(VTCompressionSessionRef session, void *changes) {
    pthread_mutex_lock(&session->lock);
    const OSStatus status = apply(session, changes, true);
    pthread_mutex_unlock(&session->lock);
    return status;
}

/* Passes the extensions that follow from the present properties to the session's delivery. Programs that write files
 * read them in the format descriptions of samples. */
static void update_extensions(VTCompressionSessionRef session) {
    CFMutableDictionaryRef extensions = nalu_dictionary_create(NULL);
    if (!extensions) return;
    /* With the lock, no thread overwrites a value that another thread sets at the same time. */
    pthread_mutex_lock(&session->extensions_lock);
    for (size_t i = 0; nalu_property_at(i); i++) {
        const struct nalu_property_row *row = nalu_property_at(i);
        CFTypeRef value = NULL;
        if (!row->extension || nalu_copy_property(session, *row->key, &value) != noErr) continue;
        nalu_dictionary_take(extensions, *row->extension, value);
    }
    nalu_delivery_set_extensions(session->delivery, CFDictionaryGetCount(extensions) > 0 ? extensions : NULL);
    pthread_mutex_unlock(&session->extensions_lock);
    CFRelease(extensions);
}

static OSStatus set_pairs(VTCompressionSessionRef session, const void **keys, const void **values, CFIndex count,
    bool skips_unsupported) {
    struct changes changes = {.skips_unsupported = skips_unsupported};
    OSStatus status = noErr;
    bool replaces = false;
    pthread_mutex_lock(&session->lock);
    changes.encoder = session->encoder;
    changes.deferred = session->deferred;
    changes.kept = CFDictionaryCreateMutableCopy(NULL, 0, session->kept);
    if (session->invalidated) status = kVTInvalidSessionErr;
    else if (!changes.kept) status = kVTAllocationFailedErr;
    for (CFIndex i = 0; i < count && status == noErr; i++) {
        status = gather(&changes, keys[i], values[i]);
        (void)nalu_error_end(status, skips_unsupported ? "VTSessionSetProperties" : "VTSessionSetProperty", keys[i]);
    }
    if (status == noErr && changes.flags & NALU_PROPERTY_LOCATES_CHROMA) status = add_chroma_location(&changes);
    if (status == noErr) {
        status = apply(session, &changes, false);
        replaces = status == kVTPropertyReadOnlyErr && session->has_begun && may_be_replaced(session, &changes);
    }
    pthread_mutex_unlock(&session->lock);
    if (replaces) status = nalu_encoder_replace(session, apply_to_another, &changes);
    if (status == noErr) atomic_fetch_or(&session->colours_set, changes.colours);
    if (status == noErr && changes.flags & NALU_PROPERTY_DESCRIBES_SAMPLES) update_extensions(session);
    forget(&changes, 0);
    free(changes.list);
    if (changes.kept) CFRelease(changes.kept);
    return status;
}

OSStatus nalu_set_property(VTCompressionSessionRef session, CFStringRef key, CFTypeRef value) {
    const void *keys[] = {key}, *values[] = {value};
    return set_pairs(session, keys, values, 1, false);
}

OSStatus nalu_set_properties(VTCompressionSessionRef session, CFDictionaryRef properties) {
    const CFIndex count = CFDictionaryGetCount(properties);
    const void **pairs = (const void **)calloc((size_t)count + 1, 2 * sizeof *pairs);
    if (!pairs) return kVTAllocationFailedErr;
    CFDictionaryGetKeysAndValues(properties, pairs, pairs + count);
    CFIndex used = 0;
    for (CFIndex i = 0; i < count; i++) {
        CFTypeRef key = pairs[i];
        if (!key || (CFGetTypeID(key) == CFStringGetTypeID() && nalu_property_is_of_specification(key))) continue;
        pairs[used] = key;
        pairs[count + used++] = pairs[count + i];
    }
    const OSStatus status = set_pairs(session, pairs, pairs + count, used, true);
    free((void *)pairs);
    return status;
}
