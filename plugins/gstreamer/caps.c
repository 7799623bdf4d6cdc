/*
 * Encoded video: the formats that downstream accepts, and the caps of the stream.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoder.h"

#include <gst/pbutils/codec-utils.h>
#include <string.h>

GstCaps *nalu_h264_enc_src_caps(void) {
    return gst_caps_from_string("video/x-h264, stream-format = (string) { avc, byte-stream }, alignment = (string) au, "
                                "profile = (string) { high, progressive-high, constrained-high, main, baseline, "
                                "constrained-baseline, high-10 }, width = (int) [ 16, 16384 ], height = (int) [ 16, 16384 ], "
                                "framerate = (fraction) [ 0, MAX ]");
}

/* Returns the caps that downstream accepts; NULL if it accepts everything, or if nothing is linked. */
static GstCaps *restricting_caps(NaluH264Enc *self) {
    GstPad *pad = GST_VIDEO_ENCODER_SRC_PAD(self);
    GstCaps *template = gst_pad_get_pad_template_caps(pad), *allowed = gst_pad_get_allowed_caps(pad);
    if (allowed != NULL && gst_caps_is_equal(allowed, template)) gst_clear_caps(&allowed);
    gst_caps_unref(template);
    return allowed;
}

static gboolean allows(GstCaps *allowed, const gchar *field, const gchar *value) {
    GstCaps *caps;
    gboolean result;
    if (allowed == NULL) return TRUE;
    caps = gst_caps_new_simple("video/x-h264", field, G_TYPE_STRING, value, NULL);
    result = gst_caps_can_intersect(allowed, caps);
    gst_caps_unref(caps);
    return result;
}

/* ---- Before opening ---- */

static void add_profile(NaluH264Enc *self, nalu_compression_session *session, GstCaps *allowed, NaluSettings *settings) {
    static const gchar *const profiles[][2] = {
        {"high", NALU_PROFILE_LEVEL_H264_HIGH_AUTO_LEVEL},
        {"progressive-high", NALU_PROFILE_LEVEL_H264_HIGH_AUTO_LEVEL},
        {"constrained-high", NALU_PROFILE_LEVEL_H264_CONSTRAINED_HIGH_AUTO_LEVEL},
        {"main", NALU_PROFILE_LEVEL_H264_MAIN_AUTO_LEVEL},
        {"baseline", NALU_PROFILE_LEVEL_H264_CONSTRAINED_BASELINE_AUTO_LEVEL},
        {"constrained-baseline", NALU_PROFILE_LEVEL_H264_CONSTRAINED_BASELINE_AUTO_LEVEL},
    };
    gint64 depth = 0;
    gboolean has_more_bits = GST_VIDEO_INFO_COMP_DEPTH(&self->input->info, 0) > 8 &&
                             nalu_session_get_int64(session, NALU_PROPERTY_OUTPUT_BIT_DEPTH, &depth) == NALU_STATUS_OK;
    gsize i;
    if (nalu_settings_has(settings, NALU_PROPERTY_PROFILE_LEVEL) || nalu_settings_has(settings, NALU_PROPERTY_OUTPUT_BIT_DEPTH)) return;
    if (has_more_bits && allows(allowed, "profile", "high-10")) {
        nalu_settings_add_integer(settings, NALU_PROPERTY_OUTPUT_BIT_DEPTH, 10);
        return;
    }
    if (allowed == NULL) return;
    for (i = 0; i < G_N_ELEMENTS(profiles); i++) {
        if (!allows(allowed, "profile", profiles[i][0])) continue;
        nalu_settings_add_string(settings, NALU_PROPERTY_PROFILE_LEVEL, profiles[i][1]);
        return;
    }
    nalu_settings_add_integer(settings, NALU_PROPERTY_OUTPUT_BIT_DEPTH, 10);
}

void nalu_h264_enc_add_output_settings(NaluH264Enc *self, nalu_compression_session *session, NaluSettings *settings) {
    GstCaps *allowed = restricting_caps(self);
    GST_DEBUG_OBJECT(self, "downstream accepts %" GST_PTR_FORMAT, (gpointer)allowed);
    /* avc needs no copy. For a sink that accepts anything, such as filesink, a byte stream is more useful. */
    self->byte_stream = allowed == NULL || !allows(allowed, "stream-format", "avc");
    add_profile(self, session, allowed, settings);
    if (allowed != NULL) gst_caps_unref(allowed);
}

/* Returns the level that x264 has selected, for example 31; 0 if it is unknown. OpenH264 selects the level that size and rate
 * need. */
static gint opened_level(nalu_compression_session *session) {
    gchar text[8192] = "";
    gsize size = 0;
    const gchar *place;
    if (nalu_session_copy_string(session, NALU_PROPERTY_X264_EFFECTIVE, text, sizeof text, &size) != NALU_STATUS_OK) return 0;
    place = strstr(text, ":level=");
    return place == NULL ? 0 : (gint)g_ascii_strtoll(place + strlen(":level="), NULL, 10);
}

/* An AutoLevel can be higher than size and rate need, because some presets use more reference frames than a lower level allows.
 * With a fixed level, the session uses fewer reference frames. */
nalu_status nalu_h264_enc_limit_level(NaluH264Enc *self, nalu_compression_session *session) {
    static const gchar *const levels[] = {"5.2", "5.1", "5", "4.2", "4.1", "4", "3.2", "3.1", "3"};
    GstCaps *allowed = restricting_caps(self);
    gint level = opened_level(session);
    gchar profile[64] = "", *end, *value;
    gsize size = 0, i;
    nalu_status status = NALU_STATUS_OK;
    gchar *opened = level % 10 == 0 ? g_strdup_printf("%d", level / 10) : g_strdup_printf("%d.%d", level / 10, level % 10);

    if (allowed == NULL || level == 0 || allows(allowed, "level", opened)) goto done;
    status = nalu_session_copy_string(session, NALU_PROPERTY_PROFILE_LEVEL, profile, sizeof profile, &size);
    end = strstr(profile, "_AutoLevel");
    if (status != NALU_STATUS_OK || end == NULL) goto done; /* the application has set the level, so negotiation may fail later */
    *end = 0;
    for (i = 0; i < G_N_ELEMENTS(levels) && !allows(allowed, "level", levels[i]); i++) continue;
    if (i == G_N_ELEMENTS(levels)) goto done;
    /* Nalu has fixed levels for these three profiles. x264's Baseline streams are all Constrained Baseline. */
    value = g_strdup_printf("%s_%c_%c", g_str_has_suffix(profile, "Baseline") ? "H264_Baseline"
                                        : g_str_has_suffix(profile, "Main")   ? "H264_Main"
                                                                              : "H264_High",
                            levels[i][0], levels[i][1] ? levels[i][2] : '0');
    GST_INFO_OBJECT(self, "level %s is not accepted downstream: %s", opened, value);
    status = nalu_session_set_string(session, NALU_PROPERTY_PROFILE_LEVEL, value);
    g_free(value);
    if (status == NALU_STATUS_OK) status = nalu_compression_session_prepare(session);
done:
    g_free(opened);
    if (allowed != NULL) gst_caps_unref(allowed);
    return status;
}

/* ---- After the first sample ---- */

/* For each profile, the profiles whose decoders can play its streams, beginning with itself. */
static const gchar *const compatible[][6] = {
    {"constrained-baseline", "baseline", "main", "constrained-high", "progressive-high", "high"},
    {"baseline"},
    {"main", "high"},
    {"constrained-high", "progressive-high", "high"},
    {"progressive-high", "high"},
    {"high", "progressive-high"}, /* x264 does not write the flag that distinguishes them */
    {"high-10"},
};

static void choose_profile(GstCaps *caps, GstCaps *allowed) {
    GstStructure *fields = gst_caps_get_structure(caps, 0);
    const gchar *own = gst_structure_get_string(fields, "profile");
    gsize i, j;
    for (i = 0; own != NULL && i < G_N_ELEMENTS(compatible); i++) {
        if (!g_str_equal(compatible[i][0], own)) continue;
        for (j = 0; j < G_N_ELEMENTS(compatible[i]) && compatible[i][j] != NULL; j++) {
            if (!allows(allowed, "profile", compatible[i][j])) continue;
            gst_structure_set(fields, "profile", G_TYPE_STRING, compatible[i][j], NULL);
            return;
        }
        return;
    }
}

static void describe(GstVideoInfo *info, const nalu_sequence_info *sequence) {
    info->width = sequence->width;
    info->height = sequence->height;
    if (sequence->pixel_aspect_ratio_horizontal > 0 && sequence->pixel_aspect_ratio_vertical > 0) {
        info->par_n = sequence->pixel_aspect_ratio_horizontal;
        info->par_d = sequence->pixel_aspect_ratio_vertical;
    }
    info->colorimetry.range = sequence->video_full_range ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235;
    info->colorimetry.primaries = gst_video_color_primaries_from_iso((guint)sequence->color_primaries);
    info->colorimetry.transfer = gst_video_transfer_function_from_iso((guint)sequence->transfer_characteristics);
    info->colorimetry.matrix = gst_video_color_matrix_from_iso((guint)sequence->matrix_coefficients);
    switch (sequence->chroma_location) {
    case -1: /* absent in the stream, which means 0 (ITU-T H.264 E.2.1) */
    case 0: info->chroma_site = GST_VIDEO_CHROMA_SITE_H_COSITED; break;
    case 1: info->chroma_site = GST_VIDEO_CHROMA_SITE_NONE; break;
    case 2: info->chroma_site = GST_VIDEO_CHROMA_SITE_COSITED; break;
    case 3: info->chroma_site = GST_VIDEO_CHROMA_SITE_V_COSITED; break;
    default: info->chroma_site = GST_VIDEO_CHROMA_SITE_UNKNOWN; break;
    }
}

static gboolean negotiate(NaluH264Enc *self, GstCaps *caps, const nalu_sequence_info *sequence, GstBuffer *codec_data) {
    GstVideoEncoder *encoder = GST_VIDEO_ENCODER(self);
    GstVideoCodecState *state = gst_video_encoder_set_output_state(encoder, caps, self->input);
    describe(&state->info, sequence);
    state->codec_data = codec_data;
    gst_video_codec_state_unref(state);
    return gst_video_encoder_negotiate(encoder);
}

gboolean nalu_h264_enc_set_output_caps(NaluH264Enc *self, nalu_format_description *format) {
    nalu_sequence_info sequence = {.struct_size = sizeof sequence};
    GstCaps *allowed, *caps;
    GstBuffer *codec_data = NULL;
    gboolean accepted;
    gsize size = 0;
    const guint8 *sps = nalu_format_description_get_parameter_set(format, 0, &size);
    if (nalu_format_description_get_sequence_info(format, &sequence) != NALU_STATUS_OK || sps == NULL || size < 4) return FALSE;

    allowed = restricting_caps(self);
    caps = gst_caps_new_simple("video/x-h264", "stream-format", G_TYPE_STRING, self->byte_stream ? "byte-stream" : "avc", "alignment",
                               G_TYPE_STRING, "au", NULL);
    gst_codec_utils_h264_caps_set_level_and_profile(caps, sps + 1, (guint)size - 1);
    if (allowed != NULL) choose_profile(caps, allowed);
    accepted = allowed == NULL || gst_caps_can_intersect(allowed, caps);
    if (!accepted) {
        GST_ELEMENT_ERROR(self, CORE, NEGOTIATION, ("Downstream does not accept the profile or level of the stream; set profile-level, "
            "a smaller size or a lower rate."), ("the stream: %" GST_PTR_FORMAT ", downstream: %" GST_PTR_FORMAT, (gpointer)caps,
            (gpointer)allowed));
        gst_caps_unref(caps);
    } else {
        if (!self->byte_stream) {
            const guint8 *avcc = nalu_format_description_get_avcc(format, &size);
            codec_data = gst_buffer_new_memdup(avcc, size);
        }
        accepted = negotiate(self, caps, &sequence, codec_data);
    }
    if (accepted) {
        nalu_format_description_release(self->format);
        self->format = nalu_format_description_retain(format);
    }
    if (allowed != NULL) gst_caps_unref(allowed);
    return accepted;
}
