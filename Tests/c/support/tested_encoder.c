#include "tested_encoder.h"

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

const tested_encoder *tested(void) {
    const char *name = getenv("NALU_TEST_ENCODER");
    if (!name) return &tested_encoders[0];
    for (size_t i = 0; i < sizeof tested_encoders / sizeof *tested_encoders; i++)
        if (strcmp(tested_encoders[i].name, name) == 0) return &tested_encoders[i];
    fprintf(stderr, "NALU_TEST_ENCODER is %s, expected x264, x265 or openh264\n", name);
    exit(EXIT_FAILURE);
}

nalu_status create_tested(int32_t width, int32_t height, nalu_compression_output_callback callback, void *refcon,
                          nalu_refcon_destructor destroy, nalu_compression_session **session) {
    nalu_encoder_specification specification = NALU_ENCODER_SPECIFICATION_INIT;
    specification.encoder_id = tested()->id;
    return nalu_compression_session_create(width, height, tested()->codec, &specification, NULL, callback, refcon, destroy,
                                           session);
}

void make_immediate(nalu_compression_session *session) {
    REQUIRE_OK(nalu_session_set_properties_from_text(session, tested()->immediate));
}

void make_reordering(nalu_compression_session *session) {
    if (can_delay()) REQUIRE_OK(nalu_session_set_properties_from_text(session, tested()->reordering));
    else
        REFUSED(nalu_session_set_bool(session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 1), NALU_STATUS_CONFLICT,
                "AllowFrameReordering", "the encoder");
}
