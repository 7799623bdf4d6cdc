/* Requests for key frames, acknowledgements, refreshes, and late frames. */
#include "element.h"

/* ---- Key frames ---- */

static gboolean next_is_key(Element *element) {
    GstBuffer *buffer;
    gboolean is_key;
    element_push_many(element, 1);
    buffer = element_pull(element);
    is_key = element_is_key(buffer);
    gst_buffer_unref(buffer);
    return is_key;
}

/* The downstream event that announces a key frame; 0 if there is none. */
static guint announced(Element *element) {
    guint count = 0;
    for (GstEvent *event; (event = gst_harness_try_pull_event(element->harness));) {
        if (gst_video_event_is_force_key_unit(event)) gst_video_event_parse_downstream_force_key_unit(event, NULL, NULL, NULL, NULL, &count);
        gst_event_unref(event);
    }
    return count;
}

static void test_key_unit_from_downstream(void) {
    Element element = element_new(QUICK, SMALL, AVC);
    CHECK(next_is_key(&element));
    CHECK(!next_is_key(&element));
    announced(&element);
    gst_harness_push_upstream_event(element.harness, gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 7));
    CHECK(next_is_key(&element));
    CHECK_EQ(announced(&element), 7);
    CHECK(!next_is_key(&element));
    element_free_quiet(&element);
}

static void test_key_unit_from_upstream(void) {
    Element element = element_new(QUICK, SMALL, AVC);
    CHECK(next_is_key(&element));
    announced(&element);
    gst_harness_push_event(element.harness,
                           gst_video_event_new_downstream_force_key_unit(GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, TRUE, 8));
    CHECK(next_is_key(&element));
    CHECK_EQ(announced(&element), 8);
    CHECK(!next_is_key(&element));
    element_free(&element);
}

/* At a running time, with a lookahead: exactly that frame. The base class knows running times of a stream with reordered frames
 * after the first frame is out. */
static void test_key_unit_at_a_time(void) {
    for (guint reordering = 0; reordering < 2; reordering++) {
        Element element = element_new(reordering ? "naluh264enc" : "naluh264enc allow-frame-reordering=false", SMALL, AVC);
        guint keys = 0;
        GstClockTime first = 0;
        if (reordering) {
            element_push_many(&element, 60);
            WAIT_UNTIL(gst_harness_buffers_in_queue(element.harness) > 0);
        }
        gst_harness_push_upstream_event(element.harness, gst_video_event_new_upstream_force_key_unit(75 * FRAME_DURATION, FALSE, 1));
        element_push_many(&element, 100 - element.pushed);
        element_end(&element);
        for (guint i = 0; i < 100; i++) {
            GstBuffer *buffer = element_pull(&element);
            if (i == 0) first = GST_BUFFER_PTS(buffer);
            if (element_is_key(buffer) && keys++ == 1) CHECK_EQ((GST_BUFFER_PTS(buffer) - first) / FRAME_DURATION, 75);
            gst_buffer_unref(buffer);
        }
        CHECK_EQ(keys, 2);
        element_free(&element);
    }
}

/* With all-headers, the parameter sets are in a byte stream before the key frame, in the same buffer. */
static void test_all_headers(void) {
    Element element = element_new(QUICK, SMALL, BYTE_STREAM);
    CHECK(next_is_key(&element));
    CHECK(!next_is_key(&element));
    gst_harness_push_upstream_event(element.harness, gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 1));
    element_push_many(&element, 1);
    GstBuffer *buffer = element_pull(&element);
    guint8 bytes[5];
    gst_buffer_extract(buffer, 0, bytes, sizeof bytes);
    CHECK_BYTES(bytes, "\0\0\0\1\x67", 5);
    CHECK(GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_HEADER));
    gst_buffer_unref(buffer);
    element_free(&element);
}

/* ---- Acknowledgements ---- */

typedef struct { gint64 token, reference; gboolean is_key; } Facts;

static Facts next_facts(Element *element) {
    Facts facts = {-1, -1, FALSE};
    GstBuffer *buffer;
    GstCustomMeta *meta;
    element_push_many(element, 1);
    buffer = element_pull(element);
    facts.is_key = element_is_key(buffer);
    meta = gst_buffer_get_custom_meta(buffer, "NaluSampleMeta");
    REQUIRE(meta != NULL);
    CHECK(gst_structure_get(gst_custom_meta_get_structure(meta), "token", G_TYPE_INT64, &facts.token, "reference-token", G_TYPE_INT64,
                            &facts.reference, NULL));
    gst_buffer_unref(buffer);
    return facts;
}

static gboolean send_upstream(Element *element, GstStructure *fields) {
    return gst_element_send_event(element->harness->element, gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, fields));
}

static void test_refresh_refers_to_an_acknowledged_frame(void) {
    Element element = element_new("naluh264enc enable-ltr=true", SMALL, AVC);
    Facts facts[6];
    GValue tokens = G_VALUE_INIT, token = G_VALUE_INIT;
    for (int i = 0; i < 6; i++) facts[i] = next_facts(&element);
    CHECK(facts[0].is_key && facts[0].reference == -1);
    CHECK_EQ(facts[5].reference, facts[4].token);

    g_value_init(&tokens, GST_TYPE_ARRAY);
    g_value_init(&token, G_TYPE_INT64);
    g_value_set_int64(&token, facts[2].token);
    gst_value_array_append_value(&tokens, &token);
    GstStructure *fields = gst_structure_new_empty("nalu-ltr-acknowledge");
    gst_structure_take_value(fields, "tokens", &tokens);
    CHECK(send_upstream(&element, fields));
    CHECK(send_upstream(&element, gst_structure_new_empty("nalu-ltr-refresh")));
    Facts refresh = next_facts(&element);
    CHECK(!refresh.is_key);
    CHECK_EQ(refresh.reference, facts[2].token);
    CHECK_EQ(next_facts(&element).reference, refresh.token);

    /* A single token, from upstream. */
    CHECK(gst_harness_push_event(element.harness, gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM,
        gst_structure_new("nalu-ltr-acknowledge", "token", G_TYPE_INT64, refresh.token, NULL))));
    next_facts(&element);
    CHECK(gst_harness_push_event(element.harness, gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM,
        gst_structure_new_empty("nalu-ltr-refresh"))));
    CHECK_EQ(next_facts(&element).reference, refresh.token);
    element_free_quiet(&element);
}

static void test_refused_requests(void) {
    Element without = element_new(QUICK, SMALL, AVC), with = element_new("naluh264enc enable-ltr=true", SMALL, AVC);
    CHECK(!send_upstream(&without, gst_structure_new_empty("nalu-ltr-refresh")));
    CHECK_WARNING(&without, "nalu-ltr-refresh needs the property enable-ltr");
    CHECK(!send_upstream(&without, gst_structure_new("nalu-ltr-acknowledge", "token", G_TYPE_INT64, (gint64)0, NULL)));
    CHECK_WARNING(&without, "enable-ltr");
    CHECK(!send_upstream(&without, gst_structure_new_empty("nalu-intra-refresh")));
    CHECK_WARNING(&without, "allow-intra-refresh");
    CHECK(!next_is_key(&without) || without.pushed == 1);

    /* An event without tokens, and a token that the session does not have: the frame is encoded all the same. */
    CHECK(!send_upstream(&with, gst_structure_new_empty("nalu-ltr-acknowledge")));
    CHECK_WARNING(&with, "token");
    CHECK(send_upstream(&with, gst_structure_new("nalu-ltr-acknowledge", "token", G_TYPE_INT64, (gint64)-5, NULL)));
    CHECK(next_facts(&with).is_key);
    CHECK_WARNING(&with, "-5");
    element_check_quiet(&with);
    element_free(&without);
    element_free(&with);
}

/* Pushes a frame with the time of the frame before it, which is not encoded. */
static void push_refused_frame(Element *element) {
    element->pushed--;
    element_push_many(element, 1);
    CHECK_WARNING(element, "not later than the frame before it");
}

/* Requests that arrive before a refused frame apply to the frame after it. */
static void test_requests_outlast_a_refused_frame(void) {
    Element element = element_new("naluh264enc enable-ltr=true", SMALL, AVC);
    Facts facts[4];
    for (int i = 0; i < 4; i++) facts[i] = next_facts(&element);
    CHECK(send_upstream(&element, gst_structure_new("nalu-ltr-acknowledge", "token", G_TYPE_INT64, facts[1].token, NULL)));
    CHECK(send_upstream(&element, gst_structure_new_empty("nalu-ltr-refresh")));
    push_refused_frame(&element);
    CHECK_EQ(next_facts(&element).reference, facts[1].token);

    gst_harness_push_upstream_event(element.harness, gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 9));
    push_refused_frame(&element);
    CHECK(next_facts(&element).is_key);
    CHECK(!next_facts(&element).is_key);
    element_free_quiet(&element);
}

/* A token names one frame of the element, not one of each session. So a late acknowledgement of a frame before the change is
 * not one of a frame after it. */
static void test_tokens_of_an_earlier_session(void) {
    Element element = element_new("naluh264enc enable-ltr=true", SMALL, AVC);
    Facts old[6], facts[6];
    for (int i = 0; i < 6; i++) old[i] = next_facts(&element);
    CHECK(send_upstream(&element, gst_structure_new("nalu-ltr-acknowledge", "token", G_TYPE_INT64, old[3].token, NULL)));
    element_set_caps(&element, "video/x-raw,format=NV12,width=80,height=64,framerate=30/1");
    for (int i = 0; i < 6; i++) facts[i] = next_facts(&element);
    CHECK(facts[0].is_key && facts[0].reference == -1);
    CHECK(facts[0].token > old[5].token);
    CHECK_EQ(facts[5].reference, facts[4].token);
    CHECK(send_upstream(&element, gst_structure_new("nalu-ltr-acknowledge", "token", G_TYPE_INT64, old[4].token, NULL)));
    CHECK(send_upstream(&element, gst_structure_new_empty("nalu-ltr-refresh")));
    Facts refresh = next_facts(&element);
    CHECK_EQ(refresh.reference, facts[0].token);

    CHECK(send_upstream(&element, gst_structure_new("nalu-ltr-acknowledge", "token", G_TYPE_INT64, refresh.token, NULL)));
    next_facts(&element);
    CHECK(send_upstream(&element, gst_structure_new_empty("nalu-ltr-refresh")));
    CHECK_EQ(next_facts(&element).reference, refresh.token);
    element_free_quiet(&element);
}

/* A refresh is spread over frames: none is a key frame, and all are intra at some place. */
static void test_intra_refresh(void) {
    Element element = element_new("naluh264enc allow-intra-refresh=true", SMALL, BYTE_STREAM);
    CHECK(next_is_key(&element));
    CHECK(!next_is_key(&element));
    CHECK(send_upstream(&element, gst_structure_new_empty("nalu-intra-refresh")));
    element_push_many(&element, 1);
    GstBuffer *buffer = element_pull(&element);
    GstMapInfo map;
    REQUIRE(buffer != NULL && gst_buffer_map(buffer, &map, GST_MAP_READ));
    CHECK(!element_is_key(buffer));
    /* The parameter sets and the recovery point message of the beginning. */
    CHECK_BYTES(map.data, "\0\0\0\1\x67", 5);
    gst_buffer_unmap(buffer, &map);
    gst_buffer_unref(buffer);
    element_free_quiet(&element);
}

/* Other custom events pass. */
static void test_other_events_pass(void) {
    Element element = element_new(QUICK, SMALL, AVC);
    gboolean seen = FALSE;
    next_is_key(&element);
    gst_harness_push_event(element.harness, gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("another")));
    next_is_key(&element);
    for (GstEvent *event; (event = gst_harness_try_pull_event(element.harness)); gst_event_unref(event)) seen |= gst_event_has_name(event, "another");
    CHECK(seen);
    element_free(&element);
}

/* ---- Quality of service ---- */

/* Frames that are late for the sink are dropped before the encoder; the others refer to what was sent. */
static void test_late_frames(void) {
    Element element = element_new(QUICK " qos=true", SMALL, AVC);
    GstMessage *message;
    element_push_many(&element, 2);
    element_pull_many(&element, 2);
    gst_harness_push_upstream_event(element.harness, gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1.5, GST_SECOND, 2 * FRAME_DURATION));
    element_push_many(&element, 10);
    message = gst_bus_timed_pop_filtered(element.bus, 60 * GST_SECOND, GST_MESSAGE_QOS);
    REQUIRE(message != NULL);
    gst_message_unref(message);
    CHECK(gst_harness_buffers_received(element.harness) < 12);
    element_push_many(&element, 120); /* two seconds later none is late */
    WAIT_UNTIL(gst_harness_buffers_in_queue(element.harness) >= 20);
    element_free(&element);
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    RUN(test_key_unit_from_downstream);
    RUN(test_key_unit_from_upstream);
    RUN(test_key_unit_at_a_time);
    RUN(test_all_headers);
    RUN(test_refresh_refers_to_an_acknowledged_frame);
    RUN(test_refused_requests);
    RUN(test_requests_outlast_a_refused_frame);
    RUN(test_tokens_of_an_earlier_session);
    RUN(test_intra_refresh);
    RUN(test_other_events_pass);
    RUN(test_late_frames);
    return check_result();
}
