/**
 * @file
 * A video compression session for Linux. Includes all headers of libnalu.
 *
 * A program hands in frames with a presentation time. The callback receives each frame as a sample:
 * H.264 NAL units with parameter sets, times and dependency flags. The session model is
 * VideoToolbox's; the encoder is x264.
 *
 * The order of calls for a session:
 *
 * @verbatim
 * create            once
 * set properties    any number of times; some can also change later
 * prepare           optional
 * encode            once per frame
 * complete_frames   any number of times: waits until all frames are delivered
 * invalidate        optional: ends the session
 * release           once per reference; the last one ends the session
 * @endverbatim
 *
 * A complete program that writes a grey clip to `grey.h264`:
 *
 * @code{.c}
 * #include <nalu/nalu.h>
 * #include <stdio.h>
 * #include <stdlib.h>
 * #include <string.h>
 *
 * static void got_frame(void *file, void *frame, nalu_status status,
 *                       nalu_encode_info_flags flags, nalu_sample *sample) {
 *     static uint8_t bytes[1 << 20];
 *     size_t size = 0;
 *     (void)frame; (void)flags;
 *     if (status != NALU_STATUS_OK || sample == NULL) return;
 *     if (nalu_sample_copy_annex_b(sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES,
 *                                  bytes, sizeof bytes, &size) == NALU_STATUS_OK)
 *         fwrite(bytes, 1, size, (FILE *)file);
 * }
 *
 * int main(void) {
 *     static uint8_t pixels[640 * 360 * 4];
 *     const void *planes[1] = {pixels};
 *     const int64_t strides[1] = {640 * 4};
 *     nalu_compression_session *session = NULL;
 *     FILE *file = fopen("grey.h264", "wb");
 *     if (file == NULL) return EXIT_FAILURE;
 *     nalu_status status = nalu_compression_session_create(640, 360, NALU_CODEC_H264, NULL,
 *         NULL, got_frame, file, NULL, &session);
 *     if (status == NALU_STATUS_OK)
 *         status = nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, 1000000);
 *     for (int i = 0; i < 60 && status == NALU_STATUS_OK; i++) {
 *         memset(pixels, i * 4, sizeof pixels);
 *         status = nalu_compression_session_encode_planes(session, 640, 360,
 *             NALU_PIXEL_FORMAT_BGRA, 1, planes, strides, NULL, nalu_time_make(i, 30),
 *             nalu_time_make(1, 30), NULL, NULL, NULL);
 *     }
 *     if (status == NALU_STATUS_OK)
 *         status = nalu_compression_session_complete_frames(session, nalu_time_invalid());
 *     if (status != NALU_STATUS_OK)
 *         fprintf(stderr, "%s\n", nalu_last_error_message());
 *     nalu_compression_session_release(session);
 *     fclose(file);
 *     return status == NALU_STATUS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
 * }
 * @endcode
 *
 * base.h has the conventions for handles, threads, statuses, buffers and structs. session.h has the
 * rules of the callback. docs/threading.md has the details of threads and signals.
 *
 * Signals stay as the program has them, whether the library is linked or loaded later. The library
 * installs no handler and no alternate stack. It undoes the handlers of a Swift runtime that was
 * loaded for Nalu only. If a library that is neither Nalu's nor the toolchain's (such as
 * libFoundation.so) needs libswiftCore.so too, the program is a Swift program, and the runtime's
 * handlers stay. The library reads no environment variable, except those that find devices
 * (nalu/media/capture.h: DISPLAY and XAUTHORITY). The Swift runtime reads its own (SWIFT_...).
 *
 * Nothing is written to stderr, with one exception: libx264 prints "malloc of size ... failed" if
 * an allocation fails. To prevent that, a session first allocates and frees all the memory that
 * x264 will need. If the limits of the process (setrlimit) or the system refuse that memory, the
 * status is NALU_STATUS_ALLOCATION_FAILED, and nothing is printed. The line remains possible if the
 * rest of the program takes the memory in between.
 *
 * A function that receives a handle of another kind, or a pointer to other memory, returns
 * NALU_STATUS_INVALID_HANDLE if the first bytes of that memory show it. Memory that was freed and
 * used again cannot be detected.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_NALU_H
#define NALU_NALU_H

#include "base.h"
#include "time.h"
#include "timebase.h"
#include "pixel_buffer.h"
#include "bitstream.h"
#include "format.h"
#include "sample.h"
#include "session.h"
#include "callback_wait.h"
#include "output_queue.h"
#include "stream_parser.h"
#include "loss_detector.h"
#include "properties.h"
#include "multi_pass.h"
#include "chunk_joiner.h"

#endif
