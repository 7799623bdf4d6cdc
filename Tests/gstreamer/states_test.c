/* Changes of state, with and without frames, and while the element works. */
#include "element.h"

static void set_state(GstElement *element, GstState state) {
    REQUIRE(gst_element_set_state(element, state) != GST_STATE_CHANGE_FAILURE);
    REQUIRE(gst_element_get_state(element, NULL, NULL, 60 * GST_SECOND) != GST_STATE_CHANGE_FAILURE);
}

static void test_states_without_frames(void) {
    GstElement *element = gst_object_ref_sink(gst_element_factory_make("naluh264enc", NULL));
    for (int i = 0; i < 20; i++) {
        set_state(element, GST_STATE_PLAYING);
        set_state(element, GST_STATE_READY);
        set_state(element, GST_STATE_PAUSED);
        set_state(element, GST_STATE_NULL);
    }
    gst_object_unref(element);
}

static void test_an_element_encodes_again_after_null(void) {
    Element element = element_new(QUICK, SMALL, AVC);
    for (int i = 0; i < 5; i++) {
        if (i > 0) {
            gst_element_set_state(element.harness->element, GST_STATE_NULL);
            gst_harness_play(element.harness);
            gst_harness_set_src_caps_str(element.harness, SMALL);
        }
        element_push_many(&element, 3);
        element_pull_many(&element, 3);
    }
    element_free_quiet(&element);
}

/* Frames that the encoder delays are discarded. */
static void test_null_discards_delayed_frames(void) {
    for (int i = 0; i < 10; i++) {
        Element element = element_new("naluh264enc", SMALL, AVC);
        element_push_many(&element, (guint)i * 5);
        element_free_quiet(&element);
    }
}

static gpointer push_until_stopped(gpointer data) {
    Element *element = data;
    GstFlowReturn flow;
    while ((flow = element_push(element)) == GST_FLOW_OK) continue;
    return GINT_TO_POINTER(flow);
}

static gboolean never(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    (void)pad, (void)info, (void)data;
    return GST_PAD_PROBE_OK;
}

/* With a lookahead, without delay, and with a sink that accepts nothing: upstream's thread is inside the element, and gets out. */
static void test_null_ends_every_wait(void) {
    static const char *const launches[] = {"naluh264enc", "naluh264enc real-time=true", "naluh264enc max-frame-delay-count=0",
                                           "naluh264enc x264-preset=veryslow"};
    for (int i = 0; i < 16; i++) {
        Element element = element_new(launches[i % 4], "video/x-raw,format=NV12,width=640,height=360,framerate=30/1", AVC);
        GThread *thread;
        if (i >= 8) { /* blocks the output thread in its push */
            gst_pad_add_probe(element.harness->sinkpad, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER,
                              (GstPadProbeCallback)never, NULL, NULL);
        }
        thread = g_thread_new("push", push_until_stopped, &element);
        g_usleep((gulong)(i * 20000));
        if (i >= 8) gst_pad_set_active(element.harness->sinkpad, FALSE); /* a sink changes its state first */
        set_state(element.harness->element, GST_STATE_NULL);
        CHECK_EQ(GPOINTER_TO_INT(g_thread_join(thread)), GST_FLOW_FLUSHING);
        element_free_quiet(&element);
    }
}

static gpointer send_end(gpointer data) {
    Element *element = data;
    gst_harness_push_event(element->harness, gst_event_new_eos());
    return NULL;
}

/* The drain of a slow encoder need not end. */
static void test_null_ends_a_drain(void) {
    Element element = element_new("naluh264enc x264-preset=placebo", "video/x-raw,format=NV12,width=640,height=360,framerate=30/1", AVC);
    GThread *thread;
    gint64 start;
    element_push_many(&element, 30);
    thread = g_thread_new("end", send_end, &element);
    g_usleep(100000);
    start = g_get_monotonic_time();
    set_state(element.harness->element, GST_STATE_NULL);
    g_thread_join(thread);
    printf("  ended after %.2f s\n", (double)(g_get_monotonic_time() - start) / 1e6);
    element_free(&element);
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    RUN(test_states_without_frames);
    RUN(test_an_element_encodes_again_after_null);
    RUN(test_null_discards_delayed_frames);
    RUN(test_null_ends_every_wait);
    RUN(test_null_ends_a_drain);
    return check_result();
}
