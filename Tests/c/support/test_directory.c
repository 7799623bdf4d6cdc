#include "test_directory.h"

char test_directory[256];

static void test_directory_remove(void) {
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", test_directory);
    if (system(command) != 0) fprintf(stderr, "%s stays\n", test_directory);
}

const char *test_path(const char *name) {
    static char paths[8][512];
    static unsigned next;
    if (!test_directory[0]) {
        const char *parent = getenv("TMPDIR");
        snprintf(test_directory, sizeof test_directory, "%s/nalu-test-XXXXXX", parent ? parent : "/tmp");
        REQUIRE(mkdtemp(test_directory));
        atexit(test_directory_remove);
    }
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", test_directory, name);
    return path;
}

const char *test_file(const char *name, const void *bytes, size_t size) {
    const char *path = test_path(name);
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    return path;
}
