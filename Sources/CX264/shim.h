/*
 * The only file that includes x264's header. Each helper exists because Swift cannot express it.
 */
#ifndef NALU_CX264_SHIM_H
#define NALU_CX264_SHIM_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Returns the number of processors that the process may run on. x264 derives its number of threads from it, and does
 * not report it. The C library's function is declared for _GNU_SOURCE only, and syscall is variadic. */
static inline int32_t nalu_x264_processor_count(void) {
    int32_t count = 0;
#ifdef __linux__
    unsigned char set[1024];
    const long size = syscall(SYS_sched_getaffinity, 0, sizeof set, set);
    for (long i = 0; i < size; i++) count += __builtin_popcount(set[i]);
#endif
    return count > 0 ? count : (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
}

/* The content of x264's log. There is one per encoder; the encoder's owner reads it between
 * calls. */
typedef struct nalu_x264_log {
    double frame_qp;    /* QP of the last delivered frame; NaN if x264 did not report it */
    int32_t state;      /* message is 0 empty, 1 being written, 2 complete; x264 threads write, the owner reads */
    char message[256];  /* the first error since the log was cleared */
} nalu_x264_log;

/* Returns the first error, or NULL. x264 logs no error if it gets no memory or no thread. */
static inline const char *nalu_x264_log_error(const nalu_x264_log *log) {
    return __atomic_load_n(&log->state, __ATOMIC_ACQUIRE) == 2 ? log->message : NULL;
}

static inline void nalu_x264_log_clear(nalu_x264_log *log) {
    int32_t complete = 2;
    log->frame_qp = __builtin_nan("");
    __atomic_compare_exchange_n(&log->state, &complete, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* x264 reports the average QP of a frame only in a line of the debug log. The line's arguments
 * are read here without formatting them (encoder.c, x264_encoder_frame_end). */
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
    /* Warnings do not make a call fail. x264's threads may report errors at the same time: the first error is
     * stored. */
    if (level > X264_LOG_ERROR ||
        !__atomic_compare_exchange_n(&log->state, &empty, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return;
    vsnprintf(log->message, sizeof log->message, format, arguments);
    log->message[strcspn(log->message, "\n")] = 0;
    __atomic_store_n(&log->state, 2, __ATOMIC_RELEASE);
}

/* Swift does not import function pointers that have a va_list. */
static inline void nalu_x264_set_log(x264_param_t *param, nalu_x264_log *log) {
    param->pf_log = nalu_x264_log_receive;
    param->p_log_private = log;
    /* DEBUG enables the frame line. Any level below INFO would switch PSNR and SSIM off. */
    param->i_log_level = X264_LOG_DEBUG;
}

/* Returns a name of one of x264's tables, such as x264_motion_est_names. Swift does not import static arrays as
 * such. */
static inline const char *nalu_x264_name(const char *const *names, int32_t index) {
    for (int32_t i = 0; names[i]; i++)
        if (i == index)
            return names[i];
    return "";
}
static inline const char *nalu_x264_preset_name(int32_t index) { return nalu_x264_name(x264_preset_names, index); }
static inline const char *nalu_x264_tune_name(int32_t index) { return nalu_x264_name(x264_tune_names, index); }

#include "describe.h"
#include "memory.h"

#endif
