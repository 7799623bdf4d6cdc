/* The walk over the NAL units of a sample takes time in proportion to the sample's size. */
#include "clip.h"
#include "tiny_units.h"

static clip c;

static void the_walk_finds_every_unit_once(void) {
    for (int i = 0; i < c.count; i++) {
        const nalu_sample *sample = c.samples[i];
        size_t offset = 0, size = 0, expected = 0, all = 0;
        const uint8_t *data = nalu_sample_get_data(sample, &all), *nal;
        uint32_t count = 0;
        while ((nal = nalu_sample_next_nal(sample, &offset, &size)) != NULL) {
            CHECK_PTR_EQ(nal, nalu_sample_get_nal(sample, count++, &expected));
            CHECK_EQ(size, expected);
            CHECK_PTR_EQ(nal + size, data + offset);
        }
        CHECK_EQ(count, nalu_sample_get_nal_count(sample));
        CHECK_EQ(offset, all);
        CHECK_EQ(size, 0);
        CHECK_PTR_EQ(nalu_sample_next_nal(sample, &offset, NULL), NULL);
        offset = 0;
        CHECK_PTR_EQ(nalu_sample_next_nal(sample, &offset, NULL), nalu_sample_get_nal(sample, 0, NULL));
    }
}

static void an_offset_beyond_the_data_finds_nothing(void) {
    size_t all = 0, size = 7;
    (void)nalu_sample_get_data(c.samples[0], &all);
    const size_t beyond[] = {all + 1, all + 1000, SIZE_MAX / 2, SIZE_MAX - 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        size_t offset = beyond[i];
        CHECK_PTR_EQ(nalu_sample_next_nal(c.samples[0], &offset, &size), NULL);
        CHECK_EQ(size, 0);
        size = 7;
    }
    CHECK_PTR_EQ(nalu_sample_next_nal(c.samples[0], NULL, &size), NULL);
    CHECK_EQ(size, 0);
}

/* With arbitrary offsets, the returned NAL units are still inside the data. */
static void any_offset_stays_inside_the_data(void) {
    for (int i = 0; i < c.count; i++) {
        size_t all = 0;
        const uint8_t *data = nalu_sample_get_data(c.samples[i], &all);
        for (size_t start = 0; start <= all; start++) {
            size_t offset = start, size = 0;
            const uint8_t *nal = nalu_sample_next_nal(c.samples[i], &offset, &size);
            if (nal) CHECK(nal >= data + start && size > 0 && nal + size == data + offset && offset <= all);
        }
    }
}

static void walk(size_t size) {
    static const uint8_t header[] = {6};
    nalu_sample *sample = with_tiny_units(c.samples[0], header, sizeof header, size, 0);
    size_t offset = 0, units = 0;
    while (nalu_sample_next_nal(sample, &offset, NULL)) units++;
    CHECK_EQ(units, size / 5 + nalu_sample_get_nal_count(c.samples[0]));
    nalu_sample_release(sample);
}

static void the_walk_is_linear(void) { check_linear(walk); }

int main(void) {
    clip_open(&c, 96, 80);
    clip_encode_all(&c, 10);
    RUN(the_walk_finds_every_unit_once);
    RUN(an_offset_beyond_the_data_finds_nothing);
    RUN(any_offset_stays_inside_the_data);
    RUN(the_walk_is_linear);
    clip_close(&c);
    return check_result();
}
