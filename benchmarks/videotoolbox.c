/*
 * Measures the overhead of VTCompressionSession over libnalu's own interface: both encode the same frames from
 * memory with equal properties, alternately, in one process. The ratios and differences are medians over the
 * rounds.
 *
 * usage: videotoolbox [-q] [-r ROUNDS] CLIP.nv12      CLIP: frames of 1280x720
 */
#include <VideoToolbox/VideoToolbox.h>
#include <nalu/nalu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ROUNDS = 99 };

typedef struct run {
    int width, height;
    int frames;  /* number of frames to encode */
    int buffers; /* number of buffers in memory */
    CVPixelBufferRef *pixels;
    const char *preset;
} run;

typedef struct cost {
    double seconds;
    double processor; /* processor seconds of all threads, which other programs affect less */
} cost;

static double read_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static cost now(void) { return (cost){read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_PROCESS_CPUTIME_ID)}; }

static cost since(cost begin) {
    const cost end = now();
    return (cost){end.seconds - begin.seconds, end.processor - begin.processor};
}

static void require(int status, const char *what) {
    if (status == 0) return;
    fprintf(stderr, "videotoolbox: %s: %d (%s)\n", what, status, nalu_last_error_message());
    exit(1);
}

static void count(void *refcon, void *frame, OSStatus status, VTEncodeInfoFlags flags, CMSampleBufferRef sample) {
    (void)frame, (void)flags;
    require(status, "a frame");
    *(size_t *)refcon += CMSampleBufferGetTotalSampleSize(sample);
}

static void count_plain(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags,
    nalu_sample *sample) {
    size_t size = 0;
    (void)frame, (void)flags;
    require(status, "a frame");
    (void)nalu_sample_get_data(sample, &size);
    *(size_t *)refcon += size;
}

static cost encode_here(const run *run, size_t *bytes) {
    VTCompressionSessionRef session = NULL;
    CFStringRef preset = CFStringCreateWithCString(NULL, run->preset, kCFStringEncodingUTF8);
    const cost begin = now();
    require(VTCompressionSessionCreate(NULL, run->width, run->height, kCMVideoCodecType_H264, NULL, NULL, NULL, count,
                bytes, &session),
        "create");
    require(VTSessionSetProperty(session, CFSTR("x264.preset"), preset), "preset");
    require(VTSessionSetProperty(session, CFSTR("x264.params"), CFSTR("threads=1")), "params");
    for (int n = 0; n < run->frames; n++)
        require(VTCompressionSessionEncodeFrame(session, run->pixels[n % run->buffers], CMTimeMake(n, 30),
                    kCMTimeInvalid, NULL, NULL, NULL),
            "encode");
    require(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), "complete");
    CFRelease(session);
    CFRelease(preset);
    return since(begin);
}

static cost encode_plainly(const run *run, size_t *bytes) {
    nalu_compression_session *session = NULL;
    const cost begin = now();
    require(nalu_compression_session_create(
                run->width, run->height, NALU_CODEC_H264, NULL, NULL, count_plain, bytes, NULL, &session),
        "create");
    require(nalu_session_set_string(session, NALU_PROPERTY_X264_PRESET, run->preset), "preset");
    require(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, "b-pyramid=none:threads=1"), "params");
    for (int n = 0; n < run->frames; n++) {
        CVPixelBufferRef pixels = run->pixels[n % run->buffers];
        const void *planes[2];
        int64_t strides[2];
        uint64_t sizes[2];
        for (size_t i = 0; i < 2; i++) {
            planes[i] = CVPixelBufferGetBaseAddressOfPlane(pixels, i);
            strides[i] = (int64_t)CVPixelBufferGetBytesPerRowOfPlane(pixels, i);
            sizes[i] = (uint64_t)strides[i] * CVPixelBufferGetHeightOfPlane(pixels, i);
        }
        require(nalu_compression_session_encode_planes(session, run->width, run->height, NALU_PIXEL_FORMAT_420V, 2,
                    planes, strides, sizes, nalu_time_make(n, 30), nalu_time_invalid(), NULL, NULL, NULL),
            "encode");
    }
    require(nalu_compression_session_complete_frames(session, nalu_time_invalid()), "complete");
    nalu_compression_session_release(session);
    return since(begin);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void measure(const char *name, const run *run, int rounds) {
    double ratios[MOST_ROUNDS], differences[MOST_ROUNDS], rates[MOST_ROUNDS];
    size_t bytes[2] = {0, 0};
    for (int round = -1; round < rounds; round++) {
        cost costs[2];
        for (int turn = 0; turn < 2; turn++) {
            const int which = (turn + round + 1) % 2;
            costs[which] = which ? encode_here(run, &bytes[1]) : encode_plainly(run, &bytes[0]);
        }
        if (round < 0) continue; /* warm-up */
        ratios[round] = costs[1].seconds / costs[0].seconds;
        differences[round] = (costs[1].processor - costs[0].processor) / run->frames;
        rates[round] = run->frames / costs[0].seconds;
    }
    printf("| %s | %.0f | %+.2f %% | %+.2f | %+.3f %% |\n", name, median(rates, rounds),
        100 * (median(ratios, rounds) - 1), 1e6 * median(differences, rounds),
        100 * ((double)bytes[1] / (double)bytes[0] - 1));
}

/* Fills buffers with the upper left part of the clip's frames. */
static void fill(run *run, FILE *clip) {
    uint8_t *frame = malloc(1280 * 720 * 3 / 2);
    run->pixels = calloc((size_t)run->buffers, sizeof *run->pixels);
    rewind(clip);
    for (int n = 0; n < run->buffers; n++) {
        if (fread(frame, 1280 * 720 * 3 / 2, 1, clip) != 1) {
            run->buffers = n;
            break;
        }
        require(CVPixelBufferCreate(NULL, (size_t)run->width, (size_t)run->height,
                    kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, NULL, &run->pixels[n]),
            "a buffer");
        CVPixelBufferLockBaseAddress(run->pixels[n], 0);
        for (size_t i = 0; i < 2; i++)
            for (size_t y = 0; y < CVPixelBufferGetHeightOfPlane(run->pixels[n], i); y++)
                memcpy((uint8_t *)CVPixelBufferGetBaseAddressOfPlane(run->pixels[n], i) +
                        y * CVPixelBufferGetBytesPerRowOfPlane(run->pixels[n], i),
                    frame + i * 1280 * 720 + y * 1280, (size_t)run->width);
        CVPixelBufferUnlockBaseAddress(run->pixels[n], 0);
    }
    free(frame);
    if (run->buffers == 0) require(-1, "the clip has no frame of 1280x720");
}

int main(int argc, char **argv) {
    int rounds = 9, quick = 0;
    for (int option; (option = getopt(argc, argv, "qr:")) != -1;) {
        if (option == 'q') quick = 1;
        else if (option == 'r') rounds = atoi(optarg);
        else return 2;
    }
    if (quick) rounds = 3;
    if (rounds < 1 || rounds > MOST_ROUNDS) rounds = MOST_ROUNDS;
    FILE *clip = optind < argc ? fopen(argv[optind], "rb") : NULL;
    if (!clip) {
        fprintf(stderr, "usage: videotoolbox [-q] [-r ROUNDS] CLIP.nv12\n");
        return 2;
    }
    run large = {1280, 720, quick ? 60 : 120, 60, NULL, "veryfast"};
    run small = {64, 64, quick ? 2000 : 5000, 60, NULL, "ultrafast"};
    fill(&large, clip);
    fill(&small, clip);
    fclose(clip);
    printf("## VideoToolbox over libnalu's own interface\n\n"
           "Frames in memory, one thread. Time over the plain interface; %d rounds in turn.\n\n"
           "| | frames/s, plain | time | processor, µs a frame | bytes |\n|---|---|---|---|---|\n",
        rounds);
    measure("1280x720, veryfast", &large, rounds);
    measure("64x64, ultrafast", &small, rounds);
    return 0;
}
