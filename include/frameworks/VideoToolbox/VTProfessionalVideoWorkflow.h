/**
 * @file
 * Codecs that a Mac loads on request.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VTPROFESSIONALVIDEOWORKFLOW_H
#define VTPROFESSIONALVIDEOWORKFLOW_H

#include <VideoToolbox/VTBase.h>

CF_IMPLICIT_BRIDGING_ENABLED

/** Accepted without effect: such codecs do not exist here. */
VT_EXPORT void VTRegisterProfessionalVideoWorkflowVideoDecoders(void);
VT_EXPORT void VTRegisterProfessionalVideoWorkflowVideoEncoders(void);

CF_IMPLICIT_BRIDGING_DISABLED

#endif
