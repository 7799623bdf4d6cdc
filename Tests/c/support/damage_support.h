/*
 * Shared code of the tests for lost and damaged samples: a stream with the pictures of its undamaged form, and
 * checks of the pictures that a damaged form may show.
 */
#ifndef NALU_TESTS_DAMAGE_SUPPORT_H
#define NALU_TESTS_DAMAGE_SUPPORT_H

#include "decode_support.h"
#include "movie.h"

/* ---- Random numbers ------------------------------------------------------------------------------------------------- */

static uint32_t random_state;

static inline void start_random(uint32_t seed) { random_state = seed * 2654435761u; }

static inline uint32_t next_random(void) { return (random_state = random_state * 1664525u + 1013904223u) >> 8; }

/* ---- Streams -------------------------------------------------------------------------------------------------------- */

typedef struct material {
    clip c;
    decode_recorder whole; /* images of the undamaged stream, by sample number */
} material;

static inline void material_decode_whole(material *it) {
    static decode_recorder order;
    size_t count = (size_t)it->c.count;
    order = (decode_recorder)DECODE_RECORDER_INIT;
    nalu_decompression_session *session = make_decoder(&it->c, record_decoded, &order);
    decode_all(session, &it->c, 0);
    wait_and_check(session, &order, count);
    nalu_decompression_session_release(session);
    for (size_t i = 0; i < order.count; i++)
        it->whole.results[FRAME_NUMBER(order.results[i].frame_refcon)] = order.results[i];
    it->whole.count = order.count;
}

/* Opens the session, so that the test can set properties before material_make. */
static inline void material_open(material *it, const movie *m, const char *parameters, int64_t interval) {
    it->c = (clip){.width = m->width, .height = m->height};
    it->whole.count = 0;
    REQUIRE_OK(nalu_compression_session_create(m->width, m->height, NALU_CODEC_H264, NULL, NULL, clip_take, &it->c, NULL,
                                               &it->c.session));
    REQUIRE_OK(nalu_session_set_string(it->c.session, NALU_PROPERTY_X264_PARAMS, parameters));
    REQUIRE_OK(nalu_session_set_int64(it->c.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, interval));
}

/* Encodes all pictures of `m` at 30 frames per second. */
static inline void material_make(material *it, const movie *m) {
    const size_t luma = (size_t)m->width * (size_t)m->height;
    const int64_t strides[3] = {m->width, m->width / 2, m->width / 2};
    for (int32_t i = 0; i < m->frames; i++) {
        const uint8_t *picture = m->pixels + (size_t)i * m->frame_size;
        const void *planes[3] = {picture, picture + luma, picture + luma + luma / 4};
        REQUIRE_OK(nalu_compression_session_encode_planes(it->c.session, m->width, m->height, NALU_PIXEL_FORMAT_Y420, 3,
                                                          planes, strides, NULL, nalu_time_make(i, 30),
                                                          nalu_time_make(1, 30), NULL, NULL, NULL));
        it->c.fed++;
    }
    clip_finish(&it->c);
    material_decode_whole(it);
}

static inline void material_drop(material *it) {
    decoded_clear(&it->whole);
    clip_close(&it->c);
}

static inline bool is_reference(const material *it, size_t number) {
    return nalu_sample_get_attachments(it->c.samples[number]) & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS;
}

/* Returns a copy of a sample with other bytes; NULL if they are refused. */
static inline nalu_sample *sample_with(const nalu_sample *sample, const uint8_t *bytes, size_t size) {
    nalu_sample *made = NULL;
    (void)!nalu_sample_create(bytes, size, nalu_sample_get_format_description(sample),
        nalu_sample_get_presentation_time(sample), nalu_sample_get_duration(sample), nalu_sample_get_decode_time(sample),
        nalu_sample_get_attachments(sample), &made);
    return made;
}

/* Returns the bytes of a sample as memory of its own. */
static inline uint8_t *copy_bytes(const nalu_sample *sample, size_t *size) {
    const uint8_t *bytes = nalu_sample_get_data(sample, size);
    uint8_t *copy = (uint8_t *)malloc(*size);
    REQUIRE(copy);
    return (uint8_t *)memcpy(copy, bytes, *size);
}

/* ---- Results -------------------------------------------------------------------------------------------------------- */

typedef struct damage_count {
    size_t shown, wrong;
} damage_count;

/* Checks each decoded image: it equals that of the undamaged stream or is marked as damaged. If `drops`, every
 * image must be equal. A sample without an image must have a status that states the reason. */
static inline void check_shown(const decode_recorder *all, const material *it, bool drops, damage_count *count) {
    for (size_t i = 0; i < all->count; i++) {
        const decoded *got = &all->results[i];
        size_t number = FRAME_NUMBER(got->frame_refcon);
        if (!got->image) {
            CHECK(got->status == NALU_STATUS_REFERENCE_MISSING || got->status == NALU_STATUS_BAD_DATA);
            CHECK_EQ((got->flags & NALU_DECODE_INFO_FRAME_DROPPED) != 0, got->status == NALU_STATUS_REFERENCE_MISSING);
            continue;
        }
        count->shown++;
        bool is_same = same_image(got->image, it->whole.results[number].image);
        bool is_good = true;
        if (drops) {
            is_good = CHECK(is_same) && CHECK((got->flags & NALU_DECODE_INFO_DAMAGED) == 0);
        } else if (!is_same) {
            count->wrong++;
            is_good = CHECK(got->flags & NALU_DECODE_INFO_DAMAGED);
        }
        if (!is_good) fprintf(stderr, "sample %zu\n", number);
    }
}

/* Waits for `given` samples, checks their pictures, and releases the session. */
static inline void finish_and_check(nalu_decompression_session *session, decode_recorder *all, const material *it, bool drops,
                                    size_t given, damage_count *count) {
    CHECK_OK(wait_all(session));
    CHECK_EQ(all->count, given);
    check_output_order(all);
    check_shown(all, it, drops, count);
    nalu_decompression_session_release(session);
    decoded_clear(all);
}

/* Decodes without one sample in twenty. */
static inline void lose_samples(const material *it, bool drops, uint32_t seed, decode_recorder *all, damage_count *count) {
    nalu_decompression_session *session = make_decoder_with(
        clip_format(&it->c), drops ? NALU_DECODER_DROP_UNTIL_KEY_FRAME : 0, seed % 3 + 1, record_decoded, all);
    size_t given = 0;
    const int before = check_failures;
    start_random(seed);
    for (size_t i = 0; i < (size_t)it->c.count; i++) {
        if (next_random() % 20 == 0) continue;
        given++;
        CHECK_OK(decode_sample(session, &it->c, i, seed % 2 ? ASYNCHRONOUS : 0));
    }
    finish_and_check(session, all, it, drops, given, count);
    if (check_failures != before) fprintf(stderr, "seed %u, drops: %d\n", seed, drops);
}

/* Loses samples in `times` ways with NALU_DECODER_DROP_UNTIL_KEY_FRAME, and in half as many without. Returns the number of
 * pictures that were wrong, all of them marked. */
static inline size_t lose_samples_repeatedly(const material *it, const char *parameters, int times, decode_recorder *all) {
    damage_count kept = {0, 0}, marked = {0, 0};
    for (int seed = 1; seed <= times; seed++) lose_samples(it, true, (uint32_t)seed, all, &kept);
    CHECK(kept.shown > (size_t)times * (size_t)it->c.count / 8);
    for (int seed = 1; seed <= (times + 1) / 2; seed++) lose_samples(it, false, (uint32_t)seed, all, &marked);
    printf("  %s: %zu of %d shown; %zu wrong of %zu with the mark\n", parameters, kept.shown, times * it->c.count,
           marked.wrong, marked.shown);
    return marked.wrong;
}

/* Decodes all samples, some of the first 50 after `damage` has changed them. */
static inline void decode_damaged(nalu_decompression_session *session, const material *it, int seed,
                                  nalu_sample *(*damage)(nalu_sample *sample)) {
    start_random((uint32_t)seed);
    for (size_t i = 0; i < (size_t)it->c.count; i++) {
        nalu_sample *sample =
            i < 50 && next_random() % 8 == 0 ? damage(it->c.samples[i]) : nalu_sample_retain(it->c.samples[i]);
        CHECK_OK(nalu_decompression_session_decode_frame(session, sample, seed % 4 < 2 ? ASYNCHRONOUS : 0, FRAME(i), NULL));
        nalu_sample_release(sample);
    }
    CHECK_OK(wait_all(session));
}

/* Checks that pictures from number 60 on, after a key frame, are correct. If `hides_damage`, no other picture is wrong.
 * Returns the number of samples without a picture. */
static inline size_t check_after_damage(const decode_recorder *all, const material *it, bool hides_damage) {
    size_t failures = 0;
    for (size_t i = 0; i < all->count; i++) {
        const decoded *got = &all->results[i];
        const size_t number = FRAME_NUMBER(got->frame_refcon);
        failures += got->image == NULL;
        if (number >= 60) CHECK(got->image != NULL && !(got->flags & NALU_DECODE_INFO_DAMAGED));
        if (got->image && (number >= 60 || hides_damage)) CHECK(same_image(got->image, it->whole.results[number].image));
    }
    return failures;
}

#endif
