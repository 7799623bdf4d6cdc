#include <VideoToolbox/VTCompressionSession.h>

#include "../../CoreMedia/Time/times.h"
#include "../../Support/error_message.h"
#include "../../Support/float_environment.h"
#include "../../Support/pixel_attributes.h"
#include "../../Support/value.h"
#include "compression_session.h"
#include "delivery.h"
#include "replaceable_encoder.h"
#include "properties.h"
#include "property_changes.h"

#include <Block/Block.h>
#include <CoreVideo/CVPixelBuffer.h>
#include <stdlib.h>

static void finalize(CFTypeRef object) {
    VTCompressionSessionRef session = (VTCompressionSessionRef)object;
    /* Waits for a callback in progress, except inside that callback. The sample delivery is freed after the last
     * callback. */
    nalu_encoder_destroy(session);
    if (session->delivery) nalu_delivery_release(session->delivery);
    CVPixelBufferPoolRelease(session->pool);
    if (session->kept) CFRelease(session->kept);
    if (session->storage) CFRelease(session->storage);
    free(session->next_ranges);
    nalu_source_conversion_destroy(&session->conversion);
    pthread_mutex_destroy(&session->extensions_lock);
    pthread_cond_destroy(&session->changed);
    pthread_mutex_destroy(&session->lock);
}

static nalu_class session_class = {.runtime = {.className = "VTCompressionSession", .finalize = finalize}};

CFTypeID VTCompressionSessionGetTypeID(void) { return nalu_class_type(&session_class); }

bool nalu_is_compression_session(VTCompressionSessionRef session) { return nalu_object_is(session, &session_class); }

/* ---- Creation ---- */

/* Creates the pool from copied attributes. The client's dictionary may have no callbacks, and its values may be freed
 * after the call. */
static OSStatus create_pool(CFDictionaryRef wanted, int32_t width, int32_t height, CVPixelBufferPoolRef *pool_out) {
    const CFStringRef keys[] = {
        kCVPixelBufferPixelFormatTypeKey, kCVPixelBufferWidthKey, kCVPixelBufferHeightKey,
        kCVPixelBufferExtendedPixelsLeftKey, kCVPixelBufferExtendedPixelsTopKey, kCVPixelBufferExtendedPixelsRightKey,
        kCVPixelBufferExtendedPixelsBottomKey, kCVPixelBufferBytesPerRowAlignmentKey, kCVPixelBufferPlaneAlignmentKey,
        kCVPixelBufferMemoryAllocatorKey, kCVPixelBufferIOSurfacePropertiesKey, kCVPixelBufferMetalCompatibilityKey,
        kCVPixelBufferOpenGLCompatibilityKey, kCVPixelBufferCGImageCompatibilityKey,
        kCVPixelBufferCGBitmapContextCompatibilityKey};
    CFMutableDictionaryRef attributes = nalu_dictionary_create(NULL);
    if (!attributes) return kVTAllocationFailedErr;
    nalu_dictionary_take(attributes, kCVPixelBufferPixelFormatTypeKey, nalu_integer(NALU_PIXEL_FORMAT_420V));
    nalu_dictionary_take(attributes, kCVPixelBufferWidthKey, nalu_integer(width));
    nalu_dictionary_take(attributes, kCVPixelBufferHeightKey, nalu_integer(height));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        CFTypeRef value = nalu_dictionary_get(wanted, keys[i]);
        if (value) CFDictionarySetValue(attributes, keys[i], value);
    }
    /* Some programs pass a media type as the pixel format. It is replaced by 420v. */
    nalu_pixel_attributes read;
    const bool is_read = nalu_pixel_attributes_read(attributes, &read) == kCVReturnSuccess;
    if (is_read && !read.format)
        nalu_dictionary_take(attributes, kCVPixelBufferPixelFormatTypeKey, nalu_integer(NALU_PIXEL_FORMAT_420V));
    const bool is_refused = is_read && read.format && !nalu_source_is_accepted(read.format->type);
    const CVReturn status = is_refused ? kCVReturnSuccess : CVPixelBufferPoolCreate(NULL, NULL, attributes, pool_out);
    CFRelease(attributes);
    if (is_refused) return kVTPixelTransferNotSupportedErr;
    if (status == kCVReturnAllocationFailed) return kVTAllocationFailedErr;
    return status == kCVReturnSuccess ? noErr : kVTParameterErr;
}

static OSStatus create_encoder(VTCompressionSessionRef session, int32_t width, int32_t height, CMVideoCodecType codec,
    CFDictionaryRef wanted) {
    char *encoder_id = NULL;
    bool low_latency = false;
    OSStatus choice =
        nalu_dictionary_read_bool(wanted, kVTVideoEncoderSpecification_EnableLowLatencyRateControl, &low_latency);
    if (choice == noErr) choice = nalu_choose_encoder(codec, wanted, &encoder_id);
    if (choice != noErr) return choice;
    nalu_status status = nalu_encoder_create(session, width, height, codec, encoder_id);
    if (status == NALU_STATUS_INVALID_SIZE) return kVTParameterErr;
    if (status == NALU_STATUS_OK && low_latency) {
        status = nalu_session_set_int64(session->encoder, NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, 0);
        if (status == NALU_STATUS_OK)
            status = nalu_session_set_int64(session->encoder, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, INT32_MAX);
    }
    return nalu_vt_status(status);
}

static OSStatus create(CFAllocatorRef allocator, int32_t width, int32_t height, CMVideoCodecType codec,
    CFDictionaryRef specification, CFDictionaryRef attributes, VTCompressionOutputCallback callback, void *refcon,
    VTCompressionSessionRef *session_out) {
    if (width < 1 || height < 1) return kVTParameterErr;
    if (attributes && CFGetTypeID(attributes) != CFDictionaryGetTypeID()) return kVTParameterErr;
    VTCompressionSessionRef session =
        nalu_session_create(&session_class, &nalu_compression_methods, allocator, sizeof *session);
    if (!session) return kVTAllocationFailedErr;
    pthread_mutex_init(&session->lock, NULL);
    pthread_cond_init(&session->changed, NULL);
    pthread_mutex_init(&session->extensions_lock, NULL);
    nalu_source_conversion_init(&session->conversion);
    nalu_deferred_init(&session->deferred);
    session->kept = nalu_dictionary_create(NULL);
    session->delivery = nalu_delivery_create(callback, refcon);
    OSStatus status = session->kept && session->delivery ? noErr : kVTAllocationFailedErr;
    if (status == noErr) status = create_pool(attributes, width, height, &session->pool);
    if (status == noErr) status = create_encoder(session, width, height, codec, specification);
    if (status == noErr) {
        *session_out = session;
        return noErr;
    }
    CFRelease(session);
    return status;
}

OSStatus VTCompressionSessionCreate(CFAllocatorRef allocator, int32_t width, int32_t height, CMVideoCodecType codec,
    CFDictionaryRef specification, CFDictionaryRef attributes, CFAllocatorRef data_allocator,
    VTCompressionOutputCallback callback, void *refcon, VTCompressionSessionRef *session_out) {
    NALU_HIDE_FLOAT_ENVIRONMENT;
    (void)data_allocator;
    nalu_error_begin();
    if (session_out) *session_out = NULL;
    const OSStatus status = session_out
        ? create(allocator, width, height, codec, specification, attributes, callback, refcon, session_out)
        : kVTParameterErr;
    return nalu_error_end(status, "VTCompressionSessionCreate", NULL);
}

void VTCompressionSessionInvalidate(VTCompressionSessionRef session) {
    if (!nalu_is_compression_session(session)) return;
    CFRetain(session);
    if (nalu_compression_session_invalidate(session->encoder) == NALU_STATUS_OK) {
        pthread_mutex_lock(&session->lock);
        session->invalidated = true;
        pthread_mutex_unlock(&session->lock);
    }
    CFRelease(session);
}

CVPixelBufferPoolRef VTCompressionSessionGetPixelBufferPool(VTCompressionSessionRef session) {
    if (!nalu_is_compression_session(session)) return NULL;
    pthread_mutex_lock(&session->lock);
    CVPixelBufferPoolRef pool = session->invalidated ? NULL : session->pool;
    pthread_mutex_unlock(&session->lock);
    return pool;
}

OSStatus VTCompressionSessionPrepareToEncodeFrames(VTCompressionSessionRef session) {
    NALU_HIDE_FLOAT_ENVIRONMENT;
    if (!nalu_is_compression_session(session)) return kVTParameterErr;
    (void)nalu_settle_passes(session);
    nalu_encoder_enter(session, false);
    const nalu_status status = nalu_compression_session_prepare(session->encoder);
    nalu_encoder_leave(session);
    return nalu_vt_status(status);
}

/* ---- Encoding ---- */

enum { MOST_TOKENS = 4096 };

static bool has_long_term_references(VTCompressionSessionRef session) {
    int32_t has = 0;
    return nalu_session_get_bool(session->encoder, NALU_PROPERTY_ENABLE_LTR, &has) == NALU_STATUS_OK && has;
}

/* Reads the frame's options. The caller frees `tokens` after the frame was encoded, even if this call fails.
 *
 * In a session without long-term references a refresh is a key frame, which also ends the effect of a loss, and tokens
 * are ignored. Programs request both without reading the status of EnableLTR. */
static OSStatus read_options(VTCompressionSessionRef session, CFDictionaryRef properties, nalu_frame_options *options,
    int64_t **tokens) {
    bool key_frame = false, refresh = false;
    OSStatus status = nalu_dictionary_read_bool(properties, kVTEncodeFrameOptionKey_ForceKeyFrame, &key_frame);
    if (status == noErr)
        status = nalu_dictionary_read_bool(properties, kVTEncodeFrameOptionKey_ForceLTRRefresh, &refresh);
    if (status != noErr) return status;
    if (key_frame) options->flags |= NALU_FRAME_FORCE_KEY_FRAME;
    if (refresh)
        options->flags |= has_long_term_references(session) ? NALU_FRAME_FORCE_LTR_REFRESH : NALU_FRAME_FORCE_KEY_FRAME;
    CFTypeRef qp = nalu_dictionary_get(properties, kVTEncodeFrameOptionKey_BaseFrameQP);
    if (qp) {
        int64_t number = 0;
        if (!nalu_read_int64(qp, &number) || number < 0 || number > 51) return kVTParameterErr;
        options->base_frame_qp_plus_1 = (int32_t)number + 1;
    }
    CFTypeRef list = nalu_dictionary_get(properties, kVTEncodeFrameOptionKey_AcknowledgedLTRTokens);
    if (!list) return noErr;
    if (CFGetTypeID(list) != CFArrayGetTypeID() || CFArrayGetCount(list) > MOST_TOKENS) return kVTParameterErr;
    const CFIndex count = CFArrayGetCount(list);
    *tokens = calloc((size_t)count + 1, sizeof **tokens);
    if (!*tokens) return kVTAllocationFailedErr;
    for (CFIndex i = 0; i < count; i++)
        if (!nalu_read_int64(CFArrayGetValueAtIndex(list, i), &(*tokens)[i])) return kVTParameterErr;
    if (!has_long_term_references(session)) return noErr;
    options->acknowledged_ltr_tokens = *tokens;
    options->acknowledged_ltr_token_count = (uint32_t)count;
    return noErr;
}

/* Returns true if chroma is converted from RGB frames, so that a chroma sample lies in the centre of four pixels. In a
 * field it does not lie in the centre of a frame's four pixels. */
static bool is_converted_from_rgb(VTCompressionSessionRef session, CVPixelBufferRef buffer) {
    int64_t fields = 1;
    const nalu_format *format = nalu_format_find(CVPixelBufferGetPixelFormatType(buffer));
    (void)!nalu_session_get_int64(session->encoder, NALU_PROPERTY_FIELD_COUNT, &fields);
    return fields == 1 && format && (format->flags & NALU_FORMAT_RGB);
}

/* Takes the colours that no property sets from the first frame. Values that a stream cannot contain are left out. */
static void take_colours(VTCompressionSessionRef session, CVPixelBufferRef buffer) {
    const unsigned set = atomic_exchange(&session->colours_set, ~0u);
    for (size_t i = 0; nalu_property_at(i); i++) {
        const struct nalu_property_row *row = nalu_property_at(i);
        if (!row->attachment || set & 1u << row->colour) continue;
        CFTypeRef value = CVBufferCopyAttachment(buffer, *row->attachment, NULL);
        if (value) (void)nalu_set_property(session, *row->key, value);
        else if (row->key == &nalu_chroma_location_top && is_converted_from_rgb(session, buffer))
            (void)nalu_set_property(session, *row->key, kCVImageBufferChromaLocation_Center);
        if (value) CFRelease(value);
    }
}

static nalu_status encode_pixels(VTCompressionSessionRef session, CVPixelBufferRef buffer, CMTime time, CMTime duration,
    const nalu_frame_options *options, void *refcon, nalu_encode_info_flags *flags_out) {
    const void *planes[NALU_MAX_PLANES] = {NULL};
    int64_t strides[NALU_MAX_PLANES] = {0};
    uint64_t sizes[NALU_MAX_PLANES] = {0};
    size_t count = CVPixelBufferGetPlaneCount(buffer);
    if (count > NALU_MAX_PLANES) return NALU_STATUS_INVALID_PIXEL_FORMAT;
    for (size_t i = 0; i < count; i++) {
        planes[i] = CVPixelBufferGetBaseAddressOfPlane(buffer, i);
        strides[i] = (int64_t)CVPixelBufferGetBytesPerRowOfPlane(buffer, i);
        sizes[i] = (uint64_t)strides[i] * CVPixelBufferGetHeightOfPlane(buffer, i);
    }
    if (count == 0) {
        count = 1;
        planes[0] = CVPixelBufferGetBaseAddress(buffer);
        strides[0] = (int64_t)CVPixelBufferGetBytesPerRow(buffer);
        sizes[0] = (uint64_t)strides[0] * CVPixelBufferGetHeight(buffer);
    }
    return nalu_compression_session_encode_planes(session->encoder, (int32_t)CVPixelBufferGetWidth(buffer),
        (int32_t)CVPixelBufferGetHeight(buffer), CVPixelBufferGetPixelFormatType(buffer), (uint32_t)count, planes,
        strides, sizes, nalu_from_time(time), nalu_from_time(duration), options, refcon, flags_out);
}

/* Returns a buffer that libnalu reads, with one reference. */
static OSStatus convert(VTCompressionSessionRef session, CVPixelBufferRef buffer, CVPixelBufferRef *pixels_out) {
    CFTypeRef matrix = NULL;
    if (!nalu_format_is_encodable(CVPixelBufferGetPixelFormatType(buffer)))
        (void)nalu_copy_property(session, kVTCompressionPropertyKey_YCbCrMatrix, &matrix);
    const OSStatus status = nalu_source_convert(&session->conversion, buffer, matrix, pixels_out);
    if (matrix) CFRelease(matrix);
    return status;
}

/* Encodes a frame. `function` is the name for the message of a failure. The caller must hold a reference to the session,
 * because the callback may release the client's.
 *
 * The pixels are copied before the call returns. Programs write into a buffer as soon as the call returns, and release
 * its memory in the callback. */
static OSStatus encode(const char *function, VTCompressionSessionRef session, CVImageBufferRef buffer, CMTime time,
    CMTime duration, CFDictionaryRef properties, nalu_frame_options *options, void *refcon, VTEncodeInfoFlags *flags_out) {
    int64_t *tokens = NULL;
    NALU_HIDE_FLOAT_ENVIRONMENT;
    nalu_expectation expectation;
    nalu_encode_info_flags flags = 0;
    CVPixelBufferRef pixels = NULL;
    OSStatus status = read_options(session, properties, options, &tokens);
    if (status == noErr && !CMTIME_IS_NUMERIC(time)) status = kVTParameterErr;
    if (status == noErr && session->colours_set != ~0u) take_colours(session, buffer);
    if (status == noErr && CVPixelBufferLockBaseAddress(buffer, kCVPixelBufferLock_ReadOnly) != kCVReturnSuccess)
        status = kVTParameterErr;
    if (status != noErr) {
        free(tokens);
        return nalu_error_set(status, function, NULL);
    }
    status = convert(session, buffer, &pixels);
    if (status == noErr) {
        nalu_encoder_enter(session, true);
        if (nalu_delivery_expect(session->delivery, time, &expectation)) {
            status = nalu_vt_status(encode_pixels(session, pixels, time, duration, options, refcon, &flags));
            (status == noErr ? nalu_delivery_accept : nalu_delivery_refuse)(session->delivery, &expectation);
        } else {
            status = nalu_error_set(kVTAllocationFailedErr, function, NULL);
        }
        nalu_encoder_leave(session);
    } else {
        (void)nalu_error_set(status, function, NULL);
    }
    (void)CVPixelBufferUnlockBaseAddress(buffer, kCVPixelBufferLock_ReadOnly);
    CVPixelBufferRelease(pixels);
    free(tokens);
    if (flags_out) *flags_out = (VTEncodeInfoFlags)flags;
    return status;
}

static OSStatus check_arguments(VTCompressionSessionRef session, CVImageBufferRef buffer, bool handler,
    VTEncodeInfoFlags *flags_out) {
    if (flags_out) *flags_out = 0;
    if (!nalu_is_compression_session(session) || !buffer || CFGetTypeID(buffer) != CVPixelBufferGetTypeID()) return kVTParameterErr;
    pthread_mutex_lock(&session->lock);
    const bool invalidated = session->invalidated;
    const bool is_between_passes =
        session->single_pass == NALU_SINGLE_PASS_TO_COME || session->single_pass == NALU_SINGLE_PASS_IS_OVER;
    pthread_mutex_unlock(&session->lock);
    if (invalidated) return kVTInvalidSessionErr;
    if (is_between_passes) return kVTParameterErr;
    return nalu_delivery_has_callback(session->delivery) == handler ? kVTParameterErr : noErr;
}

OSStatus VTCompressionSessionEncodeFrame(VTCompressionSessionRef session, CVImageBufferRef buffer, CMTime time,
    CMTime duration, CFDictionaryRef properties, void *refcon, VTEncodeInfoFlags *flags_out) {
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    const OSStatus status = check_arguments(session, buffer, false, flags_out);
    if (status != noErr) return nalu_error_set(status, __func__, NULL);
    CFRetain(session);
    const OSStatus encoded = encode(__func__, session, buffer, time, duration, properties, &options, refcon, flags_out);
    CFRelease(session);
    return encoded;
}

OSStatus VTCompressionSessionEncodeFrameWithOutputHandler(VTCompressionSessionRef session, CVImageBufferRef buffer,
    CMTime time, CMTime duration, CFDictionaryRef properties, VTEncodeInfoFlags *flags_out,
    VTCompressionOutputHandler handler) {
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    OSStatus status = check_arguments(session, buffer, true, flags_out);
    if (status == noErr && !handler) status = kVTParameterErr;
    if (status != noErr) return nalu_error_set(status, __func__, NULL);
    VTCompressionOutputHandler copy = Block_copy(handler);
    if (!copy) return nalu_error_set(kVTAllocationFailedErr, __func__, NULL);
    options.callback = nalu_delivery_receive_for_handler;
    options.callback_refcon = session->delivery;
    CFRetain(session);
    status = encode(__func__, session, buffer, time, duration, properties, &options, (void *)copy, flags_out);
    CFRelease(session);
    if (status != noErr) Block_release(copy);
    return status;
}

OSStatus VTCompressionSessionCompleteFrames(VTCompressionSessionRef session, CMTime until) {
    if (!nalu_is_compression_session(session)) return kVTParameterErr;
    CFRetain(session);
    const OSStatus status =
        nalu_vt_status(nalu_compression_session_complete_frames(session->encoder, nalu_from_time(until)));
    CFRelease(session);
    return status;
}

Boolean VTIsStereoMVHEVCEncodeSupported(void) { return false; }
