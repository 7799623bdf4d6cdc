/*
 * CoreMedia/CMTaggedBufferGroup.h - several images for one time. None is ever made here.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CMTAGGEDBUFFERGROUP_H
#define CMTAGGEDBUFFERGROUP_H

#include <CoreMedia/CMBase.h>

/* The images of the views of multi-view video. Its only use is as the type of parameters. */
typedef struct CF_BRIDGED_TYPE(id) OpaqueCMTaggedBufferGroup *CMTaggedBufferGroupRef;

#endif
