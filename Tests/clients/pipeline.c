/* Runs a GStreamer pipeline to its end, and sets a property of its element `encoder` at some frames on the way.
 * usage: pipeline "DESCRIPTION" [PROPERTY FRAME VALUE]... */
#include <gst/gst.h>
#include <stdlib.h>

static char **changes;
static GstElement *encoder;
static int frames;

static GstPadProbeReturn frame_comes(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    (void)pad, (void)info, (void)data;
    for (char **change = changes; change[0] && change[1] && change[2]; change += 3) {
        if (atoi(change[1]) == frames) gst_util_set_object_arg(G_OBJECT(encoder), change[0], change[2]);
    }
    frames++;
    return GST_PAD_PROBE_OK;
}

int main(int count, char **arguments) {
    GError *error = NULL;
    gst_init(&count, &arguments);
    changes = arguments + 2;
    GstElement *pipeline = gst_parse_launch(arguments[1], &error);
    if (error) {
        g_printerr("%s\n", error->message);
        return 1;
    }
    encoder = gst_bin_get_by_name(GST_BIN(pipeline), "encoder");
    GstPad *pad = gst_element_get_static_pad(encoder, "sink");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, frame_comes, NULL, NULL);
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    GstBus *bus = gst_element_get_bus(pipeline);
    GstMessage *message = gst_bus_timed_pop_filtered(bus, 100 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    int status = 1;
    if (!message) {
        g_printerr("the pipeline does not end\n");
    } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
        char *details = NULL;
        gst_message_parse_error(message, &error, &details);
        g_printerr("%s (%s)\n", error->message, details ? details : "");
    } else {
        status = 0;
    }
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(pipeline);
    return status;
}
