#include <VideoToolbox/VTDecompressionSession.h>

#include "../../Support/format.h"
#include "../../Support/environment.h"
#include "../../Support/error_message.h"
#include "../../Support/float_environment.h"
#include "../../Support/value.h"
#include "decoding.h"
#include "decompression_session.h"

#include <stdlib.h>

static void finalize(CFTypeRef object) {
    VTDecompressionSessionRef session = (VTDecompressionSessionRef)object;
    if (!session->decoding) return;
    nalu_decoding_invalidate(session->decoding);
    nalu_decoding_release(session->decoding);
    if (session->values) CFRelease(session->values);
}

static nalu_class session_class = {.runtime = {.className = "VTDecompressionSession", .finalize = finalize}};

CFTypeID VTDecompressionSessionGetTypeID(void) { return nalu_class_type(&session_class); }

Boolean VTIsHardwareDecodeSupported(CMVideoCodecType codec) {
    const bool is_known = codec == kCMVideoCodecType_H264 || codec == kCMVideoCodecType_HEVC;
    return is_known && !nalu_hardware_is_strict() && nalu_media_load() == NALU_STATUS_OK;
}

Boolean VTIsStereoMVHEVCDecodeSupported(void) { return false; }

/* ---- Creation and invalidation ----------------------------------------------------------------------------------- */

static OSStatus check_specification(CFDictionaryRef specification) {
    const CFStringRef gpu = kVTVideoDecoderSpecification_RequiredDecoderGPURegistryID;
    bool is_required = false;
    if (!specification) return noErr;
    if (CFGetTypeID(specification) != CFDictionaryGetTypeID()) return kVTParameterErr;
    const OSStatus status = nalu_dictionary_read_bool(specification,
        kVTVideoDecoderSpecification_RequireHardwareAcceleratedVideoDecoder, &is_required);
    if (status != noErr) return status;
    const bool demands = is_required || nalu_dictionary_get(specification, gpu);
    return demands && nalu_hardware_is_strict() ? kVTCouldNotFindVideoDecoderErr : noErr;
}

static OSStatus create(CFAllocatorRef allocator, CMVideoFormatDescriptionRef format, CFDictionaryRef specification,
    CFDictionaryRef attributes, const VTDecompressionOutputCallbackRecord *callback, VTDecompressionSessionRef *session_out) {
    if (!format || CFGetTypeID(format) != CMFormatDescriptionGetTypeID()) return kVTParameterErr;
    if (CMFormatDescriptionGetMediaType(format) != kCMMediaType_Video) return kVTParameterErr;
    const FourCharCode codec = CMFormatDescriptionGetMediaSubType(format);
    if (codec != kCMVideoCodecType_H264 && codec != kCMVideoCodecType_HEVC && !nalu_format_of(format))
        return kVTCouldNotFindVideoDecoderErr;
    OSStatus status = check_specification(specification);
    if (status != noErr) return status;
    VTDecompressionSessionRef session = nalu_session_create(&session_class, &nalu_decompression_methods, allocator,
        sizeof *session);
    if (!session) return kVTAllocationFailedErr;
    session->has_callback = callback && callback->decompressionOutputCallback;
    session->values = nalu_dictionary_create(NULL);
    status = session->values ? nalu_decoding_create(format, attributes, callback, &session->decoding) : kVTAllocationFailedErr;
    if (status == noErr) {
        *session_out = session;
        return noErr;
    }
    if (session->values) CFRelease(session->values);
    CFRelease(session);
    return status;
}

OSStatus VTDecompressionSessionCreate(CFAllocatorRef allocator, CMVideoFormatDescriptionRef format,
    CFDictionaryRef specification, CFDictionaryRef attributes, const VTDecompressionOutputCallbackRecord *callback,
    VTDecompressionSessionRef *session_out) {
    NALU_HIDE_FLOAT_ENVIRONMENT;
    nalu_error_begin();
    if (session_out) *session_out = NULL;
    const OSStatus status =
        session_out ? create(allocator, format, specification, attributes, callback, session_out) : kVTParameterErr;
    return nalu_error_end(status, "VTDecompressionSessionCreate", NULL);
}

void VTDecompressionSessionInvalidate(VTDecompressionSessionRef session) {
    if (nalu_object_is(session, &session_class)) nalu_decoding_invalidate(session->decoding);
}

/* ---- Decoding --------------------------------------------------------------------------------------------------------- */

/* Returns the bytes of a block buffer, contiguous; the caller frees `copy_out`. Returns NULL if memory is short. */
static const uint8_t *bytes_of(CMBlockBufferRef block, size_t size, void **copy_out) {
    size_t contiguous = 0;
    char *bytes = NULL;
    *copy_out = NULL;
    if (CMBlockBufferGetDataPointer(block, 0, &contiguous, NULL, &bytes) == noErr && contiguous >= size)
        return (const uint8_t *)bytes;
    *copy_out = malloc(size);
    if (*copy_out && CMBlockBufferCopyDataBytes(block, 0, size, *copy_out) == noErr) return *copy_out;
    free(*copy_out);
    *copy_out = NULL;
    return NULL;
}

/* Splits a sample buffer into its frames. */
static OSStatus read_frames(CMSampleBufferRef sample, nalu_format_description *format, const uint8_t *bytes, size_t size,
    CMItemCount count, nalu_frame_data *frames) {
    size_t offset = 0;
    for (CMItemIndex i = 0; i < count; i++) {
        nalu_frame_data *frame = &frames[i];
        CMSampleTimingInfo timing;
        frame->bytes = bytes + offset;
        /* A single frame has all bytes of the buffer, whether the client set its size or not. */
        frame->size = count == 1 ? size : CMSampleBufferGetSampleSize(sample, i);
        if (frame->size > size - offset) return kVTVideoDecoderBadDataErr;
        offset += frame->size;
        const bool is_timed = CMSampleBufferGetSampleTimingInfo(sample, i, &timing) == noErr;
        frame->presentation_time = is_timed ? timing.presentationTimeStamp : kCMTimeInvalid;
        frame->duration = is_timed ? timing.duration : kCMTimeInvalid;
        if (!nalu_frame_kind_read(format, frame->bytes, frame->size, &frame->kind)) return kVTVideoDecoderBadDataErr;
    }
    return noErr;
}

static OSStatus decode_frames(VTDecompressionSessionRef session, CMSampleBufferRef sample, VTDecodeFrameFlags flags,
    void *refcon, VTDecompressionOutputHandler handler, VTDecompressionMultiImageCapableOutputHandler multi_image_handler,
    VTDecodeInfoFlags *info_out) {
    enum { MOST_ON_STACK = 4 };
    nalu_frame_data few[MOST_ON_STACK], *frames = few;
    if (info_out) *info_out = 0;
    if (!nalu_object_is(session, &session_class) || !sample || CFGetTypeID(sample) != CMSampleBufferGetTypeID())
        return kVTParameterErr;
    if (session->has_callback == (handler || multi_image_handler)) return kVTParameterErr;
    nalu_decompression_session *decoder = nalu_decoding_copy_decoder(session->decoding);
    if (!decoder) return kVTInvalidSessionErr;
    nalu_decompression_session_release(decoder);
    OSStatus status = CMSampleBufferDataIsReady(sample) ? noErr : CMSampleBufferMakeDataReady(sample);
    if (status != noErr) return status;
    CMBlockBufferRef block = CMSampleBufferGetDataBuffer(sample);
    CMFormatDescriptionRef format = CMSampleBufferGetFormatDescription(sample);
    if (!block || !format) return kVTParameterErr;
    nalu_format_description *parameter_sets = nalu_format_of(format);
    if (!parameter_sets) return kVTFormatDescriptionChangeNotSupportedErr;
    const size_t size = CMBlockBufferGetDataLength(block);
    if (size == 0) return kVTVideoDecoderBadDataErr;
    const CMItemCount given = CMSampleBufferGetNumSamples(sample), count = given > 1 ? given : 1;
    if (count > MOST_ON_STACK) frames = calloc((size_t)count, sizeof *frames);
    void *copy = NULL;
    const uint8_t *bytes = frames ? bytes_of(block, size, &copy) : NULL;
    if (!bytes) status = kVTAllocationFailedErr;
    if (status == noErr) status = read_frames(sample, parameter_sets, bytes, size, count, frames);
    CFRetain(session); /* because a callback may release the client's reference */
    for (CMItemIndex i = 0; i < count && status == noErr; i++)
        status = nalu_decoding_decode(session->decoding, &frames[i], format, flags, refcon, handler, multi_image_handler,
            info_out);
    CFRelease(session);
    free(copy);
    if (frames != few) free(frames);
    return status;
}

/* `function` is the name for the message of a failure. */
static OSStatus decode(const char *function, VTDecompressionSessionRef session, CMSampleBufferRef sample,
    VTDecodeFrameFlags flags, void *refcon, VTDecompressionOutputHandler handler,
    VTDecompressionMultiImageCapableOutputHandler multi_image_handler, VTDecodeInfoFlags *info_out) {
    NALU_HIDE_FLOAT_ENVIRONMENT;
    nalu_error_begin();
    const OSStatus status = decode_frames(session, sample, flags, refcon, handler, multi_image_handler, info_out);
    return nalu_error_end(status, function, NULL);
}

OSStatus VTDecompressionSessionDecodeFrame(VTDecompressionSessionRef session, CMSampleBufferRef sample,
    VTDecodeFrameFlags flags, void *refcon, VTDecodeInfoFlags *info_out) {
    return decode(__func__, session, sample, flags, refcon, NULL, NULL, info_out);
}

OSStatus VTDecompressionSessionDecodeFrameWithOptions(VTDecompressionSessionRef session, CMSampleBufferRef sample,
    VTDecodeFrameFlags flags, CFDictionaryRef options, void *refcon, VTDecodeInfoFlags *info_out) {
    (void)options;
    return decode(__func__, session, sample, flags, refcon, NULL, NULL, info_out);
}

OSStatus VTDecompressionSessionDecodeFrameWithOutputHandler(VTDecompressionSessionRef session, CMSampleBufferRef sample,
    VTDecodeFrameFlags flags, VTDecodeInfoFlags *info_out, VTDecompressionOutputHandler handler) {
    if (!handler) return nalu_error_set(kVTParameterErr, __func__, NULL);
    return decode(__func__, session, sample, flags, NULL, handler, NULL, info_out);
}

OSStatus VTDecompressionSessionDecodeFrameWithOptionsAndOutputHandler(VTDecompressionSessionRef session,
    CMSampleBufferRef sample, VTDecodeFrameFlags flags, CFDictionaryRef options, VTDecodeInfoFlags *info_out,
    VTDecompressionOutputHandler handler) {
    (void)options;
    if (!handler) return nalu_error_set(kVTParameterErr, __func__, NULL);
    return decode(__func__, session, sample, flags, NULL, handler, NULL, info_out);
}

OSStatus VTDecompressionSessionDecodeFrameWithMultiImageCapableOutputHandler(VTDecompressionSessionRef session,
    CMSampleBufferRef sample, VTDecodeFrameFlags flags, VTDecodeInfoFlags *info_out,
    VTDecompressionMultiImageCapableOutputHandler handler) {
    if (!handler) return nalu_error_set(kVTParameterErr, __func__, NULL);
    return decode(__func__, session, sample, flags, NULL, NULL, handler, info_out);
}

OSStatus VTDecompressionSessionSetMultiImageCallback(VTDecompressionSessionRef session,
    VTDecompressionOutputMultiImageCallback callback, void *refcon) {
    if (!nalu_object_is(session, &session_class) || !callback) return kVTParameterErr;
    pthread_mutex_lock(&session->decoding->lock);
    const bool is_valid = session->decoding->decoder != NULL;
    if (is_valid) {
        session->decoding->multi_image_callback = callback;
        session->decoding->multi_image_refcon = refcon;
    }
    pthread_mutex_unlock(&session->decoding->lock);
    return is_valid ? noErr : kVTInvalidSessionErr;
}

/* ---- Waiting ---------------------------------------------------------------------------------------------------------- */

static OSStatus with_decoder(VTDecompressionSessionRef session,
    nalu_status (*function)(nalu_decompression_session *)) {
    nalu_decoding *decoding = session->decoding;
    nalu_status status = NALU_STATUS_INVALID_SESSION;
    bool is_replaced = true;
    CFRetain(session); /* because a callback may release the client's reference */
    while (is_replaced) {
        nalu_decompression_session *decoder = nalu_decoding_copy_decoder(decoding);
        if (!decoder) break;
        status = function(decoder);
        is_replaced = status == NALU_STATUS_INVALID_SESSION && nalu_decoding_has_replaced(decoding, decoder);
        nalu_decompression_session_release(decoder);
    }
    CFRelease(session);
    return nalu_vt_decoding_status(status);
}

OSStatus VTDecompressionSessionFinishDelayedFrames(VTDecompressionSessionRef session) {
    if (!nalu_object_is(session, &session_class)) return kVTParameterErr;
    return with_decoder(session, nalu_decompression_session_finish_delayed_frames);
}

OSStatus VTDecompressionSessionWaitForAsynchronousFrames(VTDecompressionSessionRef session) {
    if (!nalu_object_is(session, &session_class)) return kVTParameterErr;
    return with_decoder(session, nalu_decompression_session_wait_for_asynchronous_frames);
}

/* ---- Formats ---------------------------------------------------------------------------------------------------------- */

Boolean VTDecompressionSessionCanAcceptFormatDescription(VTDecompressionSessionRef session, CMFormatDescriptionRef format) {
    if (!nalu_object_is(session, &session_class) || !format || CFGetTypeID(format) != CMFormatDescriptionGetTypeID())
        return false;
    nalu_format_description *parameter_sets = nalu_format_of(format);
    nalu_decompression_session *decoder = parameter_sets ? nalu_decoding_copy_decoder(session->decoding) : NULL;
    if (!decoder) return false;
    const bool can = nalu_decompression_session_can_accept_format_description(decoder, parameter_sets) != 0;
    nalu_decompression_session_release(decoder);
    return can;
}

OSStatus VTDecompressionSessionCopyBlackPixelBuffer(VTDecompressionSessionRef session, CVPixelBufferRef *buffer_out) {
    if (!buffer_out) return kVTParameterErr;
    *buffer_out = NULL;
    if (!nalu_object_is(session, &session_class)) return kVTParameterErr;
    size_t width = 0, height = 0;
    nalu_decoding *decoding = session->decoding;
    pthread_mutex_lock(&decoding->lock);
    const bool is_valid = decoding->decoder != NULL;
    const OSType native = nalu_decoding_native_format(nalu_format_of(decoding->format), &width, &height);
    pthread_mutex_unlock(&decoding->lock);
    if (!is_valid) return kVTInvalidSessionErr;
    return nalu_decoded_images_copy_black(&decoding->images, native, width, height, buffer_out);
}
