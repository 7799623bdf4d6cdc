/*
 * Every property with every limit of its values, before and while encoding: the value read back, the contents
 * of the stream, or the status that properties.h promises. A new property needs a row in one of
 * properties_table_*.h.
 *
 * The test itself tries some values for each row: the value below the minimum and above the maximum, the wrong
 * type, a string that is not allowed, and unset. The row must have the others: both ends of a range, each
 * allowed string, true and false, the empty list.
 */
#include "fact_names.h"
#include "properties_table.h"
#include "properties_table_encoder.h"
#include "properties_table_picture.h"
#include "properties_table_rate.h"
#include "properties_table_structure.h"
#include "properties_table_values.h"
#include "refusal.h"
#include "sanitized.h"

static const struct { const char *file; const row *rows; size_t count; } tables[] = {
    {"Tests/c/properties_table_rate.h", rate_rows, sizeof rate_rows / sizeof *rate_rows},
    {"Tests/c/properties_table_structure.h", structure_rows, sizeof structure_rows / sizeof *structure_rows},
    {"Tests/c/properties_table_picture.h", picture_rows, sizeof picture_rows / sizeof *picture_rows},
    {"Tests/c/properties_table_encoder.h", encoder_rows, sizeof encoder_rows / sizeof *encoder_rows},
};
enum { TABLES = sizeof tables / sizeof *tables, BEFORE = 6 };

static const row *current;
static const char *current_file;
static nalu_property_info info;

static int check_row(int holds, const char *what, const char *values) {
    char where[TEXT];
    snprintf(where, sizeof where, "%s in %s: %s", current->key, current_file, what);
    return check_that(holds, __FILE__, __LINE__, where, values);
}

/* ---- Values ----------------------------------------------------------------------------------------------------- */

static void read_back(nalu_compression_session *s, char *text) { read_value(s, current->key, info.type, text); }

static void written(const char *value, char *text) { write_value(value, info.type, text); }

/* Writes the value that is read back after `a` was set. */
static void expected_text(const attempt *a, char *text) {
    if (a->reads) snprintf(text, TEXT, "%s", a->reads);
    else if (strcmp(a->value, "unset") != 0) written(a->value, text);
    else if (!current->initial) snprintf(text, TEXT, "-");
    else written(current->initial, text);
}

static nalu_status set(nalu_compression_session *s, const char *value) {
    char text[TEXT];
    snprintf(text, sizeof text, "%s=%s", current->key, value);
    return nalu_session_set_properties_from_text(s, text);
}

/* ---- One session --------------------------------------------------------------------------------------------------- */

static void scene_open(scene *s, const char *setup, const char *value) {
    memset(s, 0, sizeof *s);
    clip_open(&s->c, current->width ? current->width : 64, current->height ? current->height : 48);
    s->c.noise = current->noise ? current->noise : 24;
    char text[TEXT];
    snprintf(text, sizeof text, "%s%s%s%s%s", setup ? setup : "", setup && *setup && value ? "," : "",
             value ? current->key : "", value ? "=" : "", value ? value : "");
    const nalu_status status = nalu_session_set_properties_from_text(s->c.session, text);
    if (!check_row(status == NALU_STATUS_OK, "setup", text)) exit(EXIT_FAILURE);
}

static void scene_encode(scene *s, int32_t frames) {
    for (int32_t i = 0; i < frames; i++) {
        int64_t pending = 0;
        clip_encode(&s->c, 1);
        REQUIRE_OK(nalu_session_get_int64(s->c.session, NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES, &pending));
        if (pending > s->most_pending) s->most_pending = pending;
    }
}

static int32_t row_frames(void) { return current->frames ? current->frames : 10; }

/* Checks that every sample has the same parameter sets, and that every frame was delivered. */
static void scene_finish(scene *s) {
    size_t size = 0;
    clip_finish(&s->c);
    REQUIRE_OK(nalu_session_copy_string(s->c.session, NALU_PROPERTY_X264_EFFECTIVE, s->effective, sizeof s->effective,
                                        &size));
    for (int32_t i = 1; i < s->c.count; i++)
        CHECK(nalu_format_description_equal(nalu_sample_get_format_description(s->c.samples[0]),
                                            nalu_sample_get_format_description(s->c.samples[i])));
}

static void scene_close(scene *s) {
    CHECK_OK(nalu_compression_session_complete_frames(s->c.session, nalu_time_invalid()));
    clip_close(&s->c);
}

/* ---- One attempt ------------------------------------------------------------------------------------------------------ */

static void check_reads(scene *s, const char *expected, const char *when) {
    char is[TEXT], what[2 * TEXT];
    read_back(s->c.session, is);
    snprintf(what, sizeof what, "%s it reads \"%s\"", when, expected);
    check_row(strcmp(is, expected) == 0, what, is);
}

static int check_set(scene *s, const char *value, nalu_status expected, const char *when) {
    char what[TEXT];
    const nalu_status status = set(s->c.session, value);
    snprintf(what, sizeof what, "setting %s %s gives %s", value, when, nalu_status_string(expected));
    return check_row(status == expected, what, nalu_status_string(status));
}

/* Checks that a session set from this session's text has the same value. */
static void check_copy(scene *s, const char *expected) {
    char text[TEXT];
    size_t size = 0;
    scene copy;
    REQUIRE_OK(nalu_session_copy_properties_as_text(s->c.session, text, sizeof text, &size));
    scene_open(&copy, text, NULL);
    check_reads(&copy, expected, "as a copy");
    clip_close(&copy.c);
}

static void try_before(const attempt *a) {
    char was[TEXT], expected[TEXT], where[TEXT];
    scene s;
    scene_open(&s, a->with ? a->with : current->setup, NULL);
    read_back(s.c.session, was);
    check_set(&s, a->value, a->status, "before encoding");
    if (a->status != NALU_STATUS_OK) {
        check_reads(&s, was, "after a refusal");
        clip_close(&s.c);
        return;
    }
    expected_text(a, expected);
    check_reads(&s, expected, "before encoding");
    check_copy(&s, expected);
    if (a->opens != NALU_STATUS_OK) {
        const nalu_status status = nalu_compression_session_prepare(s.c.session);
        snprintf(where, sizeof where, "opening with %s gives %s", a->value, nalu_status_string(a->opens));
        check_row(status == a->opens, where, nalu_status_string(status));
        clip_close(&s.c);
        return;
    }
    scene_encode(&s, row_frames());
    if (!(strcmp(a->value, "unset") == 0 && !current->initial && !a->reads)) check_reads(&s, expected, "while encoding");
    scene_finish(&s);
    snprintf(where, sizeof where, "%s=%s (%s)", current->key, a->value, current_file);
    if (check_row(a->facts != NULL, "the row says nothing of the stream for", a->value))
        check_facts(&s, a->facts, __FILE__, __LINE__, where);
    scene_close(&s);
}

static void try_while_encoding(const attempt *a) {
    char was[TEXT], expected[TEXT], where[TEXT];
    const char *setup = a->with ? a->with : current->running ? current->running : current->setup;
    const char *start = a->with ? NULL : current->start;
    scene s;
    scene_open(&s, setup, start);
    scene_encode(&s, BEFORE);
    read_back(s.c.session, was);
    expected_text(a, expected);
    nalu_status status = a->late ? a->late : a->status;
    if (status == NALU_STATUS_OK && !info.live) {
        /* The current value may be set. */
        const int same = strcmp(a->value, "unset") == 0 ? !start : strcmp(was, expected) == 0;
        if (!same) status = NALU_STATUS_TOO_LATE;
    }
    check_set(&s, a->value, status, "while encoding");
    check_reads(&s, status == NALU_STATUS_OK && info.live ? expected : was, "after setting it while encoding");
    s.from = s.c.fed;
    scene_encode(&s, row_frames());
    scene_finish(&s);
    snprintf(where, sizeof where, "%s=%s while encoding (%s)", current->key, a->value, current_file);
    if (status == NALU_STATUS_OK && info.live) check_row(a->now != NULL, "`now` says nothing of the stream for", a->value);
    if (a->now) check_facts(&s, a->now, __FILE__, __LINE__, where);
    scene_close(&s);
}

/* ---- The rows ---------------------------------------------------------------------------------------------------------- */

static int has_attempt(const char *value) {
    char text[TEXT], other[TEXT];
    written(value, text);
    for (const attempt *a = current->attempts; a->value; a++) {
        written(a->value, other);
        if (strcmp(text, other) == 0) return 1;
    }
    return 0;
}

static void require_attempt(const char *value) {
    if (!has_attempt(value)) check_row(0, "the row has no attempt with", value);
}

/* The values of a property take the same way through the library, so a sanitizer tries a third of them, and of those that are
 * refused too; with each property at least one of the row. */
static int tries;

static void try_both(const attempt *a) {
    if (!is_tried(tries++)) return;
    /* ThreadSanitizer judges only what is set while another thread encodes. */
    if (!IS_THREAD_SANITIZED) try_before(a);
    try_while_encoding(a);
}

static void try_refused(const char *value, nalu_status status) {
    const attempt a = {.value = value, .status = status};
    if (!has_attempt(value)) try_both(&a);
}

/* Checks that the row has the minimum and the maximum, and that values just outside are rejected. */
static void try_bounds(void) {
    char text[64];
    const int whole = info.type == NALU_PROPERTY_TYPE_INT64 || info.type == NALU_PROPERTY_TYPE_STRING;
    if (isnan(info.minimum)) return;
    snprintf(text, sizeof text, whole ? "%.0f" : "%.17g", info.minimum);
    require_attempt(text);
    snprintf(text, sizeof text, whole ? "%.0f" : "%.17g", info.maximum);
    require_attempt(text);
    snprintf(text, sizeof text, whole ? "%.0f" : "%.17g", whole ? info.minimum - 1 : nextafter(info.minimum, -INFINITY));
    try_refused(text, NALU_STATUS_OUT_OF_RANGE);
    snprintf(text, sizeof text, whole ? "%.0f" : "%.17g", whole ? info.maximum + 1 : nextafter(info.maximum, INFINITY));
    try_refused(text, NALU_STATUS_OUT_OF_RANGE);
}

static void try_writable(void) {
    switch (info.type) {
    case NALU_PROPERTY_TYPE_BOOL:
        require_attempt("true");
        require_attempt("false");
        try_refused("2", NALU_STATUS_WRONG_TYPE);
        try_refused("word", NALU_STATUS_WRONG_TYPE);
        break;
    case NALU_PROPERTY_TYPE_INT64:
        try_bounds();
        try_refused("0.5", NALU_STATUS_WRONG_TYPE);
        try_refused("word", NALU_STATUS_WRONG_TYPE);
        break;
    case NALU_PROPERTY_TYPE_DOUBLE:
        try_bounds();
        try_refused("[1]", NALU_STATUS_WRONG_TYPE);
        break;
    case NALU_PROPERTY_TYPE_STRING:
        for (uint32_t i = 0; i < info.allowed_value_count; i++)
            require_attempt(nalu_property_get_allowed_value(current->key, i));
        try_refused("\"no such value\"", NALU_STATUS_OUT_OF_RANGE);
        /* A range is that of the codes that an integer stands for. */
        if (isnan(info.minimum)) try_refused("1", NALU_STATUS_WRONG_TYPE);
        else try_bounds();
        break;
    default:
        require_attempt("[]");
        try_refused("1", NALU_STATUS_WRONG_TYPE);
    }
    tries = 0;
    for (const attempt *a = current->attempts; a->value; a++) try_both(a);
    const attempt unset = {.value = "unset"};
    if (!has_attempt("unset")) try_both(&unset);
}

/* The first attempt's text is the value before the encoder is open, and the second attempt's text is the value
 * after. */
static void try_read_only(void) {
    const char *values[] = {"true", "1", "0.5", "word", "[1]", "unset"};
    scene s;
    scene_open(&s, current->setup, NULL);
    for (int open = 0; open < 2; open++) {
        char was[TEXT];
        if (current->attempts[open].value) check_reads(&s, current->attempts[open].value, open ? "open" : "not open");
        read_back(s.c.session, was);
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            check_set(&s, values[i], NALU_STATUS_PROPERTY_READ_ONLY, open ? "while encoding" : "before encoding");
        if (open == 0) scene_encode(&s, row_frames());
    }
    scene_finish(&s);
    if (current->read_only) check_facts(&s, current->read_only, __FILE__, __LINE__, current->key);
    scene_close(&s);
}

static void every_key_of_the_header_has_a_row(void) {
    for (uint32_t i = 0; i < nalu_property_get_count(); i++) {
        const char *key = nalu_property_get_key(i);
        int found = 0;
        if (strncmp(key, "x265.", 5) == 0) continue; /* hevc_session_test.c has the properties of the other encoder */
        for (size_t t = 0; t < TABLES; t++)
            for (size_t n = 0; n < tables[t].count; n++) found += strcmp(tables[t].rows[n].key, key) == 0;
        check_that(found == 1, __FILE__, __LINE__, "one row in Tests/c/properties_table_{rate,structure,picture,encoder}.h",
                   key);
    }
}

static void every_property_has_its_promised_effect(void) {
    const char *only = getenv("NALU_TABLE_KEY");
    for (size_t t = 0; t < TABLES; t++)
        for (size_t n = 0; n < tables[t].count; n++) {
            current = &tables[t].rows[n], current_file = tables[t].file;
            if (only && strcmp(only, current->key) != 0) continue;
            printf("  %s\n", current->key);
            info.struct_size = sizeof info;
            if (!CHECK_OK(nalu_property_get_info(current->key, &info))) continue;
            if (info.writable) try_writable();
            else try_read_only();
        }
}

int main(void) {
    RUN(every_key_of_the_header_has_a_row);
    RUN(every_property_has_its_promised_effect);
    return check_result();
}
