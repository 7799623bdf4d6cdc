/*
 * Builds files of boxes by hand (ISO/IEC 14496-12).
 */
#ifndef NALU_TESTS_MOVIE_BOXES_H
#define NALU_TESTS_MOVIE_BOXES_H

#include "media_reading.h"

typedef struct boxes {
    uint8_t *bytes;
    size_t size, room, open[16];
    int depth;
} boxes;

static inline void put_bytes(boxes *b, const void *bytes, size_t size) {
    if (b->size + size >= b->room) {
        b->room = 2 * (b->size + size) + 4096;
        b->bytes = (uint8_t *)realloc(b->bytes, b->room);
        REQUIRE(b->bytes);
    }
    if (bytes) memcpy(b->bytes + b->size, bytes, size);
    else memset(b->bytes + b->size, 0, size);
    b->size += size;
}

static inline void put(boxes *b, uint32_t value) {
    const uint8_t bytes[] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
    put_bytes(b, bytes, 4);
}

static inline void set_word(uint8_t *at, uint32_t value) {
    for (int k = 0; k < 4; k++) at[k] = (uint8_t)(value >> (24 - 8 * k));
}

static inline void begin(boxes *b, const char *type) {
    b->open[b->depth++] = b->size;
    put(b, 0);
    put_bytes(b, type, 4);
}

static inline void end(boxes *b) {
    size_t start = b->open[--b->depth];
    set_word(b->bytes + start, (uint32_t)(b->size - start));
}

/* Writes a box of 32-bit words, including the word with version and flags. */
static inline void box(boxes *b, const char *type, int count, ...) {
    va_list words;
    va_start(words, count);
    begin(b, type);
    for (int i = 0; i < count; i++) put(b, va_arg(words, uint32_t));
    end(b);
    va_end(words);
}

/* Writes the boxes of a track before its tables. close_track ends the track. */
static inline void open_track(boxes *b, uint32_t id, const char *handler) {
    begin(b, "trak");
    begin(b, "tkhd");
    put(b, 7), put(b, 0), put(b, 0), put(b, id), put_bytes(b, NULL, 68);
    end(b);
    begin(b, "mdia");
    box(b, "mdhd", 6, 0u, 0u, 0u, 48000u, 48000u, 0x55c40000u);
    begin(b, "hdlr");
    put(b, 0), put(b, 0), put_bytes(b, handler, 4), put_bytes(b, NULL, 13);
    end(b);
    begin(b, "minf");
    begin(b, "stbl");
}

static inline void close_track(boxes *b) {
    for (int i = 0; i < 4; i++) end(b);
}

/* Writes a sample description for uncompressed audio with one channel and 16 bits. */
static inline void put_audio_entry(boxes *b) {
    begin(b, "stsd");
    put(b, 0), put(b, 1);
    begin(b, "twos");
    put(b, 0), put(b, 1), put(b, 0), put(b, 0), put(b, 0x00010010), put(b, 0), put(b, 48000u << 16);
    end(b);
    end(b);
}

/* Copies a complete box from a file. */
static inline void put_box_of(boxes *b, const uint8_t *bytes, size_t size, const char *type) {
    for (size_t i = 4; i + 4 <= size; i++)
        if (memcmp(bytes + i, type, 4) == 0) {
            const uint8_t *at = bytes + i - 4;
            put_bytes(b, at, (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3]);
            return;
        }
    REQUIRE(!"the box is in the file");
}

static inline void open_movie(boxes *b) {
    begin(b, "ftyp");
    put_bytes(b, "isom\0\0\2\0isommp42", 16);
    end(b);
    begin(b, "moov");
    begin(b, "mvhd");
    put(b, 0), put(b, 0), put(b, 0), put(b, 48000), put(b, 48000), put_bytes(b, NULL, 80);
    end(b);
}

static inline void put_data(boxes *b, size_t size) {
    begin(b, "mdat");
    put_bytes(b, NULL, size);
    end(b);
}

#endif
