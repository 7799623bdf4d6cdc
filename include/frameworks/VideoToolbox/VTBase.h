/*
 * VideoToolbox/VTBase.h - what every header of VideoToolbox needs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VTBASE_H
#define VTBASE_H

#include <CoreMedia/CMBase.h>

#ifdef __cplusplus
#define VT_EXPORT extern "C"
#else
#define VT_EXPORT extern
#endif

#endif
