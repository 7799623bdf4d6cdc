/*
 * A list of properties that are set together, so that their order does not matter.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoder.h"

struct NaluSettings {
    GArray *properties; /* an array of nalu_property; `strings` and `numbers` own the memory of the values */
    GStringChunk *strings;
    GPtrArray *numbers;
};

NaluSettings *nalu_settings_new(void) {
    NaluSettings *settings = g_new0(NaluSettings, 1);
    settings->properties = g_array_new(FALSE, FALSE, sizeof(nalu_property));
    settings->strings = g_string_chunk_new(256);
    settings->numbers = g_ptr_array_new_with_free_func(g_free);
    return settings;
}

void nalu_settings_free(NaluSettings *settings) {
    g_array_unref(settings->properties);
    g_string_chunk_free(settings->strings);
    g_ptr_array_unref(settings->numbers);
    g_free(settings);
}

static nalu_property *find(const NaluSettings *settings, const gchar *key) {
    guint i;
    for (i = 0; i < settings->properties->len; i++) {
        nalu_property *property = &g_array_index(settings->properties, nalu_property, i);
        if (g_str_equal(property->key, key)) return property;
    }
    return NULL;
}

gboolean nalu_settings_has(const NaluSettings *settings, const gchar *key) { return find(settings, key) != NULL; }

void nalu_settings_add(NaluSettings *settings, const nalu_property *property) {
    nalu_property copy = *property, *earlier = find(settings, property->key);
    copy.key = g_string_chunk_insert_const(settings->strings, property->key);
    if (property->string != NULL) copy.string = g_string_chunk_insert(settings->strings, property->string);
    if (property->number_count > 0) {
        copy.numbers = g_memdup2(property->numbers, property->number_count * sizeof(double));
        g_ptr_array_add(settings->numbers, (gpointer)copy.numbers);
    }
    if (earlier != NULL)
        *earlier = copy;
    else
        g_array_append_val(settings->properties, copy);
}

void nalu_settings_add_integer(NaluSettings *settings, const gchar *key, gint64 value) {
    nalu_property property = {.key = key, .type = NALU_PROPERTY_TYPE_INT64, .integer = value};
    if (!nalu_settings_has(settings, key)) nalu_settings_add(settings, &property);
}

void nalu_settings_add_double(NaluSettings *settings, const gchar *key, gdouble value) {
    nalu_property property = {.key = key, .type = NALU_PROPERTY_TYPE_DOUBLE, .number = value};
    if (!nalu_settings_has(settings, key)) nalu_settings_add(settings, &property);
}

void nalu_settings_add_string(NaluSettings *settings, const gchar *key, const gchar *value) {
    nalu_property property = {.key = key, .type = NALU_PROPERTY_TYPE_STRING, .string = value};
    if (!nalu_settings_has(settings, key)) nalu_settings_add(settings, &property);
}

void nalu_settings_add_numbers(NaluSettings *settings, const gchar *key, const gdouble *values, guint count) {
    nalu_property property = {.key = key, .type = NALU_PROPERTY_TYPE_NUMBERS, .numbers = values, .number_count = count};
    if (!nalu_settings_has(settings, key)) nalu_settings_add(settings, &property);
}

nalu_status nalu_settings_apply(const NaluSettings *settings, nalu_compression_session *session) {
    return nalu_session_set_properties(session, (const nalu_property *)(gconstpointer)settings->properties->data,
                                       settings->properties->len);
}
