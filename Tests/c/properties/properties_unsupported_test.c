/* Properties of VideoToolbox that a session does not support are rejected with the reason, by every function
 * that accepts a key. The alternative that a reason recommends works. */
#include "clip.h"
#include "refusal.h"

/* Keys and a word of the reason. */
static const char *const unsupported[][2] = {
    {"TargetQualityForAlpha", "alpha"},
    {"Depth", "RGB"},
    {"PreserveAlphaChannel", "alpha"},
    {"MaximumRealTimeFrameRate", "too fast"},
    {"BaseLayerFrameRate", "BaseLayerFrameRateFraction"},
    {"UsingGPURegistryID", "no GPU"},
    {"AspectRatio16x9", "PixelAspectRatio"},
    {"ProgressiveScan", "FieldCount"},
    {"ICCProfile", "container"},
    {"GammaLevel", "TransferFunction"},
    {"AlphaChannelMode", "alpha"},
    {"MultiPassStorage", "nalu_compression_session_set_multi_pass_storage"},
    {"PreserveDynamicHDRMetadata", "no such metadata"},
    {"MVHEVCVideoLayerIDs", "MV-HEVC"},
    {"MVHEVCViewIDs", "MV-HEVC"},
    {"MVHEVCLeftAndRightViewIDs", "MV-HEVC"},
    {"HeroEye", "container"},
    {"StereoCameraBaseline", "container"},
    {"HorizontalDisparityAdjustment", "container"},
    {"HasLeftStereoEyeView", "container"},
    {"HasRightStereoEyeView", "container"},
    {"HorizontalFieldOfView", "container"},
    {"ProjectionKind", "container"},
    {"ViewPackingKind", "\"frame-packing\""},
    {"CameraCalibrationDataLensCollection", "container"},
};

static void every_unsupported_property_is_refused_with_its_reason(void) {
    clip c;
    clip_open(&c, 64, 48);
    for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++) {
        const char *key = unsupported[i][0];
        char text[8] = "as was";
        double number = 5;
        int64_t integer = 5;
        int32_t truth = 5;
        size_t size = 5;
        nalu_property_info info = {.struct_size = sizeof info, .type = 77};
        const nalu_property several[] = {
            {.key = NALU_PROPERTY_REAL_TIME, .type = NALU_PROPERTY_TYPE_BOOL, .integer = 1},
            {.key = key, .type = NALU_PROPERTY_TYPE_BOOL, .integer = 1},
        };
#define UNSUPPORTED(call) \
    REFUSED(call, NALU_STATUS_PROPERTY_NOT_SUPPORTED, key, " is not supported: ", unsupported[i][1])
        UNSUPPORTED(nalu_session_set_int64(c.session, key, 1));
        UNSUPPORTED(nalu_session_set_double(c.session, key, 0.5));
        UNSUPPORTED(nalu_session_set_bool(c.session, key, 1));
        UNSUPPORTED(nalu_session_set_string(c.session, key, "x"));
        UNSUPPORTED(nalu_session_set_numbers(c.session, key, NULL, 0));
        UNSUPPORTED(nalu_session_unset_property(c.session, key));
        UNSUPPORTED(nalu_session_set_properties(c.session, several, 2));
        UNSUPPORTED(nalu_session_get_int64(c.session, key, &integer));
        UNSUPPORTED(nalu_session_get_double(c.session, key, &number));
        UNSUPPORTED(nalu_session_get_bool(c.session, key, &truth));
        UNSUPPORTED(nalu_session_copy_string(c.session, key, text, sizeof text, &size));
        UNSUPPORTED(nalu_session_copy_numbers(c.session, key, &number, 1, &size));
        UNSUPPORTED(nalu_property_get_info(key, &info));
        CHECK(strlen(nalu_last_error_message()) < 200);
        CHECK_PTR_EQ(nalu_property_get_allowed_value(key, 0), NULL);
        CHECK(integer == 5 && number == 5 && truth == 5 && size == 5 && info.type == 77);
        CHECK_STR_EQ(text, "as was");
        for (uint32_t n = 0; n < nalu_property_get_count(); n++) CHECK(strcmp(nalu_property_get_key(n), key) != 0);
    }
    CHECK_STATUS(nalu_session_get_bool(c.session, NALU_PROPERTY_REAL_TIME, &(int32_t){0}),
        NALU_STATUS_VALUE_NOT_AVAILABLE);
    clip_close(&c);
}

/* Checks that the first sample has an SEI message of this payload type (ITU-T H.264 annex D), and that its
 * payload begins with these bytes. */
static void check_message(const char *option, uint8_t payload_type, const uint8_t *payload, size_t payload_size) {
    clip c;
    int found = 0;
    clip_open(&c, 64, 48);
    if (option) REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, option));
    clip_encode_all(&c, 2);
    size_t size = 0;
    const uint8_t *data = nalu_sample_get_data(c.samples[0], &size);
    for (size_t at = 0; at + 4 <= size;) {
        const uint8_t *unit = data + at + 4;
        const size_t length = (size_t)unit[-4] << 24 | (size_t)unit[-3] << 16 | (size_t)unit[-2] << 8 | unit[-1];
        at += 4 + length;
        REQUIRE(at <= size);
        if (length >= 3 + payload_size && (unit[0] & 0x1f) == 6 && unit[1] == payload_type)
            found += memcmp(unit + 3, payload, payload_size) == 0;
    }
    check_that(found == (option ? 1 : 0), __FILE__, __LINE__, "messages", option ? option : "none");
    clip_close(&c);
}

static void the_recommended_alternatives_work(void) {
    /* D.1.26: frame_packing_arrangement_id 0 (coded as 1), cancel flag 0, type in 7 bits. */
    const uint8_t side_by_side[] = {0x81}, over_and_under[] = {0x82};
    check_message("frame-packing=3", 45, side_by_side, 1);
    check_message("frame-packing=4", 45, over_and_under, 1);
    check_message(NULL, 45, side_by_side, 0);
}

int main(void) {
    RUN(every_unsupported_property_is_refused_with_its_reason);
    RUN(the_recommended_alternatives_work);
    return check_result();
}
