/*
 * CalculateMeanSquaredError: the errors in the samples equal those of the pictures that FFmpeg decodes. Each
 * sample has its own errors, the statistics contain the means, and the stream is the same as without the
 * property.
 */
#include "clip.h"
#include "ffmpeg.h"
#include "refusal.h"

#include <math.h>

enum { WIDTH = 176, HEIGHT = 144, FRAMES = 24, LUMA = WIDTH * HEIGHT, CHROMA = LUMA / 4 };

static void open_with(clip *c, const char *properties, int measures) {
    clip_open(c, WIDTH, HEIGHT);
    c->noise = 90;
    REQUIRE_OK(nalu_session_set_properties_from_text(c->session, properties));
    if (measures) REQUIRE_OK(nalu_session_set_bool(c->session, NALU_PROPERTY_CALCULATE_MEAN_SQUARED_ERROR, 1));
}

static nalu_quality_metrics metrics_of(const nalu_sample *sample) {
    nalu_quality_metrics metrics = {.struct_size = sizeof metrics};
    REQUIRE_OK(nalu_sample_get_quality_metrics(sample, &metrics));
    CHECK_EQ(metrics.struct_size, sizeof metrics);
    CHECK_EQ(metrics.reserved, 0);
    return metrics;
}

static double decibels(double error, double peak) { return 10 * log10(peak * peak / error); }

static int is_near(double a, double b, double part) { return a == b || fabs(a - b) <= part * fabs(b); }

/* Computes the mean squared errors of a decoded picture against the source frame: luma, Cb, Cr. `bytes` is 2
 * for 10 bits. */
static void errors_of(clip *c, int32_t frame, const uint8_t *decoded, int bytes, double errors[3]) {
    const int fed = c->fed, shift = bytes == 2 ? 2 : 0;
    size_t at = 0;
    c->fed = frame;
    clip_draw(c);
    c->fed = fed;
    for (int plane = 0; plane < 3; plane++) {
        const int count = plane ? CHROMA : LUMA;
        double sum = 0;
        for (int i = 0; i < count; i++, at += (size_t)bytes) {
            const int is = bytes == 2 ? decoded[at] | decoded[at + 1] << 8 : decoded[at];
            const int source = plane ? c->pixels[LUMA + 2 * i + plane - 1] : c->pixels[i];
            sum += (double)(is - (source << shift)) * (is - (source << shift));
        }
        errors[plane] = sum / count;
    }
}

/* Reads FFmpeg's SSIM of luma for each picture in presentation order. */
static void read_ssim(clip *c, stream_file *stream, double ssim[FRAMES]) {
    char path[300], command[1200], *line = NULL;
    size_t room = 0;
    int count = 0;
    snprintf(path, sizeof path, "%s.yuv", stream->path);
    FILE *source = fopen(path, "wb");
    REQUIRE(source);
    for (c->fed = 0; c->fed < FRAMES; c->fed++) {
        clip_draw(c);
        REQUIRE(fwrite(c->pixels, 1, LUMA * 3 / 2, source) == LUMA * 3 / 2);
    }
    fclose(source);
    REQUIRE(fflush(stream->file) == 0);
    snprintf(command, sizeof command,
             "exec ffmpeg -nostdin -v error -f h264 -i '%s' -f rawvideo -pix_fmt nv12 -s %dx%d -i '%s' -lavfi "
             "'[0:v]settb=1/25,setpts=N[a];[1:v]settb=1/25,setpts=N,format=yuv420p[b];[a][b]ssim=stats_file=-' -f null -",
             stream->path, WIDTH, HEIGHT, path);
    FILE *pipe = popen(command, "r");
    REQUIRE(pipe);
    while (getline(&line, &room, pipe) > 0) {
        const char *at = strstr(line, " Y:");
        if (at && count < FRAMES) ssim[count++] = strtod(at + 3, NULL);
    }
    free(line);
    pclose(pipe);
    unlink(path);
    REQUIRE(CHECK_EQ(count, FRAMES));
}

static void check_against_decoder(const char *properties, int bytes) {
    static clip c;
    const double peak = bytes == 2 ? 1023 : 255;
    double sum_of_errors = 0, sum_of_ssim = 0, ssim[FRAMES];
    stream_file stream;
    open_with(&c, properties, 1);
    clip_encode_all(&c, FRAMES);
    stream_open(&stream);
    for (int i = 0; i < c.count; i++) stream_add(&stream, c.samples[i], NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES);
    pictures all = bytes == 2
        ? stream_collect(stream_judge(&stream, "-v error", "-f rawvideo -pix_fmt yuv420p10le -"), WIDTH * 2, HEIGHT)
        : stream_decode(&stream, WIDTH, HEIGHT);
    REQUIRE(CHECK_EQ(all.count, FRAMES));
    if (bytes == 1) read_ssim(&c, &stream, ssim);
    for (int i = 0; i < c.count; i++) {
        const nalu_quality_metrics m = metrics_of(c.samples[i]);
        const int32_t frame = (int32_t)nalu_sample_get_presentation_time(c.samples[i]).value;
        double e[3];
        errors_of(&c, frame, picture(&all, frame), bytes, e);
        CHECK(is_near(m.luma_mean_squared_error, e[0], 1e-6));
        CHECK(is_near(m.chroma_blue_mean_squared_error, e[1], 1e-6));
        CHECK(is_near(m.chroma_red_mean_squared_error, e[2], 1e-6));
        CHECK(is_near(m.luma_psnr, decibels(e[0], peak), 1e-6));
        CHECK(is_near(m.chroma_blue_psnr, decibels(e[1], peak), 1e-6));
        CHECK(is_near(m.chroma_red_psnr, decibels(e[2], peak), 1e-6));
        const double together = (4 * e[0] + e[1] + e[2]) / 6;
        CHECK(is_near(m.average_psnr, decibels(together, peak), 1e-6));
        CHECK(m.ssim > 0 && m.ssim <= 1);
        /* The windows have the same size, but x264's begin two samples further right and down (encoder.c,
         * fdec_filter_row). */
        if (bytes == 1) CHECK(fabs(m.ssim - ssim[frame]) < 0.02);
        sum_of_errors += together, sum_of_ssim += m.ssim;
    }
    nalu_session_statistics statistics = {.struct_size = sizeof statistics};
    REQUIRE_OK(nalu_compression_session_get_statistics(c.session, &statistics));
    CHECK(is_near(statistics.mean_psnr, decibels(sum_of_errors / FRAMES, peak), 1e-6));
    CHECK(is_near(statistics.mean_ssim, sum_of_ssim / FRAMES, 1e-9));
    printf("  %s: PSNR %.2f dB, SSIM %.4f\n", properties, statistics.mean_psnr, statistics.mean_ssim);
    pictures_free(&all);
    stream_close(&stream);
    clip_close(&c);
}

static void errors_are_those_of_the_decoded_pictures(void) {
    check_against_decoder("AverageBitRate=300000", 1);
    check_against_decoder("Quality=0.3,x264.preset=veryfast", 1);
    check_against_decoder("RealTime=true,AverageBitRate=200000", 1);
    check_against_decoder("x264.params=\"threads=4:sliced-threads=1\",Quality=0.4", 1);
    check_against_decoder("x264.params=\"threads=4\",AverageBitRate=500000", 1);
    check_against_decoder("OutputBitDepth=10,AverageBitRate=300000", 2);
}

static void a_lossless_picture_has_an_infinite_psnr(void) {
    static clip c;
    open_with(&c, "RealTime=true", 1);
    c.noise = 0;
    for (int i = 0; i < 3; i++) {
        const void *planes[2] = {c.pixels, c.pixels + LUMA};
        const int64_t strides[2] = {WIDTH, WIDTH};
        memset(c.pixels, 128, LUMA * 3 / 2);
        REQUIRE_OK(nalu_compression_session_encode_planes(c.session, WIDTH, HEIGHT, NALU_PIXEL_FORMAT_420V, 2, planes,
            strides, NULL, nalu_time_make(i, 30), nalu_time_make(1, 30), NULL, NULL, NULL));
    }
    c.fed = 3;
    clip_finish(&c);
    const nalu_quality_metrics m = metrics_of(c.samples[2]);
    CHECK(m.luma_mean_squared_error == 0 && m.chroma_blue_mean_squared_error == 0);
    CHECK(isinf(m.luma_psnr) && isinf(m.average_psnr));
    CHECK(m.ssim > 0.9999);
    nalu_session_statistics statistics = {.struct_size = sizeof statistics};
    REQUIRE_OK(nalu_compression_session_get_statistics(c.session, &statistics));
    CHECK(isinf(statistics.mean_psnr));
    clip_close(&c);
}

static void quality_metrics_do_not_change_the_stream(void) {
    /* x264's macroblock tree is off, because at this width it does not give equal bytes in two runs. */
    static const char *const same = "x264.params=\"threads=1:mbtree=0\",AverageBitRate=300000";
    static clip with, without;
    open_with(&with, same, 1);
    open_with(&without, same, 0);
    clip_encode(&with, FRAMES);
    clip_encode(&without, FRAMES);
    clip_finish(&with);
    clip_finish(&without);
    for (int i = 0; i < FRAMES; i++) {
        size_t size = 0, other = 0;
        const uint8_t *a = nalu_sample_get_data(with.samples[i], &size);
        const uint8_t *b = nalu_sample_get_data(without.samples[i], &other);
        CHECK_EQ(size, other);
        CHECK(size == other && memcmp(a, b, size) == 0);
    }
    clip_close(&with);
    clip_close(&without);
}

static void without_the_property_samples_have_no_metrics(void) {
    static clip c;
    nalu_quality_metrics metrics = {.struct_size = sizeof metrics, .ssim = 7};
    open_with(&c, "", 0);
    clip_encode_all(&c, 2);
    REFUSED(nalu_sample_get_quality_metrics(c.samples[0], &metrics), NALU_STATUS_VALUE_NOT_AVAILABLE, "CalculateMeanSquaredError");
    CHECK(metrics.ssim == 7);
    nalu_session_statistics statistics = {.struct_size = sizeof statistics};
    REQUIRE_OK(nalu_compression_session_get_statistics(c.session, &statistics));
    CHECK(isnan(statistics.mean_psnr) && isnan(statistics.mean_ssim));
    CHECK_STATUS(nalu_session_set_bool(c.session, NALU_PROPERTY_CALCULATE_MEAN_SQUARED_ERROR, 1), NALU_STATUS_TOO_LATE);
    clip_close(&c);
}

static void wrong_arguments_are_refused(void) {
    static clip c;
    nalu_quality_metrics metrics = {.struct_size = sizeof metrics};
    open_with(&c, "", 1);
    clip_encode_all(&c, 1);
    CHECK_STATUS(nalu_sample_get_quality_metrics(c.samples[0], NULL), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_sample_get_quality_metrics(NULL, &metrics), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_sample_get_quality_metrics((const nalu_sample *)(void *)c.session, &metrics),
                 NALU_STATUS_INVALID_HANDLE);
    metrics.struct_size = sizeof metrics - 1;
    CHECK_STATUS(nalu_sample_get_quality_metrics(c.samples[0], &metrics), NALU_STATUS_PARAMETER);
    clip_close(&c);

    open_with(&c, "", 1);
    REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "psnr=1"), NALU_STATUS_OUT_OF_RANGE, "CalculateMeanSquaredError");
    clip_close(&c);
}

int main(void) {
    RUN(errors_are_those_of_the_decoded_pictures);
    RUN(a_lossless_picture_has_an_infinite_psnr);
    RUN(quality_metrics_do_not_change_the_stream);
    RUN(without_the_property_samples_have_no_metrics);
    RUN(wrong_arguments_are_refused);
    return check_result();
}
