/*
 * nalu/media.h - containers and decoding, over FFmpeg's libavformat and libavcodec. Includes all
 * headers of libnalumedia.
 *
 * It is a second library, so that programs that only encode never load FFmpeg. It shares the types,
 * error messages and conventions of nalu.h. Link both: -lnalumedia -lnalu.
 *
 * The library leaves signals as the program has them, as nalu.h says, and raises no SIGPIPE.
 * FFmpeg's log messages go where the program directs them (av_log_set_callback; stderr by default).
 * The Python wheel has an FFmpeg of its own, which no program can direct and which logs nothing.
 * Messages of decoders about damaged streams are lowered by 32 levels, so that FFmpeg's default
 * level prints none of them. While FFmpeg reads or writes a container on a client's thread, the
 * callback for log messages finds a decimal point in the thread's locale.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_MEDIA_H
#define NALU_MEDIA_H

#include "nalu.h"
#include "media/cut.h"
#include "media/decompression_session.h"
#include "media/reader.h"
#include "media/writer.h"

#endif
