/* Format descriptions of images, and comparison of format descriptions with each other and with images. */
#include "../../Support/value.h"
#include "format_description.h"

#include <CoreVideo/CVPixelBuffer.h>
#include <pthread.h>

Boolean CMFormatDescriptionEqual(CMFormatDescriptionRef formatDescription,
    CMFormatDescriptionRef otherFormatDescription) {
    if (formatDescription == otherFormatDescription) return true;
    return formatDescription && otherFormatDescription && CFEqual(formatDescription, otherFormatDescription);
}

static void remove_keys(CFMutableDictionaryRef dictionary, CFTypeRef keys) {
    if (CFGetTypeID(keys) == CFStringGetTypeID()) {
        CFDictionaryRemoveValue(dictionary, keys);
    } else if (CFGetTypeID(keys) == CFArrayGetTypeID()) {
        for (CFIndex i = 0; i < CFArrayGetCount(keys); i++) {
            CFTypeRef key = CFArrayGetValueAtIndex(keys, i);
            if (key) CFDictionaryRemoveValue(dictionary, key);
        }
    }
}

static CFMutableDictionaryRef copy_without(CFDictionaryRef dictionary, CFTypeRef keys) CF_RETURNS_RETAINED {
    CFMutableDictionaryRef copy = dictionary ? CFDictionaryCreateMutableCopy(NULL, 0, dictionary) :
        nalu_dictionary_create(NULL);
    if (copy && keys) remove_keys(copy, keys);
    return copy;
}

/* Returns a copy of the extensions without the given keys, or NULL if memory is short. */
static CFDictionaryRef copy_extensions(CMFormatDescriptionRef desc, CFTypeRef keys, CFTypeRef atom_keys)
    CF_RETURNS_RETAINED {
    const CFStringRef key = kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms;
    CFMutableDictionaryRef copy = copy_without(desc->extensions, keys);
    CFTypeRef atoms = copy ? CFDictionaryGetValue(copy, key) : NULL;
    if (!atom_keys || !atoms || CFGetTypeID(atoms) != CFDictionaryGetTypeID()) return copy;
    CFDictionaryRef rest = copy_without(atoms, atom_keys);
    if (rest && CFDictionaryGetCount(rest) > 0) CFDictionarySetValue(copy, key, rest);
    else CFDictionaryRemoveValue(copy, key);
    if (rest) CFRelease(rest);
    return copy;
}

Boolean CMFormatDescriptionEqualIgnoringExtensionKeys(CMFormatDescriptionRef formatDescription,
    CMFormatDescriptionRef otherFormatDescription, CFTypeRef formatDescriptionExtensionKeysToIgnore,
    CFTypeRef sampleDescriptionExtensionAtomKeysToIgnore) {
    if (formatDescription == otherFormatDescription) return true;
    if (!formatDescription || !otherFormatDescription) return false;
    if (!nalu_format_description_same_but_extensions(formatDescription, otherFormatDescription)) return false;
    CFDictionaryRef one = copy_extensions(
        formatDescription, formatDescriptionExtensionKeysToIgnore, sampleDescriptionExtensionAtomKeysToIgnore);
    CFDictionaryRef other = copy_extensions(
        otherFormatDescription, formatDescriptionExtensionKeysToIgnore, sampleDescriptionExtensionAtomKeysToIgnore);
    const bool result = one && other && nalu_format_description_same_extensions(one, other);
    if (one) CFRelease(one);
    if (other) CFRelease(other);
    return result;
}

static CFArrayRef common_keys;

static void create_common_keys(void) {
    const CFStringRef keys[] = {
        kCMFormatDescriptionExtension_AlphaChannelMode,
        kCMFormatDescriptionExtension_AmbientViewingEnvironment,
        kCMFormatDescriptionExtension_ChromaLocationBottomField,
        kCMFormatDescriptionExtension_ChromaLocationTopField,
        kCMFormatDescriptionExtension_CleanAperture,
        kCMFormatDescriptionExtension_ColorPrimaries,
        kCMFormatDescriptionExtension_ContentLightLevelInfo,
        kCMFormatDescriptionExtension_FieldCount,
        kCMFormatDescriptionExtension_FieldDetail,
        kCMFormatDescriptionExtension_GammaLevel,
        kCMFormatDescriptionExtension_ICCProfile,
        kCMFormatDescriptionExtension_LogTransferFunction,
        kCMFormatDescriptionExtension_MasteringDisplayColorVolume,
        kCMFormatDescriptionExtension_PixelAspectRatio,
        kCMFormatDescriptionExtension_TransferFunction,
        kCMFormatDescriptionExtension_YCbCrMatrix,
    };
    common_keys = CFArrayCreate(NULL, (const void **)keys, sizeof keys / sizeof *keys, &kCFTypeArrayCallBacks);
}

CFArrayRef CMVideoFormatDescriptionGetExtensionKeysCommonWithImageBuffers(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, create_common_keys);
    return common_keys;
}

Boolean CMVideoFormatDescriptionMatchesImageBuffer(CMVideoFormatDescriptionRef desc, CVImageBufferRef imageBuffer) {
    if (!desc || !imageBuffer || CFGetTypeID(imageBuffer) != CVPixelBufferGetTypeID()) return false;
    if (desc->media != kCMMediaType_Video || desc->subtype != CVPixelBufferGetPixelFormatType(imageBuffer) ||
        (size_t)desc->dimensions.width != CVPixelBufferGetWidth(imageBuffer) ||
        (size_t)desc->dimensions.height != CVPixelBufferGetHeight(imageBuffer)) {
        return false;
    }
    CFArrayRef keys = CMVideoFormatDescriptionGetExtensionKeysCommonWithImageBuffers();
    bool matches = true;
    for (CFIndex i = 0; i < CFArrayGetCount(keys) && matches; i++) {
        CFStringRef key = CFArrayGetValueAtIndex(keys, i);
        CFTypeRef extension = CMFormatDescriptionGetExtension(desc, key);
        CFTypeRef attachment = CVBufferCopyAttachment(imageBuffer, key, NULL);
        matches = extension == attachment || (extension && attachment && CFEqual(extension, attachment));
        if (attachment) CFRelease(attachment);
    }
    return matches;
}

OSStatus CMVideoFormatDescriptionCreateForImageBuffer(CFAllocatorRef allocator, CVImageBufferRef imageBuffer,
    CMVideoFormatDescriptionRef *formatDescriptionOut) {
    if (!formatDescriptionOut) return kCMFormatDescriptionError_InvalidParameter;
    *formatDescriptionOut = NULL;
    if (!imageBuffer || CFGetTypeID(imageBuffer) != CVPixelBufferGetTypeID()) {
        return kCMFormatDescriptionError_InvalidParameter;
    }
    CFMutableDictionaryRef extensions = nalu_dictionary_create(allocator);
    if (!extensions) return kCMFormatDescriptionError_AllocationFailed;
    CFArrayRef keys = CMVideoFormatDescriptionGetExtensionKeysCommonWithImageBuffers();
    for (CFIndex i = 0; i < CFArrayGetCount(keys); i++) {
        CFStringRef key = CFArrayGetValueAtIndex(keys, i);
        CFTypeRef value = CVBufferCopyAttachment(imageBuffer, key, NULL);
        if (!value) continue;
        CFDictionarySetValue(extensions, key, value);
        CFRelease(value);
    }
    const OSStatus status = CMVideoFormatDescriptionCreate(allocator, CVPixelBufferGetPixelFormatType(imageBuffer),
        (int32_t)CVPixelBufferGetWidth(imageBuffer), (int32_t)CVPixelBufferGetHeight(imageBuffer),
        CFDictionaryGetCount(extensions) ? extensions : NULL, formatDescriptionOut);
    CFRelease(extensions);
    return status;
}
