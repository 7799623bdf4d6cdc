/*
 * Lost samples of H.265 streams that x265 made of real clips, in every structure that it has. With
 * NALU_DECODER_DROP_UNTIL_KEY_FRAME no picture is shown that is not the undamaged stream's, bit for bit; without it those that
 * are not have a mark. NALU_DAMAGE_SEEDS says how often.
 */
#include "damage_support.h"

static decode_recorder all = DECODE_RECORDER_INIT;
static damage_count count;
static movie carphone, bikes;
static int seeds = 6;

/* ---- Streams -------------------------------------------------------------------------------------------------------- */

/* One slice a picture: of several, FFmpeg 5.1 with frame threads does not decode the same each time. */
static void make_material_of(material *it, const movie *m, const char *parameters) {
    const char *raw = media_path("clip.yuv"), *path = media_path("clip.mp4");
    FILE *file = fopen(raw, "wb");
    REQUIRE(file && fwrite(m->pixels, m->frame_size, (size_t)m->frames, file) == (size_t)m->frames);
    fclose(file);
    int status = 1;
    char *said = media_run(&status,
        "ffmpeg -nostdin -v error -f rawvideo -pix_fmt yuv420p -s %dx%d -r 30 -i '%s' -c:v libx265 -preset veryfast"
        " -x265-params log-level=none:info=0:pools=1:frame-threads=1:slices=1:%s -tag:v hvc1 -y '%s' 2>&1",
        m->width, m->height, raw, parameters, path);
    if (!CHECK_EQ(status, 0)) fputs(said, stderr);
    it->c = (clip){.width = m->width, .height = m->height};
    nalu_reader *reader = NULL;
    REQUIRE_OK(nalu_reader_create_with_path(path, NULL, &reader));
    nalu_sample *sample = NULL;
    while (it->c.count < CLIP_MOST && nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK)
        it->c.samples[it->c.count++] = sample;
    nalu_reader_release(reader);
    REQUIRE(CHECK_EQ(it->c.count, m->frames));
    material_decode_whole(it);
}

static void drop_material(material *it) {
    decoded_clear(&it->whole);
    for (int32_t i = 0; i < it->c.count; i++) nalu_sample_release(it->c.samples[i]);
}

/* ---- Loss ----------------------------------------------------------------------------------------------------------- */

static nalu_decompression_session *session_of(const material *it, bool drops, int32_t threads) {
    return make_decoder_with(clip_format(&it->c), drops ? NALU_DECODER_DROP_UNTIL_KEY_FRAME : 0, threads, record_decoded,
                             &all);
}

/* One in twenty samples never arrives. */
static void lose_samples(const material *it, bool drops, uint32_t seed) {
    nalu_decompression_session *session = session_of(it, drops, (int32_t)(seed % 3 + 1));
    size_t given = 0;
    start_random(seed);
    for (size_t i = 0; i < (size_t)it->c.count; i++) {
        if (next_random() % 20 == 0) continue;
        given++;
        CHECK_OK(decode_sample(session, &it->c, i, seed % 2 ? ASYNCHRONOUS : 0));
    }
    CHECK_OK(wait_all(session));
    CHECK_EQ(all.count, given);
    int before = check_failures;
    check_output_order(&all);
    check_shown(&all, it, drops, &count);
    if (check_failures != before) fprintf(stderr, "seed %u, drops: %d\n", seed, drops);
    nalu_decompression_session_release(session);
    decoded_clear(&all);
}

/* Every sample comes: every picture is shown. */
static void lose_none(const material *it) {
    for (int32_t threads = 1; threads <= 3; threads++) {
        nalu_decompression_session *session = session_of(it, true, threads);
        decode_all(session, &it->c, threads > 1 ? ASYNCHRONOUS : 0);
        CHECK_OK(wait_all(session));
        check_all_decoded(&all, (size_t)it->c.count);
        check_shown(&all, it, true, &(damage_count){0, 0});
        nalu_decompression_session_release(session);
        decoded_clear(&all);
    }
}

static void lose_samples_of(const movie *m, const char *parameters) {
    static material it;
    const int times = m == &carphone ? seeds : (seeds + 5) / 6;
    make_material_of(&it, m, parameters);
    lose_none(&it);
    count = (damage_count){0, 0};
    for (int seed = 1; seed <= times; seed++) lose_samples(&it, true, (uint32_t)seed);
    CHECK(count.shown > (size_t)times * (size_t)m->frames / 8);
    size_t kept = count.shown;
    count = (damage_count){0, 0};
    for (int seed = 1; seed <= (times + 1) / 2; seed++) lose_samples(&it, false, (uint32_t)seed);
    printf("  %s: %zu of %d shown; %zu wrong of %zu with the mark\n", parameters, kept, times * m->frames, count.wrong,
           count.shown);
    drop_material(&it);
}

static void no_picture_is_shown_that_refers_to_a_lost_one(void) {
    lose_samples_of(&carphone, "bframes=0:ref=1:scenecut=0:keyint=16:min-keyint=16:open-gop=0");
    lose_samples_of(&carphone, "bframes=0:ref=4:scenecut=0:keyint=7:min-keyint=7:open-gop=0");
    lose_samples_of(&carphone, "bframes=3:b-adapt=0:b-pyramid=0:ref=3:scenecut=0:keyint=20:min-keyint=20:open-gop=0");
    lose_samples_of(&carphone, "bframes=7:b-adapt=0:b-pyramid=1:ref=4:scenecut=0:keyint=24:min-keyint=24:open-gop=0");
    lose_samples_of(&carphone, "bframes=3:b-adapt=0:b-pyramid=1:ref=3:scenecut=0:keyint=15:min-keyint=15:open-gop=1");
    lose_samples_of(&carphone, "bframes=4:b-adapt=0:b-pyramid=1:ref=3:scenecut=0:keyint=18:min-keyint=18:open-gop=0:radl=2");
    lose_samples_of(&carphone, "bframes=7:b-adapt=0:temporal-layers=1:ref=3:scenecut=0:keyint=24:min-keyint=24:open-gop=1");
    lose_samples_of(&carphone, "bframes=2:keyint=40:intra-refresh=1");
    lose_samples_of(&carphone, "bframes=0:ref=2:keyint=3:min-keyint=3:scenecut=0:open-gop=0");
    lose_samples_of(&bikes, "bframes=4:b-adapt=2:b-pyramid=1:ref=3:keyint=30:open-gop=1");
    lose_samples_of(&bikes, "bframes=0:ref=2:keyint=15:open-gop=0");
}

int main(void) {
    const char *asked = getenv("NALU_DAMAGE_SEEDS");
    if (asked && atoi(asked) > 0) seeds = atoi(asked);
    carphone = movie_load("carphone_pristine", 176, 144, 120, 30, 1);
    bikes = movie_load("bikes", 640, 272, 40, 30, 1);
    RUN(no_picture_is_shown_that_refers_to_a_lost_one);
    free(carphone.pixels);
    free(bikes.pixels);
    return check_result();
}
