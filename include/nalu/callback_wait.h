/*
 * nalu/callback_wait.h - waits for sessions, followed beyond this library.
 *
 * A session's callback may wait for another session, unless that one waits for the callback,
 * directly or through further sessions: the wait that would close such a circle returns
 * NALU_STATUS_WOULD_BLOCK. A library that calls its clients from threads of its own, and has
 * functions that wait for these threads, takes part with the functions here. libnalumedia does.
 * Programs do not need them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_CALLBACK_WAIT_H
#define NALU_CALLBACK_WAIT_H

#include "base.h"

NALU_BEGIN_DECLS

/*
 * Says that the calling thread calls the client of owner, as long as the thread lives.
 *
 * owner: any address that belongs to nobody else meanwhile. NULL: the thread calls nobody.
 */
NALU_API void nalu_callback_thread_set_owner(const void *owner);

/*
 * Begins a wait for the thread of owner. To be called before the calling thread waits.
 *
 * Returns 1 if the thread may wait; nalu_callback_wait_end must follow. Returns 0 if the wait would
 * close a circle. A thread that calls no client may always wait.
 */
NALU_API int32_t nalu_callback_wait_begin(const void *owner);

/* Ends the wait of the calling thread. */
NALU_API void nalu_callback_wait_end(void);

NALU_END_DECLS

#endif
