/* Rows of properties_table_test.c: rate and quantisers. */
#ifndef NALU_TESTS_PROPERTIES_TABLE_RATE_H
#define NALU_TESTS_PROPERTIES_TABLE_RATE_H

#include "properties_table.h"

#define OUT NALU_STATUS_OUT_OF_RANGE

/* Each frame comes back before its encode returns, so that samples after a change are those of frames after it. */
#define AT_ONCE "MaxFrameDelayCount=0"

static const row rate_rows[] = {
    {.key = NALU_PROPERTY_AVERAGE_BIT_RATE, .initial = "0", .start = "60000", .running = AT_ONCE, .attempts = {
        {"0", "x264.crf=23 x264.bitrate", .late = NALU_STATUS_TOO_LATE},
        {"unset", "x264.crf=23", .late = NALU_STATUS_TOO_LATE},
        {"1", .status = OUT},
        {"999", .status = OUT},
        {"1000", "x264.bitrate=1 qp_least>40", .now = "qp_rise>5 size_ratio<0.7 idr=0"},
        {"2000000000", "x264.bitrate=2000000 qp_most<8", .now = "qp_rise<-5 size_ratio>1.5 idr=0"},
        {"200000.0", "x264.bitrate=200", .reads = "200000", .now = "idr=0"},
    }},
    {.key = NALU_PROPERTY_DATA_RATE_LIMITS, .setup = "AverageBitRate=400000", .initial = "[]", .start = "[50000,1]",
     .running = AT_ONCE ",AverageBitRate=400000", .frames = 40, .attempts = {
        {"[]", "window(30)>30000", .now = "idr=0"},
        {"unset", "window(30)>30000", .now = "idr=0"},
        {"[20000,1]", "window(30)<=20000", .now = "window(30)<=20000 idr=0"},
        {"[40000,1,3000,0.1]", "window(30)<=40000 window(3)<=3000", .now = "window(30)<=40000 window(3)<=3000 idr=0"},
        {"[1000000000000,60]", "window(30)>30000", .now = "idr=0"},
        {"[1000000000000,0.05]", "window(30)>30000", .now = "idr=0"},
        {"[15000,0.05]", "window(1)<=15000", .now = "idr=0"},
        {"[60000,60]", "window(40)<=60000", .now = "window(40)<=60000 idr=0"},
        {"[59999,60]", .status = OUT},
        {"[999,0.5]", .status = OUT},
        {"[10000,0.049]", .status = OUT},
        {"[1000000,60.1]", .status = OUT},
        {"[1000000000001,1]", .status = OUT},
        {"[-1,1]", .status = OUT},
        {"[1000]", .status = OUT},
        {"[20000,1,3000]", .status = OUT},
        {"[20000,1,3000,0.1,30000,2]", .status = OUT},
    }},
    {.key = NALU_PROPERTY_QUALITY, .start = "0.5", .running = AT_ONCE, .attempts = {
        {"0", "x264.crf=51 qp_least>40", .now = "qp_rise>10 idr=0"},
        {"0.25", "x264.crf=30", .now = "x264.crf=30 qp_rise>2 idr=0"},
        {"0.5", "x264.crf=23", .now = "x264.crf=23"},
        {"0.75", "x264.crf=17", .now = "x264.crf=17 qp_rise<-2 idr=0"},
        {"1", "x264.crf=1 qp_most<12", .now = "x264.crf=1 qp_rise<-10 idr=0"},
        {"unset", "x264.crf=23", .now = "x264.crf=23"},
    }},
    {.key = NALU_PROPERTY_EXPECTED_FRAME_RATE, .setup = "AverageBitRate=200000", .initial = "0", .start = "30",
     .running = AT_ONCE ",AverageBitRate=200000", .attempts = {
        {"0", "x264.fps=30/1", .now = "fps=30"},
        {"unset", "x264.fps=30/1", .now = "fps=30"},
        {"0.01", "fps=0.01", .now = "fps=30 idr=0"},
        {"1000", "fps=1000 x264.fps=1000/1", .now = "fps=30 idr=0"},
        {"1", "fps=1 x264.fps=1/1", .now = "fps=30 idr=0"},
        {"60", "fps=60", .now = "fps=30 size_ratio<0.9 idr=0"},
        {"25", "fps=25", .with = "AverageBitRate=200000", .late = NALU_STATUS_TOO_LATE},
    }},
    {.key = NALU_PROPERTY_MAX_ALLOWED_FRAME_QP, .setup = "Quality=0.1", .start = "30", .running = "Quality=0.1," AT_ONCE,
     .attempts = {
        {"0", "qp_most=0", .now = "qp_most=0 idr=1"},
        {"1", "qp_most<=1 x264.qpmax=1", .now = "qp_most<=1 idr=1"},
        {"30", "qp_most<=30 x264.qpmax=30", .now = "qp_most<=30 idr=0"},
        {"51", "x264.qpmax=51 qp_most>35", .now = "qp_most>35 idr=1"},
        {"unset", "qp_most>35", .now = "qp_most>35 idr=1"},
        {"20", .with = "MinAllowedFrameQP=21", .status = NALU_STATUS_CONFLICT},
        {"20", .with = "AverageBitRate=100000,DataRateLimits=[50000,1]", .status = NALU_STATUS_CONFLICT},
        {"20", .with = "ConstantBitRate=100000,ExpectedFrameRate=30", .status = NALU_STATUS_CONFLICT},
    }},
    {.key = NALU_PROPERTY_MIN_ALLOWED_FRAME_QP, .setup = "Quality=0.9", .start = "20", .running = "Quality=0.9," AT_ONCE,
     .attempts = {
        {"0", "qp_least<14", .now = "qp_least<14 idr=1"},
        {"1", "qp_least<14 x264.qpmin=1", .now = "qp_least<14 idr=1"},
        {"20", "qp_least>=20 x264.qpmin=20", .now = "qp_least>=20 idr=0"},
        {"51", "qp_least=51", .now = "qp_least=51 idr=1"},
        {"unset", "qp_least<14", .now = "qp_least<14 idr=1"},
        {"20", .with = "MaxAllowedFrameQP=19", .status = NALU_STATUS_CONFLICT},
    }},
    {.key = NALU_PROPERTY_SPATIAL_ADAPTIVE_QP_LEVEL, .initial = "-1", .attempts = {
        {"-1", "x264.aq-mode=1"},
        {"unset", "x264.aq-mode=1"},
        {"0", "x264.aq-mode=0", .with = "x264.params=\"mbtree=0\""},
    }},
    /* 60 frames at 200 kb/s are 50000 bytes. */
    {.key = NALU_PROPERTY_SOURCE_FRAME_COUNT, .setup = "AverageBitRate=200000", .initial = "0", .frames = 60,
     .noise = 100, .attempts = {
        {"0", "bytes>54000"},
        {"unset", "bytes>54000"},
        {"1", "bytes<54000"},
        {"60", "bytes>47000 bytes<53000"},
        {"2147483647", "bytes>52500"},
        {"10", .with = "", .opens = NALU_STATUS_CONFLICT},
        {"10", .with = "Quality=0.5", .status = NALU_STATUS_CONFLICT},
    }},
    {.key = NALU_PROPERTY_EXPECTED_DURATION, .setup = "AverageBitRate=200000", .initial = "0", .frames = 60,
     .noise = 100, .attempts = {
        {"0", "bytes>54000"},
        {"unset", "bytes>54000"},
        {"1e-9", "bytes<54000"},
        {"2", "bytes>47000 bytes<53000"},
        {"1000000", "bytes>52500"},
        {"10", .with = "", .opens = NALU_STATUS_CONFLICT},
        {"10", .with = "Quality=0.5", .status = NALU_STATUS_CONFLICT},
    }},
    {.key = NALU_PROPERTY_CONSTANT_BIT_RATE, .setup = "ExpectedFrameRate=30", .initial = "0", .start = "100000", .attempts = {
        {"0", "nal_hrd=0 nal(12)=0 x264.nal-hrd=none"},
        {"unset", "nal_hrd=0 nal(12)=0 x264.nal-hrd=none"},
        {"1", .status = OUT},
        {"63999", .status = OUT},
        {"64000", "nal_hrd=1 x264.nal-hrd=cbr x264.vbv-maxrate=64 x264.filler=1"},
        {"2000000", "nal_hrd=1 x264.vbv-maxrate=2000 nal(12)>=9"},
        {"800000000", "nal_hrd=1 x264.vbv-maxrate=800000 nal(12)>=9"},
        {"100000", .with = "", .opens = NALU_STATUS_CONFLICT, .late = NALU_STATUS_TOO_LATE},
        {"100000", .with = "AverageBitRate=100000", .status = NALU_STATUS_CONFLICT},
    }},
    {.key = NALU_PROPERTY_VARIABLE_BIT_RATE, .initial = "0", .start = "100000", .attempts = {
        {"0", "x264.crf=23"},
        {"unset", "x264.crf=23"},
        {"1", .status = OUT},
        {"999", .status = OUT},
        {"1000", "x264.bitrate=1 x264.vbv-maxrate=2 qp_least>40"},
        {"100000", "x264.bitrate=100 x264.vbv-maxrate=200 x264.vbv-bufsize=500"},
        {"800000000", "x264.bitrate=800000 qp_most<8"},
        {"100000", .with = "AverageBitRate=100000", .status = NALU_STATUS_CONFLICT},
        {"100000", .with = AT_ONCE, .status = NALU_STATUS_CONFLICT},
    }},
    {.key = NALU_PROPERTY_VBV_MAX_BIT_RATE, .setup = "VariableBitRate=100000", .initial = "0", .start = "300000", .attempts = {
        {"0", "x264.vbv-maxrate=200", .now = "idr=0"},
        {"unset", "x264.vbv-maxrate=200", .now = "idr=0"},
        {"99999", .status = NALU_STATUS_CONFLICT},
        {"100000", "x264.vbv-maxrate=100", .now = "idr=0"},
        {"200000", "x264.vbv-maxrate=200 x264.vbv-bufsize=500", .now = "idr=0"},
        {"800000000", "x264.vbv-maxrate=800000", .now = "idr=0"},
        {"100000", .with = "", .opens = NALU_STATUS_CONFLICT, .late = NALU_STATUS_TOO_LATE},
    }},
    {.key = NALU_PROPERTY_VBV_BUFFER_DURATION, .setup = "VariableBitRate=100000", .initial = "2.5", .start = "5", .attempts = {
        {"0.1", "x264.vbv-bufsize=20", .now = "idr=0"},
        {"0.10000000000000001", "x264.vbv-bufsize=20", .now = "idr=0"},
        {"2.5", "x264.vbv-bufsize=500", .now = "idr=0"},
        {"unset", "x264.vbv-bufsize=500", .now = "idr=0"},
        {"60", "x264.vbv-bufsize=12000", .now = "idr=0"},
        {"1", .with = "", .opens = NALU_STATUS_CONFLICT, .late = NALU_STATUS_TOO_LATE},
    }},
    {.key = NALU_PROPERTY_VBV_INITIAL_DELAY_PERCENTAGE, .setup = "VariableBitRate=100000", .initial = "90", .attempts = {
        /* One picture is the least: 200 kb/s through 30 through 500 kb. */
        {"0", "x264.vbv-init=0.0133333337"},
        {"50", "x264.vbv-init=0.5"},
        {"90", "x264.vbv-init=0.899999976"},
        {"unset", "x264.vbv-init=0.899999976"},
        {"100", "x264.vbv-init=1"},
        {"50", .with = "", .opens = NALU_STATUS_CONFLICT},
    }},
};

#endif
