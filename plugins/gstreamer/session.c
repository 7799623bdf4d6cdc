/*
 * Opening, draining and closing the session.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoder.h"

#include <stdlib.h>
#include <string.h>

nalu_compression_session *nalu_h264_enc_copy_session(NaluH264Enc *self) {
    nalu_compression_session *session;
    g_mutex_lock(&self->settings_lock);
    session = nalu_compression_session_retain(self->session);
    g_mutex_unlock(&self->settings_lock);
    return session;
}

/* ---- Delay ---- */

/* Returns the value of an option in the text of x264.effective; `otherwise` if the option is absent. */
static gint64 effective_option(const gchar *text, const gchar *name, gint64 otherwise) {
    gsize length = strlen(name);
    const gchar *place = text;
    while (place != NULL) {
        if (*place == ':') place++;
        if (strncmp(place, name, length) == 0 && place[length] == '=') return g_ascii_strtoll(place + length + 1, NULL, 10);
        place = strchr(place, ':');
    }
    return otherwise;
}

/* Returns the maximum number of frames that x264 delays, computed as in x264. */
static guint encoder_delay(const gchar *effective) {
    gint64 delay = effective_option(effective, "bframes", 0);
    if (effective_option(effective, "b-adapt", 0) == 2) delay = MAX(delay, 3) * 4;
    if (effective_option(effective, "mbtree", 0) || effective_option(effective, "vbv-bufsize", 0))
        delay = MAX(delay, effective_option(effective, "rc-lookahead", 0));
    if (!effective_option(effective, "sliced-threads", 0)) delay += MAX(effective_option(effective, "threads", 1), 1) - 1;
    delay += effective_option(effective, "sync-lookahead", 0);
    delay += !effective_option(effective, "force-cfr", 1);
    return (guint)MAX(delay, 0);
}

static void update_latency(NaluH264Enc *self, nalu_compression_session *session) {
    const GstVideoInfo *info = &self->input->info;
    gchar effective[8192] = "";
    gsize size = 0;
    gint64 most = -1;
    GstClockTime latency, frame = GST_SECOND / 25; /* for streams without a frame rate */
    nalu_status status = nalu_session_copy_string(session, NALU_PROPERTY_X264_EFFECTIVE, effective, sizeof effective, &size);
    /* The other encoder of H.264, OpenH264, delays no frame. */
    if (status != NALU_STATUS_OK && status != NALU_STATUS_PROPERTY_NOT_SUPPORTED)
        GST_WARNING_OBJECT(self, "no delay known: %s", nalu_last_error_message());
    self->delay = encoder_delay(effective);
    if (nalu_session_get_int64(session, NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, &most) == NALU_STATUS_OK && most >= 0)
        self->delay = MIN(self->delay, (guint)most);
    if (info->fps_n > 0 && info->fps_d > 0)
        frame = gst_util_uint64_scale_int(GST_SECOND, info->fps_d, info->fps_n);
    latency = self->delay * frame;
    GST_INFO_OBJECT(self, "delay %u frames, latency %" GST_TIME_FORMAT, self->delay, GST_TIME_ARGS(latency));
    gst_video_encoder_set_latency(GST_VIDEO_ENCODER(self), latency, latency);
}

/* ---- Times ---- */

/* With reordering, the first decode times are earlier than the first presentation time, and GStreamer has no negative times. So
 * the base class adds this offset to all times and to the segment. The offset must not change later. */
#define FIRST_TIME (GST_SECOND * 60 * 60 * 1000)

static void decide_time_offset(NaluH264Enc *self, nalu_compression_session *session) {
    gint64 depth = 0;
    if (self->has_time_offset) return;
    self->has_time_offset = TRUE;
    if (nalu_session_get_int64(session, NALU_PROPERTY_REORDER_DEPTH, &depth) == NALU_STATUS_OK && depth > 0)
        gst_video_encoder_set_min_pts(GST_VIDEO_ENCODER(self), FIRST_TIME);
}

/* ---- Opening ---- */

static nalu_status configure(NaluH264Enc *self, nalu_compression_session *session) {
    NaluSettings *settings = nalu_settings_new();
    nalu_status status = nalu_h264_enc_add_application_settings(self, settings);
    if (status == NALU_STATUS_OK && self->preset != NULL) status = nalu_session_set_preset(session, self->preset);
    if (status == NALU_STATUS_OK) {
        nalu_h264_enc_add_input_settings(self->input, settings);
        nalu_h264_enc_add_output_settings(self, session, settings);
        status = nalu_settings_apply(settings, session);
    }
    if (status == NALU_STATUS_OK) status = nalu_compression_session_prepare(session);
    if (status == NALU_STATUS_OK) status = nalu_h264_enc_limit_level(self, session);
    nalu_settings_free(settings);
    return status;
}

gboolean nalu_h264_enc_open_session(NaluH264Enc *self) {
    const GstVideoInfo *info = &self->input->info;
    nalu_source_attributes attributes = NALU_SOURCE_ATTRIBUTES_INIT;
    nalu_encoder_specification specification = NALU_ENCODER_SPECIFICATION_INIT;
    nalu_compression_session *session = NULL;
    nalu_output_queue *queue = NULL;
    const gchar *reason = NULL;
    nalu_status status;

    attributes.pixel_format = nalu_h264_enc_pixel_format(info, &reason);
    if (attributes.pixel_format == 0) {
        GST_ELEMENT_ERROR(self, STREAM, WRONG_TYPE, ("%s", reason), ("%" GST_PTR_FORMAT, (gpointer)self->input->caps));
        return FALSE;
    }
    status = nalu_output_queue_create(&queue);
    /* Calls that set a property wait for this lock, and are then passed to the session. */
    g_mutex_lock(&self->settings_lock);
    specification.encoder_id = self->encoder_id;
    if (status == NALU_STATUS_OK) {
        status = nalu_compression_session_create(info->width, info->height, NALU_CODEC_H264, &specification, &attributes,
                                                 nalu_output_queue_receive, queue, nalu_output_queue_close, &session);
    }
    if (status == NALU_STATUS_OK) status = configure(self, session);
    if (status == NALU_STATUS_OK) self->session = session;
    g_mutex_unlock(&self->settings_lock);
    if (status != NALU_STATUS_OK) {
        GST_ELEMENT_ERROR(self, LIBRARY, SETTINGS, ("%s", nalu_last_error_message()), ("%s", nalu_status_string(status)));
        nalu_compression_session_release(session);
        nalu_output_queue_release(queue);
        return FALSE;
    }
    self->queue = queue;
    self->last_time = GST_CLOCK_TIME_NONE;
    self->thread = g_thread_new("naluh264enc", nalu_h264_enc_output_thread, gst_object_ref(self));
    update_latency(self, session);
    decide_time_offset(self, session);
    return TRUE;
}

/* ---- Ending ---- */

GstFlowReturn nalu_h264_enc_drain(NaluH264Enc *self) {
    nalu_compression_session *session = nalu_h264_enc_copy_session(self);
    nalu_status status;
    if (session == NULL) return nalu_h264_enc_get_flow(self);
    GST_VIDEO_ENCODER_STREAM_UNLOCK(self);
    status = nalu_compression_session_complete_frames(session, nalu_time_invalid());
    g_mutex_lock(&self->delivery_lock);
    while (self->in_flight > 0 && !self->interrupted) g_cond_wait(&self->delivered, &self->delivery_lock);
    g_mutex_unlock(&self->delivery_lock);
    GST_VIDEO_ENCODER_STREAM_LOCK(self);
    if (status != NALU_STATUS_OK && status != NALU_STATUS_INVALID_SESSION)
        GST_ELEMENT_ERROR(self, STREAM, ENCODE, ("%s", nalu_last_error_message()), ("%s", nalu_status_string(status)));
    nalu_compression_session_release(session);
    return nalu_h264_enc_get_flow(self);
}

void nalu_h264_enc_close_session(NaluH264Enc *self) {
    nalu_compression_session *session;
    g_mutex_lock(&self->settings_lock);
    session = g_steal_pointer(&self->session);
    g_mutex_unlock(&self->settings_lock);
    if (session == NULL) return;
    GST_VIDEO_ENCODER_STREAM_UNLOCK(self);
    nalu_compression_session_invalidate(session);
    nalu_compression_session_release(session);
    /* The session has closed the queue, so the thread ends when the queue is empty. */
    g_thread_join(self->thread);
    GST_VIDEO_ENCODER_STREAM_LOCK(self);
    self->thread = NULL;
    GST_OBJECT_LOCK(self);
    self->first_token = self->next_token;
    g_array_set_size(self->tokens, 0);
    GST_OBJECT_UNLOCK(self);
    nalu_output_queue_release(g_steal_pointer(&self->queue));
    nalu_format_description_release(g_steal_pointer(&self->format));
    g_queue_clear_full(&self->dropped, (GDestroyNotify)gst_video_codec_frame_unref);
}

void nalu_h264_enc_interrupt(NaluH264Enc *self) {
    nalu_compression_session *session = nalu_h264_enc_copy_session(self);
    g_mutex_lock(&self->delivery_lock);
    self->interrupted = TRUE;
    g_cond_broadcast(&self->delivered);
    g_mutex_unlock(&self->delivery_lock);
    nalu_compression_session_invalidate(session);
    nalu_compression_session_release(session);
}
