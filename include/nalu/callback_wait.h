/*
 * nalu/callback_wait.h - waits for sessions, followed beyond this library.
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
 * Lets the callbacks of one session wait for other sessions, or no longer. Called inside a callback
 * of that session; elsewhere it has no effect.
 *
 * allowed: 1: wait, unless that would close a circle. 0, as at the beginning: return
 *   NALU_STATUS_WOULD_BLOCK. Other values are taken for 1.
 * Takes effect: at once, for this callback and all later ones of the session.
 */
NALU_API void nalu_callback_allow_waits(int32_t allowed);

/*
 * Says that the calling thread calls the client of owner, as long as the thread lives.
 *
 * owner: any address that belongs to nobody else meanwhile. NULL: the thread calls nobody.
 */
NALU_API void nalu_callback_thread_set_owner(const void *owner);

/*
 * Begins a wait for the thread of owner. To be called before the calling thread waits.
 *
 * Returns 1 if the thread may wait; nalu_callback_wait_end must follow. Returns 0 if waits
 * are not allowed, or the wait would close a circle. A thread that calls no client may always wait.
 */
NALU_API int32_t nalu_callback_wait_begin(const void *owner);

/* Ends the wait of the calling thread. */
NALU_API void nalu_callback_wait_end(void);

NALU_END_DECLS

#endif
