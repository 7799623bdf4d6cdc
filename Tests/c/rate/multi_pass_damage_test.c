/*
 * Damaged statistics: if x264 cannot read its file, the error message contains x264's own text, and passes work
 * again once the file is restored. Incomplete statistics are detected at the end of the first pass.
 */
#include "refusal.h"
#include "session_support.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

/* x264 leaks memory of an encoder that it refuses to open. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libx264"; }

enum { FRAMES = 20 };

static recorder all = RECORDER_INIT;

static int32_t run_pass(nalu_compression_session *session) {
    int32_t again = -1;
    recorder_clear(&all);
    CHECK_OK(nalu_compression_session_begin_pass(session, 0));
    encode_pictures(session, FRAMES);
    CHECK_OK(nalu_compression_session_end_pass(session, &again));
    check_all_encoded(&all, FRAMES);
    return again;
}

static void put(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static void corrupt_statistics_are_reported_with_x264s_message(void) {
    static char directory[] = "/tmp/nalu-multi-pass-damage-XXXXXX", whole[1 << 16], path[512];
    nalu_compression_session *session = make_session(record_result, &all);
    nalu_multi_pass_storage *storage = NULL;
    struct dirent *entry;
    DIR *opened;
    REQUIRE(mkdtemp(directory));
    REQUIRE_OK(nalu_multi_pass_storage_create(directory, &storage));
    make_reordering(session);
    REQUIRE_OK(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, 100000));
    REQUIRE_OK(nalu_compression_session_set_multi_pass_storage(session, storage));
    CHECK_EQ(run_pass(session), 1);

    REQUIRE((opened = opendir(directory)));
    while ((entry = readdir(opened)))
        if (entry->d_name[0] != '.') snprintf(path, sizeof path, "%s/%s/statistics", directory, entry->d_name);
    closedir(opened);
    FILE *file = fopen(path, "rb");
    REQUIRE(file);
    size_t size = fread(whole, 1, sizeof whole, file);
    fclose(file);
    REQUIRE(size > 100 && size < sizeof whole);

    static const size_t lengths[] = {0, 20, 100};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        put(path, whole, lengths[i]);
        REFUSED(nalu_compression_session_begin_pass(session, 0), NALU_STATUS_COULD_NOT_CREATE_INSTANCE, "x264");
        REFUSED(encode_picture(session, 0), NALU_STATUS_OUT_OF_ORDER, "begin_pass");
    }
    put(path, whole, size);
    run_pass(session);
    nalu_compression_session_release(session);
    nalu_multi_pass_storage_release(storage);
    recorder_clear(&all);
    CHECK_EQ(rmdir(directory), 0);
}

/* x264 writes the last bytes while it is closed and reports no error if the disk is full, so the session checks
 * the file. */
static void incomplete_statistics_are_reported(void) {
    static const struct {
        int resource;
        rlim_t most;
        const char *word;
    } ends[] = {
        /* 1000 bytes are less than a block of the file, so x264 writes the whole file only at the end. */
        {RLIMIT_FSIZE, 1000, "20 frames"},
        {RLIMIT_NOFILE, 3, "cannot be read"},
    };
    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        nalu_compression_session *session = make_session(record_result, &all);
        nalu_multi_pass_storage *storage = NULL;
        struct rlimit before;
        int32_t again = -1;
        size_t size;
        REQUIRE_OK(nalu_multi_pass_storage_create(NULL, &storage));
        REQUIRE_OK(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, 100000));
        REQUIRE_OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, "mbtree=0"));
        REQUIRE_OK(nalu_compression_session_set_multi_pass_storage(session, storage));
        REQUIRE(getrlimit(ends[i].resource, &before) == 0);
        struct rlimit small = {ends[i].most, before.rlim_max};
        recorder_clear(&all);
        REQUIRE_OK(nalu_compression_session_begin_pass(session, 0));
        encode_pictures(session, FRAMES);
        REQUIRE(setrlimit(ends[i].resource, &small) == 0);
        REFUSED(nalu_compression_session_end_pass(session, &again), NALU_STATUS_MULTI_PASS_STORAGE_INVALID, ends[i].word);
        REQUIRE(setrlimit(ends[i].resource, &before) == 0);
        CHECK_EQ(again, 0);
        REFUSED(nalu_multi_pass_storage_copy_data(storage, NULL, 0, &size), NALU_STATUS_VALUE_NOT_AVAILABLE, "first pass");

        /* The failed pass does not count and is repeated. */
        CHECK_EQ(run_pass(session), 1);
        run_pass(session);
        nalu_compression_session_release(session);
        nalu_multi_pass_storage_release(storage);
        recorder_clear(&all);
    }
}

int main(void) {
    RUN(corrupt_statistics_are_reported_with_x264s_message);
    RUN(incomplete_statistics_are_reported);
    return check_result();
}
