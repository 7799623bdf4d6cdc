/* Files that replace existing ones at the end: no data is lost before. */
#include "child.h"
#include "media_support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#define CHECK_REFUSED(call, expected, text)                              \
    do {                                                                 \
        CHECK_STATUS(call, expected);                                    \
        if (!CHECK(strstr(nalu_last_error_message(), text)))             \
            fprintf(stderr, "message: %s\n", nalu_last_error_message()); \
    } while (0)

enum { FRAMES = 25 };

static const char OLD[] = "what was there";

static clip movie;

static void put(const char *path) {
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fwrite(OLD, 1, sizeof OLD, file) == sizeof OLD && fclose(file) == 0);
}

static bool is_old(const char *path) {
    size_t size = 0;
    uint8_t *bytes = media_read_file(path, &size);
    bool same = size == sizeof OLD && memcmp(bytes, OLD, size) == 0;
    free(bytes);
    return same;
}

/* Returns the number of files in the test's directory, including hidden ones. */
static int files(void) {
    int count = 0;
    (void)test_path("");
    DIR *directory = opendir(test_directory);
    REQUIRE(directory);
    for (struct dirent *entry; (entry = readdir(directory));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return count;
}

static nalu_writer *open_writer(const char *path, uint32_t flags) {
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    options.flags = flags;
    return media_writer_to(path, &options);
}

static void complete(nalu_writer *writer) {
    media_finish(writer);
}

/* An existing file stays unchanged until the new one is complete, and is replaced then. */
static void an_existing_file_is_replaced_when_the_new_one_is_complete(void) {
    static const uint32_t kinds[] = {0, NALU_WRITER_FAST_START};
    for (size_t i = 0; i < 2; i++) {
        const char *path = test_path("replaced.mp4");
        put(path);
        int before = files();
        nalu_writer *writer = open_writer(path, NALU_WRITER_OVERWRITE | kinds[i]);
        media_write_all(writer, &movie, NULL);
        CHECK(is_old(path));
        CHECK_OK(nalu_writer_finish(writer));
        media_check_exact_times(path, &movie, nalu_time_zero());
        nalu_writer_release(writer);
        media_check_exact_times(path, &movie, nalu_time_zero());
        CHECK_EQ(files(), before);
    }
}

/* A new file has no name before it is complete, and then has the usual permissions. */
static void a_new_file_appears_when_it_is_complete(void) {
    const char *path = test_path("new.mov");
    struct stat info;
    mode_t mask = umask(027);
    nalu_writer *writer = open_writer(path, 0);
    media_write_all(writer, &movie, NULL);
    CHECK(stat(path, &info) != 0 && errno == ENOENT);
    complete(writer);
    umask(mask);
    CHECK(stat(path, &info) == 0 && (info.st_mode & 07777) == 0640);
    media_check_exact_times(path, &movie, nalu_time_zero());
    /* A writer that is released without being finished completes its file. */
    path = test_path("released.mov");
    writer = open_writer(path, 0);
    media_write_all(writer, &movie, NULL);
    nalu_writer_release(writer);
    media_check_exact_times(path, &movie, nalu_time_zero());
}

/* An unfinished file replaces nothing. A container that is written in place replaces nothing before its first sample. */
static void an_unfinished_file_replaces_nothing(void) {
    static const char *const in_place[] = {"unfinished.mkv", "unfinished.ts", "unfinished.flv", "unfinished.h264"};
    for (size_t i = 0; i < sizeof in_place / sizeof *in_place; i++) {
        const char *path = test_path(in_place[i]);
        put(path);
        nalu_writer *writer = open_writer(path, NALU_WRITER_OVERWRITE);
        CHECK_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(movie.samples[0]), NULL, NULL));
        nalu_writer_release(writer);
        CHECK(is_old(path));
        writer = open_writer(path, NALU_WRITER_OVERWRITE);
        media_write_all(writer, &movie, NULL);
        nalu_writer_release(writer);
        CHECK(!is_old(path));
    }
    const char *path = test_path("unfinished.mp4");
    put(path);
    int before = files();
    nalu_writer *writer = open_writer(path, NALU_WRITER_OVERWRITE);
    media_write_all(writer, &movie, NULL);
    nalu_writer_release(writer);
    CHECK(is_old(path));
    CHECK_EQ(files(), before);
}

/* A full disk, simulated by a limit of the process, and a killed process. */
static void a_full_disk_or_a_kill_replaces_nothing(void) {
    const char *path = test_path("failed.mp4");
    put(path);
    int before = files();
    for (int kills = 0; kills < 2; kills++) {
        int status = 0;
        fflush(NULL);
        pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            nalu_writer *writer = open_writer(path, NALU_WRITER_OVERWRITE);
            nalu_status result = nalu_writer_add_track(
                writer, nalu_sample_get_format_description(movie.samples[0]), NULL, NULL);
            if (!kills) limit_file_size(clip_bytes(&movie) / 2);
            for (int i = 0; i < movie.count && result == NALU_STATUS_OK; i++)
                result = nalu_writer_write_sample(writer, 0, movie.samples[i]);
            if (kills) kill(getpid(), SIGKILL);
            if (result == NALU_STATUS_OK) result = nalu_writer_finish(writer);
            if (!CHECK_STATUS(result, NALU_STATUS_INPUT_OUTPUT)) _exit(3);
            nalu_writer_release(writer);
            _exit(check_failures ? 1 : 0);
        }
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(kills ? WIFSIGNALED(status) : status == 0);
        CHECK(is_old(path));
    }
    CHECK(files() <= before + 1); /* one hidden file, if the file system has no files without a name */
}

/* Permissions, a symbolic link and other hard links: the link's target is replaced and keeps its
 * permissions. */
static void links_and_permissions_are_kept(void) {
    const char *target = test_path("target.mp4"), *link_path = test_path("link.mp4"), *other = test_path("other.mp4");
    struct stat info;
    put(target);
    REQUIRE(chmod(target, 0604) == 0 && symlink("target.mp4", link_path) == 0 && link(target, other) == 0);
    nalu_writer *writer = open_writer(link_path, NALU_WRITER_OVERWRITE);
    media_write_all(writer, &movie, NULL);
    complete(writer);
    CHECK(lstat(link_path, &info) == 0 && S_ISLNK(info.st_mode));
    CHECK(stat(target, &info) == 0 && (info.st_mode & 07777) == 0604);
    media_check_exact_times(target, &movie, nalu_time_zero());
    CHECK(is_old(other));
    /* A link to a missing file: its target is created. */
    const char *nowhere = test_path("nowhere.mp4"), *there = test_path("there.mp4");
    REQUIRE(symlink("there.mp4", nowhere) == 0);
    writer = open_writer(nowhere, NALU_WRITER_OVERWRITE);
    media_write_all(writer, &movie, NULL);
    complete(writer);
    CHECK(lstat(there, &info) == 0 && S_ISREG(info.st_mode));
    media_check_exact_times(there, &movie, nalu_time_zero());
}

/* Names of the maximum length, and a process that changes its working directory meanwhile. */
static void long_names_and_a_new_working_directory_are_handled(void) {
    char name[300] = "";
    memset(name, 'n', 251);
    memcpy(name + 251, ".mp4", 5);
    const char *path = test_path(name);
    for (int i = 0; i < 2; i++) {
        nalu_writer *writer = open_writer(path, i ? NALU_WRITER_OVERWRITE : 0);
        media_write_all(writer, &movie, NULL);
        complete(writer);
        media_check_exact_times(path, &movie, nalu_time_zero());
    }
    nalu_writer *writer = NULL;
    CHECK_REFUSED(nalu_writer_create_with_path(test_path(strcat(name, ".and-more.mp4")), NULL, NULL, &writer),
                  NALU_STATUS_INPUT_OUTPUT, "name");
    int here = open(".", O_RDONLY | O_DIRECTORY);
    REQUIRE(here >= 0 && chdir(test_directory) == 0);
    writer = open_writer("relative.mp4", 0);
    REQUIRE(chdir("/") == 0);
    media_write_all(writer, &movie, NULL);
    complete(writer);
    REQUIRE(fchdir(here) == 0);
    close(here);
    media_check_exact_times(test_path("relative.mp4"), &movie, nalu_time_zero());
}

/* A directory and a file without write permission. Root may write everywhere, so a child process drops this
 * privilege. */
static void directories_without_write_permission_are_handled(void) {
    char directory[600], in_directory[700], read[700];
    const char *file = test_path("read-only.mp4");
    struct stat info;
    put(file);
    snprintf(directory, sizeof directory, "%s", test_path("closed"));
    snprintf(in_directory, sizeof in_directory, "%s/open.mp4", directory);
    REQUIRE(mkdir(directory, 0755) == 0);
    put(in_directory);
    snprintf(read, sizeof read, "%s/read.mp4", directory);
    media_write_file(read, &movie, 0, NULL);
    REQUIRE(chmod(read, 0666) == 0);
    REQUIRE(chmod(file, 0444) == 0 && chmod(in_directory, 0666) == 0 && chmod(directory, 0555) == 0);
    REQUIRE(chmod(test_directory, 0777) == 0);
    REQUIRE(stat(in_directory, &info) == 0);
    ino_t number = info.st_ino;
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        nalu_writer *writer = NULL;
        nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
        options.flags = NALU_WRITER_OVERWRITE;
        if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
        CHECK_REFUSED(nalu_writer_create_with_path(file, NULL, &options, &writer), NALU_STATUS_INPUT_OUTPUT, "ermission");
        /* Here the file can only be written in place. */
        writer = open_writer(in_directory, NALU_WRITER_OVERWRITE);
        CHECK(is_old(in_directory));
        media_write_all(writer, &movie, NULL);
        complete(writer);
        /* Fragments are written from the first sample on, so that a file that is being read cannot be written in place. */
        nalu_reader *reader = NULL;
        uint32_t track = 0;
        CHECK_OK(nalu_reader_create_with_path(read, NULL, &reader));
        writer = open_writer(read, NALU_WRITER_OVERWRITE | NALU_WRITER_FRAGMENTED);
        CHECK_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(movie.samples[0]), NULL, &track));
        nalu_status refusal = NALU_STATUS_OK;
        for (int32_t i = 0; i < movie.count && refusal == NALU_STATUS_OK; i++)
            refusal = nalu_writer_write_sample(writer, track, movie.samples[i]);
        if (refusal == NALU_STATUS_OK) refusal = nalu_writer_finish(writer);
        CHECK_EQ(refusal, NALU_STATUS_INPUT_OUTPUT);
        nalu_writer_release(writer);
        nalu_reader_release(reader);
        _exit(check_failures ? 1 : 0);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK_EQ(status, 0);
    CHECK(is_old(file));
    media_check_exact_times(read, &movie, nalu_time_zero());
    CHECK(stat(in_directory, &info) == 0 && info.st_ino == number);
    media_check_exact_times(in_directory, &movie, nalu_time_zero());
    CHECK(chmod(directory, 0755) == 0);
}

/* Two writers with the same path. Without NALU_WRITER_OVERWRITE the second file loses its name, but not its
 * content. */
static void two_writers_of_one_path_keep_their_content(void) {
    const char *path = test_path("twice.mp4");
    nalu_writer *first = open_writer(path, 0), *second = open_writer(path, 0);
    media_write_all(first, &movie, NULL);
    media_write_all(second, &movie, NULL);
    complete(first);
    CHECK_REFUSED(nalu_writer_finish(second), NALU_STATUS_INPUT_OUTPUT, "NALU_WRITER_OVERWRITE");
    char kept[600] = "";
    const char *start = strstr(nalu_last_error_message(), "the finished file is \"");
    if (CHECK(start)) sscanf(start + strlen("the finished file is \""), "%599[^\"]", kept);
    nalu_writer_release(second);
    media_check_exact_times(path, &movie, nalu_time_zero());
    media_check_exact_times(kept, &movie, nalu_time_zero());
    CHECK(unlink(kept) == 0);

    first = open_writer(path, NALU_WRITER_OVERWRITE), second = open_writer(path, NALU_WRITER_OVERWRITE);
    media_write_all(first, &movie, NULL);
    media_write_all(second, &movie, NULL);
    int before = files();
    complete(second);
    complete(first);
    CHECK(files() <= before);
    media_check_exact_times(path, &movie, nalu_time_zero());
}

/* A forked child that releases its copy of the writer does not change the parent's file. */
static void a_forked_child_does_not_change_the_parents_file(void) {
    const char *path = test_path("forked.mp4");
    put(path);
    nalu_writer *writer = open_writer(path, NALU_WRITER_OVERWRITE);
    media_write_all(writer, &movie, NULL);
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        nalu_writer_release(writer);
        _exit(is_old(path) ? 0 : 1);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK_EQ(status, 0);
    complete(writer);
    media_check_exact_times(path, &movie, nalu_time_zero());
}

typedef struct {
    nalu_reader *reader;
    nalu_writer *writer;
} parents_objects;

static void use_in_child(void *context) {
    const parents_objects *parents = context;
    nalu_sample *sample = NULL;
    nalu_reader_track track = {.struct_size = sizeof track};
    CHECK_REFUSED(nalu_reader_next_sample(parents->reader, NULL, &sample), NALU_STATUS_INVALID_SESSION, "after fork");
    CHECK_STATUS(nalu_reader_seek(parents->reader, nalu_time_zero()), NALU_STATUS_INVALID_SESSION);
    CHECK_STATUS(nalu_reader_get_track(parents->reader, 0, &track), NALU_STATUS_INVALID_SESSION);
    CHECK_EQ(nalu_reader_get_track_count(parents->reader), 0);
    CHECK_REFUSED(nalu_writer_write_sample(parents->writer, 0, movie.samples[0]), NALU_STATUS_INVALID_SESSION, "after fork");
    CHECK_STATUS(nalu_writer_finish(parents->writer), NALU_STATUS_INVALID_SESSION);
    nalu_writer_release(parents->writer);
    nalu_reader_release(parents->reader);
}

/* A child of fork shares the positions of its parent's files: it may move neither. */
static void a_forked_child_can_use_neither_the_parents_reader_nor_its_writer(void) {
    const char *path = test_path("shared.mp4");
    parents_objects parents = {NULL, open_writer(path, 0)};
    REQUIRE_OK(nalu_reader_create_with_path(test_path("reference.h264"), NULL, &parents.reader));
    media_write_all(parents.writer, &movie, NULL);
    check_child(use_in_child, &parents);
    complete(parents.writer);
    media_check_exact_times(path, &movie, nalu_time_zero());
    int count = 0;
    for (nalu_sample *sample; nalu_reader_next_sample(parents.reader, NULL, &sample) == NALU_STATUS_OK; count++)
        nalu_sample_release(sample);
    CHECK_EQ(count, movie.count);
    nalu_reader_release(parents.reader);
}

/* Copies the samples of a file to the same path. */
static void rewrite(const char *path, uint32_t flags, bool reader_first) {
    nalu_reader *reader = NULL;
    nalu_writer *writer = NULL;
    nalu_sample *sample = NULL;
    uint32_t track = 0;
    if (reader_first) REQUIRE_OK(nalu_reader_create_with_path(path, NULL, &reader));
    writer = open_writer(path, flags | NALU_WRITER_OVERWRITE | NALU_WRITER_REPAIR_TIMES);
    if (!reader_first) REQUIRE_OK(nalu_reader_create_with_path(path, NULL, &reader));
    int count = 0;
    while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK) {
        if (count++ == 0)
            CHECK_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(sample), NULL, &track));
        CHECK_OK(nalu_writer_write_sample(writer, track, sample));
        nalu_sample_release(sample);
    }
    CHECK_EQ(count, movie.count);
    nalu_reader_release(reader);
    complete(writer);
}

/* The output replaces the input: the reader keeps the old file to its end, in every container. */
static void the_output_can_replace_the_input(void) {
    static const struct { const char *name; uint32_t flags; } kinds[] = {
        {"same.mp4", 0}, {"fragments.mp4", NALU_WRITER_FRAGMENTED}, {"same.mkv", 0}, {"same.ts", 0}, {"same.flv", 0},
        {"same.h264", 0},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        for (int order = 0; order < 2; order++) {
            const char *path = test_path(kinds[i].name);
            media_write_file(path, &movie, kinds[i].flags | NALU_WRITER_OVERWRITE, NULL);
            rewrite(path, kinds[i].flags, order);
            media_check_same_frames(path, test_path("reference.h264"), FRAMES);
        }
}

/* Pipes and devices are not replaced. */
static void pipes_and_devices_are_not_replaced(void) {
    nalu_writer *writer = NULL;
    CHECK_OK(nalu_writer_create_with_path("/dev/null", "matroska", NULL, &writer));
    nalu_writer_release(writer);
    CHECK_REFUSED(nalu_writer_create_with_path(test_directory, "mp4", NULL, &writer), NALU_STATUS_INPUT_OUTPUT, "xist");
}

/* A live file is written in place, so that its readers see it grow. */
static void a_live_file_is_written_in_place(void) {
    const char *path = test_path("live.ts");
    struct stat info;
    put(path);
    REQUIRE(stat(path, &info) == 0);
    ino_t number = info.st_ino;
    nalu_writer *writer = open_writer(path, NALU_WRITER_OVERWRITE);
    CHECK(is_old(path)); /* until the first sample */
    media_write_all(writer, &movie, NULL);
    CHECK(!is_old(path));
    complete(writer);
    CHECK(stat(path, &info) == 0 && info.st_ino == number);
    media_check_same_frames(path, test_path("reference.h264"), FRAMES);
}

/* Paths are bytes, which need not be UTF-8. Error messages show U+FFFD for such bytes. */
static void names_that_are_not_utf_8_keep_their_bytes(void) {
    static const char *const names[] = {"e\xe8.mp4", "e\xe9.mp4", "e\xef\xb7\x90.mp4", "e\xc3\xa9.mp4", "e\xe8.mkv"};
    int before = files();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = test_path(names[i]);
        nalu_writer *writer = open_writer(path, 0);
        media_write_all(writer, &movie, NULL);
        complete(writer);
        CHECK(access(path, F_OK) == 0);
        nalu_reader *reader = NULL;
        CHECK_OK(nalu_reader_create_with_path(path, NULL, &reader));
        nalu_reader_release(reader);
    }
    CHECK_EQ(files() - before, (int)(sizeof names / sizeof *names));
    nalu_reader *reader = NULL;
    CHECK_REFUSED(nalu_reader_create_with_path(test_path("none\xe8.mp4"), NULL, &reader), NALU_STATUS_INPUT_OUTPUT,
                  "none\xef\xbf\xbd.mp4");
    nalu_multi_pass_storage *storage = NULL;
    CHECK_REFUSED(nalu_multi_pass_storage_create(test_path("\xe8"), &storage), NALU_STATUS_MULTI_PASS_STORAGE_INVALID,
                  "not valid UTF-8");
}

int main(void) {
    media_clip(&movie, 128, 96, FRAMES);
    media_write_reference(test_path("reference.h264"), &movie);
    RUN(an_existing_file_is_replaced_when_the_new_one_is_complete);
    RUN(a_new_file_appears_when_it_is_complete);
    RUN(an_unfinished_file_replaces_nothing);
    RUN(a_full_disk_or_a_kill_replaces_nothing);
    RUN(links_and_permissions_are_kept);
    RUN(long_names_and_a_new_working_directory_are_handled);
    RUN(directories_without_write_permission_are_handled);
    RUN(two_writers_of_one_path_keep_their_content);
    RUN(a_forked_child_does_not_change_the_parents_file);
    RUN(a_forked_child_can_use_neither_the_parents_reader_nor_its_writer);
    RUN(the_output_can_replace_the_input);
    RUN(pipes_and_devices_are_not_replaced);
    RUN(names_that_are_not_utf_8_keep_their_bytes);
    RUN(a_live_file_is_written_in_place);
    clip_close(&movie);
    return check_result();
}
