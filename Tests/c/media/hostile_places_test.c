/* Boxes that claim too much are detected wherever FFmpeg looks for boxes. Many small claims that exceed the
 * limit together are rejected too. */
#include "hostile_reading.h"

enum { MANY = 100000000 };

/* Writes a track with one byte per sample, if there are so many. */
static void put_track(boxes *b, uint32_t id, uint32_t samples) {
    open_track(b, id, "vide");
    put_box_of(b, written, written_size, "stsd");
    box(b, "stts", 4, 0u, 1u, samples, 1000u);
    box(b, "stsc", 5, 0u, 1u, 1u, samples, 1u);
    box(b, "stsz", 3, 0u, 1u, samples);
    box(b, "stco", 3, 0u, 1u, 40u);
    close_track(b);
}

static void put_movie_header(boxes *b) {
    begin(b, "mvhd");
    put(b, 0), put(b, 0), put(b, 0), put(b, 48000), put(b, 48000), put_bytes(b, NULL, 80);
    end(b);
}

static void put_type(boxes *b) {
    begin(b, "ftyp");
    put_bytes(b, "qt  \0\0\2\0qt  ", 12);
    end(b);
}

static void put_movie(boxes *b, const char *type, uint32_t samples) {
    begin(b, type);
    put_movie_header(b);
    put_track(b, 1, samples);
    end(b);
}

/* ---- Places ------------------------------------------------------------------------------------------------------------ */

/* Places boxes after the movie's own track. */
static void put_with(boxes *b, const boxes *inner) {
    put_type(b);
    begin(b, "moov");
    put_movie_header(b);
    put_track(b, 1, 100);
    put_bytes(b, inner->bytes, inner->size);
    end(b);
    put_data(b, 2000);
}

static void put_in_free(boxes *b, uint32_t samples) {
    put_type(b);
    put_movie(b, "free", samples);
    put_data(b, 2000);
}

static void put_behind_tags(boxes *b, uint32_t samples) {
    for (int i = 0; i < 2; i++) {
        put_bytes(b, "ID3\4\0\0\0\0\2\0", 10);
        put_bytes(b, NULL, 256);
    }
    put_type(b);
    put_movie(b, "moov", samples);
    put_data(b, 2000);
}

static void put_to_the_end(boxes *b, uint32_t samples) {
    put_type(b);
    put_data(b, 2000);
    size_t start = b->size;
    put_movie(b, "moov", samples);
    set_word(b->bytes + start, 0);
}

static void put_long(boxes *b, uint32_t samples) {
    boxes movie = {0};
    put_type(b);
    put_movie(&movie, "moov", samples);
    put(b, 1), put_bytes(b, "moov", 4), put(b, 0), put(b, (uint32_t)movie.size + 8);
    put_bytes(b, movie.bytes + 8, movie.size - 8);
    put_data(b, 2000);
    free(movie.bytes);
}

/* Writes the header of a QuickTime movie as was used before H.264, stored in an uncompressed zlib stream. */
static void put_packed(boxes *b, uint32_t samples) {
    boxes movie = {0};
    uint32_t low = 1, high = 0;
    put_movie(&movie, "moov", samples);
    put_type(b);
    begin(b, "moov");
    begin(b, "cmov");
    begin(b, "dcom");
    put_bytes(b, "zlib", 4);
    end(b);
    begin(b, "cmvd");
    put(b, (uint32_t)movie.size);
    const uint8_t head[] = {0x78, 1, 1, (uint8_t)movie.size, (uint8_t)(movie.size >> 8), (uint8_t)~movie.size,
                            (uint8_t)(~movie.size >> 8)};
    put_bytes(b, head, sizeof head);
    put_bytes(b, movie.bytes, movie.size);
    for (size_t i = 0; i < movie.size; i++) low = (low + movie.bytes[i]) % 65521, high = (high + low) % 65521;
    put(b, high << 16 | low);
    end(b);
    end(b);
    end(b);
    put_data(b, 2000);
    free(movie.bytes);
}

static void claims_in_unusual_places_are_detected(void) {
    static void (*const places[])(boxes *, uint32_t) = {put_in_free, put_behind_tags, put_to_the_end, put_long};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        for (int good = 0; good < 2; good++) {
            char what[32];
            boxes b = {0};
            places[i](&b, good ? 100 : MANY);
            snprintf(what, sizeof what, "place %zu%s", i, good ? " (good)" : "");
            check_file(&b, good ? NULL : "stsz", what);
        }
}

/* The contents of a compressed header are not examined. */
static void a_compressed_header_is_refused(void) {
    for (int way = 0; way < WAYS; way++) {
        boxes b = {0};
        put_packed(&b, way % 2 ? 100 : MANY);
        char path[512];
        snprintf(path, sizeof path, "%s", test_path("packed.mov"));
        FILE *file = fopen(path, "wb");
        REQUIRE(file && fwrite(b.bytes, 1, b.size, file) == b.size);
        fclose(file);
        outcome result = read_confined(way, &b, path, "cmov");
        CHECK_STATUS(result.status, NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
        CHECK(IS_SANITIZED || result.growth < 24 << 10);
        free(b.bytes);
    }
}

/* Boxes nested in boxes of other types. */
static void claims_in_boxes_of_other_types_are_detected(void) {
    static const char *const within[] = {"udta", "tref", "edts", "wave", "mvex", "meta", "dinf"};
    for (size_t i = 0; i < sizeof within / sizeof within[0]; i++) {
        boxes inner = {0}, b = {0};
        begin(&inner, within[i]);
        if (strcmp(within[i], "meta") == 0) put(&inner, 0), box(&inner, "hdlr", 6, 0u, 0u, 0u, 0u, 0u, 0u);
        box(&inner, "stss", 3, 0u, 0x10000000u, 1u);
        end(&inner);
        put_with(&b, &inner);
        check_file(&b, "stss", within[i]);
        free(inner.bytes);
    }
    /* A box inside a sample description. */
    boxes inner = {0}, b = {0};
    open_track(&inner, 2, "soun");
    begin(&inner, "stsd");
    put(&inner, 0), put(&inner, 1);
    begin(&inner, "twos");
    put(&inner, 0), put(&inner, 1), put(&inner, 0), put(&inner, 0), put(&inner, 0x00010010), put(&inner, 0), put(&inner, 0);
    box(&inner, "stss", 3, 0u, 0x10000000u, 1u);
    end(&inner);
    end(&inner);
    close_track(&inner);
    put_with(&b, &inner);
    check_file(&b, "stss", "stsd");
    free(inner.bytes);
}

/* Metadata keys, one of which claims a large size. */
static void large_metadata_keys_are_refused(void) {
    for (int kind = 0; kind < 2; kind++) {
        boxes inner = {0}, b = {0};
        begin(&inner, "meta");
        begin(&inner, "hdlr");
        put(&inner, 0), put(&inner, 0), put_bytes(&inner, "mdta", 4), put_bytes(&inner, NULL, 13);
        end(&inner);
        begin(&inner, "keys");
        put(&inner, 0), put(&inner, kind ? 0x10000000 : 1), put(&inner, kind ? 9 : 0x40000000);
        put_bytes(&inner, "mdtax", 5);
        end(&inner);
        end(&inner);
        put_with(&b, &inner);
        check_file(&b, "keys", kind ? "many keys" : "a long key");
        free(inner.bytes);
    }
}

/* A list of brands without an end. For a file of known size, FFmpeg itself stops there. */
static void an_endless_list_of_brands_is_refused(void) {
    boxes b = {0}, movie = {0};
    put(&b, 0x40000020);
    put_bytes(&b, "ftypisom", 8), put(&b, 0);
    put_movie(&movie, "moov", 100);
    put_bytes(&b, movie.bytes, movie.size);
    free(movie.bytes);
    check_file(&b, "ftyp", "brands");
}

/* ---- Many small claims ------------------------------------------------------------------------------------------------- */

/* Writes an edit list each entry of which shows the whole track. */
static void put_edits(boxes *b, int edits, uint32_t samples) {
    put_type(b);
    begin(b, "moov");
    put_movie_header(b);
    size_t start = b->size;
    put_track(b, 1, samples);
    begin(b, "edts");
    begin(b, "elst");
    put(b, 0), put(b, (uint32_t)edits);
    for (int i = 0; i < edits; i++) put(b, 0x7fffffff), put(b, 0), put(b, 0x10000);
    end(b);
    end(b);
    set_word(b->bytes + start, (uint32_t)(b->size - start));
    end(b);
    put_data(b, 2000);
}

/* Writes many fragments. For each of them FFmpeg stores data about each track. */
static void put_parts(boxes *b, uint32_t tracks, int parts) {
    put_type(b);
    begin(b, "moov");
    put_movie_header(b);
    for (uint32_t i = 1; i <= tracks; i++) put_track(b, i, 0);
    begin(b, "mvex");
    for (uint32_t i = 1; i <= tracks; i++) box(b, "trex", 6, 0u, i, 1u, 1u, 1u, 0u);
    end(b);
    end(b);
    for (int i = 0; i < parts; i++) box(b, "moof", 0);
}

/* Writes an index that points to a fragment inside the media data. */
static void put_hidden(boxes *b, uint32_t samples) {
    put_type(b);
    begin(b, "moov");
    put_movie_header(b);
    put_track(b, 1, 0);
    begin(b, "mvex");
    box(b, "trex", 6, 0u, 1u, 1u, 1u, 1u, 0u);
    end(b);
    end(b);
    size_t index = b->size;
    box(b, "sidx", 12, 0u, 1u, 48000u, 0u, 0u, 2u, 0u, 4800u, 0x90000000u, 0u, 4800u, 0x90000000u);
    for (int i = 0; i < 2; i++) {
        if (i) {
            begin(b, "mdat");
            put_bytes(b, NULL, 500);
            set_word(b->bytes + index + 32, (uint32_t)(b->size - index - 56));
        }
        begin(b, "moof");
        box(b, "mfhd", 2, 0u, (uint32_t)i + 1);
        begin(b, "traf");
        box(b, "tfhd", 2, 0x00020000u, 1u);
        box(b, "trun", 3, 1u, i ? samples : 10u, 100u);
        end(b);
        end(b);
        put_data(b, 1000);
        if (i) {
            end(b);
            set_word(b->bytes + index + 44, (uint32_t)b->size);
        }
    }
}

static void many_small_claims_are_added_up(void) {
    static const struct {
        int edits;
        uint32_t samples;
        const char *name;
    } edits[] = {{20000, 60000, "elst"}, {100, 60000, "elst"}, {2, 2000, NULL}, {100, 2000, NULL}};
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        boxes b = {0};
        put_edits(&b, edits[i].edits, edits[i].samples);
        check_file(&b, edits[i].name, "edits");
    }
    boxes few = {0}, many = {0};
    put_parts(&many, 900, 20000);
    check_file(&many, "moof", "parts");
    put_parts(&few, 4, 2000);
    check_file(&few, NULL, "parts (good)");
}

static void claims_hidden_in_other_boxes_are_detected(void) {
    boxes b = {0}, good = {0};
    put_hidden(&b, MANY);
    check_file(&b, "trun", "hidden");
    put_hidden(&good, 100);
    check_file(&good, NULL, "hidden (good)");
}

int main(void) {
    write_movie();
    RUN(claims_in_unusual_places_are_detected);
    RUN(a_compressed_header_is_refused);
    RUN(claims_in_boxes_of_other_types_are_detected);
    RUN(large_metadata_keys_are_refused);
    RUN(an_endless_list_of_brands_is_refused);
    RUN(many_small_claims_are_added_up);
    RUN(claims_hidden_in_other_boxes_are_detected);
    free(written);
    return check_result();
}
