/* Several passes over a clip: their order, their errors, their results, and the removal of their files. */
#include "refusal.h"
#include "session_support.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FRAMES = 40, RATE = 100000 };

static char directory[] = "/tmp/nalu-multi-pass-test-XXXXXX";
static recorder all = RECORDER_INIT;

/* Returns the number of entries in the test's own directory; `name` receives the path of the last one. */
static int entries(char *name, size_t capacity) {
    DIR *opened = opendir(directory);
    struct dirent *entry;
    int count = 0;
    REQUIRE(opened);
    while ((entry = readdir(opened)))
        if (entry->d_name[0] != '.') {
            count++;
            if (name) snprintf(name, capacity, "%s/%s", directory, entry->d_name);
        }
    closedir(opened);
    return count;
}

static nalu_multi_pass_storage *make_storage(void) {
    nalu_multi_pass_storage *storage = NULL;
    REQUIRE_OK(nalu_multi_pass_storage_create(directory, &storage));
    return storage;
}

/* Creates a session with a bit rate, B-frames and its own storage. */
static nalu_compression_session *make_multi_pass(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    nalu_multi_pass_storage *storage = make_storage();
    make_reordering(session);
    REQUIRE_OK(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, RATE));
    REQUIRE_OK(nalu_compression_session_set_multi_pass_storage(session, storage));
    nalu_multi_pass_storage_release(storage); /* the session keeps a reference */
    return session;
}

static void encode_frames(nalu_compression_session *session, unsigned frames) {
    encode_pictures(session, frames);
}

static int32_t run_pass(nalu_compression_session *session, unsigned frames) {
    int32_t again = -1;
    recorder_clear(&all);
    CHECK_OK(nalu_compression_session_begin_pass(session, 0));
    encode_frames(session, frames);
    CHECK_OK(nalu_compression_session_end_pass(session, &again));
    check_all_encoded(&all, frames);
    return again;
}

static void end(nalu_compression_session *session) {
    CHECK_OK(nalu_compression_session_invalidate(session));
    CHECK_EQ(entries(NULL, 0), 0);
    end_session(session, &all);
}

static void every_pass_gives_a_complete_stream(void) {
    nalu_compression_session *session = make_multi_pass();
    char effective[4096];
    size_t size = 0;
    CHECK_EQ(run_pass(session, FRAMES), 1);
    CHECK_OK(nalu_session_copy_string(session, NALU_PROPERTY_X264_EFFECTIVE, effective, sizeof effective, &size));
    CHECK(strstr(effective, ":pass=1") != NULL);
    for (int pass = 2; pass <= 3; pass++) {
        run_pass(session, FRAMES);
        CHECK_OK(nalu_session_copy_string(session, NALU_PROPERTY_X264_EFFECTIVE, effective, sizeof effective, &size));
        CHECK(strstr(effective, ":pass=2") != NULL);
        CHECK(nalu_sample_is_key_frame(all.results[0].sample));
        check_decode_times(&all);
        for (size_t i = 0; i < all.count; i++)
            CHECK(same_time(nalu_sample_get_presentation_time(all.results[i].sample),
                            frame_time((int64_t)FRAME_NUMBER(all.results[i].frame_refcon))));
    }
    end(session);
}

/* Later passes keep the frame types of the first pass, and the key frames that the client forced. */
static void test_later_passes_have_the_frame_types_of_the_first(void) {
    nalu_compression_session *session = make_multi_pass();
    nalu_frame_options force = NALU_FRAME_OPTIONS_INIT;
    int key[3][FRAMES] = {{0}}, reference[3][FRAMES] = {{0}};
    force.flags = NALU_FRAME_FORCE_KEY_FRAME;
    CHECK_OK(nalu_session_set_int64(session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 15));
    for (int pass = 0; pass < 3; pass++) {
        recorder_clear(&all);
        CHECK_OK(nalu_compression_session_begin_pass(session, 0));
        for (unsigned i = 0; i < FRAMES; i++) {
            if (pass > 0 && i == 8)
                REFUSED(encode_picture_with(session, i, &force), NALU_STATUS_CONFLICT, "frame 8", "not a key frame");
            /* The second pass forces the key frame again, which is allowed. The third pass relies on the first. */
            CHECK_OK(encode_picture_with(session, i, i == 7 && pass < 2 ? &force : NULL));
        }
        int32_t again;
        CHECK_OK(nalu_compression_session_end_pass(session, &again));
        check_all_encoded(&all, FRAMES);
        for (size_t i = 0; i < all.count; i++) {
            size_t number = FRAME_NUMBER(all.results[i].frame_refcon);
            key[pass][number] = nalu_sample_is_key_frame(all.results[i].sample);
            reference[pass][number] = (nalu_sample_get_attachments(all.results[i].sample) &
                                       NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS) != 0;
        }
    }
    CHECK(key[0][0] && key[0][7] && key[0][22] && key[0][37]);
    for (int pass = 1; pass < 3; pass++) {
        CHECK_BYTES(key[pass], key[0], sizeof key[0]);
        CHECK_BYTES(reference[pass], reference[0], sizeof reference[0]);
    }
    end(session);
}

static void pass_functions_in_a_wrong_order_are_refused(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    nalu_multi_pass_storage *storage = make_storage(), *other = make_storage();
    nalu_time_range range;
    size_t count = 7;
    int32_t again = 7;
    REFUSED(nalu_compression_session_begin_pass(session, 0), NALU_STATUS_OUT_OF_ORDER, "set_multi_pass_storage");
    REFUSED(nalu_compression_session_end_pass(session, &again), NALU_STATUS_OUT_OF_ORDER, "set_multi_pass_storage");
    CHECK_EQ(again, 0);
    CHECK_OK(nalu_compression_session_set_multi_pass_storage(session, storage));
    CHECK_OK(nalu_compression_session_set_multi_pass_storage(session, storage));
    REFUSED(nalu_compression_session_begin_pass(session, 0), NALU_STATUS_CONFLICT, "AverageBitRate", "is 0");
    REFUSED(nalu_compression_session_prepare(session), NALU_STATUS_CONFLICT, "AverageBitRate");
    CHECK_OK(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, RATE));
    REFUSED(nalu_compression_session_begin_pass(session, 2), NALU_STATUS_PARAMETER, "flags is 2", "0 or 1");
    REFUSED(encode_picture(session, 0), NALU_STATUS_OUT_OF_ORDER, "expected begin_pass");
    REFUSED(nalu_compression_session_end_pass(session, &again), NALU_STATUS_OUT_OF_ORDER, "expected begin_pass");
    REFUSED(nalu_multi_pass_storage_close(storage), NALU_STATUS_CONFLICT, "a session uses it");
    CHECK_OK(nalu_compression_session_prepare(session));
    CHECK_OK(nalu_compression_session_set_multi_pass_storage(session, other));
    CHECK_OK(nalu_compression_session_set_multi_pass_storage(session, storage));
    CHECK_OK(nalu_compression_session_prepare(session));
    CHECK_OK(nalu_compression_session_begin_pass(session, 0));
    REFUSED(nalu_compression_session_set_multi_pass_storage(session, other), NALU_STATUS_TOO_LATE, "begin_pass");
    REFUSED(nalu_compression_session_begin_pass(session, 0), NALU_STATUS_OUT_OF_ORDER, "pass 1 has begun");
    REFUSED(nalu_compression_session_set_multi_pass_storage(session, NULL), NALU_STATUS_TOO_LATE, "begin_pass");
    encode_frames(session, FRAMES);
    CHECK_STATUS(nalu_compression_session_get_time_ranges_for_next_pass(session, &range, 1, &count),
                 NALU_STATUS_VALUE_NOT_AVAILABLE);
    /* complete_frames has flushed the encoder, which therefore cannot continue this pass. */
    complete_and_check(session, &all, FRAMES);
    REFUSED(encode_picture(session, FRAMES), NALU_STATUS_OUT_OF_ORDER, "complete_frames");
    CHECK_OK(nalu_compression_session_end_pass(session, &again));
    CHECK_EQ(again, 1);
    REFUSED(encode_picture(session, 0), NALU_STATUS_OUT_OF_ORDER, "expected begin_pass");
    REFUSED(nalu_compression_session_end_pass(session, &again), NALU_STATUS_OUT_OF_ORDER, "no pass has begun");

    CHECK_OK(nalu_compression_session_get_time_ranges_for_next_pass(session, NULL, 0, &count));
    CHECK_EQ(count, 1);
    CHECK_OK(nalu_compression_session_get_time_ranges_for_next_pass(session, &range, 1, &count));
    CHECK_EQ(nalu_time_compare(range.start, nalu_time_make(0, 30)), 0);
    CHECK_EQ(nalu_time_compare(range.duration, nalu_time_make(FRAMES, 30)), 0);

    /* A pass is the last one if it has the flag of a final pass, or if the out-argument is missing. */
    CHECK_OK(nalu_compression_session_begin_pass(session, NALU_COMPRESSION_SESSION_BEGIN_FINAL_PASS));
    encode_frames(session, FRAMES);
    CHECK_OK(nalu_compression_session_end_pass(session, &again));
    CHECK_EQ(again, 0);
    REFUSED(nalu_compression_session_begin_pass(session, 0), NALU_STATUS_OUT_OF_ORDER, "final");
    CHECK_EQ(entries(NULL, 0), 2);
    nalu_multi_pass_storage_release(storage);
    nalu_multi_pass_storage_release(other);
    end(session);

    session = make_multi_pass();
    CHECK_OK(nalu_compression_session_begin_pass(session, 0));
    encode_frames(session, 3);
    CHECK_OK(nalu_compression_session_end_pass(session, NULL));
    REFUSED(nalu_compression_session_begin_pass(session, 0), NALU_STATUS_OUT_OF_ORDER, "final");
    end(session);
}

static void frames_that_differ_from_the_first_pass_are_refused(void) {
    nalu_compression_session *session = make_multi_pass();
    uint8_t pixels[PICTURE_SIZE];
    CHECK_EQ(run_pass(session, FRAMES), 1);
    draw_picture(pixels, 0);
    recorder_clear(&all);
    CHECK_OK(nalu_compression_session_begin_pass(session, 0));
    CHECK_OK(encode_picture(session, 0));
    REFUSED(encode_pixels(session, pixels, nalu_time_make(3, 60), NULL, NULL), NALU_STATUS_INVALID_TIME,
            "presentation_time is 3/60", "1/30", "frame 1");
    /* Equal times with different timescales are the same time. */
    CHECK_OK(encode_pixels(session, pixels, nalu_time_make(2, 60), NULL, FRAME(1)));
    for (unsigned i = 2; i < FRAMES; i++) CHECK_OK(encode_picture(session, i));
    REFUSED(encode_picture(session, FRAMES), NALU_STATUS_CONFLICT, "40 frames");
    complete_and_check(session, &all, FRAMES);
    int32_t again = 7;
    CHECK_OK(nalu_compression_session_end_pass(session, &again));

    /* A pass with fewer frames, even with none, ends with them. */
    for (unsigned frames = FRAMES; frames-- > 0; frames -= frames > 12 ? 6 : 0) CHECK_EQ(run_pass(session, frames), 0);
    end(session);
}

static void a_pass_without_frames_does_not_count(void) {
    nalu_compression_session *session = make_multi_pass();
    int32_t again = 7;
    for (int i = 0; i < 2; i++) {
        CHECK_OK(nalu_compression_session_begin_pass(session, 0));
        CHECK_OK(nalu_compression_session_end_pass(session, &again));
        CHECK_EQ(again, 0);
        CHECK_OK(nalu_compression_session_prepare(session));
    }
    CHECK_EQ(run_pass(session, FRAMES), 1);
    run_pass(session, FRAMES);
    end(session);
}

static void settings_that_passes_exclude_are_refused(void) {
    static const struct {
        const char *text, *word;
    } conflicts[] = {{"RealTime=true", "RealTime"}, {"MaxFrameDelayCount=0", "MaxFrameDelayCount"},
                     {"x264.tune=zerolatency", "zerolatency"}, {"Quality=0.5", "Quality 0.5"}};
    for (size_t i = 0; i < sizeof conflicts / sizeof conflicts[0]; i++) {
        nalu_compression_session *session = make_multi_pass();
        REFUSED(nalu_session_set_properties_from_text(session, conflicts[i].text), NALU_STATUS_CONFLICT,
                "multi-pass storage", conflicts[i].word);
        nalu_compression_session_release(session);
        nalu_multi_pass_storage *storage = make_storage();
        session = make_session(record_result, &all);
        CHECK_OK(nalu_session_set_properties_from_text(session, conflicts[i].text));
        REFUSED(nalu_compression_session_set_multi_pass_storage(session, storage), NALU_STATUS_CONFLICT,
                conflicts[i].word);
        CHECK_OK(nalu_multi_pass_storage_close(storage)); /* the session did not retain it */
        nalu_multi_pass_storage_release(storage);
        nalu_compression_session_release(session);
    }
    nalu_compression_session *session = make_multi_pass();
    REFUSED(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, "pass=2"), NALU_STATUS_OUT_OF_RANGE,
            "multi-pass storage", "multi_pass.h");
    REFUSED(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, "stats=x"), NALU_STATUS_OUT_OF_RANGE,
            "multi-pass storage");
    CHECK_OK(nalu_compression_session_set_multi_pass_storage(session, NULL)); /* after unsetting it, frames are
                                                                               * accepted */
    CHECK_OK(nalu_session_set_bool(session, NALU_PROPERTY_REAL_TIME, 1));
    CHECK_OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, ""));
    CHECK_OK(encode_picture(session, 0));
    end(session);
}

static void only_the_bit_rate_can_change_between_passes(void) {
    nalu_compression_session *session = make_multi_pass();
    CHECK_OK(nalu_compression_session_begin_pass(session, 0));
    for (int i = 0; i < 2; i++) {
        REFUSED(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, 2 * RATE), NALU_STATUS_TOO_LATE,
                "inside a pass");
        REFUSED(nalu_session_set_int64(session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 5), NALU_STATUS_TOO_LATE,
                "before begin_pass");
        CHECK_OK(nalu_session_set_bool(session, NALU_PROPERTY_ALLOW_SCALING, i));
        CHECK_OK(encode_picture(session, (unsigned)i));
    }
    for (unsigned i = 2; i < FRAMES; i++) CHECK_OK(encode_picture(session, i));
    int32_t again = 0;
    CHECK_OK(nalu_compression_session_end_pass(session, &again));
    REFUSED(nalu_session_set_int64(session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 5), NALU_STATUS_TOO_LATE,
            "before begin_pass");
    CHECK_STATUS(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, 0), NALU_STATUS_TOO_LATE);
    /* The rate may change between passes: the statistics are valid for another size. */
    double sizes[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        CHECK_OK(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, i ? 2 * RATE : RATE));
        run_pass(session, FRAMES);
        for (size_t j = 0; j < all.count; j++) {
            size_t size = 0;
            nalu_sample_get_data(all.results[j].sample, &size);
            sizes[i] += (double)size;
        }
    }
    CHECK(sizes[1] > 1.7 * sizes[0] && sizes[1] < 2.3 * sizes[0]);
    end(session);
}

static void files_of_passes_are_private_and_removed(void) {
    nalu_compression_session *session = make_multi_pass();
    char path[512] = "", file[600];
    struct stat info;
    CHECK_EQ(entries(path, sizeof path), 1);
    CHECK(stat(path, &info) == 0 && (info.st_mode & 0777) == 0700);
    CHECK_EQ(run_pass(session, FRAMES), 1);
    snprintf(file, sizeof file, "%s/statistics", path);
    CHECK(stat(file, &info) == 0 && (info.st_mode & 0777) == 0600 && info.st_size > 0);
    snprintf(file, sizeof file, "%s/statistics.mbtree", path);
    CHECK(stat(file, &info) == 0 && (info.st_mode & 0777) == 0600 && info.st_size > 0);
    end(session);

    /* The session is invalidated or released in a first pass or in a later one. */
    for (int way = 0; way < 4; way++) {
        session = make_multi_pass();
        if (way % 2) run_pass(session, FRAMES);
        recorder_clear(&all);
        CHECK_OK(nalu_compression_session_begin_pass(session, 0));
        encode_frames(session, FRAMES / 2);
        if (way < 2) CHECK_OK(nalu_compression_session_invalidate(session));
        else nalu_compression_session_release(session);
        CHECK_EQ(entries(NULL, 0), 0);
        check_each_once_encoded_or_dropped(&all, FRAMES / 2);
        if (way < 2) {
            int32_t again;
            CHECK_STATUS(nalu_compression_session_begin_pass(session, 0), NALU_STATUS_INVALID_SESSION);
            CHECK_STATUS(nalu_compression_session_end_pass(session, &again), NALU_STATUS_INVALID_SESSION);
            nalu_compression_session_release(session);
        }
        recorder_clear(&all);
    }

    /* A storage outlives its session, and serves the next session from the first pass on. */
    nalu_multi_pass_storage *storage = make_storage();
    for (int i = 0; i < 2; i++) {
        session = make_session(record_result, &all);
        make_reordering(session);
        CHECK_OK(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, RATE));
        CHECK_OK(nalu_compression_session_set_multi_pass_storage(session, storage));
        CHECK_EQ(run_pass(session, FRAMES), 1);
        nalu_compression_session *second = make_session(record_result, &all);
        REFUSED(nalu_compression_session_set_multi_pass_storage(second, storage), NALU_STATUS_CONFLICT,
                "a session uses it");
        nalu_compression_session_release(second);
        end_session(session, &all);
        CHECK_EQ(entries(path, sizeof path), 1);
        CHECK_EQ(rmdir(path), 0); /* the directory is empty */
        CHECK_EQ(mkdir(path, 0700), 0);
    }
    CHECK_PTR_EQ(nalu_multi_pass_storage_retain(storage), storage);
    nalu_multi_pass_storage_release(storage);
    CHECK_OK(nalu_multi_pass_storage_close(storage));
    CHECK_OK(nalu_multi_pass_storage_close(storage));
    CHECK_EQ(entries(NULL, 0), 0);
    session = make_session(record_result, &all);
    REFUSED(nalu_compression_session_set_multi_pass_storage(session, storage), NALU_STATUS_MULTI_PASS_STORAGE_INVALID,
            "closed");
    nalu_compression_session_release(session);
    nalu_multi_pass_storage_release(storage);
}

static void missing_and_unwritable_files_are_reported(void) {
    nalu_multi_pass_storage *storage = STALE;
    REFUSED(nalu_multi_pass_storage_create("/nowhere/at/all", &storage), NALU_STATUS_MULTI_PASS_STORAGE_INVALID,
            "directory is \"/nowhere/at/all\"", "No such file");
    CHECK_PTR_EQ(storage, NULL);
    REFUSED(nalu_multi_pass_storage_create("/proc", &storage), NALU_STATUS_MULTI_PASS_STORAGE_INVALID, "/proc");
    CHECK_OK(nalu_multi_pass_storage_create(NULL, &storage));
    nalu_multi_pass_storage_release(storage);

    char path[512] = "", file[600];
    nalu_compression_session *session = make_multi_pass();
    CHECK_EQ(entries(path, sizeof path), 1);
    CHECK_EQ(rmdir(path), 0);
    CHECK_OK(nalu_compression_session_begin_pass(session, 0));
    REFUSED(encode_picture(session, 0), NALU_STATUS_MULTI_PASS_STORAGE_INVALID, path, "cannot be written");
    CHECK_EQ(mkdir(path, 0700), 0);
    encode_frames(session, FRAMES);
    int32_t again = 0;
    CHECK_OK(nalu_compression_session_end_pass(session, &again));
    snprintf(file, sizeof file, "%s/statistics", path);
    CHECK_EQ(unlink(file), 0);
    REFUSED(nalu_compression_session_begin_pass(session, 0), NALU_STATUS_MULTI_PASS_STORAGE_INVALID, file);
    end(session);

    /* The directory is removed during the first pass. */
    session = make_multi_pass();
    CHECK_EQ(entries(path, sizeof path), 1);
    CHECK_OK(nalu_compression_session_begin_pass(session, 0));
    encode_frames(session, FRAMES);
    snprintf(file, sizeof file, "%s/statistics.temp", path);
    CHECK_EQ(unlink(file), 0);
    REFUSED(nalu_compression_session_end_pass(session, &again), NALU_STATUS_MULTI_PASS_STORAGE_INVALID, "statistics");
    CHECK_EQ(run_pass(session, FRAMES), 1); /* the passes begin again */
    end(session);
}

/* ---- Other threads and the callback ---- */

static nalu_compression_session *shared;

static void end_from_callback(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags,
                              nalu_sample *sample) {
    int32_t again = 7;
    record_result(refcon, frame, status, flags, sample);
    CHECK_STATUS(nalu_compression_session_end_pass(shared, &again), NALU_STATUS_REENTRANT);
    CHECK_EQ(again, 0);
    CHECK_STATUS(nalu_compression_session_begin_pass(shared, 0), NALU_STATUS_OUT_OF_ORDER);
}

static void pass_functions_in_the_callback_are_refused(void) {
    nalu_multi_pass_storage *storage = make_storage();
    int32_t again;
    shared = make_session(end_from_callback, &all);
    CHECK_OK(nalu_session_set_int64(shared, NALU_PROPERTY_AVERAGE_BIT_RATE, RATE));
    CHECK_OK(nalu_compression_session_set_multi_pass_storage(shared, storage));
    CHECK_OK(nalu_compression_session_begin_pass(shared, 0));
    encode_frames(shared, FRAMES);
    CHECK_OK(nalu_compression_session_end_pass(shared, &again));
    check_all_encoded(&all, FRAMES);
    nalu_multi_pass_storage_release(storage);
    end(shared);
}

/* Each call succeeds at most once per pass, whichever thread makes it. */
static void *call_both(void *session) {
    intptr_t ended = 0;
    for (int i = 0; i < 30; i++) {
        int32_t again;
        nalu_status begun = nalu_compression_session_begin_pass((nalu_compression_session *)session, 0);
        CHECK(begun == NALU_STATUS_OK || begun == NALU_STATUS_OUT_OF_ORDER);
        for (unsigned frame = 0; frame < 3; frame++) {
            nalu_status status = encode_picture((nalu_compression_session *)session, frame);
            CHECK(status == NALU_STATUS_OK || status == NALU_STATUS_OUT_OF_ORDER || status == NALU_STATUS_INVALID_TIME
                  || status == NALU_STATUS_CONFLICT);
        }
        nalu_status status = nalu_compression_session_end_pass((nalu_compression_session *)session, &again);
        CHECK(status == NALU_STATUS_OK || status == NALU_STATUS_OUT_OF_ORDER);
        ended += status == NALU_STATUS_OK;
    }
    return (void *)ended;
}

static void one_of_several_threads_begins_or_ends_a_pass(void) {
    nalu_compression_session *session = make_multi_pass();
    pthread_t threads[3];
    intptr_t ended = 0;
    for (int i = 0; i < 3; i++) REQUIRE(pthread_create(&threads[i], NULL, call_both, session) == 0);
    for (int i = 0; i < 3; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        ended += (intptr_t)result;
    }
    CHECK(ended > 0);
    for (size_t i = 0; i < all.count; i++) CHECK(all.results[i].sample != NULL);
    end(session);
}

static void *invalidate_soon(void *session) {
    sleep_milliseconds(5);
    CHECK_OK(nalu_compression_session_invalidate((nalu_compression_session *)session));
    return NULL;
}

static void invalidate_ends_a_pass(void) {
    for (int i = 0; i < 10; i++) {
        nalu_compression_session *session = make_multi_pass();
        pthread_t thread;
        int32_t again;
        CHECK_OK(nalu_compression_session_begin_pass(session, 0));
        encode_frames(session, FRAMES);
        REQUIRE(pthread_create(&thread, NULL, invalidate_soon, session) == 0);
        nalu_status status = nalu_compression_session_end_pass(session, &again);
        CHECK(status == NALU_STATUS_OK || status == NALU_STATUS_INVALID_SESSION);
        status = nalu_compression_session_begin_pass(session, 0);
        CHECK(status == NALU_STATUS_OK || status == NALU_STATUS_INVALID_SESSION);
        pthread_join(thread, NULL);
        check_each_once_encoded_or_dropped(&all, FRAMES);
        end(session);
    }
}

static void wrong_arguments_are_refused(void) {
    zeros nothing = {{0}};
    nalu_compression_session *session = make_multi_pass();
    nalu_multi_pass_storage *storage = (nalu_multi_pass_storage *)(void *)&nothing;
    nalu_time_range range;
    size_t count;
    int32_t again;
    REFUSED(nalu_multi_pass_storage_create(directory, NULL), NALU_STATUS_PARAMETER, "storage_out is NULL");
    REFUSED(nalu_multi_pass_storage_close(NULL), NALU_STATUS_PARAMETER, "storage is NULL");
    REFUSED(nalu_multi_pass_storage_close(storage), NALU_STATUS_INVALID_HANDLE, "nalu_multi_pass_storage");
    REFUSED(nalu_compression_session_set_multi_pass_storage(NULL, NULL), NALU_STATUS_PARAMETER, "session is NULL");
    REFUSED(nalu_compression_session_set_multi_pass_storage(session, storage), NALU_STATUS_INVALID_HANDLE, "storage");
    REFUSED(nalu_compression_session_begin_pass(NULL, 0), NALU_STATUS_PARAMETER, "session is NULL");
    REFUSED(nalu_compression_session_end_pass(NULL, &again), NALU_STATUS_PARAMETER, "session is NULL");
    REFUSED(nalu_compression_session_get_time_ranges_for_next_pass(NULL, &range, 1, &count), NALU_STATUS_PARAMETER,
            "session is NULL");
    REFUSED(nalu_compression_session_get_time_ranges_for_next_pass(session, &range, 1, NULL), NALU_STATUS_PARAMETER,
            "count_out is NULL");
    CHECK_PTR_EQ(nalu_multi_pass_storage_retain(NULL), NULL);
    nalu_multi_pass_storage_retain(storage);
    nalu_multi_pass_storage_release(storage);
    nalu_multi_pass_storage_release(NULL);
    CHECK_EQ(run_pass(session, 3), 1);
    REFUSED(nalu_compression_session_get_time_ranges_for_next_pass(session, NULL, 1, &count), NALU_STATUS_PARAMETER,
            "ranges is NULL");
    REFUSED(nalu_compression_session_get_time_ranges_for_next_pass(session, &range, 0, &count),
            NALU_STATUS_BUFFER_TOO_SMALL, "capacity is 0");
    CHECK_EQ(count, 1);
    end(session);
}

int main(void) {
    REQUIRE(mkdtemp(directory));
    RUN(every_pass_gives_a_complete_stream);
    RUN(test_later_passes_have_the_frame_types_of_the_first);
    RUN(pass_functions_in_a_wrong_order_are_refused);
    RUN(frames_that_differ_from_the_first_pass_are_refused);
    RUN(a_pass_without_frames_does_not_count);
    RUN(settings_that_passes_exclude_are_refused);
    RUN(only_the_bit_rate_can_change_between_passes);
    RUN(files_of_passes_are_private_and_removed);
    RUN(missing_and_unwritable_files_are_reported);
    RUN(pass_functions_in_the_callback_are_refused);
    RUN(one_of_several_threads_begins_or_ends_a_pass);
    RUN(invalidate_ends_a_pass);
    RUN(wrong_arguments_are_refused);
    CHECK_EQ(rmdir(directory), 0);
    return check_result();
}
