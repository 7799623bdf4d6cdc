/* Setting and reading the properties of a compression session. */
#ifndef NALU_VT_PROPERTY_CHANGES_H
#define NALU_VT_PROPERTY_CHANGES_H

#include "compression_session.h"

/* Sets the properties of a dictionary: all of them, or none if the function fails. Keys of the encoder specification and
 * properties that the encoder does not have are skipped, as on a Mac. */
OSStatus nalu_set_properties(VTCompressionSessionRef session, CFDictionaryRef properties);

/* `value` is NULL for the default. */
OSStatus nalu_set_property(VTCompressionSessionRef session, CFStringRef key, CFTypeRef value);

/* *value_out is NULL before the call; it receives a reference. */
OSStatus nalu_copy_property(VTCompressionSessionRef session, CFStringRef key, CFTypeRef *value_out);

#endif
