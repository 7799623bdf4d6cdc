/* A recording of an hour needs no more memory than one of a minute, except for the index of an mp4 that is not
 * fragmented. */
#include "heap_counter.h"
#include "media_support.h"

enum { MINUTE = 60 * 30, HOUR = 60 * MINUTE };

static int32_t discard(void *refcon, const uint8_t *bytes, size_t size) {
    (void)refcon, (void)bytes, (void)size;
    return 0;
}

static int32_t seek_nowhere(void *refcon, int64_t offset) {
    (void)refcon, (void)offset;
    return 0;
}

/* Returns sample `index` of a recording that repeats the clip. */
static nalu_sample *sample_of(clip *c, int index) {
    nalu_sample *source = c->samples[index % c->count], *sample = NULL;
    nalu_time pts = nalu_sample_get_presentation_time(source), dts = nalu_sample_get_decode_time(source);
    int64_t moved = (int64_t)(index / c->count) * c->count * pts.timescale / 30;
    size_t size = 0;
    const uint8_t *bytes = nalu_sample_get_data(source, &size);
    pts.value += moved;
    dts.value += moved;
    REQUIRE_OK(nalu_sample_create(bytes, size, nalu_sample_get_format_description(source), pts,
        nalu_time_make(pts.timescale / 30, pts.timescale), dts, nalu_sample_get_attachments(source), &sample));
    return sample;
}

static void check_container(clip *c, const char *container, uint32_t flags, long long most) {
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    nalu_writer *writer = NULL;
    options.flags = flags;
    REQUIRE_OK(nalu_writer_create_with_callbacks(discard, flags ? NULL : seek_nowhere, NULL, NULL, container, &options,
        &writer));
    REQUIRE_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(c->samples[0]), NULL, NULL));
    long long after_a_minute = 0;
    /* A sanitizer keeps the heap: an hour of samples then shows nothing that a minute does not. */
    const int samples = HEAP_COUNTER_WORKS ? HOUR : MINUTE;
    heap_counter_start();
    for (int i = 0; i < samples; i++) {
        nalu_sample *sample = sample_of(c, i);
        REQUIRE_OK(nalu_writer_write_sample(writer, 0, sample));
        nalu_sample_release(sample);
        if (i == MINUTE) after_a_minute = atomic_load(&heap_live_bytes);
    }
    long long growth = atomic_load(&heap_live_bytes) - after_a_minute;
    heap_counter_stop();
    REQUIRE_OK(nalu_writer_finish(writer));
    nalu_writer_release(writer);
    printf("%s%s: %lld bytes more after an hour than after a minute\n", container, flags ? " fragmented" : "", growth);
    CHECK(growth <= most);
}

int main(void) {
    clip c;
    clip_open(&c, 64, 48);
    for (int i = 0; i < 60; i++) REQUIRE_OK(clip_encode_at(&c, nalu_time_make(i, 30), nalu_time_make(1, 30), 0));
    clip_finish(&c);
    if (!HEAP_COUNTER_WORKS) printf("a sanitizer keeps the heap: nothing is counted\n");
    const long long megabyte = 1 << 20;
    check_container(&c, "mp4", NALU_WRITER_FRAGMENTED, megabyte);
    /* libavformat's index needs 72 bytes per sample. */
    check_container(&c, "mp4", 0, megabyte + (long long)HOUR * 72);
    check_container(&c, "matroska", 0, megabyte);
    check_container(&c, "mpegts", 0, megabyte);
    check_container(&c, "flv", 0, megabyte);
    check_container(&c, "h264", 0, megabyte);
    clip_close(&c);
    return check_result();
}
