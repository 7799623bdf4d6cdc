/*
 * The table of Tests/c/properties/properties_test.c: a row for each property, with the values to try.
 */
#ifndef NALU_TESTS_PROPERTIES_TABLE_H
#define NALU_TESTS_PROPERTIES_TABLE_H

#include <nalu/nalu.h>

/* Rows leave out what is 0. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

typedef struct attempt {
    const char *value;    /* as text, without the key; "unset" restores the default */
    const char *facts;    /* of the stream when it is set before encoding (fact_names.h), or NULL */
    nalu_status status;   /* when it is set before encoding */
    nalu_status opens;    /* of the first frame then */
    const char *with;     /* other properties, in the place of the row's setup, running and start */
    const char *reads;    /* what is read back when that is another text; "-" for no value */
    nalu_status late;     /* when it is set while encoding; 0: what nalu_property_info says of the key */
    const char *now;      /* facts of the samples after the change while encoding */
} attempt;

enum { ATTEMPTS_MOST = 48 };

typedef struct row {
    const char *key;
    const char *setup;    /* properties that it needs, as text; or NULL */
    const char *initial;  /* what is read while it is unset; NULL: nothing */
    const char *start;    /* the value that changes while encoding begin from; NULL: unset */
    const char *running;  /* the setup while encoding when that is another */
    int32_t width, height, frames, noise; /* 0: 64, 48, 10, 24 */
    const char *read_only; /* for what cannot be set: the facts of a stream, beside what is read */
    attempt attempts[ATTEMPTS_MOST];
} row;

#endif
