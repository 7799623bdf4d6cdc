/* Rows of properties_test.c: key frames, profiles, slices, references, recovery. */
#ifndef NALU_TESTS_PROPERTIES_TABLE_STRUCTURE_H
#define NALU_TESTS_PROPERTIES_TABLE_STRUCTURE_H

#include "properties_table.h"

#define LEVELS(name, profile) \
    {name "_3_0", profile " level=30"}, {name "_3_1", profile " level=31"}, {name "_3_2", profile " level=32"}, \
        {name "_4_0", profile " level=40"}, {name "_4_1", profile " level=41"}, {name "_4_2", profile " level=42"}, \
        {name "_5_0", profile " level=50"}, {name "_5_1", profile " level=51"}, {name "_5_2", profile " level=52"}

static const row structure_rows[] = {
    {.key = NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, .initial = "0", .start = "4", .running = "MaxFrameDelayCount=0",
     .attempts = {
        {"0", "idr=1", .now = "idr=0"},
        {"unset", "idr=1", .now = "idr=0"},
        {"1", "idr=10 type(2)=10", .now = "idr=10"},
        {"2", "idr=5", .now = "idr=5"},
        {"4", "idr=3", .now = "idr=2"},
        {"2147483647", "idr=1", .now = "idr=0"},
        {"2", "idr=5", .with = "MaxKeyFrameInterval=4", .now = "idr=5"},
        {"0", "idr=1", .with = "MaxKeyFrameInterval=4", .now = "idr=0"},
    }},
    {.key = NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL_DURATION, .initial = "0", .start = "0.2",
     .running = "MaxFrameDelayCount=0", .attempts = {
        {"0", "idr=1", .now = "idr=0"},
        {"unset", "idr=1", .now = "idr=0"},
        {"1e-9", "idr=10", .now = "idr=10"},
        {"0.1", "idr=4", .now = "idr>=3"},
        {"0.2", "idr=2", .now = "idr=2"},
        {"86400", "idr=1", .now = "idr=0"},
        {"0.1", "idr=4", .with = "MaxKeyFrameIntervalDuration=0.2", .now = "idr>=3"},
    }},
    {.key = NALU_PROPERTY_ALLOW_TEMPORAL_COMPRESSION, .initial = "true", .running = "MaxFrameDelayCount=0", .attempts = {
        {"true", "idr=1 type(0)>0", .now = "idr=0"},
        {"unset", "idr=1 type(0)>0", .now = "idr=0"},
        {"false", "idr=10 type(2)=10", .now = "idr=10"},
        {"false", "idr=10 type(2)=10", .with = "", .now = "idr=10"},
        {"true", "idr=1", .with = "AllowTemporalCompression=false", .now = "idr=0 type(0)>0"},
    }},
    {.key = NALU_PROPERTY_ALLOW_FRAME_REORDERING, .initial = "true", .attempts = {
        {"true", "type(1)>0 poc_type=0 early=10 reorder=2"},
        {"unset", "type(1)>0 poc_type=0 early=10 reorder=2"},
        {"false", "type(1)=0 poc_type=2 early=0 reorder=0"},
        {"unset", "type(1)=0 early=0", .with = "RealTime=true", .reads = "false"},
        {"true", .with = "RealTime=true", .status = NALU_STATUS_CONFLICT},
        {"true", .with = "ProfileLevel=H264_Baseline_3_0", .status = NALU_STATUS_CONFLICT},
        {"true", .with = "MaxFrameDelayCount=2", .status = NALU_STATUS_CONFLICT},
    }},
    {.key = NALU_PROPERTY_ALLOW_B_PYRAMID, .initial = "true", .attempts = {
        {"true", "reorder=2 x264.b-pyramid=normal"},
        {"unset", "reorder=2 x264.b-pyramid=normal"},
        {"false", "type(1)>0 reorder=1 x264.b-pyramid=none"},
        {"false", "reorder=2 x264.b-pyramid=normal", .with = "x264.params=\"b-pyramid=normal\""},
        {"false", "type(1)=0 reorder=0", .with = "RealTime=true"},
    }},
    {.key = NALU_PROPERTY_ALLOW_OPEN_GOP, .setup = "MaxKeyFrameInterval=4", .initial = "false", .attempts = {
        {"false", "partial=0 idr=3 sei(6)=0"},
        {"unset", "partial=0 idr=3 sei(6)=0"},
        {"true", "partial=2 idr=1 sei(6)=2 type(2)=3"},
        {"true", .with = "RealTime=true", .status = NALU_STATUS_CONFLICT},
    }},
    {.key = NALU_PROPERTY_MORE_FRAMES_BEFORE_START, .setup = "Quality=0.3", .initial = "false", .attempts = {
        {"false", "init_qp=28"},
        {"unset", "init_qp=28"},
        {"true", "init_qp=26"},
    }},
    {.key = NALU_PROPERTY_MORE_FRAMES_AFTER_END, .setup = "Quality=0.3", .initial = "false", .attempts = {
        {"false", "init_qp=28"},
        {"unset", "init_qp=28"},
        {"true", "init_qp=26"},
    }},
    {.key = NALU_PROPERTY_LIMITS_OVER_SEAMS, .initial = "true",
     .setup = "AverageBitRate=400000,DataRateLimits=[50000,1],MoreFramesAfterEnd=true", .attempts = {
        {"true", "x264.vbv-maxrate=308"},
        {"unset", "x264.vbv-maxrate=308"},
        {"false", "x264.vbv-maxrate=329"},
        {"true", "x264.vbv-maxrate=329", .with = "AverageBitRate=400000,DataRateLimits=[50000,1]"},
    }},
    {.key = NALU_PROPERTY_PROFILE_LEVEL, .initial = NALU_PROFILE_LEVEL_H264_HIGH_AUTO_LEVEL, .attempts = {
        {"H264_Baseline_1_3", "profile=66 level=13 type(1)=0 cabac=0"},
        LEVELS("H264_Baseline", "profile=66"),
        {"H264_Baseline_AutoLevel", "profile=66 level<=13 type(1)=0 cabac=0"},
        {"H264_ConstrainedBaseline_AutoLevel", "profile=66 constraints>=192 type(1)=0 cabac=0"},
        LEVELS("H264_Main", "profile=77"),
        {"H264_Main_AutoLevel", "profile=77 level<=13 type(1)>0 cabac=1"},
        LEVELS("H264_High", "profile=100"),
        {"H264_High_AutoLevel", "profile=100 level<=13 type(1)>0 cabac=1"},
        {"H264_ConstrainedHigh_AutoLevel", "profile=100 constraints=12 type(1)=0"},
        {"unset", "profile=100 level<=13"},
        {NALU_PROFILE_LEVEL_H264_EXTENDED_5_0, .status = NALU_STATUS_OUT_OF_RANGE},
        {NALU_PROFILE_LEVEL_H264_EXTENDED_AUTO_LEVEL, .status = NALU_STATUS_OUT_OF_RANGE},
        {NALU_PROFILE_LEVEL_HEVC_MAIN_AUTO_LEVEL, .status = NALU_STATUS_OUT_OF_RANGE},
        {NALU_PROFILE_LEVEL_HEVC_MAIN10_AUTO_LEVEL, .status = NALU_STATUS_OUT_OF_RANGE},
    }},
    {.key = NALU_PROPERTY_H264_ENTROPY_MODE, .attempts = {
        {"CABAC", "cabac=1"},
        {"CAVLC", "cabac=0"},
        {"unset", "cabac=1"},
        {"CABAC", .with = "ProfileLevel=H264_Baseline_3_0", .status = NALU_STATUS_CONFLICT},
    }},
    {.key = NALU_PROPERTY_MAX_H264_SLICE_BYTES, .setup = "Quality=0.75", .initial = "0", .start = "800",
     .running = "Quality=0.75,MaxFrameDelayCount=0", .width = 176, .height = 144, .noise = 200, .frames = 3, .attempts = {
        {"0", "slices=1 slice_bytes>1400", .late = NALU_STATUS_TOO_LATE},
        {"unset", "slices=1 slice_bytes>1400", .late = NALU_STATUS_TOO_LATE},
        {"1", .status = NALU_STATUS_OUT_OF_RANGE},
        {"499", .status = NALU_STATUS_OUT_OF_RANGE},
        {"500", "slices>3 slice_bytes<=500", .now = "slice_bytes<=500 idr=0"},
        {"501", "slices>3 slice_bytes<=501", .now = "slice_bytes<=501 idr=0"},
        {"16777216", "slice_bytes>1400", .now = "slice_bytes>801 idr=0"},
    }},
    {.key = NALU_PROPERTY_ALLOW_MULTIPLE_SLICES, .setup = "RealTime=true,x264.params=\"threads=4\"", .initial = "true",
     .width = 176, .height = 288, .frames = 3, .attempts = {
        {"true", "slices=4"},
        {"unset", "slices=4"},
        {"false", "slices=1", .with = "RealTime=true"},
        {"false", .with = "MaxH264SliceBytes=1000", .status = NALU_STATUS_CONFLICT},
    }},
    {.key = NALU_PROPERTY_REFERENCE_BUFFER_COUNT, .initial = "0", .frames = 20, .attempts = {
        {"0", "refs=4"},
        {"unset", "refs=4"},
        {"1", "refs=1 type(1)=0"},
        {"2", "refs=2 type(1)>0"},
        {"16", "refs=16"},
        {"1", .with = "AllowFrameReordering=true", .status = NALU_STATUS_CONFLICT},
    }},
    {.key = NALU_PROPERTY_ENABLE_LTR, .initial = "false", .running = "", .attempts = {
        {"false", "tokens=0"},
        {"unset", "tokens=0"},
        {"true", "tokens=10 type(1)=0 early=0"},
        {"true", .with = "NaluAllowIntraRefresh=true", .status = NALU_STATUS_CONFLICT},
        {"true", .with = "AllowFrameReordering=true", .status = NALU_STATUS_CONFLICT},
    }},
    {.key = NALU_PROPERTY_ALLOW_INTRA_REFRESH, .initial = "false", .attempts = {
        {"false", "frame_flags(8)=-17905"},
        {"unset", "frame_flags(8)=-17905"},
        {"true", "frame_flags(8)=0 type(1)=0 early=0 refs=1"},
        {"true", .with = "EnableLTR=true", .status = NALU_STATUS_CONFLICT},
        {"true", .with = "AllowFrameReordering=true", .status = NALU_STATUS_CONFLICT},
    }},
    {.key = NALU_PROPERTY_BASE_LAYER_FRAME_RATE_FRACTION, .setup = "AllowFrameReordering=false", .initial = "1", .attempts = {
        {"1", "disposable=0"},
        {"unset", "disposable=0"},
        {"0.5", "disposable=5 type(1)=0 early=0 poc_type=2"},
        {"0.25", "disposable=7 type(1)=0 early=0 poc_type=0"},
        {"0.3", .status = NALU_STATUS_OUT_OF_RANGE},
        {"0", .status = NALU_STATUS_OUT_OF_RANGE},
        {"0.5", .with = "NaluAllowIntraRefresh=true", .status = NALU_STATUS_CONFLICT},
        {"0.5", "tokens=10 disposable=5 early=0", .with = "EnableLTR=true"},
        {"0.25", "tokens=10 disposable=7 early=0", .with = "EnableLTR=true"},
        {"0.5", .with = "AllowFrameReordering=true", .status = NALU_STATUS_CONFLICT},
    }},
    {.key = NALU_PROPERTY_BASE_LAYER_BIT_RATE_FRACTION, .setup = "BaseLayerFrameRateFraction=0.5", .attempts = {
        {"unset", "disposable=5", .reads = "-"},
        {"0.3", "disposable=5"},
        {"0.9", "disposable=5"},
        {"0.29", .status = NALU_STATUS_OUT_OF_RANGE},
        {"1", .status = NALU_STATUS_OUT_OF_RANGE},
        {"0.6", .with = "BaseLayerFrameRateFraction=1", .opens = NALU_STATUS_CONFLICT},
    }},
};

#endif
