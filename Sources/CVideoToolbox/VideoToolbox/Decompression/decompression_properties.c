/* The properties of a decompression session. One table describes their types, limits and values. */
#include "decompression_session.h"

#include "../../Support/format.h"
#include "../../Support/pixel_attributes.h"
#include "../../Support/property_list.h"
#include "../../Support/value.h"

#include <math.h>

typedef enum value_kind { BOOLEAN, OPTIONAL_BOOLEAN, NUMBER, STRING, DICTIONARY, ARRAY, OBJECT } value_kind;

typedef struct property {
    const CFStringRef *key;
    value_kind kind;
    bool is_writable;
    double minimum, maximum; /* for numbers */
    const CFStringRef *values[4];
    CFTypeRef (*copy)(VTDecompressionSessionRef session); /* NULL: returns the value that was set, or the default */
    const char *documentation;
} property;

/* ---- Computed values --------------------------------------------------------------------------------------------- */

static CFTypeRef copy_false(VTDecompressionSessionRef session) {
    (void)session;
    return CFRetain(kCFBooleanFalse);
}

static CFTypeRef copy_nothing(VTDecompressionSessionRef session) {
    (void)session;
    return NULL;
}

/* Returns the description of the last frame, with a reference. */
static CMFormatDescriptionRef copy_format(VTDecompressionSessionRef session) {
    pthread_mutex_lock(&session->decoding->lock);
    CMFormatDescriptionRef format = (CMFormatDescriptionRef)CFRetain(session->decoding->format);
    pthread_mutex_unlock(&session->decoding->lock);
    return format;
}

static CFTypeRef copy_pool(VTDecompressionSessionRef session) {
    size_t width = 0, height = 0;
    CVPixelBufferPoolRef pool = NULL;
    CMFormatDescriptionRef format = copy_format(session);
    const OSType native = nalu_decoding_native_format(nalu_format_of(format), &width, &height);
    CFRelease(format);
    (void)nalu_decoded_images_copy_pool(&session->decoding->images, native, width, height, &pool);
    return pool;
}

static CFTypeRef copy_dependencies(VTDecompressionSessionRef session) {
    nalu_sequence_info info = {.struct_size = sizeof info};
    CMFormatDescriptionRef format = copy_format(session);
    const nalu_status status = nalu_format_description_get_sequence_info(nalu_format_of(format), &info);
    CFRelease(format);
    return CFRetain(status != NALU_STATUS_OK || info.max_num_ref_frames > 0 ? kCFBooleanTrue : kCFBooleanFalse);
}

static CFTypeRef copy_count(VTDecompressionSessionRef session) {
    pthread_mutex_lock(&session->decoding->lock);
    const CFIndex count = session->decoding->pending_count;
    pthread_mutex_unlock(&session->decoding->lock);
    return CFNumberCreate(NULL, kCFNumberCFIndexType, &count);
}

/* Returns the earliest (`wanted_order` is -1) or latest (1) time of the frames that are being decoded. */
static CFTypeRef copy_time(VTDecompressionSessionRef session, int32_t wanted_order) {
    CMTime found = kCMTimeInvalid;
    pthread_mutex_lock(&session->decoding->lock);
    for (const nalu_pending_frame *frame = session->decoding->first; frame; frame = frame->next)
        if (CMTIME_IS_NUMERIC(frame->presentation_time) &&
            (CMTIME_IS_INVALID(found) || CMTimeCompare(frame->presentation_time, found) == wanted_order))
            found = frame->presentation_time;
    pthread_mutex_unlock(&session->decoding->lock);
    return CMTimeCopyAsDictionary(found, NULL);
}

static CFTypeRef copy_first_time(VTDecompressionSessionRef session) { return copy_time(session, -1); }
static CFTypeRef copy_last_time(VTDecompressionSessionRef session) { return copy_time(session, 1); }

/* Returns the pixel formats of images. The first is the fastest and loses nothing. */
static CFTypeRef copy_formats(VTDecompressionSessionRef session) {
    static const OSType formats[] = {kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange,
        kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, kCVPixelFormatType_420YpCbCr8Planar,
        kCVPixelFormatType_420YpCbCr8PlanarFullRange, kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange,
        kCVPixelFormatType_420YpCbCr10BiPlanarFullRange, kCVPixelFormatType_32BGRA};
    size_t width = 0, height = 0;
    CMFormatDescriptionRef format = copy_format(session);
    const OSType native = nalu_decoding_native_format(nalu_format_of(format), &width, &height);
    CFRelease(format);
    CFMutableArrayRef found = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    if (!found) return NULL;
    const bool is_listed = native == NALU_PIXEL_FORMAT_Y420 || native == NALU_PIXEL_FORMAT_F420;
    for (size_t i = is_listed ? 1 : 0; i <= sizeof formats / sizeof *formats; i++) {
        const OSType code = i ? formats[i - 1] : native;
        if (i && code == native && !is_listed) continue;
        const int64_t value = code;
        CFNumberRef number = CFNumberCreate(NULL, kCFNumberSInt64Type, &value);
        if (number) {
            CFArrayAppendValue(found, number);
            CFRelease(number);
        }
    }
    return found;
}

/* ---- The table -------------------------------------------------------------------------------------------------------- */

#define KEY(name) .key = &kVTDecompressionPropertyKey_##name

static const property properties[] = {
    {KEY(PixelBufferPool), .kind = OBJECT, .copy = copy_pool,
        .documentation = "The pool of the images' pixel buffers."},
    {KEY(PixelBufferPoolIsShared), .kind = BOOLEAN, .copy = copy_false,
        .documentation = "True if the client shares the pool. Always false."},
    {KEY(OutputPoolRequestedMinimumBufferCount), .kind = NUMBER, .is_writable = true, .minimum = 0, .maximum = 1000,
        .documentation = "The least number of pixel buffers that the pool keeps."},
    {KEY(NumberOfFramesBeingDecoded), .kind = NUMBER, .copy = copy_count, .maximum = INT32_MAX,
        .documentation = "The number of frames whose callback is pending."},
    {KEY(MinOutputPresentationTimeStampOfFramesBeingDecoded), .kind = DICTIONARY, .copy = copy_first_time,
        .documentation = "The earliest presentation time of the frames that are being decoded."},
    {KEY(MaxOutputPresentationTimeStampOfFramesBeingDecoded), .kind = DICTIONARY, .copy = copy_last_time,
        .documentation = "The latest presentation time of the frames that are being decoded."},
    {KEY(ContentHasInterframeDependencies), .kind = BOOLEAN, .copy = copy_dependencies,
        .documentation = "True if frames refer to other frames."},
    {KEY(UsingHardwareAcceleratedVideoDecoder), .kind = BOOLEAN, .copy = copy_false,
        .documentation = "True if the decoder is hardware. Always false."},
    {KEY(UsingGPURegistryID), .kind = NUMBER, .copy = copy_nothing,
        .documentation = "The GPU that decodes. Never set: the decoder is software."},
    {KEY(RealTime), .kind = OPTIONAL_BOOLEAN, .is_writable = true, .documentation = "Accepted without effect."},
    {KEY(MaximizePowerEfficiency), .kind = BOOLEAN, .is_writable = true, .documentation = "Accepted without effect."},
    {KEY(ThreadCount), .kind = NUMBER, .is_writable = true, .minimum = 0, .maximum = 64,
        .documentation = "The number of decoding threads; 0: one for each processor. A change takes effect at "
            "the next frame where decoding can start."},
    {KEY(FieldMode), .kind = STRING, .is_writable = true, .values = {&kVTDecompressionProperty_FieldMode_BothFields},
        .documentation = "The fields in an image. Always both fields of a frame."},
    {KEY(OnlyTheseFrames), .kind = STRING, .is_writable = true,
        .values = {&kVTDecompressionProperty_OnlyTheseFrames_AllFrames,
            &kVTDecompressionProperty_OnlyTheseFrames_NonDroppableFrames, &kVTDecompressionProperty_OnlyTheseFrames_IFrames,
            &kVTDecompressionProperty_OnlyTheseFrames_KeyFrames},
        .documentation = "The frames that are decoded to images."},
    {KEY(SupportedPixelFormatsOrderedByQuality), .kind = ARRAY, .copy = copy_formats,
        .documentation = "The pixel formats that images can have; the fastest, which loses nothing, is first."},
    {KEY(SupportedPixelFormatsOrderedByPerformance), .kind = ARRAY, .copy = copy_formats,
        .documentation = "The pixel formats that images can have; the fastest, which loses nothing, is first."},
    {KEY(AllowBitstreamToChangeFrameDimensions), .kind = BOOLEAN, .is_writable = true,
        .documentation = "Accepted without effect."},
    {KEY(PixelTransferProperties), .kind = DICTIONARY, .is_writable = true,
        .documentation = "The properties of the pixel transfer session that converts images."},
    {KEY(PropagatePerFrameHDRDisplayMetadata), .kind = BOOLEAN, .is_writable = true,
        .documentation = "Accepted without effect."},
    {KEY(DecoderProducesRAWOutput), .kind = BOOLEAN, .copy = copy_false,
        .documentation = "True if images are RAW. Always false."},
};

enum { PROPERTIES = sizeof properties / sizeof *properties };

static const property *find(CFStringRef key) {
    for (size_t i = 0; i < PROPERTIES; i++)
        if (CFEqual(key, *properties[i].key)) return &properties[i];
    return NULL;
}

static bool is_invalid(VTDecompressionSessionRef session) {
    pthread_mutex_lock(&session->decoding->lock);
    const bool is = session->decoding->decoder == NULL;
    pthread_mutex_unlock(&session->decoding->lock);
    return is;
}

/* ---- Setting ---------------------------------------------------------------------------------------------------------- */

static bool is_of_type(CFTypeRef value, CFTypeID type) { return CFGetTypeID(value) == type; }

/* Returns the index of a string in the property's values, or -1. */
static int string_index(const property *of, CFTypeRef value) {
    for (int i = 0; i < 4 && of->values[i]; i++)
        if (CFEqual(value, *of->values[i])) return i;
    return -1;
}

static OSStatus check(const property *of, CFTypeRef value, double *number_out) {
    bool is_set = false;
    switch (of->kind) {
    case BOOLEAN:
    case OPTIONAL_BOOLEAN: return nalu_read_bool(value, &is_set) ? noErr : kVTPropertyNotSupportedErr;
    case NUMBER:
        if (!nalu_read_double(value, number_out) || isnan(*number_out)) return kVTPropertyNotSupportedErr;
        return *number_out >= of->minimum && *number_out <= of->maximum ? noErr : kVTParameterErr;
    case STRING:
        if (!is_of_type(value, CFStringGetTypeID())) return kVTPropertyNotSupportedErr;
        return string_index(of, value) >= 0 ? noErr : kVTPropertyNotSupportedErr;
    case DICTIONARY: return is_of_type(value, CFDictionaryGetTypeID()) ? noErr : kVTPropertyNotSupportedErr;
    case ARRAY:
    case OBJECT: break;
    }
    return kVTPropertyNotSupportedErr;
}

/* Sets a property. NULL as `value` restores the default. */
static OSStatus set_property(void *object, CFStringRef key, CFTypeRef value) {
    VTDecompressionSessionRef session = object;
    nalu_decoding *decoding = session->decoding;
    const property *found = find(key);
    double number = 0;
    if (is_invalid(session)) return kVTInvalidSessionErr;
    if (!found) return kVTPropertyNotSupportedErr;
    if (!found->is_writable) return kVTPropertyReadOnlyErr;
    OSStatus status = value ? check(found, value, &number) : noErr;
    if (status != noErr) return status;
    /* Clients compare booleans by pointer, so the constants are stored. */
    bool is_set = false;
    if (value && (found->kind == BOOLEAN || found->kind == OPTIONAL_BOOLEAN) && nalu_read_bool(value, &is_set))
        value = is_set ? kCFBooleanTrue : kCFBooleanFalse;
    /* The caller's dictionary may not retain its contents, so a copy is stored. */
    CFTypeRef kept = nalu_property_list_copy_value(NULL, value);
    if (value && !kept) return kVTAllocationFailedErr;
    if (kept && found->key == &kVTDecompressionPropertyKey_PixelTransferProperties) {
        status = nalu_decoded_images_set_transfer(&decoding->images, kept);
        if (status != noErr) {
            CFRelease(kept);
            return status;
        }
    }
    if (found->key == &kVTDecompressionPropertyKey_OutputPoolRequestedMinimumBufferCount) {
        pthread_mutex_lock(&decoding->images.lock);
        decoding->images.minimum_count = (int32_t)number;
        pthread_mutex_unlock(&decoding->images.lock);
    }
    pthread_mutex_lock(&decoding->lock);
    if (found->key == &kVTDecompressionPropertyKey_ThreadCount) {
        decoding->is_outdated = decoding->is_outdated || decoding->thread_count != (int32_t)number;
        decoding->thread_count = (int32_t)number;
    } else if (found->key == &kVTDecompressionPropertyKey_OnlyTheseFrames)
        decoding->wanted = value ? (nalu_wanted_frames)string_index(found, value) : ALL_FRAMES;
    if (kept) CFDictionarySetValue(session->values, *found->key, kept);
    else CFDictionaryRemoveValue(session->values, *found->key);
    pthread_mutex_unlock(&decoding->lock);
    if (kept) CFRelease(kept);
    return noErr;
}

/* ---- Reading ---------------------------------------------------------------------------------------------------------- */

static CFTypeRef copy_default(const property *of) {
    const int32_t zero = 0;
    switch (of->kind) {
    case BOOLEAN: return CFRetain(kCFBooleanFalse);
    case NUMBER: return CFNumberCreate(NULL, kCFNumberSInt32Type, &zero);
    case STRING: return CFRetain(*of->values[0]);
    case DICTIONARY:
        return CFDictionaryCreate(
            NULL, NULL, NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    case OPTIONAL_BOOLEAN:
    case ARRAY:
    case OBJECT: break;
    }
    return NULL;
}

static OSStatus copy_property(void *object, CFStringRef key, CFAllocatorRef allocator, CFTypeRef *value_out) {
    VTDecompressionSessionRef session = object;
    const property *found = find(key);
    (void)allocator;
    if (is_invalid(session)) return kVTInvalidSessionErr;
    if (!found) return kVTPropertyNotSupportedErr;
    if (found->copy) {
        *value_out = found->copy(session);
        return noErr;
    }
    pthread_mutex_lock(&session->decoding->lock);
    CFTypeRef value = CFDictionaryGetValue(session->values, key);
    if (value) CFRetain(value);
    pthread_mutex_unlock(&session->decoding->lock);
    *value_out = value ? value : copy_default(found);
    return noErr;
}

static CFDictionaryRef describe(const property *it) {
    CFStringRef type = NULL;
    CFMutableArrayRef values = NULL;
    if (it->kind == BOOLEAN || it->kind == OPTIONAL_BOOLEAN) type = kVTPropertyType_Boolean;
    if (it->kind == NUMBER) type = kVTPropertyType_Number;
    if (it->kind == STRING) {
        type = kVTPropertyType_Enumeration;
        values = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
        for (int i = 0; values && i < 4 && it->values[i]; i++) CFArrayAppendValue(values, *it->values[i]);
    }
    CFStringRef documentation = CFStringCreateWithCString(NULL, it->documentation, kCFStringEncodingUTF8);
    const bool has_limits = it->kind == NUMBER && it->is_writable;
    CFDictionaryRef made = nalu_session_describe_property(type, it->is_writable, it->is_writable,
        has_limits ? it->minimum : NAN, has_limits ? it->maximum : NAN, values, documentation);
    if (values) CFRelease(values);
    if (documentation) CFRelease(documentation);
    return made;
}

static OSStatus copy_supported(void *object, CFDictionaryRef *supported_out) {
    if (is_invalid(object)) return kVTInvalidSessionErr;
    CFMutableDictionaryRef all = nalu_dictionary_create(NULL);
    if (!all) return kVTAllocationFailedErr;
    for (size_t i = 0; i < PROPERTIES; i++) {
        CFDictionaryRef description = describe(&properties[i]);
        if (!description) continue;
        CFDictionarySetValue(all, *properties[i].key, description);
        CFRelease(description);
    }
    *supported_out = all;
    return noErr;
}

const struct nalu_session_methods nalu_decompression_methods = {set_property, NULL, copy_property, copy_supported};
