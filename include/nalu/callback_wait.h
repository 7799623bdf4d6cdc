/**
 * @file
 * Allows a callback to wait for other sessions.
 *
 * Inside a callback, a call that would wait for a session returns NALU_STATUS_WOULD_BLOCK. Some
 * callbacks have to wait, for example to encode the images that another session decodes.
 * nalu_callback_allow_waits allows that. Afterwards only a wait that would cause a deadlock is
 * refused: a wait for a session that itself waits for the callback, directly or through further
 * sessions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_CALLBACK_WAIT_H
#define NALU_CALLBACK_WAIT_H

#include "base.h"

NALU_BEGIN_DECLS

/**
 * Sets whether the callbacks of the calling session may wait for other sessions. The call has an
 * effect only inside a callback of that session.
 *
 * @param allowed 1: calls wait, unless that would cause a deadlock. 0, the initial state: calls
 *   return NALU_STATUS_WOULD_BLOCK. Other values mean 1.
 * - Takes effect: at once, for this callback and all later ones of the session.
 */
NALU_API void nalu_callback_allow_waits(int32_t allowed);

NALU_END_DECLS

#endif
