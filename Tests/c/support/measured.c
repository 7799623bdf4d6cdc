#include "measured.h"

static void take(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    measured *m = (measured *)refcon;
    nalu_quality_metrics metrics = {.struct_size = sizeof metrics};
    const size_t size = (size_t)m->c->width * (size_t)m->c->height;
    (void)frame;
    CHECK_EQ(status, NALU_STATUS_OK);
    CHECK_EQ(!sample, (flags & NALU_ENCODE_INFO_FRAME_DROPPED) != 0);
    if (!sample) {
        m->drops++;
        return;
    }
    REQUIRE(m->count < MEASURED_MOST);
    CHECK_OK(nalu_sample_get_quality_metrics(sample, &metrics));
    m->errors[m->count] = metrics.luma_mean_squared_error;
    m->luma[m->count] = (uint8_t *)malloc(size);
    REQUIRE(m->luma[m->count]);
    memcpy(m->luma[m->count], m->c->pixels, size);
    m->samples[m->count++] = nalu_sample_retain(sample);
}

void measured_begin(measured *m, clip *c) {
    memset(m, 0, sizeof *m);
    m->c = c;
    REQUIRE_OK(nalu_session_set_bool(c->session, NALU_PROPERTY_CALCULATE_MEAN_SQUARED_ERROR, 1));
}

void measured_encode(measured *m, uint32_t flags) {
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    options.flags = flags;
    options.callback = take, options.callback_refcon = m;
    REQUIRE_OK(clip_encode_with(m->c, nalu_time_make(m->c->fed, 30), nalu_time_make(1, 30), &options));
}

void measured_check(const measured *m, const pictures *decoded, int32_t index, const char *name) {
    char text[400];
    const uint8_t *shown = picture(decoded, index), *luma = m->luma[index];
    const int size = m->c->width * m->c->height;
    double sum = 0;
    for (int i = 0; i < size; i++) sum += (double)(shown[i] - luma[i]) * (shown[i] - luma[i]);
    const double difference = sum / size - m->errors[index];
    snprintf(text, sizeof text, "%s: picture %d, error %.3f for %.3f", name, (int)index, sum / size, m->errors[index]);
    check_that(difference < 0.01 && difference > -0.01, __FILE__, __LINE__, "the encoder's own picture", text);
}

void measured_end(measured *m) {
    for (int32_t i = 0; i < m->count; i++) {
        nalu_sample_release(m->samples[i]);
        free(m->luma[i]);
    }
    clip_close(m->c);
}
