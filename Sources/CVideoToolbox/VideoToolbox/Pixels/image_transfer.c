#include "image_transfer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Products and sums are rounded separately, not fused, so that a frame becomes the same bytes on every processor. */
#pragma STDC FP_CONTRACT OFF

/* ---- Filters -------------------------------------------------------------------------------- */

/* A scaling filter along one axis. For each destination place it has the first source sample, and the weights of that
 * sample and the following ones. */
typedef struct filter {
    size_t taps;
    size_t *first;
    float *weights; /* `taps` for each place */
} filter;

static void filter_free(filter *filter) {
    free(filter->first);
    free(filter->weights);
}

/* Makes the filter for the range `start` to `start + length`. Beyond the range its border sample is repeated. Returns
 * false if memory is short. */
static bool filter_make(filter *filter, double start, double length, size_t limit, size_t places) {
    const double scale = length / (double)places, reach = scale > 1 ? scale : 1;
    const long lowest = (long)floor(start), highest = (long)ceil(start + length) - 1;
    const long low = lowest < 0 ? 0 : lowest;
    const long high = highest >= (long)limit ? (long)limit - 1 : highest < low ? low : highest;
    filter->taps = (size_t)ceil(2 * reach) + 1;
    filter->first = calloc(places, sizeof *filter->first);
    filter->weights = calloc(places * filter->taps, sizeof *filter->weights);
    if (!filter->first || !filter->weights) return false;
    for (size_t place = 0; place < places; place++) {
        const double center = start + ((double)place + 0.5) * scale - 0.5;
        const long begin = (long)ceil(center - reach);
        long first = begin < low ? low : begin > high ? high : begin;
        if (first + (long)filter->taps > high + 1) first = high + 1 - (long)filter->taps;
        if (first < low) first = low;
        float *weights = filter->weights + place * filter->taps;
        double sum = 0;
        filter->first[place] = (size_t)first;
        for (long at = begin; (double)at < center + reach; at++) {
            const double weight = 1 - fabs((double)at - center) / reach;
            const long clamped = at < low ? low : at > high ? high : at;
            if (weight <= 0) continue;
            weights[clamped - first] += (float)weight;
            sum += weight;
        }
        for (size_t tap = 0; tap < filter->taps; tap++) weights[tap] = (float)(weights[tap] / sum);
    }
    return true;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

typedef struct row {
    float *values[NALU_COMPONENTS];
} row;

static bool row_make(row *row, size_t width) {
    row->values[0] = calloc(width * NALU_COMPONENTS, sizeof(float));
    for (int i = 1; row->values[0] && i < NALU_COMPONENTS; i++) row->values[i] = row->values[0] + (size_t)i * width;
    return row->values[0] != NULL;
}

enum { LARGEST_GROUP = 2 };

typedef struct state {
    const nalu_image *source;
    const nalu_image *destination;
    const nalu_transfer *transfer;
    filter columns;
    filter rows;
    row full;      /* a row of the source */
    row chroma;    /* chroma samples at the resolution of their plane */
    row *scaled;   /* source rows, scaled to the destination's width: row y is at y % slots */
    size_t *held;  /* for each slot, the number of its row plus 1; 0 if it is empty */
    size_t slots;
    row group[LARGEST_GROUP]; /* destination rows that share chroma */
} state;

/* Returns true if the source has component `c`. Otherwise all its values are 0, or 1 (opaque) for alpha. */
static bool is_read(const state *state, int c) { return state->source->components.each[c].storage; }

static void read_source(state *state, size_t y) {
    const nalu_image *source = state->source;
    for (int c = 0; c < NALU_COMPONENTS; c++) {
        const nalu_component *component = &source->components.each[c];
        float *values = state->full.values[c];
        if (!component->storage) continue;
        const uint8_t *bytes =
            source->planes[component->plane] + y / component->vertical * source->strides[component->plane];
        if (component->horizontal == 1) {
            nalu_component_read(component, bytes, source->width, values);
            continue;
        }
        const float *chroma = state->chroma.values[0];
        nalu_component_read(component, bytes, (source->width + 1) / 2, state->chroma.values[0]);
        for (size_t x = 0; x < source->width; x++) values[x] = chroma[x / 2];
    }
}

static const row *scaled_row(state *state, size_t y) {
    row *row = &state->scaled[y % state->slots];
    const filter *filter = &state->columns;
    if (state->held[y % state->slots] == y + 1) return row;
    read_source(state, y);
    state->held[y % state->slots] = y + 1;
    const nalu_transfer *transfer = state->transfer;
    if (transfer->width == (double)transfer->to_width && transfer->x == floor(transfer->x)) {
        for (int c = 0; c < NALU_COMPONENTS; c++)
            if (is_read(state, c))
                memcpy(row->values[c], state->full.values[c] + (size_t)transfer->x,
                       transfer->to_width * sizeof(float));
        return row;
    }
    for (int c = 0; c < NALU_COMPONENTS; c++) {
        const float *weights = filter->weights;
        for (size_t x = 0; is_read(state, c) && x < transfer->to_width; x++, weights += filter->taps) {
            const float *from = state->full.values[c] + filter->first[x];
            float sum = 0;
            for (size_t tap = 0; tap < filter->taps; tap++) sum += weights[tap] * from[tap];
            row->values[c][x] = sum;
        }
    }
    return row;
}

/* ---- Colours -------------------------------------------------------------------------------- */

static void ycbcr_to_rgb(nalu_luma_weights weights, float *a, float *b, float *c, size_t count) {
    const float red = 2 * (1 - weights.red), blue = 2 * (1 - weights.blue), green = 1 - weights.red - weights.blue;
    for (size_t x = 0; x < count; x++) {
        const float r = a[x] + red * c[x], bl = a[x] + blue * b[x];
        b[x] = (a[x] - weights.red * r - weights.blue * bl) / green;
        a[x] = r;
        c[x] = bl;
    }
}

static void rgb_to_ycbcr(nalu_luma_weights weights, float *a, float *b, float *c, size_t count) {
    const float green = 1 - weights.red - weights.blue;
    for (size_t x = 0; x < count; x++) {
        const float y = weights.red * a[x] + green * b[x] + weights.blue * c[x];
        const float cb = (c[x] - y) / (2 * (1 - weights.blue)), cr = (a[x] - y) / (2 * (1 - weights.red));
        a[x] = y;
        b[x] = cb;
        c[x] = cr;
    }
}

static void convert_colors(const state *state, row *row, size_t from, size_t count) {
    const nalu_image *source = state->source, *destination = state->destination;
    const bool rgb_in = source->components.rgb, rgb_out = destination->components.rgb;
    const bool same =
        source->weights.red == destination->weights.red && source->weights.blue == destination->weights.blue;
    float *a = row->values[0] + from, *b = row->values[1] + from, *c = row->values[2] + from;
    if (rgb_in == rgb_out && (rgb_in || same)) return;
    if (!rgb_in) ycbcr_to_rgb(source->weights, a, b, c, count);
    if (!rgb_out) rgb_to_ycbcr(destination->weights, a, b, c, count);
}

/* ---- The destination ------------------------------------------------------------------------ */

/* Fills pixels that nothing of the source covers: black and opaque. */
static void make_black(row *row, size_t from, size_t count) {
    for (int c = 0; c < NALU_COMPONENTS; c++)
        for (size_t x = from; x < from + count; x++) row->values[c][x] = c == 3 ? 1 : 0;
}

static void make_row(state *state, size_t y, row *row) {
    const nalu_transfer *transfer = state->transfer;
    const size_t width = state->destination->width, end = transfer->to_x + transfer->to_width;
    if (y < transfer->to_y || y >= transfer->to_y + transfer->to_height) {
        make_black(row, 0, width);
        return;
    }
    make_black(row, 0, transfer->to_x);
    make_black(row, end, width - end);
    const size_t place = y - transfer->to_y;
    const float *weights = state->rows.weights + place * state->rows.taps;
    bool first = true;
    for (size_t tap = 0; tap < state->rows.taps; tap++) {
        if (weights[tap] == 0) continue;
        const struct row *from = scaled_row(state, state->rows.first[place] + tap);
        for (int c = 0; c < NALU_COMPONENTS; c++) {
            const float *values = from->values[c], weight = weights[tap];
            float *to = row->values[c] + transfer->to_x;
            for (size_t x = 0; !is_read(state, c) && x < transfer->to_width; x++) to[x] = c == 3 ? 1 : 0;
            for (size_t x = 0; is_read(state, c) && x < transfer->to_width; x++)
                to[x] = first ? weight * values[x] : to[x] + weight * values[x];
        }
        first = false;
    }
    convert_colors(state, row, transfer->to_x, transfer->to_width);
}

/* Reduces the chroma of a group of rows to one sample for two columns. An odd last column counts twice. */
static void reduce(state *state, int c, size_t rows, float *values) {
    const size_t width = state->destination->width;
    for (size_t k = 0; k < rows; k++) {
        float *row = state->group[k].values[c];
        if (width % 2) row[width] = row[width - 1];
        for (size_t x = 0; x < (width + 1) / 2; x++) {
            const float both = row[2 * x] + row[2 * x + 1];
            if (state->transfer->decimates) values[x] = k ? values[x] : row[2 * x];
            else values[x] = (k ? values[x] : 0) + both / (float)(2 * rows);
        }
    }
}

static uint8_t *destination_row(const nalu_image *destination, size_t plane, size_t y) {
    return destination->planes[plane] + y * destination->strides[plane];
}

static void write_component(state *state, int c, size_t y, size_t rows) {
    const nalu_image *destination = state->destination;
    const nalu_component *component = &destination->components.each[c];
    if (!component->storage) return;
    if (component->vertical == 1 && component->horizontal == 1) {
        /* In packed 4:2:2 the last pair of pixels is whole, even if the width is odd. */
        const size_t pair = destination->components.format->planes[component->plane].block_width > 1 ? 2 : 1;
        const size_t width = (destination->width + pair - 1) / pair * pair;
        for (size_t k = 0; k < rows; k++) {
            float *values = state->group[k].values[c];
            if (width > destination->width) values[destination->width] = values[destination->width - 1];
            nalu_component_write(component, destination_row(destination, component->plane, y + k), width, values);
        }
        return;
    }
    reduce(state, c, component->vertical, state->chroma.values[0]);
    nalu_component_write(component, destination_row(destination, component->plane, y / component->vertical),
                         (destination->width + 1) / 2, state->chroma.values[0]);
}

/* Writes row `y` and the rows that share chroma with it. */
static void write_group(state *state, size_t y) {
    const nalu_image *destination = state->destination;
    const nalu_format *format = destination->components.format;
    const size_t group = destination->components.vertical;
    const size_t rows = destination->height - y < group ? destination->height - y : group;
    for (size_t k = 0; k < group; k++) make_row(state, k < rows ? y + k : y + rows - 1, &state->group[k]);
    /* Components add their bits to words, so the words begin as zeros. */
    for (size_t p = 0; p < format->plane_count; p++) {
        const nalu_format_plane *plane = &format->planes[p];
        const size_t end = nalu_format_plane_height(plane, y + rows);
        for (size_t k = y / plane->vertical; k < end; k++)
            memset(destination_row(destination, p, k), 0, nalu_format_row_bytes(plane, destination->width));
    }
    for (int c = 0; c < NALU_COMPONENTS; c++) write_component(state, c, y, rows);
}

static bool allocate(state *state) {
    const nalu_transfer *transfer = state->transfer;
    const size_t widest =
        state->source->width > state->destination->width ? state->source->width : state->destination->width;
    if (!filter_make(&state->columns, transfer->x, transfer->width, state->source->width, transfer->to_width) ||
        !filter_make(&state->rows, transfer->y, transfer->height, state->source->height, transfer->to_height))
        return false;
    state->slots = state->rows.taps + 1;
    state->scaled = calloc(state->slots, sizeof *state->scaled);
    state->held = calloc(state->slots, sizeof *state->held);
    /* A filter reads past the last sample, with weights of 0. */
    bool made = state->scaled && state->held && row_make(&state->full, widest + state->columns.taps) &&
                row_make(&state->chroma, widest);
    for (size_t i = 0; made && i < state->slots; i++) made = row_make(&state->scaled[i], transfer->to_width);
    for (int i = 0; made && i < LARGEST_GROUP; i++) made = row_make(&state->group[i], state->destination->width + 1);
    return made;
}

bool nalu_image_transfer(const nalu_image *source, const nalu_image *destination, const nalu_transfer *transfer) {
    state state = {.source = source, .destination = destination, .transfer = transfer};
    const bool made = allocate(&state);
    const size_t group = destination->components.vertical;
    for (size_t y = 0; made && y < destination->height; y += group) write_group(&state, y);
    for (size_t i = 0; state.scaled && i < state.slots; i++) free(state.scaled[i].values[0]);
    for (int i = 0; i < LARGEST_GROUP; i++) free(state.group[i].values[0]);
    free(state.full.values[0]);
    free(state.chroma.values[0]);
    free(state.scaled);
    free(state.held);
    filter_free(&state.columns);
    filter_free(&state.rows);
    return made;
}
