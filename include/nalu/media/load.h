/**
 * @file
 * FFmpeg's libraries, which are loaded by the first call that needs them.
 *
 * libnalu is not linked with FFmpeg, so that programs that only encode never load it. The functions
 * of nalu/media.h that create an object or cut a file load libavutil, libswresample, libavcodec
 * and libavformat, of the major versions that libnalu was built with. Libraries of these versions
 * that the process has loaded already are used. If one cannot be loaded, the function fails with
 * NALU_STATUS_COULD_NOT_CREATE_INSTANCE, and the error message names the library and its package.
 * The next call tries again. Loaded libraries stay loaded until the process ends.
 *
 * The library of the Python wheel contains FFmpeg and loads nothing.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_MEDIA_LOAD_H
#define NALU_MEDIA_LOAD_H

#include "../base.h"

NALU_BEGIN_DECLS

/**
 * Loads FFmpeg's libraries, unless they are loaded. Programs need not call this function. It shows
 * early whether containers and decoding work, and the first media call then takes less time.
 *
 * @return NALU_STATUS_OK, or:
 * @retval NALU_STATUS_COULD_NOT_CREATE_INSTANCE a library is missing, has another version, or lacks
 *   a function
 * @par Threading
 * Waits for other threads that load libraries at that time, and fork waits while a thread loads
 * FFmpeg's. Must not be called from a signal handler.
 */
NALU_API NALU_NODISCARD nalu_status nalu_media_load(void);

NALU_END_DECLS

#endif
