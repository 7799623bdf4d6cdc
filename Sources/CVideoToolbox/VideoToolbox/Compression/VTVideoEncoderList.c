#include <VideoToolbox/VTVideoEncoderList.h>

#include "../../Support/constant.h"
#include "../../Support/environment.h"
#include "../../Support/float_environment.h"
#include "../../Support/value.h"
#include "compression_session.h"

#include <stdlib.h>

NALU_CONSTANT(kVTVideoEncoderList_CodecType, "CodecType");
NALU_CONSTANT(kVTVideoEncoderList_EncoderID, "EncoderID");
NALU_CONSTANT(kVTVideoEncoderList_CodecName, "CodecName");
NALU_CONSTANT(kVTVideoEncoderList_EncoderName, "EncoderName");
NALU_CONSTANT(kVTVideoEncoderList_DisplayName, "DisplayName");
NALU_CONSTANT(kVTVideoEncoderList_GPURegistryID, "GPURegistryID");
NALU_CONSTANT(kVTVideoEncoderList_SupportedSelectionProperties, "SupportedSelectionProperties");
NALU_CONSTANT(kVTVideoEncoderList_PerformanceRating, "PerformanceRating");
NALU_CONSTANT(kVTVideoEncoderList_QualityRating, "QualityRating");
NALU_CONSTANT(kVTVideoEncoderList_InstanceLimit, "InstanceLimit");
NALU_CONSTANT(kVTVideoEncoderList_IsHardwareAccelerated, "IsHardwareAccelerated");
NALU_CONSTANT(kVTVideoEncoderList_SupportsFrameReordering, "SupportsFrameReordering");
NALU_CONSTANT(kVTVideoEncoderList_SupportsMultiPass, "SupportsMultiPass");
NALU_CONSTANT(kVTVideoEncoderListOption_IncludeStandardDefinitionDVEncoders, "IncludeStandardDefinitionDVEncoders");

static CFDictionaryRef describe(uint32_t index) {
    CFMutableDictionaryRef encoder = nalu_dictionary_create(NULL);
    if (!encoder) return NULL;
    CFStringRef name = nalu_string(nalu_encoder_get_name(index));
    nalu_dictionary_take(encoder, kVTVideoEncoderList_CodecType, nalu_integer(nalu_encoder_get_codec(index)));
    nalu_dictionary_take(encoder, kVTVideoEncoderList_EncoderID, nalu_string(nalu_encoder_get_id(index)));
    const bool is_hevc = nalu_encoder_get_codec(index) == NALU_CODEC_HEVC;
    const CFStringRef codec = is_hevc ? CFSTR("HEVC") : CFSTR("H.264");
    CFDictionarySetValue(encoder, kVTVideoEncoderList_CodecName, codec);
    if (name) {
        CFDictionarySetValue(encoder, kVTVideoEncoderList_EncoderName, name);
        nalu_dictionary_take(encoder, kVTVideoEncoderList_DisplayName,
            CFStringCreateWithFormat(NULL, NULL, CFSTR("%@ (%@)"), codec, name));
        CFRelease(name);
    }
    nalu_dictionary_take(encoder, kVTVideoEncoderList_PerformanceRating, nalu_integer(10));
    nalu_dictionary_take(encoder, kVTVideoEncoderList_QualityRating, nalu_integer(10));
    CFDictionarySetValue(encoder, kVTVideoEncoderList_IsHardwareAccelerated, kCFBooleanFalse);
    const struct nalu_encoder_abilities abilities =
        nalu_encoder_get_abilities(nalu_encoder_get_codec(index), nalu_encoder_get_id(index));
    CFDictionarySetValue(encoder, kVTVideoEncoderList_SupportsFrameReordering,
        abilities.reorders_frames ? kCFBooleanTrue : kCFBooleanFalse);
    CFDictionarySetValue(
        encoder, kVTVideoEncoderList_SupportsMultiPass, abilities.has_passes ? kCFBooleanTrue : kCFBooleanFalse);
    return encoder;
}

OSStatus VTCopyVideoEncoderList(CFDictionaryRef options, CFArrayRef *list_out) {
    NALU_HIDE_FLOAT_ENVIRONMENT;
    (void)options;
    if (!list_out) return kVTParameterErr;
    CFMutableArrayRef list = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    for (uint32_t i = 0; list && i < nalu_encoder_get_count(); i++) {
        CFDictionaryRef encoder = describe(i);
        if (!encoder) continue;
        CFArrayAppendValue(list, encoder);
        CFRelease(encoder);
    }
    *list_out = list;
    return list ? noErr : kVTAllocationFailedErr;
}

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
    if (nalu_hardware_is_strict() && (required || nalu_dictionary_get(specification, gpu)))
        return kVTCouldNotFindVideoEncoderErr;
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

/* Returns the identifier of the encoder that a codec has if none is named. */
static const char *first_of(CMVideoCodecType codec) {
    uint32_t index = 0;
    while (index < nalu_encoder_get_count() && nalu_encoder_get_codec(index) != codec) index++;
    return nalu_encoder_get_id(index);
}

OSStatus VTCopySupportedPropertyDictionaryForEncoder(int32_t width, int32_t height, CMVideoCodecType codec,
    CFDictionaryRef specification, CFStringRef *id_out, CFDictionaryRef *supported_out) {
    NALU_HIDE_FLOAT_ENVIRONMENT;
    char *encoder_id = NULL;
    if (id_out) *id_out = NULL;
    if (supported_out) *supported_out = NULL;
    if (width < 16 || height < 16 || width > NALU_MAX_DIMENSION || height > NALU_MAX_DIMENSION) return kVTParameterErr;
    const OSStatus status = nalu_choose_encoder(codec, specification, &encoder_id);
    if (status != noErr) return status;
    if (id_out) *id_out = nalu_string(encoder_id ? encoder_id : first_of(codec));
    if (supported_out) *supported_out = nalu_compression_copy_supported(codec, encoder_id);
    free(encoder_id);
    if ((!id_out || *id_out) && (!supported_out || *supported_out)) return noErr;
    if (id_out && *id_out) CFRelease(*id_out);
    if (supported_out && *supported_out) CFRelease(*supported_out);
    if (id_out) *id_out = NULL;
    if (supported_out) *supported_out = NULL;
    return kVTAllocationFailedErr;
}
