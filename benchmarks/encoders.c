/*
 * Compares sessions of x265 and OpenH264 with bare loops over these libraries: in one process, alternately, with the same
 * frames in memory and equal parameters. `session` does the same for x264. Prints a Markdown table of medians.
 *
 *     encoders [-q] [-r ROUNDS] FILE
 *
 * FILE contains NV12 frames of 1280x720 pixels. -q measures fewer frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure.h"
#include <nalu/nalu.h>

#include <dlfcn.h>
#include <libyuv/convert.h>
#include <string.h>
#include <unistd.h>
#include <wels/codec_api.h>
#include <x265.h>

enum { WIDTH = 1280, HEIGHT = 720, FRAME_RATE = 25, LUMA = WIDTH * HEIGHT, FRAME = LUMA * 3 / 2, QP = 28, MOST_ROUNDS = 99 };

static uint8_t *frames;
static int frame_count;

/* The measure of one run. */
typedef struct result {
    double cpu, wall;
    size_t bytes;
} result;

static void *function(const char *library, const char *name) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    void *found = handle ? dlsym(handle, name) : NULL;
    check(found != NULL, library);
    return found;
}

static result since(result start) {
    return (result){seconds(CLOCK_PROCESS_CPUTIME_ID) - start.cpu, seconds(CLOCK_MONOTONIC) - start.wall, start.bytes};
}

static result begin(void) { return (result){seconds(CLOCK_PROCESS_CPUTIME_ID), seconds(CLOCK_MONOTONIC), 0}; }

/* ---- Bare libraries ---- */

#define TEXT(symbol) #symbol
#define NUMBER(symbol) TEXT(symbol)

/* x265 with the parameters that the session reports, `name=value:name=value`. */
static result run_x265(const char *preset, const char *effective) {
    const x265_api *(*get)(int);
    *(void **)&get = function("libx265.so." NUMBER(X265_BUILD), "x265_api_get_" NUMBER(X265_BUILD));
    const x265_api *api = get(8);
    x265_param *parameters = api->param_alloc();
    check(api->param_default_preset(parameters, preset, NULL) == 0, "finding the preset");
    parameters->sourceWidth = WIDTH, parameters->sourceHeight = HEIGHT;
    parameters->logLevel = X265_LOG_NONE;
    parameters->keyframeMax = INT32_MAX, parameters->keyframeMin = 1;
    char copy[2048], *rest = copy;
    snprintf(copy, sizeof copy, "%s", effective);
    for (char *pair; (pair = strsep(&rest, ":"));) {
        char *value = strchr(pair, '=');
        if (!value || strncmp(pair, "preset", 6) == 0 || strncmp(pair, "output-depth", 12) == 0) continue;
        *value++ = 0;
        check(api->param_parse(parameters, pair, value) == 0, pair);
    }
    x265_encoder *encoder = api->encoder_open(parameters);
    check(encoder != NULL, "opening x265");
    x265_picture picture, output;
    api->picture_init(parameters, &picture);
    picture.stride[0] = WIDTH, picture.stride[1] = picture.stride[2] = WIDTH / 2;
    x265_nal *units;
    uint32_t count;
    result all = begin();
    for (int i = 0;; i++) {
        uint8_t *frame = frames + (size_t)i * FRAME;
        picture.pts = i;
        picture.planes[0] = frame, picture.planes[1] = frame + LUMA, picture.planes[2] = frame + LUMA * 5 / 4;
        const int size = api->encoder_encode(encoder, &units, &count, i < frame_count ? &picture : NULL, &output);
        check(size >= 0, "encoding with x265");
        for (uint32_t unit = 0; unit < count && size > 0; unit++) all.bytes += units[unit].sizeBytes;
        if (i >= frame_count && size == 0) break;
    }
    all = since(all);
    api->encoder_close(encoder);
    api->param_free(parameters);
    return all;
}

static result run_openh264(const char *preset, const char *effective) {
    (void)preset, (void)effective;
    int (*create)(ISVCEncoder **);
    void (*destroy)(ISVCEncoder *);
    *(void **)&create = function("libopenh264.so.7", "WelsCreateSVCEncoder");
    *(void **)&destroy = function("libopenh264.so.7", "WelsDestroySVCEncoder");
    ISVCEncoder *encoder;
    SEncParamExt parameters;
    int quiet = WELS_LOG_QUIET;
    check(create(&encoder) == 0, "creating OpenH264");
    (*encoder)->SetOption(encoder, ENCODER_OPTION_TRACE_LEVEL, &quiet);
    (*encoder)->GetDefaultParams(encoder, &parameters);
    SSpatialLayerConfig *layer = &parameters.sSpatialLayers[0];
    parameters.iUsageType = CAMERA_VIDEO_REAL_TIME;
    parameters.iPicWidth = layer->iVideoWidth = WIDTH, parameters.iPicHeight = layer->iVideoHeight = HEIGHT;
    parameters.fMaxFrameRate = layer->fFrameRate = FRAME_RATE;
    parameters.iRCMode = RC_OFF_MODE;
    layer->iDLayerQp = parameters.iMinQp = parameters.iMaxQp = QP;
    layer->uiProfileIdc = PRO_HIGH, layer->uiLevelIdc = LEVEL_5_2;
    parameters.iEntropyCodingModeFlag = 1;
    parameters.uiIntraPeriod = 0;
    parameters.bEnableSceneChangeDetect = parameters.bEnableFrameSkip = false;
    parameters.eSpsPpsIdStrategy = CONSTANT_ID;
    parameters.bPrefixNalAddingCtrl = parameters.bEnableSSEI = false;
    parameters.iComplexityMode = MEDIUM_COMPLEXITY;
    parameters.iMultipleThreadIdc = 1;
    parameters.uiMaxNalSize = layer->sSliceArgument.uiSliceSizeConstraint = LUMA / 4;
    layer->sSliceArgument.uiSliceMode = SM_SIZELIMITED_SLICE;
    check((*encoder)->InitializeExt(encoder, &parameters) == 0, "opening OpenH264");
    result all = begin();
    for (int i = 0; i < frame_count; i++) {
        uint8_t *frame = frames + (size_t)i * FRAME;
        SSourcePicture picture = {.iColorFormat = videoFormatI420, .iPicWidth = WIDTH, .iPicHeight = HEIGHT,
            .iStride = {WIDTH, WIDTH / 2, WIDTH / 2}, .pData = {frame, frame + LUMA, frame + LUMA * 5 / 4},
            .uiTimeStamp = i * 1000 / FRAME_RATE};
        SFrameBSInfo info;
        memset(&info, 0, sizeof info);
        check((*encoder)->EncodeFrame(encoder, &picture, &info) == 0, "encoding with OpenH264");
        all.bytes += (size_t)info.iFrameSizeInBytes;
    }
    all = since(all);
    (*encoder)->Uninitialize(encoder);
    destroy(encoder);
    return all;
}

/* ---- A session ---- */

static void receive(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    size_t size = 0;
    (void)frame_refcon, (void)flags;
    check(status == NALU_STATUS_OK && sample, "encoding a frame");
    nalu_sample_get_data(sample, &size);
    *(size_t *)refcon += size;
}

/* Encodes the frames with the properties `text`, and copies x265's parameters if `effective` is not NULL. */
static result run_session(nalu_four_char_code codec, const char *encoder, const char *text, char *effective, size_t capacity) {
    nalu_encoder_specification specification = NALU_ENCODER_SPECIFICATION_INIT;
    nalu_compression_session *session = NULL;
    size_t bytes = 0;
    specification.encoder_id = encoder;
    OK(nalu_compression_session_create(WIDTH, HEIGHT, codec, &specification, NULL, receive, &bytes, NULL, &session));
    OK(nalu_session_set_properties_from_text(session, text));
    OK(nalu_compression_session_prepare(session));
    size_t length;
    if (effective) OK(nalu_session_copy_string(session, NALU_PROPERTY_X265_EFFECTIVE, effective, capacity, &length));
    result all = begin();
    for (int i = 0; i < frame_count; i++) {
        const uint8_t *frame = frames + (size_t)i * FRAME;
        const void *planes[3] = {frame, frame + LUMA, frame + LUMA * 5 / 4};
        const int64_t strides[3] = {WIDTH, WIDTH / 2, WIDTH / 2};
        nalu_pixel_buffer *buffer = NULL;
        OK(nalu_pixel_buffer_create_with_planes(WIDTH, HEIGHT, NALU_PIXEL_FORMAT_Y420, 3, planes, strides, NULL, NULL, NULL,
            &buffer));
        OK(nalu_compression_session_encode_frame(session, buffer, nalu_time_make(i, FRAME_RATE), nalu_time_make(1, FRAME_RATE),
            NULL, NULL, NULL));
        nalu_pixel_buffer_release(buffer);
    }
    OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
    all = since(all);
    all.bytes = bytes;
    OK(nalu_compression_session_invalidate(session));
    nalu_compression_session_release(session);
    return all;
}

/* ---- Comparisons ---- */

typedef struct comparison {
    const char *name, *encoder, *preset, *properties;
    nalu_four_char_code codec;
    result (*bare)(const char *preset, const char *effective);
} comparison;

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

static void measure(const comparison *it, int rounds) {
    double cpu[MOST_ROUNDS], speed[MOST_ROUNDS];
    char effective[2048] = "";
    const int is_x265 = it->codec == NALU_CODEC_HEVC;
    result ours = {0, 0, 0}, theirs = {0, 0, 0};
    /* The first round warms the caches up, and is not counted. */
    for (int round = -1; round < rounds; round++) {
        ours = run_session(it->codec, it->encoder, it->properties, is_x265 ? effective : NULL, sizeof effective);
        theirs = it->bare(it->preset, effective);
        if (round < 0) continue;
        cpu[round] = ours.cpu / theirs.cpu;
        speed[round] = theirs.wall / ours.wall;
    }
    printf("| %s | %.3f | %.3f | %.4f |\n", it->name, median(speed, rounds), median(cpu, rounds),
        (double)ours.bytes / (double)theirs.bytes);
    fflush(stdout);
}

static void read_frames(const char *path) {
    FILE *file = fopen(path, "rb");
    check(file != NULL, "opening the clip");
    uint8_t *pairs = malloc(FRAME);
    frames = malloc((size_t)frame_count * FRAME);
    check(pairs && frames, "allocating the frames");
    for (int i = 0; i < frame_count; i++) {
        if (fread(pairs, FRAME, 1, file) != 1) {
            frame_count = i;
            break;
        }
        uint8_t *frame = frames + (size_t)i * FRAME;
        NV12ToI420(pairs, WIDTH, pairs + LUMA, WIDTH, frame, WIDTH, frame + LUMA, WIDTH / 2, frame + LUMA * 5 / 4, WIDTH / 2,
            WIDTH, HEIGHT);
    }
    check(frame_count > 0, "reading the clip");
    fclose(file);
    free(pairs);
}

int main(int argc, char **argv) {
    int rounds = 7;
    frame_count = 100;
    for (int option; (option = getopt(argc, argv, "qr:")) != -1;) {
        if (option == 'q') frame_count = 30;
        else if (option == 'r' && atoi(optarg) > 0 && atoi(optarg) <= MOST_ROUNDS) rounds = atoi(optarg);
        else check(0, "reading the options");
    }
    check(optind < argc, "finding the clip; usage: encoders [-q] [-r ROUNDS] FILE");
    read_frames(argv[optind]);
    const comparison all[] = {
        {"x265, superfast", NULL, "superfast", "x265.preset=superfast,Quality=0.5,ExpectedFrameRate=25", NALU_CODEC_HEVC, run_x265},
        {"x265, medium", NULL, "medium", "x265.preset=medium,Quality=0.5,ExpectedFrameRate=25", NALU_CODEC_HEVC, run_x265},
        {"OpenH264, QP 28", "org.openh264.openh264", "", "Quality=0.5,MinAllowedFrameQP=28,MaxAllowedFrameQP=28,ExpectedFrameRate=25",
            NALU_CODEC_H264, run_openh264},
    };
    printf("| encoder | speed, session : bare | processor time, session : bare | bytes, session : bare |\n|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) measure(&all[i], rounds);
    free(frames);
    return EXIT_SUCCESS;
}
