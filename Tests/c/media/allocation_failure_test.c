/*
 * Memory runs out while a file is read, decoded or written. Each child process makes the n-th allocation of
 * FFmpeg and of the libraries fail, or that allocation and all later ones. Each call reports the lack of
 * memory, or its result is right.
 *
 * A case tries some dozens of n, or all of them if NALU_SOAK is in the environment.
 */
#include "decode_support.h"
#include "failing_heap.h"
#include "ffmpeg_function.h"

#include <dlfcn.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { FRAMES = 12, MOST_READ = 2 * FRAMES, TRIES = 24 };

/* The result of a child process for its parent, which has the same libraries at the same addresses. */
static struct report {
    long count;
    bool has_failed;
    int depth, crash_depth;
    void *trace[FAILING_HEAP_DEPTH], *crash[FAILING_HEAP_DEPTH];
} *report;

static clip movie;
static decode_recorder all = DECODE_RECORDER_INIT;

/* Notes a failure. Only memory is missing, so the first error must report that. */
static bool failed(nalu_status status) {
    if (status == NALU_STATUS_OK) return false;
    const bool is_first = !report->has_failed;
    report->has_failed = true;
    /* FFmpeg also reports a failed allocation as bad data, because a corrupt count is the usual cause. */
    if (status == NALU_STATUS_BAD_DATA && (!is_first || strstr(nalu_last_error_message(), "more memory than there is")))
        return true;
    CHECK_STATUS(status, NALU_STATUS_ALLOCATION_FAILED);
    return true;
}

/* ---- Reading ------------------------------------------------------------------------------------------------------------ */

/* The samples of the file, read with enough memory. */
static nalu_sample *expected[MOST_READ];
static int expected_count;

static bool same_bytes(const nalu_sample *a, const nalu_sample *b) {
    size_t size = 0, other = 0;
    const uint8_t *bytes = nalu_sample_get_data(a, &size), *others = nalu_sample_get_data(b, &other);
    return size == other && memcmp(bytes, others, size) == 0;
}

static void check_read(const nalu_sample *sample, int number) {
    CHECK(same_bytes(sample, expected[number]));
    CHECK(same_time(nalu_sample_get_presentation_time(sample), nalu_sample_get_presentation_time(expected[number])));
    CHECK(same_time(nalu_sample_get_decode_time(sample), nalu_sample_get_decode_time(expected[number])));
    CHECK_EQ(nalu_sample_get_attachments(sample), nalu_sample_get_attachments(expected[number]));
    CHECK(nalu_format_description_equal(nalu_sample_get_format_description(sample),
                                        nalu_sample_get_format_description(expected[number])));
}

static void read_file(const char *path) {
    nalu_reader *reader = NULL;
    int count = 0;
    if (failed(nalu_reader_create_with_path(path, NULL, &reader))) return;
    for (int calls = 0; calls < 2 * MOST_READ; calls++) {
        nalu_sample *sample = NULL;
        const nalu_status status = nalu_reader_next_sample(reader, NULL, &sample);
        if (status == NALU_STATUS_VALUE_NOT_AVAILABLE) break;
        if (failed(status)) continue;
        /* After a failure, samples may be missing. */
        while (report->has_failed && count < expected_count && !same_bytes(sample, expected[count])) count++;
        if (CHECK(count < expected_count) && !report->has_failed) check_read(sample, count);
        count++;
        nalu_sample_release(sample);
    }
    if (!report->has_failed) CHECK_EQ(count, expected_count);
    nalu_reader_release(reader);
}

static void expect(const char *path) {
    nalu_reader *reader = NULL;
    REQUIRE_OK(nalu_reader_create_with_path(path, NULL, &reader));
    for (expected_count = 0; expected_count < MOST_READ; expected_count++)
        if (nalu_reader_next_sample(reader, NULL, &expected[expected_count]) != NALU_STATUS_OK) break;
    nalu_reader_release(reader);
}

/* ---- Decoding ----------------------------------------------------------------------------------------------------------- */

typedef struct decoding {
    uint32_t specification, flags;
    int32_t threads;
    nalu_destination_attributes attributes;
} decoding;

static nalu_pixel_buffer *images[FRAMES];

static void decode_clip(const decoding *how) {
    nalu_decompression_session *session = NULL;
    nalu_decoder_specification specification = NALU_DECODER_SPECIFICATION_INIT;
    size_t accepted = 0, gone = 0, damaged = 0;
    specification.flags = how->specification;
    specification.thread_count = how->threads;
    if (failed(nalu_decompression_session_create(clip_format(&movie), &specification, &how->attributes, record_decoded, &all,
                                                 NULL, &session)))
        return;
    for (int i = 0; i < movie.count; i++) accepted += !failed(decode_sample(session, &movie, (size_t)i, how->flags));
    (void)failed(wait_all(session));
    CHECK_EQ(all.count, accepted);
    for (size_t i = 0; i < all.count; i++) {
        const decoded *it = &all.results[i];
        const size_t number = FRAME_NUMBER(it->frame_refcon);
        gone += it->status == NALU_STATUS_ALLOCATION_FAILED;
        damaged += (it->flags & NALU_DECODE_INFO_DAMAGED) != 0;
        if (it->status != NALU_STATUS_REFERENCE_MISSING && it->status != NALU_STATUS_BAD_DATA) (void)failed(it->status);
        if (it->image && images[number] && !(it->flags & NALU_DECODE_INFO_DAMAGED)) CHECK(same_image(it->image, images[number]));
    }
    report->has_failed |= gone + damaged > 0;
    /* A sample may be reported as corrupt only if it follows a picture without memory. With several threads
     * nothing is checked: FFmpeg reports a lack of memory in its own threads as corrupt data. */
    for (size_t i = 0; i < all.count && how->threads == 1; i++) {
        if (all.results[i].status == NALU_STATUS_REFERENCE_MISSING) CHECK(gone + damaged > 0 || accepted < (size_t)movie.count);
        if (all.results[i].status == NALU_STATUS_BAD_DATA) CHECK(gone > 0 || accepted < (size_t)movie.count);
    }
    nalu_decompression_session_release(session);
}

/* ---- Writing ------------------------------------------------------------------------------------------------------------ */

typedef struct writing {
    const char *name;
    uint32_t flags;
} writing;

static uint8_t *file_bytes;
static size_t file_size;

static void write_file(const writing *how) {
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    nalu_writer *writer = NULL;
    bool has_failed = false;
    const char *path = test_path(how->name);
    options.flags = how->flags | NALU_WRITER_OVERWRITE;
    if (failed(nalu_writer_create_with_path(path, NULL, &options, &writer))) return;
    has_failed = failed(nalu_writer_add_track(writer, clip_format(&movie), NULL, NULL));
    for (int i = 0; i < movie.count && !has_failed; i++)
        has_failed = failed(nalu_writer_write_sample(writer, 0, movie.samples[i]));
    const nalu_status finished = nalu_writer_finish(writer);
    if (has_failed) CHECK(finished != NALU_STATUS_OK);
    else has_failed = failed(finished);
    nalu_writer_release(writer);
    if (has_failed || !file_bytes) return;
    size_t size = 0;
    uint8_t *bytes = media_read_file(path, &size);
    if (CHECK_EQ(size, file_size)) CHECK_BYTES(bytes, file_bytes, size);
    free(bytes);
}

/* ---- Children ----------------------------------------------------------------------------------------------------------- */

static void note_crash(int signal_number) {
    report->crash_depth = backtrace(report->crash, FAILING_HEAP_DEPTH);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/*
 * FFmpeg 5.1, libavcodec/h264_picture.c: ff_h264_ref_picture and ff_h264_replace_picture assert that the other
 * thread's picture has a buffer. Without memory it has none. Only decoders with frame threads call them in this
 * way, from h264_update_thread_context. The assertion calls abort from libavcodec.
 */
static bool is_known_assertion(void) {
    Dl_info info;
    for (int i = 0; i + 1 < report->crash_depth; i++)
        if (dladdr(report->crash[i], &info) && info.dli_sname && strcmp(info.dli_sname, "abort") == 0)
            return dladdr(report->crash[i + 1], &info) && strstr(info.dli_fname, "/libavcodec.so");
    return false;
}

/* Runs the body with failing allocations from `first` to `last`, in a child that must not crash or hang. */
static bool run_child(const char *name, void (*body)(const void *), const void *context, long first, long last) {
    int status = 0;
    memset(report, 0, sizeof *report);
    fflush(NULL);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        check_failures = 0;
        alarm(60);
        signal(SIGSEGV, note_crash);
        signal(SIGABRT, note_crash);
        failing_heap_start(first, last);
        body(context);
        report->count = failing_heap_stop();
        report->depth = failing_heap.depth;
        memcpy(report->trace, failing_heap.trace, sizeof report->trace);
        fflush(NULL);
        _exit(check_failures ? 1 : 0);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && is_known_assertion()) return true;
    if (CHECK_EQ(status, 0)) return true;
    fprintf(stderr, "%s, allocations %ld to %ld failing:\n", name, first, last);
    fflush(stderr);
    backtrace_symbols_fd(report->trace, report->depth, STDERR_FILENO);
    if (report->crash_depth) fprintf(stderr, "and it crashed in:\n");
    fflush(stderr);
    backtrace_symbols_fd(report->crash, report->crash_depth, STDERR_FILENO);
    return false;
}

static void try_all(const char *name, void (*body)(const void *), const void *context) {
    if (!run_child(name, body, context, 0, 0)) return;
    const long count = report->count, step = getenv("NALU_SOAK") || count < TRIES ? 1 : count / TRIES;
    int tries = 0, told = 0;
    CHECK(!report->has_failed);
    CHECK(count > 0);
    for (long n = 1; n <= count; n += step)
        for (int forever = 0; forever < 2; forever++) {
            run_child(name, body, context, n, forever ? LONG_MAX : n);
            told += report->has_failed;
            tries++;
        }
    printf("  %s: %ld allocations, %d failures tried, %d reported\n", name, count, tries, told);
}

/* ---- Cases -------------------------------------------------------------------------------------------------------------- */

static const writing files[] = {{"plain.mp4", 0}, {"fast.mp4", NALU_WRITER_FAST_START}, {"fragments.mp4", NALU_WRITER_FRAGMENTED},
                                {"plain.mkv", 0}, {"plain.ts", 0}, {"plain.flv", 0}, {"plain.h264", 0}};
enum { FILES = sizeof files / sizeof *files };

static void read_body(const void *context) { read_file(test_path(((const writing *)context)->name)); }
static void decode_body(const void *context) { decode_clip(context); }
static void write_body(const void *context) { write_file(context); }

static void reading_reports_that_memory_is_missing(void) {
    for (int i = 0; i < FILES; i++) {
        media_write_file(test_path(files[i].name), &movie, files[i].flags, NULL);
        expect(test_path(files[i].name));
        CHECK_EQ(expected_count, FRAMES);
        try_all(files[i].name, read_body, &files[i]);
        for (int k = 0; k < expected_count; k++) nalu_sample_release(expected[k]);
    }
}

static void writing_reports_that_memory_is_missing(void) {
    for (int i = 0; i < FILES; i++) {
        file_bytes = media_read_file(test_path(files[i].name), &file_size);
        try_all(files[i].name, write_body, &files[i]);
        free(file_bytes);
    }
}

static void decoding_reports_that_memory_is_missing(void) {
    const nalu_destination_attributes plain = NALU_DESTINATION_ATTRIBUTES_INIT;
    nalu_destination_attributes scaled = plain, rgb = plain;
    scaled.width = 40, scaled.height = 30;
    rgb.pixel_format = NALU_PIXEL_FORMAT_BGRA;
    const struct { const char *name; decoding how; } cases[] = {
        {"one thread", {0, 0, 1, plain}},
        {"asynchronous", {0, ASYNCHRONOUS, 2, plain}},
        {"decode order", {NALU_DECODER_IN_DECODE_ORDER, 0, 1, plain}},
        {"drop until key frame", {NALU_DECODER_DROP_UNTIL_KEY_FRAME, 0, 1, plain}},
        {"scaled", {0, 0, 1, scaled}},
        {"RGB", {0, 0, 1, rgb}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        decode_clip(&cases[i].how);
        for (size_t k = 0; k < all.count; k++)
            images[FRAME_NUMBER(all.results[k].frame_refcon)] = nalu_pixel_buffer_retain(all.results[k].image);
        decoded_clear(&all);
        try_all(cases[i].name, decode_body, &cases[i].how);
        for (int k = 0; k < FRAMES; k++) nalu_pixel_buffer_release(images[k]), images[k] = NULL;
    }
}

int main(void) {
    if (!FAILING_HEAP_WORKS) {
        printf("a sanitizer has a heap of its own: nothing fails\n");
        return 0;
    }
    report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(report != MAP_FAILED);
    REQUIRE_OK(nalu_media_load()); /* before its libraries are looked for */
    failing_heap_prepare();
    /* Before its first message FFmpeg looks for a terminal, which sets errno. This would hide one lack of
     * memory per process. */
    void (*log_message)(void *, int, const char *, ...);
    *(void **)&log_message = ffmpeg_function("av_log");
    log_message(NULL, 16, "FFmpeg's messages about memory follow\n");
    make_clip(&movie, FRAMES, true);
    RUN(reading_reports_that_memory_is_missing);
    RUN(writing_reports_that_memory_is_missing);
    RUN(decoding_reports_that_memory_is_missing);
    clip_close(&movie);
    return check_result();
}
