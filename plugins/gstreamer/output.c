/*
 * Output: the thread that pushes the session's samples.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoder.h"

GstFlowReturn nalu_h264_enc_get_flow(NaluH264Enc *self) {
    GstFlowReturn flow;
    g_mutex_lock(&self->delivery_lock);
    flow = self->flow;
    if (flow == GST_FLOW_OK && self->interrupted) flow = GST_FLOW_FLUSHING;
    g_mutex_unlock(&self->delivery_lock);
    return flow;
}

/* ---- Buffers ---- */

/* Creates an avc buffer over the sample's bytes. The buffer retains the sample. */
static GstBuffer *wrap_sample(nalu_sample *sample) {
    gsize size = 0;
    const guint8 *data = nalu_sample_get_data(sample, &size);
    return gst_buffer_new_wrapped_full(GST_MEMORY_FLAG_READONLY, (gpointer)data, size, 0, size, nalu_sample_retain(sample),
                                       (GDestroyNotify)nalu_sample_release);
}

/* Creates a byte-stream buffer: start codes replace the lengths of NAL units, and parameter sets precede key frames. */
static GstBuffer *copy_sample(nalu_sample *sample) {
    GstBuffer *buffer;
    GstMapInfo map;
    gsize size = 0;
    nalu_status status = nalu_sample_copy_annex_b(sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES, NULL, 0, &size);
    if (status != NALU_STATUS_OK) return NULL;
    buffer = gst_buffer_new_allocate(NULL, size, NULL);
    if (buffer == NULL || !gst_buffer_map(buffer, &map, GST_MAP_WRITE)) {
        gst_clear_buffer(&buffer);
        return NULL;
    }
    status = nalu_sample_copy_annex_b(sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES, map.data, map.size, &size);
    gst_buffer_unmap(buffer, &map);
    if (status != NALU_STATUS_OK) gst_clear_buffer(&buffer);
    return buffer;
}

/* Adds the token and the quality metrics of a sample, if the application has requested them. The tokens of sessions begin at 0;
 * those of the element continue, because late acknowledgements must not name frames of the next session. */
static void add_sample_meta(NaluH264Enc *self, GstBuffer *buffer, const nalu_sample *sample) {
    gint64 token = nalu_sample_get_ltr_acknowledgement_token(sample), reference = nalu_sample_get_ltr_reference_token(sample);
    nalu_quality_metrics metrics = {.struct_size = sizeof metrics};
    gboolean has_metrics = nalu_sample_get_quality_metrics(sample, &metrics) == NALU_STATUS_OK;
    GstCustomMeta *meta = token < 0 && !has_metrics ? NULL : gst_buffer_add_custom_meta(buffer, NALU_SAMPLE_META);
    GstStructure *fields;
    if (meta == NULL) return;
    fields = gst_custom_meta_get_structure(meta);
    gst_structure_set(fields, "average-qp", G_TYPE_DOUBLE, nalu_sample_get_average_qp(sample), NULL);
    if (token >= 0) {
        gst_structure_set(fields, "token", G_TYPE_INT64, self->first_token + token, "reference-token", G_TYPE_INT64,
                          reference < 0 ? reference : self->first_token + reference, NULL);
        self->next_token = self->first_token + token + 1;
    }
    if (has_metrics)
        gst_structure_set(fields, "luma-psnr", G_TYPE_DOUBLE, metrics.luma_psnr, "average-psnr", G_TYPE_DOUBLE, metrics.average_psnr,
                          "ssim", G_TYPE_DOUBLE, metrics.ssim, NULL);
}

static void set_decode_time(GstVideoCodecFrame *frame, const nalu_sample *sample) {
    nalu_time time = nalu_time_convert_scale(nalu_sample_get_decode_time(sample), (gint32)GST_SECOND);
    frame->dts = nalu_time_is_numeric(time) && time.value >= 0 ? (GstClockTime)time.value : GST_CLOCK_TIME_NONE;
}

/* ---- Delivery ---- */

GstFlowReturn nalu_h264_enc_drop(NaluH264Enc *self, GstVideoCodecFrame *frame) {
    if (self->format != NULL) return gst_video_encoder_finish_frame(GST_VIDEO_ENCODER(self), frame);
    /* The base class would fail, because it has no output caps yet. The memory of the picture is not needed until then. */
    gst_buffer_replace(&frame->input_buffer, NULL);
    g_queue_push_tail(&self->dropped, frame);
    return GST_FLOW_OK;
}

static GstFlowReturn push_sample(NaluH264Enc *self, GstVideoCodecFrame *frame, nalu_sample *sample) {
    nalu_format_description *format = nalu_sample_get_format_description(sample);
    guint32 attachments = nalu_sample_get_attachments(sample);
    gboolean has_caps = TRUE;

    GST_VIDEO_ENCODER_STREAM_LOCK(self);
    if (self->format == NULL || !nalu_format_description_equal(self->format, format))
        has_caps = nalu_h264_enc_set_output_caps(self, format);
    while (has_caps && !g_queue_is_empty(&self->dropped)) nalu_h264_enc_drop(self, g_queue_pop_head(&self->dropped));
    GST_VIDEO_ENCODER_STREAM_UNLOCK(self);
    if (!has_caps) {
        gst_video_codec_frame_unref(frame);
        return GST_PAD_IS_FLUSHING(GST_VIDEO_ENCODER_SRC_PAD(self)) ? GST_FLOW_FLUSHING : GST_FLOW_NOT_NEGOTIATED;
    }
    frame->output_buffer = self->byte_stream ? copy_sample(sample) : wrap_sample(sample);
    if (frame->output_buffer == NULL) {
        GST_ELEMENT_ERROR(self, RESOURCE, NO_SPACE_LEFT, ("There is no memory for an encoded frame."), (NULL));
        gst_video_codec_frame_unref(frame);
        return GST_FLOW_ERROR;
    }
    if (nalu_sample_is_key_frame(sample)) GST_VIDEO_CODEC_FRAME_SET_SYNC_POINT(frame);
    if (!(attachments & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS)) GST_BUFFER_FLAG_SET(frame->output_buffer, GST_BUFFER_FLAG_DROPPABLE);
    if (self->byte_stream && !(attachments & NALU_SAMPLE_NOT_SYNC))
        GST_BUFFER_FLAG_SET(frame->output_buffer, GST_BUFFER_FLAG_HEADER);
    set_decode_time(frame, sample);
    add_sample_meta(self, frame->output_buffer, sample);
    /* The base class releases the stream lock while it pushes. */
    return gst_video_encoder_finish_frame(GST_VIDEO_ENCODER(self), frame);
}

/* Returns the session's message of the last failure; NULL if there is none. */
static gchar *copy_last_error(nalu_compression_session *session) {
    gchar *message = NULL;
    gsize size = 0;
    /* Another frame may fail between the two calls, with a longer message. */
    while (nalu_compression_session_copy_last_error(session, message, size, &size) == NALU_STATUS_BUFFER_TOO_SMALL)
        message = g_realloc(message, size);
    return message;
}

static void report_failure(NaluH264Enc *self, nalu_status status) {
    nalu_compression_session *session = nalu_h264_enc_copy_session(self);
    gchar *message = session == NULL ? NULL : copy_last_error(session);
    const gchar *text = message == NULL || *message == 0 ? "A frame could not be encoded." : message;
    nalu_compression_session_release(session);
    GST_ELEMENT_ERROR(self, STREAM, ENCODE, ("%s", text), ("%s", nalu_status_string(status)));
    g_free(message);
}

static void deliver(NaluH264Enc *self, const nalu_output *output) {
    GstVideoCodecFrame *frame = output->frame_refcon;
    GstFlowReturn flow = nalu_h264_enc_get_flow(self);

    if (flow != GST_FLOW_OK || output->status == NALU_STATUS_INVALID_SESSION) {
        gst_video_codec_frame_unref(frame); /* the base class drops its own reference when it resets */
    } else if (output->sample != NULL) {
        flow = push_sample(self, frame, output->sample);
    } else if (output->status == NALU_STATUS_OK) {
        GST_VIDEO_ENCODER_STREAM_LOCK(self);
        flow = nalu_h264_enc_drop(self, frame);
        GST_VIDEO_ENCODER_STREAM_UNLOCK(self);
    } else {
        report_failure(self, output->status);
        gst_video_codec_frame_unref(frame);
        flow = GST_FLOW_ERROR;
    }
    g_mutex_lock(&self->delivery_lock);
    if (self->flow == GST_FLOW_OK) self->flow = flow;
    self->in_flight--;
    g_cond_broadcast(&self->delivered);
    g_mutex_unlock(&self->delivery_lock);
}

gpointer nalu_h264_enc_output_thread(gpointer data) {
    NaluH264Enc *self = data;
    nalu_output output = {.struct_size = sizeof output};
    /* self->queue stays until this thread has ended. */
    while (nalu_output_queue_next(self->queue, -1, &output) == NALU_STATUS_OK) {
        deliver(self, &output);
        nalu_sample_release(output.sample);
    }
    gst_object_unref(self);
    return NULL;
}
