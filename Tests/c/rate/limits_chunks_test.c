/* DataRateLimits of a clip in chunks and in several passes: no window of the joined stream exceeds a limit, in
 * any pass. */
#define LIMITED_SHRINK 2
#include "limited_clips.h"
#include "refusal.h"

/* Pictures move only near the seams. So each chunk ends with a full window, and the next chunk begins with an
 * equally large picture. */
static int chunk_frames;
static void noise_around_seams(uint8_t *p, int frame) {
    int distance = frame % chunk_frames < chunk_frames / 2 ? frame % chunk_frames : chunk_frames - 1 - frame % chunk_frames;
    if (distance < 12) draw_noise(p, frame);
    else draw_scene(p, frame / chunk_frames, 0);
}

/* Collects the samples of a chunk. The samples of all chunks form one stream. */
typedef struct chunks {
    result all, chunk;
    nalu_chunk_joiner *joiner;
    nalu_sample *samples[FRAMES];
    int count;
} chunks;

static void take_chunk(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    chunks *it = (chunks *)refcon;
    take(&it->chunk, frame, status, flags, sample);
    take(&it->all, frame, status, flags, sample);
    if (sample) it->samples[it->count++] = nalu_sample_retain(sample);
}

static void encode_chunk(chunks *it, const struct clip *clip, const char *properties, int chunk, int count) {
    nalu_compression_session *session = NULL;
    memset(&it->chunk, 0, sizeof it->chunk);
    it->count = 0;
    REQUIRE_OK(nalu_compression_session_create(WIDTH, HEIGHT, NALU_CODEC_H264, NULL, NULL, take_chunk, it, NULL, &session));
    REQUIRE_OK(nalu_session_set_properties_from_text(session, properties));
    REQUIRE_OK(nalu_session_set_properties_from_text(session, "NaluRealTimeGovernor=false,x264.params=\"threads=1\""));
    REQUIRE_OK(nalu_session_set_bool(session, NALU_PROPERTY_MORE_FRAMES_BEFORE_START, chunk > 0));
    REQUIRE_OK(nalu_session_set_bool(session, NALU_PROPERTY_MORE_FRAMES_AFTER_END, chunk < count - 1));
    for (int frame = chunk * chunk_frames; frame < (chunk + 1) * chunk_frames; frame++)
        encode(session, clip, frame, nalu_time_make(frame, RATE));
    finish(session, &it->chunk);
    if (it->count > 0) REQUIRE_OK(nalu_chunk_joiner_begin_chunk(it->joiner));
    for (int i = 0; i < it->count; i++) {
        nalu_sample *joined = NULL;
        CHECK_OK(nalu_chunk_joiner_add(it->joiner, it->samples[i], &joined));
        nalu_sample_release(joined);
        nalu_sample_release(it->samples[i]);
    }
}

/* Independent sessions keep the limits of the joined stream. */
static void no_window_over_a_seam_exceeds_a_limit(void) {
    static const struct clip around_seams = {"noise around seams", noise_around_seams};
    static chunks it;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        size_t limit_count = settings[i].limits[2] > 0 ? 4 : 2;
        double fullest = 0;
        int over = 0, dropped = 0, missing = 0;
        if (!is_tried((int)i)) continue;
        begin_decoding();
        for (int turn = 0; turn < 2; turn++) {
            const int count = 2 + ((int)i + turn) % 3;
            const struct clip *clip = turn ? &around_seams : &clips[i % CLIPS];
            memset(&it, 0, sizeof it);
            REQUIRE_OK(nalu_chunk_joiner_create(NALU_CHUNK_JOINER_ALLOW_GAPS, settings[i].limits, limit_count, &it.joiner));
            chunk_frames = FRAMES / count;
            for (int chunk = 0; chunk < count; chunk++) encode_chunk(&it, clip, settings[i].text, chunk, count);
            for (int k = 0; k < 4 && settings[i].limits[k] > 0; k += 2)
                over += windows_over(&it.all, -1, settings[i].limits[k], settings[i].limits[k + 1], &fullest);
            for (int k = 1; k < it.all.samples; k++) CHECK(it.all.times[k] > it.all.times[k - 1]);
            dropped += it.all.dropped;
            missing += it.all.dropped > settings[i].most_dropped;
            nalu_chunk_joiner_release(it.joiner);
            free(it.all.stream);
        }
        end_decoding();
        printf("  %s: fullest window %.3f of its limit, dropped %d\n", settings[i].name, fullest, dropped);
        CHECK_EQ(over, 0);
        CHECK_EQ(missing, 0);
    }
}

/* ---- Passes -------------------------------------------------------------------------------------------------- */

/* Each pass keeps the limits. A pass below the requested rate drops no more frames than a single pass does. */
static void no_window_of_a_pass_exceeds_a_limit(void) {
    static const struct setting all[] = {
        {"half of the limit", "AverageBitRate=100000,DataRateLimits=[25000,1]", {25000, 1}, 0},
        {"two limits", "AverageBitRate=150000,DataRateLimits=[25000,1,5000,0.1]", {25000, 1, 5000, 0.1}, 0},
        {"a rate above the limit", "AverageBitRate=500000,DataRateLimits=[25000,1]", {25000, 1}, 0},
    };
    static result it;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        for (int c = 0; c < CLIPS; c++) {
            nalu_multi_pass_storage *storage = NULL;
            double fullest = 0;
            int over = 0, dropped[6] = {0}, pass = 0;
            if ((c + (int)i) % 2 || !is_tried(c + (int)i)) continue;
            nalu_compression_session *session = open_with(&it, all[i].text);
            REQUIRE_OK(nalu_session_set_properties_from_text(session, "x264.preset=veryfast,x264.params=\"threads=1\""));
            REQUIRE_OK(nalu_multi_pass_storage_create(NULL, &storage));
            REQUIRE_OK(nalu_compression_session_set_multi_pass_storage(session, storage));
            for (int32_t again = 1; again; pass++) {
                free(it.stream);
                memset(&it, 0, sizeof it);
                REQUIRE(pass < 6);
                CHECK_OK(nalu_compression_session_begin_pass(session, 0));
                for (int frame = 0; frame < FRAMES; frame++) encode(session, &clips[c], frame, nalu_time_make(frame, RATE));
                CHECK_OK(nalu_compression_session_end_pass(session, &again));
                CHECK_EQ(it.frames, FRAMES);
                dropped[pass] = it.dropped;
                for (int k = 0; k < 4 && all[i].limits[k] > 0; k += 2)
                    over += windows_over(&it, -1, all[i].limits[k], all[i].limits[k + 1], &fullest);
            }
            double bytes = 0;
            for (int k = 0; k < it.samples; k++) bytes += it.bytes[k];
            begin_decoding();
            CHECK_EQ(fwrite(it.stream, 1, it.size, decoder), it.size);
            end_decoding();
            free(it.stream);
            it.stream = NULL;
            nalu_compression_session_release(session);
            nalu_multi_pass_storage_release(storage);
            printf("  %s, %s: %d passes, fullest window %.3f of its limit, dropped %d %d %d %d, %.0f bits per second\n", all[i].name,
                   clips[c].name, pass, fullest, dropped[0], dropped[1], dropped[2], dropped[3], bytes * 8 * RATE / FRAMES);
            CHECK_EQ(over, 0);
        }
    }
}

int main(void) {
    RUN(no_window_over_a_seam_exceeds_a_limit);
    RUN(no_window_of_a_pass_exceeds_a_limit);
    return check_result();
}
