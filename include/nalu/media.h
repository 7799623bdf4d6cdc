/*
 * nalu/media.h - containers and decoding, over FFmpeg's libavformat and libavcodec: the library libnalumedia.so.0.
 *
 * A second library, so that programs which only encode never load FFmpeg. Its samples and format
 * descriptions are those of nalu.h, its errors are told by nalu_last_error_message, and ownership and
 * threads are as nalu.h says. Link both: -lnalumedia -lnalu.
 *
 * It leaves signals as the program has them, as nalu.h says, and raises no SIGPIPE. FFmpeg's log, if there is something to say, goes where the
 * program lets it go (av_log_set_callback; by default stderr). What decoders say of damaged streams is marked down by 32
 * levels, so that nothing of it is printed at FFmpeg's default level.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_MEDIA_H
#define NALU_MEDIA_H

#include "nalu.h"
#include "media/decompression_session.h"
#include "media/reader.h"
#include "media/writer.h"

#endif
