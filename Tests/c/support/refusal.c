#include "refusal.h"

int check_refused(nalu_status is, nalu_status expected, const char *const *words, const char *file,
                  int line, const char *what) {
    int good = check_statuses(is, expected, file, line, what);
    for (; *words; words++) {
        char values[160];
        snprintf(values, sizeof values, "the message does not contain \"%s\"", *words);
        good &= check_that(strstr(nalu_last_error_message(), *words) != NULL, file, line, what, values);
    }
    return good;
}
