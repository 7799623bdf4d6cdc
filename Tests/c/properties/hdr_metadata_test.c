/* MasteringDisplayColorVolume, ContentLightLevelInfo, HDRMetadataInsertionMode: the messages of ITU-T H.264
 * D.1.29 and D.1.31 at every key frame, and at no other frame. */
#include "clip.h"
#include "refusal.h"

enum { MASTERING_DISPLAY = 137, CONTENT_LIGHT = 144 };

/* Copies the payload of the sample's SEI message of this type without emulation prevention. Returns its size; 0
 * if there is no such message. */
static size_t find_message(const nalu_sample *sample, int type, uint8_t *payload, size_t capacity) {
    size_t found = 0;
    for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
        size_t size = 0;
        const uint8_t *nal = nalu_sample_get_nal(sample, i, &size);
        if ((nal[0] & 31) != NALU_NAL_SEI || size < 3 || nal[1] != type) continue;
        CHECK_EQ(found, 0);
        for (size_t at = 3, zeros = 0; at < size && found < nal[2] && found < capacity; at++) {
            if (zeros >= 2 && nal[at] == 3) { zeros = 0; continue; }
            zeros = nal[at] ? 0 : zeros + 1;
            payload[found++] = nal[at];
        }
        CHECK_EQ(found, nal[2]);
    }
    return found;
}

static void check_messages(const double *display, const double *light, const char *mode) {
    clip c;
    int keys = 0;
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 5));
    if (display)
        REQUIRE_OK(nalu_session_set_numbers(c.session, NALU_PROPERTY_MASTERING_DISPLAY_COLOR_VOLUME, display, 10));
    if (light) REQUIRE_OK(nalu_session_set_numbers(c.session, NALU_PROPERTY_CONTENT_LIGHT_LEVEL_INFO, light, 2));
    if (mode) REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_HDR_METADATA_INSERTION_MODE, mode));
    clip_encode_all(&c, 12);
    const int written = !mode || strcmp(mode, "None") != 0;
    for (int i = 0; i < c.count; i++) {
        uint8_t payload[64] = {0};
        const int key = nalu_sample_is_key_frame(c.samples[i]);
        keys += key;
        CHECK_EQ(find_message(c.samples[i], MASTERING_DISPLAY, payload, sizeof payload),
                 display && key && written ? 24 : 0);
        if (display && key && written)
            for (int k = 0; k < 10; k++) {
                const uint8_t *p = payload + (k < 8 ? 2 * k : 16 + 4 * (k - 8));
                const uint32_t value = k < 8 ? (uint32_t)p[0] << 8 | p[1]
                    : (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
                CHECK_EQ(value, (long long)display[k]);
            }
        CHECK_EQ(find_message(c.samples[i], CONTENT_LIGHT, payload, sizeof payload), light && key && written ? 4 : 0);
        if (light && key && written)
            for (int k = 0; k < 2; k++) CHECK_EQ(payload[2 * k] << 8 | payload[2 * k + 1], (long long)light[k]);
    }
    CHECK_EQ(keys, 3);
    if (display) {
        double back[10] = {0};
        size_t count = 0;
        CHECK_OK(nalu_session_copy_numbers(c.session, NALU_PROPERTY_MASTERING_DISPLAY_COLOR_VOLUME, back, 10, &count));
        CHECK_EQ(count, 10);
        CHECK_BYTES(back, display, sizeof back);
        back[0] = 1;
        REFUSED(nalu_session_set_numbers(c.session, NALU_PROPERTY_MASTERING_DISPLAY_COLOR_VOLUME, back, 10),
                NALU_STATUS_TOO_LATE, "MasteringDisplayColorVolume");
    }
    const double others[2] = {3, 2};
    REFUSED(nalu_session_set_numbers(c.session, NALU_PROPERTY_CONTENT_LIGHT_LEVEL_INFO, others, 2),
            NALU_STATUS_TOO_LATE, "ContentLightLevelInfo");
    clip_close(&c);
}

static const double p3[10] = {13250, 34500, 7500, 3000, 34000, 16000, 15635, 16450, 10000000, 500};

static void hdr_messages_are_at_every_key_frame(void) {
    static const double most[10] = {50000, 50000, 50000, 50000, 50000, 50000, 50000, 50000, 4294967295, 4294967294};
    static const double least[10] = {0};
    static const double light[2] = {1000, 400}, much[2] = {65535, 65535}, none[2] = {0, 0};
    check_messages(NULL, NULL, NULL);
    check_messages(p3, NULL, NULL);
    check_messages(NULL, light, "Auto");
    check_messages(p3, light, NULL);
    check_messages(most, much, NULL);
    check_messages(least, none, NULL);
    check_messages(p3, light, "None");
}

static void wrong_hdr_metadata_are_refused(void) {
    clip c;
    size_t count = 9;
    clip_open(&c, 64, 48);
#define BAD(place, value, ...) do { \
        double display[10]; \
        memcpy(display, p3, sizeof display); \
        display[place] = (value); \
        REFUSED(nalu_session_set_numbers(c.session, NALU_PROPERTY_MASTERING_DISPLAY_COLOR_VOLUME, display, 10), \
                NALU_STATUS_OUT_OF_RANGE, "MasteringDisplayColorVolume", "expected", __VA_ARGS__); \
    } while (0)
    for (int i = 0; i < 8; i++) {
        BAD(i, 50001, "0 to 50000");
        BAD(i, 0.5, "whole");
        BAD(i, -1, "0.0 to");
    }
    BAD(8, 500, "below");
    BAD(8, 4294967296.0, "4294967295");
    BAD(9, 10000000, "below");
    BAD(9, 0.5, "whole");
    BAD(9, NAN, "0.0 to");
    for (size_t k = 1; k < 12; k++) {
        const double twelve[12] = {1, 1, 1, 1, 1, 1, 1, 1, 9, 1, 1, 1};
        if (k == 10) continue;
        REFUSED(nalu_session_set_numbers(c.session, NALU_PROPERTY_MASTERING_DISPLAY_COLOR_VOLUME, twelve, k),
                NALU_STATUS_OUT_OF_RANGE, "MasteringDisplayColorVolume", "ten whole numbers");
    }
    static const double bad[][3] = {{65536, 1}, {1, 65536}, {-1, 0}, {0.5, 0}, {0, NAN}};
    for (int i = 0; i < 5; i++)
        REFUSED(nalu_session_set_numbers(c.session, NALU_PROPERTY_CONTENT_LIGHT_LEVEL_INFO, bad[i], 2),
                NALU_STATUS_OUT_OF_RANGE, "ContentLightLevelInfo", "65535");
    REFUSED(nalu_session_set_numbers(c.session, NALU_PROPERTY_CONTENT_LIGHT_LEVEL_INFO, p3, 3), NALU_STATUS_OUT_OF_RANGE,
            "ContentLightLevelInfo");
    REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_HDR_METADATA_INSERTION_MODE, "RequestSDRRangePreservation"),
            NALU_STATUS_OUT_OF_RANGE, "HDRMetadataInsertionMode", "RequestSDRRangePreservation", "None, Auto");
    CHECK_OK(nalu_session_copy_numbers(c.session, NALU_PROPERTY_MASTERING_DISPLAY_COLOR_VOLUME, NULL, 0, &count));
    CHECK_EQ(count, 0);
    CHECK_OK(nalu_session_copy_numbers(c.session, NALU_PROPERTY_CONTENT_LIGHT_LEVEL_INFO, NULL, 0, &count));
    CHECK_EQ(count, 0);
    CHECK_OK(nalu_session_set_numbers(c.session, NALU_PROPERTY_MASTERING_DISPLAY_COLOR_VOLUME, p3, 10));
    REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS,
                "mastering-display=G(1,2)B(3,4)R(5,6)WP(7,8)L(9,1)"), NALU_STATUS_CONFLICT,
            "MasteringDisplayColorVolume", "mastering-display");
    CHECK_OK(nalu_session_unset_property(c.session, NALU_PROPERTY_MASTERING_DISPLAY_COLOR_VOLUME));
    CHECK_OK(nalu_session_copy_numbers(c.session, NALU_PROPERTY_MASTERING_DISPLAY_COLOR_VOLUME, NULL, 0, &count));
    CHECK_EQ(count, 0);
    clip_close(&c);
}

int main(void) {
    RUN(hdr_messages_are_at_every_key_frame);
    RUN(wrong_hdr_metadata_are_refused);
    return check_result();
}
