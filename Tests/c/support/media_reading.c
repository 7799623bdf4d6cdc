#include "media_reading.h"

int64_t input_read(void *refcon, uint8_t *bytes, size_t size) {
    input *it = (input *)refcon;
    size_t left = it->size - it->place, count = size < left ? size : left;
    if (it->fail_at && (int64_t)it->place >= it->fail_at) return -EIO;
    if (it->most && count > it->most) count = it->most;
    if (count) memcpy(bytes, it->bytes + it->place, count);
    it->place += count;
    return (int64_t)count;
}

int32_t input_seek(void *refcon, int64_t offset) {
    input *it = (input *)refcon;
    if (offset < 0 || (size_t)offset > it->size) return EINVAL;
    it->place = (size_t)offset;
    return 0;
}

nalu_reader *reader_of(const char *path) {
    nalu_reader *reader = NULL;
    REQUIRE_OK(nalu_reader_create_with_path(path, NULL, &reader));
    return reader;
}

nalu_reader_track track_of(const nalu_reader *reader, uint32_t number) {
    nalu_reader_track track = {.struct_size = sizeof track};
    REQUIRE_OK(nalu_reader_get_track(reader, number, &track));
    return track;
}

int same_rounded_time(nalu_time a, nalu_time b, int32_t timescale) {
    double distance = nalu_time_get_seconds(a) - nalu_time_get_seconds(b);
    return timescale ? fabs(distance) <= 1.501 / timescale : nalu_time_compare(a, b) == 0;
}

int check_sample(const nalu_sample *read, const nalu_sample *written, nalu_time moved, int32_t timescale) {
    size_t size = 0, expected = 0;
    const uint8_t *bytes = nalu_sample_get_data(read, &size), *others = nalu_sample_get_data(written, &expected);
    int good = CHECK_EQ(size, expected) && CHECK_BYTES(bytes, others, size);
    nalu_time pts = nalu_time_add(nalu_sample_get_presentation_time(written), moved);
    nalu_time dts = nalu_time_add(nalu_sample_get_decode_time(written), moved);
    good &= CHECK(same_rounded_time(nalu_sample_get_presentation_time(read), pts, timescale));
    good &= CHECK(same_rounded_time(nalu_sample_get_decode_time(read), dts, timescale));
    nalu_time duration = nalu_sample_get_duration(read);
    /* A raw stream need not state durations, and a client need not set them. */
    nalu_time asked = nalu_sample_get_duration(written);
    if (timescale == 0 && nalu_time_is_numeric(duration) && nalu_time_is_numeric(asked))
        good &= CHECK_EQ(nalu_time_compare(duration, asked), 0);
    good &= CHECK_EQ(nalu_sample_get_attachments(read), nalu_sample_get_attachments(written));
    good &= CHECK(nalu_format_description_equal(nalu_sample_get_format_description(read),
                                                nalu_sample_get_format_description(written)));
    if (!good)
        fprintf(stderr, "pts %f dts %f, expected %f %f\n",
                nalu_time_get_seconds(nalu_sample_get_presentation_time(read)),
                nalu_time_get_seconds(nalu_sample_get_decode_time(read)), nalu_time_get_seconds(pts),
                nalu_time_get_seconds(dts));
    return good;
}

void check_samples(nalu_reader *reader, const clip *c, int first, nalu_time moved, int32_t timescale) {
    int good = 1;
    for (int i = first; i < c->count && good; i++) {
        nalu_sample *sample = NULL;
        uint32_t track = 99;
        if (!CHECK_OK(nalu_reader_next_sample(reader, &track, &sample))) return;
        CHECK_EQ(track, 0);
        good = check_sample(sample, c->samples[i], moved, timescale);
        nalu_sample_release(sample);
    }
    nalu_sample *sample = (nalu_sample *)reader;
    CHECK_STATUS(nalu_reader_next_sample(reader, NULL, &sample), NALU_STATUS_VALUE_NOT_AVAILABLE);
    CHECK_PTR_EQ(sample, NULL);
    CHECK_STATUS(nalu_reader_next_sample(reader, NULL, &sample), NALU_STATUS_VALUE_NOT_AVAILABLE);
    CHECK_EQ(nalu_reader_get_status(reader), NALU_READER_STATUS_COMPLETED);
}
