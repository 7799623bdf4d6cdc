#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "support.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- Numbers --------------------------------------------------------------------------------------------------------- */

const matrix matrices[4] = {{"601", 0.299, 0.114}, {"709", 0.2126, 0.0722}, {"2020", 0.2627, 0.0593}, {"240M", 0.212, 0.087}};

static uint64_t state;

void restart_random(uint64_t seed) { state = seed * 0x9e3779b97f4a7c15u + 1; }

uint32_t next_random(void) {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(z >> 32);
}

static double largest_value(int32_t bits) { return (double)((1 << bits) - 1); }
static double unit(int32_t bits) { return (double)(1 << (bits - 8)); }

span luma_span(int32_t bits, int32_t is_full) {
    const span full = {0, largest_value(bits)}, video = {16 * unit(bits), 219 * unit(bits)};
    return is_full ? full : video;
}

span chroma_span(int32_t bits, int32_t is_full) {
    const span result = {128 * unit(bits), is_full ? largest_value(bits) : 224 * unit(bits)};
    return result;
}

/* ---- Planes ---------------------------------------------------------------------------------------------------------- */

enum { SLOT_SIZE = 1 << 18, MARGIN = 64, OUTSIDE = 0xa5 };

/* Returns the memory of a slot. It lies between inaccessible pages. */
static uint8_t *slot_memory(int32_t slot) {
    static uint8_t *slots[SLOTS];
    if (slots[slot]) return slots[slot];
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *memory = mmap(NULL, SLOT_SIZE + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + page, SLOT_SIZE, PROT_READ | PROT_WRITE) != 0) {
        perror("kernels: mmap");
        exit(EXIT_FAILURE);
    }
    return slots[slot] = memory + page;
}

/* Returns the start of the checked part of a slot: a plane with its margins. */
static uint8_t *margin_start(int32_t slot, uint8_t *start) {
    uint8_t *memory = slot_memory(slot);
    return start - memory < MARGIN ? memory : start - MARGIN;
}

static uint8_t *margin_end(int32_t slot, uint8_t *end) {
    uint8_t *limit = slot_memory(slot) + SLOT_SIZE;
    return limit - end < MARGIN ? limit : end + MARGIN;
}

plane make_plane(int32_t slot, int32_t layout, int32_t row_bytes, int32_t rows) {
    static const ptrdiff_t paddings[LAYOUTS] = {0, 0, 2, 38, 6, 64};
    const int is_upside_down = layout >= 4, is_at_end = layout % 2 == 0;
    const ptrdiff_t distance = row_bytes + paddings[layout] + (row_bytes & paddings[layout] & 1);
    const ptrdiff_t size = distance * (rows - 1) + row_bytes;
    uint8_t *memory = slot_memory(slot);
    if (size > SLOT_SIZE) {
        fprintf(stderr, "kernels: a plane of %d rows of %d bytes is too large\n", rows, row_bytes);
        exit(EXIT_FAILURE);
    }
    plane plane;
    plane.start = is_at_end ? memory + SLOT_SIZE - size : memory;
    plane.end = plane.start + size;
    plane.first_row = is_upside_down ? plane.start + distance * (rows - 1) : plane.start;
    plane.stride = is_upside_down ? -distance : distance;
    plane.row_bytes = row_bytes;
    plane.rows = rows;
    uint8_t *start = margin_start(slot, plane.start);
    memset(start, OUTSIDE, (size_t)(margin_end(slot, plane.end) - start));
    for (int32_t y = 0; y < rows; y++) memset(row_of(&plane, y), 0, (size_t)row_bytes);
    return plane;
}

static int is_filled_with(const uint8_t *start, const uint8_t *end, uint8_t value) {
    while (start < end && *start == value) start++;
    return start >= end;
}

static int is_intact_outside(const plane *plane) {
    int32_t slot = 0;
    while (plane->start < slot_memory(slot) || plane->start >= slot_memory(slot) + SLOT_SIZE) slot++;
    if (!is_filled_with(margin_start(slot, plane->start), plane->start, OUTSIDE)
        || !is_filled_with(plane->end, margin_end(slot, plane->end), OUTSIDE))
        return 0;
    const uint8_t *row = plane->start;
    const ptrdiff_t distance = plane->stride < 0 ? -plane->stride : plane->stride;
    for (int32_t y = 0; y + 1 < plane->rows; y++, row += distance)
        if (!is_filled_with(row + plane->row_bytes, row + distance, OUTSIDE)) return 0;
    return 1;
}

void fill_bytes(const plane *plane) {
    const int only_ends = next_random() % 4 == 0;
    for (int32_t y = 0; y < plane->rows; y++)
        for (int32_t x = 0; x < plane->row_bytes; x++) {
            const uint32_t number = next_random();
            row_of(plane, y)[x] = (uint8_t)(only_ends ? (number & 1) * 255 : number);
        }
}

void fill_words(const plane *plane, int32_t bits, int32_t shift) {
    const int only_ends = next_random() % 4 == 0;
    const uint32_t mask = (1u << bits) - 1;
    for (int32_t y = 0; y < plane->rows; y++)
        for (int32_t x = 0; x < plane->row_bytes / 2; x++) {
            const uint32_t number = next_random();
            words_of(plane, y)[x] = (uint16_t)((only_ends ? (number & 1) * mask : number & mask) << shift);
        }
}

/* ---- Cases ----------------------------------------------------------------------------------------------------------- */

/* The constants of FNV-1a. */
static const uint64_t fnv_offset = 0xcbf29ce484222325u, fnv_prime = 0x100000001b3u;

static int failures;
static struct {
    char name[96];
    uint64_t digest, result, expected;
    double largest;
} now;

static uint64_t fnv(uint64_t digest, uint8_t byte) { return (digest ^ byte) * fnv_prime; }

static void fail(const char *what, int32_t level) {
    if (failures++ < 20) fprintf(stderr, "kernels: failed: %s, level %d: %s\n", now.name, level, what);
}

void begin_case(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(now.name, sizeof now.name, format, arguments);
    va_end(arguments);
    now.digest = now.result = fnv_offset;
    now.largest = 0;
    uint64_t seed = fnv_offset;
    for (const char *c = now.name; *c; c++) seed = fnv(seed, (uint8_t)*c);
    restart_random(seed);
}

void take_result(const plane *plane, int32_t level) {
    for (int32_t y = 0; y < plane->rows; y++)
        for (int32_t x = 0; x < plane->row_bytes; x++) now.result = fnv(now.result, row_of(plane, y)[x]);
    if (!is_intact_outside(plane)) fail("bytes outside the rows have changed", level);
}

void end_level(int32_t level) {
    if (level == NALU_KERNEL_PORTABLE) now.expected = now.result;
    if (now.result != now.expected) fail("not the bytes of the portable kernel", level);
    for (int i = 0; i < 8; i++) now.digest = fnv(now.digest, (uint8_t)(now.result >> (8 * i)));
    now.result = fnv_offset;
}

void take_value(double value, double exact) {
    const double distance = value < exact ? exact - value : value - exact;
    if (!(distance <= now.largest)) now.largest = distance;
}

void end_case(double limit) {
    if (!(now.largest <= limit)) fail("too far from the formula", -1);
    printf("%-44s %016llx %.4f\n", now.name, (unsigned long long)now.digest, now.largest);
}

int any_failed(void) { return failures != 0; }
