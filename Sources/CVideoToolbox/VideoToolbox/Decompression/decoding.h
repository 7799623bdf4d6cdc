/* The state of a decompression session, separate from the object that the client holds. libnalu's session may call
 * back after the client released that object from inside the callback. */
#ifndef NALU_VT_DECODING_H
#define NALU_VT_DECODING_H

#include "current_format.h"
#include "decoded_images.h"
#include "frame_kind.h"

#include <VideoToolbox/VTDecompressionSession.h>
#include <nalu/media/decompression_session.h>
#include <nalu/media/load.h>
#include <stdatomic.h>

/* The values of kVTDecompressionPropertyKey_OnlyTheseFrames. */
typedef enum nalu_wanted_frames { ALL_FRAMES, NON_DROPPABLE_FRAMES, I_FRAMES, KEY_FRAMES } nalu_wanted_frames;

/* A frame that was passed to the decoder and has not been delivered. */
typedef struct nalu_pending_frame {
    struct nalu_pending_frame *next, *previous;
    struct nalu_decoding *decoding;
    void *refcon;
    CMTime presentation_time;
    CMTime duration;
    CMFormatDescriptionRef format;
    nalu_sample *kept; /* the frame's data, if it may be passed again; otherwise NULL */
    VTDecompressionOutputHandler handler;
    VTDecompressionMultiImageCapableOutputHandler multi_image_handler;
} nalu_pending_frame;

typedef struct nalu_decoding {
    _Atomic int references;
    VTDecompressionOutputCallbackRecord callback;
    nalu_decoded_images images;
    nalu_current_format current;
    pthread_mutex_t lock;
    /* The lock protects all members below. */
    nalu_decompression_session *decoder; /* NULL after invalidation */
    CMFormatDescriptionRef format;       /* that of the last delivered frame */
    bool is_temporal;
    bool is_low_delay;
    bool has_started;
    bool is_outdated; /* a property has changed that applies only to a new decoder */
    int32_t thread_count;
    nalu_wanted_frames wanted;
    VTDecompressionOutputMultiImageCallback multi_image_callback;
    void *multi_image_refcon;
    /* FFmpeg's hwaccel passes the data of a frame of two fields in MP4 twice, once for each field. Both calls deliver
     * the same picture. */
    nalu_sample *last_sample;
    CVPixelBufferRef last_buffer;
    nalu_pending_frame *first;
    CFIndex pending_count;
    CFIndex busy_count; /* threads that are passing a frame, and frames whose callback has not returned */
} nalu_decoding;

/* One frame of a sample buffer. */
typedef struct nalu_frame_data {
    const uint8_t *bytes;
    size_t size;
    nalu_frame_kind kind;
    CMTime presentation_time;
    CMTime duration;
} nalu_frame_data;

/* Creates the state with one reference. `callback` is NULL for output handlers. */
OSStatus nalu_decoding_create(CMFormatDescriptionRef format, CFDictionaryRef attributes,
    const VTDecompressionOutputCallbackRecord *callback, nalu_decoding **decoding_out);
void nalu_decoding_release(nalu_decoding *decoding);

/* Returns libnalu's session with a reference, or NULL after invalidation. */
nalu_decompression_session *nalu_decoding_copy_decoder(nalu_decoding *decoding);

/* Returns true if another decoder has replaced `decoder`, which is then invalidated. */
bool nalu_decoding_has_replaced(nalu_decoding *decoding, const nalu_decompression_session *decoder);

/* Returns the pixel format of the decoder's pictures, and their size, from a description's parameter sets. Returns 0 if
 * they cannot be read. */
OSType nalu_decoding_native_format(nalu_format_description *format, size_t *width_out, size_t *height_out);

/* Decodes a frame. Copies the handlers. */
OSStatus nalu_decoding_decode(nalu_decoding *decoding, const nalu_frame_data *data, CMFormatDescriptionRef format,
    VTDecodeFrameFlags flags, void *refcon, VTDecompressionOutputHandler handler,
    VTDecompressionMultiImageCapableOutputHandler multi_image_handler, VTDecodeInfoFlags *info_out);

/* Invalidates the decoder. A second call does nothing. */
void nalu_decoding_invalidate(nalu_decoding *decoding);

#endif
