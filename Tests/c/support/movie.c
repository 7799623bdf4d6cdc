#include "movie.h"

FILE *movie_open_file(const char *name) {
    char path[1024];
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache) snprintf(path, sizeof path, "%s/nalu/clips/%s.y4m", cache, name);
    else snprintf(path, sizeof path, "%s/.cache/nalu/clips/%s.y4m", home ? home : "", name);
    return fopen(path, "rb");
}

int movie_read_plane(FILE *file, int32_t width, int32_t height, int32_t shrink, uint8_t *plane) {
    enum { MOST_SHRINK = 4, MOST_WIDTH = 1280 };
    static uint8_t rows[MOST_SHRINK][MOST_WIDTH];
    REQUIRE(shrink >= 1 && shrink <= MOST_SHRINK && width * shrink <= MOST_WIDTH);
    for (int32_t y = 0; y < height; y++) {
        for (int32_t i = 0; i < shrink; i++)
            if (fread(rows[i], (size_t)(width * shrink), 1, file) != 1) return 0;
        for (int32_t x = 0; x < width; x++) {
            int32_t sum = shrink * shrink / 2;
            for (int32_t i = 0; i < shrink; i++)
                for (int32_t k = 0; k < shrink; k++) sum += rows[i][x * shrink + k];
            *plane++ = (uint8_t)(sum / (shrink * shrink));
        }
    }
    return 1;
}

static int movie_read(movie *m, const char *name, int32_t frames) {
    char line[256];
    FILE *file = movie_open_file(name);
    if (!file) return 0;
    int read = fgets(line, sizeof line, file) != NULL;
    for (m->frames = 0; read && m->frames < frames; m->frames++) {
        read = fgets(line, sizeof line, file)
            && fread(m->pixels + (size_t)m->frames * m->frame_size, 1, m->frame_size, file) == m->frame_size;
        if (!read) break;
    }
    fclose(file);
    return m->frames == frames;
}

void movie_draw_texture(uint8_t *p, int32_t width, int32_t height, int32_t frame) {
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            *p++ = (uint8_t)(((x + frame * 5) * (y + frame * 3) >> 6 & 63) + ((x * 3 + y * 7 + frame * 11) & 31) + 64);
}

void movie_draw_waves(uint8_t *p, int32_t width, int32_t height, int32_t frame) {
    int wave[256];
    uint32_t random = (uint32_t)frame * 2654435761u + 1;
    for (int i = 0; i < 256; i++) wave[i] = (int)lround(20 * sin(i * 6.283185307179586 / 256));
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++) {
            const uint32_t block = (uint32_t)((x >> 5) * 5 + (y >> 5) * 3) & 7, noise = (1 + block * block) / 4 + 1;
            random = random * 1664525u + 1013904223u;
            *p++ = (uint8_t)(110 + wave[(3 * x + y + 5 * frame) & 255] + wave[(9 * y - 2 * x + 11 * frame) & 255] +
                             wave[(17 * x + 13 * y - 7 * frame) & 255] + (int)((random >> 16) * noise >> 16));
        }
}

movie movie_load_or_draw(movie_draw draw, const char *name, int32_t width, int32_t height, int32_t frames,
                         int64_t numerator, int64_t denominator) {
    movie m = {width, height, frames, numerator, denominator, NULL, (size_t)(width * height * 3 / 2)};
    m.pixels = (uint8_t *)malloc((size_t)frames * m.frame_size);
    REQUIRE(m.pixels);
    if (movie_read(&m, name, frames)) return m;
    fprintf(stderr, "%s is not in the cache, an animation takes its place\n", name);
    m.frames = frames;
    for (int32_t i = 0; i < frames; i++) {
        uint8_t *p = m.pixels + (size_t)i * m.frame_size;
        draw(p, width, height, i);
        memset(p + (size_t)width * (size_t)height, 128, (size_t)(width * height / 2));
    }
    return m;
}

movie movie_load(const char *name, int32_t width, int32_t height, int32_t frames, int64_t numerator,
                 int64_t denominator) {
    return movie_load_or_draw(movie_draw_texture, name, width, height, frames, numerator, denominator);
}

nalu_status movie_encode(nalu_compression_session *session, const movie *m, int32_t frame) {
    const size_t luma = (size_t)m->width * (size_t)m->height;
    const uint8_t *picture = m->pixels + (size_t)frame * m->frame_size;
    const void *planes[3] = {picture, picture + luma, picture + luma + luma / 4};
    const int64_t strides[3] = {m->width, m->width / 2, m->width / 2};
    return nalu_compression_session_encode_planes(session, m->width, m->height, NALU_PIXEL_FORMAT_Y420, 3, planes,
        strides, NULL, nalu_time_make(frame * m->rate_denominator, (int32_t)m->rate_numerator), nalu_time_invalid(), NULL,
        NULL, NULL);
}

double movie_asked_size(const movie *m, int32_t frames, int64_t rate) {
    return (double)rate / 8 * frames * (double)m->rate_denominator / (double)m->rate_numerator;
}

static void add_size(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    size_t size = 0;
    (void)frame, (void)status, (void)flags;
    if (CHECK(sample != NULL)) nalu_sample_get_data(sample, &size);
    *(double *)refcon += (double)size;
}

nalu_compression_session *movie_open(const movie *m, int64_t rate, const char *properties, double *size) {
    nalu_compression_session *session = NULL;
    REQUIRE_OK(nalu_compression_session_create(m->width, m->height, NALU_CODEC_H264, NULL, NULL, add_size, size, NULL,
                                               &session));
    REQUIRE_OK(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, rate));
    REQUIRE_OK(nalu_session_set_properties_from_text(session, properties));
    return session;
}
