/*
 * Lost and damaged samples. With NALU_DECODER_DROP_UNTIL_KEY_FRAME every shown picture equals the undamaged
 * stream's, bit for bit. Without the flag all pictures that the decoder can conceal are returned.
 * NALU_DAMAGE_SEEDS sets the number of rounds.
 */
#include "damage_support.h"

static decode_recorder all = DECODE_RECORDER_INIT;
static movie carphone, bikes;
static int seeds = IS_SANITIZED ? 6 : 18;

/* ---- Loss --------------------------------------------------------------------------------------------------------- */

static damage_count count;

static void lose_samples_of(const movie *m, const char *parameters, int64_t interval, bool open_gop) {
    static material it;
    int times = m == &carphone ? seeds : seeds / 6;
    material_open(&it, m, parameters, interval);
    if (open_gop) REQUIRE_OK(nalu_session_set_bool(it.c.session, NALU_PROPERTY_ALLOW_OPEN_GOP, 1));
    material_make(&it, m);
    CHECK(lose_samples_repeatedly(&it, parameters, times, &all) > 0);
    material_drop(&it);
}

static void no_displayed_picture_refers_to_a_lost_one(void) {
    lose_samples_of(&carphone, "threads=1:trellis=0:bframes=0:ref=1:scenecut=0", 16, false);
    lose_samples_of(&carphone, "threads=1:trellis=0:bframes=0:ref=4:scenecut=0", 17, false);
    lose_samples_of(&carphone, "threads=1:trellis=0:bframes=3:b-adapt=0:b-pyramid=none:ref=3:scenecut=0", 20, false);
    lose_samples_of(&carphone, "threads=1:trellis=0:bframes=5:b-adapt=0:b-pyramid=normal:ref=4:weightp=2:scenecut=0", 25, false);
    lose_samples_of(&carphone, "threads=1:trellis=0:bframes=2:b-adapt=1:b-pyramid=strict:ref=2", 12, false);
    lose_samples_of(&carphone, "threads=1:trellis=0:bframes=3:b-adapt=0:b-pyramid=normal:ref=3:scenecut=0", 15, true);
    lose_samples_of(&bikes, "threads=1:trellis=0:bframes=3:b-adapt=1:b-pyramid=normal:ref=3", 20, false);
    lose_samples_of(&bikes, "threads=1:trellis=0:bframes=0:ref=2", 15, false);
}

/* Two key frames are lost. The decoder then takes the pictures after them for pictures of the previous
 * sequence. It outputs some of them before the last pictures of that sequence, and others not at all. */
static void lost_key_frames_do_not_disturb_the_order(void) {
    static material it;
    enum { INTERVAL = 12 };
    material_open(&it, &carphone, "threads=1:trellis=0:bframes=2:b-adapt=0:b-pyramid=strict:ref=2:scenecut=0", INTERVAL);
    material_make(&it, &carphone);
    size_t samples = (size_t)it.c.count;
    for (size_t first = INTERVAL; first + INTERVAL < samples; first += INTERVAL)
        for (int way = 0; way < 6; way++) {
            size_t second = first + (way % 2 ? 2 * INTERVAL : INTERVAL);
            nalu_decompression_session *session =
                make_decoder_with(clip_format(&it.c), 0, way / 2 + 1, record_decoded, &all);
            for (size_t i = 0; i < samples; i++)
                if (i != first && i != second) CHECK_OK(decode_sample(session, &it.c, i, way % 4 > 1 ? ASYNCHRONOUS : 0));
            CHECK_OK(wait_all(session));
            check_output_order(&all);
            CHECK_EQ(all.count, samples - 1 - (second < samples));
            check_shown(&all, &it, false, &count);
            for (size_t i = 0; i < all.count; i++) {
                const decoded *got = &all.results[i];
                size_t key_frame = FRAME_NUMBER(got->frame_refcon) / INTERVAL * INTERVAL;
                if (key_frame == first || key_frame == second) continue;
                CHECK(got->image != NULL);
                CHECK_EQ(got->flags & NALU_DECODE_INFO_DAMAGED, 0);
            }
            end_decoder(session, &all);
        }
    material_drop(&it);
}

/* All B-frames that are not references are lost. The other pictures are unaffected. */
static void lost_pictures_to_which_none_refers_cause_no_drop(void) {
    static material it;
    material_open(&it, &carphone, "threads=1:trellis=0:bframes=3:b-adapt=0:b-pyramid=normal:scenecut=0", 30);
    material_make(&it, &carphone);
    for (int threads = 1; threads < 4; threads += 2) {
        nalu_decompression_session *session = make_decoder_with(clip_format(&it.c), NALU_DECODER_DROP_UNTIL_KEY_FRAME,
                                                                threads, record_decoded, &all);
        size_t given = 0;
        for (size_t i = 0; i < (size_t)it.c.count; i++) {
            if (!is_reference(&it, i)) continue;
            given++;
            CHECK_OK(decode_sample(session, &it.c, i, threads > 1 ? ASYNCHRONOUS : 0));
        }
        CHECK_OK(wait_all(session));
        CHECK(given < (size_t)it.c.count * 4 / 5);
        CHECK_EQ(all.count, given);
        count = (damage_count){0, 0};
        check_shown(&all, &it, true, &count);
        CHECK_EQ(count.shown, given);
        end_decoder(session, &all);
    }
    material_drop(&it);
}

/* A frame rate that changes all the time is no loss. */
static void uneven_times_cause_no_drop(void) {
    clip c;
    media_open(&c, WIDTH, HEIGHT);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 50));
    int64_t time = 0;
    start_random(5);
    for (int i = 0; i < 300; i++) {
        REQUIRE_OK(clip_encode_at(&c, nalu_time_make(time, 1000), nalu_time_invalid(), 0));
        time += 5 + next_random() % 60;
    }
    clip_finish(&c);
    nalu_decompression_session *session =
        make_decoder_with(clip_format(&c), NALU_DECODER_DROP_UNTIL_KEY_FRAME, 1, record_decoded, &all);
    decode_all(session, &c, 0);
    wait_and_check(session, &all, 300);
    end_decoder(session, &all);
    clip_close(&c);
}

/* ---- Damage ------------------------------------------------------------------------------------------------------- */

static nalu_sample *damaged_copy(nalu_sample *sample) {
    size_t size = 0;
    uint8_t *copy = copy_bytes(sample, &size);
    for (unsigned flips = 1 + next_random() % 6; flips > 0; flips--) {
        size_t at = 4 + next_random() % (size - 4);
        copy[at] = (uint8_t)(copy[at] ^ 1u << next_random() % 8);
    }
    nalu_sample *made = sample_with(sample, copy, size);
    free(copy);
    return made ? made : nalu_sample_retain(sample);
}

/* With any bytes each sample is delivered once, and the pictures after the next key frame are correct. */
static void corrupt_samples_do_not_end_the_session(void) {
    static material it;
    material_open(&it, &carphone, "threads=1:trellis=0:bframes=2:b-adapt=0:b-pyramid=normal:scenecut=0", 30);
    material_make(&it, &carphone);
    size_t images = 0, failures = 0;
    for (int seed = 1; seed <= seeds; seed++) {
        bool drops = seed % 2;
        nalu_decompression_session *session = make_decoder_with(
            clip_format(&it.c), drops ? NALU_DECODER_DROP_UNTIL_KEY_FRAME : 0, seed % 3 + 1, record_decoded, &all);
        decode_damaged(session, &it, seed, damaged_copy);
        images += check_each_once(&all, (size_t)it.c.count);
        failures += check_after_damage(&all, &it, false);
        end_decoder(session, &all);
    }
    CHECK(images > 0 && failures > 0);
    material_drop(&it);
}

int main(void) {
    const char *asked = getenv("NALU_DAMAGE_SEEDS");
    if (asked && atoi(asked) > 0) seeds = atoi(asked);
    carphone = movie_load("carphone_pristine", 176, 144, 96, 30, 1);
    bikes = movie_load("bikes", 640, 272, 60, 25, 1);
    RUN(no_displayed_picture_refers_to_a_lost_one);
    RUN(lost_key_frames_do_not_disturb_the_order);
    RUN(lost_pictures_to_which_none_refers_cause_no_drop);
    RUN(uneven_times_cause_no_drop);
    RUN(corrupt_samples_do_not_end_the_session);
    free(carphone.pixels);
    free(bikes.pixels);
    return check_result();
}
