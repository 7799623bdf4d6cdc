#include <CoreMedia/CMFormatDescription.h>

#include "../Support/constant.h"
#include "../Support/format.h"
#include "../Support/object.h"
#include "../Support/property_list.h"

#include <CoreVideo/CVPixelBuffer.h>
#include <pthread.h>

struct opaqueCMFormatDescription {
    CFRuntimeBase base;
    CMMediaType media;
    FourCharCode subtype;
    CMVideoDimensions dimensions;
    CFDictionaryRef extensions; /* or NULL; immutable */
    nalu_format_description *format; /* or NULL */
};

typedef struct opaqueCMFormatDescription description;

static void finalize(CFTypeRef object) {
    const description *self = object;
    if (self->extensions) CFRelease(self->extensions);
    nalu_format_description_release(self->format);
}

/* NULL and an empty dictionary are the same. */
static bool same_extensions(CFDictionaryRef a, CFDictionaryRef b) {
    if (a == b) return true;
    if (!a || !b) return CFDictionaryGetCount(a ? a : b) == 0;
    return CFEqual(a, b);
}

static bool same_but_extensions(const description *a, const description *b) {
    return a->media == b->media && a->subtype == b->subtype && a->dimensions.width == b->dimensions.width &&
        a->dimensions.height == b->dimensions.height;
}

static Boolean equal(CFTypeRef a, CFTypeRef b) {
    const description *one = a, *other = b;
    return same_but_extensions(one, other) && same_extensions(one->extensions, other->extensions);
}

static CFHashCode hash(CFTypeRef object) {
    const description *self = object;
    return self->subtype ^ ((CFHashCode)self->dimensions.width << 32) ^ ((CFHashCode)self->dimensions.height << 48);
}

static nalu_class format_class = {
    .runtime = {.className = "CMFormatDescription", .finalize = finalize, .equal = equal, .hash = hash}};

CFTypeID CMFormatDescriptionGetTypeID(void) { return nalu_class_type(&format_class); }

NALU_CONSTANT(nalu_atom_avcc, "avcC");
NALU_CONSTANT(nalu_atom_hvcc, "hvcC");

/* ---- Creation ---- */

/* What the atoms say. The first of an array counts. NULL where there is none, or one that cannot be read. */
static nalu_format_description *format_of_atoms(CFDictionaryRef extensions) {
    typedef nalu_status create(const uint8_t *, size_t, nalu_format_description **);
    static const struct {
        const CFStringRef *key;
        create *create;
    } kinds[] = {
        {&nalu_atom_avcc, nalu_format_description_create_from_avcc},
        {&nalu_atom_hvcc, nalu_format_description_create_from_hvcc},
    };
    CFTypeRef atoms =
        extensions ? CFDictionaryGetValue(extensions, kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms) : NULL;
    if (!atoms || CFGetTypeID(atoms) != CFDictionaryGetTypeID()) return NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        CFTypeRef atom = CFDictionaryGetValue(atoms, *kinds[i].key);
        if (atom && CFGetTypeID(atom) == CFArrayGetTypeID() && CFArrayGetCount(atom) > 0) {
            atom = CFArrayGetValueAtIndex(atom, 0);
        }
        nalu_format_description *format = NULL;
        if (atom && CFGetTypeID(atom) == CFDataGetTypeID() &&
            kinds[i].create(CFDataGetBytePtr(atom), (size_t)CFDataGetLength(atom), &format) == NALU_STATUS_OK) {
            return format;
        }
    }
    return NULL;
}

/* Takes over the references to `extensions` and `format`, which may be NULL, whether it succeeds or not. */
static description *create(CFAllocatorRef allocator, CMMediaType media, FourCharCode subtype, int32_t width,
    int32_t height, CFDictionaryRef extensions, nalu_format_description *format) {
    description *self = nalu_object_create(&format_class, allocator, sizeof *self);
    if (!self) {
        if (extensions) CFRelease(extensions);
        nalu_format_description_release(format);
        return NULL;
    }
    self->media = media;
    self->subtype = subtype;
    self->dimensions = (CMVideoDimensions){width, height};
    self->extensions = extensions;
    self->format = format;
    return self;
}

static OSStatus create_with_extensions(CFAllocatorRef allocator, CMMediaType media, FourCharCode subtype, int32_t width,
    int32_t height, CFDictionaryRef extensions, CMFormatDescriptionRef *out) {
    if (!out) return kCMFormatDescriptionError_InvalidParameter;
    *out = NULL;
    if (width < 0 || height < 0) return kCMFormatDescriptionError_InvalidParameter;
    if (extensions && CFGetTypeID(extensions) != CFDictionaryGetTypeID()) return kCMFormatDescriptionError_InvalidParameter;
    CFDictionaryRef copy = nalu_property_list_copy(allocator, extensions);
    if (extensions && !copy) return kCMFormatDescriptionError_AllocationFailed;
    *out = create(allocator, media, subtype, width, height, copy,
        media == kCMMediaType_Video ? format_of_atoms(copy) : NULL);
    return *out ? noErr : kCMFormatDescriptionError_AllocationFailed;
}

OSStatus CMFormatDescriptionCreate(CFAllocatorRef allocator, CMMediaType mediaType, FourCharCode mediaSubType,
    CFDictionaryRef extensions, CMFormatDescriptionRef *formatDescriptionOut) {
    return create_with_extensions(allocator, mediaType, mediaSubType, 0, 0, extensions, formatDescriptionOut);
}

OSStatus CMVideoFormatDescriptionCreate(CFAllocatorRef allocator, CMVideoCodecType codecType, int32_t width,
    int32_t height, CFDictionaryRef extensions, CMVideoFormatDescriptionRef *formatDescriptionOut) {
    return create_with_extensions(
        allocator, kCMMediaType_Video, codecType, width, height, extensions, formatDescriptionOut);
}

OSStatus CMVideoFormatDescriptionCreateForImageBuffer(CFAllocatorRef allocator, CVImageBufferRef imageBuffer,
    CMVideoFormatDescriptionRef *formatDescriptionOut) {
    if (!formatDescriptionOut) return kCMFormatDescriptionError_InvalidParameter;
    *formatDescriptionOut = NULL;
    if (!imageBuffer || CFGetTypeID(imageBuffer) != CVPixelBufferGetTypeID()) {
        return kCMFormatDescriptionError_InvalidParameter;
    }
    CFMutableDictionaryRef extensions = CFDictionaryCreateMutable(
        allocator, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
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

static OSStatus create_from_parameter_sets(nalu_status status, CFAllocatorRef allocator, nalu_format_description *format,
    CFDictionaryRef extensions, CMFormatDescriptionRef *out) {
    if (status == NALU_STATUS_ALLOCATION_FAILED) return kCMFormatDescriptionError_AllocationFailed;
    if (status != NALU_STATUS_OK) return kCMFormatDescriptionError_InvalidParameter;
    *out = nalu_format_create(allocator, format, extensions);
    nalu_format_description_release(format);
    return *out ? noErr : kCMFormatDescriptionError_AllocationFailed;
}

/* What libnalu does not check itself. */
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

/* ---- From libnalu ---- */

static void set_number(CFMutableDictionaryRef dictionary, CFStringRef key, int32_t number) {
    CFNumberRef value = CFNumberCreate(NULL, kCFNumberSInt32Type, &number);
    if (value) CFDictionarySetValue(dictionary, key, value);
    if (value) CFRelease(value);
}

static void set_if(CFMutableDictionaryRef dictionary, CFStringRef key, CFTypeRef value) {
    if (value) CFDictionarySetValue(dictionary, key, value);
}

static CFMutableDictionaryRef create_dictionary(CFAllocatorRef allocator) {
    return CFDictionaryCreateMutable(
        allocator, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
}

static void set_facts(CFMutableDictionaryRef extensions, const nalu_sequence_info *info) {
    set_number(extensions, kCMFormatDescriptionExtension_FieldCount, info->frame_mbs_only ? 1 : 2);
    CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_FullRangeVideo,
        info->video_full_range ? kCFBooleanTrue : kCFBooleanFalse);
    if (info->chroma_format_idc == 1) {
        CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_ChromaLocationTopField,
            kCMFormatDescriptionChromaLocation_Left);
        CFDictionarySetValue(extensions, kCMFormatDescriptionExtension_ChromaLocationBottomField,
            kCMFormatDescriptionChromaLocation_Left);
    }
    set_if(extensions, kCMFormatDescriptionExtension_ColorPrimaries,
        CVColorPrimariesGetStringForIntegerCodePoint(info->color_primaries));
    set_if(extensions, kCMFormatDescriptionExtension_TransferFunction,
        CVTransferFunctionGetStringForIntegerCodePoint(info->transfer_characteristics));
    set_if(extensions, kCMFormatDescriptionExtension_YCbCrMatrix,
        CVYCbCrMatrixGetStringForIntegerCodePoint(info->matrix_coefficients));
    if (info->pixel_aspect_ratio_horizontal > 0 && info->pixel_aspect_ratio_vertical > 0) {
        CFMutableDictionaryRef ratio = create_dictionary(NULL);
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
    CFMutableDictionaryRef atoms = create_dictionary(NULL);
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
    CFMutableDictionaryRef all = create_dictionary(allocator);
    if (!all) return NULL;
    if (nalu_format_description_get_sequence_info(format, &info) == NALU_STATUS_OK) set_facts(all, &info);
    set_atom(all, format);
    CFDictionaryRef more = nalu_property_list_copy(allocator, extensions);
    if (more) CFDictionaryApplyFunction(more, add_pair, all);
    if (more) CFRelease(more);
    CFDictionaryRef copy = CFDictionaryCreateCopy(allocator, all);
    CFRelease(all);
    if (!copy) return NULL;
    return create(allocator, kCMMediaType_Video, nalu_format_description_get_codec(format),
        nalu_format_description_get_width(format), nalu_format_description_get_height(format), copy,
        nalu_format_description_retain(format));
}

nalu_format_description *nalu_format_of(CMFormatDescriptionRef self) { return self ? self->format : NULL; }

/* ---- Facts ---- */

CMMediaType CMFormatDescriptionGetMediaType(CMFormatDescriptionRef desc) { return desc ? desc->media : 0; }

FourCharCode CMFormatDescriptionGetMediaSubType(CMFormatDescriptionRef desc) { return desc ? desc->subtype : 0; }

CFDictionaryRef CMFormatDescriptionGetExtensions(CMFormatDescriptionRef desc) { return desc ? desc->extensions : NULL; }

CFPropertyListRef CMFormatDescriptionGetExtension(CMFormatDescriptionRef desc, CFStringRef extensionKey) {
    return desc && desc->extensions && extensionKey ? CFDictionaryGetValue(desc->extensions, extensionKey) : NULL;
}

static OSStatus get_parameter_set(nalu_four_char_code codec, CMFormatDescriptionRef desc, size_t index,
    const uint8_t **pointerOut, size_t *sizeOut, size_t *countOut, int *lengthOut) {
    if (pointerOut) *pointerOut = NULL;
    if (sizeOut) *sizeOut = 0;
    if (countOut) *countOut = 0;
    if (lengthOut) *lengthOut = 0;
    if (!desc || desc->media != kCMMediaType_Video) return kCMFormatDescriptionError_InvalidParameter;
    if (!desc->format) return kCMFormatDescriptionError_ValueNotAvailable;
    if (nalu_format_description_get_codec(desc->format) != codec) return kCMFormatDescriptionError_InvalidParameter;
    const uint32_t count = nalu_format_description_get_parameter_set_count(desc->format);
    if (countOut) *countOut = count;
    if (lengthOut) *lengthOut = (int)nalu_format_description_get_length_size(desc->format);
    if (index >= count) return kCMFormatDescriptionError_InvalidParameter;
    const uint8_t *set = nalu_format_description_get_parameter_set(desc->format, (uint32_t)index, sizeOut);
    if (pointerOut) *pointerOut = set;
    return noErr;
}

OSStatus CMVideoFormatDescriptionGetH264ParameterSetAtIndex(CMFormatDescriptionRef videoDesc, size_t parameterSetIndex,
    const uint8_t **parameterSetPointerOut, size_t *parameterSetSizeOut, size_t *parameterSetCountOut,
    int *NALUnitHeaderLengthOut) {
    return get_parameter_set(NALU_CODEC_H264, videoDesc, parameterSetIndex, parameterSetPointerOut, parameterSetSizeOut,
        parameterSetCountOut, NALUnitHeaderLengthOut);
}

OSStatus CMVideoFormatDescriptionGetHEVCParameterSetAtIndex(CMFormatDescriptionRef videoDesc, size_t parameterSetIndex,
    const uint8_t **parameterSetPointerOut, size_t *parameterSetSizeOut, size_t *parameterSetCountOut,
    int *NALUnitHeaderLengthOut) {
    return get_parameter_set(NALU_CODEC_HEVC, videoDesc, parameterSetIndex, parameterSetPointerOut, parameterSetSizeOut,
        parameterSetCountOut, NALUnitHeaderLengthOut);
}

CMVideoDimensions CMVideoFormatDescriptionGetDimensions(CMVideoFormatDescriptionRef videoDesc) {
    return videoDesc ? videoDesc->dimensions : (CMVideoDimensions){0, 0};
}

/* A number, or a fraction as an array of two; `otherwise` for anything else. */
static double number_of(CFTypeRef value, double otherwise) {
    double number = otherwise, divisor = 0;
    if (!value) return otherwise;
    if (CFGetTypeID(value) == CFNumberGetTypeID()) {
        CFNumberGetValue(value, kCFNumberDoubleType, &number);
    } else if (CFGetTypeID(value) == CFArrayGetTypeID() && CFArrayGetCount(value) == 2) {
        number = number_of(CFArrayGetValueAtIndex(value, 0), 0);
        divisor = number_of(CFArrayGetValueAtIndex(value, 1), 0);
        number = divisor ? number / divisor : otherwise;
    }
    return number;
}

static double member(CFDictionaryRef dictionary, CFStringRef key, CFStringRef rational_key, double otherwise) {
    CFTypeRef rational = rational_key ? CFDictionaryGetValue(dictionary, rational_key) : NULL;
    return number_of(rational ? rational : CFDictionaryGetValue(dictionary, key), otherwise);
}

static CFDictionaryRef dictionary_extension(CMFormatDescriptionRef desc, CFStringRef key) {
    CFTypeRef value = CMFormatDescriptionGetExtension(desc, key);
    return value && CFGetTypeID(value) == CFDictionaryGetTypeID() ? value : NULL;
}

CGRect CMVideoFormatDescriptionGetCleanAperture(CMVideoFormatDescriptionRef videoDesc, Boolean originIsAtTopLeft) {
    const CMVideoDimensions dimensions = CMVideoFormatDescriptionGetDimensions(videoDesc);
    CFDictionaryRef aperture = dictionary_extension(videoDesc, kCMFormatDescriptionExtension_CleanAperture);
    if (!aperture) return CGRectMake(0, 0, dimensions.width, dimensions.height);
    const double width = member(aperture, kCMFormatDescriptionKey_CleanApertureWidth,
        kCMFormatDescriptionKey_CleanApertureWidthRational, dimensions.width);
    const double height = member(aperture, kCMFormatDescriptionKey_CleanApertureHeight,
        kCMFormatDescriptionKey_CleanApertureHeightRational, dimensions.height);
    /* Offsets are of the middle of the aperture from the middle of the image, to the right and down. */
    const double right = member(aperture, kCMFormatDescriptionKey_CleanApertureHorizontalOffset,
        kCMFormatDescriptionKey_CleanApertureHorizontalOffsetRational, 0);
    const double down = member(aperture, kCMFormatDescriptionKey_CleanApertureVerticalOffset,
        kCMFormatDescriptionKey_CleanApertureVerticalOffsetRational, 0);
    return CGRectMake((dimensions.width - width) / 2 + right,
        (dimensions.height - height) / 2 + (originIsAtTopLeft ? down : -down), width, height);
}

CGSize CMVideoFormatDescriptionGetPresentationDimensions(CMVideoFormatDescriptionRef videoDesc,
    Boolean usePixelAspectRatio, Boolean useCleanAperture) {
    const CMVideoDimensions dimensions = CMVideoFormatDescriptionGetDimensions(videoDesc);
    CGSize size = useCleanAperture ? CMVideoFormatDescriptionGetCleanAperture(videoDesc, true).size
                                   : CGSizeMake(dimensions.width, dimensions.height);
    CFDictionaryRef ratio = dictionary_extension(videoDesc, kCMFormatDescriptionExtension_PixelAspectRatio);
    if (usePixelAspectRatio && ratio) {
        const double horizontal = member(ratio, kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing, NULL, 1);
        const double vertical = member(ratio, kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing, NULL, 1);
        if (horizontal > 0 && vertical > 0) size.width *= horizontal / vertical;
    }
    return size;
}

/* ---- Comparison ---- */

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
    CFMutableDictionaryRef copy = dictionary ? CFDictionaryCreateMutableCopy(NULL, 0, dictionary) : create_dictionary(NULL);
    if (copy && keys) remove_keys(copy, keys);
    return copy;
}

/* The extensions without some of them; NULL without memory. */
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
    if (!same_but_extensions(formatDescription, otherFormatDescription)) return false;
    CFDictionaryRef one = copy_extensions(
        formatDescription, formatDescriptionExtensionKeysToIgnore, sampleDescriptionExtensionAtomKeysToIgnore);
    CFDictionaryRef other = copy_extensions(
        otherFormatDescription, formatDescriptionExtensionKeysToIgnore, sampleDescriptionExtensionAtomKeysToIgnore);
    const bool result = one && other && same_extensions(one, other);
    if (one) CFRelease(one);
    if (other) CFRelease(other);
    return result;
}

/* ---- Images ---- */

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
