/* Part of shim.h: x264's parameters as text. Written in C, because the struct contains pointers and Swift would need
 * `unsafe` for each of its fields. */
#ifndef NALU_CX264_DESCRIBE_H
#define NALU_CX264_DESCRIBE_H

/* The parameters before x264 is opened, which x264 then changes or drops. */
typedef struct nalu_x264_asked {
    int32_t chroma_qp_offset; /* x264 adds its own offset */
    int32_t says_fps;         /* nonzero if a client has set the frame rate */
    uint8_t cqm4[4][16], cqm8[2][64]; /* x264 transposes the matrices */
} nalu_x264_asked;

static inline nalu_x264_asked nalu_x264_ask(const x264_param_t *p, int32_t says_fps) {
    nalu_x264_asked asked = {p->analyse.i_chroma_qp_offset, says_fps, {{0}}, {{0}}};
    memcpy(asked.cqm4[0], p->cqm_4iy, 16);
    memcpy(asked.cqm4[1], p->cqm_4py, 16);
    memcpy(asked.cqm4[2], p->cqm_4ic, 16);
    memcpy(asked.cqm4[3], p->cqm_4pc, 16);
    memcpy(asked.cqm8[0], p->cqm_8iy, 64);
    memcpy(asked.cqm8[1], p->cqm_8py, 64);
    return asked;
}

typedef struct nalu_x264_text {
    char *characters;
    size_t used, capacity;
    int overflows;
} nalu_x264_text;

static inline void nalu_x264_put(nalu_x264_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int written =
        vsnprintf(text->characters + text->used, text->capacity - text->used, format, arguments);
    va_end(arguments);
    if (written < 0 || (size_t)written >= text->capacity - text->used) text->overflows = 1;
    else text->used += (size_t)written;
}

/* Appends the shortest text that reads back as the same number. */
static inline void nalu_x264_put_number(nalu_x264_text *text, const char *before, float value) {
    char digits[32];
    for (int precision = 6; precision <= 9; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, (double)value);
        if (strtof(digits, NULL) == value) break;
    }
    nalu_x264_put(text, "%s%s", before, digits);
}

static inline void nalu_x264_put_name(nalu_x264_text *text, const char *option, const char *const *names, int32_t index) {
    const char *name = nalu_x264_name(names, index);
    if (*name) nalu_x264_put(text, ":%s=%s", option, name);
}

static inline void nalu_x264_put_matrix(nalu_x264_text *text, const char *option, const uint8_t *values, int count) {
    nalu_x264_put(text, ":%s=", option);
    for (int i = 0; i < count; i++) nalu_x264_put(text, i ? ",%d" : "%d", values[i]);
}

static inline void nalu_x264_put_analysis(nalu_x264_text *text, const x264_param_t *p, const nalu_x264_asked *asked) {
    static const struct { unsigned bit; const char *name; } partitions[] = {
        {X264_ANALYSE_PSUB16x16, "p8x8"}, {X264_ANALYSE_PSUB8x8, "p4x4"}, {X264_ANALYSE_BSUB16x16, "b8x8"},
        {X264_ANALYSE_I8x8, "i8x8"}, {X264_ANALYSE_I4x4, "i4x4"}};
    nalu_x264_put(text, "cabac=%d:ref=%d:dpb-size=%d", p->b_cabac, p->i_frame_reference, p->i_dpb_size);
    if (p->b_cabac) nalu_x264_put(text, ":cabac-idc=%d", p->i_cabac_init_idc);
    if (p->b_deblocking_filter)
        nalu_x264_put(text, ":deblock=%d,%d", p->i_deblocking_filter_alphac0, p->i_deblocking_filter_beta);
    else
        nalu_x264_put(text, ":no-deblock=1");
    nalu_x264_put(text, ":partitions=");
    int count = 0;
    for (size_t i = 0; i < sizeof partitions / sizeof *partitions; i++)
        if (p->analyse.inter & partitions[i].bit) nalu_x264_put(text, count++ ? ",%s" : "%s", partitions[i].name);
    if (!count) nalu_x264_put(text, "none");
    nalu_x264_put_name(text, "me", x264_motion_est_names, p->analyse.i_me_method);
    nalu_x264_put(text, ":subme=%d:psy=%d", p->analyse.i_subpel_refine, p->analyse.b_psy);
    nalu_x264_put_number(text, ":psy-rd=", p->analyse.f_psy_rd);
    nalu_x264_put_number(text, ",", p->analyse.f_psy_trellis);
    nalu_x264_put(text, ":mixed-refs=%d:merange=%d:chroma-me=%d:trellis=%d:8x8dct=%d", p->analyse.b_mixed_references,
                  p->analyse.i_me_range, p->analyse.b_chroma_me, p->analyse.i_trellis, p->analyse.b_transform_8x8);
    nalu_x264_put(text, ":deadzone-inter=%d:deadzone-intra=%d:fast-pskip=%d:nr=%d:dct-decimate=%d:constrained-intra=%d",
                  p->analyse.i_luma_deadzone[0], p->analyse.i_luma_deadzone[1], p->analyse.b_fast_pskip,
                  p->analyse.i_noise_reduction, p->analyse.b_dct_decimate, p->b_constrained_intra);
    nalu_x264_put(text, ":chroma-qp-offset=%d:mvrange=%d", asked->chroma_qp_offset, p->analyse.i_mv_range);
    if (p->analyse.i_mv_range_thread > 0) nalu_x264_put(text, ":mvrange-thread=%d", p->analyse.i_mv_range_thread);
    if (p->i_cqm_preset == X264_CQM_JVT) nalu_x264_put(text, ":cqm=jvt");
    if (p->i_cqm_preset == X264_CQM_CUSTOM) {
        nalu_x264_put_matrix(text, "cqm4iy", asked->cqm4[0], 16);
        nalu_x264_put_matrix(text, "cqm4py", asked->cqm4[1], 16);
        nalu_x264_put_matrix(text, "cqm4ic", asked->cqm4[2], 16);
        nalu_x264_put_matrix(text, "cqm4pc", asked->cqm4[3], 16);
        nalu_x264_put_matrix(text, "cqm8i", asked->cqm8[0], 64);
        nalu_x264_put_matrix(text, "cqm8p", asked->cqm8[1], 64);
    }
}

static inline void nalu_x264_put_structure(nalu_x264_text *text, const x264_param_t *p) {
    nalu_x264_put(text, ":threads=%d:lookahead-threads=%d:sliced-threads=%d:sync-lookahead=%d:deterministic=%d",
                  p->i_threads, p->i_lookahead_threads, p->b_sliced_threads, p->i_sync_lookahead, p->b_deterministic);
    nalu_x264_put(text, ":cpu-independent=%d:slices=%d:slices-max=%d:slice-max-size=%d:slice-max-mbs=%d:slice-min-mbs=%d",
                  p->b_cpu_independent, p->i_slice_count, p->i_slice_count_max, p->i_slice_max_size, p->i_slice_max_mbs,
                  p->i_slice_min_mbs);
    nalu_x264_put(text, ":bframes=%d", p->i_bframe);
    if (p->i_bframe) {
        nalu_x264_put_name(text, "b-pyramid", x264_b_pyramid_names, p->i_bframe_pyramid);
        nalu_x264_put_name(text, "direct", x264_direct_pred_names, p->analyse.i_direct_mv_pred);
        nalu_x264_put(text, ":b-adapt=%d:b-bias=%d:weightb=%d", p->i_bframe_adaptive, p->i_bframe_bias,
                      p->analyse.b_weighted_bipred);
    }
    nalu_x264_put(text, ":weightp=%d", p->analyse.i_weighted_pred > 0 ? p->analyse.i_weighted_pred : 0);
    if (p->i_keyint_max == X264_KEYINT_MAX_INFINITE)
        nalu_x264_put(text, ":keyint=infinite");
    else
        nalu_x264_put(text, ":keyint=%d", p->i_keyint_max);
    nalu_x264_put(text, ":min-keyint=%d:scenecut=%d:rc-lookahead=%d:mbtree=%d", p->i_keyint_min, p->i_scenecut_threshold,
                  p->rc.i_lookahead, p->rc.b_mb_tree);
}

static inline void nalu_x264_put_rate(nalu_x264_text *text, const x264_param_t *p) {
    const int is_crf = p->rc.i_rc_method == X264_RC_CRF;
    if (p->rc.i_rc_method == X264_RC_ABR) {
        nalu_x264_put(text, ":bitrate=%d", p->rc.i_bitrate);
        nalu_x264_put_number(text, ":ratetol=", p->rc.f_rate_tolerance);
    } else if (is_crf) {
        nalu_x264_put_number(text, ":crf=", p->rc.f_rf_constant);
    } else {
        nalu_x264_put(text, ":qp=%d", p->rc.i_qp_constant);
    }
    if (p->rc.i_vbv_buffer_size) {
        nalu_x264_put(text, ":vbv-maxrate=%d:vbv-bufsize=%d", p->rc.i_vbv_max_bitrate, p->rc.i_vbv_buffer_size);
        nalu_x264_put_number(text, ":vbv-init=", p->rc.f_vbv_buffer_init);
        if (is_crf && p->rc.f_rf_constant_max > p->rc.f_rf_constant)
            nalu_x264_put_number(text, ":crf-max=", p->rc.f_rf_constant_max);
    }
    nalu_x264_put_number(text, ":qcomp=", p->rc.f_qcompress);
    nalu_x264_put(text, ":qpmin=%d:qpmax=%d:qpstep=%d", p->rc.i_qp_min, p->rc.i_qp_max, p->rc.i_qp_step);
    nalu_x264_put_number(text, ":ipratio=", p->rc.f_ip_factor);
    nalu_x264_put_number(text, ":pbratio=", p->rc.f_pb_factor);
    nalu_x264_put(text, ":aq-mode=%d", p->rc.i_aq_mode);
    nalu_x264_put_number(text, ":aq-strength=", p->rc.f_aq_strength);
    if (p->rc.b_stat_write || p->rc.b_stat_read) {
        nalu_x264_put_number(text, ":qblur=", p->rc.f_qblur);
        nalu_x264_put_number(text, ":cplxblur=", p->rc.f_complexity_blur);
    }
    nalu_x264_put_name(text, "nal-hrd", x264_nal_hrd_names, p->i_nal_hrd);
    nalu_x264_put(text, ":filler=%d", p->rc.b_filler);
}

static inline void nalu_x264_put_stream(nalu_x264_text *text, const x264_param_t *p, const nalu_x264_asked *asked) {
    nalu_x264_put(text, ":aud=%d:sps-id=%d:stitchable=%d:bluray-compat=%d:level=%d", p->b_aud, p->i_sps_id, p->b_stitchable,
                  p->b_bluray_compat, p->i_level_idc);
    if (asked->says_fps) nalu_x264_put(text, ":fps=%u/%u", p->i_fps_num, p->i_fps_den);
    nalu_x264_put(text, ":force-cfr=%d", !p->b_vfr_input);
    if (p->i_frame_packing >= 0) nalu_x264_put(text, ":frame-packing=%d", p->i_frame_packing);
    if (p->vui.i_sar_width > 0 && p->vui.i_sar_height > 0)
        nalu_x264_put(text, ":sar=%d/%d", p->vui.i_sar_width, p->vui.i_sar_height);
    nalu_x264_put_name(text, "overscan", x264_overscan_names, p->vui.i_overscan);
    nalu_x264_put_name(text, "videoformat", x264_vidformat_names, p->vui.i_vidformat);
    if (p->vui.i_chroma_loc) nalu_x264_put(text, ":chromaloc=%d", p->vui.i_chroma_loc);
    nalu_x264_put_name(text, "colorprim", x264_colorprim_names, p->vui.i_colorprim);
    nalu_x264_put_name(text, "transfer", x264_transfer_names, p->vui.i_transfer);
    nalu_x264_put_name(text, "colormatrix", x264_colmatrix_names, p->vui.i_colmatrix);
    if (p->i_alternative_transfer != 2)
        nalu_x264_put_name(text, "alternative-transfer", x264_transfer_names, p->i_alternative_transfer);
    if (p->mastering_display.b_mastering_display)
        nalu_x264_put(text, ":mastering-display=G(%d,%d)B(%d,%d)R(%d,%d)WP(%d,%d)L(%lld,%lld)",
                      p->mastering_display.i_green_x, p->mastering_display.i_green_y, p->mastering_display.i_blue_x,
                      p->mastering_display.i_blue_y, p->mastering_display.i_red_x, p->mastering_display.i_red_y,
                      p->mastering_display.i_white_x, p->mastering_display.i_white_y,
                      (long long)p->mastering_display.i_display_max, (long long)p->mastering_display.i_display_min);
    if (p->content_light_level.b_cll)
        nalu_x264_put(text, ":cll=%d,%d", p->content_light_level.i_max_cll, p->content_light_level.i_max_fall);
    if (p->rc.b_stat_write || p->rc.b_stat_read) nalu_x264_put(text, ":pass=%d", p->rc.b_stat_read ? 2 : 1);
}

/* Writes text that x264_param_parse (and the property x264.params) can read again. Returns its length, or -1 if
 * capacity is too small. */
static inline int nalu_x264_describe(const x264_param_t *p, const nalu_x264_asked *asked, char *characters,
                                     size_t capacity) {
    nalu_x264_text text = {characters, 0, capacity, 0};
    nalu_x264_put_analysis(&text, p, asked);
    nalu_x264_put_structure(&text, p);
    nalu_x264_put_rate(&text, p);
    nalu_x264_put_stream(&text, p, asked);
    return text.overflows ? -1 : (int)text.used;
}

#endif
