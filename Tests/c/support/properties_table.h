/*
 * The table of Tests/c/properties/properties_test.c: a row for each property, with the values to try.
 */
#ifndef NALU_TESTS_PROPERTIES_TABLE_H
#define NALU_TESTS_PROPERTIES_TABLE_H

#include <nalu/nalu.h>

/* Rows omit fields that are 0. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

typedef struct attempt {
    const char *value;    /* as text, without the key; "unset" restores the default */
    const char *facts;    /* facts of the stream if set before encoding (fact_names.h), or NULL */
    nalu_status status;   /* result of the call before encoding */
    nalu_status opens;    /* result of the first frame after that call */
    const char *with;     /* other properties that replace the row's setup, running and start */
    const char *reads;    /* text read back if different from `value`; "-" for no value */
    nalu_status late;     /* result of the call while encoding; 0: as nalu_property_info states */
    const char *now;      /* facts of the samples after the change while encoding */
} attempt;

enum { ATTEMPTS_MOST = 48 };

typedef struct row {
    const char *key;
    const char *setup;    /* properties that the key needs, as text; or NULL */
    const char *initial;  /* text read while unset; NULL: no value */
    const char *start;    /* value before the change while encoding; NULL: unset */
    const char *running;  /* setup while encoding if different from `setup` */
    int32_t width, height, frames, noise; /* 0 means 64, 48, 10, 24 */
    const char *read_only; /* for a read-only key: facts of a stream, in addition to the read value */
    attempt attempts[ATTEMPTS_MOST];
} row;

#endif
