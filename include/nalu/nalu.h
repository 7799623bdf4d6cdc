/*
 * nalu/nalu.h - a video compression session for Linux.
 *
 * Frames go in with a presentation time; each comes back through a callback as a sample: H.264 NAL
 * units, parameter sets, times, dependency flags. The model is VideoToolbox's; x264 encodes.
 *
 * A session lives like this:
 *
 *     create            once
 *     set properties    any number of times, some also later
 *     prepare           optional
 *     encode            once a frame
 *     complete_frames   any number of times: waits until all frames have come back
 *     invalidate        optional: ends the session
 *     release           once a reference; the last one ends the session
 *
 * A complete program, which writes a grey clip as `grey.h264`:
 *
 *     #include <nalu/nalu.h>
 *     #include <stdio.h>
 *     #include <stdlib.h>
 *     #include <string.h>
 *
 *     static void got_frame(void *file, void *frame, nalu_status status,
 *                           nalu_encode_info_flags flags, nalu_sample *sample) {
 *         static uint8_t bytes[1 << 20];
 *         size_t size = 0;
 *         (void)frame; (void)flags;
 *         if (status != NALU_STATUS_OK || sample == NULL) return;
 *         if (nalu_sample_copy_annex_b(sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES,
 *                                      bytes, sizeof bytes, &size) == NALU_STATUS_OK)
 *             fwrite(bytes, 1, size, (FILE *)file);
 *     }
 *
 *     int main(void) {
 *         static uint8_t pixels[640 * 360 * 4];
 *         const void *planes[1] = {pixels};
 *         const int64_t strides[1] = {640 * 4};
 *         nalu_compression_session *session = NULL;
 *         FILE *file = fopen("grey.h264", "wb");
 *         nalu_status status = nalu_compression_session_create(640, 360, NALU_CODEC_H264, NULL, NULL,
 *                                                              got_frame, file, NULL, &session);
 *         if (status == NALU_STATUS_OK)
 *             status = nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, 1000000);
 *         for (int i = 0; i < 60 && status == NALU_STATUS_OK; i++) {
 *             memset(pixels, i * 4, sizeof pixels);
 *             status = nalu_compression_session_encode_planes(session, 640, 360, NALU_PIXEL_FORMAT_BGRA,
 *                 1, planes, strides, NULL, nalu_time_make(i, 30), nalu_time_make(1, 30), NULL, NULL, NULL);
 *         }
 *         if (status == NALU_STATUS_OK)
 *             status = nalu_compression_session_complete_frames(session, nalu_time_invalid());
 *         if (status != NALU_STATUS_OK)
 *             fprintf(stderr, "%s\n", nalu_last_error_message());
 *         nalu_compression_session_release(session);
 *         fclose(file);
 *         return status == NALU_STATUS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
 *     }
 *
 * Ownership: `create` and `copy` give a reference or fill the caller's buffer, `get` lends; see
 * pixel_buffer.h. Every out-pointer is set to NULL on failure.
 *
 * Threads: any function may be called from any thread. A session orders its calls inside; different
 * sessions share nothing; immutable objects (samples, format descriptions) need no care. The
 * callback comes from the session's own thread: session.h has its promises.
 *
 * Process: signals stay as the program has them, whether the library is linked or loaded later. It
 * installs no handler and no alternate stack, and undoes what the Swift runtime that is loaded for it
 * installs; where something else in the process needs libswiftCore.so too, the runtime's handlers
 * stay. It reads no environment variable, but the Swift runtime reads its own (SWIFT_...). It writes
 * nothing to stderr, with one exception: libx264 prints "malloc of size ... failed" there when memory
 * runs out, and has no switch for it.
 *
 * Errors: a status with a number, and nalu_last_error_message with a sentence. A wrong handle (an
 * object of another kind, or memory that holds none) is told by NALU_STATUS_INVALID_HANDLE as far
 * as one look at the memory can tell; memory that was freed and used again cannot be told.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_NALU_H
#define NALU_NALU_H

#include "base.h"
#include "time.h"
#include "pixel_buffer.h"
#include "bitstream.h"
#include "format.h"
#include "sample.h"
#include "session.h"
#include "output_queue.h"
#include "stream_parser.h"
#include "loss_detector.h"
#include "properties.h"
#include "multi_pass.h"

#endif
