/* DataRateLimits of a clip in chunks whose sessions leave windows over seams to a joiner (NaluLimitsOverSeams false): the
 * size is nearly that of the clip in one piece, and chunks at a seam over a limit are encoded again. */
#include "limited_clips.h"
#include "storage_copy.h"

enum { CHUNKS = 3, LENGTH = FRAMES / CHUNKS };

/* A second before and after each seam is noise. */
static void noise_at_seams(uint8_t *p, int frame) {
    int distance = frame % LENGTH < LENGTH / 2 ? frame % LENGTH : LENGTH - 1 - frame % LENGTH;
    if (distance < 15) draw_noise(p, frame);
    else draw_scene(p, frame / LENGTH, 0);
}

/* Moves everywhere, so that every chunk needs the highest rate. */
static void moving(uint8_t *p, int frame) { draw_scene(p, 0, frame * 5); }

typedef struct chunk {
    const struct clip *clip;
    int first, length, is_first, is_last;
    nalu_sample *samples[FRAMES];
    int count;
    double bits;
} chunk;

static void take_sample(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    chunk *c = (chunk *)refcon;
    size_t size = 0;
    (void)frame, (void)flags;
    CHECK_STATUS(status, NALU_STATUS_OK);
    if (!sample) return;
    (void)nalu_sample_get_data(sample, &size);
    c->bits += 8 * (double)size;
    c->samples[c->count++] = nalu_sample_retain(sample);
}

static void forget(chunk *c) {
    for (int i = 0; i < c->count; i++) nalu_sample_release(c->samples[i]);
    c->count = 0;
    c->bits = 0;
}

static nalu_compression_session *open_chunk(chunk *c, nalu_multi_pass_storage *storage, const double *limits, int64_t rate,
                                            int over_seams) {
    nalu_compression_session *session = NULL;
    REQUIRE_OK(nalu_compression_session_create(WIDTH, HEIGHT, NALU_CODEC_H264, NULL, NULL, take_sample, c, NULL, &session));
    REQUIRE_OK(nalu_session_set_properties_from_text(session,
        "x264.preset=veryfast,x264.params=\"threads=1\",ExpectedFrameRate=30,ProfileLevel=H264_High_4_0"));
    REQUIRE_OK(nalu_session_set_numbers(session, NALU_PROPERTY_DATA_RATE_LIMITS, limits, 2));
    REQUIRE_OK(nalu_session_set_bool(session, NALU_PROPERTY_MORE_FRAMES_BEFORE_START, !c->is_first));
    REQUIRE_OK(nalu_session_set_bool(session, NALU_PROPERTY_MORE_FRAMES_AFTER_END, !c->is_last));
    REQUIRE_OK(nalu_session_set_bool(session, NALU_PROPERTY_LIMITS_OVER_SEAMS, over_seams));
    REQUIRE_OK(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, rate));
    REQUIRE_OK(nalu_compression_session_set_multi_pass_storage(session, storage));
    return session;
}

static int32_t run_pass(nalu_compression_session *session, chunk *c) {
    int32_t again = 0;
    forget(c);
    REQUIRE_OK(nalu_compression_session_begin_pass(session, 0));
    for (int frame = c->first; frame < c->first + c->length; frame++) encode(session, c->clip, frame, nalu_time_make(frame, RATE));
    REQUIRE_OK(nalu_compression_session_end_pass(session, &again));
    return again;
}

static nalu_multi_pass_storage *first_pass(chunk *c, const double *limits, int64_t rate, int over_seams) {
    nalu_multi_pass_storage *storage = NULL;
    REQUIRE_OK(nalu_multi_pass_storage_create(NULL, &storage));
    nalu_compression_session *session = open_chunk(c, storage, limits, rate, over_seams);
    CHECK_EQ(run_pass(session, c), 1);
    nalu_multi_pass_storage *copy = storage_copy(storage);
    nalu_compression_session_release(session);
    nalu_multi_pass_storage_release(storage);
    return copy;
}

static void later_passes(chunk *c, nalu_multi_pass_storage *storage, const double *limits, int64_t rate, int over_seams) {
    nalu_compression_session *session = open_chunk(c, storage, limits, rate, over_seams);
    while (run_pass(session, c)) {}
    nalu_compression_session_release(session);
}

/* Returns how many seams exceed a limit. */
static size_t join(chunk *chunks, int count, uint32_t flags, const double *limits, size_t *seams, result *joined) {
    nalu_chunk_joiner *joiner = NULL;
    size_t found = 0;
    memset(joined, 0, sizeof *joined);
    REQUIRE_OK(nalu_chunk_joiner_create(flags, limits, 2, &joiner));
    for (int i = 0; i < count; i++) {
        REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
        for (int k = 0; k < chunks[i].count; k++) {
            nalu_sample *sample = NULL;
            CHECK_OK(nalu_chunk_joiner_add(joiner, chunks[i].samples[k], &sample));
            take(joined, NULL, NALU_STATUS_OK, 0, sample);
            nalu_sample_release(sample);
        }
    }
    CHECK_OK(nalu_chunk_joiner_get_seams_over_limits(joiner, seams, (size_t)count, &found));
    nalu_chunk_joiner_release(joiner);
    free(joined->stream);
    return found;
}

typedef struct outcome {
    double bits;
    int windows_over; /* before chunks were encoded again */
    int repeated;
} outcome;

/* Encodes a clip in chunks, and those at a seam over a limit again with shares of the limit. */
static outcome encode_clip(const struct clip *clip, int count, const double *limits, int64_t rate, int over_seams) {
    static chunk chunks[CHUNKS];
    static result joined;
    nalu_multi_pass_storage *storages[CHUNKS];
    int64_t rates[CHUNKS];
    int has_shares[CHUNKS] = {0};
    size_t seams[CHUNKS], found;
    double fullest = 0;
    outcome it = {0, 0, 0};
    memset(chunks, 0, sizeof chunks);
    for (int i = 0; i < count; i++) {
        chunks[i] = (chunk){.clip = clip, .first = FRAMES / count * i, .length = FRAMES / count, .is_first = i == 0,
                            .is_last = i == count - 1};
        storages[i] = first_pass(&chunks[i], limits, rate, over_seams);
    }
    REQUIRE_OK(nalu_multi_pass_storage_divide_bits(storages, (size_t)count, (uint64_t)(rate * FRAMES / RATE), rates, NULL));
    for (int i = 0; i < count; i++) later_passes(&chunks[i], storages[i], limits, rates[i], over_seams);
    found = join(chunks, count, NALU_CHUNK_JOINER_ALLOW_SEAMS_OVER_LIMITS, limits, seams, &joined);
    it.windows_over = windows_over(&joined, -1, limits[0], limits[1], &fullest);
    CHECK_EQ(found > 0, it.windows_over > 0);
    while (found > 0) {
        int changed = 0;
        for (size_t k = 0; k < found; k++)
            for (size_t i = seams[k] - 1; i <= seams[k]; i++) {
                if (has_shares[i]) continue;
                later_passes(&chunks[i], storages[i], limits, rates[i], 1);
                has_shares[i] = changed = 1;
                it.repeated++;
            }
        REQUIRE(changed);
        found = join(chunks, count, NALU_CHUNK_JOINER_ALLOW_SEAMS_OVER_LIMITS, limits, seams, &joined);
    }
    CHECK_EQ(join(chunks, count, 0, limits, seams, &joined), 0);
    CHECK_EQ(windows_over(&joined, -1, limits[0], limits[1], &fullest), 0);
    for (int i = 0; i < count; i++) {
        it.bits += chunks[i].bits;
        forget(&chunks[i]);
        nalu_multi_pass_storage_release(storages[i]);
    }
    printf("  %s, %d chunks, %s: %+.1f %%, %d windows over the limit, %d chunks again, fullest window %.3f\n", clip->name, count,
           over_seams ? "shares" : "whole limits", (it.bits * RATE / FRAMES / (double)rate - 1) * 100, it.windows_over, it.repeated,
           fullest);
    return it;
}

static void chunks_are_as_large_as_the_limits_allow(void) {
    static const struct clip clip = {"moving", moving};
    const double limits[2] = {60000, 1};
    const int64_t rate = 400000;
    double whole = encode_clip(&clip, 1, limits, rate, 1).bits, shares = encode_clip(&clip, CHUNKS, limits, rate, 1).bits;
    outcome free = encode_clip(&clip, CHUNKS, limits, rate, 0);
    CHECK(free.bits > 0.95 * whole);
    CHECK(free.bits > 1.04 * shares);
    CHECK_EQ(free.repeated, 0);
}

static void chunks_at_a_full_seam_are_encoded_again(void) {
    static const struct clip clip = {"noise at seams", noise_at_seams};
    const double limits[2] = {60000, 1};
    CHECK_EQ(encode_clip(&clip, CHUNKS, limits, 400000, 1).windows_over, 0);
    outcome free = encode_clip(&clip, CHUNKS, limits, 400000, 0);
    CHECK(free.windows_over > 0);
    CHECK(free.repeated > 0);
}

int main(void) {
    RUN(chunks_are_as_large_as_the_limits_allow);
    RUN(chunks_at_a_full_seam_are_encoded_again);
    return check_result();
}
