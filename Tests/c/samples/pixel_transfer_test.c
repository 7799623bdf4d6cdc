/* PixelTransferProperties: the place of frames of another size in the pictures that FFmpeg decodes, and
 * rejected values. */
#include "clip.h"
#include "ffmpeg.h"
#include "refusal.h"

enum { W = 96, H = 80 };

/* ---- A test card ---------------------------------------------------------------------------------------------------- */

typedef struct colour {
    double y, cb, cr; /* video range, 8 bits */
} colour;

/* Returns the colour at u (right) and v (down), both from 0 to 1: a ramp in every component, and a square in
 * each corner. */
static colour card(double u, double v) {
    static const colour corners[4] = {{200, 128, 128}, {90, 112, 150}, {120, 150, 112}, {150, 118, 118}};
    const int right = u > 7.0 / 8, low = v > 7.0 / 8;
    if ((u < 1.0 / 8 || right) && (v < 1.0 / 8 || low)) return corners[2 * low + right];
    return (colour){60 + 70 * u + 70 * v, 112 + 32 * u, 112 + 32 * v};
}

/* Returns true if a point is too close to the edge of a corner square to have a definite colour. */
static bool near_edge(double u, double v, double du, double dv) {
    const bool column = fabs(u - 1.0 / 8) < du || fabs(u - 7.0 / 8) < du;
    const bool row = fabs(v - 1.0 / 8) < dv || fabs(v - 7.0 / 8) < dv;
    return (column && (v < 1.0 / 8 + dv || v > 7.0 / 8 - dv)) || (row && (u < 1.0 / 8 + du || u > 7.0 / 8 - du));
}

typedef struct frame {
    nalu_pixel_format format;
    int32_t width, height;
} frame;

static uint8_t memory[256 * 256 * 8];

static uint8_t byte(double value) { return (uint8_t)lrint(fmin(fmax(value, 0), 255)); }

static double full(double y) { return (y - 16) * 255 / 219; }
static double full_chroma(double c) { return 128 + (c - 128) * 255 / 224; }

static void put(const frame *f, uint8_t *at, bool is_chroma, double a, double b) {
    const bool is_full = f->format == NALU_PIXEL_FORMAT_420F;
    const double first = !is_full ? a : is_chroma ? full_chroma(a) : full(a), second = is_full ? full_chroma(b) : b;
    if (f->format == NALU_PIXEL_FORMAT_X420) {
        const uint16_t words[2] = {(uint16_t)(lrint(a * 4) << 6), (uint16_t)(lrint(b * 4) << 6)};
        memcpy(at, words, is_chroma ? 4 : 2);
        return;
    }
    at[0] = byte(first);
    if (is_chroma) at[1] = byte(second);
}

static nalu_status encode_card(nalu_compression_session *session, const frame *f, int64_t number) {
    const int32_t w = f->width, h = f->height, wide = (w + 1) / 2, high = (h + 1) / 2;
    const void *planes[3] = {memory, memory + 256 * 256 * 4, memory + 256 * 256 * 6};
    uint8_t *luma = memory, *cb = memory + 256 * 256 * 4, *cr = memory + 256 * 256 * 6;
    int64_t strides[3] = {1024, 512, 512};
    uint32_t count = 1;
    const bool is_10 = f->format == NALU_PIXEL_FORMAT_X420;
    for (int32_t y = 0; y < h; y++)
        for (int32_t x = 0; x < w; x++) {
            const colour c = card((x + 0.5) / w, (y + 0.5) / h);
            const colour pair = card(fmin((x | 1) / (double)w, 1), (y + 0.5) / h);
            uint8_t *at = luma + y * 1024;
            const double g = (c.y - 16) / 219, b = (c.cb - 128) / 224, r = (c.cr - 128) / 224; /* BT.601 */
            switch (f->format) {
            case NALU_PIXEL_FORMAT_BGRA:
                at[4 * x] = byte(255 * (g + 1.772 * b));
                at[4 * x + 1] = byte(255 * (g - 1.772 * 0.114 / 0.587 * b - 1.402 * 0.299 / 0.587 * r));
                at[4 * x + 2] = byte(255 * (g + 1.402 * r));
                break;
            case NALU_PIXEL_FORMAT_2VUY:
                at[x / 2 * 4 + x % 2 * 2 + 1] = byte(c.y);
                at[x / 2 * 4] = byte(pair.cb), at[x / 2 * 4 + 2] = byte(pair.cr);
                break;
            case NALU_PIXEL_FORMAT_L008: at[x] = byte(full(c.y)); break;
            default: put(f, at + x * (is_10 ? 2 : 1), false, c.y, 0);
            }
        }
    if (f->format == NALU_PIXEL_FORMAT_Y420) count = 3;
    else if (f->format == NALU_PIXEL_FORMAT_420V || f->format == NALU_PIXEL_FORMAT_420F || is_10) count = 2;
    for (int32_t y = 0; y < high && count > 1; y++)
        for (int32_t x = 0; x < wide; x++) {
            const colour c = card(fmin((2 * x + 1.0) / w, 1), fmin((2 * y + 1.0) / h, 1));
            if (count == 3) cb[y * 512 + x] = byte(c.cb), cr[y * 512 + x] = byte(c.cr);
            else put(f, cb + y * 512 + x * (is_10 ? 4 : 2), true, c.cb, c.cr);
        }
    return nalu_compression_session_encode_planes(session, w, h, f->format, count, planes, strides, NULL,
        nalu_time_make(number, 30), nalu_time_invalid(), NULL, NULL, NULL);
}

/* ---- Places --------------------------------------------------------------------------------------------------------- */

typedef struct area {
    double x, y, width, height;
} area;

typedef struct place {
    const char *mode;
    int32_t width, height; /* size of the frame */
    area inside;           /* place in the picture; black elsewhere */
    area source;           /* part of the frame */
} place;

static const place places[] = {
    {"Normal", 192, 40, {0, 0, W, H}, {0, 0, 192, 40}},
    {"CropSourceToCleanAperture", 192, 40, {0, 0, W, H}, {0, 0, 192, 40}},
    {"Letterbox", 192, 80, {0, 20, 96, 40}, {0, 0, 192, 80}},
    {"Letterbox", 240, 40, {0, 32, 96, 16}, {0, 0, 240, 40}},
    {"Letterbox", 80, 160, {28, 0, 40, 80}, {0, 0, 80, 160}},
    {"Letterbox", 61, 61, {8, 0, 80, 80}, {0, 0, 61, 61}},
    {"Letterbox", 133, 101, {0, 4, 96, 72}, {0, 0, 133, 101}}, /* exactly 72.9 rows, bars of 3.5 */
    {"Letterbox", 48, 40, {0, 0, W, H}, {0, 0, 48, 40}},
    {"Letterbox", 240, 202, {0, 0, W, H}, {0, 0, 240, 202}}, /* exactly 80.8 rows */
    {"Letterbox", W, H, {0, 0, W, H}, {0, 0, W, H}},
    {"Trim", 192, 80, {0, 0, W, H}, {48, 0, 96, 80}},
    {"Trim", 240, 100, {0, 0, W, H}, {60, 0, 120, 100}},
    {"Trim", 80, 160, {0, 0, W, H}, {0, 46, 80, 68}}, /* exactly 66.7 rows, 46.7 cut off at each side */
    {"Trim", 81, 161, {0, 0, W, H}, {0, 46, 81, 69}}, /* exactly 67.5 rows, 46.75 cut off */
    {"Trim", 48, 40, {0, 0, W, H}, {0, 0, 48, 40}},
    {"Trim", W, H, {0, 0, W, H}, {0, 0, W, H}},
};
enum { PLACES = sizeof places / sizeof *places };

/* Returns the visible part of the frame. Formats without vertical chroma subsampling (RGB, gray, 4:2:2) can be
 * cut at any row. */
static area source_of(const place *p, nalu_pixel_format format) {
    area source = p->source;
    const bool by_row = format == NALU_PIXEL_FORMAT_BGRA || format == NALU_PIXEL_FORMAT_L008 ||
                        format == NALU_PIXEL_FORMAT_2VUY;
    if (by_row && source.y > 0) source.y = 47, source.height = p->height - 94;
    return source;
}

static void set_mode(clip *c, const char *mode) {
    char text[80];
    snprintf(text, sizeof text, NALU_PIXEL_TRANSFER_PROPERTY_SCALING_MODE "=%s", mode);
    REQUIRE_OK(nalu_session_set_string(c->session, NALU_PROPERTY_PIXEL_TRANSFER_PROPERTIES, text));
}

static bool inside(const area *a, int32_t x, int32_t y) {
    return x >= a->x && x < a->x + a->width && y >= a->y && y < a->y + a->height;
}

/* Returns true if the pixel's macroblock is entirely black. */
static bool is_bar(const area *a, int32_t x, int32_t y) {
    const int32_t left = x / 16 * 16, top = y / 16 * 16;
    return left + 16 <= a->x || left >= a->x + a->width || top + 16 <= a->y || top >= a->y + a->height;
}

/* Checks one decoded picture: black outside `inside`, and the test card in it. */
static void check_card(const uint8_t *picture, const place *p, nalu_pixel_format format, nalu_pixel_format first,
                       const char *what) {
    const bool is_full = first == NALU_PIXEL_FORMAT_420F;
    const area source = source_of(p, format);
    const uint8_t *chroma[2] = {picture + W * H, picture + W * H + W * H / 4};
    int wrong_black = 0, wrong_inside = 0, wrong_colour = 0;
    for (int32_t y = 0; y < H; y++)
        for (int32_t x = 0; x < W; x++) {
            const int32_t at = y / 2 * (W / 2) + x / 2;
            if (!inside(&p->inside, x, y)) {
                /* The encoder changes black next to the card in the same macroblock by up to 2. A 10-bit value
                 * can be off by 1, and FFmpeg converts 63 to 15. */
                const int allowed = !is_bar(&p->inside, x, y) ? 2 : first == NALU_PIXEL_FORMAT_X420 ? 1 : 0;
                wrong_black += abs(picture[y * W + x] - (is_full ? 0 : 16)) > allowed ||
                               abs(chroma[0][at] - 128) > allowed || abs(chroma[1][at] - 128) > allowed;
                continue;
            }
            const double zoom_x = source.width / p->inside.width, zoom_y = source.height / p->inside.height;
            const double u = (source.x + (x + 0.5 - p->inside.x) * zoom_x) / p->width;
            const double v = (source.y + (y + 0.5 - p->inside.y) * zoom_y) / p->height;
            if (near_edge(u, v, 3 * fmax(zoom_x, 1) / p->width, 3 * fmax(zoom_y, 1) / p->height)) continue;
            const colour expected = card(u, v);
            wrong_inside += fabs(picture[y * W + x] - (is_full ? full(expected.y) : expected.y)) > 4;
            if (format == NALU_PIXEL_FORMAT_L008) {
                wrong_colour += abs(chroma[0][at] - 128) > 2 || abs(chroma[1][at] - 128) > 2;
            } else {
                wrong_colour += fabs(chroma[0][at] - (is_full ? full_chroma(expected.cb) : expected.cb)) > 3.5;
                wrong_colour += fabs(chroma[1][at] - (is_full ? full_chroma(expected.cr) : expected.cr)) > 3.5;
            }
        }
    char where[160];
    snprintf(where, sizeof where, "%s: %d pixels not black, %d of another luma, %d of another colour", what, wrong_black,
        wrong_inside, wrong_colour);
    check_that(wrong_black + wrong_inside + wrong_colour == 0, __FILE__, __LINE__, "the card", where);
}

/* Tries every place with every format in one session: the mode changes with each frame. */
static void try_places(nalu_pixel_format first, const char *properties, const char *pixel_format) {
    static const nalu_pixel_format formats[] = {NALU_PIXEL_FORMAT_420V, NALU_PIXEL_FORMAT_420F, NALU_PIXEL_FORMAT_Y420,
        NALU_PIXEL_FORMAT_BGRA, NALU_PIXEL_FORMAT_2VUY, NALU_PIXEL_FORMAT_L008, NALU_PIXEL_FORMAT_X420};
    enum { FORMATS = sizeof formats / sizeof *formats };
    stream_file stream;
    clip c;
    char arguments[80];
    clip_open(&c, W, H);
    stream_open(&stream);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session, properties));
    const frame begin = {first, W, H};
    REQUIRE_OK(encode_card(c.session, &begin, c.fed++));
    for (int f = 0; f < FORMATS; f++)
        for (int i = 0; i < PLACES; i++) {
            const frame next = {formats[f], places[i].width, places[i].height};
            set_mode(&c, places[i].mode);
            REQUIRE_OK(encode_card(c.session, &next, c.fed++));
        }
    clip_finish(&c);
    for (int32_t i = 0; i < c.count; i++)
        stream_add(&stream, c.samples[i], NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES);
    snprintf(arguments, sizeof arguments, "-f rawvideo -pix_fmt %s -", pixel_format);
    pictures all = stream_collect(stream_judge(&stream, "-v quiet", arguments), W, H);
    REQUIRE(CHECK_EQ(all.count, 1 + FORMATS * PLACES));
    for (int k = 0; k < FORMATS * PLACES; k++) {
        const place *p = &places[k % PLACES];
        char what[120];
        snprintf(what, sizeof what, "%s, %s %dx%d as %.4s", pixel_format, p->mode, (int)p->width, (int)p->height,
            (const char *)(const char[]){(char)(formats[k / PLACES] >> 24), (char)(formats[k / PLACES] >> 16),
                (char)(formats[k / PLACES] >> 8), (char)formats[k / PLACES]});
        check_card(picture(&all, 1 + k), p, formats[k / PLACES], first, what);
    }
    pictures_free(&all);
    stream_close(&stream);
    clip_close(&c);
}

static const char key_frames[] = "AllowTemporalCompression=false,Quality=1,x264.preset=ultrafast";

static void scaled_pictures_are_at_their_places(void) {
    try_places(NALU_PIXEL_FORMAT_420V, key_frames, "yuv420p");
    try_places(NALU_PIXEL_FORMAT_420F, key_frames, "yuvj420p");
}

/* The bars and the frames in 10 bits. */
static void ten_bit_frames_are_scaled(void) { try_places(NALU_PIXEL_FORMAT_X420, key_frames, "yuv420p"); }

/* ---- Persistence ------------------------------------------------------------------------------------------------------ */

static void encode_sizes(clip *c, const char *property) {
    static const int32_t sizes[][2] = {{192, 80}, {96, 80}, {33, 77}, {48, 40}, {95, 79}, {200, 200}};
    clip_open(c, W, H);
    REQUIRE_OK(nalu_session_set_properties_from_text(c->session, "RealTime=true,x264.params=\"threads=1\""));
    if (property) REQUIRE_OK(nalu_session_set_string(c->session, NALU_PROPERTY_PIXEL_TRANSFER_PROPERTIES, property));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int k = 0; k < 2; k++) {
            const frame next = {k ? NALU_PIXEL_FORMAT_BGRA : NALU_PIXEL_FORMAT_420V, sizes[i][0], sizes[i][1]};
            REQUIRE_OK(encode_card(c->session, &next, c->fed++));
        }
    clip_finish(c);
}

static void scaling_mode_normal_is_the_default(void) {
    static const char *const same[] = {"", "ScalingMode=Normal", "DownsamplingMode=Average",
        "ScalingMode=CropSourceToCleanAperture", "ScalingMode=unset"};
    clip one;
    encode_sizes(&one, NULL);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        clip other;
        encode_sizes(&other, same[i]);
        check_same_samples(&one, &other);
        clip_close(&other);
    }
    clip_close(&one);
}

/* A rejected call changes nothing. */
static void without_scaling_frames_of_another_size_are_refused(void) {
    const frame other = {NALU_PIXEL_FORMAT_420V, 192, 80}, own = {NALU_PIXEL_FORMAT_420V, W, H};
    const frame more_rows = {NALU_PIXEL_FORMAT_420V, W, 2 * H};
    clip c;
    clip_open(&c, W, H);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session,
        "NaluAllowScaling=false,PixelTransferProperties=\"ScalingMode=Letterbox\""));
    REFUSED(encode_card(c.session, &other, 0), NALU_STATUS_INVALID_SIZE, "192x80", "96x80", "NaluAllowScaling");
    CHECK_OK(encode_card(c.session, &own, 0));
    REFUSED(encode_card(c.session, &other, 1), NALU_STATUS_INVALID_SIZE, "192x80", "96x80", "NaluAllowScaling");
    CHECK_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_SCALING, 1));
    CHECK_OK(encode_card(c.session, &other, 1));
    c.fed = 2;
    clip_finish(&c);
    clip_close(&c);

    clip_open(&c, W, H);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session,
        "FieldCount=2,PixelTransferProperties=\"ScalingMode=Letterbox\""));
    REFUSED(encode_card(c.session, &more_rows, 0), NALU_STATUS_INVALID_SIZE, "96x160", "interlaced");
    clip_close(&c);
}

/* ---- Rejected calls ---------------------------------------------------------------------------------------------------- */

static void wrong_transfer_properties_are_refused(void) {
    static const struct { const char *text, *word, *other; } all[] = {
        {"Letterbox", "ends at byte 9", "\"=\""}, {"ScalingMode", "ends at byte 11", "\"=\""},
        {"ScalingMode=", "ends at byte 12", "the value of ScalingMode"}, {"=Trim", "at byte 0", "a key"},
        {"ScalingMode=Trim;DownsamplingMode=Average", "at byte 16", "or the end"},
        {"ScalingMode=Trim,", "ends at byte 17", "a key"},
        {"ScalingMode=Trim,ScalingMode=Trim", "at byte 17", "each key once"},
        {"ScalingMode=letterbox", "\"letterbox\"", "Normal, CropSourceToCleanAperture, Letterbox, Trim"},
        {"ScalingMode=\"\"", "\"\"", "Letterbox, Trim"}, {"ScalingMode=1", "ScalingMode 1", "Letterbox, Trim"},
        {"ScalingMode=true", "ScalingMode true", "Letterbox, Trim"}, {"ScalingMode=[1]", "ScalingMode 1", "Trim"},
        {"scalingmode=Trim", "the key scalingmode", "expected ScalingMode or DownsamplingMode"},
        {"DownsamplingMode=Decimate", "\"Decimate\"", "expected Average"},
        {"DownsamplingMode=average", "\"average\"", "expected Average"},
        {"DownsamplingMode=0", "DownsamplingMode 0", "expected Average"},
        {"DestinationCleanAperture=[1]", "DestinationCleanAperture", "use the property CleanAperture"},
        {"DestinationPixelAspectRatio=[1,1]", "DestinationPixelAspectRatio", "use the property PixelAspectRatio"},
        {"DestinationYCbCrMatrix=ITU_R_709_2", "DestinationYCbCrMatrix", "use the property YCbCrMatrix"},
        {"DestinationColorPrimaries=ITU_R_2020", "DestinationColorPrimaries", "not converted between primaries"},
        {"DestinationTransferFunction=Linear", "DestinationTransferFunction", "not converted between transfer functions"},
        {"DestinationICCProfile=x", "DestinationICCProfile", "ICC profiles"},
        {"RealTime=true", "the key RealTime", "inside the encode call"},
        {"RealTime=unset", "the key RealTime", "inside the encode call"},
        {"ScalingMode=Trim,x=1", "the key x", "expected ScalingMode or DownsamplingMode"},
        {"\xff", "at byte 0", "a key"},
    };
    static char endless[1000001];
    char text[64];
    size_t size = 0;
    clip c;
    clip_open(&c, W, H);
    memset(endless, 'k', sizeof endless - 1);
    memcpy(endless + sizeof endless - 3, "=1", 2);
    for (int opened = 0; opened < 2; opened++) {
        set_mode(&c, "Letterbox");
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_PIXEL_TRANSFER_PROPERTIES, all[i].text),
                NALU_STATUS_OUT_OF_RANGE, "PixelTransferProperties", all[i].word, all[i].other);
        REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_PIXEL_TRANSFER_PROPERTIES, endless),
            NALU_STATUS_OUT_OF_RANGE, "PixelTransferProperties", "kkk");
        CHECK(strlen(nalu_last_error_message()) < 400);
        REFUSED(nalu_session_set_int64(c.session, NALU_PROPERTY_PIXEL_TRANSFER_PROPERTIES, 1), NALU_STATUS_WRONG_TYPE,
            "PixelTransferProperties", "a string");
        CHECK_OK(nalu_session_copy_string(c.session, NALU_PROPERTY_PIXEL_TRANSFER_PROPERTIES, text, sizeof text, &size));
        CHECK_STR_EQ(text, "ScalingMode=Letterbox");
        if (!opened) clip_encode(&c, 1);
    }
    clip_finish(&c);
    clip_close(&c);
}

int main(void) {
    RUN(scaled_pictures_are_at_their_places);
    RUN(ten_bit_frames_are_scaled);
    RUN(scaling_mode_normal_is_the_default);
    RUN(without_scaling_frames_of_another_size_are_refused);
    RUN(wrong_transfer_properties_are_refused);
    return check_result();
}
