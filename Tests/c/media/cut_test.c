/* nalu_cut: samples between the edges are copied, samples at the edges are encoded anew, and impossible cuts
 * are rejected. */
#include "media_reading.h"

#include <nalu/media/cut.h>
#include <unistd.h>

enum { FRAMES = 60 };

static clip movie;
static char *whole;

typedef struct shares {
    int calls, stop_at;
    double last;
} shares;

static int32_t take_share(void *refcon, double share) {
    shares *it = (shares *)refcon;
    CHECK(share >= it->last && share <= 1);
    it->last = share;
    return ++it->calls == it->stop_at;
}

static nalu_cut_options options_of(int32_t start, int32_t end) {
    nalu_cut_options options = NALU_CUT_OPTIONS_INIT;
    if (start >= 0) options.start = nalu_time_make(start, 30);
    if (end >= 0) options.end = nalu_time_make(end, 30);
    return options;
}

/* Returns how many samples of a file equal one of the clip's. Checks that presentation times count from 0
 * without a gap. */
static int same_samples(const char *path, int count) {
    nalu_reader *reader = reader_of(path);
    nalu_sample *sample = NULL;
    int same = 0, seen[FRAMES] = {0}, total = 0;
    while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK) {
        size_t size = 0, other = 0;
        const uint8_t *bytes = nalu_sample_get_data(sample, &size);
        int place = (int)lround(nalu_time_get_seconds(nalu_sample_get_presentation_time(sample)) * 30);
        if (CHECK(place >= 0 && place < count)) seen[place]++;
        for (int i = 0; i < movie.count; i++) {
            const uint8_t *own = nalu_sample_get_data(movie.samples[i], &other);
            if (size == other && memcmp(bytes, own, size) == 0) {
                same++;
                break;
            }
        }
        total++;
        nalu_sample_release(sample);
    }
    CHECK_EQ(total, count);
    for (int i = 0; i < count; i++) CHECK_EQ(seen[i], 1);
    nalu_reader_release(reader);
    return same;
}

/* The clip has a key frame every ten frames and pairs of B-frames. */
static void a_cut_copies_everything_except_the_edges(void) {
    static const int32_t parts[][2] = {{0, 60}, {3, 47}, {10, 40}, {-1, 25}, {35, -1}, {12, 18}, {29, 31}, {59, 60}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        int32_t start = parts[i][0] < 0 ? 0 : parts[i][0], end = parts[i][1] < 0 ? FRAMES : parts[i][1];
        nalu_cut_options options = options_of(parts[i][0], parts[i][1]);
        nalu_cut_result result = {.struct_size = sizeof result};
        const char *path = test_path("part.mp4");
        options.flags = NALU_CUT_OVERWRITE;
        CHECK_OK(nalu_cut(whole, path, &options, &result));
        CHECK_EQ(result.copied_frames + result.encoded_frames, (uint64_t)(end - start));
        CHECK_EQ(result.hidden_frames, 0);
        CHECK_EQ(result.left_out_tracks, 0);
        CHECK_EQ((uint64_t)same_samples(path, end - start), result.copied_frames);
        if (start % 10 == 0 && end % 10 == 0) CHECK_EQ(result.encoded_frames, 0);
    }
}

static void a_cut_reports_progress_and_can_be_cancelled(void) {
    shares it = {0};
    nalu_cut_options options = options_of(3, 47);
    options.progress = take_share;
    options.refcon = &it;
    options.container = "matroska";
    options.format = "mp4";
    CHECK_OK(nalu_cut(whole, test_path("part.bin"), &options, NULL));
    CHECK(it.calls >= 40 && it.last == 1);
    it = (shares){.stop_at = 5};
    options.container = NULL;
    CHECK_STATUS(nalu_cut(whole, test_path("cancelled.mp4"), &options, NULL), NALU_STATUS_CANCELLED);
    CHECK(access(test_path("cancelled.mp4"), F_OK) != 0);
}

static void refuses(const char *input, const char *output, nalu_cut_options options, nalu_status status, const char *words) {
    CHECK_STATUS(nalu_cut(input, output, &options, NULL), status);
    if (!CHECK(strstr(nalu_last_error_message(), words) != NULL)) fprintf(stderr, "%s\n", nalu_last_error_message());
    if (output && output != whole) CHECK(access(output, F_OK) != 0);
}

static void impossible_cuts_are_refused(void) {
    const char *path = test_path("refused.mp4");
    nalu_cut_options options = options_of(3, 47);
    nalu_cut_result result = {.struct_size = 1};
    refuses(NULL, path, options, NALU_STATUS_PARAMETER, "input is NULL");
    refuses(whole, NULL, options, NALU_STATUS_PARAMETER, "output is NULL");
    refuses("/nowhere/a.mp4", path, options, NALU_STATUS_INPUT_OUTPUT, "nowhere");
    refuses(whole, test_path("refused.xyz"), options, NALU_STATUS_PARAMETER, "selects no container");
    refuses(whole, path, options_of(20, 10), NALU_STATUS_INVALID_TIME, "expected an end after the start");
    refuses(whole, path, options_of(10, 10), NALU_STATUS_INVALID_TIME, "expected an end after the start");
    refuses(whole, path, options_of(600, 700), NALU_STATUS_VALUE_NOT_AVAILABLE, "lasts from 0 to 2 s");
    options.start = nalu_time_invalid();
    options.start.value = 1;
    refuses(whole, path, options, NALU_STATUS_INVALID_TIME, "start is not a numeric time");
    options = options_of(3, 47);
    options.flags = 2;
    refuses(whole, path, options, NALU_STATUS_PARAMETER, "options.flags is 2");
    options.flags = NALU_CUT_OVERWRITE;
    refuses(whole, whole, options, NALU_STATUS_PARAMETER, "the output is the input itself");
    options.struct_size = 4;
    refuses(whole, path, options, NALU_STATUS_PARAMETER, "struct_size is 4");
    options = options_of(3, 47);
    CHECK_STATUS(nalu_cut(whole, path, &options, &result), NALU_STATUS_PARAMETER);
    CHECK_OK(nalu_cut(whole, path, &options, NULL));
    CHECK_STATUS(nalu_cut(whole, path, &options, NULL), NALU_STATUS_INPUT_OUTPUT);
    CHECK(strstr(nalu_last_error_message(), "NALU_CUT_OVERWRITE") != NULL);
}

typedef struct inside {
    int calls;
    nalu_status encoding, copying;
} inside;

static void cut_inside(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    inside *it = (inside *)refcon;
    (void)frame, (void)flags;
    CHECK_OK(status);
    CHECK(sample != NULL);
    if (it->calls++) return;
    nalu_cut_options options = options_of(3, 47);
    it->encoding = nalu_cut(whole, test_path("inside.mp4"), &options, NULL);
    options = options_of(10, 40);
    it->copying = nalu_cut(whole, test_path("copied.mp4"), &options, NULL);
}

/* A session's callback must not wait for a session. A cut that encodes is rejected there, and leaves no
 * file. */
static void a_cut_in_a_callback_does_not_wait(void) {
    static const uint8_t grey[64 * 48 * 3 / 2];
    const void *planes[3] = {grey, grey + 64 * 48, grey + 64 * 48 * 5 / 4};
    const int64_t strides[3] = {64, 32, 32};
    inside it = {0};
    nalu_compression_session *session = NULL;
    REQUIRE_OK(nalu_compression_session_create(64, 48, NALU_CODEC_H264, NULL, NULL, cut_inside, &it, NULL, &session));
    CHECK_OK(nalu_compression_session_encode_planes(session, 64, 48, NALU_PIXEL_FORMAT_Y420, 3, planes, strides, NULL,
                                                    nalu_time_make(0, 30), nalu_time_make(1, 30), NULL, NULL, NULL));
    CHECK_OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
    nalu_compression_session_release(session);
    CHECK_EQ(it.calls, 1);
    CHECK_STATUS(it.encoding, NALU_STATUS_WOULD_BLOCK);
    CHECK(access(test_path("inside.mp4"), F_OK) != 0);
    CHECK_OK(it.copying);
}

int main(void) {
    whole = media_file_of_clip(&movie, FRAMES);
    RUN(a_cut_copies_everything_except_the_edges);
    RUN(a_cut_reports_progress_and_can_be_cancelled);
    RUN(impossible_cuts_are_refused);
    RUN(a_cut_in_a_callback_does_not_wait);
    clip_close(&movie);
    free(whole);
    return check_result();
}
