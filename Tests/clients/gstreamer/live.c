/* Runs a pipeline, and changes the bit rate of its element `encoder` after some frames, while it encodes.
 *
 * usage: live FRAMES KILOBITS DESCRIPTION...
 */
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>

struct change {
    unsigned seen, after, kilobits;
};

static GstPadProbeReturn saw_frame(GstPad *pad, GstPadProbeInfo *info, gpointer context) {
    struct change *change = context;
    if (change->seen++ == change->after) {
        GstElement *encoder = gst_pad_get_parent_element(pad);
        g_object_set(encoder, "bitrate", change->kilobits, NULL);
        gst_object_unref(encoder);
    }
    return GST_PAD_PROBE_OK;
}

int main(int count, char **arguments) {
    gst_init(&count, &arguments);
    if (count < 4) {
        fprintf(stderr, "usage: live FRAMES KILOBITS DESCRIPTION...\n");
        return 2;
    }
    struct change change = {.after = (unsigned)atoi(arguments[1]), .kilobits = (unsigned)atoi(arguments[2])};
    GError *error = NULL;
    GstElement *pipeline = gst_parse_launchv((const gchar **)arguments + 3, &error);
    if (error != NULL) {
        fprintf(stderr, "%s\n", error->message);
        return 1;
    }
    GstElement *encoder = gst_bin_get_by_name(GST_BIN(pipeline), "encoder");
    GstPad *pad = gst_element_get_static_pad(encoder, "sink");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, saw_frame, &change, NULL);

    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    GstBus *bus = gst_element_get_bus(pipeline);
    GstMessage *message = gst_bus_timed_pop_filtered(bus, 100 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    int status = 0;
    if (message == NULL) {
        fprintf(stderr, "the pipeline did not end within 100 seconds\n");
        status = 1;
    } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
        gst_message_parse_error(message, &error, NULL);
        fprintf(stderr, "%s\n", error->message);
        status = 1;
    } else if (change.seen <= change.after) {
        fprintf(stderr, "the pipeline ended after %u frames, before the change\n", change.seen);
        status = 1;
    }
    gst_element_set_state(pipeline, GST_STATE_NULL);
    if (message != NULL) {
        gst_message_unref(message);
    }
    gst_object_unref(bus);
    gst_object_unref(pad);
    gst_object_unref(encoder);
    gst_object_unref(pipeline);
    return status;
}
