#include "properties.h"

#include "../../Support/constant.h"
#include "../../Support/value.h"

#include <CoreMedia/CMFormatDescription.h>
#include <CoreVideo/CVImageBuffer.h>
#include <VideoToolbox/VTCompressionProperties.h>
#include <stdlib.h>
#include <string.h>

NALU_CONSTANT(nalu_chroma_location_top, "ChromaLocationTopField");
NALU_CONSTANT(nalu_chroma_location_bottom, "ChromaLocationBottomField");

static const CFStringRef *const aspect_fields[] = {
    &kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing,
    &kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing,
};
static const CFStringRef *const aperture_fields[] = {
    &kCMFormatDescriptionKey_CleanApertureWidth,
    &kCMFormatDescriptionKey_CleanApertureHeight,
    &kCMFormatDescriptionKey_CleanApertureHorizontalOffset,
    &kCMFormatDescriptionKey_CleanApertureVerticalOffset,
};
static const struct nalu_value_text hdr_modes[] = {
    {&kVTHDRMetadataInsertionMode_None, NALU_HDR_METADATA_INSERTION_MODE_NONE},
    {&kVTHDRMetadataInsertionMode_Auto, NALU_HDR_METADATA_INSERTION_MODE_AUTO},
    {NULL, NULL},
};

#define KEY(constant) .key = &kVTCompressionPropertyKey_##constant
#define NAME(constant) .name = NALU_PROPERTY_##constant
#define DEFERRED(constant) [NALU_DEFERRED_##constant] = {.deferred = NALU_DEFERRED_##constant, NAME(constant)
/* Accepted without effect; the header states why. */
#define WITHOUT_EFFECT(constant, cf_type) KEY(constant), .type = cf_type##GetTypeID, .flags = NALU_PROPERTY_IS_KEPT

static const struct nalu_property_row table[] = {
    {KEY(MultiPassStorage)},
    DEFERRED(AVERAGE_BIT_RATE)},
    DEFERRED(CONSTANT_BIT_RATE), .flags = NALU_PROPERTY_REPLACES_ENCODER},
    DEFERRED(VARIABLE_BIT_RATE)},
    DEFERRED(SOURCE_FRAME_COUNT)},
    DEFERRED(EXPECTED_DURATION)},
    DEFERRED(VBV_MAX_BIT_RATE)},
    DEFERRED(VBV_BUFFER_DURATION)},
    DEFERRED(VBV_INITIAL_DELAY_PERCENTAGE)},
    DEFERRED(EXPECTED_FRAME_RATE)},
    DEFERRED(QUALITY)},
    DEFERRED(CONSTANT_QUALITY_FACTOR)},
    DEFERRED(MAX_FRAME_DELAY_COUNT), .flags = NALU_PROPERTY_REPLACES_ENCODER},
    DEFERRED(MAX_LOOK_AHEAD_FRAME_COUNT)},
    DEFERRED(REAL_TIME), .flags = NALU_PROPERTY_REPLACES_ENCODER},
    DEFERRED(MAXIMIZE_POWER_EFFICIENCY)},
    /* Clients compute the lag of decode times from the stream's own reordering. */
    DEFERRED(ALLOW_FRAME_REORDERING), .flags = NALU_PROPERTY_READS_STREAM},
    DEFERRED(ALLOW_B_PYRAMID)},

    /* "Never" is written as the largest number of any width. */
    {NAME(MAX_KEY_FRAME_INTERVAL), .most = INT32_MAX},
    {NAME(PRIORITIZE_ENCODING_SPEED_OVER_QUALITY), .flags = NALU_PROPERTY_REPLACES_ENCODER},
    {NAME(PROFILE_LEVEL), .flags = NALU_PROPERTY_REPLACES_ENCODER},
    {NAME(X264_PARAMS), .type = CFStringGetTypeID, .flags = NALU_PROPERTY_IS_KEPT | NALU_PROPERTY_LOCATES_CHROMA},
    {KEY(EstimatedAverageBytesPerFrame), NAME(ESTIMATED_AVERAGE_BYTES_PER_FRAME)},
    {NAME(HDR_METADATA_INSERTION_MODE), .form.texts = hdr_modes},

    {NAME(DATA_RATE_LIMITS), .type = CFArrayGetTypeID, .flags = NALU_PROPERTY_IS_KEPT, .read = nalu_value_read_limits,
        .copy = nalu_value_copy_limits},
    {NAME(PIXEL_ASPECT_RATIO), .type = CFDictionaryGetTypeID, .read = nalu_value_read_fields,
        .copy = nalu_value_copy_fields, .form = {.fields = aspect_fields, .count = 2}},
    {NAME(CLEAN_APERTURE), .type = CFDictionaryGetTypeID, .read = nalu_value_read_fields,
        .copy = nalu_value_copy_fields, .form = {.fields = aperture_fields, .count = 4}},
    {KEY(MasteringDisplayColorVolume), NAME(MASTERING_DISPLAY_COLOR_VOLUME), .type = CFDataGetTypeID,
        .read = nalu_value_read_bytes, .copy = nalu_value_copy_bytes, .form = {.count = 10, .word_count = 8},
        .extension = &kCMFormatDescriptionExtension_MasteringDisplayColorVolume},
    {KEY(ContentLightLevelInfo), NAME(CONTENT_LIGHT_LEVEL_INFO), .type = CFDataGetTypeID,
        .read = nalu_value_read_bytes, .copy = nalu_value_copy_bytes, .form = {.count = 2, .word_count = 2},
        .extension = &kCMFormatDescriptionExtension_ContentLightLevelInfo},
    {NAME(PIXEL_TRANSFER_PROPERTIES), .type = CFDictionaryGetTypeID, .read = nalu_value_read_transfer,
        .copy = nalu_value_copy_settings},
    {NAME(VIDEO_ENCODER_PIXEL_BUFFER_ATTRIBUTES), .copy = nalu_value_copy_attributes},
    {NAME(SUPPORTED_PRESET_DICTIONARIES), .copy = nalu_value_copy_presets},
    {NAME(RECOMMENDED_PARALLELIZED_SUBDIVISION_MINIMUM_DURATION), .copy = nalu_value_copy_duration},
    {NAME(FIELD_COUNT), .flags = NALU_PROPERTY_DESCRIBES_SAMPLES},
    {KEY(FieldDetail), NAME(FIELD_DETAIL), .extension = &kCMFormatDescriptionExtension_FieldDetail},

    /* The row of the matrix has no codes, because RGB frames can be converted with the named matrices only. */
    {KEY(ColorPrimaries), NAME(COLOR_PRIMARIES), .colour = 1, .attachment = &kCVImageBufferColorPrimariesKey,
        .form = {.code = CVColorPrimariesGetIntegerCodePointForString,
            .string = CVColorPrimariesGetStringForIntegerCodePoint}},
    {KEY(TransferFunction), NAME(TRANSFER_FUNCTION), .colour = 2, .attachment = &kCVImageBufferTransferFunctionKey,
        .form = {.code = CVTransferFunctionGetIntegerCodePointForString,
            .string = CVTransferFunctionGetStringForIntegerCodePoint}},
    {KEY(YCbCrMatrix), NAME(YCBCR_MATRIX), .colour = 3, .attachment = &kCVImageBufferYCbCrMatrixKey},
    {.key = &nalu_chroma_location_top, .type = CFStringGetTypeID,
        .flags = NALU_PROPERTY_IS_KEPT | NALU_PROPERTY_LOCATES_CHROMA, .colour = 4,
        .attachment = &kCVImageBufferChromaLocationTopFieldKey},
    {.key = &nalu_chroma_location_bottom, .type = CFStringGetTypeID,
        .flags = NALU_PROPERTY_IS_KEPT | NALU_PROPERTY_LOCATES_CHROMA, .colour = 4},

    {WITHOUT_EFFECT(Depth, CFNumber)},
    {WITHOUT_EFFECT(PreserveAlphaChannel, CFBoolean)},
    {WITHOUT_EFFECT(AlphaChannelMode, CFString)},
    {WITHOUT_EFFECT(AspectRatio16x9, CFBoolean)},
    {WITHOUT_EFFECT(ProgressiveScan, CFBoolean)},
    {WITHOUT_EFFECT(GammaLevel, CFNumber), .extension = &kCMFormatDescriptionExtension_GammaLevel},
    {WITHOUT_EFFECT(ICCProfile, CFData), .extension = &kCMFormatDescriptionExtension_ICCProfile},
    {WITHOUT_EFFECT(PreserveDynamicHDRMetadata, CFBoolean)},
    {.key = &kCVImageBufferGammaLevelKey, .type = CFNumberGetTypeID, .flags = NALU_PROPERTY_IS_KEPT,
        .extension = &kCMFormatDescriptionExtension_GammaLevel},
    {KEY(UsingGPURegistryID)},
};

enum { ROWS = sizeof table / sizeof *table };

const struct nalu_property_row *nalu_property_at(size_t index) { return index < ROWS ? &table[index] : NULL; }

const struct nalu_property_row *nalu_property_of_deferred(enum nalu_deferred deferred) { return &table[deferred]; }

const struct nalu_property_row *nalu_property_of_name(const char *name, struct nalu_property_row *plain) {
    for (size_t i = 0; i < ROWS; i++)
        if (table[i].name && strcmp(name, table[i].name) == 0) return &table[i];
    for (uint32_t i = 0; i < nalu_property_get_count(); i++) {
        *plain = (struct nalu_property_row){.name = nalu_property_get_key(i)};
        if (plain->name && strcmp(name, plain->name) == 0) return plain;
    }
    return NULL;
}

const struct nalu_property_row *nalu_property_of_key(CFStringRef key, struct nalu_property_row *plain) {
    for (size_t i = 0; i < ROWS; i++)
        if (table[i].key && CFEqual(key, *table[i].key)) return &table[i];
    char *name = nalu_read_string(key);
    const struct nalu_property_row *row = name ? nalu_property_of_name(name, plain) : NULL;
    free(name);
    return row;
}

bool nalu_property_is_of_specification(CFStringRef key) {
    const CFStringRef keys[] = {kVTVideoEncoderSpecification_EncoderID,
        kVTVideoEncoderSpecification_EnableHardwareAcceleratedVideoEncoder,
        kVTVideoEncoderSpecification_RequireHardwareAcceleratedVideoEncoder,
        kVTVideoEncoderSpecification_EnableLowLatencyRateControl,
        kVTVideoEncoderSpecification_RequiredEncoderGPURegistryID,
        kVTVideoEncoderSpecification_PreferredEncoderGPURegistryID};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (CFEqual(key, keys[i])) return true;
    return false;
}
