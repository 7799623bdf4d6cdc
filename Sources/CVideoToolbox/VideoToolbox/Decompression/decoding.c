#include "decoding.h"

#include "../../Support/format.h"
#include "../../Support/value.h"

#include <Block/Block.h>
#include <nalu/callback_wait.h>
#include <stdlib.h>
#include <string.h>

/* ---- Frames ----------------------------------------------------------------------------------------------------------- */

static nalu_pending_frame *add_frame(nalu_decoding *decoding) {
    nalu_pending_frame *frame = calloc(1, sizeof *frame);
    if (!frame) return NULL;
    frame->decoding = decoding;
    pthread_mutex_lock(&decoding->lock);
    frame->next = decoding->first;
    if (frame->next) frame->next->previous = frame;
    decoding->first = frame;
    decoding->pending_count++;
    decoding->busy_count++;
    pthread_mutex_unlock(&decoding->lock);
    return frame;
}

/* Removes a frame from the list of frames that are being decoded. */
static void unlink_frame(nalu_pending_frame *frame, bool was_accepted) {
    nalu_decoding *decoding = frame->decoding;
    CMFormatDescriptionRef former = NULL;
    pthread_mutex_lock(&decoding->lock);
    if (was_accepted && decoding->format != frame->format) {
        former = decoding->format;
        decoding->format = (CMFormatDescriptionRef)CFRetain(frame->format);
    }
    if (frame->previous) frame->previous->next = frame->next;
    else decoding->first = frame->next;
    if (frame->next) frame->next->previous = frame->previous;
    decoding->pending_count--;
    pthread_mutex_unlock(&decoding->lock);
    if (former) CFRelease(former);
}

/* Stores the picture of an interlaced stream's frame, in case the same data is passed again. */
static void keep(nalu_pending_frame *frame, CVPixelBufferRef buffer) {
    nalu_decoding *decoding = frame->decoding;
    pthread_mutex_lock(&decoding->lock);
    CVPixelBufferRef former = decoding->last_buffer;
    nalu_sample *former_sample = decoding->last_sample;
    decoding->last_buffer = frame->kept && buffer ? CVPixelBufferRetain(buffer) : NULL;
    decoding->last_sample = decoding->last_buffer ? nalu_sample_retain(frame->kept) : NULL;
    pthread_mutex_unlock(&decoding->lock);
    CVPixelBufferRelease(former);
    nalu_sample_release(former_sample);
}

static void leave(nalu_decoding *decoding) {
    pthread_mutex_lock(&decoding->lock);
    decoding->busy_count--;
    pthread_mutex_unlock(&decoding->lock);
}

static void free_frame(nalu_pending_frame *frame) {
    leave(frame->decoding);
    nalu_sample_release(frame->kept);
    if (frame->handler) Block_release(frame->handler);
    if (frame->multi_image_handler) Block_release(frame->multi_image_handler);
    if (frame->format) CFRelease(frame->format);
    free(frame);
}

static void call_client(nalu_pending_frame *frame, OSStatus status, VTDecodeInfoFlags flags, CVPixelBufferRef buffer) {
    nalu_decoding *decoding = frame->decoding;
    if (frame->handler) {
        frame->handler(status, flags, buffer, frame->presentation_time, frame->duration);
        return;
    }
    if (frame->multi_image_handler) {
        frame->multi_image_handler(status, flags, buffer, NULL, frame->presentation_time, frame->duration);
        return;
    }
    pthread_mutex_lock(&decoding->lock);
    const VTDecompressionOutputMultiImageCallback multi = decoding->multi_image_callback;
    void *refcon = decoding->multi_image_refcon;
    pthread_mutex_unlock(&decoding->lock);
    if (multi && status != noErr)
        multi(refcon, frame->refcon, status, flags, NULL, frame->presentation_time, frame->duration);
    else
        decoding->callback.decompressionOutputCallback(decoding->callback.decompressionOutputRefCon, frame->refcon, status,
            flags, buffer, frame->presentation_time, frame->duration);
}

static void receive(void *refcon, void *frame_refcon, nalu_status result, nalu_decode_info_flags info,
    nalu_pixel_buffer *picture, nalu_time time, nalu_time duration) {
    nalu_decoding *decoding = refcon;
    nalu_pending_frame *frame = frame_refcon;
    CVPixelBufferRef buffer = NULL;
    OSStatus status = nalu_vt_decoding_status(result);
    VTDecodeInfoFlags flags = info & (NALU_DECODE_INFO_DAMAGED - 1);
    (void)time, (void)duration;
    if (picture) {
        bool is_modifiable = false;
        status = nalu_decoded_images_make(&decoding->images, picture, frame->format, &buffer, &is_modifiable);
        if (is_modifiable) flags |= kVTDecodeInfo_ImageBufferModifiable;
    }
    keep(frame, buffer);
    unlink_frame(frame, true);
    nalu_callback_allow_waits(1); /* as on a Mac, where an encoder without room makes the decoder wait */
    call_client(frame, status, flags, buffer);
    CVPixelBufferRelease(buffer);
    free_frame(frame);
}

/* ---- The decoder ------------------------------------------------------------------------------------------------------ */

OSType nalu_decoding_native_format(nalu_format_description *format, size_t *width_out, size_t *height_out) {
    nalu_sequence_info info = {.struct_size = sizeof info};
    if (nalu_format_description_get_sequence_info(format, &info) != NALU_STATUS_OK) return 0;
    *width_out = (size_t)info.width;
    *height_out = (size_t)info.height;
    const bool is_full = info.video_full_range != 0;
    if (info.matrix_coefficients == 0 && info.chroma_format_idc == 3) return NALU_PIXEL_FORMAT_BGRA;
    const int chroma = info.chroma_format_idc < 2 ? 0 : info.chroma_format_idc - 1;
    static const OSType bytes[3][2] = {{NALU_PIXEL_FORMAT_Y420, NALU_PIXEL_FORMAT_F420},
        {NALU_PIXEL_FORMAT_422V, NALU_PIXEL_FORMAT_422F},
        {NALU_PIXEL_FORMAT_444V, NALU_PIXEL_FORMAT_444F}};
    static const OSType words[3][2] = {{NALU_PIXEL_FORMAT_X420, NALU_PIXEL_FORMAT_XF20},
        {NALU_PIXEL_FORMAT_X422, NALU_PIXEL_FORMAT_XF22},
        {NALU_PIXEL_FORMAT_X444, NALU_PIXEL_FORMAT_XF44}};
    return info.luma_bit_depth > 8 ? words[chroma][is_full] : bytes[chroma][is_full];
}

static void forget(void *refcon) { nalu_decoding_release(refcon); }

static nalu_status open_decoder(nalu_decoding *decoding, nalu_format_description *format,
    nalu_decompression_session **decoder_out) {
    nalu_decoder_specification specification = NALU_DECODER_SPECIFICATION_INIT;
    nalu_destination_attributes destination = NALU_DESTINATION_ATTRIBUTES_INIT;
    nalu_sequence_info info = {.struct_size = sizeof info};
    if (!decoding->is_temporal) specification.flags |= NALU_DECODER_IN_DECODE_ORDER;
    if (decoding->is_low_delay) specification.flags |= NALU_DECODER_LOW_DELAY;
    specification.thread_count = decoding->thread_count;
    /* Pixel formats for 4:2:0 with more than 10 bits are not among CoreVideo's, so pictures are reduced to 10 bits. */
    if (nalu_format_description_get_sequence_info(format, &info) == NALU_STATUS_OK && info.chroma_format_idc < 2 &&
        info.luma_bit_depth > 10)
        destination.pixel_format = info.video_full_range ? NALU_PIXEL_FORMAT_XF20 : NALU_PIXEL_FORMAT_X420;
    atomic_fetch_add(&decoding->references, 1);
    const nalu_status status = nalu_decompression_session_create(format, &specification, &destination, receive,
        decoding, forget, decoder_out);
    if (status != NALU_STATUS_OK) atomic_fetch_sub(&decoding->references, 1);
    return status;
}

OSStatus nalu_decoding_create(CMFormatDescriptionRef format, CFDictionaryRef attributes,
    const VTDecompressionOutputCallbackRecord *callback, nalu_decoding **decoding_out) {
    if (nalu_media_load() != NALU_STATUS_OK) return kVTCouldNotFindVideoDecoderErr;
    nalu_format_description *parameter_sets = nalu_format_of(format);
    if (!parameter_sets) return kVTVideoDecoderBadDataErr;
    nalu_decoding *decoding = calloc(1, sizeof *decoding);
    if (!decoding) return kVTAllocationFailedErr;
    atomic_init(&decoding->references, 1);
    pthread_mutex_init(&decoding->lock, NULL);
    nalu_current_format_init(&decoding->current);
    if (callback) decoding->callback = *callback;
    decoding->format = (CMFormatDescriptionRef)CFRetain(format);
    OSStatus status = nalu_decoded_images_init(&decoding->images, attributes);
    if (status == noErr) {
        const nalu_status opened = open_decoder(decoding, parameter_sets, &decoding->decoder);
        status = opened == NALU_STATUS_PARAMETER ? kVTVideoDecoderBadDataErr : nalu_vt_decoding_status(opened);
    }
    if (status == noErr) *decoding_out = decoding;
    else nalu_decoding_release(decoding);
    return status;
}

void nalu_decoding_release(nalu_decoding *decoding) {
    if (atomic_fetch_sub(&decoding->references, 1) != 1) return;
    nalu_decoded_images_destroy(&decoding->images);
    nalu_sample_release(decoding->last_sample);
    CVPixelBufferRelease(decoding->last_buffer);
    CFRelease(decoding->format);
    nalu_current_format_destroy(&decoding->current);
    pthread_mutex_destroy(&decoding->lock);
    free(decoding);
}

nalu_decompression_session *nalu_decoding_copy_decoder(nalu_decoding *decoding) {
    pthread_mutex_lock(&decoding->lock);
    nalu_decompression_session *decoder = decoding->decoder ? nalu_decompression_session_retain(decoding->decoder) : NULL;
    pthread_mutex_unlock(&decoding->lock);
    return decoder;
}

bool nalu_decoding_has_replaced(nalu_decoding *decoding, const nalu_decompression_session *decoder) {
    pthread_mutex_lock(&decoding->lock);
    const bool has = decoding->decoder && decoding->decoder != decoder;
    pthread_mutex_unlock(&decoding->lock);
    return has;
}

/* Invalidates a decoder and releases the reference. Waits for its frames, unless the thread must not wait. */
static void end_decoder(nalu_decompression_session *decoder) {
    (void)nalu_decompression_session_invalidate(decoder);
    nalu_decompression_session_release(decoder);
}

void nalu_decoding_invalidate(nalu_decoding *decoding) {
    pthread_mutex_lock(&decoding->lock);
    nalu_decompression_session *decoder = decoding->decoder;
    decoding->decoder = NULL;
    pthread_mutex_unlock(&decoding->lock);
    if (decoder) end_decoder(decoder);
}

/* Replaces a decoder after all its frames were delivered, and returns the new one. Returns `decoder` itself if that is
 * not possible, or while other threads pass frames to it. */
static nalu_decompression_session *replace_decoder(nalu_decoding *decoding, nalu_decompression_session *decoder,
    nalu_format_description *format, bool is_temporal, bool is_low_delay) {
    nalu_decompression_session *made = NULL;
    /* A thread cannot wait inside the callback. */
    if (nalu_decompression_session_wait_for_asynchronous_frames(decoder) != NALU_STATUS_OK) return decoder;
    pthread_mutex_lock(&decoding->lock);
    const bool was_temporal = decoding->is_temporal, was_low_delay = decoding->is_low_delay;
    decoding->is_temporal = is_temporal;
    decoding->is_low_delay = is_low_delay;
    const bool is_possible = decoding->decoder == decoder && decoding->busy_count == 1 &&
                             open_decoder(decoding, format, &made) == NALU_STATUS_OK;
    if (is_possible) {
        decoding->decoder = nalu_decompression_session_retain(made);
        decoding->is_outdated = false;
        /* The new decoder does not know the parameter sets of earlier sample buffers. */
        nalu_current_format_reset(&decoding->current);
    } else {
        decoding->is_temporal = was_temporal;
        decoding->is_low_delay = was_low_delay;
    }
    pthread_mutex_unlock(&decoding->lock);
    if (!is_possible) return decoder;
    nalu_decompression_session_release(decoder);
    end_decoder(decoder);
    return made;
}

/* Returns the decoder for a frame with these flags, with a reference, or NULL. If the result is not NULL, the caller
 * must call `leave`. */
static nalu_decompression_session *copy_fitting_decoder(nalu_decoding *decoding, const nalu_frame_data *data,
    nalu_format_description *format, VTDecodeFrameFlags flags, uint32_t *attachments_out) {
    const bool is_temporal = (flags & kVTDecodeFrame_EnableTemporalProcessing) != 0;
    const bool is_low_delay = !(flags & kVTDecodeFrame_EnableAsynchronousDecompression);
    pthread_mutex_lock(&decoding->lock);
    if (!decoding->decoder) {
        pthread_mutex_unlock(&decoding->lock);
        return NULL;
    }
    nalu_decompression_session *decoder = nalu_decompression_session_retain(decoding->decoder);
    decoding->busy_count++;
    const bool is_start = !decoding->has_started || data->kind.is_key || data->kind.is_recovery;
    const bool fits = decoding->is_temporal == is_temporal && !decoding->is_outdated &&
                      (!is_temporal || decoding->is_low_delay == is_low_delay);
    *attachments_out = nalu_frame_kind_attachments(&data->kind, !decoding->has_started);
    if (!(*attachments_out & NALU_SAMPLE_NOT_SYNC) || (*attachments_out & NALU_SAMPLE_PARTIAL_SYNC))
        decoding->has_started = true;
    pthread_mutex_unlock(&decoding->lock);
    return is_start && !fits ? replace_decoder(decoding, decoder, format, is_temporal, is_low_delay) : decoder;
}

static bool is_wanted(nalu_wanted_frames wanted, const nalu_frame_kind *kind) {
    switch (wanted) {
    case ALL_FRAMES: return true;
    case NON_DROPPABLE_FRAMES: return kind->is_referenced;
    case I_FRAMES: return kind->is_intra;
    case KEY_FRAMES: return kind->is_key;
    }
    return true;
}

static bool is_interlaced(nalu_format_description *format) {
    nalu_sequence_info info = {.struct_size = sizeof info};
    return nalu_format_description_get_codec(format) == NALU_CODEC_H264 &&
           nalu_format_description_get_sequence_info(format, &info) == NALU_STATUS_OK && !info.frame_mbs_only;
}

/* If the frame's data equals that of the last frame, returns the last picture with a reference. Otherwise returns
 * NULL. */
static CVPixelBufferRef copy_repeated(nalu_decoding *decoding, const nalu_frame_data *data) {
    size_t size = 0;
    pthread_mutex_lock(&decoding->lock);
    const uint8_t *bytes = nalu_sample_get_data(decoding->last_sample, &size);
    const bool is_repeated = bytes && !decoding->first && size == data->size && memcmp(bytes, data->bytes, size) == 0;
    CVPixelBufferRef buffer = is_repeated ? CVPixelBufferRetain(decoding->last_buffer) : NULL;
    pthread_mutex_unlock(&decoding->lock);
    return buffer;
}

static nalu_status make_sample(const nalu_frame_data *data, nalu_format_description *format, uint32_t attachments,
    nalu_sample **sample_out) {
    /* All frames without a time get the time 0, because their order is not known. */
    nalu_time time = {0, 1, NALU_TIME_VALID, 0};
    if (CMTIME_IS_NUMERIC(data->presentation_time)) memcpy(&time, &data->presentation_time, sizeof time);
    return nalu_sample_create(data->bytes, data->size, format, time, nalu_time_invalid(), nalu_time_invalid(), attachments,
        sample_out);
}

/* Passes a frame to the decoder. Frees the frame in any case, at the latest after its callback. */
static nalu_status give(nalu_decompression_session *decoder, nalu_sample *sample, uint32_t flags,
    nalu_pending_frame *frame, CVPixelBufferRef repeated, VTDecodeInfoFlags *info_out) {
    nalu_status status = NALU_STATUS_OK;
    if (repeated) {
        unlink_frame(frame, true);
        call_client(frame, noErr, 0, repeated);
    } else {
        status = nalu_decompression_session_decode_frame(decoder, sample, flags, frame, info_out);
        if (status == NALU_STATUS_OK) return status;
        unlink_frame(frame, false);
    }
    free_frame(frame);
    return status;
}

OSStatus nalu_decoding_decode(nalu_decoding *decoding, const nalu_frame_data *data, CMFormatDescriptionRef format,
    VTDecodeFrameFlags flags, void *refcon, VTDecompressionOutputHandler handler,
    VTDecompressionMultiImageCapableOutputHandler multi_image_handler, VTDecodeInfoFlags *info_out) {
    nalu_format_description *parameter_sets = nalu_format_of(format);
    nalu_sample *sample = NULL;
    uint32_t attachments = 0;
    nalu_decompression_session *decoder = copy_fitting_decoder(decoding, data, parameter_sets, flags, &attachments);
    if (!decoder) return kVTInvalidSessionErr;
    uint32_t decode_flags = flags & (NALU_DECODE_FRAME_ASYNCHRONOUS | NALU_DECODE_FRAME_DO_NOT_OUTPUT |
                                     NALU_DECODE_FRAME_REAL_TIME_PLAYBACK | NALU_DECODE_FRAME_TEMPORAL_PROCESSING);
    const bool is_kept = !decode_flags && is_interlaced(parameter_sets);
    CVPixelBufferRef repeated = is_kept ? copy_repeated(decoding, data) : NULL;
    nalu_status status = make_sample(data, parameter_sets, attachments, &sample);
    nalu_pending_frame *frame = status == NALU_STATUS_OK ? add_frame(decoding) : NULL;
    if (status == NALU_STATUS_OK && !frame) status = NALU_STATUS_ALLOCATION_FAILED;
    if (frame) {
        VTDecodeInfoFlags info = 0;
        frame->refcon = refcon;
        frame->format = nalu_current_format_copy(&decoding->current, format, data->bytes, data->size,
            data->kind.has_sequence);
        frame->kept = is_kept && !repeated ? nalu_sample_retain(sample) : NULL;
        frame->handler = handler ? Block_copy(handler) : NULL;
        frame->multi_image_handler = multi_image_handler ? Block_copy(multi_image_handler) : NULL;
        pthread_mutex_lock(&decoding->lock);
        frame->presentation_time = data->presentation_time;
        frame->duration = data->duration;
        if (!is_wanted(decoding->wanted, &data->kind)) decode_flags |= NALU_DECODE_FRAME_DO_NOT_OUTPUT;
        pthread_mutex_unlock(&decoding->lock);
        status = give(decoder, sample, decode_flags, frame, repeated, &info);
        if (info_out) *info_out = info;
    }
    CVPixelBufferRelease(repeated);
    nalu_sample_release(sample);
    leave(decoding);
    nalu_decompression_session_release(decoder);
    if (status == NALU_STATUS_UNSUPPORTED_DATA_FORMAT || status == NALU_STATUS_INVALID_SIZE)
        return kVTFormatDescriptionChangeNotSupportedErr;
    return nalu_vt_decoding_status(status);
}
