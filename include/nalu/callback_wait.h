/*
 * nalu/callback_wait.h - which waits inside callbacks are allowed.
 *
 * Inside a callback, a call that would wait for a session returns NALU_STATUS_WOULD_BLOCK. A
 * program whose callback is to wait, for example to encode what another session decodes, allows it
 * with nalu_callback_allow_waits. Then only the wait that would close a circle is refused: that for
 * a session which waits for the callback, directly or through further sessions.
 *
 * A library that calls its clients from threads of its own, and has functions that wait for these
 * threads, takes part with the other functions. libnalumedia does. Programs do not need them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_CALLBACK_WAIT_H
#define NALU_CALLBACK_WAIT_H

#include "base.h"

NALU_BEGIN_DECLS

/*
 * Sets whether the callbacks of the calling session may wait for other sessions. Called inside a
 * callback of that session; elsewhere it has no effect.
 *
 * allowed: 1: wait, unless that would close a circle. 0, as at the beginning: return
 *   NALU_STATUS_WOULD_BLOCK. Other values are taken for 1.
 * Takes effect: at once, for this callback and all later ones of the session.
 */
NALU_API void nalu_callback_allow_waits(int32_t allowed);

/*
 * Declares that the calling thread runs the callbacks of owner, until it ends or the function is
 * called again.
 *
 * owner: any address that is unique during that time. NULL: the thread runs no callbacks.
 */
NALU_API void nalu_callback_thread_set_owner(const void *owner);

/*
 * Begins a wait for the thread of owner. To be called before the calling thread waits.
 *
 * Returns 1 if the thread may wait; nalu_callback_wait_end must follow. Returns 0 inside a callback
 * if waits are not allowed, or if this wait would close a circle. A thread that runs no callbacks
 * may always wait. Returns 1 also for the thread's own owner: the caller refuses that wait.
 */
NALU_API int32_t nalu_callback_wait_begin(const void *owner);

/* Ends the wait of the calling thread. */
NALU_API void nalu_callback_wait_end(void);

NALU_END_DECLS

#endif
