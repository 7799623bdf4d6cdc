/*
 * The threads of an encoder of x265. x265 3.5 starts them in x265_encoder_open, and ignores a failure of pthread_create: it
 * then waits for ever for the thread, in x265_encoder_open, at a later frame or in x265_encoder_close.
 */
#ifndef NALU_CX265_THREADS_H
#define NALU_CX265_THREADS_H

#include <x265.h>

/*
 * Opens an encoder that starts at most `count` threads. These are created first, and x265's calls of pthread_create
 * receive them, so that neither another session nor another process can take them in between. The call of pthread_create in
 * libx265 is redirected for that; in other threads, for example in those of a program that uses libx265 itself, it does what
 * it did.
 *
 * Returns NULL if a thread cannot be created, with the error of pthread_create in *error, or if x265 does not open an
 * encoder, with 0 in *error. No thread remains then.
 */
x265_encoder *nalu_x265_open(const x265_api *api, x265_param *param, int count, int *error);

#endif
