/*
 * Compares a session with bare libx264 and equal parameters: both in this process, alternately, with the same
 * frames in memory. Prints Markdown tables.
 *
 *     session [-q] [-r ROUNDS] [-o SECTION] [CLIP.nv12]
 *
 * CLIP contains raw NV12 frames of 1280x720; without it the picture is synthetic. -q: fewer rounds and frames.
 * -o: only one of nv12, bgra, small, memory, identity.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure.h"
#include <nalu/nalu.h>

#include "bare_x264.h"
#include "heap_counter.h"

#include <fcntl.h>
#include <libyuv/convert.h>
#include <libyuv/convert_argb.h>
#include <libyuv/convert_from_argb.h>
#include <math.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 1280, HEIGHT = 720, FRAME_BYTES = WIDTH * HEIGHT * 3 / 2, MOST_FRAMES = 120, MOST_ROUNDS = 64 };

static uint8_t *nv12, *bgra;
static int frame_count, rounds = 12, is_quick;

/* ---- Measurements -------- */

typedef struct cost {
    double wall, cpu; /* seconds; cpu: all threads */
} cost;

static cost begin_cost(void) {
    return (cost){seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)};
}

static cost end_cost(cost start) {
    return (cost){seconds(CLOCK_MONOTONIC) - start.wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - start.cpu};
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_row(const char *what, double *values, int count, const char *format, const char *wanted) {
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    printf("| %s |", what);
    double shown[3] = {count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2, values[0],
                       values[count - 1]};
    for (int i = 0; i < 3; i++) {
        printf(" ");
        printf(format, shown[i]);
        printf(" |");
    }
    printf(" %s |\n", wanted);
    fflush(stdout);
}

static void print_head(const char *title) {
    printf("\n| %s | median | min | max | wanted |\n|---|---|---|---|---|\n", title);
}

/* ---- Our side ---- */

typedef struct settings {
    int width, height;
    const char *preset, *tune, *params;
    int64_t bitrate;
    int real_time;
    int says_rate; /* 1 if params contain the frame rate */
} settings;

typedef struct received {
    size_t bytes;
    long frames;
    uint8_t *kept; /* NULL: only counted */
    size_t capacity;
    size_t sizes[1024];
    nalu_sample *first; /* if bytes are kept */
} received;

static void got_frame(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                      nalu_sample *sample) {
    received *all = refcon;
    size_t size = 0;
    const uint8_t *data = nalu_sample_get_data(sample, &size);
    (void)frame_refcon;
    (void)flags;
    check(status == NALU_STATUS_OK, "encoding a frame");
    if (all->kept && all->bytes + size <= all->capacity) memcpy(all->kept + all->bytes, data, size);
    if (all->kept && !all->first) all->first = nalu_sample_retain(sample);
    if (all->frames < 1024) all->sizes[all->frames] = size;
    all->bytes += size;
    all->frames++;
}

static nalu_compression_session *open_session(const settings *s, received *all) {
    nalu_compression_session *session = NULL;
    OK(nalu_compression_session_create(s->width, s->height, NALU_CODEC_H264, NULL, NULL, got_frame, all, NULL,
                                       &session));
    if (!s->says_rate) OK(nalu_session_set_double(session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 30));
    if (s->preset) OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PRESET, s->preset));
    if (s->tune) OK(nalu_session_set_string(session, NALU_PROPERTY_X264_TUNE, s->tune));
    if (s->bitrate) OK(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, s->bitrate));
    if (s->real_time) OK(nalu_session_set_bool(session, NALU_PROPERTY_REAL_TIME, 1));
    if (s->params) OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, s->params));
    OK(nalu_compression_session_prepare(session));
    return session;
}

static void send_nv12(nalu_compression_session *session, const settings *s, const uint8_t *frame, long number) {
    const void *planes[2] = {frame, frame + (size_t)s->width * (size_t)s->height};
    int64_t strides[2] = {s->width, s->width};
    nalu_pixel_buffer *buffer = NULL;
    OK(nalu_pixel_buffer_create_with_planes(s->width, s->height, NALU_PIXEL_FORMAT_420V, 2, planes, strides, NULL, NULL,
                                            NULL, &buffer));
    OK(nalu_compression_session_encode_frame(session, buffer, nalu_time_make(number, 30), nalu_time_make(1, 30), NULL,
                                             NULL, NULL));
    nalu_pixel_buffer_release(buffer);
}

static void send_bgra(nalu_compression_session *session, const settings *s, const uint8_t *frame, long number) {
    const void *planes[1] = {frame};
    int64_t strides[1] = {4 * s->width};
    OK(nalu_compression_session_encode_planes(session, s->width, s->height, NALU_PIXEL_FORMAT_BGRA, 1, planes, strides,
                                              NULL, nalu_time_make(number, 30), nalu_time_make(1, 30), NULL,
                                              NULL, NULL));
}

static cost run_ours(const settings *s, long frames, int is_bgra) {
    received all = {0};
    nalu_compression_session *session = open_session(s, &all);
    cost start = begin_cost();
    for (long i = 0; i < frames; i++) {
        if (is_bgra)
            send_bgra(session, s, bgra + (size_t)(i % frame_count) * WIDTH * HEIGHT * 4, i);
        else
            send_nv12(session, s, nv12 + (size_t)(i % frame_count) * FRAME_BYTES, i);
    }
    OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
    cost result = end_cost(start);
    check(all.frames == frames, "getting every frame back");
    nalu_compression_session_release(session);
    return result;
}

/* ---- The bare side ---- */

static char *effective_parameters(const settings *s) {
    received all = {0};
    nalu_compression_session *session = open_session(s, &all);
    char *text = bare_effective(session);
    check(text != NULL, "reading x264.effective");
    nalu_compression_session_release(session);
    return text;
}

enum { BARE_NV12, BARE_TO_NV12, BARE_TO_I420 };

static cost run_bare(const settings *s, const char *effective, long frames, int kind) {
    bare_encoder bare;
    uint8_t *converted = malloc(FRAME_BYTES);
    check(converted && bare_open(&bare, s->width, s->height, s->preset, effective), "opening x264");
    size_t luma_size = (size_t)s->width * (size_t)s->height, total = 0;
    int coming_out = 0;
    cost start = begin_cost();
    for (long i = 0; i < frames; i++) {
        const uint8_t *frame = nv12 + (size_t)(i % frame_count) * FRAME_BYTES;
        const uint8_t *source = bgra + (size_t)(i % frame_count) * WIDTH * HEIGHT * 4;
        if (kind == BARE_TO_NV12) {
            ARGBToNV12(source, 4 * s->width, converted, s->width, converted + luma_size, s->width, s->width, s->height);
            frame = converted;
        } else if (kind == BARE_TO_I420) {
            uint8_t *cb = converted + luma_size, *cr = cb + luma_size / 4;
            ARGBToI420(source, 4 * s->width, converted, s->width, cb, s->width / 2, cr, s->width / 2, s->width,
                       s->height);
            frame = converted;
            bare.input.img.i_csp = X264_CSP_I420;
            bare.input.img.i_plane = 3;
            bare.input.img.plane[2] = cr;
            bare.input.img.i_stride[2] = s->width / 2;
        }
        int size;
        if (kind == BARE_TO_I420) {
            bare.input.img.plane[0] = converted;
            bare.input.img.plane[1] = converted + luma_size;
            bare.input.img.i_stride[0] = s->width;
            bare.input.img.i_stride[1] = s->width / 2;
            bare.input.i_type = bare.count == 0 ? X264_TYPE_IDR : X264_TYPE_AUTO;
            bare.input.i_pts = bare.count++;
            size = bare_run(&bare, &bare.input);
        } else {
            size = bare_encode(&bare, frame, frame + luma_size, s->width);
        }
        check(size >= 0, "encoding with x264");
        total += (size_t)size;
        coming_out += size > 0;
    }
    for (int size; (size = bare_drain(&bare)) > 0; coming_out++) total += (size_t)size;
    cost result = end_cost(start);
    check(coming_out == frames && total > 0, "getting every frame out of x264");
    bare_close(&bare);
    free(converted);
    return result;
}

/* Runs both sides alternately; the other side is first in every second round. results[0] is ours, results[1] is
 * bare. */
static void run_rounds(const settings *s, long frames, int is_bgra, int kind, cost results[2][MOST_ROUNDS]) {
    char *effective = effective_parameters(s);
    run_ours(s, frames < 30 ? frames : 30, is_bgra);
    run_bare(s, effective, frames < 30 ? frames : 30, kind);
    for (int round = 0; round < rounds; round++) {
        for (int turn = 0; turn < 2; turn++) {
            if ((round + turn) % 2 == 0)
                results[0][round] = run_ours(s, frames, is_bgra);
            else
                results[1][round] = run_bare(s, effective, frames, kind);
        }
    }
    free(effective);
}

/* ---- Sections ---- */

/* The rate is set with x264's own options, which the session does not change. */
#define RATE "bitrate=2000:vbv-maxrate=2000:vbv-bufsize=2000"

static const settings live = {WIDTH, HEIGHT, "veryfast", "zerolatency", RATE, 0, 0, 0};

static void print_throughput(const char *title, const char *wanted, int is_bgra, int kind) {
    cost results[2][MOST_ROUNDS];
    double wall[MOST_ROUNDS], cpu[MOST_ROUNDS], rate[MOST_ROUNDS];
    run_rounds(&live, frame_count, is_bgra, kind, results);
    for (int i = 0; i < rounds; i++) {
        wall[i] = results[1][i].wall / results[0][i].wall;
        cpu[i] = results[0][i].cpu / results[1][i].cpu;
        rate[i] = frame_count / results[1][i].wall;
    }
    print_head(title);
    print_row("throughput, session : bare", wall, rounds, "%.3f", wanted);
    print_row("processor time, session : bare", cpu, rounds, "%.3f", "");
    print_row("bare, frames per second", rate, rounds, "%.0f", "");
}

static void section_nv12(void) {
    print_throughput("1280x720 NV12, veryfast zerolatency, 2 Mb/s", "≥ 0.99", 0, BARE_NV12);
}

static void section_bgra(void) {
    print_throughput("1280x720 BGRA, against libyuv's ARGBToNV12 in line", "≥ 0.97", 1, BARE_TO_NV12);
    print_throughput("1280x720 BGRA, against libyuv's ARGBToI420 in line", "≥ 0.97", 1, BARE_TO_I420);
}

static const settings small = {64, 64, "ultrafast", NULL, "threads=1", 0, 1, 0};

/* Two threads that alternate with a lock and a condition, as a session and its client do. */
typedef struct ping {
    pthread_mutex_t lock;
    pthread_cond_t turned;
    int turn;
    long trips;
} ping;

static void take_turns(ping *p, int mine) {
    for (long i = 0; i < p->trips; i++) {
        pthread_mutex_lock(&p->lock);
        while (p->turn != mine) pthread_cond_wait(&p->turned, &p->lock);
        p->turn = !mine;
        pthread_mutex_unlock(&p->lock);
        pthread_cond_signal(&p->turned);
    }
}

static void *answer(void *refcon) {
    take_turns(refcon, 1);
    return NULL;
}

/* Returns the seconds from waking a thread to its running: the minimum cost of a hand-over on this machine. */
static cost bare_wake_up(void) {
    ping p = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, is_quick ? 2000 : 10000};
    pthread_t other;
    check(pthread_create(&other, NULL, answer, &p) == 0, "starting a thread");
    cost start = begin_cost();
    take_turns(&p, 0);
    pthread_join(other, NULL);
    cost whole = end_cost(start);
    return (cost){whole.wall / (double)p.trips / 2, whole.cpu / (double)p.trips / 2};
}

/* Returns how often threads of this process have slept. */
static double sleeps(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_nvcsw;
}

static void section_small(void) {
    cost results[2][MOST_ROUNDS], wake_ups[MOST_ROUNDS];
    double wall[MOST_ROUNDS], cpu[MOST_ROUNDS], own[MOST_ROUNDS], slept[MOST_ROUNDS];
    double wake_wall[MOST_ROUNDS], wake_cpu[MOST_ROUNDS], wall_ratio[MOST_ROUNDS], cpu_ratio[MOST_ROUNDS];
    long frames = is_quick ? 5000 : 30000;
    char *effective = effective_parameters(&small);
    run_ours(&small, 30, 0);
    for (int round = 0; round < rounds; round++) {
        for (int turn = 0; turn < 2; turn++) {
            if ((round + turn) % 2 == 0) {
                double before = sleeps();
                results[0][round] = run_ours(&small, frames, 0);
                slept[round] = (sleeps() - before) / (double)frames;
            } else {
                results[1][round] = run_bare(&small, effective, frames, BARE_NV12);
            }
        }
        wake_ups[round] = bare_wake_up();
    }
    free(effective);
    for (int i = 0; i < rounds; i++) {
        wall[i] = (results[0][i].wall - results[1][i].wall) / (double)frames * 1e6;
        cpu[i] = (results[0][i].cpu - results[1][i].cpu) / (double)frames * 1e6;
        own[i] = results[1][i].wall / (double)frames * 1e6;
    }
    print_head("64x64 NV12, ultrafast, one thread: µs a frame");
    for (int i = 0; i < rounds; i++) {
        wake_wall[i] = wake_ups[i].wall * 1e6;
        wake_cpu[i] = wake_ups[i].cpu * 1e6;
        wall_ratio[i] = wall[i] / wake_wall[i];
        cpu_ratio[i] = cpu[i] / wake_cpu[i];
    }
    print_row("more than x264's own : a bare wake-up", wall_ratio, rounds, "%.2f", "≤ 1.2");
    print_row("processor time more than x264's own : that of a bare wake-up", cpu_ratio, rounds, "%.2f", "");
    print_row("more than x264's own", wall, rounds, "%.2f", "");
    print_row("processor time more than x264's own", cpu, rounds, "%.2f", "");
    print_row("a bare wake-up of a thread", wake_wall, rounds, "%.2f", "");
    print_row("processor time of a bare wake-up", wake_cpu, rounds, "%.2f", "");
    print_row("times that a thread goes to sleep, a frame", slept, rounds, "%.2f", "");
    print_row("x264's own", own, rounds, "%.2f", "");
}

/* The memory of one side in a separate process, so that the sides do not affect each other. */
typedef struct memory {
    double peak_heap, peak_resident, live_after_warm_up, live_at_end, resident_growth, allocations_a_frame;
} memory;

/* Returns a line of /proc/self/status, read without the heap, whose allocations are being counted. */
static double resident_bytes(const char *field) {
    char text[4096] = "";
    int file = open("/proc/self/status", O_RDONLY);
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    char *line = size > 0 ? strstr(text, field) : NULL;
    return line ? strtod(line + strlen(field), NULL) * 1024 : 0;
}

enum { OURS_WRAPPED, OURS_REUSED, OURS_BGRA, BARE };

static memory measure(const settings *s, const char *effective, long warm_up, long frames, int side) {
    memory result = {0};
    received all = {0};
    bare_encoder bare;
    nalu_compression_session *session = NULL;
    nalu_pixel_buffer *reused[2] = {NULL, NULL};
    double resident_before = resident_bytes("RssAnon:"), resident_warm = 0;
    long long allocations = 0;
    size_t luma_size = (size_t)s->width * (size_t)s->height;
    const void *planes[2] = {nv12, nv12 + luma_size};
    int64_t strides[2] = {s->width, s->width};
    heap_counter_start();
    if (side == BARE)
        check(bare_open(&bare, s->width, s->height, s->preset, effective), "opening x264");
    else
        session = open_session(s, &all);
    OK(nalu_pixel_buffer_create_with_planes(s->width, s->height, NALU_PIXEL_FORMAT_420V, 2, planes, strides, NULL, NULL,
                                            NULL, &reused[0]));
    for (long i = 0; i < frames; i++) {
        const uint8_t *frame = nv12 + (size_t)(i % frame_count) * FRAME_BYTES;
        if (i == warm_up) {
            if (side != BARE) OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
            result.live_after_warm_up = (double)atomic_load(&heap_live_bytes);
            resident_warm = resident_bytes("RssAnon:");
            allocations = atomic_load(&heap_allocations);
        }
        if (side == BARE)
            check(bare_encode(&bare, frame, frame + luma_size, s->width) >= 0, "encoding with x264");
        else if (side == OURS_BGRA)
            send_bgra(session, s, bgra + (size_t)(i % frame_count) * WIDTH * HEIGHT * 4, i);
        else if (side == OURS_REUSED)
            OK(nalu_compression_session_encode_frame(session, reused[0], nalu_time_make(i, 30), nalu_time_make(1, 30),
                                                     NULL, NULL, NULL));
        else
            send_nv12(session, s, frame, i);
        if (frames <= 200) result.peak_resident = fmax(result.peak_resident,
                                                       resident_bytes("RssAnon:") - resident_before);
    }
    if (side != BARE) OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
    result.allocations_a_frame = (double)(atomic_load(&heap_allocations) - allocations) / (double)(frames - warm_up);
    result.live_at_end = (double)atomic_load(&heap_live_bytes);
    result.peak_heap = (double)atomic_load(&heap_peak_bytes);
    result.resident_growth = resident_bytes("RssAnon:") - resident_warm;
    heap_counter_stop();
    nalu_pixel_buffer_release(reused[0]);
    if (side == BARE)
        bare_close(&bare);
    else
        nalu_compression_session_release(session);
    return result;
}

static memory measure_in_child(const settings *s, const char *effective, long warm_up, long frames, int side) {
    memory result = {0};
    int ends[2], status = 0;
    check(pipe(ends) == 0, "pipe");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        volatile uint8_t sum = 0;
        /* The frames belong to the parent. Reading them now maps them, so that they do not count as the
         * encoder's memory. */
        for (size_t i = 0; i < (size_t)frame_count * FRAME_BYTES; i += 4096) sum += nv12[i];
        for (size_t i = 0; i < (size_t)frame_count * WIDTH * HEIGHT * 4; i += 4096) sum += bgra[i];
        result = measure(s, effective, warm_up, frames, side);
        _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
    }
    check(child > 0 && read(ends[0], &result, sizeof result) == sizeof result, "measuring in a process of its own");
    waitpid(child, &status, 0);
    close(ends[0]);
    close(ends[1]);
    return result;
}

static void section_memory(void) {
    /* The parameters are read in a child process, because a thread that has run here would leave its arena to
     * the children. */
    int ends[2];
    char large[4096] = "", tiny[4096] = "";
    check(pipe(ends) == 0, "pipe");
    fflush(stdout);
    if (fork() == 0) {
        snprintf(large, sizeof large, "%s", effective_parameters(&live));
        snprintf(tiny, sizeof tiny, "%s", effective_parameters(&small));
        _exit(write(ends[1], large, sizeof large) < 0 || write(ends[1], tiny, sizeof tiny) < 0);
    }
    check(read(ends[0], large, sizeof large) == sizeof large && read(ends[0], tiny, sizeof tiny) == sizeof tiny,
          "read");
    wait(NULL);

    long frames = is_quick ? 30 : 90, many = is_quick ? 20000 : 100000;
    memory wrapped = measure_in_child(&live, large, 20, frames, OURS_WRAPPED);
    memory converted = measure_in_child(&live, large, 20, frames, OURS_BGRA);
    memory bare = measure_in_child(&live, large, 20, frames, BARE);
    printf("\n| memory of one session of 1280x720, in frames of 1.38 MB | NV12 wrapped | BGRA | bare x264 | wanted |\n"
           "|---|---|---|---|---|\n");
    printf("| heap, at most | %.2f | %.2f | %.2f | bare + 4 |\n", wrapped.peak_heap / FRAME_BYTES,
           converted.peak_heap / FRAME_BYTES, bare.peak_heap / FRAME_BYTES);
    printf("| resident, at most | %.2f | %.2f | %.2f | bare + 4 |\n", wrapped.peak_resident / FRAME_BYTES,
           converted.peak_resident / FRAME_BYTES, bare.peak_resident / FRAME_BYTES);
    printf("| allocations a frame | %.2f | %.2f | %.2f | |\n", wrapped.allocations_a_frame,
           converted.allocations_a_frame, bare.allocations_a_frame);

    memory reused_small = measure_in_child(&small, tiny, 1000, many, OURS_REUSED);
    memory wrapped_small = measure_in_child(&small, tiny, 1000, many, OURS_WRAPPED);
    memory bare_small = measure_in_child(&small, tiny, 1000, many, BARE);
    printf("\n| 64x64, %ld frames | one buffer again and again | a wrapping buffer a frame | bare x264 | wanted |\n"
           "|---|---|---|---|---|\n", many);
    printf("| heap growth after frame 1000, bytes | %.0f | %.0f | %.0f | 0 |\n",
           reused_small.live_at_end - reused_small.live_after_warm_up,
           wrapped_small.live_at_end - wrapped_small.live_after_warm_up,
           bare_small.live_at_end - bare_small.live_after_warm_up);
    printf("| resident growth after frame 1000, kB | %.0f | %.0f | %.0f | |\n", reused_small.resident_growth / 1024,
           wrapped_small.resident_growth / 1024, bare_small.resident_growth / 1024);
    printf("| allocations a frame | %.3f | %.3f | %.3f | the sample |\n", reused_small.allocations_a_frame,
           wrapped_small.allocations_a_frame, bare_small.allocations_a_frame);
    fflush(stdout);
}

/* Prints the first byte at which the parameter sets differ. */
static void compare_parameter_sets(const received *all, bare_encoder *bare) {
    const nalu_format_description *format = nalu_sample_get_format_description(all->first);
    x264_nal_t *units = NULL;
    int count = 0;
    uint32_t index = 0, different = 0;
    check(x264_encoder_headers(bare->encoder, &units, &count) > 0, "asking x264 for parameter sets");
    for (int i = 0; i < count; i++) {
        if (units[i].i_type != NAL_SPS && units[i].i_type != NAL_PPS) continue;
        const char *name = units[i].i_type == NAL_SPS ? "SPS" : "PPS";
        size_t size = 0, byte = 0, theirs = (size_t)units[i].i_payload - 4;
        const uint8_t *set = nalu_format_description_get_parameter_set(format, index++, &size);
        while (set && byte < size && byte < theirs && set[byte] == units[i].p_payload[4 + byte]) byte++;
        if (byte == size && byte == theirs) continue;
        printf("%s%s of %zu and %zu bytes differs from byte %zu on", different++ ? ", " : "", name, size, theirs, byte);
    }
    if (!different) printf("identical");
}

/* Compares every byte of every NAL unit, and the parameter sets. */
static void compare_bytes(const char *what, const settings *s) {
    static received all;
    long frames = frame_count, number = 0, different = 0;
    memset(&all, 0, sizeof all);
    all.capacity = 64u << 20;
    all.kept = malloc(all.capacity);
    check(all.kept != NULL, "malloc");
    nalu_compression_session *session = open_session(s, &all);
    char *effective = bare_effective(session);
    bare_encoder bare;
    check(effective && bare_open(&bare, s->width, s->height, s->preset, effective), "opening x264");
    for (long i = 0; i < frames; i++) send_nv12(session, s, nv12 + (size_t)i * FRAME_BYTES, i);
    OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
    nalu_compression_session_release(session);

    const uint8_t *ours = all.kept;
    for (long i = 0; number < frames; i++) {
        const uint8_t *frame = nv12 + (size_t)i * FRAME_BYTES;
        int size = i < frames ? bare_encode(&bare, frame, frame + (size_t)s->width * (size_t)s->height, s->width)
                              : bare_drain(&bare);
        check(size >= 0 && (size > 0 || i < frames), "encoding with x264");
        if (size == 0) continue;
        different += (size_t)size != all.sizes[number] || memcmp(ours, bare.units[0].p_payload, (size_t)size) != 0;
        ours += all.sizes[number++];
    }
    printf("| %s | %ld frames, %zu bytes: %s", what, number, all.bytes, different ? "" : "identical");
    if (different) printf("%ld frames differ", different);
    printf(" | ");
    compare_parameter_sets(&all, &bare);
    printf(" |\n");
    fflush(stdout);
    bare_close(&bare);
    nalu_sample_release(all.first);
    free(effective);
    free(all.kept);
}

static void section_identity(void) {
    settings live_one = live, file = live, small_one = small;
    live_one.params = "threads=1:" RATE;
    file.preset = "medium";
    file.tune = NULL;
    file.params = "threads=1:" RATE;
    settings file_cfr = file;
    file_cfr.params = "threads=1:force-cfr=1:fps=30:" RATE;
    file_cfr.says_rate = 1;
    settings quality = file, by_property = live;
    quality.params = "threads=1";
    by_property.params = "threads=1";
    by_property.bitrate = 2000000;
    printf("\n| NAL bytes with one thread, session against bare x264 | frames | SPS and PPS |\n|---|---|---|\n");
    compare_bytes("veryfast zerolatency, 2 Mb/s by x264's options", &live_one);
    compare_bytes("veryfast zerolatency, 2 Mb/s by AverageBitRate", &by_property);
    compare_bytes("medium with B-frames, 2 Mb/s by x264's options", &file);
    compare_bytes("the same, force-cfr", &file_cfr);
    compare_bytes("medium with B-frames, constant quality", &quality);
    compare_bytes("64x64 ultrafast", &small_one);
}

/* ---- Frames ---- */

static void load_frames(const char *path) {
    FILE *file = path ? fopen(path, "rb") : NULL;
    int most = is_quick ? 30 : MOST_FRAMES;
    int wide[512];
    for (int i = 0; i < 512; i++) wide[i] = (int)(60 * sin(i * 6.283185307179586 / 512));
    check(!path || file, "opening the clip");
    nv12 = malloc((size_t)most * FRAME_BYTES);
    bgra = malloc((size_t)most * WIDTH * HEIGHT * 4);
    check(nv12 && bgra, "malloc");
    for (frame_count = 0; frame_count < most; frame_count++) {
        uint8_t *luma = nv12 + (size_t)frame_count * FRAME_BYTES, *chroma = luma + WIDTH * HEIGHT;
        if (file && fread(luma, 1, FRAME_BYTES, file) != FRAME_BYTES) break;
        for (int y = 0; !file && y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                int wave = wide[(x + 5 * frame_count) % 512] + wide[(2 * y + 512 - 3 * frame_count % 512) % 512] / 2;
                luma[y * WIDTH + x] = (uint8_t)(126 + wave + (x * 7 + y * 13 + frame_count) % 9);
                if (y < HEIGHT / 2) chroma[y * WIDTH + x] = (uint8_t)(128 + wave / 4);
            }
        NV12ToARGB(luma, WIDTH, chroma, WIDTH, bgra + (size_t)frame_count * WIDTH * HEIGHT * 4, 4 * WIDTH, WIDTH,
                   HEIGHT);
    }
    if (file) fclose(file);
    check(frame_count >= 2, "reading frames of 1280x720 NV12");
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } sections[] = {{"memory", section_memory}, {"nv12", section_nv12}, {"bgra", section_bgra},
                    {"small", section_small}, {"identity", section_identity}};
    const char *only = NULL;
    int option;
    while ((option = getopt(argc, argv, "qr:o:")) != -1) {
        if (option == 'q') is_quick = 1;
        if (option == 'r') rounds = atoi(optarg);
        if (option == 'o') only = optarg;
        if (option == '?') return 2;
    }
    if (is_quick && rounds > 4) rounds = 4;
    if (rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "session: -r is %d; expected 1 to %d\n", rounds, MOST_ROUNDS);
        return 2;
    }
    load_frames(optind < argc ? argv[optind] : NULL);
    printf("%s, %s; %d frames of %s; %d rounds, in turn; %ld processors\n", nalu_encoder_get_name(0),
           nalu_version_string(), frame_count, optind < argc ? "a clip" : "a synthetic picture", rounds,
           sysconf(_SC_NPROCESSORS_ONLN));
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (!only || strcmp(only, sections[i].name) == 0) sections[i].run();
    free(nv12);
    free(bgra);
    return EXIT_SUCCESS;
}
