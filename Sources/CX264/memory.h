/* Part of shim.h: the memory that an encoder takes, and whether the process can have it. Written in C for the same
 * reason as describe.h. If x264 gets no memory, it prints a line to stderr without using the encoder's log (base.c,
 * x264_malloc). It must therefore not start if memory is short. */
#ifndef NALU_CX264_MEMORY_H
#define NALU_CX264_MEMORY_H

#include <sys/mman.h>
#include <sys/resource.h>

typedef struct nalu_x264_memory {
    int64_t total;   /* bytes, with all frames that the encoder will hold; most are allocated while it encodes */
    int64_t largest; /* bytes of the largest block */
} nalu_x264_memory;

static inline int64_t nalu_x264_most(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t nalu_x264_least(int64_t a, int64_t b) { return a < b ? a : b; }

static inline void nalu_x264_add_blocks(nalu_x264_memory *memory, int64_t count, int64_t size) {
    /* x264 aligns large blocks to huge pages, for which the allocator adds the size of one huge page. */
    const int64_t margin = size >= (7 << 20) / 4 ? 2 << 20 : 0;
    memory->total += count * (size + margin);
    memory->largest = nalu_x264_most(memory->largest, size);
}

/* Estimates the memory from the parameters before x264 is opened. x264 derives some numbers itself (encoder.c,
 * validate_parameters and x264_encoder_open; frame.c, frame_new; macroblock.c, x264_macroblock_cache_allocate). */
static inline nalu_x264_memory nalu_x264_estimate(const x264_param_t *p) {
    nalu_x264_memory memory = {0, 0};
    const int64_t columns = (p->i_width + 15) / 16, rows = (p->i_height + 31) / 32 * 2, blocks = columns * rows;
    const int64_t bytes = p->i_bitdepth > 8 ? 2 : 1, fields = p->b_interlaced || p->b_fake_interlaced ? 2 : 1;
    const int64_t stride = columns * 16 + 160, lines = rows * 16, padding = 64 * fields;
    const int64_t low_stride = columns * 8 + 160;
    const int64_t luma = stride * (lines + padding) * bytes, chroma = stride * (lines + padding) / 2 * bytes;
    const int64_t low = low_stride * (lines / 2 + 64) * bytes;
    const int64_t b = p->i_bframe > 0 ? p->i_bframe : 0, lists = b ? 2 : 1, has_aq = p->rc.i_aq_mode != 0;
    const int64_t is_esa = p->analyse.i_me_method >= X264_ME_ESA;

    int64_t threads = p->i_threads;
    if (threads <= 0)
        threads = nalu_x264_least(nalu_x264_processor_count() * (p->b_sliced_threads ? 2 : 3) / 2,
                                  nalu_x264_most(1, (p->i_height + 15) / 16 / 2));
    if (p->b_sliced_threads) threads = nalu_x264_least(threads, nalu_x264_most(1, (p->i_height + 15) / 16 / 4));
    threads = nalu_x264_most(1, nalu_x264_least(threads, 128));
    const int64_t frame_threads = p->b_sliced_threads ? 1 : threads;

    /* The input picture. */
    const int64_t source = (luma + chroma) * fields + 4 * low
        + blocks * (lists * (b + 1) * 8 + 2 + (b + 2) * (b + 2) * 2 + 10 * has_aq) + (b + 2) * (b + 2) * (rows + 16) * 4;
    int64_t delay = p->i_bframe_adaptive == X264_B_ADAPT_TRELLIS && !p->rc.b_stat_read ? nalu_x264_most(b, 3) * 4 : b;
    if (p->rc.b_mb_tree || p->rc.i_vbv_buffer_size) delay = nalu_x264_most(delay, p->rc.i_lookahead);
    if (frame_threads > 1) delay += p->i_sync_lookahead < 0 ? b + 1 : p->i_sync_lookahead;
    delay += frame_threads - 1 + (p->b_vfr_input != 0);
    nalu_x264_add_blocks(&memory, delay + 2, source);

    /* The reconstructed picture. */
    const int64_t decoded = (luma * (p->analyse.i_subpel_refine ? 4 : 1) + chroma) * fields + blocks * (4 + lists * 68 + 4)
        + (is_esa ? (luma / bytes * 2) << ((p->analyse.inter & X264_ANALYSE_PSUB8x8) != 0) : 0);
    const int64_t references = nalu_x264_most(1, nalu_x264_least(16, p->i_frame_reference));
    int64_t kept = nalu_x264_most(references, nalu_x264_least(16, p->i_dpb_size));
    kept = nalu_x264_most(kept, b ? (p->i_bframe_pyramid ? 4 : 2) : 1);
    nalu_x264_add_blocks(&memory, kept + frame_threads, decoded);

    /* The memory of each thread, also of the lookahead's thread. */
    const int64_t weights = p->analyse.i_weighted_pred == X264_WEIGHTP_SMART ? 2 * luma
        : p->analyse.i_weighted_pred > 0                                     ? luma
                                                                             : 0;
    const int64_t tables = blocks * (1 + 2 + 1 + 4 + 8 + 48 + 2 + 16 * lists + 4 * (references + 4) * fields) + weights;
    nalu_x264_add_blocks(&memory, frame_threads + (frame_threads > 1), tables);
    /* x264 derives the constant QP of a constant rate factor from the factor. */
    const double lowest_qp = p->rc.i_rc_method == X264_RC_ABR ? p->rc.i_qp_min
        : p->rc.i_rc_method == X264_RC_CRF                    ? p->rc.f_rf_constant
                                                              : p->rc.i_qp_constant;
    double stream = 4.0 * (double)p->i_width * (double)p->i_height;
    for (int step = 0; step < (int)lowest_qp; step++) stream *= 0.95;
    if (p->rc.i_rc_method != X264_RC_ABR && p->rc.f_ip_factor > 1) stream *= (double)p->rc.f_ip_factor;
    const int64_t written = nalu_x264_least(nalu_x264_most((int64_t)nalu_x264_least((int64_t)stream, INT32_MAX), 1000000),
                                            INT32_MAX / 3);
    nalu_x264_add_blocks(&memory, threads, written);
    nalu_x264_add_blocks(&memory, 1, written / 2 * 3);
    /* The stacks of x264's threads. Limits count them entirely, although little of them is used. */
    if (threads > 1) {
        struct rlimit stack = {RLIM_INFINITY, RLIM_INFINITY};
        getrlimit(RLIMIT_STACK, &stack);
        const int64_t each = stack.rlim_cur >= 64 << 20 ? 8 << 20 : (int64_t)stack.rlim_cur;
        const int64_t lookahead = p->i_lookahead_threads > 0 ? p->i_lookahead_threads
            : p->b_sliced_threads                            ? threads
                                                             : threads / 4;
        memory.total += (threads + 1 + (lookahead > 1 ? nalu_x264_least(lookahead, 16) : 0)) * each;
    }
    /* The session copies up to three pictures that wait for x264. */
    nalu_x264_add_blocks(&memory, 3, columns * rows * 384 * bytes);
    /* The threads' contexts, the costs of motion vectors, and the quantisation tables. */
    memory.total += (threads + 2) * (1 << 18) + (12 << 20) * (is_esa ? 2 : 1);
    return memory;
}

static inline int nalu_x264_maps(int64_t size, int flags) {
    void *place = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    if (place == MAP_FAILED) return 0;
    munmap(place, (size_t)size);
    return 1;
}

/* Requests the memory and releases it untouched. Returns 1 if the process can have it. */
static inline int nalu_x264_can_have(nalu_x264_memory memory) {
#ifdef MAP_NORESERVE
    /* The limits of the process apply to the total. The machine's memory is tested with one block only, because
     * blocks are allocated one by one. */
    return nalu_x264_maps(memory.total, MAP_NORESERVE) && nalu_x264_maps(memory.largest, 0);
#else
    return nalu_x264_maps(memory.total, 0) && nalu_x264_maps(memory.largest, 0);
#endif
}

#endif
