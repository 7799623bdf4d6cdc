/*
 * The names of facts about a stream, for tables of expectations.
 *
 *     check_facts(&s, "profile=77 idr>=2 nal(12)=0 x264.subme=7", __FILE__, __LINE__, "ProfileLevel=...");
 */
#ifndef NALU_TESTS_FACT_NAMES_H
#define NALU_TESTS_FACT_NAMES_H

#include "scaling_facts.h"

static const struct { const char *name; fact_function *function; } facts[] = {
    {"profile", fact_profile}, {"constraints", fact_constraints}, {"level", fact_level}, {"depth", fact_depth},
    {"coded_height", fact_coded_height}, {"width", fact_width}, {"height", fact_height}, {"crop_left", fact_crop_left},
    {"crop_top", fact_crop_top}, {"frame_mbs_only", fact_frame_mbs_only}, {"refs", fact_refs},
    {"poc_type", fact_poc_type}, {"sar_h", fact_sar_h}, {"sar_v", fact_sar_v}, {"primaries", fact_primaries},
    {"transfer", fact_transfer}, {"matrix", fact_matrix}, {"chroma", fact_chroma}, {"reorder", fact_reorder}, {"nal_hrd", fact_nal_hrd},
    {"fps", fact_fps}, {"cabac", fact_cabac}, {"hrd_rate", fact_hrd_rate}, {"hrd_buffer", fact_hrd_buffer}, {"hrd_cbr", fact_hrd_cbr}, {"init_qp", fact_init_qp}, {"samples", fact_samples}, {"nal", fact_nal}, {"sei", fact_sei},
    {"pic_struct", fact_pic_struct}, {"type", fact_type}, {"idr", fact_idr}, {"partial", fact_partial},
    {"early", fact_early}, {"slices", fact_slices}, {"slice_bytes", fact_slice_bytes}, {"window", fact_window},
    {"bytes", fact_bytes}, {"qp_least", fact_qp_least}, {"qp_most", fact_qp_most}, {"qp_rise", fact_qp_rise},
    {"size_ratio", fact_size_ratio}, {"tokens", fact_tokens}, {"disposable", fact_disposable}, {"pending", fact_pending},
    {"frame_flags", fact_frame_flags}, {"other_size", fact_other_size},
    {"metrics", fact_metrics},
    {"white_columns", fact_white_columns}, {"white_rows", fact_white_rows},
};

static inline double fact_value(const scene *s, const char *name, double argument) {
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (strcmp(facts[i].name, name) == 0) return facts[i].function(s, argument);
    check_that(0, __FILE__, __LINE__, "a fact that stream_facts.h has", name);
    return NAN;
}

/* For "x264.name=value": returns 1 if x264.effective contains this option. For "x264.name": returns 1 if
 * x264.effective lacks the option. */
static inline int fact_of_x264(const scene *s, const char *option, char *is, size_t capacity) {
    const char *end = strchr(option, '=');
    const size_t length = end ? (size_t)(end - option) : strlen(option);
    for (const char *at = s->effective; at && *at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        if (strncmp(at, option, length) != 0 || at[length] != '=') continue;
        snprintf(is, capacity, "%.*s", (int)strcspn(at, ":"), at);
        return strcmp(is, option) == 0;
    }
    snprintf(is, capacity, "none");
    return !end;
}

/* Checks facts with spaces between them: NAME or NAME(ARGUMENT), one of = < > <= >=, and a number. */
static inline void check_facts(const scene *s, const char *all, const char *file, int line, const char *where) {
    char words[512], *rest = NULL;
    snprintf(words, sizeof words, "%s", all);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char what[700], is[128], name[40] = "";
        int holds;
        if (strncmp(word, "x264.", 5) == 0) {
            holds = fact_of_x264(s, word + 5, is, sizeof is);
        } else {
            const char *sign = word + strcspn(word, "=<>"), *open = strchr(word, '(');
            const size_t length = (size_t)((open && open < sign ? open : sign) - word);
            const double expected = strtod(sign + 1 + (*sign && sign[1] == '='), NULL);
            snprintf(name, sizeof name, "%.*s", (int)length, word);
            const double value = fact_value(s, name, open && open < sign ? strtod(open + 1, NULL) : 0);
            holds = (*sign == '<' && value < expected) || (*sign == '>' && value > expected)
                || ((*sign == '=' || (*sign && sign[1] == '=')) && fabs(value - expected) < 1e-6);
            snprintf(is, sizeof is, "%.9g", value);
        }
        snprintf(what, sizeof what, "%s: %s", where, word);
        check_that(holds, file, line, what, is);
    }
}

#endif
