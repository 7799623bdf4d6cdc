/*
 * The canonical text of property values, so that set and read values can be compared.
 */
#ifndef NALU_TESTS_PROPERTIES_TABLE_VALUES_H
#define NALU_TESTS_PROPERTIES_TABLE_VALUES_H

#include "check.h"

enum { TEXT = 1024 };

/* Reads a value in the form of write_value; "-" for no value. */
static inline void read_value(nalu_compression_session *s, const char *key, int32_t type, char *text) {
    int32_t truth = 0;
    int64_t whole = 0;
    double number = 0, numbers[64];
    size_t count = 0;
    nalu_status status = NALU_STATUS_OK;
    switch (type) {
    case NALU_PROPERTY_TYPE_BOOL:
        status = nalu_session_get_bool(s, key, &truth);
        snprintf(text, TEXT, "%s", truth ? "true" : "false");
        break;
    case NALU_PROPERTY_TYPE_INT64:
        status = nalu_session_get_int64(s, key, &whole);
        snprintf(text, TEXT, "%lld", (long long)whole);
        break;
    case NALU_PROPERTY_TYPE_DOUBLE:
        status = nalu_session_get_double(s, key, &number);
        snprintf(text, TEXT, "%.17g", number);
        break;
    case NALU_PROPERTY_TYPE_STRING:
        status = nalu_session_copy_string(s, key, text, TEXT, &count);
        break;
    default:
        status = nalu_session_copy_numbers(s, key, numbers, sizeof numbers / sizeof *numbers, &count);
        int used = snprintf(text, TEXT, "[");
        for (size_t i = 0; status == NALU_STATUS_OK && i < count; i++)
            used += snprintf(text + used, (size_t)(TEXT - used), "%s%.17g", i ? "," : "", numbers[i]);
        snprintf(text + used, (size_t)(TEXT - used), "]");
    }
    if (status == NALU_STATUS_OK || status == NALU_STATUS_BUFFER_TOO_SMALL) return;
    check_that(status == NALU_STATUS_VALUE_NOT_AVAILABLE, __FILE__, __LINE__, key, nalu_status_string(status));
    snprintf(text, TEXT, "-");
}

static inline void write_value(const char *value, int32_t type, char *text) {
    const size_t length = strlen(value);
    char *number_end = NULL;
    const double number = strtod(value, &number_end);
    if (type == NALU_PROPERTY_TYPE_DOUBLE && number_end != value) {
        snprintf(text, TEXT, "%.17g", number);
    } else if (type == NALU_PROPERTY_TYPE_NUMBERS && value[0] == '[') {
        int used = snprintf(text, TEXT, "[");
        for (const char *at = value + 1; *at && *at != ']';) {
            char *end = NULL;
            used += snprintf(text + used, (size_t)(TEXT - used), "%s%.17g", used > 1 ? "," : "", strtod(at, &end));
            at = *end == ',' ? end + 1 : end;
        }
        snprintf(text + used, (size_t)(TEXT - used), "]");
    } else if (value[0] == '"') {
        snprintf(text, TEXT, "%.*s", (int)length - 2, value + 1);
    } else {
        snprintf(text, TEXT, "%s", value);
    }
}

#endif
