#include "properties.h"
#include "property_changes.h"

#include "../../Support/value.h"

#include <math.h>

/* Returns the client's value of a deferred property. */
static CFTypeRef copy_deferred(const struct nalu_property_row *row, double number) {
    nalu_property_info info = {.struct_size = sizeof info};
    (void)!nalu_property_get_info(row->name, &info);
    if (info.type == NALU_PROPERTY_TYPE_BOOL) return CFRetain(number != 0 ? kCFBooleanTrue : kCFBooleanFalse);
    return info.type == NALU_PROPERTY_TYPE_INT64 ? nalu_integer(llround(number)) : nalu_number(number);
}

/* Needs the lock, so that the encoder is not replaced meanwhile. */
static OSStatus copy_value(VTCompressionSessionRef session, CFStringRef key, CFTypeRef *value_out) {
    struct nalu_property_row plain;
    const struct nalu_property_row *row = nalu_property_of_key(key, &plain);
    if (session->invalidated) return kVTInvalidSessionErr;
    if (!row) return kVTPropertyNotSupportedErr;
    const double number = session->deferred.values[row->deferred];
    if (CFEqual(key, kVTCompressionPropertyKey_UsingGPURegistryID)) return noErr;
    if (CFEqual(key, kVTCompressionPropertyKey_MultiPassStorage)) *value_out = session->storage;
    if (row->flags & NALU_PROPERTY_IS_KEPT) *value_out = CFDictionaryGetValue(session->kept, key);
    if (*value_out) {
        CFRetain(*value_out);
        return noErr;
    }
    if (!row->name) return kVTPropertyNotSupportedErr;
    if (row->deferred && !(row->flags & NALU_PROPERTY_READS_STREAM) && !isnan(number)) {
        *value_out = copy_deferred(row, number);
        return *value_out ? noErr : kVTAllocationFailedErr;
    }
    return (row->copy ? row->copy : nalu_value_copy)(&row->form, session->encoder, row->name, value_out);
}

OSStatus nalu_copy_property(VTCompressionSessionRef session, CFStringRef key, CFTypeRef *value_out) {
    pthread_mutex_lock(&session->lock);
    const OSStatus status = copy_value(session, key, value_out);
    pthread_mutex_unlock(&session->lock);
    return status;
}
