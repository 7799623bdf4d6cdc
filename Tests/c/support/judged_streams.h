/*
 * FFmpeg as an independent decoder that judges many streams in one process, at the end of a test.
 *
 *     judge(c.samples, c.count, "the stream's name in messages");
 *     int main(void) { RUN(...); judge_streams(); return check_result(); }
 */
#ifndef NALU_TESTS_JUDGED_STREAMS_H
#define NALU_TESTS_JUDGED_STREAMS_H

#include "test_directory.h"

/* Keeps the samples, in decode order, until judge_streams. */
void judge(nalu_sample *const *samples, int32_t count, const char *name);

/* Checks that FFmpeg decodes each stream to as many pictures as it has samples, and prints no message. */
void judge_streams(void);

#endif
