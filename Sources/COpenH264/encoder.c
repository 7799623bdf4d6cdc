/* OpenH264's encoder through its C interface. */
#include "openh264.h"

#include "loading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wels/codec_api.h>
#include <wels/codec_ver.h>

/* The soname of the headers' version. It changes whenever the layout of the structs does. */
#if OPENH264_MAJOR == 2 && OPENH264_MINOR >= 3 && OPENH264_MINOR <= 5
#define SONAME_NUMBER "7"
#elif OPENH264_MAJOR == 2 && OPENH264_MINOR == 6
#define SONAME_NUMBER "8"
#else
#error "The headers are those of an OpenH264 whose soname is not known; expected 2.3 to 2.6."
#endif

#define FUNCTIONS(X) X(WelsCreateSVCEncoder) X(WelsDestroySVCEncoder) X(WelsGetCodecVersionEx)
#define NAME(name) #name "\0"
#define INDEX(name) INDEX_##name,
enum { FUNCTIONS(INDEX) FUNCTION_COUNT };
/* Cisco's binary and the libraries of distributions have the same name. */
static const nalu_library library = {
    "libopenh264.so." SONAME_NUMBER, "libopenh264-" SONAME_NUMBER, FUNCTIONS(NAME)};
static void *functions[FUNCTION_COUNT];
static bool is_loaded;
#define CALL(name) ((__typeof__(&name))functions[INDEX_##name])

enum { PREFIX = 4 };

struct nalu_openh264 {
    ISVCEncoder *encoder;
    SEncParamExt parameters;
    uint8_t *bytes;
    size_t size, capacity;
    char message[256];
};

int32_t nalu_openh264_load(char *message, size_t capacity) {
    return nalu_libraries_load(&library, 1, functions, &is_loaded, message, capacity);
}

void nalu_openh264_version(int32_t version[3]) {
    OpenH264Version loaded = {0, 0, 0, 0};
    CALL(WelsGetCodecVersionEx)(&loaded);
    version[0] = (int32_t)loaded.uMajor, version[1] = (int32_t)loaded.uMinor, version[2] = (int32_t)loaded.uRevision;
}

/* Keeps the first error, which names the cause. Later errors name the functions that pass it on. */
static void receive(void *context, int level, const char *text) {
    nalu_openh264 *it = context;
    if (level > WELS_LOG_ERROR || it->message[0]) return;
    const char *end = strstr(text, "Error:");
    snprintf(it->message, sizeof it->message, "%s", end ? end + strlen("Error:") : text);
    it->message[strcspn(it->message, "\r\n")] = 0;
}

/* OpenH264 allocates buffers for single slices if the slices have a size limit. A picture can then have 12 bits a pixel
 * in place of 8. */
static void fill_slices(SEncParamExt *parameters, const nalu_openh264_settings *settings) {
    enum { LEAST_LIMIT = 1500, PARTS = 4 };
    SSliceArgument *slices = &parameters->sSpatialLayers[0].sSliceArgument;
    slices->uiSliceMode = SM_SINGLE_SLICE;
    if (!settings->has_slices) return;
    const int limit = settings->width * settings->height / PARTS;
    slices->uiSliceMode = SM_SIZELIMITED_SLICE;
    slices->uiSliceSizeConstraint = parameters->uiMaxNalSize = (unsigned)(limit > LEAST_LIMIT ? limit : LEAST_LIMIT);
}

static void fill_signal(SSpatialLayerConfig *layer, const nalu_openh264_settings *settings) {
    layer->bVideoSignalTypePresent = true;
    layer->uiVideoFormat = VF_UNDEF;
    layer->bFullRange = settings->is_full_range;
    layer->bColorDescriptionPresent = true;
    layer->uiColorPrimaries = settings->primaries;
    layer->uiTransferCharacteristics = settings->transfer;
    layer->uiColorMatrix = settings->matrix;
    if (settings->sar_width > 0 && settings->sar_height > 0) {
        layer->bAspectRatioPresent = true;
        layer->eAspectRatio = ASP_EXT_SAR;
        layer->sAspectRatioExtWidth = (unsigned short)settings->sar_width;
        layer->sAspectRatioExtHeight = (unsigned short)settings->sar_height;
    }
}

static void fill_rate(SEncParamExt *parameters, const nalu_openh264_rate *rate) {
    SSpatialLayerConfig *layer = &parameters->sSpatialLayers[0];
    parameters->iTargetBitrate = layer->iSpatialBitrate = rate->bits_per_second;
    parameters->iMaxBitrate = layer->iMaxSpatialBitrate = UNSPECIFIED_BIT_RATE;
    parameters->iRCMode = rate->bits_per_second > 0 ? RC_BITRATE_MODE : RC_OFF_MODE;
    layer->iDLayerQp = rate->qp;
    parameters->iComplexityMode = (ECOMPLEXITY_MODE)rate->complexity;
}

static void fill(SEncParamExt *parameters, const nalu_openh264_settings *settings) {
    SSpatialLayerConfig *layer = &parameters->sSpatialLayers[0];
    parameters->iUsageType = CAMERA_VIDEO_REAL_TIME;
    parameters->iPicWidth = layer->iVideoWidth = settings->width;
    parameters->iPicHeight = layer->iVideoHeight = settings->height;
    parameters->iSpatialLayerNum = 1;
    parameters->iTemporalLayerNum = settings->temporal_layers;
    parameters->fMaxFrameRate = layer->fFrameRate = settings->frames_per_second;
    fill_rate(parameters, &settings->rate);
    parameters->iMinQp = settings->min_qp;
    parameters->iMaxQp = settings->max_qp;
    layer->uiProfileIdc = (EProfileIdc)settings->profile_idc;
    /* The parameter sets get their level from the session. A lower one here would limit later changes of the rate. */
    layer->uiLevelIdc = LEVEL_5_2;
    parameters->iEntropyCodingModeFlag = settings->uses_cabac;
    /* The session decides on key frames and on dropped frames. */
    parameters->uiIntraPeriod = 0;
    parameters->bEnableSceneChangeDetect = false;
    parameters->bEnableFrameSkip = false;
    parameters->eSpsPpsIdStrategy = CONSTANT_ID;
    parameters->bPrefixNalAddingCtrl = false;
    parameters->bEnableSSEI = false;
    parameters->iMultipleThreadIdc = 1;
    fill_slices(parameters, settings);
    fill_signal(layer, settings);
}

static bool reserve(nalu_openh264 *it, size_t more) {
    if (it->capacity - it->size >= more) return true;
    const size_t capacity = 2 * (it->size + more);
    uint8_t *bytes = realloc(it->bytes, capacity);
    if (!bytes) return false;
    it->bytes = bytes;
    it->capacity = capacity;
    return true;
}

static bool is_parameter_set(uint8_t header) { return (header & 31) == NAL_SPS || (header & 31) == NAL_PPS; }

/* Appends a NAL unit: replaces its start code by a length prefix. */
static bool append(nalu_openh264 *it, const uint8_t *unit, size_t size) {
    size_t start = 0;
    while (start < size && unit[start] == 0) start++;
    start++; /* the byte 1, which ends the start code */
    if (start >= size || size - start > UINT32_MAX) return false;
    const size_t length = size - start;
    if (!reserve(it, PREFIX + length)) return false;
    for (int i = 0; i < PREFIX; i++) it->bytes[it->size + (size_t)i] = (uint8_t)(length >> (8 * (PREFIX - 1 - i)));
    memcpy(it->bytes + it->size + PREFIX, unit + start, length);
    it->size += PREFIX + length;
    return true;
}

/* Collects the parameter sets, or all other NAL units. Returns false if a NAL unit is empty, or if memory is exhausted. */
static bool collect(nalu_openh264 *it, const SFrameBSInfo *info, bool wants_sets) {
    it->size = 0;
    for (int layer = 0; layer < info->iLayerNum; layer++) {
        const uint8_t *unit = info->sLayerInfo[layer].pBsBuf;
        for (int i = 0; i < info->sLayerInfo[layer].iNalCount; i++) {
            const int size = info->sLayerInfo[layer].pNalLengthInByte[i];
            if (size <= PREFIX) return false;
            if (is_parameter_set(unit[PREFIX]) == wants_sets && !append(it, unit, (size_t)size)) return false;
            unit += size;
        }
    }
    return it->size > 0;
}

static nalu_openh264 *refuse(nalu_openh264 *it, const char *what, char *message, size_t capacity) {
    snprintf(message, capacity, "%s%s%s", what, it && it->message[0] ? ": " : "", it ? it->message : "");
    nalu_openh264_close(it);
    return NULL;
}

nalu_openh264 *nalu_openh264_open(const nalu_openh264_settings *settings, char *message, size_t capacity) {
    if (nalu_openh264_load(message, capacity) != 0) return NULL;
    nalu_openh264 *it = calloc(1, sizeof *it);
    if (!it || CALL(WelsCreateSVCEncoder)(&it->encoder) != 0 || !it->encoder)
        return refuse(it, "OpenH264 has no memory", message, capacity);
    int level = WELS_LOG_ERROR;
    WelsTraceCallback callback = receive;
    void *context = it;
    (*it->encoder)->SetOption(it->encoder, ENCODER_OPTION_TRACE_CALLBACK_CONTEXT, &context);
    (*it->encoder)->SetOption(it->encoder, ENCODER_OPTION_TRACE_CALLBACK, (void *)&callback);
    (*it->encoder)->SetOption(it->encoder, ENCODER_OPTION_TRACE_LEVEL, &level);
    (*it->encoder)->GetDefaultParams(it->encoder, &it->parameters);
    fill(&it->parameters, settings);
    if ((*it->encoder)->InitializeExt(it->encoder, &it->parameters) != 0)
        return refuse(it, "OpenH264 cannot be opened", message, capacity);
    return it;
}

void nalu_openh264_close(nalu_openh264 *it) {
    if (!it) return;
    if (it->encoder) {
        (*it->encoder)->Uninitialize(it->encoder);
        CALL(WelsDestroySVCEncoder)(it->encoder);
    }
    free(it->bytes);
    free(it);
}

int32_t nalu_openh264_parameter_sets(nalu_openh264 *it, const uint8_t **data, size_t *size) {
    SFrameBSInfo info;
    memset(&info, 0, sizeof info);
    it->message[0] = 0;
    if ((*it->encoder)->EncodeParameterSets(it->encoder, &info) != 0 || !collect(it, &info, true)) return -1;
    *data = it->bytes;
    *size = it->size;
    return 0;
}

int32_t nalu_openh264_set_rate(nalu_openh264 *it, const nalu_openh264_rate *rate) {
    const SEncParamExt before = it->parameters;
    it->message[0] = 0;
    fill_rate(&it->parameters, rate);
    if (before.iComplexityMode != it->parameters.iComplexityMode) {
        int complexity = rate->complexity;
        if ((*it->encoder)->SetOption(it->encoder, ENCODER_OPTION_COMPLEXITY, &complexity) != 0) return -1;
    }
    if (rate->bits_per_second > 0) {
        if (before.iTargetBitrate == rate->bits_per_second) return 0;
        SBitrateInfo bits = {SPATIAL_LAYER_ALL, rate->bits_per_second};
        return (*it->encoder)->SetOption(it->encoder, ENCODER_OPTION_BITRATE, &bits) == 0 ? 0 : -1;
    }
    if (before.sSpatialLayers[0].iDLayerQp == rate->qp) return 0;
    return (*it->encoder)->SetOption(it->encoder, ENCODER_OPTION_SVC_ENCODE_PARAM_EXT, &it->parameters) == 0 ? 0 : -1;
}

/* Whether the first slice has a nal_ref_idc. */
static bool has_reference(const nalu_openh264 *it) {
    for (size_t i = 0; i + PREFIX < it->size;) {
        const uint8_t *unit = it->bytes + i;
        const int type = unit[PREFIX] & 31;
        if (type == NAL_SLICE || type == NAL_SLICE_IDR) return (unit[PREFIX] & 0x60) != 0;
        i += PREFIX + ((size_t)unit[0] << 24 | (size_t)unit[1] << 16 | (size_t)unit[2] << 8 | unit[3]);
    }
    return true;
}

int32_t nalu_openh264_encode(nalu_openh264 *it, const nalu_openh264_frame *frame, nalu_openh264_picture *picture) {
    SFrameBSInfo info;
    SSourcePicture source;
    memset(&info, 0, sizeof info);
    memset(&source, 0, sizeof source);
    it->message[0] = 0;
    source.iColorFormat = videoFormatI420;
    source.iPicWidth = it->parameters.iPicWidth;
    source.iPicHeight = it->parameters.iPicHeight;
    source.uiTimeStamp = frame->milliseconds;
    for (int i = 0; i < 3; i++) {
        source.pData[i] = (unsigned char *)(uintptr_t)frame->planes[i];
        source.iStride[i] = frame->strides[i];
    }
    if (frame->is_key_frame && (*it->encoder)->ForceIntraFrame(it->encoder, true) != 0) return -1;
    if ((*it->encoder)->EncodeFrame(it->encoder, &source, &info) != 0) return -1;
    memset(picture, 0, sizeof *picture);
    if (info.eFrameType == videoFrameTypeSkip) return 0;
    if (info.eFrameType == videoFrameTypeInvalid || !collect(it, &info, false)) return -1;
    picture->kind = info.eFrameType == videoFrameTypeIDR ? NALU_OPENH264_IDR
        : info.eFrameType == videoFrameTypeI             ? NALU_OPENH264_I
                                                         : NALU_OPENH264_P;
    picture->is_reference = has_reference(it);
    picture->data = it->bytes;
    picture->size = it->size;
    return 0;
}

const char *nalu_openh264_error(const nalu_openh264 *it) { return it->message; }
