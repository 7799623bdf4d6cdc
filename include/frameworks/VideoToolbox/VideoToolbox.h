/**
 * @file
 * Compression and decompression sessions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VIDEOTOOLBOX_H
#define VIDEOTOOLBOX_H

#include <CoreMedia/CoreMedia.h>
#include <CoreVideo/CoreVideo.h>

#include <VideoToolbox/VTBase.h>
#include <VideoToolbox/VTCompressionProperties.h>
#include <VideoToolbox/VTCompressionSession.h>
#include <VideoToolbox/VTDecompressionProperties.h>
#include <VideoToolbox/VTDecompressionSession.h>
#include <VideoToolbox/VTErrors.h>
#include <VideoToolbox/VTFrameSilo.h>
#include <VideoToolbox/VTMultiPassStorage.h>
#include <VideoToolbox/VTPixelRotationProperties.h>
#include <VideoToolbox/VTPixelRotationSession.h>
#include <VideoToolbox/VTPixelTransferProperties.h>
#include <VideoToolbox/VTPixelTransferSession.h>
#include <VideoToolbox/VTProfessionalVideoWorkflow.h>
#include <VideoToolbox/VTSession.h>
#include <VideoToolbox/VTUtilities.h>
#include <VideoToolbox/VTVideoEncoderList.h>

#endif
