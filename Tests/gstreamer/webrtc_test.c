/* Two webrtcbin elements in one process: the stream arrives whole, and the receiver gets a key frame when it asks for one. */
#include "element.h"

static GMainLoop *loop;
static GstElement *pipeline, *sender, *receiver;
static char *path;
static int received, keys, keys_before, kept;

/* ---- Offer and answer ---- */

/* The description of a reply, whose type belongs to a library that this program does not need otherwise. */
static GValue description(GstPromise *promise, const char *name) {
    GValue value = G_VALUE_INIT;
    const GValue *found;
    CHECK_EQ(gst_promise_wait(promise), GST_PROMISE_RESULT_REPLIED);
    found = gst_structure_get_value(gst_promise_get_reply(promise), name);
    REQUIRE(found != NULL);
    g_value_init(&value, G_VALUE_TYPE(found));
    g_value_copy(found, &value);
    gst_promise_unref(promise);
    return value;
}

static void got_answer(GstPromise *promise, gpointer data) {
    GValue answer = description(promise, "answer");
    (void)data;
    g_signal_emit_by_name(receiver, "set-local-description", g_value_get_boxed(&answer), NULL);
    g_signal_emit_by_name(sender, "set-remote-description", g_value_get_boxed(&answer), NULL);
    g_value_unset(&answer);
}

static void got_offer(GstPromise *promise, gpointer data) {
    GValue offer = description(promise, "offer");
    (void)data;
    g_signal_emit_by_name(sender, "set-local-description", g_value_get_boxed(&offer), NULL);
    g_signal_emit_by_name(receiver, "set-remote-description", g_value_get_boxed(&offer), NULL);
    g_value_unset(&offer);
    g_signal_emit_by_name(receiver, "create-answer", NULL, gst_promise_new_with_change_func(got_answer, NULL, NULL));
}

static void negotiate(GstElement *bin, gpointer data) {
    (void)data;
    g_signal_emit_by_name(bin, "create-offer", NULL, gst_promise_new_with_change_func(got_offer, NULL, NULL));
}

static void got_candidate(GstElement *bin, guint line, const char *candidate, gpointer data) {
    (void)data;
    g_signal_emit_by_name(bin == sender ? receiver : sender, "add-ice-candidate", line, candidate);
}

/* ---- What arrives ---- */

/* Keeps what follows the requested key frame. Packets of earlier frames can be lost while the connection is being made. */
static GstPadProbeReturn count(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    (void)data;
    keys += (int)element_is_key(GST_PAD_PROBE_INFO_BUFFER(info));
    received++;
    if (received == 30) {
        keys_before = keys; /* a receiver also asks for one when it joins */
        gst_pad_send_event(pad, gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 1));
    }
    if (received < 30 || keys == keys_before) return GST_PAD_PROBE_DROP;
    if (++kept == 60) g_main_loop_quit(loop);
    return GST_PAD_PROBE_OK;
}

static void got_stream(GstElement *bin, GstPad *pad, gpointer data) {
    char *text = g_strdup_printf("rtph264depay ! h264parse ! video/x-h264,stream-format=byte-stream,alignment=au ! identity name=seen ! "
                                 "filesink location=%s", path);
    GstElement *rest = gst_parse_bin_from_description(text, TRUE, NULL), *seen;
    GstPad *source, *sink;
    (void)bin, (void)data;
    REQUIRE(rest != NULL);
    gst_bin_add(GST_BIN(pipeline), rest);
    seen = gst_bin_get_by_name(GST_BIN(rest), "seen");
    source = gst_element_get_static_pad(seen, "src");
    sink = gst_element_get_static_pad(rest, "sink");
    gst_pad_add_probe(source, GST_PAD_PROBE_TYPE_BUFFER, count, NULL, NULL);
    CHECK_EQ(gst_pad_link(pad, sink), GST_PAD_LINK_OK);
    gst_element_sync_state_with_parent(rest);
    gst_object_unref(source);
    gst_object_unref(sink);
    gst_object_unref(seen);
    g_free(text);
}

static gboolean got_message(GstBus *bus, GstMessage *message, gpointer data) {
    GError *error = NULL;
    (void)bus, (void)data;
    if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_ERROR) return TRUE;
    gst_message_parse_error(message, &error, NULL);
    fprintf(stderr, "%s\n", error->message);
    CHECK(error == NULL);
    g_error_free(error);
    g_main_loop_quit(loop);
    return TRUE;
}

static gboolean too_late(gpointer data) {
    (void)data;
    fprintf(stderr, "%d frames, %d key frames\n", received, keys);
    CHECK(FALSE);
    g_main_loop_quit(loop);
    return FALSE;
}

static void test_a_pair(void) {
    char *command;
    GstBus *bus;
    pipeline = gst_parse_launch(
        "videotestsrc is-live=true ! video/x-raw,width=640,height=360,framerate=30/1 ! "
        "naluh264enc preset=VideoConferencing average-bit-rate=1000000 ! video/x-h264,profile=constrained-baseline,"
        "stream-format=byte-stream ! rtph264pay aggregate-mode=zero-latency ! "
        "application/x-rtp,media=video,encoding-name=H264,payload=96,clock-rate=90000 ! webrtcbin name=sender bundle-policy=max-bundle "
        "webrtcbin name=receiver bundle-policy=max-bundle latency=5000", NULL);
    REQUIRE(pipeline != NULL);
    sender = gst_bin_get_by_name(GST_BIN(pipeline), "sender");
    receiver = gst_bin_get_by_name(GST_BIN(pipeline), "receiver");
    REQUIRE(sender != NULL && receiver != NULL);
    g_signal_connect(sender, "on-negotiation-needed", G_CALLBACK(negotiate), NULL);
    g_signal_connect(sender, "on-ice-candidate", G_CALLBACK(got_candidate), NULL);
    g_signal_connect(receiver, "on-ice-candidate", G_CALLBACK(got_candidate), NULL);
    g_signal_connect(receiver, "pad-added", G_CALLBACK(got_stream), NULL);
    bus = gst_element_get_bus(pipeline);
    gst_bus_add_watch(bus, got_message, NULL);
    g_timeout_add_seconds(60, too_late, NULL);
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    g_main_loop_run(loop);
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_bus_remove_watch(bus);
    gst_object_unref(bus);
    gst_object_unref(sender);
    gst_object_unref(receiver);
    gst_object_unref(pipeline);

    printf("  %d frames, %d key frames\n", received, keys);
    command = g_strdup_printf("ffmpeg -nostdin -v warning -xerror -f h264 -i '%s' -f null - 2>&1 | grep . && exit 1 || exit 0", path);
    CHECK_EQ(system(command), 0);
    g_free(command);
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    loop = g_main_loop_new(NULL, FALSE);
    path = g_strdup_printf("%s/nalu-webrtc-%d.h264", g_get_tmp_dir(), (int)getpid());
    RUN(test_a_pair);
    remove(path);
    g_free(path);
    g_main_loop_unref(loop);
    return check_result();
}
