/*
 * Nalu's events: acknowledgements and requests of a receiver. docs/gstreamer.md describes their fields.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoder.h"

#define ACKNOWLEDGE "nalu-ltr-acknowledge"
#define LTR_REFRESH "nalu-ltr-refresh"
#define INTRA_REFRESH "nalu-intra-refresh"

/* The maximum number of tokens for one frame (nalu_frame_options). */
#define MAXIMUM_TOKENS 4096

/* A token also acknowledges the samples that its sample refers to, so the loss of the oldest tokens matters least. */
static void limit_tokens(NaluH264Enc *self) {
    if (self->tokens->len > MAXIMUM_TOKENS) g_array_remove_range(self->tokens, 0, self->tokens->len - MAXIMUM_TOKENS);
}

static gboolean add_token(NaluH264Enc *self, const GValue *value) {
    GValue number = G_VALUE_INIT;
    gint64 token;
    gboolean converted, is_earlier;
    if (value == NULL) return FALSE;
    g_value_init(&number, G_TYPE_INT64);
    converted = g_value_transform(value, &number);
    token = g_value_get_int64(&number);
    g_value_unset(&number);
    if (!converted) return FALSE;
    GST_OBJECT_LOCK(self);
    /* The receiver of the open session's frames may still acknowledge frames of an earlier session. */
    is_earlier = token >= 0 && token < self->first_token;
    if (token >= 0) token -= self->first_token;
    if (!is_earlier) g_array_append_val(self->tokens, token);
    limit_tokens(self);
    GST_OBJECT_UNLOCK(self);
    return TRUE;
}

static gboolean add_tokens(NaluH264Enc *self, const GstStructure *fields) {
    const GValue *tokens = gst_structure_get_value(fields, "tokens");
    guint i;
    if (tokens == NULL) return add_token(self, gst_structure_get_value(fields, "token"));
    if (!GST_VALUE_HOLDS_ARRAY(tokens)) return FALSE;
    for (i = 0; i < gst_value_array_get_size(tokens); i++)
        if (!add_token(self, gst_value_array_get_value(tokens, i))) return FALSE;
    return TRUE;
}

static gboolean take_tokens(NaluH264Enc *self, const GstStructure *fields) {
    if (add_tokens(self, fields)) return TRUE;
    GST_ELEMENT_WARNING(self, STREAM, FORMAT, ("The event " ACKNOWLEDGE " needs the field token, an integer, or tokens, an "
        "array of integers."), ("%" GST_PTR_FORMAT, (gconstpointer)fields));
    return FALSE;
}

static void add_flag(NaluH264Enc *self, guint32 flag) {
    GST_OBJECT_LOCK(self);
    self->frame_flags |= flag;
    GST_OBJECT_UNLOCK(self);
}

/* Returns true if a property is set. Without it, the session would refuse the next frame. */
static gboolean allows(NaluH264Enc *self, const gchar *property, const gchar *event) {
    gboolean on = FALSE;
    g_object_get(self, property, &on, NULL);
    if (!on) {
        GST_ELEMENT_WARNING(self, LIBRARY, SETTINGS, ("The event %s needs the property %s; set it before the first frame.", event,
            property), (NULL));
    }
    return on;
}

gboolean nalu_h264_enc_take_event(NaluH264Enc *self, GstEvent *event, gboolean *handled) {
    const GstStructure *fields = gst_event_get_structure(event);
    const gchar *name = fields == NULL ? "" : gst_structure_get_name(fields);
    if (g_str_equal(name, ACKNOWLEDGE)) {
        *handled = allows(self, "enable-ltr", name) && take_tokens(self, fields);
    } else if (g_str_equal(name, LTR_REFRESH)) {
        *handled = allows(self, "enable-ltr", name);
        if (*handled) add_flag(self, NALU_FRAME_FORCE_LTR_REFRESH);
    } else if (g_str_equal(name, INTRA_REFRESH)) {
        *handled = allows(self, "allow-intra-refresh", name);
        if (*handled) add_flag(self, NALU_FRAME_BEGIN_INTRA_REFRESH);
    } else {
        return FALSE;
    }
    gst_event_unref(event);
    return TRUE;
}

void nalu_h264_enc_take_requests(NaluH264Enc *self, nalu_frame_options *options, GArray **tokens) {
    GST_OBJECT_LOCK(self);
    options->flags = self->frame_flags;
    self->frame_flags = 0;
    if (self->tokens->len > 0) {
        *tokens = self->tokens;
        self->tokens = g_array_new(FALSE, FALSE, sizeof(gint64));
        options->acknowledged_ltr_tokens = (const int64_t *)(gconstpointer)(*tokens)->data;
        options->acknowledged_ltr_token_count = (*tokens)->len;
    }
    GST_OBJECT_UNLOCK(self);
}

void nalu_h264_enc_restore_requests(NaluH264Enc *self, const nalu_frame_options *options) {
    GST_OBJECT_LOCK(self);
    self->frame_flags |= options->flags;
    g_array_prepend_vals(self->tokens, options->acknowledged_ltr_tokens, (guint)options->acknowledged_ltr_token_count);
    limit_tokens(self);
    GST_OBJECT_UNLOCK(self);
}
