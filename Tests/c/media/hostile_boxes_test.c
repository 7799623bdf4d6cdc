/* Boxes of mp4 that claim more than the file can hold are rejected before their size is used. Each file is read
 * through a path, and through callbacks with and without seeking and a size. Valid files of the same kinds are
 * accepted. */
#include "hostile_reading.h"

#define ALL 0xffffffffu

/* ---- Files ------------------------------------------------------------------------------------------------------------- */

/* Video with one sample in each of two chunks. The tables can have other contents. */
typedef struct tables {
    const char *name;                       /* box that claims too much; NULL: a valid file */
    const char *handler;                    /* NULL: vide */
    uint32_t stts[3], stsc[4], stsz[2];     /* the counts and the following values */
    uint32_t stco, ctts, stss;              /* counts; 0: no such table (stco: two entries) */
    const char *extra;                      /* another box in the sample table, with these words */
    int words;
    uint32_t word[8];
} tables;

static void put_tables(boxes *b, const tables *t) {
    open_movie(b);
    open_track(b, 1, t->handler ? t->handler : "vide");
    if (t->handler) put_audio_entry(b);
    else put_box_of(b, written, written_size, "stsd");
    box(b, "stts", 4, 0u, t->stts[0], t->stts[1], t->stts[2]);
    if (t->ctts) box(b, "ctts", 4, 0u, t->ctts, 2u, 0u);
    if (t->stss) box(b, "stss", 3, 0u, t->stss, 1u);
    box(b, "stsc", 5, 0u, t->stsc[0], t->stsc[1], t->stsc[2], t->stsc[3]);
    if (t->stsz[0]) box(b, "stsz", 3, 0u, t->stsz[0], t->stsz[1]);
    else box(b, "stsz", 5, 0u, 0u, t->stsz[1], 100u, 100u);
    if (t->extra) {
        begin(b, t->extra);
        for (int i = 0; i < t->words; i++) put(b, t->word[i]);
        end(b);
    }
    box(b, "stco", 4, 0u, t->stco ? t->stco : 2u, 900u, 1000u);
    close_track(b);
    end(b);
    put_data(b, 2000);
}

#define DURATIONS {1, 2, 1000}
#define RUNS {1, 1, 1, 1}
#define SIZES {0, 2}

static const tables files[] = {
    {NULL, NULL, DURATIONS, RUNS, SIZES, 0, 2, 1, NULL, 0, {0}},
    {"stts", NULL, {ALL, 2, 1000}, RUNS, SIZES, 0, 0, 0, NULL, 0, {0}},
    {"stts", NULL, {100000, 2, 1000}, RUNS, SIZES, 0, 0, 0, NULL, 0, {0}},
    {"ctts", NULL, DURATIONS, RUNS, SIZES, 0, 100000000, 0, NULL, 0, {0}},
    {"stss", NULL, DURATIONS, RUNS, SIZES, 0, 0, ALL / 8, NULL, 0, {0}},
    {"stsc", NULL, DURATIONS, {0x10000000, 1, 1, 1}, SIZES, 0, 0, 0, NULL, 0, {0}},
    {"stsz", NULL, DURATIONS, RUNS, {0, 60000000}, 0, 0, 0, NULL, 0, {0}},
    {"stsz", NULL, DURATIONS, RUNS, {100, 100000000}, 0, 0, 0, NULL, 0, {0}},
    {"stsz", NULL, DURATIONS, {1, 1, 1000000, 1}, {1, 0x0a000000}, 0, 0, 0, NULL, 0, {0}},
    {"stco", NULL, DURATIONS, RUNS, SIZES, 0x10000000, 0, 0, NULL, 0, {0}},
    {"stps", NULL, DURATIONS, RUNS, SIZES, 0, 0, 0, "stps", 2, {0, 0x20000000}},
    {"sgpd", NULL, DURATIONS, RUNS, SIZES, 0, 0, 0, "sgpd", 4, {0x01000000, 0x73796e63, 1, 0x40000000}},
    {"sbgp", NULL, DURATIONS, RUNS, SIZES, 0, 0, 0, "sbgp", 3, {0, 0x72617020, 0x10000000}},
    /* Sample groups that do not state where decoding can begin. */
    {NULL, NULL, DURATIONS, RUNS, SIZES, 0, 0, 0, "sgpd", 4, {0x01000000, 0x726f6c6c, 2, 0x40000000}},
    {NULL, NULL, DURATIONS, RUNS, SIZES, 0, 0, 0, "sgpd", 3, {0, 0x76697072, 0x04b50000}},
    {NULL, NULL, DURATIONS, RUNS, SIZES, 0, 0, 0, "sbgp", 3, {0, 0x726f6c6c, 0x10000000}},
    {"pssh", NULL, DURATIONS, RUNS, SIZES, 0, 0, 0, "pssh", 6, {0, 1, 2, 3, 4, 0x40000000}},
    {"esds", NULL, DURATIONS, RUNS, SIZES, 0, 0, 0, "esds", 8,
        {0, 0x03190001, 0x00041140, 0x15000000, 0, 0, 0x05ffffff, 0x7f000000}},
    /* Audio, which FFmpeg splits into packets of 1024 samples. The second file claims more packets than it has
     * bytes. */
    {NULL, "soun", {1, 2000, 1}, {1, 1, 1000, 1}, {1, 2000}, 0, 0, 0, NULL, 0, {0}},
    {"stsc", "soun", {1, ALL, 1}, {1, 1, ALL, 1}, {1, ALL}, 0, 0, 0, NULL, 0, {0}},
    /* One sample per tick. */
    {"stsz", "soun", {1, ALL, 2}, {1, 1, ALL, 1}, {1, 0x0a000000}, 0, 0, 0, NULL, 0, {0}},
};

/* Writes a fragmented movie: `truns` boxes with `count` samples each in a fragment, followed by `data` bytes of
 * media data. */
static void put_fragments(boxes *b, bool is_audio, int fragments, int truns, uint32_t flags, uint32_t count, size_t data) {
    open_movie(b);
    open_track(b, 1, is_audio ? "soun" : "vide");
    if (is_audio) put_audio_entry(b);
    else put_box_of(b, written, written_size, "stsd");
    box(b, "stts", 2, 0u, 0u);
    box(b, "stsc", 2, 0u, 0u);
    box(b, "stsz", 3, 0u, 0u, 0u);
    box(b, "stco", 2, 0u, 0u);
    close_track(b);
    begin(b, "mvex");
    box(b, "trex", 6, 0u, 1u, 1u, 1u, 2u, 0u);
    end(b);
    end(b);
    for (int i = 0; i < fragments; i++) {
        begin(b, "moof");
        box(b, "mfhd", 2, 0u, (uint32_t)i + 1);
        begin(b, "traf");
        box(b, "tfhd", 2, 0x00020000u, 1u);
        for (int k = 0; k < truns; k++) {
            begin(b, "trun");
            put(b, flags | 1), put(b, count), put(b, 8 + 16 + 8 + 16 + 20 * (uint32_t)truns + 8);
            end(b);
        }
        end(b);
        end(b);
        put_data(b, data);
    }
}

/* ---- Tests ------------------------------------------------------------------------------------------------------------- */

static void tables_larger_than_the_file_are_refused(void) {
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char what[32];
        boxes b = {0};
        put_tables(&b, &files[i]);
        snprintf(what, sizeof what, "file %zu (%s)", i, files[i].name ? files[i].name : "good");
        check_file(&b, files[i].name, what);
    }
}

/* Two sample descriptions of audio, as after a change of codec. Other kinds of audio descriptions have 72 bytes
 * of fields. At this distance from the start of the first, there is no box but the 16-bit sample size of the
 * second. */
static void large_tables_after_two_sample_descriptions_are_refused(void) {
    boxes b = {0};
    open_movie(&b);
    open_track(&b, 1, "vide");
    put_box_of(&b, written, written_size, "stsd");
    box(&b, "stts", 4, 0u, 1u, 2u, 1000u);
    box(&b, "stsc", 5, 0u, 1u, 1u, 1u, 1u);
    box(&b, "stsz", 5, 0u, 0u, 2u, 100u, 100u);
    box(&b, "stco", 4, 0u, 2u, 900u, 1000u);
    close_track(&b);
    open_track(&b, 2, "soun");
    begin(&b, "stsd");
    put(&b, 0), put(&b, 2);
    for (int i = 0; i < 2; i++) {
        begin(&b, "Opus");
        put(&b, 0), put(&b, 1), put(&b, 0), put(&b, 0), put(&b, 0x00020010), put(&b, 0), put(&b, 48000u << 16);
        begin(&b, "dOps");
        put_bytes(&b, NULL, 1);
        end(&b);
        end(&b);
    }
    end(&b);
    close_track(&b);
    end(&b);
    put_data(&b, 2000);
    check_file(&b, NULL, "two entries");
}

static void fragments_that_claim_too_many_samples_are_refused(void) {
    static const struct {
        int fragments, truns;
        uint32_t flags, count;
        size_t data;
        const char *name;
    } cases[] = {
        {1, 1, 0, ALL, 1000, "trun"}, {1, 1, 0, 100000000, 1000, "trun"}, {1, 1, 0xf00, 100000000, 1000, "trun"},
        {1, 1, 0x200, ALL, 1000, "trun"}, {1, 1, 0, 600000, 1000, "trun"},
        /* Each box alone would be valid. */
        {1, 200, 0, 60000, 60000, "trun"}, {200, 1, 0, 60000, 1000, "trun"},
        /* The sizes match the data. */
        {1, 1, 0, 48000, 96000, NULL}, {20, 1, 0, 48000, 96000, NULL}, {20, 1, 0, 1024, 2048, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char what[32];
        boxes b = {0};
        put_fragments(&b, !cases[i].name, cases[i].fragments, cases[i].truns, cases[i].flags, cases[i].count, cases[i].data);
        snprintf(what, sizeof what, "fragments %zu", i);
        check_file(&b, cases[i].name, what);
    }
}

/* Returns the offset of the size of the first box of a type. */
static uint8_t *size_of_first(boxes *b, const char *type) {
    uint8_t *found = (uint8_t *)memmem(b->bytes, b->size, type, 4);
    REQUIRE(found);
    return found - 4;
}

/* The sizes of the boxes agree with the number of samples. Without the size of the input, only the end of the bytes
 * shows that the samples are not there. */
static void runs_longer_than_the_file_are_refused_at_once(void) {
    static const char *types[] = {"moof", "traf", "trun"};
    boxes b = {0};
    put_fragments(&b, false, 1, 1, 0x800, ALL / 4 - 100, 1000);
    for (int i = 0; i < 3; i++) set_word(size_of_first(&b, types[i]), ALL - 20 * (uint32_t)i);
    struct rusage before, after;
    getrusage(RUSAGE_CHILDREN, &before);
    check_file(&b, "trun", "long run");
    getrusage(RUSAGE_CHILDREN, &after);
    /* A loop over all claimed samples takes more than ten seconds of processor time in the five readings. */
    CHECK(IS_SANITIZED || after.ru_utime.tv_sec - before.ru_utime.tv_sec < 4);
}

int main(void) {
    write_movie();
    RUN(tables_larger_than_the_file_are_refused);
    RUN(large_tables_after_two_sample_descriptions_are_refused);
    RUN(fragments_that_claim_too_many_samples_are_refused);
    RUN(runs_longer_than_the_file_are_refused_at_once);
    free(written);
    return check_result();
}
