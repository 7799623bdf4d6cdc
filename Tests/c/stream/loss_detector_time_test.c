/* For samples with very many small NAL units, the loss detector's time grows in proportion to their size. */
#include "clip.h"
#include "tiny_units.h"

#include <nalu/loss_detector.h>

static clip c;

static void look(const uint8_t *header, size_t size) {
    nalu_loss_detector *detector = NULL;
    nalu_sample *sample = with_tiny_units(c.samples[0], header, 1, size, 0);
    int32_t loss = 9;
    REQUIRE_OK(nalu_loss_detector_create(&detector));
    CHECK_OK(nalu_loss_detector_check(detector, sample, &loss));
    CHECK_EQ(loss, NALU_LOSS_NONE);
    nalu_loss_detector_release(detector);
    nalu_sample_release(sample);
}

static void look_at_messages(size_t size) { look((const uint8_t[]){NALU_NAL_SEI}, size); }

static void look_at_reserved_units(size_t size) { look((const uint8_t[]){31}, size); }

static void messages_take_linear_time(void) { check_linear(look_at_messages); }

static void other_units_take_linear_time(void) { check_linear(look_at_reserved_units); }

int main(void) {
    clip_open(&c, 96, 80);
    clip_encode_all(&c, 2);
    RUN(messages_take_linear_time);
    RUN(other_units_take_linear_time);
    clip_close(&c);
    return check_result();
}
