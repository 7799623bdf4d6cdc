/**
 * @file
 * Capture; containers and decoding, over FFmpeg's libavformat and libavcodec. Includes nalu.h and
 * all headers of nalu/media.
 *
 * libnalu loads FFmpeg at the first call that needs it: see nalu/media/load.h. Programs that only
 * encode never load FFmpeg.
 *
 * These functions leave signals as the program has them (see nalu.h) and raise no SIGPIPE. The
 * program controls FFmpeg's log messages (av_log_set_callback; stderr by default). The Python wheel
 * contains its own FFmpeg, which logs nothing and which programs cannot control. Decoder messages
 * about corrupt streams are lowered by 32 levels, so that FFmpeg's default level prints none of
 * them. While FFmpeg reads or writes a container on a client's thread, that thread's locale has a
 * decimal point, also in the log callback.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_MEDIA_H
#define NALU_MEDIA_H

#include "nalu.h"
#include "media/audio_encoder.h"
#include "media/capture.h"
#include "media/chunk_plan.h"
#include "media/chunk_work.h"
#include "media/cut.h"
#include "media/decompression_session.h"
#include "media/delay.h"
#include "media/display_queue.h"
#include "media/load.h"
#include "media/publisher.h"
#include "media/reader.h"
#include "media/writer.h"

#endif
