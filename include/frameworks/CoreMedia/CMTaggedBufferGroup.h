/**
 * @file
 * Several images of one time. None is ever created here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CMTAGGEDBUFFERGROUP_H
#define CMTAGGEDBUFFERGROUP_H

#include <CoreMedia/CMBase.h>

/** The images of the views of multi-view video. The type is used only for parameters. */
typedef struct CF_BRIDGED_TYPE(id) OpaqueCMTaggedBufferGroup *CMTaggedBufferGroupRef;

#endif
