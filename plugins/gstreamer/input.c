/*
 * Raw video: formats, the properties in the input caps, and pixel buffers over the memory of GStreamer's buffers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoder.h"

#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define FORMAT_10 "P010_10LE"
#define FORMAT_10_ID GST_VIDEO_FORMAT_P010_10LE
#define FORMAT_12 "P012_LE"
#define FORMAT_12_ID GST_VIDEO_FORMAT_P012_LE
#define FORMAT_16 "P016_LE"
#define FORMAT_16_ID GST_VIDEO_FORMAT_P016_LE
#else
#define FORMAT_10 "P010_10BE"
#define FORMAT_10_ID GST_VIDEO_FORMAT_P010_10BE
#define FORMAT_12 "P012_BE"
#define FORMAT_12_ID GST_VIDEO_FORMAT_P012_BE
#define FORMAT_16 "P016_BE"
#define FORMAT_16_ID GST_VIDEO_FORMAT_P016_BE
#endif

/* Nalu's pixel formats for GStreamer's. 0: Nalu does not have the format with this range. */
static const struct {
    GstVideoFormat format;
    nalu_pixel_format video_range, full_range;
} formats[] = {
    {GST_VIDEO_FORMAT_NV12, NALU_PIXEL_FORMAT_420V, NALU_PIXEL_FORMAT_420F},
    {GST_VIDEO_FORMAT_I420, NALU_PIXEL_FORMAT_Y420, NALU_PIXEL_FORMAT_F420},
    {GST_VIDEO_FORMAT_YV12, NALU_PIXEL_FORMAT_Y420, NALU_PIXEL_FORMAT_F420},
    {FORMAT_10_ID, NALU_PIXEL_FORMAT_X420, NALU_PIXEL_FORMAT_XF20},
    {FORMAT_12_ID, NALU_PIXEL_FORMAT_SV20, NALU_PIXEL_FORMAT_SF20},
    {FORMAT_16_ID, NALU_PIXEL_FORMAT_SV20, NALU_PIXEL_FORMAT_SF20},
    {GST_VIDEO_FORMAT_NV16, NALU_PIXEL_FORMAT_422V, NALU_PIXEL_FORMAT_422F},
    {GST_VIDEO_FORMAT_NV24, NALU_PIXEL_FORMAT_444V, NALU_PIXEL_FORMAT_444F},
    {GST_VIDEO_FORMAT_UYVY, NALU_PIXEL_FORMAT_2VUY, 0},
    {GST_VIDEO_FORMAT_YUY2, NALU_PIXEL_FORMAT_YUVS, 0},
    {GST_VIDEO_FORMAT_GRAY8, 0, NALU_PIXEL_FORMAT_L008},
    {GST_VIDEO_FORMAT_BGRA, 0, NALU_PIXEL_FORMAT_BGRA},
    {GST_VIDEO_FORMAT_BGRx, 0, NALU_PIXEL_FORMAT_BGRA},
    {GST_VIDEO_FORMAT_RGBA, 0, NALU_PIXEL_FORMAT_RGBA},
    {GST_VIDEO_FORMAT_RGBx, 0, NALU_PIXEL_FORMAT_RGBA},
    {GST_VIDEO_FORMAT_ARGB, 0, NALU_PIXEL_FORMAT_ARGB},
    {GST_VIDEO_FORMAT_xRGB, 0, NALU_PIXEL_FORMAT_ARGB},
    {GST_VIDEO_FORMAT_ABGR, 0, NALU_PIXEL_FORMAT_ABGR},
    {GST_VIDEO_FORMAT_xBGR, 0, NALU_PIXEL_FORMAT_ABGR},
    {GST_VIDEO_FORMAT_RGB, 0, NALU_PIXEL_FORMAT_24RGB},
    {GST_VIDEO_FORMAT_BGR, 0, NALU_PIXEL_FORMAT_24BGR},
};

GstCaps *nalu_h264_enc_sink_caps(void) {
    /* Formats that need no conversion are first, because converters select the first suitable one. */
    return gst_caps_from_string("video/x-raw, format = (string) { NV12, I420, YV12, " FORMAT_10 ", " FORMAT_12 ", " FORMAT_16
                                ", NV16, NV24, UYVY, YUY2, GRAY8, BGRA, BGRx, RGBA, RGBx, ARGB, xRGB, ABGR, xBGR, RGB, BGR }, "
                                "width = (int) [ 16, 16384 ], height = (int) [ 16, 16384 ], framerate = (fraction) [ 0, MAX ]");
}

nalu_pixel_format nalu_h264_enc_pixel_format(const GstVideoInfo *info, const gchar **reason) {
    gsize i;
    gboolean full = info->colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255;
    if (info->colorimetry.range == GST_VIDEO_COLOR_RANGE_UNKNOWN)
        full = GST_VIDEO_INFO_IS_RGB(info) || GST_VIDEO_INFO_IS_GRAY(info);
    *reason = "The element has no such input format; put videoconvert before it.";
    for (i = 0; i < G_N_ELEMENTS(formats); i++) {
        if (formats[i].format != GST_VIDEO_INFO_FORMAT(info)) continue;
        *reason = full ? "This input format is encoded in video range only; put videoconvert before the element, for NV12 in full range."
                       : "This input format is encoded in full range only; put videoconvert before the element.";
        return full ? formats[i].full_range : formats[i].video_range;
    }
    return 0;
}

/* ---- Properties from caps ---- */

static gboolean same_mastering_display(const GstVideoCodecState *a, const GstVideoCodecState *b) {
    if (a->mastering_display_info == NULL || b->mastering_display_info == NULL)
        return a->mastering_display_info == b->mastering_display_info;
    return gst_video_mastering_display_info_is_equal(a->mastering_display_info, b->mastering_display_info);
}

static gboolean same_light(const GstVideoCodecState *a, const GstVideoCodecState *b) {
    if (a->content_light_level == NULL || b->content_light_level == NULL) return a->content_light_level == b->content_light_level;
    return gst_video_content_light_level_is_equal(a->content_light_level, b->content_light_level);
}

gboolean nalu_h264_enc_same_stream(const GstVideoCodecState *a, const GstVideoCodecState *b) {
    const GstVideoInfo *x = &a->info, *y = &b->info;
    return x->width == y->width && x->height == y->height && x->fps_n == y->fps_n && x->fps_d == y->fps_d &&
           x->par_n == y->par_n && x->par_d == y->par_d && x->interlace_mode == y->interlace_mode &&
           GST_VIDEO_INFO_FIELD_ORDER(x) == GST_VIDEO_INFO_FIELD_ORDER(y) && x->chroma_site == y->chroma_site &&
           gst_video_colorimetry_is_equal(&x->colorimetry, &y->colorimetry) &&
           GST_VIDEO_INFO_IS_RGB(x) == GST_VIDEO_INFO_IS_RGB(y) &&
           GST_VIDEO_INFO_COMP_DEPTH(x, 0) == GST_VIDEO_INFO_COMP_DEPTH(y, 0) && same_mastering_display(a, b) && same_light(a, b);
}

/* In ITU-T H.273, 0 is RGB and 2 is unspecified. */
static void add_colour(const GstVideoInfo *info, NaluSettings *settings) {
    guint primaries = gst_video_color_primaries_to_iso(info->colorimetry.primaries);
    guint transfer = gst_video_transfer_function_to_iso(info->colorimetry.transfer);
    guint matrix = gst_video_color_matrix_to_iso(info->colorimetry.matrix);
    if (primaries > 0 && primaries != 2) nalu_settings_add_integer(settings, NALU_PROPERTY_COLOR_PRIMARIES, primaries);
    if (transfer > 0 && transfer != 2) nalu_settings_add_integer(settings, NALU_PROPERTY_TRANSFER_FUNCTION, transfer);
    if (matrix > 0 && matrix != 2 && !GST_VIDEO_INFO_IS_RGB(info))
        nalu_settings_add_integer(settings, NALU_PROPERTY_YCBCR_MATRIX, matrix);
    if (GST_VIDEO_INFO_IS_RGB(info)) return;
    switch ((gint)info->chroma_site) {
    case GST_VIDEO_CHROMA_SITE_H_COSITED: nalu_settings_add_integer(settings, NALU_PROPERTY_CHROMA_LOCATION, 0); break;
    case GST_VIDEO_CHROMA_SITE_NONE: nalu_settings_add_integer(settings, NALU_PROPERTY_CHROMA_LOCATION, 1); break;
    case GST_VIDEO_CHROMA_SITE_COSITED: nalu_settings_add_integer(settings, NALU_PROPERTY_CHROMA_LOCATION, 2); break;
    case GST_VIDEO_CHROMA_SITE_V_COSITED: nalu_settings_add_integer(settings, NALU_PROPERTY_CHROMA_LOCATION, 3); break;
    default: break;
    }
}

static void add_hdr_metadata(const GstVideoCodecState *input, NaluSettings *settings) {
    const GstVideoMasteringDisplayInfo *display = input->mastering_display_info;
    const GstVideoContentLightLevel *light = input->content_light_level;
    if (display != NULL) {
        /* GStreamer's order is red, green, blue; the property's is green, blue, red. */
        const gdouble values[] = {
            display->display_primaries[1].x, display->display_primaries[1].y, display->display_primaries[2].x,
            display->display_primaries[2].y, display->display_primaries[0].x, display->display_primaries[0].y,
            display->white_point.x, display->white_point.y, display->max_display_mastering_luminance,
            display->min_display_mastering_luminance};
        nalu_settings_add_numbers(settings, NALU_PROPERTY_MASTERING_DISPLAY_COLOR_VOLUME, values, G_N_ELEMENTS(values));
    }
    if (light != NULL) {
        const gdouble values[] = {light->max_content_light_level, light->max_frame_average_light_level};
        nalu_settings_add_numbers(settings, NALU_PROPERTY_CONTENT_LIGHT_LEVEL_INFO, values, G_N_ELEMENTS(values));
    }
}

void nalu_h264_enc_add_input_settings(const GstVideoCodecState *input, NaluSettings *settings) {
    const GstVideoInfo *info = &input->info;
    if (info->fps_n > 0 && info->fps_d > 0 && (gdouble)info->fps_n / info->fps_d <= 1000)
        nalu_settings_add_double(settings, NALU_PROPERTY_EXPECTED_FRAME_RATE, (gdouble)info->fps_n / info->fps_d);
    if (info->par_n != info->par_d && info->par_n > 0 && info->par_n <= 65535 && info->par_d > 0 && info->par_d <= 65535) {
        const gdouble values[] = {info->par_n, info->par_d};
        nalu_settings_add_numbers(settings, NALU_PROPERTY_PIXEL_ASPECT_RATIO, values, 2);
    }
    if (GST_VIDEO_INFO_IS_INTERLACED(info)) {
        gboolean bottom = GST_VIDEO_INFO_FIELD_ORDER(info) == GST_VIDEO_FIELD_ORDER_BOTTOM_FIELD_FIRST;
        nalu_settings_add_integer(settings, NALU_PROPERTY_FIELD_COUNT, 2);
        nalu_settings_add_string(settings, NALU_PROPERTY_FIELD_DETAIL,
                                 bottom ? NALU_FIELD_DETAIL_TEMPORAL_BOTTOM_FIRST : NALU_FIELD_DETAIL_TEMPORAL_TOP_FIRST);
    }
    add_colour(info, settings);
    add_hdr_metadata(input, settings);
}

/* ---- Pixels ---- */

static void release_frame(void *frame) {
    gst_video_frame_unmap(frame);
    g_free(frame);
}

nalu_status nalu_h264_enc_wrap(const GstVideoInfo *info, GstBuffer *buffer, nalu_pixel_buffer **buffer_out) {
    GstVideoFrame *frame = g_new(GstVideoFrame, 1);
    const void *planes[NALU_MAX_PLANES];
    gint64 strides[NALU_MAX_PLANES];
    const gchar *reason;
    guint i, count;
    nalu_status status;

    if (!gst_video_frame_map(frame, info, buffer, GST_MAP_READ)) {
        g_free(frame);
        nalu_set_last_error_message("The memory of an input frame cannot be read, or is smaller than the caps state.");
        return NALU_STATUS_PARAMETER;
    }
    count = GST_VIDEO_FRAME_N_PLANES(frame);
    for (i = 0; i < count && i < NALU_MAX_PLANES; i++) {
        /* Three planes are passed as Y, Cb and Cr, whatever their order in the format. */
        planes[i] = count == 3 ? GST_VIDEO_FRAME_COMP_DATA(frame, i) : GST_VIDEO_FRAME_PLANE_DATA(frame, i);
        strides[i] = count == 3 ? GST_VIDEO_FRAME_COMP_STRIDE(frame, i) : GST_VIDEO_FRAME_PLANE_STRIDE(frame, i);
    }
    status = nalu_pixel_buffer_create_with_planes(info->width, info->height, nalu_h264_enc_pixel_format(info, &reason), count, planes,
                                                  strides, NULL, release_frame, frame, buffer_out);
    if (status != NALU_STATUS_OK) release_frame(frame);
    return status;
}
