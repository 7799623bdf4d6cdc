/*
 * A locale with a decimal comma (German). If the machine has none, localedef makes one in a directory of the
 * test. This needs the package `locales`, which scripts/setup installs.
 *
 *     comma_locale_enter();
 *     CHECK_NEAR(strtod("0,5", NULL), 0.5, 0);
 *     comma_locale_leave();
 */
#ifndef NALU_TESTS_COMMA_LOCALE_H
#define NALU_TESTS_COMMA_LOCALE_H

#include "check.h"
#include "sanitized.h"

#include <locale.h>
#include <unistd.h>

static char comma_locale_directory[] = "/tmp/nalu-locale-test-XXXXXX";
static char comma_locale_name[64];

static inline void comma_locale_remove(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", comma_locale_directory);
    if (system(command) != 0) fprintf(stderr, "locale: %s is left\n", comma_locale_directory);
}

static inline void comma_locale_make(void) {
    char command[256];
    REQUIRE(mkdtemp(comma_locale_directory));
    atexit(comma_locale_remove);
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8'", comma_locale_directory);
    if (system(command) != 0) fprintf(stderr, "locale: the package `locales` is missing; run scripts/setup\n");
    setenv("LOCPATH", comma_locale_directory, 1);
}

static inline void comma_locale_enter(void) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE"};
    for (int made = 0; !comma_locale_name[0]; made = 1) {
        for (size_t i = 0; i < sizeof names / sizeof *names && !comma_locale_name[0]; i++)
            if (setlocale(LC_ALL, names[i]))
                snprintf(comma_locale_name, sizeof comma_locale_name, "%s", names[i]);
        REQUIRE(comma_locale_name[0] || !made);
        if (!comma_locale_name[0]) comma_locale_make();
    }
    REQUIRE(setlocale(LC_ALL, comma_locale_name));
    REQUIRE(strtod("0,5", NULL) > 0.4);
}

/* Returns a locale object. newlocale of the C library leaks the path in LOCPATH, which is not Nalu's leak. */
static inline locale_t comma_locale_object(void) {
#if IS_ADDRESS_SANITIZED
    __lsan_disable();
#endif
    const locale_t made = newlocale(LC_ALL_MASK, comma_locale_name, (locale_t)0);
#if IS_ADDRESS_SANITIZED
    __lsan_enable();
#endif
    REQUIRE(made);
    return made;
}

static inline void comma_locale_leave(void) {
    REQUIRE(setlocale(LC_ALL, "C"));
}

#endif
