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

static const tested_encoder tested_encoders[] = {
    {"x264", "org.videolan.x264", NALU_CODEC_H264, "RealTime=true,x264.preset=ultrafast,x264.params=\"threads=1\"",
     "x264.params=\"threads=1:bframes=3:b-adapt=0:rc-lookahead=10:scenecut=0\"", 2, 3, NALU_PROPERTY_X264_PRESET,
     {"fast", "slow"}, "x264.preset=veryfast", "x264.params=\"threads=2\"", "H264_Main_AutoLevel", 77},
    {"x265", "org.videolan.x265", NALU_CODEC_HEVC, "RealTime=true,x265.preset=ultrafast",
     "x265.preset=ultrafast,SuggestedLookAheadFrameCount=10,MaximizePowerEfficiency=true", 2, 8, NALU_PROPERTY_X265_PRESET,
     {"fast", "slow"}, "x265.preset=ultrafast", "x265.preset=superfast,MaximizePowerEfficiency=false", "HEVC_Main10_AutoLevel", 2},
    {"openh264", "org.openh264.openh264", NALU_CODEC_H264, "RealTime=true", NULL, 0, 0, NALU_PROPERTY_H264_ENTROPY_MODE,
     {NALU_H264_ENTROPY_MODE_CAVLC, NALU_H264_ENTROPY_MODE_CABAC}, "PrioritizeEncodingSpeedOverQuality=true",
     "NaluAllowMultipleSlices=true", "H264_Main_AutoLevel", 77},
};

/* Returns the encoder under test. Another name in the environment ends the test. */
static inline const tested_encoder *tested(void) {
    const char *name = getenv("NALU_TEST_ENCODER");
    if (!name) return &tested_encoders[0];
    for (size_t i = 0; i < sizeof tested_encoders / sizeof *tested_encoders; i++)
        if (strcmp(tested_encoders[i].name, name) == 0) return &tested_encoders[i];
    fprintf(stderr, "NALU_TEST_ENCODER is %s, expected x264, x265 or openh264\n", name);
    exit(EXIT_FAILURE);
}

static inline int is_tested(const char *name) { return strcmp(tested()->name, name) == 0; }

/* Whether the encoder under test can delay frames. */
static inline int can_delay(void) { return tested()->reordering != NULL; }

/* Creates a session with the encoder under test. */
static inline nalu_status create_tested(int32_t width, int32_t height, nalu_compression_output_callback callback, void *refcon,
                                        nalu_refcon_destructor destroy, nalu_compression_session **session) {
    nalu_encoder_specification specification = NALU_ENCODER_SPECIFICATION_INIT;
    specification.encoder_id = tested()->id;
    return nalu_compression_session_create(width, height, tested()->codec, &specification, NULL, callback, refcon, destroy,
                                           session);
}

/* Makes the encoder use one thread and deliver each frame at once. Equal input then gives equal bytes. */
static inline void make_immediate(nalu_compression_session *session) {
    REQUIRE_OK(nalu_session_set_properties_from_text(session, tested()->immediate));
}

/* Makes the encoder use B-frames and lookahead, so that frames are delayed and reordered. Equal input still
 * gives equal bytes. An encoder that delays no frame must refuse to reorder, and its session stays as it is. */
static inline void make_reordering(nalu_compression_session *session) {
    if (can_delay()) REQUIRE_OK(nalu_session_set_properties_from_text(session, tested()->reordering));
    else
        REFUSED(nalu_session_set_bool(session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 1), NALU_STATUS_CONFLICT,
                "AllowFrameReordering", "the encoder");
}

#endif
