/* Frames in and buffers out: counts, times, flags, metas, memory. */
#include "element.h"

/* All frames come out at the end of the stream, with their times, and decode times increase. */
static void check_stream_of(const char *launch, const char *caps, guint count) {
    Element element = element_new(launch, caps, AVC);
    GstClockTime last_decode = 0, offset = GST_CLOCK_TIME_NONE;
    gboolean *seen = g_new0(gboolean, count);
    for (guint i = 0; i < count; i++) CHECK_EQ(element_push(&element), GST_FLOW_OK);
    element_end(&element);
    for (guint i = 0; i < count; i++) {
        GstBuffer *buffer = element_pull(&element);
        guint number;
        CHECK_EQ(element_is_key(buffer), i == 0);
        CHECK_EQ(GST_BUFFER_DURATION(buffer), FRAME_DURATION);
        CHECK(GST_BUFFER_DTS_IS_VALID(buffer) && GST_BUFFER_DTS(buffer) <= GST_BUFFER_PTS(buffer));
        CHECK(i == 0 || GST_BUFFER_DTS(buffer) > last_decode);
        if (i == 0) offset = GST_BUFFER_PTS(buffer);
        last_decode = GST_BUFFER_DTS(buffer);
        number = (guint)((GST_BUFFER_PTS(buffer) - offset + FRAME_DURATION / 2) / FRAME_DURATION);
        REQUIRE(number < count);
        CHECK(!seen[number]);
        seen[number] = TRUE;
        gst_buffer_unref(buffer);
    }
    CHECK_EQ(gst_harness_buffers_in_queue(element.harness), 0);
    element_free_quiet(&element);
    g_free(seen);
}

static void test_every_frame_arrives(void) {
    check_stream_of("naluh264enc", SMALL, 100);
    check_stream_of("naluh264enc real-time=true", SMALL, 50);
    check_stream_of("naluh264enc max-frame-delay-count=0", SMALL, 50);
    check_stream_of("naluh264enc allow-frame-reordering=false", SMALL, 50);
    check_stream_of("naluh264enc x264-preset=slow", SMALL, 100);
    check_stream_of("naluh264enc", SMALL, 1);
    check_stream_of("naluh264enc", "video/x-raw,format=NV12,width=64,height=64,framerate=0/1", 60);
}

static void test_end_without_frames(void) {
    Element element = element_new("naluh264enc", SMALL, AVC);
    element_end(&element);
    CHECK_EQ(gst_harness_buffers_received(element.harness), 0);
    element_free(&element);
}

/* Without delay a frame arrives before the next one is handed in. */
static void test_no_delay(void) {
    static const char *const launches[] = {"naluh264enc real-time=true", "naluh264enc max-frame-delay-count=0",
                                           "naluh264enc preset=VideoConferencing", "naluh264enc enable-ltr=true"};
    for (gsize i = 0; i < G_N_ELEMENTS(launches); i++) {
        Element element = element_new(launches[i], SMALL, AVC);
        for (int frame = 0; frame < 20; frame++) {
            element_push_many(&element, 1);
            element_pull_many(&element, 1);
        }
        CHECK_EQ(gst_harness_query_latency(element.harness), 0);
        element_free(&element);
    }
}

/* The delay is never longer than the answer to the latency query. */
static void test_latency_holds(void) {
    static const char *const launches[] = {
        "naluh264enc", "naluh264enc x264-preset=veryfast", "naluh264enc x264-preset=slow", "naluh264enc max-frame-delay-count=5",
        "naluh264enc suggested-look-ahead-frame-count=10", "naluh264enc x264-params=\"threads=1:b-adapt=2:bframes=8\"",
        "naluh264enc x264-params=\"bframes=0:rc-lookahead=0:sync-lookahead=0:threads=1\""};
    for (gsize i = 0; i < G_N_ELEMENTS(launches); i++) {
        Element element = element_new(launches[i], SMALL, AVC);
        GstClockTime latency;
        guint frames;
        element_push_many(&element, 1);
        latency = gst_harness_query_latency(element.harness);
        frames = (guint)((latency + FRAME_DURATION / 2) / FRAME_DURATION);
        element_push_many(&element, frames);
        /* After this many frames the first one has to arrive without another. */
        gst_buffer_unref(element_pull(&element));
        printf("  %s: %u frames\n", launches[i], frames);
        element_free(&element);
    }
}

/* The bytes of an avc buffer are those of the sample, and cannot be written to. */
static void test_output_memory(void) {
    Element element = element_new(QUICK, SMALL, AVC);
    GstBuffer *buffer;
    element_push_many(&element, 1);
    buffer = element_pull(&element);
    CHECK_EQ(gst_buffer_n_memory(buffer), 1);
    CHECK(GST_MEMORY_IS_READONLY(gst_buffer_peek_memory(buffer, 0)));
    element_free(&element);
    /* The buffer outlives the element. */
    CHECK(gst_buffer_get_size(buffer) > 4);
    gst_buffer_unref(buffer);
}

/* The element keeps an NV12 buffer with strides of its own until the frame is encoded, and reads the pixels where they are. */
static void test_strides_without_copy(void) {
    Element element = element_new("naluh264enc quality=1", SMALL, AVC);
    Element plain = element_new("naluh264enc quality=1", SMALL, AVC);
    for (guint number = 0; number < 3; number++) {
        GstBuffer *buffer = gst_buffer_new_allocate(NULL, 160 * 64 + 192 * 32 + 100, NULL), *tight = element_frame(&plain, number);
        gsize offsets[GST_VIDEO_MAX_PLANES] = {50, 50 + 160 * 64};
        gint strides[GST_VIDEO_MAX_PLANES] = {160, 192};
        GstVideoFrame from, to;
        gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_NV12, 64, 64, 2, offsets, strides);
        REQUIRE(gst_video_frame_map(&from, &plain.info, tight, GST_MAP_READ));
        REQUIRE(gst_video_frame_map(&to, &element.info, buffer, GST_MAP_WRITE));
        gst_video_frame_copy(&to, &from);
        gst_video_frame_unmap(&to);
        gst_video_frame_unmap(&from);
        GST_BUFFER_PTS(buffer) = GST_BUFFER_PTS(tight);
        GST_BUFFER_DURATION(buffer) = FRAME_DURATION;
        CHECK_EQ(gst_harness_push(element.harness, buffer), GST_FLOW_OK);
        CHECK_EQ(gst_harness_push(plain.harness, tight), GST_FLOW_OK);
    }
    element_end(&element);
    element_end(&plain);
    for (guint number = 0; number < 3; number++) {
        GstBuffer *a = element_pull(&element), *b = element_pull(&plain);
        GstMapInfo map;
        REQUIRE(gst_buffer_map(b, &map, GST_MAP_READ));
        CHECK_EQ(gst_buffer_get_size(a), map.size);
        CHECK_EQ(gst_buffer_memcmp(a, 0, map.data, map.size), 0);
        gst_buffer_unmap(b, &map);
        gst_buffer_unref(a);
        gst_buffer_unref(b);
    }
    element_free(&element);
    element_free(&plain);
}

/* Input buffers are released when their frame is delivered, or when the element stops. */
static void test_input_is_released(void) {
    Element element = element_new("naluh264enc", SMALL, AVC);
    GstBuffer *buffers[70];
    for (guint i = 0; i < 70; i++) {
        buffers[i] = gst_buffer_ref(element_frame(&element, i));
        CHECK_EQ(gst_harness_push(element.harness, buffers[i]), GST_FLOW_OK);
    }
    element_pull_many(&element, 5);
    element_free(&element);
    for (guint i = 0; i < 70; i++) {
        CHECK_EQ(GST_MINI_OBJECT_REFCOUNT_VALUE(buffers[i]), 1);
        gst_buffer_unref(buffers[i]);
    }
}

/* Metas follow their frame, also when frames are reordered. */
static void test_metas_are_kept(void) {
    Element element = element_new("naluh264enc", SMALL, AVC);
    GstCaps *reference = gst_caps_from_string("timestamp/x-test");
    for (guint i = 0; i < 60; i++) {
        GstBuffer *buffer = element_frame(&element, i);
        gst_buffer_add_reference_timestamp_meta(buffer, reference, i * 1000, GST_CLOCK_TIME_NONE);
        CHECK_EQ(gst_harness_push(element.harness, buffer), GST_FLOW_OK);
    }
    element_end(&element);
    GstClockTime first = GST_CLOCK_TIME_NONE;
    for (guint i = 0; i < 60; i++) {
        GstBuffer *buffer = element_pull(&element);
        GstReferenceTimestampMeta *meta;
        meta = gst_buffer_get_reference_timestamp_meta(buffer, reference);
        REQUIRE(meta != NULL);
        if (i == 0) first = GST_BUFFER_PTS(buffer);
        CHECK_EQ(meta->timestamp / 1000, (GST_BUFFER_PTS(buffer) - first + FRAME_DURATION / 2) / FRAME_DURATION);
        gst_buffer_unref(buffer);
    }
    gst_caps_unref(reference);
    element_free(&element);
}

/* Frames outside of the segment are clipped; a segment whose times begin again has a session of its own. */
static void test_segments(void) {
    Element element = element_new("naluh264enc", SMALL, AVC);
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    segment.start = 10 * FRAME_DURATION;
    segment.stop = 30 * FRAME_DURATION;
    gst_harness_push_event(element.harness, gst_event_new_segment(&segment));
    element_push_many(&element, 40);
    segment.base = 20 * FRAME_DURATION;
    gst_harness_push_event(element.harness, gst_event_new_segment(&segment));
    element.pushed = 0;
    element_push_many(&element, 40);
    element_end(&element);
    for (guint i = 0; i < 40; i++) {
        GstBuffer *buffer = element_pull(&element);
        CHECK_EQ(element_is_key(buffer), i % 20 == 0);
        gst_buffer_unref(buffer);
    }
    CHECK_EQ(gst_harness_buffers_in_queue(element.harness), 0);
    element_free_quiet(&element);
}

/* A frame whose time is repeated or earlier is dropped with a warning, before the first output and after it. */
static void test_repeated_times(void) {
    static const char *const launches[] = {"naluh264enc", "naluh264enc real-time=true"};
    static const guint times[] = {0, 0, 1, 2, 1, 3, 3, 4};
    for (gsize i = 0; i < G_N_ELEMENTS(launches); i++) {
        Element element = element_new(launches[i], SMALL, AVC);
        GstBuffer *repeated = NULL;
        for (gsize frame = 0; frame < G_N_ELEMENTS(times); frame++) {
            GstBuffer *buffer = element_frame(&element, times[frame]);
            if (frame == 1) repeated = gst_buffer_ref(buffer);
            CHECK_EQ(gst_harness_push(element.harness, buffer), GST_FLOW_OK);
        }
        CHECK_WARNING(&element, "The frame at 0:00:00.000000000 is not later than the frame before it, and is dropped.");
        CHECK_WARNING(&element, "The frame at 0:00:00.033333333 is not later");
        CHECK_WARNING(&element, "The frame at 0:00:00.099999999 is not later");
        CHECK_EQ(GST_MINI_OBJECT_REFCOUNT_VALUE(repeated), 1);
        gst_buffer_unref(repeated);
        element_end(&element);
        element_pull_many(&element, 5);
        CHECK_EQ(gst_harness_buffers_in_queue(element.harness), 0);
        element_free_quiet(&element);
    }
}

/* A frame without a time is an error that names the remedy, also if the base class adds an offset to the times. */
static void test_frames_without_a_time(void) {
    for (guint before = 0; before < 2; before++) {
        Element element = element_new("naluh264enc", SMALL, AVC);
        GstBuffer *buffer = element_frame(&element, before);
        element_push_many(&element, before);
        GST_BUFFER_PTS(buffer) = GST_CLOCK_TIME_NONE;
        CHECK_EQ(gst_harness_push(element.harness, buffer), GST_FLOW_ERROR);
        CHECK_ERROR(&element, "A frame has no presentation time; put videorate before the encoder.");
        element_free(&element);
    }
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    RUN(test_every_frame_arrives);
    RUN(test_end_without_frames);
    RUN(test_no_delay);
    RUN(test_latency_holds);
    RUN(test_output_memory);
    RUN(test_strides_without_copy);
    RUN(test_input_is_released);
    RUN(test_metas_are_kept);
    RUN(test_segments);
    RUN(test_repeated_times);
    RUN(test_frames_without_a_time);
    return check_result();
}
