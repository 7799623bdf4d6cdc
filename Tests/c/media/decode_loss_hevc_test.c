/*
 * Lost samples of H.265 streams that x265 encoded from real clips, in each of its structures. With
 * NALU_DECODER_DROP_UNTIL_KEY_FRAME every shown picture equals the undamaged stream's, bit for bit. Without the
 * flag all other pictures are marked. NALU_DAMAGE_SEEDS sets the number of rounds.
 */
#include "damage_support.h"

static decode_recorder all = DECODE_RECORDER_INIT;
static damage_count count;
static movie carphone, bikes;
static material open_gops; /* carphone, encoded with OPEN */
static int seeds = IS_SANITIZED ? 1 : 3;

#define OPEN "bframes=3:b-adapt=0:b-pyramid=1:ref=3:scenecut=0:keyint=15:min-keyint=15:open-gop=1"

/* ---- Streams -------------------------------------------------------------------------------------------------------- */

/* One slice per picture: with several, FFmpeg 5.1 with frame threads does not always decode the same
 * pictures. */
static void make_material_of(material *it, const movie *m, const char *parameters) {
    const char *raw = test_path("clip.yuv"), *path = test_path("clip.mp4");
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

/* Without losses every picture is shown. */
static void lose_none(const material *it) {
    for (int32_t threads = 1; threads <= 3; threads++) {
        nalu_decompression_session *session = session_of(it, true, threads);
        decode_all(session, &it->c, threads > 1 ? ASYNCHRONOUS : 0);
        wait_and_check(session, &all, (size_t)it->c.count);
        check_shown(&all, it, true, &(damage_count){0, 0});
        end_decoder(session, &all);
    }
}

static void lose_samples_from(const material *it, const char *parameters, int times) {
    lose_none(it);
    (void)lose_samples_repeatedly(it, parameters, times, &all);
}

static void lose_samples_of(const movie *m, const char *parameters) {
    static material it;
    make_material_of(&it, m, parameters);
    lose_samples_from(&it, parameters, m == &carphone ? seeds : (seeds + 5) / 6);
    drop_material(&it);
}

static void no_displayed_h265_picture_refers_to_a_lost_one(void) {
    lose_samples_of(&carphone, "bframes=0:ref=1:scenecut=0:keyint=16:min-keyint=16:open-gop=0");
    lose_samples_of(&carphone, "bframes=0:ref=4:scenecut=0:keyint=7:min-keyint=7:open-gop=0");
    lose_samples_of(&carphone, "bframes=3:b-adapt=0:b-pyramid=0:ref=3:scenecut=0:keyint=20:min-keyint=20:open-gop=0");
    lose_samples_of(&carphone, "bframes=7:b-adapt=0:b-pyramid=1:ref=4:scenecut=0:keyint=24:min-keyint=24:open-gop=0");
    lose_samples_from(&open_gops, OPEN, seeds);
    lose_samples_of(&carphone, "bframes=4:b-adapt=0:b-pyramid=1:ref=3:scenecut=0:keyint=18:min-keyint=18:open-gop=0:radl=2");
    lose_samples_of(&carphone, "bframes=7:b-adapt=0:temporal-layers=1:ref=3:scenecut=0:keyint=24:min-keyint=24:open-gop=1");
    lose_samples_of(&carphone, "bframes=2:keyint=40:intra-refresh=1");
    lose_samples_of(&carphone, "bframes=0:ref=2:keyint=3:min-keyint=3:scenecut=0:open-gop=0");
    lose_samples_of(&bikes, "bframes=4:b-adapt=2:b-pyramid=1:ref=3:keyint=30:open-gop=1");
    lose_samples_of(&bikes, "bframes=0:ref=2:keyint=15:open-gop=0");
}

/* ---- Leading pictures ----------------------------------------------------------------------------------------------- */

static int type_of(const nalu_sample *sample) {
    for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
        const int type = nalu_sample_get_nal(sample, i, NULL)[0] >> 1 & 63;
        if (type < 32) return type;
    }
    return -1;
}

typedef enum change { END_OF_SEQUENCE, BROKEN_LINK, RECOVERY_POINT } change;

static bool is_leading(const nalu_sample *sample) { return type_of(sample) / 2 == NALU_HEVC_NAL_RASL_N / 2; }

/* Returns a changed copy of a sample. The changes are an end of sequence after it, a CRA picture with a broken
 * link, or a recovery point message for 20 pictures later. */
static nalu_sample *changed(nalu_sample *sample, change way) {
    static const uint8_t end[] = {0, 0, 0, 2, NALU_HEVC_NAL_END_OF_SEQUENCE << 1, 1};
    static const uint8_t recovery[] = {0, 0, 0, 7, NALU_HEVC_NAL_PREFIX_SEI << 1, 1, 6, 2, 0x05, 0x14, 0x80};
    size_t size = 0;
    const uint8_t *bytes = nalu_sample_get_data(sample, &size);
    uint32_t flags = nalu_sample_get_attachments(sample);
    uint8_t *copy = (uint8_t *)malloc(size + sizeof recovery);
    REQUIRE(copy);
    memcpy(copy, bytes, size);
    if (way == BROKEN_LINK) {
        for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
            const uint8_t *unit = nalu_sample_get_nal(sample, i, NULL);
            if (unit[0] >> 1 == NALU_HEVC_NAL_CRA) copy[unit - bytes] = NALU_HEVC_NAL_BLA_W_LP << 1;
        }
        flags &= ~(uint32_t)(NALU_SAMPLE_NOT_SYNC | NALU_SAMPLE_PARTIAL_SYNC);
    } else if (way == END_OF_SEQUENCE) {
        memcpy(copy + size, end, sizeof end);
        size += sizeof end;
    } else {
        memcpy(copy, recovery, sizeof recovery);
        memcpy(copy + sizeof recovery, bytes, size);
        size += sizeof recovery;
        flags |= NALU_SAMPLE_PARTIAL_SYNC;
    }
    nalu_sample *made = NULL;
    REQUIRE_OK(nalu_sample_create(copy, size, nalu_sample_get_format_description(sample),
                                  nalu_sample_get_presentation_time(sample), nalu_sample_get_duration(sample),
                                  nalu_sample_get_decode_time(sample), flags, &made));
    free(copy);
    return made;
}

/* Breaks the references at CRA picture number `at`. Its leading pictures are left out, and no other
 * pictures. */
static void break_at(const material *it, size_t at, bool breaks_link, bool drops, int32_t threads) {
    nalu_decompression_session *session = session_of(it, drops, threads);
    nalu_sample *other = changed(it->c.samples[breaks_link ? at : at - 1], breaks_link ? BROKEN_LINK : END_OF_SEQUENCE);
    for (size_t i = 0; i < (size_t)it->c.count; i++) {
        nalu_sample *sample = i == (breaks_link ? at : at - 1) ? other : it->c.samples[i];
        CHECK_OK(nalu_decompression_session_decode_frame(session, sample, threads > 1 ? ASYNCHRONOUS : 0, FRAME(i), NULL));
    }
    CHECK_OK(wait_all(session));
    size_t skipped = 0;
    for (size_t i = at + 1; i < (size_t)it->c.count && is_leading(it->c.samples[i]); i++) skipped++;
    CHECK(skipped > 0);
    const size_t shown = check_each_once(&all, (size_t)it->c.count);
    if (breaks_link) CHECK_EQ(shown, (size_t)it->c.count - skipped);
    check_output_order(&all);
    check_shown(&all, it, drops, &count);
    for (size_t i = 0; i < all.count; i++) {
        const decoded *got = &all.results[i];
        const size_t number = FRAME_NUMBER(got->frame_refcon);
        CHECK_EQ(got->flags & NALU_DECODE_INFO_DAMAGED, 0);
        if (number <= at || number > at + skipped) {
            /* At a CRA picture after an end of sequence, decoders discard pictures that are not shown yet
             * (ITU-T H.265 C.5.2.2). */
            CHECK(got->image != NULL || (!breaks_link && number < at && number + 5 > at));
            continue;
        }
        CHECK_STATUS(got->status, NALU_STATUS_REFERENCE_MISSING);
        CHECK(got->flags & NALU_DECODE_INFO_FRAME_DROPPED);
        if (drops) CHECK(got->flags & NALU_DECODE_INFO_SKIPPED_LEADING_FRAME_DROPPED);
    }
    nalu_decompression_session_release(session);
    nalu_sample_release(other);
    decoded_clear(&all);
}

static void leading_pictures_at_the_start_are_left_out(void) {
    const material *it = &open_gops;
    int breaks = 0;
    for (size_t at = 1; at < (size_t)it->c.count; at++) {
        if (type_of(it->c.samples[at]) != NALU_HEVC_NAL_CRA) continue;
        breaks++;
        for (int way = 0; way < 8; way++) break_at(it, at, way & 1, way & 2, way & 4 ? 3 : 1);
    }
    CHECK(breaks > 4);
}

/* The loss of a picture to which only the leading pictures of the next CRA picture can refer affects only
 * those. */
static void losing_references_of_leading_pictures_affects_no_others(void) {
    const material *it = &open_gops;
    int losses = 0;
    for (size_t at = 8; at < (size_t)it->c.count; at++) {
        if (type_of(it->c.samples[at]) != NALU_HEVC_NAL_CRA) continue;
        /* Loses the last reference of the leading pictures before the CRA picture, and the pictures after that
         * reference. */
        size_t lost = at - 1;
        while (!is_reference(it, lost)) lost--;
        losses++;
        nalu_decompression_session *session = session_of(it, true, losses % 3 + 1);
        for (size_t i = 0; i < (size_t)it->c.count; i++)
            if (i < lost || i >= at) CHECK_OK(decode_sample(session, &it->c, i, losses % 2 ? ASYNCHRONOUS : 0));
        CHECK_OK(wait_all(session));
        check_shown(&all, it, true, &count);
        size_t skipped = 0;
        for (size_t i = 0; i < all.count; i++) {
            const size_t number = FRAME_NUMBER(all.results[i].frame_refcon);
            const bool may_miss = number > at && number < at + 4 && is_leading(it->c.samples[number]);
            if (may_miss) skipped += all.results[i].image == NULL;
            else CHECK(all.results[i].image != NULL);
        }
        CHECK(skipped > 0);
        end_decoder(session, &all);
    }
    CHECK(losses > 4);
}

/* A recovery point that refers to other pictures, as at the start of an intra refresh. The pictures up to the
 * next random access picture may be wrong. */
static void h265_recovery_points_do_not_end_a_loss(void) {
    static material it;
    make_material_of(&it, &carphone, "bframes=0:ref=1:keyint=40:intra-refresh=1");
    for (size_t at = 21; at < 60; at += 13)
        for (int way = 0; way < 4; way++) {
            nalu_decompression_session *session = session_of(&it, way & 1, way & 2 ? 3 : 1);
            nalu_sample *other = changed(it.c.samples[at], RECOVERY_POINT);
            const uint32_t flags = way & 2 ? ASYNCHRONOUS : 0;
            count = (damage_count){0, 0};
            CHECK_OK(nalu_decompression_session_decode_frame(session, other, flags, FRAME(at), NULL));
            for (size_t i = at + 1; i < (size_t)it.c.count; i++) CHECK_OK(decode_sample(session, &it.c, i, flags));
            CHECK_OK(wait_all(session));
            CHECK_EQ(all.count, (size_t)it.c.count - at);
            check_shown(&all, &it, way & 1, &count);
            CHECK(way & 1 || count.wrong > 0);
            nalu_decompression_session_release(session);
            nalu_sample_release(other);
            decoded_clear(&all);
        }
    drop_material(&it);
}

/* ---- Damage --------------------------------------------------------------------------------------------------------- */

static nalu_sample *damaged(nalu_sample *sample) {
    size_t size = 0;
    uint8_t *copy = copy_bytes(sample, &size);
    /* The damage is in the slice, every second time in its header. */
    size_t most = 0;
    (void)nalu_sample_get_nal(sample, 0, &most);
    if (next_random() % 2 && most > 36) most = 36;
    for (unsigned flips = 1 + next_random() % 6; flips > 0; flips--)
        copy[4 + next_random() % most] ^= (uint8_t)(1u << next_random() % 8);
    nalu_sample *made = sample_with(sample, copy, size);
    free(copy);
    return made ? made : nalu_sample_retain(sample);
}

/* With any bytes each sample is delivered once, and the pictures after the next key frame are correct. If the
 * stream has the MD5 sums of its pictures, NALU_DECODER_DROP_UNTIL_KEY_FRAME shows no wrong picture, decoded
 * one at a time. */
static void corrupt_h265_samples_do_not_end_the_session(void) {
    static material it;
    make_material_of(&it, &carphone, "bframes=3:b-adapt=0:b-pyramid=1:ref=3:scenecut=0:keyint=20:min-keyint=20:open-gop=0:hash=1");
    size_t failures = 0;
    count = (damage_count){0, 0};
    for (int seed = 1; seed <= 4 * seeds; seed++) {
        const bool at_once = seed % 3 > 0 && seed % 4 < 2;
        nalu_decompression_session *session = session_of(&it, seed % 2, seed % 3 + 1);
        decode_damaged(session, &it, seed, damaged);
        check_each_once(&all, (size_t)it.c.count);
        failures += check_after_damage(&all, &it, seed % 2 && !at_once);
        end_decoder(session, &all);
    }
    CHECK(failures > 0);
    drop_material(&it);
}

int main(void) {
    const char *asked = getenv("NALU_DAMAGE_SEEDS");
    if (asked && atoi(asked) > 0) seeds = atoi(asked);
    carphone = movie_load("carphone_pristine", 176, 144, 120, 30, 1);
    bikes = movie_load("bikes", 640, 272, 40, 30, 1);
    make_material_of(&open_gops, &carphone, OPEN);
    RUN(no_displayed_h265_picture_refers_to_a_lost_one);
    RUN(leading_pictures_at_the_start_are_left_out);
    RUN(h265_recovery_points_do_not_end_a_loss);
    RUN(losing_references_of_leading_pictures_affects_no_others);
    RUN(corrupt_h265_samples_do_not_end_the_session);
    drop_material(&open_gops);
    free(carphone.pixels);
    free(bikes.pixels);
    return check_result();
}
