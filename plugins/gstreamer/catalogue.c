/*
 * The catalogue of the loaded libnalu, as specifications of GObject properties.
 *
 * AverageBitRate becomes average-bit-rate, NaluAllowBPyramid allow-b-pyramid, and x264.preset x264-preset. A number without a
 * numeric default is -1 while it is not set.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "catalogue.h"

#include <math.h>
#include <string.h>

/* Properties that are left out: a session has the size of the caps, so frames are never scaled; and the element encodes H.264. */
static const gchar *const left_out[] = {NALU_PROPERTY_ALLOW_SCALING, NALU_PROPERTY_PIXEL_TRANSFER_PROPERTIES, NALU_PROPERTY_X265_PRESET,
                                        NALU_PROPERTY_X265_EFFECTIVE, NULL};

Row *nalu_rows;
guint nalu_row_count;

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
    if (row->can_be_unset) minimum = row->info.writable ? MIN(minimum, UNSET) : UNSET;
    /* C programs pass an int to g_object_set, so int64 is used only if the range needs it. */
    if (minimum >= G_MININT && maximum <= G_MAXINT)
        return g_param_spec_int(name, row->key, text, (gint)minimum, (gint)maximum, (gint)initial, flags);
    return g_param_spec_int64(name, row->key, text, minimum <= (gdouble)G_MININT64 ? G_MININT64 : (gint64)minimum,
                              maximum >= (gdouble)G_MAXINT64 ? G_MAXINT64 : (gint64)maximum, initial, flags);
}

GParamSpec *nalu_row_spec(const Row *row) {
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

void nalu_read_catalogue(void) {
    guint i;
    nalu_rows = g_new0(Row, nalu_property_get_count());
    for (i = 0; i < nalu_property_get_count(); i++) {
        Row *row = &nalu_rows[nalu_row_count];
        gboolean number;
        row->key = nalu_property_get_key(i);
        if (g_strv_contains(left_out, row->key)) continue;
        nalu_row_count++;
        row->info.struct_size = sizeof row->info;
        if (nalu_property_get_info(row->key, &row->info) != NALU_STATUS_OK) g_error("libnalu does not describe %s", row->key);
        number = row->info.type == NALU_PROPERTY_TYPE_INT64 || row->info.type == NALU_PROPERTY_TYPE_DOUBLE;
        row->can_be_unset = number && row->info.writable && !is_number(row->info.default_value);
        /* The range of a read-only number must include -1, its value before the session is open. */
        if (number && !row->info.writable) row->can_be_unset = TRUE;
    }
}
