/*
 * The encoder of the session tests. The tests of a session's contract run once for each encoder (CMakeLists.txt):
 * NALU_TEST_ENCODER in the environment is x264, x265 or openh264; without it, x264.
 */
#ifndef NALU_TESTS_TESTED_ENCODER_H
#define NALU_TESTS_TESTED_ENCODER_H

#include "refusal.h"

typedef struct tested_encoder {
    const char *name, *id;
    nalu_four_char_code codec;
    const char *immediate;  /* properties: one thread, and each frame is delivered at once; equal input gives equal bytes */
    const char *reordering; /* properties: frames are delayed and reordered; NULL if the encoder delays no frame */
    int64_t reorder_depth;  /* with these properties */
    int64_t least_delay;    /* least MaxFrameDelayCount that allows reordering */
    const char *late, *values[2];  /* a string property that no frame may precede, and two values */
    const char *cheap;             /* properties: little analysis */
    const char *threads;           /* properties: threads of the encoder's own, if it has any */
    const char *profile;           /* a profile that is not the usual one */
    int32_t profile_idc;           /* its profile_idc */
} tested_encoder;

/* Returns the encoder under test. Another name in the environment ends the test. */
const tested_encoder *tested(void);
static inline int is_tested(const char *name) { return strcmp(tested()->name, name) == 0; }

/* Whether the encoder under test can delay frames. */
static inline int can_delay(void) { return tested()->reordering != NULL; }

/* Creates a session with the encoder under test. */
nalu_status create_tested(int32_t width, int32_t height, nalu_compression_output_callback callback, void *refcon,
                          nalu_refcon_destructor destroy, nalu_compression_session **session);

/* Makes the encoder use one thread and deliver each frame at once. Equal input then gives equal bytes. */
void make_immediate(nalu_compression_session *session);

/* Makes the encoder use B-frames and lookahead, so that frames are delayed and reordered. Equal input still
 * gives equal bytes. An encoder that delays no frame must refuse to reorder, and its session stays as it is. */
void make_reordering(nalu_compression_session *session);

#endif
