/* Rows of properties_test.c: delay, speed, options of x264, and read-only properties. */
#ifndef NALU_TESTS_PROPERTIES_TABLE_ENCODER_H
#define NALU_TESTS_PROPERTIES_TABLE_ENCODER_H

#include "properties_table.h"

#define PRESET_TEXT(name, reordering, delay, real_time, preset) \
    name "=\"AllowFrameReordering=" reordering ",MaxFrameDelayCount=" delay ",RealTime=" real_time \
         ",x264.preset=" preset "\""
#define PRESETS_TEXT \
    PRESET_TEXT("HighQuality", "unset", "unset", "false", "slower") "," \
    PRESET_TEXT("Balanced", "unset", "unset", "false", "medium") "," \
    PRESET_TEXT("HighSpeed", "unset", "unset", "false", "veryfast") "," \
    PRESET_TEXT("VideoConferencing", "false", "0", "true", "unset")

#define ATTRIBUTES_TEXT "PixelFormatType=\"420v\",Width=64,Height=48,BytesPerRowAlignment=64"

static const row encoder_rows[] = {
    {.key = NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, .initial = "-1", .frames = 30, .attempts = {
        {"-1", "x264.rc-lookahead=40 pending>10"},
        {"unset", "x264.rc-lookahead=40 pending>10"},
        {"0", "pending=0 early=0 type(1)=0 x264.rc-lookahead=0"},
        {"1", "pending<=1"},
        {"3", "pending<=3"},
        {"10", "pending<=10"},
        {"250", "pending<=250"},
    }},
    {.key = NALU_PROPERTY_REAL_TIME, .start = "false", .attempts = {
        {"true", "x264.rc-lookahead=0 x264.bframes=0 type(1)=0 early=0 x264.subme=2"},
        {"false", "x264.rc-lookahead=40 x264.subme=7 early=10"},
        {"unset", "x264.rc-lookahead=40 x264.subme=7 early=10"},
        {"true", .with = "AllowFrameReordering=true", .status = NALU_STATUS_CONFLICT},
        {"true", .with = "MaximizePowerEfficiency=true", .status = NALU_STATUS_CONFLICT},
        {"true", .with = "SuggestedLookAheadFrameCount=10", .status = NALU_STATUS_CONFLICT},
    }},
    {.key = NALU_PROPERTY_SUGGESTED_LOOK_AHEAD_FRAME_COUNT, .frames = 20, .attempts = {
        {"0", "x264.rc-lookahead=0"},
        {"1", "x264.rc-lookahead=1"},
        {"10", "x264.rc-lookahead=10 pending<=20"},
        {"250", "x264.rc-lookahead=250 pending>=20"},
        {"unset", "x264.rc-lookahead=40"},
        {"250", "pending>=20 pending<=250", .with = "MaxFrameDelayCount=250"},
        {"10", .with = "MaxFrameDelayCount=9", .status = NALU_STATUS_CONFLICT},
        {"1", .with = "RealTime=true", .status = NALU_STATUS_CONFLICT},
        {"0", "x264.rc-lookahead=0", .with = "RealTime=true"},
    }},
    {.key = NALU_PROPERTY_MAX_LOOK_AHEAD_FRAME_COUNT, .frames = 20, .attempts = {
        {"0", "x264.rc-lookahead=0 x264.mbtree=0"},
        {"12", "x264.rc-lookahead=12 x264.qcomp=0.5 pending<=20"},
        {"40", "x264.rc-lookahead=40 x264.qcomp=0.6"},
        {"250", "x264.rc-lookahead=40 x264.qcomp=0.6"},
        {"unset", "x264.rc-lookahead=40 x264.qcomp=0.6"},
        {"12", "x264.rc-lookahead=10", .with = "x264.preset=veryfast"},
        {"12", "x264.rc-lookahead=12 x264.qcomp=0.8", .with = "x264.tune=grain"},
        {"12", "x264.rc-lookahead=20 x264.qcomp=0.6", .with = "SuggestedLookAheadFrameCount=20"},
        {"12", "x264.rc-lookahead=15", .with = "x264.params=\"rc-lookahead=15\""},
        {"12", "x264.rc-lookahead=0", .with = "RealTime=true"},
        {"12", "x264.rc-lookahead=0", .with = "MaxFrameDelayCount=0"},
    }},
    {.key = NALU_PROPERTY_PRIORITIZE_ENCODING_SPEED_OVER_QUALITY, .attempts = {
        {"true", "x264.subme=2 x264.trellis=0 x264.ref=1"},
        {"false", "x264.subme=7"},
        {"unset", "x264.subme=7"},
        {"true", "x264.subme=1", .with = "RealTime=true"},
        {"true", .with = "x264.preset=slow", .status = NALU_STATUS_CONFLICT},
    }},
    {.key = NALU_PROPERTY_MAXIMIZE_POWER_EFFICIENCY, .width = 320, .height = 240, .frames = 3, .attempts = {
        {"true", "x264.threads=1 x264.lookahead-threads=1"},
        {"false", "samples=3"},
        {"unset", "samples=3"},
        {"true", .with = "RealTime=true", .status = NALU_STATUS_CONFLICT},
    }},
    {.key = NALU_PROPERTY_CALCULATE_MEAN_SQUARED_ERROR, .initial = "false", .attempts = {
        {"true", "metrics=1"},
        {"false", "metrics=0"},
        {"unset", "metrics=0"},
    }},
    {.key = NALU_PROPERTY_REAL_TIME_GOVERNOR, .setup = "RealTime=true,x264.preset=medium,ExpectedFrameRate=1000",
     .initial = "true", .width = 1280, .height = 720, .frames = 20, .attempts = {
        {"true", "x264.subme=1 x264.ref=1", .now = "x264.subme=1"},
        {"false", "x264.subme=7 x264.ref=3", .now = "x264.subme=7"},
        {"unset", "x264.subme=1 x264.ref=1", .now = "x264.subme=1"},
    }},
    {.key = NALU_PROPERTY_X264_PRESET, .initial = "medium", .attempts = {
        {"ultrafast", "x264.subme=0 cabac=0 type(1)=0"},
        {"superfast", "x264.subme=1 cabac=1"},
        {"veryfast", "x264.subme=2 cabac=1"},
        {"faster", "x264.subme=4"},
        {"fast", "x264.subme=6"},
        {"medium", "x264.subme=7 x264.rc-lookahead=40"},
        {"slow", "x264.subme=8 x264.rc-lookahead=50"},
        {"slower", "x264.subme=9 x264.rc-lookahead=60"},
        {"veryslow", "x264.subme=10 x264.ref=16"},
        {"placebo", "x264.subme=11 x264.me=tesa"},
        {"unset", "x264.subme=7"},
        {"slow", .with = "PrioritizeEncodingSpeedOverQuality=true", .status = NALU_STATUS_CONFLICT},
    }},
    {.key = NALU_PROPERTY_X264_TUNE, .initial = "\"\"", .attempts = {
        {"\"\"", "x264.deblock=0,0"},
        {"unset", "x264.deblock=0,0"},
        {"film", "x264.deblock=-1,-1"},
        {"animation", "x264.deblock=1,1"},
        {"grain", "x264.deblock=-2,-2 x264.dct-decimate=0"},
        {"stillimage", "x264.deblock=-3,-3"},
        {"psnr", "x264.aq-strength=0 x264.psy=0"},
        {"ssim", "x264.aq-mode=2 x264.psy=0"},
        {"fastdecode", "cabac=0"},
        {"zerolatency", "x264.rc-lookahead=0 early=0 type(1)=0"},
        {"\"film,fastdecode,zerolatency\"", "x264.deblock cabac=0 early=0"},
        {"\"film,grain\"", .status = NALU_STATUS_OUT_OF_RANGE},
        {"zerolatency", .with = "AllowFrameReordering=true", .status = NALU_STATUS_CONFLICT},
    }},
    {.key = NALU_PROPERTY_X264_PARAMS, .initial = "\"\"", .attempts = {
        {"\"\"", "x264.ref=3"},
        {"unset", "x264.ref=3"},
        {"\"ref=1\"", "x264.ref=1 refs=4"},
        {"\"ref=1:bframes=0:subme=4\"", "x264.subme=4 type(1)=0 refs=1"},
        {"\"subme=11:trellis=2\"", "x264.subme=11"},
        {"\"no-such-option=1\"", .status = NALU_STATUS_OUT_OF_RANGE},
        {"\"subme=text\"", .status = NALU_STATUS_OUT_OF_RANGE},
        {"\"annexb=1\"", .status = NALU_STATUS_OUT_OF_RANGE},
    }},

    /* ---- Read only: the values before the encoder is open, and after. ---- */
    {.key = NALU_PROPERTY_X264_EFFECTIVE, .attempts = {{"-"}}, .read_only = "x264.subme=7"},
    {.key = NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES, .setup = "MaxFrameDelayCount=0", .attempts = {{"0"}, {"0"}},
     .read_only = "pending=0"},
    {.key = NALU_PROPERTY_USING_HARDWARE_ACCELERATED_VIDEO_ENCODER, .attempts = {{"false"}, {"false"}}},
    {.key = NALU_PROPERTY_ENCODER_ID, .attempts = {{"org.videolan.x264"}, {"org.videolan.x264"}}},
    {.key = NALU_PROPERTY_REORDER_DEPTH, .attempts = {{"-"}, {"2"}}, .read_only = "reorder=2 early=10"},
    {.key = NALU_PROPERTY_ESTIMATED_AVERAGE_BYTES_PER_FRAME, .setup = "AverageBitRate=240000,ExpectedFrameRate=30",
     .attempts = {{"1000"}, {"1000"}}, .read_only = "fps=30 x264.bitrate=240"},
    {.key = NALU_PROPERTY_GOVERNOR_STEP, .attempts = {{"0"}, {"0"}}},
    /* presets_test.c tests the presets themselves. */
    {.key = NALU_PROPERTY_SUPPORTED_PRESET_DICTIONARIES, .attempts = {{PRESETS_TEXT}, {PRESETS_TEXT}}},
    {.key = NALU_PROPERTY_GOVERNOR_STEP_COUNT, .setup = "RealTime=true,ExpectedFrameRate=30",
     .attempts = {{"-"}, {"2"}}, .read_only = "x264.subme=2"},
    /* pixel_buffer_attributes_test.c and parallel_test.c test the values of these properties. */
    {.key = NALU_PROPERTY_PIXEL_BUFFER_POOL_IS_SHARED, .attempts = {{"-"}, {"true"}}},
    {.key = NALU_PROPERTY_VIDEO_ENCODER_PIXEL_BUFFER_ATTRIBUTES, .attempts = {{ATTRIBUTES_TEXT}, {ATTRIBUTES_TEXT}}},
    {.key = NALU_PROPERTY_RECOMMENDED_PARALLELIZATION_LIMIT, .setup = "x264.params=\"threads=128\"",
     .width = 1920, .height = 4096, .frames = 1, .attempts = {{"-"}, {"1"}}},
    {.key = NALU_PROPERTY_RECOMMENDED_PARALLELIZED_SUBDIVISION_MINIMUM_FRAME_COUNT, .setup = "MaxKeyFrameInterval=60",
     .attempts = {{"-"}, {"120"}}},
    {.key = NALU_PROPERTY_RECOMMENDED_PARALLELIZED_SUBDIVISION_MINIMUM_DURATION,
     .setup = "MaxKeyFrameInterval=60,ExpectedFrameRate=30", .attempts = {{"-"}, {"4"}}},
    {.key = NALU_PROPERTY_SUPPORTS_BASE_FRAME_QP, .setup = "x264.params=\"crf=23\"", .attempts = {{"true"}, {"true"}},
     .read_only = "x264.crf=23"},
};

#endif
