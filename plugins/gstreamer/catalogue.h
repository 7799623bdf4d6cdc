/*
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_GSTREAMER_CATALOGUE_H
#define NALU_GSTREAMER_CATALOGUE_H

#include <gst/gst.h>
#include <nalu/nalu.h>

/** The value of a number that is not set. */
#define UNSET (-1)

/** A property of the catalogue. */
typedef struct {
    const gchar *key;
    nalu_property_info info;
    gboolean can_be_unset; /* UNSET stands for "not set" */
} Row;

/** The properties of the element, after nalu_read_catalogue. */
extern Row *nalu_rows;
extern guint nalu_row_count;

/** Fills the rows. Call it once, before any other use of this header. */
void nalu_read_catalogue(void);
/** Returns the specification of the row's GObject property. */
GParamSpec *nalu_row_spec(const Row *row);

#endif
