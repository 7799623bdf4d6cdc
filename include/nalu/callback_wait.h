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
 * The other functions are for libraries that call their clients from their own threads and have
 * functions that wait for these threads. Programs do not need them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
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

/**
 * Declares that the calling thread runs the callbacks of owner. The declaration holds until the
 * thread ends or calls the function again.
 *
 * @param owner any address that is unique during that time. NULL: the thread runs no callbacks.
 */
NALU_API void nalu_callback_thread_set_owner(const void *owner);

/**
 * Begins a wait for the thread of owner. The caller must call this before it waits.
 *
 * Returns 1 if the thread may wait; nalu_callback_wait_end must follow. Returns 0 inside a callback
 * if waits are not allowed, or if this wait would cause a deadlock. A thread that runs no callbacks
 * may always wait. The result is also 1 for the thread's own owner: the caller must refuse that
 * wait.
 */
NALU_API int32_t nalu_callback_wait_begin(const void *owner);

/** Ends the wait of the calling thread. */
NALU_API void nalu_callback_wait_end(void);

NALU_END_DECLS

#endif
