/*
 * Sample buffers as Annex B, for files and networks that know no format descriptions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ANNEX_B_H
#define ANNEX_B_H

#include <CoreMedia/CoreMedia.h>
#include <stdio.h>

/* Writes the NAL units of a sample buffer of H.264 or H.265 with start codes. The parameter sets of its format
 * description precede a key frame. Returns noErr, a status, or -1 if the file cannot be written. */
OSStatus annex_b_write(CMSampleBufferRef sample, FILE *file);

#endif
