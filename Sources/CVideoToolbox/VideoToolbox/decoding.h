/* What a decompression session does, apart from the object that the client holds: libnalumedia's session may call back after
 * the last release of that, when it came from inside the callback. */
#ifndef NALU_VT_DECODING_H
#define NALU_VT_DECODING_H

#include "../Support/frame_kind.h"
#include "../Support/media_library.h"
#include "decoded_images.h"

#include <VideoToolbox/VTDecompressionSession.h>
#include <stdatomic.h>

/* kVTDecompressionPropertyKey_OnlyTheseFrames. */
typedef enum nalu_wanted_frames { ALL_FRAMES, NON_DROPPABLE_FRAMES, I_FRAMES, KEY_FRAMES } nalu_wanted_frames;

/* A frame that was given and has not come back. */
typedef struct nalu_pending_frame {
    struct nalu_pending_frame *next, *previous;
    struct nalu_decoding *decoding;
    void *refcon;
    CMTime presentation_time;
    CMTime duration;
    CMFormatDescriptionRef format;
    nalu_sample *kept; /* its data, if it may come once more */
    VTDecompressionOutputHandler handler;
    VTDecompressionMultiImageCapableOutputHandler multi_image_handler;
} nalu_pending_frame;

typedef struct nalu_decoding {
    _Atomic int references;
    const nalu_media_library *library;
    VTDecompressionOutputCallbackRecord callback;
    nalu_decoded_images images;
    pthread_mutex_t lock;
    /* The rest is guarded by the lock. */
    nalu_decompression_session *decoder; /* NULL after the end */
    CMFormatDescriptionRef format;       /* of the last frame that came back */
    bool is_temporal;
    bool is_low_delay;
    bool has_started;
    bool is_outdated; /* the decoder lacks a property that was set */
    int32_t thread_count;
    nalu_wanted_frames wanted;
    VTDecompressionOutputMultiImageCallback multi_image_callback;
    void *multi_image_refcon;
    /* FFmpeg's glue gives the data of two fields in MP4 once for each field. They have the same picture both times. */
    nalu_sample *last_sample;
    CVPixelBufferRef last_buffer;
    nalu_pending_frame *first;
    CFIndex pending_count;
    CFIndex busy_count; /* threads that give a frame, and frames whose callback has not returned */
} nalu_decoding;

/* One frame of a sample buffer. */
typedef struct nalu_frame_data {
    const uint8_t *bytes;
    size_t size;
    nalu_frame_kind kind;
    CMTime presentation_time;
    CMTime duration;
} nalu_frame_data;

/* A new one with one reference. callback: NULL for output handlers. */
OSStatus nalu_decoding_create(CMFormatDescriptionRef format, CFDictionaryRef attributes,
    const VTDecompressionOutputCallbackRecord *callback, nalu_decoding **decoding_out);
void nalu_decoding_release(nalu_decoding *decoding);

/* libnalumedia's session with a reference, or NULL after the end. */
nalu_decompression_session *nalu_decoding_copy_decoder(nalu_decoding *decoding);

/* Whether another one has taken the place of a decoder that was copied, and has ended. */
bool nalu_decoding_has_replaced(nalu_decoding *decoding, const nalu_decompression_session *decoder);

/* The pixel format, and the size, of the pictures that a description's parameter sets announce. */
OSType nalu_decoding_native_format(nalu_format_description *format, size_t *width_out, size_t *height_out);

/* Gives a frame to the decoder. The handlers are copied. */
OSStatus nalu_decoding_decode(nalu_decoding *decoding, const nalu_frame_data *data, CMFormatDescriptionRef format,
    VTDecodeFrameFlags flags, void *refcon, VTDecompressionOutputHandler handler,
    VTDecompressionMultiImageCapableOutputHandler multi_image_handler, VTDecodeInfoFlags *info_out);

/* Ends it; a second call does nothing. */
void nalu_decoding_invalidate(nalu_decoding *decoding);

/* The framework's number for a status of libnalumedia's. */
OSStatus nalu_decoding_status(nalu_status status);

#endif
