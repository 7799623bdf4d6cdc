/* Functions that return no status, called with NULL or with a handle of no object: they return the value for nothing. */
#ifndef NALU_TESTS_NO_OBJECT_H
#define NALU_TESTS_NO_OBJECT_H

#include "check.h"

void check_no_pixel_buffer(nalu_pixel_buffer *none);

/* `format` is an object, to which nothing is equal. */
void check_no_format(nalu_format_description *none, nalu_format_description *format);

void check_no_sample(nalu_sample *none);

#endif
