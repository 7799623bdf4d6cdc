/* Format descriptions that are made from libnalu's descriptions of a stream. */
#include "../../Support/property_list.h"
#include "../../Support/value.h"
#include "format_description.h"

#include <CoreVideo/CVImageBuffer.h>

static void set_number(CFMutableDictionaryRef dictionary, CFStringRef key, int32_t number) {
    CFNumberRef value = CFNumberCreate(NULL, kCFNumberSInt32Type, &number);
    if (value) CFDictionarySetValue(dictionary, key, value);
    if (value) CFRelease(value);
}

static void set_if(CFMutableDictionaryRef dictionary, CFStringRef key, CFTypeRef value) {
    if (value) CFDictionarySetValue(dictionary, key, value);
}

static void set_facts(CFMutableDictionaryRef extensions, const nalu_sequence_info *info) {
    set_number(extensions, kCMFormatDescriptionExtension_FieldCount, info->frame_mbs_only ? 1 : 2);
    CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_FullRangeVideo,
        info->video_full_range ? kCFBooleanTrue : kCFBooleanFalse);
    if (info->chroma_format_idc == 1) {
        const CFStringRef locations[] = {kCMFormatDescriptionChromaLocation_Left,
            kCMFormatDescriptionChromaLocation_Center, kCMFormatDescriptionChromaLocation_TopLeft,
            kCMFormatDescriptionChromaLocation_Top, kCMFormatDescriptionChromaLocation_BottomLeft,
            kCMFormatDescriptionChromaLocation_Bottom};
        const CFStringRef location =
            info->chroma_location >= 0 && info->chroma_location < 6 ? locations[info->chroma_location] : locations[0];
        CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_ChromaLocationTopField, location);
        CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_ChromaLocationBottomField, location);
    }
    set_if(extensions, kCMFormatDescriptionExtension_ColorPrimaries,
        CVColorPrimariesGetStringForIntegerCodePoint(info->color_primaries));
    set_if(extensions, kCMFormatDescriptionExtension_TransferFunction,
        CVTransferFunctionGetStringForIntegerCodePoint(info->transfer_characteristics));
    set_if(extensions, kCMFormatDescriptionExtension_YCbCrMatrix,
        CVYCbCrMatrixGetStringForIntegerCodePoint(info->matrix_coefficients));
    if (info->pixel_aspect_ratio_horizontal > 0 && info->pixel_aspect_ratio_vertical > 0) {
        CFMutableDictionaryRef ratio = nalu_dictionary_create(NULL);
        if (!ratio) return;
        set_number(ratio, kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing, info->pixel_aspect_ratio_horizontal);
        set_number(ratio, kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing, info->pixel_aspect_ratio_vertical);
        CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_PixelAspectRatio, ratio);
        CFRelease(ratio);
    }
}

static void set_atom(CFMutableDictionaryRef extensions, nalu_format_description *format) {
    size_t size = 0;
    const bool h264 = nalu_format_description_get_codec(format) == NALU_CODEC_H264;
    const uint8_t *bytes = h264 ? nalu_format_description_get_avcc(format, &size)
                                : nalu_format_description_get_hvcc(format, &size);
    CFDataRef atom = bytes ? CFDataCreate(NULL, bytes, (CFIndex)size) : NULL;
    CFMutableDictionaryRef atoms = nalu_dictionary_create(NULL);
    if (atom && atoms) {
        CFDictionarySetValue(atoms, h264 ? nalu_atom_avcc : nalu_atom_hvcc, atom);
        CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms, atoms);
    }
    if (atom) CFRelease(atom);
    if (atoms) CFRelease(atoms);
}

static void add_pair(const void *key, const void *value, void *extensions) { CFDictionarySetValue(extensions, key, value); }

CMFormatDescriptionRef nalu_format_create(CFAllocatorRef allocator, nalu_format_description *format,
    CFDictionaryRef extensions) {
    nalu_sequence_info info = {.struct_size = sizeof info};
    CFMutableDictionaryRef all = nalu_dictionary_create(allocator);
    if (!all) return NULL;
    if (nalu_format_description_get_sequence_info(format, &info) == NALU_STATUS_OK) set_facts(all, &info);
    set_atom(all, format);
    CFDictionaryRef more = nalu_property_list_copy(allocator, extensions);
    if (more) CFDictionaryApplyFunction(more, add_pair, all);
    if (more) CFRelease(more);
    CFDictionaryRef copy = CFDictionaryCreateCopy(allocator, all);
    CFRelease(all);
    if (!copy) return NULL;
    return nalu_format_description_make(allocator, kCMMediaType_Video, nalu_format_description_get_codec(format),
        nalu_format_description_get_width(format), nalu_format_description_get_height(format), copy,
        nalu_format_description_retain(format));
}

/* ---- Creation from parameter sets ---- */

static OSStatus create_from_parameter_sets(nalu_status status, CFAllocatorRef allocator, nalu_format_description *format,
    CFDictionaryRef extensions, CMFormatDescriptionRef *out) {
    if (status == NALU_STATUS_ALLOCATION_FAILED) return kCMFormatDescriptionError_AllocationFailed;
    if (status != NALU_STATUS_OK) return kCMFormatDescriptionError_InvalidParameter;
    *out = nalu_format_create(allocator, format, extensions);
    nalu_format_description_release(format);
    return *out ? noErr : kCMFormatDescriptionError_AllocationFailed;
}

/* Checks the arguments that libnalu does not check itself. */
static bool can_be_parameter_sets(size_t count, const uint8_t *const *sets, const size_t *sizes, int length_size) {
    return count > 0 && count <= UINT32_MAX && sets && sizes && length_size > 0;
}

OSStatus CMVideoFormatDescriptionCreateFromH264ParameterSets(CFAllocatorRef allocator, size_t parameterSetCount,
    const uint8_t *const *parameterSetPointers, const size_t *parameterSetSizes, int NALUnitHeaderLength,
    CMFormatDescriptionRef *formatDescriptionOut) {
    nalu_format_description *format = NULL;
    if (!formatDescriptionOut) return kCMFormatDescriptionError_InvalidParameter;
    *formatDescriptionOut = NULL;
    if (!can_be_parameter_sets(parameterSetCount, parameterSetPointers, parameterSetSizes, NALUnitHeaderLength)) {
        return kCMFormatDescriptionError_InvalidParameter;
    }
    const nalu_status status = nalu_format_description_create_from_parameter_sets((uint32_t)parameterSetCount,
        parameterSetPointers, parameterSetSizes, (uint32_t)NALUnitHeaderLength, &format);
    return create_from_parameter_sets(status, allocator, format, NULL, formatDescriptionOut);
}

OSStatus CMVideoFormatDescriptionCreateFromHEVCParameterSets(CFAllocatorRef allocator, size_t parameterSetCount,
    const uint8_t *const *parameterSetPointers, const size_t *parameterSetSizes, int NALUnitHeaderLength,
    CFDictionaryRef extensions, CMFormatDescriptionRef *formatDescriptionOut) {
    nalu_format_description *format = NULL;
    if (!formatDescriptionOut) return kCMFormatDescriptionError_InvalidParameter;
    *formatDescriptionOut = NULL;
    if (!can_be_parameter_sets(parameterSetCount, parameterSetPointers, parameterSetSizes, NALUnitHeaderLength)) {
        return kCMFormatDescriptionError_InvalidParameter;
    }
    if (extensions && CFGetTypeID(extensions) != CFDictionaryGetTypeID()) return kCMFormatDescriptionError_InvalidParameter;
    const nalu_status status = nalu_format_description_create_from_hevc_parameter_sets((uint32_t)parameterSetCount,
        parameterSetPointers, parameterSetSizes, (uint32_t)NALUnitHeaderLength, &format);
    return create_from_parameter_sets(status, allocator, format, extensions, formatDescriptionOut);
}
