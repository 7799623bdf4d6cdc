/* The entry point of a plugin that contains only GStreamer's vtenc and vtdec elements. Their original plugin
 * also registers elements in Objective-C. The other functions replace its OpenGL part, which only images on a
 * graphics card use. */
#include <gst/gst.h>

#include "corevideomemory.h"
#include "iosurfaceglmemory.h"
#include "videotexturecache-gl.h"

void gst_vtdec_register_elements(GstPlugin *plugin);
void gst_vtenc_register_elements(GstPlugin *plugin);

GstVideoTextureCache *gst_video_texture_cache_gl_new(GstGLContext *context) { g_assert_not_reached(); }

void gst_video_texture_cache_set_format(GstVideoTextureCache *cache, GstVideoFormat format, GstCaps *caps) {
    g_assert_not_reached();
}

GstMemory *gst_video_texture_cache_create_memory(GstVideoTextureCache *cache, GstAppleCoreVideoPixelBuffer *buffer, guint plane,
                                                 gsize size) {
    g_assert_not_reached();
}

GType gst_video_texture_cache_gl_get_type(void) {
    /* A separate type, which no buffer's cache has. */
    static GType type = 0;
    if (g_once_init_enter(&type)) {
        g_once_init_leave(&type, g_type_register_static_simple(G_TYPE_OBJECT, "NoVideoTextureCacheGL", sizeof(GObjectClass), NULL,
                                                               sizeof(GObject), NULL, 0));
    }
    return type;
}

GstIOSurfaceGLMemory *gst_io_surface_gl_memory_wrapped(GstGLContext *context, IOSurfaceRef surface, GstGLTextureTarget target,
                                                       GstGLFormat format, GstVideoInfo *info, guint plane,
                                                       GstVideoAlignment *valign, gpointer user_data, GDestroyNotify notify) {
    g_assert_not_reached();
}

static gboolean register_elements(GstPlugin *plugin) {
    gst_apple_core_video_memory_init();
    gst_vtenc_register_elements(plugin);
    gst_vtdec_register_elements(plugin);
    return TRUE;
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, vtenc, "VideoToolbox encoders and decoders", register_elements, "1", "LGPL",
                  "vtenc", "vtenc")
