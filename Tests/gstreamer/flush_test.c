/* Flushes, with frames in the encoder, and while upstream waits. */
#include "element.h"

static void flush(Element *element) {
    GstSegment segment;
    CHECK(gst_harness_push_event(element->harness, gst_event_new_flush_start()));
    CHECK(gst_harness_push_event(element->harness, gst_event_new_flush_stop(TRUE)));
    gst_segment_init(&segment, GST_FORMAT_TIME);
    CHECK(gst_harness_push_event(element->harness, gst_event_new_segment(&segment)));
}

static void forget_output(Element *element) {
    for (GstBuffer *buffer; (buffer = gst_harness_try_pull(element->harness));) gst_buffer_unref(buffer);
}

/* Nothing of before the flush comes after it; the first frame is a key frame, whatever its time. */
static void test_flush_discards(void) {
    static const char *const launches[] = {"naluh264enc", "naluh264enc real-time=true", QUICK};
    for (guint i = 0; i < 30; i++) {
        Element element = element_new(launches[i % 3], SMALL, AVC);
        element_push_many(&element, i);
        flush(&element);
        forget_output(&element);
        element.pushed = i % 2 ? 0 : 1000;
        element_push_many(&element, 10);
        element_end(&element);
        for (guint frame = 0; frame < 10; frame++) {
            GstBuffer *buffer = element_pull(&element);
            CHECK_EQ(element_is_key(buffer), frame == 0);
            gst_buffer_unref(buffer);
        }
        CHECK_EQ(gst_harness_buffers_in_queue(element.harness), 0);
        element_free_quiet(&element);
    }
}

static void test_flush_without_frames(void) {
    Element element = element_new("naluh264enc", SMALL, AVC);
    for (int i = 0; i < 10; i++) flush(&element);
    element_encode(&element, 5);
    element_free(&element);
}

static gpointer push_until_stopped(gpointer data) {
    Element *element = data;
    while (element_push(element) == GST_FLOW_OK) continue;
    return NULL;
}

/* A flush from another thread, as a seek causes it. */
static void test_flush_while_upstream_waits(void) {
    Element element = element_new("naluh264enc", "video/x-raw,format=NV12,width=320,height=240,framerate=30/1", AVC);
    for (int i = 0; i < 10; i++) {
        GThread *thread = g_thread_new("push", push_until_stopped, &element);
        GstSegment segment;
        g_usleep((gulong)(i * 10000));
        CHECK(gst_harness_push_event(element.harness, gst_event_new_flush_start()));
        g_thread_join(thread);
        CHECK(gst_harness_push_event(element.harness, gst_event_new_flush_stop(TRUE)));
        gst_segment_init(&segment, GST_FORMAT_TIME);
        CHECK(gst_harness_push_event(element.harness, gst_event_new_segment(&segment)));
        forget_output(&element);
        element.pushed = 0;
    }
    element_push_many(&element, 1);
    element_free_quiet(&element);
}

/* Properties and caps stay. */
static void test_flush_keeps_properties(void) {
    Element element = element_new(QUICK, SMALL, AVC);
    int rate = 0;
    element_push_many(&element, 1);
    flush(&element);
    g_object_set(element.harness->element, "average-bit-rate", 300000, NULL);
    element_push_many(&element, 1);
    element_pull_many(&element, 1);
    g_object_get(element.harness->element, "average-bit-rate", &rate, NULL);
    CHECK_EQ(rate, 300000);
    CHECK_FIELD(&element, "width", "64");
    element_free_quiet(&element);
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    RUN(test_flush_discards);
    RUN(test_flush_without_frames);
    RUN(test_flush_while_upstream_waits);
    RUN(test_flush_keeps_properties);
    return check_result();
}
