/*
 * Helpers for tests of the element: a harness with a bus, frames, and what comes out.
 */
#ifndef NALU_TESTS_GSTREAMER_ELEMENT_H
#define NALU_TESTS_GSTREAMER_ELEMENT_H

#include "check.h"

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

/* 64x64 keeps sessions small. */
#define SMALL "video/x-raw,format=NV12,width=64,height=64,framerate=30/1"
/* A session with one thread, no delay and the cheapest preset. */
#define QUICK "naluh264enc x264-preset=ultrafast max-frame-delay-count=0 x264-params=threads=1"

#define FRAME_DURATION (GST_SECOND / 30)

typedef struct {
    GstHarness *harness;
    GstBus *bus;
    GstVideoInfo info;
    guint pushed;
} Element;

/* `launch` as in gst-launch-1.0; downstream accepts `accepted`, or anything if it is NULL. */
static inline Element element_new(const char *launch, const char *caps, const char *accepted) {
    GError *error = NULL;
    GstElement *encoder = gst_parse_launch(launch, &error);
    Element element = {.bus = gst_bus_new()};
    REQUIRE(encoder != NULL && error == NULL);
    element.harness = gst_harness_new_with_element(encoder, "sink", "src");
    gst_object_unref(encoder);
    gst_element_set_bus(element.harness->element, element.bus);
    if (accepted) gst_harness_set_sink_caps_str(element.harness, accepted);
    if (caps) {
        GstCaps *parsed = gst_caps_from_string(caps);
        REQUIRE(gst_video_info_from_caps(&element.info, parsed));
        gst_harness_set_src_caps(element.harness, parsed);
    }
    return element;
}

static inline void element_free(Element *element) {
    gst_element_set_bus(element->harness->element, NULL);
    gst_harness_teardown(element->harness);
    gst_object_unref(element->bus);
}

static inline void element_set_caps(Element *element, const char *caps) {
    GstCaps *parsed = gst_caps_from_string(caps);
    REQUIRE(gst_video_info_from_caps(&element->info, parsed));
    gst_harness_push_event(element->harness, gst_event_new_caps(parsed));
    gst_caps_unref(parsed);
}

/* A picture that differs from one number to the next. */
static inline GstBuffer *element_frame(Element *element, guint number) {
    GstBuffer *buffer = gst_buffer_new_allocate(NULL, element->info.size, NULL);
    GstMapInfo map;
    REQUIRE(gst_buffer_map(buffer, &map, GST_MAP_WRITE));
    for (gsize i = 0; i < map.size; i++) map.data[i] = (guint8)(64 + ((i * 7 + number * 31) >> 3 & 127));
    gst_buffer_unmap(buffer, &map);
    GST_BUFFER_PTS(buffer) = number * FRAME_DURATION;
    GST_BUFFER_DURATION(buffer) = FRAME_DURATION;
    return buffer;
}

static inline GstFlowReturn element_push(Element *element) {
    return gst_harness_push(element->harness, element_frame(element, element->pushed++));
}

static inline void element_push_many(Element *element, guint count) {
    while (count-- > 0) CHECK_EQ(element_push(element), GST_FLOW_OK);
}

static inline void element_end(Element *element) { CHECK(gst_harness_push_event(element->harness, gst_event_new_eos())); }

/* Returns the next buffer. A minute without one ends the test. */
static inline GstBuffer *element_pull(Element *element) {
    GstBuffer *buffer = gst_harness_pull(element->harness);
    REQUIRE(buffer != NULL);
    return buffer;
}

/* Pulls `count` buffers and forgets them. */
static inline void element_pull_many(Element *element, guint count) {
    for (guint i = 0; i < count; i++) gst_buffer_unref(element_pull(element));
}

/* Encodes `count` frames to the end of the stream, and forgets the buffers. */
static inline void element_encode(Element *element, guint count) {
    element_push_many(element, count);
    element_end(element);
    element_pull_many(element, count);
}

static inline gboolean element_is_key(GstBuffer *buffer) { return !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT); }

/* The text of the next warning or error; NULL if there is none. */
static inline char *element_message(Element *element, GstMessageType type) {
    GstMessage *message = gst_bus_pop_filtered(element->bus, type);
    GError *error = NULL;
    char *text;
    if (!message) return NULL;
    if (type == GST_MESSAGE_ERROR)
        gst_message_parse_error(message, &error, NULL);
    else
        gst_message_parse_warning(message, &error, NULL);
    text = g_strdup(error->message);
    g_error_free(error);
    gst_message_unref(message);
    return text;
}

static inline void check_message(Element *element, GstMessageType type, const char *part, const char *file, int line) {
    char *text = element_message(element, type);
    check_that(text && strstr(text, part), file, line, "message", text ? text : "no message");
    g_free(text);
}
#define CHECK_ERROR(element, part) check_message(element, GST_MESSAGE_ERROR, part, __FILE__, __LINE__)
#define CHECK_WARNING(element, part) check_message(element, GST_MESSAGE_WARNING, part, __FILE__, __LINE__)

static inline void element_check_quiet(Element *element) {
    for (int warning = 0; warning < 2; warning++) {
        char *text = element_message(element, warning ? GST_MESSAGE_WARNING : GST_MESSAGE_ERROR);
        if (text) fprintf(stderr, "a message: %s\n", text);
        CHECK(text == NULL);
        g_free(text);
    }
}

/* Frees an element that must have sent no message. */
static inline void element_free_quiet(Element *element) {
    element_check_quiet(element);
    element_free(element);
}

/* The caps of the source pad. */
static inline GstStructure *element_output(Element *element) {
    GstPad *pad = gst_element_get_static_pad(element->harness->element, "src");
    GstCaps *caps = gst_pad_get_current_caps(pad);
    GstStructure *fields = caps ? gst_structure_copy(gst_caps_get_structure(caps, 0)) : gst_structure_new_empty("none");
    if (caps) gst_caps_unref(caps);
    gst_object_unref(pad);
    return fields;
}

static inline void check_field(Element *element, const char *name, const char *expected, const char *file, int line) {
    GstStructure *fields = element_output(element);
    const GValue *value = gst_structure_get_value(fields, name);
    char *text = value ? G_VALUE_HOLDS_STRING(value) ? g_value_dup_string(value) : gst_value_serialize(value) : NULL;
    check_strings(text, expected, file, line, name);
    g_free(text);
    gst_structure_free(fields);
}
#define CHECK_FIELD(element, name, expected) check_field(element, name, expected, __FILE__, __LINE__)

/* The first SPS of the source pad's codec_data. */
static inline nalu_sequence_info element_sequence(Element *element) {
    nalu_sequence_info info = {.struct_size = sizeof info};
    nalu_format_description *format = NULL;
    GstStructure *fields = element_output(element);
    const GValue *value = gst_structure_get_value(fields, "codec_data");
    GstMapInfo map;
    REQUIRE(value != NULL && gst_buffer_map(gst_value_get_buffer(value), &map, GST_MAP_READ));
    REQUIRE_OK(nalu_format_description_create_from_avcc(map.data, map.size, &format));
    REQUIRE_OK(nalu_format_description_get_sequence_info(format, &info));
    gst_buffer_unmap(gst_value_get_buffer(value), &map);
    nalu_format_description_release(format);
    gst_structure_free(fields);
    return info;
}

#define AVC "video/x-h264,stream-format=avc,alignment=au"
#define BYTE_STREAM "video/x-h264,stream-format=byte-stream,alignment=au"

#endif
