/*
 * Input frames: times, requests, and the call of encode.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoder.h"

static nalu_time time_from(GstClockTime time) {
    return GST_CLOCK_TIME_IS_VALID(time) ? nalu_time_make((gint64)time, (gint32)GST_SECOND) : nalu_time_invalid();
}

/* The number of encoded frames that may wait for downstream before upstream has to wait. */
#define READY_FRAMES 8

/* Waits while too many samples wait for downstream. */
static void wait_for_downstream(NaluH264Enc *self, nalu_output_queue *queue) {
    g_mutex_lock(&self->delivery_lock);
    while (nalu_output_queue_get_count(queue) >= READY_FRAMES && self->flow == GST_FLOW_OK && !self->interrupted)
        g_cond_wait(&self->delivered, &self->delivery_lock);
    self->in_flight++;
    g_mutex_unlock(&self->delivery_lock);
}

static void forget_refused_frame(NaluH264Enc *self) {
    g_mutex_lock(&self->delivery_lock);
    self->in_flight--;
    g_cond_broadcast(&self->delivered);
    g_mutex_unlock(&self->delivery_lock);
}

/* Encodes without the stream lock, so that other threads can push samples, set properties and send events. */
static nalu_status encode(NaluH264Enc *self, GstVideoCodecFrame *frame, nalu_pixel_buffer *pixels) {
    nalu_compression_session *session = nalu_h264_enc_copy_session(self);
    nalu_output_queue *queue = nalu_output_queue_retain(self->queue);
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    nalu_time time = time_from(frame->pts), duration = time_from(frame->duration);
    GArray *tokens = NULL;
    nalu_status status;

    nalu_h264_enc_take_requests(self, &options, &tokens);
    if (GST_VIDEO_CODEC_FRAME_IS_FORCE_KEYFRAME(frame)) options.flags |= NALU_FRAME_FORCE_KEY_FRAME;
    GST_VIDEO_ENCODER_STREAM_UNLOCK(self);
    wait_for_downstream(self, queue);
    status = nalu_compression_session_encode_frame(session, pixels, time, duration, &options, frame, NULL);
    if ((status == NALU_STATUS_CONFLICT || status == NALU_STATUS_OUT_OF_RANGE) && tokens != NULL) {
        /* Only the tokens may be wrong, so the frame is encoded without them. */
        GST_ELEMENT_WARNING(self, LIBRARY, SETTINGS, ("%s", nalu_last_error_message()), (NULL));
        options.acknowledged_ltr_tokens = NULL;
        options.acknowledged_ltr_token_count = 0;
        status = nalu_compression_session_encode_frame(session, pixels, time, duration, &options, frame, NULL);
    }
    if (status != NALU_STATUS_OK) forget_refused_frame(self);
    if (status == NALU_STATUS_INVALID_TIME) nalu_h264_enc_restore_requests(self, &options);
    GST_VIDEO_ENCODER_STREAM_LOCK(self);
    if (tokens != NULL) g_array_unref(tokens);
    nalu_output_queue_release(queue);
    nalu_compression_session_release(session);
    return status;
}

/* The times of a session must increase. If a new segment begins at an earlier time, it gets a new session. */
static gboolean begin_segment(NaluH264Enc *self, GstClockTime time) {
    gboolean earlier = GST_CLOCK_TIME_IS_VALID(self->last_time) && time <= self->last_time;
    if (self->has_new_segment && earlier) {
        nalu_h264_enc_drain(self);
        nalu_h264_enc_close_session(self);
    }
    self->has_new_segment = FALSE;
    return self->session != NULL || nalu_h264_enc_open_session(self);
}

GstFlowReturn nalu_h264_enc_handle_frame(GstVideoEncoder *encoder, GstVideoCodecFrame *frame) {
    NaluH264Enc *self = NALU_H264_ENC(encoder);
    nalu_pixel_buffer *pixels = NULL;
    GstFlowReturn flow = nalu_h264_enc_get_flow(self);
    GstClockTime time = frame->pts; /* an accepted frame belongs to the output thread, which may already have released it */
    nalu_status status;

    if (flow == GST_FLOW_OK && !self->negotiated) flow = GST_FLOW_NOT_NEGOTIATED;
    if (flow != GST_FLOW_OK) {
        gst_video_codec_frame_unref(frame);
        return flow;
    }
    if (gst_video_encoder_get_max_encode_time(encoder, frame) < 0 && !GST_VIDEO_CODEC_FRAME_IS_FORCE_KEYFRAME(frame)) {
        GST_DEBUG_OBJECT(self, "too late for its display: dropped before it is encoded");
        return nalu_h264_enc_drop(self, frame);
    }
    /* The base class adds its time offset to the frame's time, also to that of a buffer without one. */
    if (!GST_BUFFER_PTS_IS_VALID(frame->input_buffer)) {
        GST_ELEMENT_ERROR(self, STREAM, FORMAT, ("A frame has no presentation time; put videorate before the encoder."), (NULL));
        gst_video_codec_frame_unref(frame);
        return GST_FLOW_ERROR;
    }
    if (!begin_segment(self, time)) {
        gst_video_codec_frame_unref(frame);
        return GST_FLOW_NOT_NEGOTIATED;
    }
    status = nalu_h264_enc_wrap(&self->input->info, frame->input_buffer, &pixels);
    if (status == NALU_STATUS_OK) status = encode(self, frame, pixels);
    nalu_pixel_buffer_release(pixels);

    switch (status) {
    case NALU_STATUS_OK:
        self->last_time = time;
        return nalu_h264_enc_get_flow(self);
    case NALU_STATUS_INVALID_SESSION:
        gst_video_codec_frame_unref(frame);
        flow = nalu_h264_enc_get_flow(self);
        return flow == GST_FLOW_OK ? GST_FLOW_FLUSHING : flow;
    case NALU_STATUS_INVALID_TIME:
        /* Only this frame is wrong. The session's message would contain the base class's time offset. */
        GST_ELEMENT_WARNING(self, STREAM, FORMAT,
                            ("The frame at %" GST_TIME_FORMAT " is not later than the frame before it, and is dropped.",
                             GST_TIME_ARGS(GST_BUFFER_PTS(frame->input_buffer))),
                            ("%s", nalu_last_error_message()));
        return nalu_h264_enc_drop(self, frame);
    default:
        GST_ELEMENT_ERROR(self, STREAM, ENCODE, ("%s", nalu_last_error_message()), ("%s", nalu_status_string(status)));
        gst_video_codec_frame_unref(frame);
        return GST_FLOW_ERROR;
    }
}
