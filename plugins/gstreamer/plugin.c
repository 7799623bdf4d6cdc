/*
 * The plugin: one element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoder.h"

GST_DEBUG_CATEGORY(nalu_h264_enc_debug);

static gboolean register_elements(GstPlugin *plugin) {
    static const gchar *no_tags[] = {NULL};
    GST_DEBUG_CATEGORY_INIT(nalu_h264_enc_debug, "naluh264enc", 0, "Nalu's H.264 encoder");
    if (gst_meta_get_info(NALU_SAMPLE_META) == NULL) gst_meta_register_custom(NALU_SAMPLE_META, no_tags, NULL, NULL, NULL);
    /* The rank is below x264enc's, so programs that select by rank keep their encoder. */
    return gst_element_register(plugin, "naluh264enc", GST_RANK_SECONDARY, nalu_h264_enc_get_type());
}

#define PACKAGE "nalu"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, nalu, "H.264 encoding with Nalu's compression sessions", register_elements,
                  NALU_PLUGIN_VERSION, NALU_PLUGIN_LICENSE, "Nalu", "https://gstreamer.freedesktop.org")
