#include "error_message.h"

#include "value.h"

#include <VideoToolbox/VTErrors.h>
#include <nalu/base.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns the name of a status and what was expected; an empty name for another status. */
static const char *describe(OSStatus status, const char **expected_out) {
    static const struct {
        OSStatus status;
        const char *name, *expected;
    } all[] = {
        {kVTPropertyNotSupportedErr, "kVTPropertyNotSupportedErr",
            "; expected a property that the session has, and a value of its type"},
        {kVTPropertyReadOnlyErr, "kVTPropertyReadOnlyErr", "; expected a property that can be set now"},
        {kVTParameterErr, "kVTParameterErr", "; expected arguments of the right types and in their ranges"},
        {kVTInvalidSessionErr, "kVTInvalidSessionErr", "; expected a session that was not invalidated"},
        {kVTAllocationFailedErr, "kVTAllocationFailedErr", "; memory is short"},
        {kVTPixelTransferNotSupportedErr, "kVTPixelTransferNotSupportedErr",
            "; expected a pixel format that can be converted"},
        {kVTCouldNotFindVideoDecoderErr, "kVTCouldNotFindVideoDecoderErr", "; expected H.264 or H.265, decoded by software"},
        {kVTCouldNotFindVideoEncoderErr, "kVTCouldNotFindVideoEncoderErr",
            "; expected a codec and an encoder of VTCopyVideoEncoderList"},
        {kVTVideoDecoderBadDataErr, "kVTVideoDecoderBadDataErr", "; expected NAL units that follow their lengths"},
        {kVTFormatDescriptionChangeNotSupportedErr, "kVTFormatDescriptionChangeNotSupportedErr",
            "; expected a description with readable parameter sets"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].status == status) {
            *expected_out = all[i].expected;
            return all[i].name;
        }
    *expected_out = "";
    return "";
}

void nalu_error_begin(void) { nalu_set_last_error_message(NULL); }

OSStatus nalu_error_set(OSStatus status, const char *function, CFTypeRef key) {
    const char *expected;
    const char *name = describe(status, &expected);
    char *property = key && CFGetTypeID(key) == CFStringGetTypeID() ? nalu_read_string(key) : NULL;
    char *message;
    const int length = asprintf(&message, "%s returned %s%s%d%s%s%s%s%s", function, name, *name ? " (" : "", (int)status,
        *name ? ")" : "", property ? " for the property \"" : "", property ? property : "", property ? "\"" : "", expected);
    nalu_set_last_error_message(length < 0 ? function : message);
    if (length >= 0) free(message);
    free(property);
    return status;
}

OSStatus nalu_error_end(OSStatus status, const char *function, CFTypeRef key) {
    if (status == noErr || *nalu_last_error_message()) return status;
    return nalu_error_set(status, function, key);
}
