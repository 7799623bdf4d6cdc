/*
 * The element's GObject properties, made from the catalogue of the loaded libnalu.
 *
 * AverageBitRate becomes average-bit-rate, NaluAllowScaling allow-scaling, and x264.preset x264-preset. A number whose default
 * is no number is -1 while it is not set.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "encoder.h"

#include <math.h>
#include <string.h>

enum { PROPERTY_PRESET = 1, PROPERTY_TEXT, FIRST_OF_CATALOGUE };

#define UNSET (-1)

/* One property of the catalogue. */
typedef struct {
    const gchar *key;
    nalu_property_info info;
    gboolean can_be_unset; /* UNSET stands for "not set" */
} Row;

/* A session has the size of the caps, so nothing is ever scaled. */
static const gchar *const left_out[] = {NALU_PROPERTY_ALLOW_SCALING, NALU_PROPERTY_PIXEL_TRANSFER_PROPERTIES, NULL};

static Row *rows;
static guint row_count;

/* ---- The catalogue as GObject properties ---- */

/* Dashes go before a capital that follows a small letter or a digit, and before the last of several capitals if a small letter
 * follows it. */
static gchar *dashed_name(const gchar *key) {
    GString *name = g_string_new(NULL);
    const gchar *at = g_str_has_prefix(key, "Nalu") ? key + 4 : key;
    const gchar *start = at;
    for (; *at; at++) {
        gboolean begins = at > start && g_ascii_isupper(*at) &&
                          (!g_ascii_isupper(at[-1]) || (g_ascii_islower(at[1]) && g_ascii_isupper(at[-1])));
        if (g_str_has_prefix(at, "YCbCr")) { /* one word */
            g_string_append(name, "ycbcr");
            at += 4;
        } else if (*at == '.') {
            g_string_append_c(name, '-');
        } else {
            if (begins && name->str[name->len - 1] != '-') g_string_append_c(name, '-');
            g_string_append_c(name, g_ascii_tolower(*at));
        }
    }
    return g_string_free(name, FALSE);
}

static gboolean is_number(const gchar *text) {
    gchar *end;
    g_ascii_strtod(text, &end);
    return end != text && *end == 0;
}

static gchar *blurb(const Row *row) {
    GString *text = g_string_new(row->info.documentation);
    guint i;
    for (i = 0; i < row->info.allowed_value_count; i++)
        g_string_append_printf(text, "%s%s", i == 0 ? " Values: " : ", ", nalu_property_get_allowed_value(row->key, i));
    if (i > 0) g_string_append_c(text, '.');
    if (row->info.type == NALU_PROPERTY_TYPE_NUMBERS)
        g_string_append_printf(text, " Numbers from %.17g to %.17g: <1, 2>.", row->info.minimum, row->info.maximum);
    if (row->can_be_unset && row->info.default_value[0])
        g_string_append_printf(text, " %d, the default: %s.", UNSET, row->info.default_value);
    else if (row->can_be_unset)
        g_string_append_printf(text, " %d: not %s.", UNSET, row->info.writable ? "set" : "known yet");
    else if (row->info.type == NALU_PROPERTY_TYPE_STRING && row->info.default_value[0])
        g_string_append_printf(text, " Default: %s.", row->info.default_value);
    if (row->info.writable) g_string_append(text, row->info.live ? " Takes effect with the next frame." : " Takes effect on opening.");
    return g_string_free(text, FALSE);
}

static GParamSpec *integer_spec(const Row *row, const gchar *name, const gchar *text, GParamFlags flags) {
    gdouble minimum = isnan(row->info.minimum) ? (gdouble)G_MININT64 : row->info.minimum;
    gdouble maximum = isnan(row->info.maximum) ? (gdouble)G_MAXINT64 : row->info.maximum;
    gint64 initial = row->can_be_unset ? UNSET : g_ascii_strtoll(row->info.default_value, NULL, 10);
    if (row->can_be_unset) minimum = MIN(minimum, UNSET);
    /* A C program passes an int, unless it knows better. */
    if (minimum >= G_MININT && maximum <= G_MAXINT)
        return g_param_spec_int(name, row->key, text, (gint)minimum, (gint)maximum, (gint)initial, flags);
    return g_param_spec_int64(name, row->key, text, minimum <= (gdouble)G_MININT64 ? G_MININT64 : (gint64)minimum,
                              maximum >= (gdouble)G_MAXINT64 ? G_MAXINT64 : (gint64)maximum, initial, flags);
}

static GParamSpec *spec_for(const Row *row) {
    gchar *name_here = dashed_name(row->key), *text_here = blurb(row);
    const gchar *name = g_intern_string(name_here), *text = g_intern_string(text_here);
    GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
    gdouble minimum = row->info.minimum, initial = g_ascii_strtod(row->info.default_value, NULL);
    g_free(name_here);
    g_free(text_here);
    if (row->info.writable) flags |= G_PARAM_WRITABLE | (row->info.live ? GST_PARAM_MUTABLE_PLAYING : GST_PARAM_MUTABLE_READY);
    switch (row->info.type) {
    case NALU_PROPERTY_TYPE_BOOL:
        return g_param_spec_boolean(name, row->key, text, g_str_equal(row->info.default_value, "true"), flags);
    case NALU_PROPERTY_TYPE_INT64:
        return integer_spec(row, name, text, flags);
    case NALU_PROPERTY_TYPE_DOUBLE:
        if (row->can_be_unset) minimum = MIN(minimum, initial = UNSET);
        return g_param_spec_double(name, row->key, text, isnan(minimum) ? -G_MAXDOUBLE : minimum,
                                   isnan(row->info.maximum) ? G_MAXDOUBLE : row->info.maximum, initial, flags);
    case NALU_PROPERTY_TYPE_NUMBERS:
        return gst_param_spec_array(name, row->key, text, NULL, flags);
    default:
        return g_param_spec_string(name, row->key, text, NULL, flags);
    }
}

static void read_catalogue(void) {
    guint i;
    rows = g_new0(Row, nalu_property_get_count());
    for (i = 0; i < nalu_property_get_count(); i++) {
        Row *row = &rows[row_count];
        gboolean number;
        row->key = nalu_property_get_key(i);
        if (g_strv_contains(left_out, row->key)) continue;
        row_count++;
        row->info.struct_size = sizeof row->info;
        if (nalu_property_get_info(row->key, &row->info) != NALU_STATUS_OK) g_error("libnalu does not describe %s", row->key);
        number = row->info.type == NALU_PROPERTY_TYPE_INT64 || row->info.type == NALU_PROPERTY_TYPE_DOUBLE;
        row->can_be_unset = number && row->info.writable && !is_number(row->info.default_value);
        /* What can only be read has no range here: it would have to hold the value before there is one. */
        if (number && !row->info.writable) row->can_be_unset = TRUE;
    }
}

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
    for (i = 0; i < row_count && status == NALU_STATUS_OK; i++) {
        GArray *numbers;
        nalu_property property;
        if (!G_IS_VALUE(&self->settings[i])) continue;
        numbers = g_array_new(FALSE, FALSE, sizeof(double));
        property = property_from(&rows[i], &self->settings[i], numbers);
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

/* An interrupted session has nothing to say about a property: the next one takes the value. */
static gboolean accepts(nalu_status status) { return status == NALU_STATUS_OK || status == NALU_STATUS_INVALID_SESSION; }

/* settings_lock is held. */
static nalu_status set_row(NaluH264Enc *self, guint index, const GValue *value, GParamSpec *spec) {
    GValue *kept = &self->settings[index];
    nalu_status status = NALU_STATUS_OK;
    if (self->session != NULL && !(G_IS_VALUE(kept) && g_param_values_cmp(spec, kept, value) == 0))
        status = set_in_session(self->session, &rows[index], value);
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

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec) {
    NaluH264Enc *self = NALU_H264_ENC(object);
    nalu_status status;
    gchar *message = NULL;
    g_mutex_lock(&self->settings_lock);
    if (id == PROPERTY_PRESET)
        status = set_text(self->session, &self->preset, g_value_get_string(value), nalu_session_set_preset);
    else if (id == PROPERTY_TEXT)
        status = set_text(self->session, &self->text, g_value_get_string(value), nalu_session_set_properties_from_text);
    else
        status = set_row(self, id - FIRST_OF_CATALOGUE, value, spec);
    if (status != NALU_STATUS_OK) message = g_strdup(nalu_last_error_message());
    g_mutex_unlock(&self->settings_lock);
    if (message != NULL) GST_ELEMENT_WARNING(self, LIBRARY, SETTINGS, ("%s", message), ("%s", nalu_status_string(status)));
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

/* The value that the session uses. `value` has the default, and keeps it if there is no other. */
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
    } else {
        guint index = id - FIRST_OF_CATALOGUE;
        g_param_value_set_default(spec, value);
        if (self->session != NULL)
            get_from_session(self->session, &rows[index], value);
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
    read_catalogue();
    g_object_class_install_property(object_class, PROPERTY_PRESET,
        g_param_spec_string("preset", "Preset", "A set of properties: HighQuality, Balanced, HighSpeed or VideoConferencing; or a preset "
                            "of x264. Other properties override it. Takes effect on opening.", NULL, flags));
    g_object_class_install_property(object_class, PROPERTY_TEXT,
        g_param_spec_string("properties", "Properties", "Properties as text with Nalu's names: "
                            "AverageBitRate=2000000,DataRateLimits=[375000,1]. Other properties of the element override it.", NULL,
                            G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
    for (i = 0; i < row_count; i++) g_object_class_install_property(object_class, FIRST_OF_CATALOGUE + i, spec_for(&rows[i]));
}

void nalu_h264_enc_init_properties(NaluH264Enc *self) { self->settings = g_new0(GValue, row_count); }

void nalu_h264_enc_clear_properties(NaluH264Enc *self) {
    guint i;
    for (i = 0; i < row_count; i++)
        if (G_IS_VALUE(&self->settings[i])) g_value_unset(&self->settings[i]);
    g_free(self->settings);
    g_free(self->preset);
    g_free(self->text);
}
