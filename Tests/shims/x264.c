/* Tests the helpers of CX264 that work without libx264. They get a va_list, whose type differs between
 * processors. */
#include "shim.h"

static int failures = 0;

static void check(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "shims: failed: %s\n", what);
    failures++;
}

static void say(nalu_x264_log *log, int level, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    nalu_x264_log_receive(log, level, format, arguments);
    va_end(arguments);
}

static void test_log(void) {
    nalu_x264_log log;
    memset(&log, 0, sizeof log);
    nalu_x264_log_clear(&log);
    check(log.frame_qp != log.frame_qp && !nalu_x264_log_error(&log), "a log begins empty");
    say(&log, X264_LOG_DEBUG, "frame=%4d QP=%.2f NAL=%d Slice:%c Poc:%-3d", 7, 23.25, 2, 'P', 14);
    check(log.frame_qp == 23.25, "the QP of a frame");
    say(&log, X264_LOG_DEBUG, "mbinfo %d %f", 1, 99.0);
    say(&log, X264_LOG_WARNING, "%s", "a warning");
    check(log.frame_qp == 23.25 && !nalu_x264_log_error(&log), "other lines change nothing");
    say(&log, X264_LOG_ERROR, "%s %d of %.1f and %lld\n", "error", 3, 4.5, 1LL << 40);
    say(&log, X264_LOG_ERROR, "a second one\n");
    const char *error = nalu_x264_log_error(&log);
    check(error && strcmp(error, "error 3 of 4.5 and 1099511627776") == 0, "the first error stays");
    nalu_x264_log_clear(&log);
    check(!nalu_x264_log_error(&log), "a log is empty again");
}

static x264_param_t some_parameters(void) {
    x264_param_t p;
    memset(&p, 0, sizeof p);
    p.i_width = 1279, p.i_height = 719, p.i_bitdepth = 8, p.i_threads = 3, p.i_fps_num = 30000, p.i_fps_den = 1001;
    p.i_frame_reference = 3, p.i_dpb_size = 4, p.i_bframe = 2, p.b_cabac = 1, p.i_keyint_max = 250, p.i_frame_packing = -1;
    p.rc.i_rc_method = X264_RC_CRF, p.rc.f_rf_constant = 23.1f, p.rc.f_ip_factor = 1.4f, p.rc.i_lookahead = 20;
    p.analyse.i_me_method = X264_ME_UMH, p.analyse.f_psy_rd = 0.15f, p.i_alternative_transfer = 2;
    p.i_cqm_preset = X264_CQM_CUSTOM, p.vui.i_colmatrix = 1;
    memset(p.cqm_4iy, 200, 16);
    return p;
}

int main(void) {
    test_log();
    const x264_param_t p = some_parameters();
    const nalu_x264_asked asked = nalu_x264_ask(&p, 1);
    char text[4096];
    check(nalu_x264_describe(&p, &asked, text, sizeof text) > 0, "parameters as text");
    puts(text);
    check(nalu_x264_describe(&p, &asked, text, 100) == -1, "text without enough space");
    const nalu_x264_memory memory = nalu_x264_estimate(&p);
    printf("%lld bytes, %lld in a block\n", (long long)memory.total, (long long)memory.largest);
    check(nalu_x264_can_have(memory), "memory that there is");
    check(nalu_x264_processor_count() >= 1, "processors");
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
