#include "encoder_choice.h"

#include "../../Support/hardware.h"
#include "../../Support/value.h"

#include <VideoToolbox/VTCompressionProperties.h>
#include <VideoToolbox/VTErrors.h>
#include <nalu/session.h>
#include <stdlib.h>
#include <string.h>

static bool exists(CMVideoCodecType codec, const char *encoder_id) {
    for (uint32_t i = 0; i < nalu_encoder_get_count(); i++)
        if (nalu_encoder_get_codec(i) == codec && (!encoder_id || strcmp(nalu_encoder_get_id(i), encoder_id) == 0))
            return true;
    return false;
}

OSStatus nalu_choose_encoder(CMVideoCodecType codec, CFDictionaryRef specification, char **encoder_id_out) {
    const CFStringRef gpu = kVTVideoEncoderSpecification_RequiredEncoderGPURegistryID;
    bool required = false;
    *encoder_id_out = NULL;
    const OSStatus status = nalu_dictionary_read_bool(
        specification, kVTVideoEncoderSpecification_RequireHardwareAcceleratedVideoEncoder, &required);
    if (status != noErr) return status;
    if (nalu_hardware_is_strict() && (required || nalu_dictionary_get(specification, gpu))) return kVTCouldNotFindVideoEncoderErr;
    CFTypeRef wanted = nalu_dictionary_get(specification, kVTVideoEncoderSpecification_EncoderID);
    if (wanted && CFGetTypeID(wanted) != CFStringGetTypeID()) return kVTParameterErr;
    char *encoder_id = nalu_read_string(wanted);
    if (!exists(codec, encoder_id)) {
        free(encoder_id);
        return kVTCouldNotFindVideoEncoderErr;
    }
    *encoder_id_out = encoder_id;
    return noErr;
}
