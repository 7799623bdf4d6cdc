/*
 * The element naluh264enc: its state, and the functions that its files share.
 *
 * Threads. Upstream's streaming thread passes frames to the session. Each session has an output thread, which fetches samples
 * from the session's output queue and pushes them. No thread holds the stream lock of GstVideoEncoder while it waits for the
 * session, for the output thread or for downstream. So each of these can always proceed, and nalu_h264_enc_interrupt ends every
 * wait.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_GSTREAMER_ENCODER_H
#define NALU_GSTREAMER_ENCODER_H

#include <gst/video/gstvideoencoder.h>
#include <gst/video/video.h>
#include <nalu/nalu.h>

G_BEGIN_DECLS

/** The name of the metadata of buffers; docs/gstreamer.md describes the fields. */
#define NALU_SAMPLE_META "NaluSampleMeta"

G_DECLARE_FINAL_TYPE(NaluH264Enc, nalu_h264_enc, NALU, H264_ENC, GstVideoEncoder)

struct _NaluH264Enc {
    GstVideoEncoder parent;

    /* ---- Properties: settings_lock ---- */
    GMutex settings_lock;
    GValue *settings; /* one for each property of the catalogue; not initialized if the application has not set it */
    gchar *encoder_id; /* NULL: the usual encoder */
    gchar *preset;
    gchar *text; /* the property `properties` */
    /** The open session. Only the streaming thread replaces it, with settings_lock held. */
    nalu_compression_session *session;

    /* ---- The stream: the stream lock ---- */
    GstVideoCodecState *input;
    gboolean negotiated;
    gboolean byte_stream;
    gboolean has_new_segment;
    gboolean has_time_offset; /* true after the first session since the element started */
    GstClockTime last_time;
    guint delay; /* the most frames that the encoder delays */
    nalu_format_description *format; /* the format in the output caps */
    GQueue dropped;                  /* frames that were dropped before the session's output had caps */
    nalu_output_queue *queue;
    GThread *thread;
    gint64 next_token; /* the element's next token; the output thread counts it */

    /* ---- Delivery: delivery_lock ---- */
    GMutex delivery_lock;
    GCond delivered;
    guint in_flight; /* the number of frames passed to the session that the output thread has not finished */
    GstFlowReturn flow;
    gboolean interrupted;

    /* ---- Events: the object lock ---- */
    GArray *tokens;      /* acknowledged tokens of the open session */
    gint64 first_token;  /* the element's token of the session's token 0; constant while the output thread runs */
    guint32 frame_flags; /* for the next frame */
};

/* ---- properties.c ---- */
void nalu_h264_enc_install_properties(GObjectClass *object_class);
void nalu_h264_enc_init_properties(NaluH264Enc *self);
void nalu_h264_enc_clear_properties(NaluH264Enc *self);

/* ---- settings.c: the properties of the next session ---- */
/** Properties in the order in which they were added. A key that is added again replaces the earlier value. */
typedef struct NaluSettings NaluSettings;
NaluSettings *nalu_settings_new(void);
void nalu_settings_free(NaluSettings *settings);
gboolean nalu_settings_has(const NaluSettings *settings, const gchar *key);
void nalu_settings_add(NaluSettings *settings, const nalu_property *property);
void nalu_settings_add_integer(NaluSettings *settings, const gchar *key, gint64 value);
void nalu_settings_add_double(NaluSettings *settings, const gchar *key, gdouble value);
void nalu_settings_add_string(NaluSettings *settings, const gchar *key, const gchar *value);
void nalu_settings_add_numbers(NaluSettings *settings, const gchar *key, const gdouble *values, guint count);
nalu_status nalu_settings_apply(const NaluSettings *settings, nalu_compression_session *session);
/** Adds the application's settings: first the text of `properties`, then the single properties. settings_lock is held. */
nalu_status nalu_h264_enc_add_application_settings(NaluH264Enc *self, NaluSettings *settings);

/* ---- input.c ---- */
GstCaps *nalu_h264_enc_sink_caps(void);
/** Returns Nalu's pixel format, or 0 if Nalu has no such format; `reason` then becomes an error message. */
nalu_pixel_format nalu_h264_enc_pixel_format(const GstVideoInfo *info, const gchar **reason);
/** Returns true if one session can encode the frames of both. */
gboolean nalu_h264_enc_same_stream(const GstVideoCodecState *a, const GstVideoCodecState *b);
/** Adds the properties that the input caps state: frame rate, colour, aspect ratio, fields, HDR metadata. */
void nalu_h264_enc_add_input_settings(const GstVideoCodecState *input, NaluSettings *settings);
/** Creates a pixel buffer over the memory of a GstBuffer. The GstBuffer stays mapped until the pixel buffer is released. */
nalu_status nalu_h264_enc_wrap(const GstVideoInfo *info, GstBuffer *buffer, nalu_pixel_buffer **buffer_out);

/* ---- caps.c ---- */
GstCaps *nalu_h264_enc_src_caps(void);
/** Selects the stream format, and adds the profile that downstream requires, as far as the session's encoder has it. */
void nalu_h264_enc_add_output_settings(NaluH264Enc *self, nalu_compression_session *session, NaluSettings *settings);
/** Lowers the level of a prepared session if downstream would not accept it. */
nalu_status nalu_h264_enc_limit_level(NaluH264Enc *self, nalu_compression_session *session);
/** Sets the caps of the source pad. The stream lock is held. */
gboolean nalu_h264_enc_set_output_caps(NaluH264Enc *self, nalu_format_description *format);

/* ---- session.c: the stream lock is held, and released during waits ---- */
gboolean nalu_h264_enc_open_session(NaluH264Enc *self);
void nalu_h264_enc_close_session(NaluH264Enc *self);
/** Waits until every frame passed to the session has been pushed. */
GstFlowReturn nalu_h264_enc_drain(NaluH264Enc *self);
/** Ends every wait. The next frame opens a new session. Any thread may call this function, without a lock. */
void nalu_h264_enc_interrupt(NaluH264Enc *self);
/** Returns a reference to the session, or NULL. Any thread may call this function. */
nalu_compression_session *nalu_h264_enc_copy_session(NaluH264Enc *self);

/* ---- frames.c ---- */
GstFlowReturn nalu_h264_enc_handle_frame(GstVideoEncoder *encoder, GstVideoCodecFrame *frame);

/* ---- output.c ---- */
gpointer nalu_h264_enc_output_thread(gpointer self);
GstFlowReturn nalu_h264_enc_get_flow(NaluH264Enc *self);
/** Drops a frame, which posts a QoS message. The stream lock is held. */
GstFlowReturn nalu_h264_enc_drop(NaluH264Enc *self, GstVideoCodecFrame *frame);

/* ---- events.c ---- */
/** Returns true if the event is one of Nalu's. The function then consumes it, and `handled` becomes its result. */
gboolean nalu_h264_enc_take_event(NaluH264Enc *self, GstEvent *event, gboolean *handled);
/** Moves the requests for the next frame into `options`. The caller frees `tokens` after the call of encode. */
void nalu_h264_enc_take_requests(NaluH264Enc *self, nalu_frame_options *options, GArray **tokens);
/** Keeps the requests of a frame that was refused for the next frame. */
void nalu_h264_enc_restore_requests(NaluH264Enc *self, const nalu_frame_options *options);

GST_DEBUG_CATEGORY_EXTERN(nalu_h264_enc_debug);
#define GST_CAT_DEFAULT nalu_h264_enc_debug

G_END_DECLS

#endif
