/* Three thousand renegotiations in flat memory, several encoders at once, and a sink that does not keep up. */
#include "element.h"

#include <malloc.h>

static gsize heap_in_use(void) {
    malloc_trim(0);
    return mallinfo2().uordblks;
}

static guint threads(void) {
    guint count = 0;
    GDir *directory = g_dir_open("/proc/self/task", 0, NULL);
    while (g_dir_read_name(directory)) count++;
    g_dir_close(directory);
    return count;
}

static void test_three_thousand_renegotiations(void) {
    static const char *const caps[] = {SMALL, "video/x-raw,format=I420,width=96,height=80,framerate=25/1",
                                       "video/x-raw,format=BGRx,width=80,height=64,framerate=30/1"};
    Element element = element_new("naluh264enc x264-preset=ultrafast x264-params=\"threads=1:lookahead-threads=1\"", caps[0], AVC);
    /* Encoders are closed by their own threads, and their memory is used again, so the heap swings by 330 kB. */
    gsize before = G_MAXSIZE, after = G_MAXSIZE;
    guint threads_before = 0;
    for (guint i = 0; i < 3100; i++) {
        if (i == 100) threads_before = threads();
        if (i >= 100 && i % 30 == 0) {
            gsize *least = i < 400 ? &before : &after;
            if (i < 400 || i >= 2800) *least = MIN(*least, heap_in_use());
        }
        element_set_caps(&element, caps[i % 3]);
        element_push_many(&element, 2);
        /* The change of the caps has delivered the frames of before. */
        while (gst_harness_buffers_in_queue(element.harness) > 0) element_pull_many(&element, 1);
        for (GstEvent *event; (event = gst_harness_try_pull_event(element.harness));) gst_event_unref(event);
        for (GstMessage *message; (message = gst_bus_pop_filtered(element.bus, GST_MESSAGE_LATENCY));) gst_message_unref(message);
    }
    printf("  %zu bytes in use, then %zu; %u threads, then %u\n", before, after, threads_before, threads());
    CHECK((gssize)(after - before) < 400000); /* 150 bytes in each */
    CHECK(threads() <= threads_before + 1);
    element_end(&element);
    WAIT_UNTIL(gst_harness_buffers_received(element.harness) == 6200);
    element_free_quiet(&element);
}

static void test_a_hundred_elements_in_turn(void) {
    gsize before = 0;
    for (int i = 0; i < 120; i++) {
        Element element;
        if (i == 20) before = heap_in_use();
        element = element_new(QUICK, SMALL, AVC);
        element_push_many(&element, 3);
        element_pull_many(&element, 2);
        element_free(&element);
    }
    CHECK((gssize)(heap_in_use() - before) < 200000);
}

static gpointer encode_200(gpointer data) {
    Element *element = data;
    for (guint i = 0; i < 200; i++) {
        CHECK_EQ(element_push(element), GST_FLOW_OK);
        if (i % 20 == 0) g_object_set(element->harness->element, "average-bit-rate", 100000 + (int)i * 1000, NULL);
        if (i % 50 == 25)
            gst_harness_push_upstream_event(element->harness, gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 1));
    }
    element_end(element);
    return NULL;
}

static void test_four_encoders_at_once(void) {
    Element elements[4];
    GThread *workers[4];
    for (int i = 0; i < 4; i++) {
        elements[i] = element_new(i % 2 ? "naluh264enc average-bit-rate=100000" : "naluh264enc real-time=true average-bit-rate=100000",
                                  "video/x-raw,format=NV12,width=160,height=128,framerate=30/1", AVC);
        workers[i] = g_thread_new("encode", encode_200, &elements[i]);
    }
    for (int i = 0; i < 4; i++) {
        g_thread_join(workers[i]);
        CHECK_EQ(gst_harness_buffers_received(elements[i].harness), 200);
        element_check_quiet(&elements[i]);
        element_free(&elements[i]);
    }
}

static GstPadProbeReturn hold(GstPad *pad, GstPadProbeInfo *info, gpointer held) {
    (void)pad, (void)info;
    while (g_atomic_int_get((gint *)held)) g_usleep(1000);
    return GST_PAD_PROBE_OK;
}

typedef struct { Element *element; gint pushed; } Pusher;

static gpointer push_100(gpointer data) {
    Pusher *pusher = data;
    for (int i = 0; i < 100; i++) {
        CHECK_EQ(element_push(pusher->element), GST_FLOW_OK);
        g_atomic_int_inc(&pusher->pushed);
    }
    return NULL;
}

/* Upstream has to wait when a few frames wait for the sink: memory is bounded. */
static void test_a_sink_that_does_not_keep_up(void) {
    Element element = element_new(QUICK, SMALL, AVC);
    Pusher pusher = {&element, 0};
    gint held = 1, last = -1;
    GThread *thread;
    gst_pad_add_probe(element.harness->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, hold, &held, NULL);
    thread = g_thread_new("push", push_100, &pusher);
    for (int quiet = 0; quiet < 20; quiet++) {
        g_usleep(10000);
        if (g_atomic_int_get(&pusher.pushed) != last) quiet = 0;
        last = g_atomic_int_get(&pusher.pushed);
    }
    printf("  %d frames before upstream waits\n", last);
    CHECK(last >= 1 && last <= 16);
    g_atomic_int_set(&held, 0);
    g_thread_join(thread);
    element_end(&element);
    WAIT_UNTIL(gst_harness_buffers_received(element.harness) == 100);
    element_free(&element);
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    RUN(test_three_thousand_renegotiations);
    RUN(test_a_hundred_elements_in_turn);
    RUN(test_four_encoders_at_once);
    RUN(test_a_sink_that_does_not_keep_up);
    return check_result();
}
