/**
 * @file
 * Times, sample buffers, format descriptions, queues and clocks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef COREMEDIA_H
#define COREMEDIA_H

#include <CoreMedia/CMAttachment.h>
#include <CoreMedia/CMBase.h>
#include <CoreMedia/CMBlockBuffer.h>
#include <CoreMedia/CMBufferQueue.h>
#include <CoreMedia/CMFormatDescription.h>
#include <CoreMedia/CMFormatDescriptionBridge.h>
#include <CoreMedia/CMMemoryPool.h>
#include <CoreMedia/CMSampleBuffer.h>
#include <CoreMedia/CMSimpleQueue.h>
#include <CoreMedia/CMSync.h>
#include <CoreMedia/CMTaggedBufferGroup.h>
#include <CoreMedia/CMTime.h>
#include <CoreMedia/CMTimeRange.h>

#endif
