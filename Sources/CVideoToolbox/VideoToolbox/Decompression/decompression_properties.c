/* The properties of a decompression session. */
#include "decompression_session.h"

#include "../../Support/format.h"
#include "../../Support/pixel_attributes.h"
#include "../stored_properties.h"

/* ---- Computed values --------------------------------------------------------------------------------------------- */

static CFTypeRef copy_false(const void *session) {
    (void)session;
    return CFRetain(kCFBooleanFalse);
}

static CFTypeRef copy_nothing(const void *session) {
    (void)session;
    return NULL;
}

/* Returns the description of the last frame, with a reference. */
static CMFormatDescriptionRef copy_format(const struct OpaqueVTDecompressionSession *session) {
    pthread_mutex_lock(&session->decoding->lock);
    CMFormatDescriptionRef format = (CMFormatDescriptionRef)CFRetain(session->decoding->format);
    pthread_mutex_unlock(&session->decoding->lock);
    return format;
}

static CFTypeRef copy_pool(const void *object) {
    const struct OpaqueVTDecompressionSession *session = object;
    size_t width = 0, height = 0;
    CVPixelBufferPoolRef pool = NULL;
    CMFormatDescriptionRef format = copy_format(session);
    const OSType native = nalu_decoding_native_format(nalu_format_of(format), &width, &height);
    CFRelease(format);
    (void)nalu_decoded_images_copy_pool(&session->decoding->images, native, width, height, &pool);
    return pool;
}

static CFTypeRef copy_dependencies(const void *object) {
    const struct OpaqueVTDecompressionSession *session = object;
    nalu_sequence_info info = {.struct_size = sizeof info};
    CMFormatDescriptionRef format = copy_format(session);
    const nalu_status status = nalu_format_description_get_sequence_info(nalu_format_of(format), &info);
    CFRelease(format);
    return CFRetain(status != NALU_STATUS_OK || info.max_num_ref_frames > 0 ? kCFBooleanTrue : kCFBooleanFalse);
}

static CFTypeRef copy_count(const void *object) {
    const struct OpaqueVTDecompressionSession *session = object;
    pthread_mutex_lock(&session->decoding->lock);
    const CFIndex count = session->decoding->pending_count;
    pthread_mutex_unlock(&session->decoding->lock);
    return CFNumberCreate(NULL, kCFNumberCFIndexType, &count);
}

/* Returns the earliest (`wanted_order` is -1) or latest (1) time of the frames that are being decoded. */
static CFTypeRef copy_time(const struct OpaqueVTDecompressionSession *session, int32_t wanted_order) {
    CMTime found = kCMTimeInvalid;
    pthread_mutex_lock(&session->decoding->lock);
    for (const nalu_pending_frame *frame = session->decoding->first; frame; frame = frame->next)
        if (CMTIME_IS_NUMERIC(frame->presentation_time) &&
            (CMTIME_IS_INVALID(found) || CMTimeCompare(frame->presentation_time, found) == wanted_order))
            found = frame->presentation_time;
    pthread_mutex_unlock(&session->decoding->lock);
    return CMTimeCopyAsDictionary(found, NULL);
}

static CFTypeRef copy_first_time(const void *session) { return copy_time(session, -1); }
static CFTypeRef copy_last_time(const void *session) { return copy_time(session, 1); }

/* Returns the pixel formats of images. The first is the fastest and loses nothing. */
static CFTypeRef copy_formats(const void *object) {
    const struct OpaqueVTDecompressionSession *session = object;
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

static const CFStringRef *const field_modes[] = {&kVTDecompressionProperty_FieldMode_BothFields, NULL};
/* The values of OnlyTheseFrames, in the order of nalu_wanted_frames. */
static const CFStringRef *const wanted_frames[] = {&kVTDecompressionProperty_OnlyTheseFrames_AllFrames,
    &kVTDecompressionProperty_OnlyTheseFrames_NonDroppableFrames, &kVTDecompressionProperty_OnlyTheseFrames_IFrames,
    &kVTDecompressionProperty_OnlyTheseFrames_KeyFrames, NULL};

static const nalu_stored_property properties[] = {
    {KEY(PixelBufferPool), .kind = NALU_STORED_OBJECT, .is_read_only = true, .copy = copy_pool,
        .documentation = "The pool of the images' pixel buffers."},
    {KEY(PixelBufferPoolIsShared), .kind = NALU_STORED_BOOLEAN_OR_NUMBER, .is_read_only = true, .copy = copy_false,
        .documentation = "True if the client shares the pool. Always false."},
    {KEY(OutputPoolRequestedMinimumBufferCount), .kind = NALU_STORED_NUMBER, .minimum = 0, .maximum = 1000,
        .documentation = "The least number of pixel buffers that the pool keeps."},
    {KEY(NumberOfFramesBeingDecoded), .kind = NALU_STORED_NUMBER, .is_read_only = true, .copy = copy_count,
        .documentation = "The number of frames whose callback is pending."},
    {KEY(MinOutputPresentationTimeStampOfFramesBeingDecoded), .kind = NALU_STORED_DICTIONARY, .is_read_only = true,
        .copy = copy_first_time,
        .documentation = "The earliest presentation time of the frames that are being decoded."},
    {KEY(MaxOutputPresentationTimeStampOfFramesBeingDecoded), .kind = NALU_STORED_DICTIONARY, .is_read_only = true,
        .copy = copy_last_time,
        .documentation = "The latest presentation time of the frames that are being decoded."},
    {KEY(ContentHasInterframeDependencies), .kind = NALU_STORED_BOOLEAN_OR_NUMBER, .is_read_only = true,
        .copy = copy_dependencies,
        .documentation = "True if frames refer to other frames."},
    {KEY(UsingHardwareAcceleratedVideoDecoder), .kind = NALU_STORED_BOOLEAN_OR_NUMBER, .is_read_only = true, .copy = copy_false,
        .documentation = "True if the decoder is hardware. Always false."},
    {KEY(UsingGPURegistryID), .kind = NALU_STORED_NUMBER, .is_read_only = true, .copy = copy_nothing,
        .documentation = "The GPU that decodes. Never set: the decoder is software."},
    {KEY(RealTime), .kind = NALU_STORED_OPTIONAL_BOOLEAN, .documentation = "Accepted without effect."},
    {KEY(MaximizePowerEfficiency), .kind = NALU_STORED_BOOLEAN_OR_NUMBER, .documentation = "Accepted without effect."},
    {KEY(ThreadCount), .kind = NALU_STORED_NUMBER, .minimum = 0, .maximum = 64,
        .documentation = "The number of decoding threads; 0: one for each processor. A change takes effect at "
            "the next frame where decoding can start."},
    {KEY(FieldMode), .kind = NALU_STORED_STRING, .values = field_modes,
        .documentation = "The fields in an image. Always both fields of a frame."},
    {KEY(OnlyTheseFrames), .kind = NALU_STORED_STRING, .values = wanted_frames,
        .documentation = "The frames that are decoded to images."},
    {KEY(SupportedPixelFormatsOrderedByQuality), .kind = NALU_STORED_OBJECT, .is_read_only = true, .copy = copy_formats,
        .documentation = "The pixel formats that images can have; the fastest, which loses nothing, is first."},
    {KEY(SupportedPixelFormatsOrderedByPerformance), .kind = NALU_STORED_OBJECT, .is_read_only = true, .copy = copy_formats,
        .documentation = "The pixel formats that images can have; the fastest, which loses nothing, is first."},
    {KEY(AllowBitstreamToChangeFrameDimensions), .kind = NALU_STORED_BOOLEAN_OR_NUMBER,
        .documentation = "Accepted without effect."},
    {KEY(PixelTransferProperties), .kind = NALU_STORED_DICTIONARY,
        .documentation = "The properties of the pixel transfer session that converts images."},
    {KEY(PropagatePerFrameHDRDisplayMetadata), .kind = NALU_STORED_BOOLEAN_OR_NUMBER,
        .documentation = "Accepted without effect."},
    {KEY(DecoderProducesRAWOutput), .kind = NALU_STORED_BOOLEAN_OR_NUMBER, .is_read_only = true, .copy = copy_false,
        .documentation = "True if images are RAW. Always false."},
    {.key = NULL},
};

static bool is_invalid(VTDecompressionSessionRef session) {
    pthread_mutex_lock(&session->decoding->lock);
    const bool is = session->decoding->decoder == NULL;
    pthread_mutex_unlock(&session->decoding->lock);
    return is;
}

/* ---- Setting ---------------------------------------------------------------------------------------------------------- */

/* Sets a property. NULL as `value` restores the default. */
static OSStatus set_property(void *object, CFStringRef key, CFTypeRef value) {
    VTDecompressionSessionRef session = object;
    nalu_decoding *decoding = session->decoding;
    const nalu_stored_property *found = nalu_stored_property_find(properties, key);
    CFTypeRef kept = NULL;
    double number = 0;
    if (is_invalid(session)) return kVTInvalidSessionErr;
    if (!found) return kVTPropertyNotSupportedErr;
    OSStatus status = nalu_stored_property_copy_value(found, value, &kept, &number);
    /* The decoder has no other modes. */
    if (status == kVTParameterErr && found->values) return kVTPropertyNotSupportedErr;
    if (status != noErr) return status;
    if (kept && found->key == &kVTDecompressionPropertyKey_PixelTransferProperties) {
        CMFormatDescriptionRef format = copy_format(session);
        status = nalu_decoded_images_set_transfer(&decoding->images, format, kept);
        CFRelease(format);
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
        decoding->wanted = value ? (nalu_wanted_frames)nalu_stored_property_value_index(found, value) : ALL_FRAMES;
    if (kept) CFDictionarySetValue(session->values, *found->key, kept);
    else CFDictionaryRemoveValue(session->values, *found->key);
    pthread_mutex_unlock(&decoding->lock);
    if (kept) CFRelease(kept);
    return noErr;
}

/* ---- Reading ---------------------------------------------------------------------------------------------------------- */

/* Returns the default of a property that was not set. */
static CFTypeRef copy_default(const nalu_stored_property *property) {
    if (property->kind != NALU_STORED_DICTIONARY) return nalu_stored_property_copy_default(property);
    return CFDictionaryCreate(NULL, NULL, NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
}

static OSStatus copy_property(void *object, CFStringRef key, CFAllocatorRef allocator, CFTypeRef *value_out) {
    VTDecompressionSessionRef session = object;
    const nalu_stored_property *found = nalu_stored_property_find(properties, key);
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

static OSStatus copy_supported(void *object, CFDictionaryRef *supported_out) {
    if (is_invalid(object)) return kVTInvalidSessionErr;
    *supported_out = nalu_stored_properties_describe(properties);
    return *supported_out ? noErr : kVTAllocationFailedErr;
}

const struct nalu_session_methods nalu_decompression_methods = {set_property, NULL, copy_property, copy_supported};
