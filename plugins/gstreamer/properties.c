/*
 * The element's GObject properties. They are stored for later sessions, and set in the open session.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "catalogue.h"
#include "encoder.h"

#include <math.h>

enum { PROPERTY_PRESET = 1, PROPERTY_TEXT, PROPERTY_ENCODER, FIRST_OF_CATALOGUE };

/* ---- Values ---- */

static gboolean is_unset(const Row *row, const GValue *value) {
    switch (row->info.type) {
    case NALU_PROPERTY_TYPE_BOOL: return FALSE;
    case NALU_PROPERTY_TYPE_STRING: return g_value_get_string(value) == NULL;
    case NALU_PROPERTY_TYPE_NUMBERS: return gst_value_array_get_size(value) == 0;
    case NALU_PROPERTY_TYPE_DOUBLE: return row->can_be_unset && g_value_get_double(value) == UNSET;
    default:
        return row->can_be_unset && (G_VALUE_HOLDS_INT(value) ? g_value_get_int(value) : g_value_get_int64(value)) == UNSET;
    }
}

/* `numbers` keeps the numbers of the property. */
static nalu_property property_from(const Row *row, const GValue *value, GArray *numbers) {
    nalu_property property = {.key = row->key, .type = row->info.type};
    guint i;
    if (is_unset(row, value)) {
        property.type = NALU_PROPERTY_TYPE_UNSET;
        return property;
    }
    switch (row->info.type) {
    case NALU_PROPERTY_TYPE_BOOL: property.integer = g_value_get_boolean(value); break;
    case NALU_PROPERTY_TYPE_DOUBLE: property.number = g_value_get_double(value); break;
    case NALU_PROPERTY_TYPE_STRING: property.string = g_value_get_string(value); break;
    case NALU_PROPERTY_TYPE_NUMBERS:
        for (i = 0; i < gst_value_array_get_size(value); i++) {
            GValue number = G_VALUE_INIT;
            gdouble converted = NAN; /* refused by the session */
            g_value_init(&number, G_TYPE_DOUBLE);
            if (g_value_transform(gst_value_array_get_value(value, i), &number)) converted = g_value_get_double(&number);
            g_array_append_val(numbers, converted);
        }
        property.numbers = (const double *)(gconstpointer)numbers->data;
        property.number_count = numbers->len;
        break;
    default: property.integer = G_VALUE_HOLDS_INT(value) ? g_value_get_int(value) : g_value_get_int64(value); break;
    }
    return property;
}

static void add_from_text(void *settings, const nalu_property *property) { nalu_settings_add(settings, property); }

nalu_status nalu_h264_enc_add_application_settings(NaluH264Enc *self, NaluSettings *settings) {
    nalu_status status = self->text == NULL ? NALU_STATUS_OK : nalu_property_text_read(self->text, add_from_text, settings);
    guint i;
    for (i = 0; i < nalu_row_count && status == NALU_STATUS_OK; i++) {
        GArray *numbers;
        nalu_property property;
        if (!G_IS_VALUE(&self->settings[i])) continue;
        numbers = g_array_new(FALSE, FALSE, sizeof(double));
        property = property_from(&nalu_rows[i], &self->settings[i], numbers);
        nalu_settings_add(settings, &property);
        g_array_unref(numbers);
    }
    return status;
}

/* ---- Setting ---- */

static nalu_status set_in_session(nalu_compression_session *session, const Row *row, const GValue *value) {
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(double));
    nalu_property property = property_from(row, value, numbers);
    nalu_status status = nalu_session_set_properties(session, &property, 1);
    g_array_unref(numbers);
    return status;
}

/* Returns true if the value can be stored. The status of an interrupted session does not count: the next session checks the
 * value. */
static gboolean accepts(nalu_status status) { return status == NALU_STATUS_OK || status == NALU_STATUS_INVALID_SESSION; }

/* Sets a property. settings_lock is held. */
static nalu_status set_row(NaluH264Enc *self, guint index, const GValue *value, GParamSpec *spec) {
    GValue *kept = &self->settings[index];
    nalu_status status = NALU_STATUS_OK;
    if (self->session != NULL && !(G_IS_VALUE(kept) && g_param_values_cmp(spec, kept, value) == 0))
        status = set_in_session(self->session, &nalu_rows[index], value);
    if (!accepts(status)) return status;
    if (!G_IS_VALUE(kept)) g_value_init(kept, G_VALUE_TYPE(value));
    g_value_copy(value, kept);
    return NALU_STATUS_OK;
}

static nalu_status set_text(nalu_compression_session *session, gchar **kept, const gchar *text,
                            nalu_status (*set)(nalu_compression_session *, const char *)) {
    nalu_status status = session == NULL || text == NULL || g_strcmp0(*kept, text) == 0 ? NALU_STATUS_OK : set(session, text);
    if (!accepts(status)) return status;
    g_free(*kept);
    *kept = g_strdup(text);
    return NALU_STATUS_OK;
}

/* Returns a message if the encoder cannot be chosen any more. */
static gchar *set_encoder(NaluH264Enc *self, const gchar *identifier) {
    if (g_strcmp0(self->encoder_id, identifier) == 0) return NULL;
    if (self->session != NULL)
        return g_strdup_printf("encoder is \"%s\", and the session is open; expected it before the first frame",
                               identifier != NULL ? identifier : "");
    g_free(self->encoder_id);
    self->encoder_id = g_strdup(identifier);
    return NULL;
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec) {
    NaluH264Enc *self = NALU_H264_ENC(object);
    nalu_status status = NALU_STATUS_OK;
    gchar *message = NULL;
    g_mutex_lock(&self->settings_lock);
    if (id == PROPERTY_PRESET)
        status = set_text(self->session, &self->preset, g_value_get_string(value), nalu_session_set_preset);
    else if (id == PROPERTY_TEXT)
        status = set_text(self->session, &self->text, g_value_get_string(value), nalu_session_set_properties_from_text);
    else if (id == PROPERTY_ENCODER)
        message = set_encoder(self, g_value_get_string(value));
    else
        status = set_row(self, id - FIRST_OF_CATALOGUE, value, spec);
    if (status != NALU_STATUS_OK) message = g_strdup(nalu_last_error_message());
    g_mutex_unlock(&self->settings_lock);
    if (message != NULL)
        GST_ELEMENT_WARNING(self, LIBRARY, SETTINGS, ("%s", message),
                            ("%s", nalu_status_string(status != NALU_STATUS_OK ? status : NALU_STATUS_TOO_LATE)));
    g_free(message);
}

/* ---- Reading ---- */

static void get_numbers(nalu_compression_session *session, const gchar *key, GValue *value) {
    gdouble numbers[16];
    gsize count = 0, i;
    if (nalu_session_copy_numbers(session, key, numbers, G_N_ELEMENTS(numbers), &count) != NALU_STATUS_OK) return;
    for (i = 0; i < count; i++) {
        GValue number = G_VALUE_INIT;
        g_value_init(&number, G_TYPE_DOUBLE);
        g_value_set_double(&number, numbers[i]);
        gst_value_array_append_and_take_value(value, &number);
    }
}

static void get_string(nalu_compression_session *session, const gchar *key, GValue *value) {
    gsize size = 0;
    gchar *text;
    if (nalu_session_copy_string(session, key, NULL, 0, &size) != NALU_STATUS_BUFFER_TOO_SMALL && size == 0) return;
    text = g_malloc0(size + 1);
    if (nalu_session_copy_string(session, key, text, size, &size) == NALU_STATUS_OK)
        g_value_take_string(value, text);
    else
        g_free(text);
}

/* Reads the value that the session uses. `value` contains the default, which stays if the session has no value. */
static void get_from_session(nalu_compression_session *session, const Row *row, GValue *value) {
    gint64 integer = 0;
    gint32 truth = 0;
    gdouble number = 0;
    switch (row->info.type) {
    case NALU_PROPERTY_TYPE_BOOL:
        if (nalu_session_get_bool(session, row->key, &truth) == NALU_STATUS_OK) g_value_set_boolean(value, truth);
        break;
    case NALU_PROPERTY_TYPE_DOUBLE:
        if (nalu_session_get_double(session, row->key, &number) == NALU_STATUS_OK) g_value_set_double(value, number);
        break;
    case NALU_PROPERTY_TYPE_NUMBERS: get_numbers(session, row->key, value); break;
    case NALU_PROPERTY_TYPE_STRING: get_string(session, row->key, value); break;
    default:
        if (nalu_session_get_int64(session, row->key, &integer) != NALU_STATUS_OK) break;
        if (G_VALUE_HOLDS_INT(value))
            g_value_set_int(value, (gint)CLAMP(integer, G_MININT, G_MAXINT));
        else
            g_value_set_int64(value, integer);
        break;
    }
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
    NaluH264Enc *self = NALU_H264_ENC(object);
    (void)spec;
    g_mutex_lock(&self->settings_lock);
    if (id == PROPERTY_PRESET) {
        g_value_set_string(value, self->preset);
    } else if (id == PROPERTY_TEXT) {
        g_value_set_string(value, self->text);
    } else if (id == PROPERTY_ENCODER) {
        g_value_set_string(value, self->encoder_id);
    } else {
        guint index = id - FIRST_OF_CATALOGUE;
        g_param_value_set_default(spec, value);
        if (self->session != NULL)
            get_from_session(self->session, &nalu_rows[index], value);
        else if (G_IS_VALUE(&self->settings[index]))
            g_value_copy(&self->settings[index], value);
    }
    g_mutex_unlock(&self->settings_lock);
}

/* ---- Life ---- */

void nalu_h264_enc_install_properties(GObjectClass *object_class) {
    GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;
    guint i;
    object_class->set_property = set_property;
    object_class->get_property = get_property;
    nalu_read_catalogue();
    g_object_class_install_property(object_class, PROPERTY_PRESET,
        g_param_spec_string("preset", "Preset", "A set of properties: HighQuality, Balanced, HighSpeed or VideoConferencing; or a preset "
                            "of x264. Other properties override it. Takes effect on opening.", NULL, flags));
    g_object_class_install_property(object_class, PROPERTY_TEXT,
        g_param_spec_string("properties", "Properties", "Properties as text with Nalu's names: "
                            "AverageBitRate=2000000,DataRateLimits=[375000,1]. Other properties of the element override it.", NULL,
                            G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
    g_object_class_install_property(object_class, PROPERTY_ENCODER,
        g_param_spec_string("encoder", "Encoder", "The identifier of the encoder: org.videolan.x264 or org.openh264.openh264; NULL: the "
                            "first of them that the loaded libnalu has. Takes effect on opening.", NULL, flags));
    for (i = 0; i < nalu_row_count; i++) g_object_class_install_property(object_class, FIRST_OF_CATALOGUE + i, nalu_row_spec(&nalu_rows[i]));
}

void nalu_h264_enc_init_properties(NaluH264Enc *self) { self->settings = g_new0(GValue, nalu_row_count); }

void nalu_h264_enc_clear_properties(NaluH264Enc *self) {
    guint i;
    for (i = 0; i < nalu_row_count; i++)
        if (G_IS_VALUE(&self->settings[i])) g_value_unset(&self->settings[i]);
    g_free(self->settings);
    g_free(self->encoder_id);
    g_free(self->preset);
    g_free(self->text);
}
