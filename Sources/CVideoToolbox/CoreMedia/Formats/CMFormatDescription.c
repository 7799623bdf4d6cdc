#include <CoreMedia/CMFormatDescription.h>

#include "../../Support/constant.h"
#include "../../Support/property_list.h"
#include "format_description.h"
#include "repaired_record.h"

static void finalize(CFTypeRef object) {
    const description *self = object;
    nalu_object_release_held(self->extensions);
    nalu_format_description_release(self->format);
}

bool nalu_format_description_same_extensions(CFDictionaryRef a, CFDictionaryRef b) {
    if (a == b) return true;
    if (!a || !b) return CFDictionaryGetCount(a ? a : b) == 0;
    return CFEqual(a, b);
}

bool nalu_format_description_same_but_extensions(const description *a, const description *b) {
    return a->media == b->media && a->subtype == b->subtype && a->dimensions.width == b->dimensions.width &&
        a->dimensions.height == b->dimensions.height;
}

static Boolean equal(CFTypeRef a, CFTypeRef b) {
    const description *one = a, *other = b;
    return nalu_format_description_same_but_extensions(one, other) &&
        nalu_format_description_same_extensions(one->extensions, other->extensions);
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

typedef nalu_status create_format(const uint8_t *, size_t, nalu_format_description **);
typedef CFDataRef copy_repaired(const UInt8 *, CFIndex, unsigned);

/* Returns NULL for a record that cannot be read. */
static nalu_format_description *format_of_record(CFDataRef record, create_format *create, copy_repaired *repair) {
    nalu_format_description *format = NULL;
    if (create(CFDataGetBytePtr(record), (size_t)CFDataGetLength(record), &format) == NALU_STATUS_OK) return format;
    for (unsigned stopless = 0; stopless < 1U << nalu_repaired_unit_count; stopless++) {
        CFDataRef repaired = repair(CFDataGetBytePtr(record), CFDataGetLength(record), stopless);
        if (!repaired) return NULL;
        const nalu_status status = create(CFDataGetBytePtr(repaired), (size_t)CFDataGetLength(repaired), &format);
        CFRelease(repaired);
        if (status == NALU_STATUS_OK) return format;
    }
    return NULL;
}

/* Returns the format that the atoms describe, or NULL if no atom can be read. Of an array of atoms, only the first
 * counts. */
static nalu_format_description *format_of_atoms(CFDictionaryRef extensions) {
    static const struct {
        const CFStringRef *key;
        create_format *create;
        copy_repaired *repair;
    } kinds[] = {
        {&nalu_atom_avcc, nalu_format_description_create_from_avcc, nalu_avc_record_copy_repaired},
        {&nalu_atom_hvcc, nalu_format_description_create_from_hvcc, nalu_hevc_record_copy_repaired},
    };
    CFTypeRef atoms =
        extensions ? CFDictionaryGetValue(extensions, kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms) : NULL;
    if (!atoms || CFGetTypeID(atoms) != CFDictionaryGetTypeID()) return NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        CFTypeRef atom = CFDictionaryGetValue(atoms, *kinds[i].key);
        if (atom && CFGetTypeID(atom) == CFArrayGetTypeID() && CFArrayGetCount(atom) > 0) {
            atom = CFArrayGetValueAtIndex(atom, 0);
        }
        nalu_format_description *format = atom && CFGetTypeID(atom) == CFDataGetTypeID()
            ? format_of_record(atom, kinds[i].create, kinds[i].repair) : NULL;
        if (format) return format;
    }
    return NULL;
}

CMFormatDescriptionRef nalu_format_description_make(CFAllocatorRef allocator, CMMediaType media, FourCharCode subtype, int32_t width,
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
    *out = nalu_format_description_make(allocator, media, subtype, width, height, copy,
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
