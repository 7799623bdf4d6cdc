/**
 * @file
 * Functions that belong to no session.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VTUTILITIES_H
#define VTUTILITIES_H

#include <VideoToolbox/VTBase.h>

CF_IMPLICIT_BRIDGING_ENABLED

/**
 * Accepted without effect: no decoder has to be registered.
 *
 * codecType: a CMVideoCodecType.
 */
VT_EXPORT void VTRegisterSupplementalVideoDecoderIfAvailable(FourCharCode codecType);

CF_IMPLICIT_BRIDGING_DISABLED

#endif
