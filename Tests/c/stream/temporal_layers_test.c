/* Temporal layers. The whole stream and the base layer alone decode to the encoder's own pictures, in FFmpeg and in
 * OpenH264; the bits have the wanted shares; limits leave the base layer whole. */
#include "measured.h"
#include "movie.h"
#include "refusal.h"

#include <sys/stat.h>

enum { W = 112, H = 96, FRAMES = 66 };

static bool is_base(const nalu_sample *sample) {
    return (nalu_sample_get_attachments(sample) & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS) != 0;
}

/* The slices state whether other pictures refer to them, all of them the same. */
static void check_slices(const nalu_sample *sample) {
    size_t size = 0;
    for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
        const uint8_t *nal = nalu_sample_get_nal(sample, i, &size);
        if (nal_is_slice(nal)) CHECK_EQ((nal[0] & 0x60) != 0, is_base(sample));
    }
}

/* ---- Decoders ------------------------------------------------------------------------------------------------------ */

/* Reads and removes the file of raw pictures that a decoder has written beside the stream. */
static pictures read_decoded(const stream_file *it) {
    char path[300];
    snprintf(path, sizeof path, "%s.yuv", it->path);
    FILE *file = fopen(path, "rb");
    REQUIRE(file);
    pictures all = {W, H, 0, (size_t)W * H * 3 / 2, NULL};
    struct stat facts;
    REQUIRE(fstat(fileno(file), &facts) == 0);
    all.count = (int32_t)((size_t)facts.st_size / all.size);
    all.bytes = (uint8_t *)malloc((size_t)facts.st_size + 1);
    REQUIRE(all.bytes && fread(all.bytes, 1, (size_t)facts.st_size, file) == (size_t)facts.st_size);
    fclose(file);
    unlink(path);
    return all;
}

/* Decodes both streams in one process of FFmpeg, which has nothing to say about either. */
static void decode_by_ffmpeg(stream_file streams[2], pictures decoded[2], const char *what) {
    char command[1400], line[300] = "";
    REQUIRE(fflush(streams[0].file) == 0 && fflush(streams[1].file) == 0);
    snprintf(command, sizeof command,
        "exec ffmpeg -nostdin -hide_banner -nostats -v warning -threads 1 -f h264 -i '%s' -threads 1 -f h264 -i '%s' "
        "-map 0:v -fps_mode passthrough -pix_fmt yuv420p -f rawvideo '%s.yuv' "
        "-map 1:v -fps_mode passthrough -pix_fmt yuv420p -f rawvideo '%s.yuv' 2>&1",
        streams[0].path, streams[1].path, streams[0].path, streams[1].path);
    FILE *errors = popen(command, "r");
    REQUIRE(errors);
    (void)!fgets(line, sizeof line, errors);
    check_that(pclose(errors) == 0 && line[0] == 0, __FILE__, __LINE__, what, line);
    for (int k = 0; k < 2; k++) decoded[k] = read_decoded(&streams[k]);
}

/* Decodes both streams by OpenH264, in one process of GStreamer. */
static void decode_by_openh264(stream_file streams[2], pictures decoded[2]) {
    char command[1400], chain[2][600];
    REQUIRE(fflush(streams[0].file) == 0 && fflush(streams[1].file) == 0);
    for (int k = 0; k < 2; k++)
        snprintf(chain[k], sizeof chain[k],
            "filesrc location='%s' ! h264parse ! openh264dec ! video/x-raw,format=I420 ! filesink location='%s.yuv'",
            streams[k].path, streams[k].path);
    snprintf(command, sizeof command, "timeout 60 gst-launch-1.0 -q %s %s 2>&1", chain[0], chain[1]);
    CHECK_EQ(system(command), 0);
    for (int k = 0; k < 2; k++) decoded[k] = read_decoded(&streams[k]);
}

/* ---- Streams ------------------------------------------------------------------------------------------------------- */

static void encode(measured *d, uint32_t flags) {
    measured_encode(d, flags);
    REQUIRE_OK(nalu_compression_session_complete_frames(d->c->session, nalu_time_make(d->c->fed - 1, 30)));
    CHECK_EQ(d->count + d->drops, d->c->fed);
}

static void begin(measured *d, clip *c, const char *properties) {
    clip_open(c, W, H);
    c->noise = 40;
    measured_begin(d, c);
    REQUIRE_OK(nalu_session_set_properties_from_text(c->session, properties));
}

static void check_pictures(const measured *d, const pictures *all, const pictures *base, const char *who, const char *what) {
    char text[400];
    int32_t of_base = 0;
    for (int32_t i = 0; i < d->count; i++) of_base += is_base(d->samples[i]);
    snprintf(text, sizeof text, "%s, %s: %d of %d, base %d of %d", what, who, (int)all->count, (int)d->count, (int)base->count,
        (int)of_base);
    if (!check_that(all->count == d->count && base->count == of_base, __FILE__, __LINE__, "all pictures are there", text)) return;
    for (int32_t i = 0, next = 0; i < d->count; i++) {
        measured_check(d, all, i, text);
        if (!is_base(d->samples[i])) continue;
        check_that(same_picture(all, i, base, next++), __FILE__, __LINE__, "the base layer alone is the same", text);
    }
}

/* Judges the streams of `d`, and ends it. */
static void end(measured *d, const char *what, bool by_openh264) {
    stream_file both[2]; /* the whole stream, and its base layer */
    pictures decoded[2];
    for (int k = 0; k < 2; k++) stream_open(&both[k]);
    for (int32_t i = 0; i < d->count; i++) {
        check_slices(d->samples[i]);
        for (int k = 0; k < 2; k++)
            if (k == 0 || is_base(d->samples[i])) stream_add(&both[k], d->samples[i], NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES);
    }
    for (int decoder = 0; decoder < (by_openh264 ? 2 : 1); decoder++) {
        if (decoder == 0) decode_by_ffmpeg(both, decoded, what);
        else decode_by_openh264(both, decoded);
        check_pictures(d, &decoded[0], &decoded[1], decoder == 0 ? "FFmpeg" : "OpenH264", what);
        for (int k = 0; k < 2; k++) pictures_free(&decoded[k]);
    }
    for (int k = 0; k < 2; k++) stream_close(&both[k]);
    measured_end(d);
}

static const char *const streams[] = {
    "", "ProfileLevel=H264_Main_AutoLevel", "ProfileLevel=H264_ConstrainedBaseline_AutoLevel",
    "H264EntropyMode=CAVLC,x264.preset=faster", "x264.params=\"slices=3\"", "H264EntropyMode=CAVLC,x264.params=\"slices=3:weightp=2\"",
    "x264.params=\"weightp=2:subme=7\"", "RealTime=true,AverageBitRate=200000",
    "RealTime=true,ProfileLevel=H264_ConstrainedBaseline_AutoLevel", "x264.preset=ultrafast",
    "MaxKeyFrameInterval=7", "x264.params=\"aud=1\",NaluParameterSetsInStream=true",
};
enum { STREAMS = sizeof streams / sizeof *streams };

static void both_layers_and_the_base_alone_decode(void) {
    static measured d;
    for (int fraction = 2; fraction <= 4; fraction += 2)
        for (int kind = 0; kind < STREAMS; kind++) {
            char properties[300];
            clip c;
            if (!is_tried(kind + fraction / 2)) continue;
            snprintf(properties, sizeof properties, "BaseLayerFrameRateFraction=%g%s%s", 1.0 / fraction, *streams[kind] ? "," : "",
                streams[kind]);
            begin(&d, &c, properties);
            for (int32_t i = 0; i < FRAMES; i++) encode(&d, 0);
            int32_t since = 0;
            for (int32_t i = 0; i < d.count; i++) {
                const bool intra = !(nalu_sample_get_attachments(d.samples[i]) & NALU_SAMPLE_DEPENDS_ON_OTHERS);
                since = intra ? 0 : since + 1;
                check_that(is_base(d.samples[i]) == (since % fraction == 0), __FILE__, __LINE__, "every n-th frame is base", properties);
            }
            end(&d, properties, true);
        }
}

static void noise_and_cuts_do_not_break_the_layers(void) {
    static measured d;
    static const char *const properties[] = {"BaseLayerFrameRateFraction=0.5,x264.preset=veryfast",
        "BaseLayerFrameRateFraction=0.25,RealTime=true,AverageBitRate=300000",
        "BaseLayerFrameRateFraction=0.5,ProfileLevel=H264_ConstrainedBaseline_AutoLevel"};
    for (int k = 0; k < 3; k++) {
        clip c;
        begin(&d, &c, properties[k]);
        for (int32_t i = 0; i < FRAMES; i++) {
            c.noise = i % 23 < 4 ? 500 : 20;
            encode(&d, i == 30 ? NALU_FRAME_FORCE_KEY_FRAME : 0);
        }
        end(&d, properties[k], true);
    }
}

/* ---- Shares of the bits -------------------------------------------------------------------------------------------- */

static double share_of(const movie *m, const char *properties, int32_t frames, double *kilobits) {
    clip c;
    size_t base = 0, all = 0;
    clip_open(&c, m->width, m->height);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session, properties));
    for (int32_t i = 0; i < frames; i++, c.fed++) REQUIRE_OK(movie_encode(c.session, m, i));
    clip_finish(&c);
    for (int32_t i = 0; i < c.count; i++) {
        size_t size = 0;
        (void)nalu_sample_get_data(c.samples[i], &size);
        all += size;
        if (is_base(c.samples[i])) base += size;
    }
    *kilobits = (double)all * 8 * (double)m->rate_numerator / (double)m->rate_denominator / frames / 1000;
    clip_close(&c);
    return (double)base / (double)all;
}

static void the_base_layer_gets_its_share(void) {
    static const char *const shares[] = {"0.5", "0.6", "0.7", "0.8"};
    for (int k = 0; k < 3; k++) {
        movie m = k == 0   ? movie_load_or_draw(movie_draw_waves, "bikes", 640, 272, 250, 25, 1)
                  : k == 1 ? movie_load_or_draw(movie_draw_waves, "carphone_pristine", 176, 144, 120, 30000, 1001)
                           : movie_load_or_draw(movie_draw_texture, "", 320, 192, 250, 25, 1);
        for (int s = 0; s < 4; s++) {
            char properties[200];
            double kilobits;
            if (!is_tried(k + s)) continue;
            snprintf(properties, sizeof properties,
                "BaseLayerFrameRateFraction=0.5,BaseLayerBitRateFraction=%s,RealTime=true,AverageBitRate=%d,"
                "NaluRealTimeGovernor=false", shares[s], k == 1 ? 150000 : 600000);
            const double share = share_of(&m, properties, m.frames, &kilobits);
            char what[300];
            snprintf(what, sizeof what, "clip %d, %s: %.3f, %.0f kbit/s", k, shares[s], share, kilobits);
            if (getenv("NALU_TEST_SHOW")) printf("%s\n", what);
            check_that(fabs(share - atof(shares[s])) <= 0.05, __FILE__, __LINE__, "the share is within 5 points", what);
        }
        free(m.pixels);
    }
}

/* ---- Limits --------------------------------------------------------------------------------------------- */

static void data_rate_limits_hold_and_leave_the_layers_whole(void) {
    static measured d;
    static const char *const more[] = {"", ",RealTime=true", ",H264EntropyMode=CAVLC,x264.preset=veryfast"};
    for (int fraction = 2; fraction <= 4; fraction += 2)
        for (int k = 0; k < 3; k++) {
            char properties[300];
            clip c;
            snprintf(properties, sizeof properties,
                "BaseLayerFrameRateFraction=%g,DataRateLimits=[2500,0.5],MaxAllowedFrameQP=30%s", 1.0 / fraction, more[k]);
            begin(&d, &c, properties);
            for (int32_t i = 0; i < 300; i++) {
                c.noise = i % 40 >= 20 && i % 40 < 24 ? 500 : 10;
                encode(&d, 0);
            }
            CHECK(d.drops > 5);
            for (int32_t first = 0; first < d.count; first++) {
                size_t sum = 0;
                const nalu_time from = nalu_sample_get_presentation_time(d.samples[first]);
                for (int32_t i = first; i < d.count; i++) {
                    size_t size = 0;
                    const nalu_time time = nalu_sample_get_presentation_time(d.samples[i]);
                    if ((double)(time.value - from.value) / 30 >= 0.5) break;
                    (void)nalu_sample_get_data(d.samples[i], &size);
                    sum += size;
                }
                CHECK(sum <= 2500);
            }
            end(&d, properties, k == 0);
        }
}

static void slices_keep_their_limit(void) {
    for (int fraction = 2; fraction <= 4; fraction += 2) {
        clip c;
        char properties[200];
        size_t size = 0;
        snprintf(properties, sizeof properties, "RealTime=true,MaxH264SliceBytes=500,BaseLayerFrameRateFraction=%g", 1.0 / fraction);
        clip_open(&c, W, H);
        c.noise = 200;
        REQUIRE_OK(nalu_session_set_properties_from_text(c.session, properties));
        clip_encode_all(&c, 40);
        for (int32_t i = 0; i < c.count; i++)
            for (uint32_t k = 0; k < nalu_sample_get_nal_count(c.samples[i]); k++) {
                const uint8_t *nal = nalu_sample_get_nal(c.samples[i], k, &size);
                if (nal_is_slice(nal)) CHECK(size <= 500);
            }
        clip_close(&c);
    }
}

/* ---- Refusals ------------------------------------------------------------------------------------------------------ */

static void what_layers_exclude_is_refused(void) {
    static const char *const excluded[] = {"AllowFrameReordering=true", "SuggestedLookAheadFrameCount=5", "FieldCount=2",
        "NaluAllowIntraRefresh=true", "AllowOpenGOP=true", "VariableBitRate=500000", "ReferenceBufferCount=1",
        "x264.params=\"ref=2\"", "x264.params=\"bframes=2\"", "x264.params=\"dpb-size=4\""};
    clip c;
    for (size_t i = 0; i < sizeof excluded / sizeof *excluded; i++) {
        clip_open(&c, W, H);
        REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_BASE_LAYER_FRAME_RATE_FRACTION, 0.5));
        REFUSED(nalu_session_set_properties_from_text(c.session, excluded[i]), NALU_STATUS_CONFLICT, "BaseLayerFrameRateFraction");
        clip_close(&c);
    }
    clip_open(&c, W, H);
    static const double bad[] = {0, 0.3, 0.75, 2, -1};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        REFUSED(nalu_session_set_double(c.session, NALU_PROPERTY_BASE_LAYER_FRAME_RATE_FRACTION, bad[i]), NALU_STATUS_OUT_OF_RANGE,
            "BaseLayerFrameRateFraction", "0.25");
    REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_BASE_LAYER_BIT_RATE_FRACTION, 0.6));
    REFUSED(nalu_compression_session_prepare(c.session), NALU_STATUS_CONFLICT, "BaseLayerBitRateFraction", "BaseLayerFrameRateFraction");
    REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_BASE_LAYER_FRAME_RATE_FRACTION, 0.5));
    REQUIRE_OK(nalu_session_set_string(c.session, "x264.preset", "ultrafast"));
    REFUSED(nalu_compression_session_prepare(c.session), NALU_STATUS_CONFLICT, "BaseLayerBitRateFraction", "adaptive quantisation");
    REQUIRE_OK(nalu_session_set_string(c.session, "x264.preset", "veryfast"));
    REQUIRE_OK(nalu_compression_session_prepare(c.session));
    clip_encode(&c, 1);
    REFUSED(nalu_session_set_double(c.session, NALU_PROPERTY_BASE_LAYER_FRAME_RATE_FRACTION, 0.25), NALU_STATUS_TOO_LATE,
        "BaseLayerFrameRateFraction");
    clip_finish(&c);
    clip_close(&c);

    /* Levels with room for four frames of the size. */
    clip_open(&c, 1280, 720);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session, "BaseLayerFrameRateFraction=0.25,ProfileLevel=H264_Main_3_1"));
    CHECK_OK(nalu_compression_session_prepare(c.session));
    clip_close(&c);
    clip_open(&c, 1920, 1080);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session, "BaseLayerFrameRateFraction=0.25,ProfileLevel=H264_Main_4_0"));
    CHECK_OK(nalu_compression_session_prepare(c.session));
    clip_close(&c);
    clip_open(&c, 1280, 1024);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session, "BaseLayerFrameRateFraction=0.25,ProfileLevel=H264_Main_3_2"));
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session, "ExpectedFrameRate=30"));
    CHECK_OK(nalu_compression_session_prepare(c.session));
    clip_close(&c);

    /* In CAVLC, macroblocks of type I_PCM are aligned to bytes. */
    clip_open(&c, W, H);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session,
        "BaseLayerFrameRateFraction=0.5,H264EntropyMode=CAVLC,x264.params=\"psy=0:subme=7\""));
    REFUSED(nalu_compression_session_prepare(c.session), NALU_STATUS_CONFLICT, "BaseLayerFrameRateFraction", "CABAC");
    clip_close(&c);
}

int main(void) {
    RUN(both_layers_and_the_base_alone_decode);
    RUN(noise_and_cuts_do_not_break_the_layers);
    RUN(the_base_layer_gets_its_share);
    RUN(data_rate_limits_hold_and_leave_the_layers_whole);
    RUN(slices_keep_their_limit);
    RUN(what_layers_exclude_is_refused);
    return check_result();
}
