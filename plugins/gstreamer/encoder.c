/*
 * The element class: states, caps, events and queries.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoder.h"

G_DEFINE_TYPE(NaluH264Enc, nalu_h264_enc, GST_TYPE_VIDEO_ENCODER)

static void clear_requests(NaluH264Enc *self) {
    GST_OBJECT_LOCK(self);
    g_array_set_size(self->tokens, 0);
    self->frame_flags = 0;
    GST_OBJECT_UNLOCK(self);
}

static void allow_frames(NaluH264Enc *self) {
    g_mutex_lock(&self->delivery_lock);
    self->flow = GST_FLOW_OK;
    self->interrupted = FALSE;
    g_mutex_unlock(&self->delivery_lock);
}

static gboolean start(GstVideoEncoder *encoder) {
    NaluH264Enc *self = NALU_H264_ENC(encoder);
    self->negotiated = FALSE;
    clear_requests(self);
    allow_frames(self);
    self->has_time_offset = FALSE;
    gst_video_encoder_set_min_pts(encoder, GST_CLOCK_TIME_NONE);
    return TRUE;
}

static gboolean stop(GstVideoEncoder *encoder) {
    NaluH264Enc *self = NALU_H264_ENC(encoder);
    GST_VIDEO_ENCODER_STREAM_LOCK(encoder);
    nalu_h264_enc_close_session(self);
    g_clear_pointer(&self->input, gst_video_codec_state_unref);
    self->negotiated = FALSE;
    GST_VIDEO_ENCODER_STREAM_UNLOCK(encoder);
    return TRUE;
}

static gboolean set_format(GstVideoEncoder *encoder, GstVideoCodecState *state) {
    NaluH264Enc *self = NALU_H264_ENC(encoder);
    gboolean same = self->session != NULL && self->negotiated && nalu_h264_enc_same_stream(self->input, state);
    if (!same && self->session != NULL) {
        nalu_h264_enc_drain(self);
        nalu_h264_enc_close_session(self);
    }
    if (self->input != NULL) gst_video_codec_state_unref(self->input);
    self->input = gst_video_codec_state_ref(state);
    self->negotiated = same || nalu_h264_enc_open_session(self);
    return self->negotiated;
}

static GstFlowReturn finish(GstVideoEncoder *encoder) { return nalu_h264_enc_drain(NALU_H264_ENC(encoder)); }

/* Called for FLUSH_STOP: discards the frames of the encoder. */
static gboolean flush(GstVideoEncoder *encoder) {
    NaluH264Enc *self = NALU_H264_ENC(encoder);
    nalu_h264_enc_close_session(self);
    clear_requests(self);
    allow_frames(self);
    return TRUE;
}

static gboolean sink_event(GstVideoEncoder *encoder, GstEvent *event) {
    NaluH264Enc *self = NALU_H264_ENC(encoder);
    gboolean handled = FALSE;
    if (nalu_h264_enc_take_event(self, event, &handled)) return handled;
    if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_START) nalu_h264_enc_interrupt(self);
    if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT) {
        GST_VIDEO_ENCODER_STREAM_LOCK(encoder);
        self->has_new_segment = TRUE;
        GST_VIDEO_ENCODER_STREAM_UNLOCK(encoder);
    }
    return GST_VIDEO_ENCODER_CLASS(nalu_h264_enc_parent_class)->sink_event(encoder, event);
}

static gboolean src_event(GstVideoEncoder *encoder, GstEvent *event) {
    gboolean handled = FALSE;
    if (nalu_h264_enc_take_event(NALU_H264_ENC(encoder), event, &handled)) return handled;
    return GST_VIDEO_ENCODER_CLASS(nalu_h264_enc_parent_class)->src_event(encoder, event);
}

/* Upstream's pool needs a buffer for each frame that the encoder delays. */
static gboolean propose_allocation(GstVideoEncoder *encoder, GstQuery *query) {
    NaluH264Enc *self = NALU_H264_ENC(encoder);
    GstCaps *caps = NULL;
    GstVideoInfo info;
    gst_query_parse_allocation(query, &caps, NULL);
    if (caps != NULL && gst_video_info_from_caps(&info, caps))
        gst_query_add_allocation_pool(query, NULL, (guint)GST_VIDEO_INFO_SIZE(&info), self->delay + 4, 0);
    gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL);
    return GST_VIDEO_ENCODER_CLASS(nalu_h264_enc_parent_class)->propose_allocation(encoder, query);
}

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
    /* The pads are deactivated next, which waits for the streaming thread. */
    if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) nalu_h264_enc_interrupt(NALU_H264_ENC(element));
    return GST_ELEMENT_CLASS(nalu_h264_enc_parent_class)->change_state(element, transition);
}

static void finalize(GObject *object) {
    NaluH264Enc *self = NALU_H264_ENC(object);
    nalu_h264_enc_clear_properties(self);
    g_array_unref(self->tokens);
    g_mutex_clear(&self->settings_lock);
    g_mutex_clear(&self->delivery_lock);
    g_cond_clear(&self->delivered);
    G_OBJECT_CLASS(nalu_h264_enc_parent_class)->finalize(object);
}

static void nalu_h264_enc_init(NaluH264Enc *self) {
    g_mutex_init(&self->settings_lock);
    g_mutex_init(&self->delivery_lock);
    g_cond_init(&self->delivered);
    self->tokens = g_array_new(FALSE, FALSE, sizeof(gint64));
    self->flow = GST_FLOW_OK;
    nalu_h264_enc_init_properties(self);
}

static void add_template(GstElementClass *element_class, const gchar *name, GstPadDirection direction, GstCaps *caps) {
    gst_element_class_add_pad_template(element_class, gst_pad_template_new(name, direction, GST_PAD_ALWAYS, caps));
    gst_caps_unref(caps);
}

static void nalu_h264_enc_class_init(NaluH264EncClass *class) {
    GObjectClass *object_class = G_OBJECT_CLASS(class);
    GstElementClass *element_class = GST_ELEMENT_CLASS(class);
    GstVideoEncoderClass *encoder_class = GST_VIDEO_ENCODER_CLASS(class);

    object_class->finalize = finalize;
    nalu_h264_enc_install_properties(object_class);

    element_class->change_state = change_state;
    add_template(element_class, "sink", GST_PAD_SINK, nalu_h264_enc_sink_caps());
    add_template(element_class, "src", GST_PAD_SRC, nalu_h264_enc_src_caps());
    gst_element_class_set_static_metadata(element_class, "Nalu H.264 encoder", "Codec/Encoder/Video",
                                          "Encodes H.264 with Nalu's compression sessions (x264 or OpenH264)", "Nalu");

    encoder_class->start = start;
    encoder_class->stop = stop;
    encoder_class->set_format = set_format;
    encoder_class->handle_frame = nalu_h264_enc_handle_frame;
    encoder_class->finish = finish;
    encoder_class->flush = flush;
    encoder_class->sink_event = sink_event;
    encoder_class->src_event = src_event;
    encoder_class->propose_allocation = propose_allocation;
}
