/*
 * Filler of a constant bit rate. A rate whose frames exceed x264's memory is rejected before x264 is opened,
 * and the error message names the highest possible rate. Below that rate x264 writes only inside its memory:
 * this program places an inaccessible page behind each block.
 */
#include "clip.h"
#include "refusal.h"
#include "sanitized.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WIDTH = 640, HEIGHT = 360, MOST = 1000000 - 128 };

#if defined(__GLIBC__) && !IS_SANITIZED
#define GUARDS 1

extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

enum { LARGE = 500000, BLOCKS = 512 };
static struct { void *block, *start; size_t size; } guarded[BLOCKS];
static pthread_mutex_t guard_lock = PTHREAD_MUTEX_INITIALIZER;
static int guarded_blocks;

/* x264 allocates all of its memory with this function. */
void *memalign(size_t alignment, size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (size < LARGE || alignment > page) return __libc_memalign(alignment, size);
    const size_t inside = (size + alignment - 1) / alignment * alignment;
    const size_t total = (inside + page - 1) / page * page + page;
    uint8_t *start = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return NULL;
    mprotect(start + total - page, page, PROT_NONE);
    void *block = start + total - page - inside;
    int place = -1;
    pthread_mutex_lock(&guard_lock);
    for (int i = 0; place < 0 && i < BLOCKS; i++)
        if (!guarded[i].block) place = i;
    if (place >= 0) {
        guarded[place].block = block;
        guarded[place].start = start;
        guarded[place].size = total;
        guarded_blocks++;
    }
    pthread_mutex_unlock(&guard_lock);
    if (place >= 0) return block;
    munmap(start, total);
    return __libc_memalign(alignment, size);
}

void free(void *block) {
    int place = -1;
    if (block && ((uintptr_t)block & 15) == 0) {
        pthread_mutex_lock(&guard_lock);
        for (int i = 0; guarded_blocks && place < 0 && i < BLOCKS; i++)
            if (guarded[i].block == block) place = i;
        if (place >= 0) {
            munmap(guarded[place].start, guarded[place].size);
            guarded[place].block = NULL;
        }
        pthread_mutex_unlock(&guard_lock);
    }
    if (place < 0) __libc_free(block);
}
#else
#define GUARDS 0
static int guarded_blocks = 1;
#endif

typedef struct rate {
    int64_t constant;    /* 0: not set */
    double frame_rate;   /* 0: not set */
    int real_time;
    int64_t slice_bytes; /* 0: not set */
    const char *params;  /* NULL: not set */
} rate;

static void open_clip(clip *c, rate r) {
    clip_open(c, WIDTH, HEIGHT);
    REQUIRE_OK(nalu_session_set_string(c->session, NALU_PROPERTY_X264_PRESET, "ultrafast"));
    if (r.constant) REQUIRE_OK(nalu_session_set_int64(c->session, NALU_PROPERTY_CONSTANT_BIT_RATE, r.constant));
    if (r.frame_rate > 0)
        REQUIRE_OK(nalu_session_set_double(c->session, NALU_PROPERTY_EXPECTED_FRAME_RATE, r.frame_rate));
    if (r.real_time) REQUIRE_OK(nalu_session_set_bool(c->session, NALU_PROPERTY_REAL_TIME, 1));
    if (r.slice_bytes) REQUIRE_OK(nalu_session_set_int64(c->session, NALU_PROPERTY_MAX_H264_SLICE_BYTES, r.slice_bytes));
    if (r.params) REQUIRE_OK(nalu_session_set_string(c->session, NALU_PROPERTY_X264_PARAMS, r.params));
}

/* 999872 bytes at 2 frames per second are 15997952 bit/s, and x264 counts whole thousands. */
static void rates_that_filler_cannot_reach_are_refused(void) {
    static const struct { rate rate; const char *words[4]; } all[] = {
        {{20000000, 2, 1, 1400, NULL}, {"ConstantBitRate 20000000", "1250000 bytes", "at most 15997000", "640x360"}},
        {{20000000, 2, 1, 0, NULL}, {"ConstantBitRate 20000000", "999872", "more frames per second", ""}},
        {{250000000, 30, 0, 1400, NULL}, {"ConstantBitRate 250000000", "1041666 bytes", "at most 239969000", ""}},
        {{15998000, 2, 1, 1400, NULL}, {"ConstantBitRate 15998000", "at most 15997000", "", ""}},
        {{0, 0, 1, 1400, "nal-hrd=cbr:bitrate=300000:vbv-maxrate=300000:vbv-bufsize=300000"},
         {"x264.params", "bitrate 300000", "at most 239969", "999872"}},
        {{0, 0, 1, 0, "fps=1:filler:bitrate=20000:vbv-maxrate=20000:vbv-bufsize=20000:slices=4:no-sliced-threads"},
         {"x264.params", "bitrate 20000", "at most 7998", ""}},
        {{20000000, 2, 1, 0, "slice-max-size=1000:sliced-threads=0"}, {"ConstantBitRate 20000000", "15997000", "", ""}},
        {{20000000, 2, 0, 0, "slice-max-mbs=4:force-cfr"}, {"ConstantBitRate 20000000", "15997000", "", ""}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        clip c;
        open_clip(&c, all[i].rate);
        REFUSED(nalu_compression_session_prepare(c.session), NALU_STATUS_CONFLICT, all[i].words[0], all[i].words[1],
                all[i].words[2], all[i].words[3]);
        clip_close(&c);
    }
}

/* Filler needs a constant rate, because x264 fills any VBV buffer, even the huge one that means no limit. */
static void filler_needs_a_constant_rate(void) {
    static const char *const params[] = {
        "filler", "filler=1:slices=4", "filler:slice-max-size=500", "filler:crf=23",
        "filler:crf=23:vbv-maxrate=1000:vbv-bufsize=1000", "filler:bitrate=1000",
        "filler:bitrate=1000:vbv-maxrate=2000:vbv-bufsize=1000", "nal-hrd=cbr", "nal-hrd=cbr:bitrate=1000",
        "nal-hrd=cbr:bitrate=1000:vbv-maxrate=2000:vbv-bufsize=1000", "nal-hrd=cbr:crf=20:vbv-maxrate=9:vbv-bufsize=9"};
    for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
        clip c;
        open_clip(&c, (rate){.real_time = (int)i % 2, .params = params[i]});
        REFUSED(nalu_compression_session_prepare(c.session), NALU_STATUS_CONFLICT, "x264.params", params[i],
                "set ConstantBitRate");
        clip_close(&c);
    }
    clip c;
    open_clip(&c, (rate){.params = "filler"});
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_AVERAGE_BIT_RATE, 1000000));
    REFUSED(nalu_compression_session_prepare(c.session), NALU_STATUS_CONFLICT, "x264.params", "set ConstantBitRate");
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_AVERAGE_BIT_RATE, 0));
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_CONSTANT_BIT_RATE, 1000000));
    REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 30));
    CHECK_OK(nalu_compression_session_prepare(c.session));
    clip_close(&c);
}

/* Encodes noise and grey alternately, so that the VBV buffer runs empty and full. A frame lasts `frame_ticks` /
 * 90000 s. */
static void encode(rate r, int frames, int frame_ticks) {
    clip c;
    static uint8_t picture[WIDTH * HEIGHT * 3 / 2];
    const void *planes[3] = {picture, picture + WIDTH * HEIGHT, picture + WIDTH * HEIGHT * 5 / 4};
    const int64_t strides[3] = {WIDTH, WIDTH / 2, WIDTH / 2};
    uint32_t random = 1;
    size_t largest = 0;
    open_clip(&c, r);
    for (int frame = 0; frame < frames; frame++) {
        for (size_t i = 0; i < sizeof picture; i++) {
            random = random * 1664525u + 1013904223u;
            picture[i] = frame % 3 == 0 ? (uint8_t)(random >> 24) : 128;
        }
        if (r.slice_bytes && frame % 4 == 3)
            CHECK_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_H264_SLICE_BYTES, r.slice_bytes + frame));
        CHECK_OK(nalu_compression_session_encode_planes(
            c.session, WIDTH, HEIGHT, NALU_PIXEL_FORMAT_Y420, 3, planes, strides, NULL,
            nalu_time_make((int64_t)frame * frame_ticks, 90000), nalu_time_invalid(), NULL, NULL, NULL));
    }
    CHECK_OK(nalu_compression_session_complete_frames(c.session, nalu_time_invalid()));
    CHECK_EQ(c.count, frames);
    for (int i = 0; i < c.count; i++) {
        size_t size = 0;
        nalu_sample_get_data(c.samples[i], &size);
        if (size > largest) largest = size;
    }
    CHECK(largest <= 1000000);
    CHECK(largest >= 900000);
    clip_close(&c);
}

static void accepted_rates_stay_within_x264s_memory(void) {
    encode((rate){15997000, 2, 1, 1400, NULL}, 10, 45000);
    encode((rate){15997000, 2, 1, 0, NULL}, 10, 45000);
    encode((rate){15997000, 2, 0, 1400, NULL}, 10, 45000);
    encode((rate){239969000, 30, 1, 1400, NULL}, 10, 3000);
    encode((rate){0, 0, 1, 0, "fps=1:bitrate=7998:vbv-maxrate=7998:vbv-bufsize=8100:nal-hrd=cbr:slice-max-size=900"}, 10,
           90000);
    CHECK(guarded_blocks > 0);
}

/* With lookahead x264 follows the times, so a second without a frame would become a frame of 2500000 bytes. */
static void gaps_are_filled_at_most_up_to_x264s_limit(void) {
    encode((rate){20000000, 30, 0, 1400, NULL}, 10, 90000);
    encode((rate){20000000, 30, 0, 0, NULL}, 10, 900000);
    encode((rate){0, 0, 0, 1400, "bitrate=20000:vbv-maxrate=20000:vbv-bufsize=20000:nal-hrd=cbr"}, 10, 180000);
}

int main(void) {
    if (!GUARDS) fprintf(stderr, "filler: the memory is not guarded here\n");
    RUN(rates_that_filler_cannot_reach_are_refused);
    RUN(filler_needs_a_constant_rate);
    RUN(accepted_rates_stay_within_x264s_memory);
    RUN(gaps_are_filled_at_most_up_to_x264s_limit);
    return check_result();
}
