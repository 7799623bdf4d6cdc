/*
 * Encodes raw frames as a script on standard input describes, and writes the library's results.
 *
 * usage: encode_stream OUTPUT < SCRIPT
 *
 * OUTPUT.264 is the stream as Annex B, with parameter sets before key frames. OUTPUT.samples contains the data
 * of all samples in order. OUTPUT.log contains the rest, one line per event (see take_sample and report). The
 * exit status is 0 if every call succeeded and every frame was delivered as a sample.
 *
 * The script, one command a line:
 *
 *     session WIDTH HEIGHT
 *     set KEY [VALUE...]             the numbers of a list separated by spaces
 *     unset KEY
 *     input planes|wrap|pool|own     how frames are passed: encode_planes, wrapping buffers, or copied into
 *                                    a buffer of the session's pool (if the format and size match) or a new one
 *     pad BYTES                      more bytes in each row than the format needs
 *     source FORMAT WIDTH HEIGHT PATH    the file of the next frames, without padding
 *     frame VALUE TIMESCALE DURATION DURATION_TIMESCALE FLAGS    timescale 0: invalid; flags: nalu_frame_options
 *     prepare
 *     complete [VALUE TIMESCALE]     until that time, or all
 */
#include <inttypes.h>
#include <nalu/nalu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pixel_layout {
    const char *name;
    nalu_pixel_format format;
    uint32_t planes;
    int32_t bytes;  /* per pixel of the first plane */
} pixel_layout;

static const pixel_layout layouts[] = {
    {"420v", NALU_PIXEL_FORMAT_420V, 2, 1},   {"420f", NALU_PIXEL_FORMAT_420F, 2, 1},
    {"y420", NALU_PIXEL_FORMAT_Y420, 3, 1},   {"f420", NALU_PIXEL_FORMAT_F420, 3, 1},
    {"BGRA", NALU_PIXEL_FORMAT_BGRA, 1, 4},   {"RGBA", NALU_PIXEL_FORMAT_RGBA, 1, 4},
    {"ARGB", NALU_PIXEL_FORMAT_ARGB, 1, 4},   {"ABGR", NALU_PIXEL_FORMAT_ABGR, 1, 4},
    {"24RGB", NALU_PIXEL_FORMAT_24RGB, 1, 3}, {"24BGR", NALU_PIXEL_FORMAT_24BGR, 1, 3},
    {"2vuy", NALU_PIXEL_FORMAT_2VUY, 1, 2},   {"yuvs", NALU_PIXEL_FORMAT_YUVS, 1, 2},
    {"L008", NALU_PIXEL_FORMAT_L008, 1, 1},
};

static struct {
    nalu_compression_session *session;
    const pixel_layout *layout;
    int32_t width, height;
    int64_t pad;
    const char *input;
    FILE *source, *annex_b, *samples, *log;
    nalu_format_description *format;
    uint64_t fed, offset;
    int failures;  /* set by the callback; read after all frames are delivered */
} run = {.input = "planes"};

static void fail(const char *what, nalu_status status) {
    fprintf(stderr, "encode_stream: %s: %s: %s\n", what, nalu_status_string(status), nalu_last_error_message());
    exit(EXIT_FAILURE);
}

static void check(const char *what, nalu_status status) {
    if (status != NALU_STATUS_OK) fail(what, status);
}

static void stop(const char *what) {
    fprintf(stderr, "encode_stream: %s\n", what);
    exit(EXIT_FAILURE);
}

static FILE *open_file(const char *stem, const char *extension) {
    char path[4096];
    FILE *file;
    snprintf(path, sizeof path, "%s%s", stem, extension);
    file = fopen(path, "wb");
    if (!file) stop(path);
    return file;
}

static void *memory(size_t size) {
    void *bytes = malloc(size ? size : 1);
    if (!bytes) stop("out of memory");
    return bytes;
}

/* ---- Samples ------------------------------------------------------------ */

static void report_time(nalu_time time) {
    fprintf(run.log, " %" PRId64 " %" PRId32 " %" PRIu32 " %" PRId64, time.value, time.timescale, time.flags,
            time.epoch);
}

/* dropped FRAME: dropped, for example because of DataRateLimits. avcc HEX: the format description of the
 * following samples. */
static void take_format(nalu_format_description *format) {
    size_t size = 0;
    const uint8_t *bytes = nalu_format_description_get_avcc(format, &size);
    if (run.format && nalu_format_description_equal(run.format, format)) return;
    nalu_format_description_release(run.format);
    run.format = nalu_format_description_retain(format);
    fputs("avcc ", run.log);
    for (size_t i = 0; i < size; i++) fprintf(run.log, "%02x", bytes[i]);
    fputc('\n', run.log);
}

/* sample FRAME SIZE ATTACHMENTS IS_KEY NAL_COUNT AVERAGE_QP PTS DTS DURATION, each time as its four fields. */
static void take_sample(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags,
                        nalu_sample *sample) {
    size_t size = 0, annex_b_size = 0;
    const uint8_t *data = nalu_sample_get_data(sample, &size);
    uint8_t *annex_b;
    (void)refcon;
    if (!sample && status == NALU_STATUS_OK && flags == NALU_ENCODE_INFO_FRAME_DROPPED) {
        fprintf(run.log, "dropped %" PRIuPTR "\n", (uintptr_t)frame - 1);
        return;
    }
    if (!sample) {
        fprintf(run.log, "lost %" PRIuPTR " %s %" PRIu32 "\n", (uintptr_t)frame, nalu_status_string(status), flags);
        run.failures++;
        return;
    }
    take_format(nalu_sample_get_format_description(sample));
    fprintf(run.log, "sample %" PRIuPTR " %zu %" PRIu32 " %" PRId32 " %" PRIu32 " %.3f", (uintptr_t)frame - 1, size,
            nalu_sample_get_attachments(sample), nalu_sample_is_key_frame(sample), nalu_sample_get_nal_count(sample),
            nalu_sample_get_average_qp(sample));
    report_time(nalu_sample_get_presentation_time(sample));
    report_time(nalu_sample_get_decode_time(sample));
    report_time(nalu_sample_get_duration(sample));
    fputc('\n', run.log);
    if (frame != nalu_sample_get_frame_refcon(sample)) run.failures++;
    if (fwrite(data, 1, size, run.samples) != size) run.failures++;

    annex_b = memory(size * 2 + 4096);
    if (nalu_sample_copy_annex_b(sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES, annex_b, size * 2 + 4096,
                                 &annex_b_size) != NALU_STATUS_OK ||
        fwrite(annex_b, 1, annex_b_size, run.annex_b) != annex_b_size)
        run.failures++;
    free(annex_b);
}

/* ---- Frames ------------------------------------------------------------- */

static int64_t row_bytes(uint32_t plane) {
    int64_t width = run.width, half = (width + 1) / 2;
    if (plane > 0) return run.layout->planes == 2 ? half * 2 : half;
    return run.layout->bytes == 2 ? half * 4 : width * run.layout->bytes;
}

static int64_t rows(uint32_t plane) {
    return plane ? (run.height + 1) / 2 : run.height;
}

static void read_plane(uint8_t *bytes, int64_t stride, uint32_t plane) {
    for (int64_t row = 0; row < rows(plane); row++)
        if (fread(bytes + row * stride, (size_t)row_bytes(plane), 1, run.source) != 1)
            stop("the source has come to its end");
}

/* Reads the next frame into new memory, which begins at planes[0]. Bytes between rows do not belong to the
 * picture. */
static void read_frame(void *planes[3], int64_t strides[3], uint64_t sizes[3]) {
    uint64_t total = 0;
    uint8_t *bytes;
    for (uint32_t i = 0; i < run.layout->planes; i++) {
        strides[i] = row_bytes(i) + run.pad;
        sizes[i] = (uint64_t)(strides[i] * rows(i));
        total += sizes[i];
    }
    bytes = memory(total);
    memset(bytes, 0xa5, total);
    for (uint32_t i = 0; i < run.layout->planes; i++) {
        planes[i] = bytes;
        read_plane(bytes, strides[i], i);
        bytes += sizes[i];
    }
}

static nalu_pixel_buffer *filled_buffer(int from_pool) {
    nalu_pixel_buffer *buffer = NULL;
    if (from_pool) {
        nalu_pixel_buffer_pool *pool = nalu_compression_session_get_pixel_buffer_pool(run.session);
        check("pool", nalu_pixel_buffer_pool_create_pixel_buffer(pool, &buffer));
        if (nalu_pixel_buffer_get_pixel_format(buffer) != run.layout->format ||
            nalu_pixel_buffer_get_width(buffer) != run.width || nalu_pixel_buffer_get_height(buffer) != run.height) {
            nalu_pixel_buffer_release(buffer);
            buffer = NULL;
        }
    }
    if (!buffer) check("buffer", nalu_pixel_buffer_create(run.width, run.height, run.layout->format, &buffer));
    for (uint32_t i = 0; i < run.layout->planes; i++)
        read_plane(nalu_pixel_buffer_get_plane_base_address(buffer, i),
                   nalu_pixel_buffer_get_plane_stride(buffer, i), i);
    return buffer;
}

static void encode(nalu_time time, nalu_time duration, uint32_t flags) {
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    void *refcon = (void *)(uintptr_t)(run.fed + 1), *planes[3] = {NULL, NULL, NULL};
    int64_t strides[3];
    uint64_t sizes[3];
    nalu_pixel_buffer *buffer = NULL;
    options.flags = flags;
    if (!run.session || !run.source) stop("frame before session and source");

    if (strcmp(run.input, "planes") == 0) {
        read_frame(planes, strides, sizes);
        check("encode_planes", nalu_compression_session_encode_planes(run.session, run.width, run.height,
            run.layout->format, run.layout->planes, (const void *const *)planes, strides, sizes, time, duration,
            &options, refcon, NULL));
        /* The library no longer uses the memory after the call. */
        memset(planes[0], 0, sizes[0]);
        free(planes[0]);
    } else {
        if (strcmp(run.input, "wrap") == 0) {
            read_frame(planes, strides, sizes);
            check("wrap", nalu_pixel_buffer_create_with_planes(run.width, run.height, run.layout->format,
                run.layout->planes, (const void *const *)planes, strides, sizes, free, planes[0], &buffer));
        } else {
            buffer = filled_buffer(strcmp(run.input, "pool") == 0);
        }
        check("encode_frame",
              nalu_compression_session_encode_frame(run.session, buffer, time, duration, &options, refcon, NULL));
        nalu_pixel_buffer_release(buffer);
    }
    run.fed++;
}

/* ---- The script --------------------------------------------------------- */

static void set_property(const char *key, const char *text) {
    nalu_property_info info;
    double numbers[16];
    size_t count = 0;
    char *rest;
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    check(key, nalu_property_get_info(key, &info));
    switch (info.type) {
    case NALU_PROPERTY_TYPE_BOOL: check(key, nalu_session_set_bool(run.session, key, atoi(text))); break;
    case NALU_PROPERTY_TYPE_INT64: check(key, nalu_session_set_int64(run.session, key, atoll(text))); break;
    case NALU_PROPERTY_TYPE_DOUBLE: check(key, nalu_session_set_double(run.session, key, atof(text))); break;
    case NALU_PROPERTY_TYPE_STRING: check(key, nalu_session_set_string(run.session, key, text)); break;
    default:
        for (; count < 16; text = rest) {
            numbers[count] = strtod(text, &rest);
            if (rest == text) break;
            count++;
        }
        check(key, nalu_session_set_numbers(run.session, key, numbers, count));
    }
}

static void open_source(const char *arguments) {
    char name[16], path[4096];
    if (sscanf(arguments, "%15s %" SCNd32 " %" SCNd32 " %4095s", name, &run.width, &run.height, path) != 4)
        stop("source takes FORMAT WIDTH HEIGHT PATH");
    run.layout = NULL;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (strcmp(layouts[i].name, name) == 0) run.layout = &layouts[i];
    if (!run.layout) stop("no such format");
    if (run.source) fclose(run.source);
    run.source = fopen(path, "rb");
    if (!run.source) stop(path);
}

static void open_session(const char *arguments) {
    int32_t width = 0, height = 0;
    if (sscanf(arguments, "%" SCNd32 " %" SCNd32, &width, &height) != 2) stop("session takes WIDTH HEIGHT");
    check("session", nalu_compression_session_create(width, height, NALU_CODEC_H264, NULL, NULL, take_sample, NULL,
                                                     NULL, &run.session));
}

static void encode_as(const char *arguments) {
    int64_t value, duration;
    int32_t scale, duration_scale;
    uint32_t flags;
    if (sscanf(arguments, "%" SCNd64 " %" SCNd32 " %" SCNd64 " %" SCNd32 " %" SCNu32, &value, &scale, &duration,
               &duration_scale, &flags) != 5)
        stop("frame takes VALUE TIMESCALE DURATION DURATION_TIMESCALE FLAGS");
    encode(nalu_time_make(value, scale), nalu_time_make(duration, duration_scale), flags);
}

static void complete(const char *arguments) {
    nalu_time until = nalu_time_invalid();
    int64_t value;
    int32_t scale;
    if (sscanf(arguments, "%" SCNd64 " %" SCNd32, &value, &scale) == 2) until = nalu_time_make(value, scale);
    check("complete", nalu_compression_session_complete_frames(run.session, until));
}

static void set(char *arguments) {
    char *space = strchr(arguments, ' ');
    if (space) *space = 0;
    set_property(arguments, space ? space + 1 : "");
}

static void command(char *line) {
    static char input[16];
    char *arguments = strchr(line, ' ');
    if (arguments) *arguments++ = 0;
    else arguments = line + strlen(line);
    if (strcmp(line, "session") == 0) open_session(arguments);
    else if (strcmp(line, "set") == 0) set(arguments);
    else if (strcmp(line, "unset") == 0) check(arguments, nalu_session_unset_property(run.session, arguments));
    else if (strcmp(line, "input") == 0) snprintf(input, sizeof input, "%s", arguments), run.input = input;
    else if (strcmp(line, "pad") == 0) run.pad = atoll(arguments);
    else if (strcmp(line, "source") == 0) open_source(arguments);
    else if (strcmp(line, "frame") == 0) encode_as(arguments);
    else if (strcmp(line, "prepare") == 0) check("prepare", nalu_compression_session_prepare(run.session));
    else if (strcmp(line, "complete") == 0) complete(arguments);
    else stop("no such command");
}

/* Writes "depth N", the property NaluReorderDepth, and "reordering 0" or "reordering 1",
 * the value of AllowFrameReordering. */
static void report(void) {
    int64_t depth;
    int32_t reordering;
    check("NaluReorderDepth", nalu_session_get_int64(run.session, NALU_PROPERTY_REORDER_DEPTH, &depth));
    check("AllowFrameReordering",
          nalu_session_get_bool(run.session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, &reordering));
    fprintf(run.log, "depth %" PRId64 "\nreordering %" PRId32 "\n", depth, reordering);
}

int main(int argc, char **argv) {
    char line[8192];
    if (argc != 2) stop("usage: encode_stream OUTPUT < SCRIPT");
    run.annex_b = open_file(argv[1], ".264");
    run.samples = open_file(argv[1], ".samples");
    run.log = open_file(argv[1], ".log");
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0]) command(line);
    }
    if (!run.session) stop("no session");
    complete("");
    report();
    nalu_compression_session_release(run.session);
    nalu_format_description_release(run.format);
    if (run.source) fclose(run.source);
    if (fclose(run.annex_b) || fclose(run.samples) || fclose(run.log)) stop("the output cannot be written");
    if (run.failures) stop("frames were lost, see the log");
    return EXIT_SUCCESS;
}
