/*
 * Measures the real-time governor on this machine: frames arrive in real time, at twice the rate that a preset
 * reaches here. Prints the rate without and with the governor, its steps, and their cost. Then the frames
 * arrive slowly again.
 *
 * usage: governor CLIP.nv12 [WIDTH HEIGHT]     raw '420v' frames, 1280x720 unless said otherwise
 */
#include <math.h>
#include <nalu/nalu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int width = 1280, height = 720, clip_frames;
static size_t frame_size;
static uint8_t *clip;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void sleep_until(double moment) {
    double left = moment - now();
    if (left <= 0) return;
    struct timespec time = {(time_t)left, (long)((left - floor(left)) * 1e9)};
    nanosleep(&time, NULL);
}

static void must(nalu_status status) {
    if (status == NALU_STATUS_OK) return;
    fprintf(stderr, "governor: %s\n", nalu_last_error_message());
    exit(1);
}

enum { SECONDS = 6, MOST = 4096 };

typedef struct run {
    double arrived[MOST]; /* seconds from the start to the delivery of each frame */
    int count, dropped, key_frames;
    double qp, bytes, start;
} run;

static void take(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    run *it = (run *)refcon;
    (void)frame, (void)status, (void)flags;
    if (!sample) {
        it->dropped++;
        return;
    }
    size_t size = 0;
    nalu_sample_get_data(sample, &size);
    it->bytes += (double)size;
    it->qp += nalu_sample_get_average_qp(sample);
    it->key_frames += nalu_sample_is_key_frame(sample);
    if (it->count < MOST) it->arrived[it->count++] = now() - it->start;
}

static nalu_compression_session *open_session(run *it, const char *preset, double rate, int governs) {
    nalu_compression_session *session = NULL;
    char text[256];
    memset(it, 0, sizeof *it);
    must(nalu_compression_session_create(width, height, NALU_CODEC_H264, NULL, NULL, take, it, NULL, &session));
    snprintf(text, sizeof text,
             "RealTime=true,AverageBitRate=3000000,ExpectedFrameRate=%.3f,x264.preset=%s,NaluRealTimeGovernor=%s", rate, preset,
             governs ? "true" : "false");
    must(nalu_session_set_properties_from_text(session, text));
    must(nalu_compression_session_prepare(session));
    return session;
}

static void encode(nalu_compression_session *session, int number, double rate) {
    const uint8_t *frame = clip + (size_t)(number % clip_frames) * frame_size;
    const void *planes[2] = {frame, frame + (size_t)width * (size_t)height};
    const int64_t strides[2] = {width, width};
    must(nalu_compression_session_encode_planes(session, width, height, NALU_PIXEL_FORMAT_420V, 2, planes, strides, NULL,
                                                nalu_time_make_with_seconds(number / rate, 90000), nalu_time_invalid(),
                                                NULL, NULL, NULL));
}

static int64_t step_of(nalu_compression_session *session) {
    int64_t step = 0;
    must(nalu_session_get_int64(session, NALU_PROPERTY_GOVERNOR_STEP, &step));
    return step;
}

/* Returns how many frames per second the preset reaches. */
static double speed(const char *preset) {
    run it;
    nalu_compression_session *session = open_session(&it, preset, 30, 0);
    it.start = now();
    for (int i = 0; i < 60; i++) encode(session, i, 30);
    must(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
    double rate = 60 / (now() - it.start);
    nalu_compression_session_release(session);
    return rate;
}

/* Encodes frames at `rate` in real time. Returns the rate of delivered frames from second 2 on. */
static double paced(const char *preset, double rate, int governs, run *it) {
    nalu_compression_session *session = open_session(it, preset, rate, governs);
    int number = 0, last = (int)(SECONDS * rate);
    it->start = now();
    for (; number < last; number++) {
        /* If the client is late, it encodes the next frame at once. */
        sleep_until(it->start + number / rate);
        if (now() - it->start > SECONDS) break;
        encode(session, number, rate);
        if (governs && number % (int)(rate / 4 + 1) == 0) printf("%d ", (int)step_of(session));
    }
    must(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
    int from = 0, to = 0;
    for (int i = 0; i < it->count; i++) {
        if (it->arrived[i] < 2) from = i + 1;
        if (it->arrived[i] <= SECONDS) to = i + 1;
    }
    if (governs) {
        /* The load ends: frames arrive at a third of the rate. */
        printf("| ");
        for (int i = 0; i < (int)(SECONDS * rate / 3); i++, number++) {
            double start = now();
            encode(session, number, rate);
            if (i % (int)(rate / 6 + 1) == 0) printf("%d ", (int)step_of(session));
            if (i == 0) must(nalu_session_set_double(session, NALU_PROPERTY_EXPECTED_FRAME_RATE, rate / 3));
            sleep_until(start + 3 / rate);
        }
        must(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
        printf("| at the end %d\n", (int)step_of(session));
    }
    nalu_compression_session_release(session);
    return (to - from) / (SECONDS - 2.0);
}

int main(int count, char **arguments) {
    static const char *const presets[] = {"slow", "medium", "veryfast"};
    FILE *file = count > 1 ? fopen(arguments[1], "rb") : NULL;
    if (!file) {
        fprintf(stderr, "usage: governor CLIP.nv12 [WIDTH HEIGHT]\n");
        return 1;
    }
    if (count > 3) width = atoi(arguments[2]), height = atoi(arguments[3]);
    frame_size = (size_t)width * (size_t)height * 3 / 2;
    clip = (uint8_t *)malloc(frame_size * 600);
    if (!clip) return 1;
    clip_frames = (int)fread(clip, frame_size, 600, file);
    fclose(file);
    setvbuf(stdout, NULL, _IONBF, 0);
    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
        run without, with;
        double reached = speed(presets[i]), factor = i < 2 ? 2 : 1.3, asked = reached * factor;
        printf("%s: reaches %.1f frames per second, asked for %.1f times that, %.1f\n  steps: ", presets[i], reached, factor,
               asked);
        double held = paced(presets[i], asked, 1, &with), held_without = paced(presets[i], asked, 0, &without);
        printf("  from second 2 on: %.3f of the rate with the governor, %.3f without; dropped %d, key frames %d\n"
               "  mean QP %.2f with, %.2f without\n",
               held / asked, held_without / asked, with.dropped, with.key_frames, with.qp / with.count,
               without.qp / without.count);
    }
    free(clip);
    return 0;
}
