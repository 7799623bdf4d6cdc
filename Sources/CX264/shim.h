/*
 * The only file that includes x264's header. Each helper is here for one reason: Swift cannot
 * express it.
 */
#ifndef NALU_CX264_SHIM_H
#define NALU_CX264_SHIM_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include <x264.h>

/* x264_encoder_open is a macro that pastes the API number into the symbol. */
static inline x264_t *nalu_x264_open(x264_param_t *param) {
    return x264_encoder_open(param);
}

/* The processors that the process may run on, from which x264 takes its number of threads and which it does not tell.
 * The C library's function is declared for _GNU_SOURCE alone, and syscall is variadic. */
static inline int32_t nalu_x264_processor_count(void) {
    int32_t count = 0;
#ifdef __linux__
    unsigned char set[1024];
    const long size = syscall(SYS_sched_getaffinity, 0, sizeof set, set);
    for (long i = 0; i < size; i++) count += __builtin_popcount(set[i]);
#endif
    return count > 0 ? count : (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
}

/* What x264's log told. One per encoder; the encoder's owner reads it between calls. */
typedef struct nalu_x264_log {
    double frame_qp;    /* of the last frame that came out; NaN when x264 did not say */
    int32_t state;      /* of message: 0 empty, 1 being written, 2 complete; x264's threads write, the owner reads */
    char message[256];  /* the first error since it was cleared */
} nalu_x264_log;

/* The first error, or NULL. x264 gives none where it has no memory, or no thread. */
static inline const char *nalu_x264_log_error(const nalu_x264_log *log) {
    return __atomic_load_n(&log->state, __ATOMIC_ACQUIRE) == 2 ? log->message : NULL;
}

static inline void nalu_x264_log_clear(nalu_x264_log *log) {
    int32_t complete = 2;
    log->frame_qp = __builtin_nan("");
    __atomic_compare_exchange_n(&log->state, &complete, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* The average quantiser of a frame is told nowhere but in the debug log line, whose arguments are
 * read here without formatting them (encoder.c, x264_encoder_frame_end). */
static inline void nalu_x264_log_receive(void *opaque, int level, const char *format, va_list arguments) {
    nalu_x264_log *log = (nalu_x264_log *)opaque;
    int32_t empty = 0;
    if (level == X264_LOG_DEBUG) {
        if (strncmp(format, "frame=%4d QP=%.2f", 17) == 0) {
            va_list copy;
            va_copy(copy, arguments);
            (void)va_arg(copy, int);
            log->frame_qp = va_arg(copy, double);
            va_end(copy);
        }
        return;
    }
    /* Warnings are no reason why a call fails. x264's threads may complain at the same time: the first one writes. */
    if (level > X264_LOG_ERROR ||
        !__atomic_compare_exchange_n(&log->state, &empty, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return;
    vsnprintf(log->message, sizeof log->message, format, arguments);
    log->message[strcspn(log->message, "\n")] = 0;
    __atomic_store_n(&log->state, 2, __ATOMIC_RELEASE);
}

/* va_list in a function pointer does not import. */
static inline void nalu_x264_set_log(x264_param_t *param, nalu_x264_log *log) {
    param->pf_log = nalu_x264_log_receive;
    param->p_log_private = log;
    /* DEBUG brings the frame line; anything below INFO would switch PSNR and SSIM off. */
    param->i_log_level = X264_LOG_DEBUG;
}

/* The names of x264's tables (x264_motion_est_names and its like): static arrays do not import as such. */
static inline const char *nalu_x264_name(const char *const *names, int32_t index) {
    for (int32_t i = 0; names[i]; i++)
        if (i == index)
            return names[i];
    return "";
}
static inline const char *nalu_x264_preset_name(int32_t index) { return nalu_x264_name(x264_preset_names, index); }
static inline const char *nalu_x264_tune_name(int32_t index) { return nalu_x264_name(x264_tune_names, index); }

/* x264's parameters as text that x264_param_parse (and the property x264.params) can read again; the
 * length, or -1 when capacity is too small. In C, because the struct holds pointers and Swift would
 * have to call each of its fields unsafe. */
static inline int nalu_x264_describe(const x264_param_t *p, char *text, size_t capacity) {
    size_t used = 0;
#define NALU_PUT(...)                                                                                \
    do {                                                                                             \
        int written = snprintf(text + used, capacity - used, __VA_ARGS__);                           \
        if (written < 0 || (size_t)written >= capacity - used)                                       \
            return -1;                                                                               \
        used += (size_t)written;                                                                     \
    } while (0)
#define NALU_NAMED(option, names, index)                                                             \
    do {                                                                                             \
        const char *name = nalu_x264_name(names, index);                                             \
        if (*name)                                                                                   \
            NALU_PUT(":" option "=%s", name);                                                        \
    } while (0)
    NALU_PUT("cabac=%d:ref=%d", p->b_cabac, p->i_frame_reference);
    if (p->b_deblocking_filter)
        NALU_PUT(":deblock=%d,%d", p->i_deblocking_filter_alphac0, p->i_deblocking_filter_beta);
    else
        NALU_PUT(":no-deblock=1");
    NALU_PUT(":partitions=none");
    if (p->analyse.inter) {
        used -= 4;
        if (p->analyse.inter & X264_ANALYSE_PSUB16x16) NALU_PUT("p8x8,");
        if (p->analyse.inter & X264_ANALYSE_PSUB8x8) NALU_PUT("p4x4,");
        if (p->analyse.inter & X264_ANALYSE_BSUB16x16) NALU_PUT("b8x8,");
        if (p->analyse.inter & X264_ANALYSE_I8x8) NALU_PUT("i8x8,");
        if (p->analyse.inter & X264_ANALYSE_I4x4) NALU_PUT("i4x4,");
        used -= 1;
    }
    NALU_NAMED("me", x264_motion_est_names, p->analyse.i_me_method);
    NALU_PUT(":subme=%d:psy=%d:psy-rd=%g,%g:mixed-refs=%d:merange=%d:chroma-me=%d:trellis=%d:8x8dct=%d",
             p->analyse.i_subpel_refine, p->analyse.b_psy, p->analyse.f_psy_rd, p->analyse.f_psy_trellis,
             p->analyse.b_mixed_references, p->analyse.i_me_range, p->analyse.b_chroma_me,
             p->analyse.i_trellis, p->analyse.b_transform_8x8);
    NALU_PUT(":deadzone-inter=%d:deadzone-intra=%d:fast-pskip=%d:nr=%d:dct-decimate=%d:constrained-intra=%d",
             p->analyse.i_luma_deadzone[0], p->analyse.i_luma_deadzone[1], p->analyse.b_fast_pskip,
             p->analyse.i_noise_reduction, p->analyse.b_dct_decimate, p->b_constrained_intra);
    NALU_PUT(":threads=%d:lookahead-threads=%d:sliced-threads=%d:sync-lookahead=%d:deterministic=%d",
             p->i_threads, p->i_lookahead_threads, p->b_sliced_threads, p->i_sync_lookahead, p->b_deterministic);
    NALU_PUT(":slices=%d:slice-max-size=%d:slice-max-mbs=%d:bframes=%d", p->i_slice_count, p->i_slice_max_size,
             p->i_slice_max_mbs, p->i_bframe);
    if (p->i_bframe) {
        NALU_NAMED("b-pyramid", x264_b_pyramid_names, p->i_bframe_pyramid);
        NALU_NAMED("direct", x264_direct_pred_names, p->analyse.i_direct_mv_pred);
        NALU_PUT(":b-adapt=%d:b-bias=%d:weightb=%d", p->i_bframe_adaptive, p->i_bframe_bias,
                 p->analyse.b_weighted_bipred);
    }
    NALU_PUT(":weightp=%d", p->analyse.i_weighted_pred > 0 ? p->analyse.i_weighted_pred : 0);
    if (p->i_keyint_max == X264_KEYINT_MAX_INFINITE)
        NALU_PUT(":keyint=infinite");
    else
        NALU_PUT(":keyint=%d", p->i_keyint_max);
    NALU_PUT(":min-keyint=%d:scenecut=%d:rc-lookahead=%d:mbtree=%d", p->i_keyint_min, p->i_scenecut_threshold,
             p->rc.i_lookahead, p->rc.b_mb_tree);
    if (p->rc.i_rc_method == X264_RC_ABR)
        NALU_PUT(":bitrate=%d:ratetol=%g", p->rc.i_bitrate, p->rc.f_rate_tolerance);
    else if (p->rc.i_rc_method == X264_RC_CRF)
        NALU_PUT(":crf=%g", p->rc.f_rf_constant);
    else
        NALU_PUT(":qp=%d", p->rc.i_qp_constant);
    if (p->rc.i_vbv_buffer_size)
        NALU_PUT(":vbv-maxrate=%d:vbv-bufsize=%d:vbv-init=%.9g", p->rc.i_vbv_max_bitrate, p->rc.i_vbv_buffer_size,
                 p->rc.f_vbv_buffer_init);
    if (p->rc.i_rc_method == X264_RC_CRF && p->rc.f_rf_constant_max > 0)
        NALU_PUT(":crf-max=%g", p->rc.f_rf_constant_max);
    NALU_PUT(":qcomp=%g:qpmin=%d:qpmax=%d:qpstep=%d:ipratio=%g:pbratio=%g:aq-mode=%d:aq-strength=%g",
             p->rc.f_qcompress, p->rc.i_qp_min, p->rc.i_qp_max, p->rc.i_qp_step, p->rc.f_ip_factor,
             p->rc.f_pb_factor, p->rc.i_aq_mode, p->rc.f_aq_strength);
    NALU_NAMED("nal-hrd", x264_nal_hrd_names, p->i_nal_hrd);
    NALU_PUT(":filler=%d:aud=%d:level=%d:fps=%u/%u:force-cfr=%d", p->rc.b_filler, p->b_aud, p->i_level_idc,
             p->i_fps_num, p->i_fps_den, !p->b_vfr_input);
    if (p->vui.i_sar_width > 0 && p->vui.i_sar_height > 0)
        NALU_PUT(":sar=%d/%d", p->vui.i_sar_width, p->vui.i_sar_height);
    NALU_NAMED("overscan", x264_overscan_names, p->vui.i_overscan);
    NALU_NAMED("videoformat", x264_vidformat_names, p->vui.i_vidformat);
    if (p->vui.i_chroma_loc)
        NALU_PUT(":chromaloc=%d", p->vui.i_chroma_loc);
    NALU_NAMED("colorprim", x264_colorprim_names, p->vui.i_colorprim);
    NALU_NAMED("transfer", x264_transfer_names, p->vui.i_transfer);
    NALU_NAMED("colormatrix", x264_colmatrix_names, p->vui.i_colmatrix);
    if (p->mastering_display.b_mastering_display)
        NALU_PUT(":mastering-display=G(%d,%d)B(%d,%d)R(%d,%d)WP(%d,%d)L(%lld,%lld)", p->mastering_display.i_green_x,
                 p->mastering_display.i_green_y, p->mastering_display.i_blue_x, p->mastering_display.i_blue_y,
                 p->mastering_display.i_red_x, p->mastering_display.i_red_y, p->mastering_display.i_white_x,
                 p->mastering_display.i_white_y, (long long)p->mastering_display.i_display_max,
                 (long long)p->mastering_display.i_display_min);
    if (p->content_light_level.b_cll)
        NALU_PUT(":cll=%d,%d", p->content_light_level.i_max_cll, p->content_light_level.i_max_fall);
    if (p->rc.b_stat_write || p->rc.b_stat_read)
        NALU_PUT(":pass=%d", p->rc.b_stat_read ? 2 : 1);
#undef NALU_NAMED
#undef NALU_PUT
    return (int)used;
}

#endif
