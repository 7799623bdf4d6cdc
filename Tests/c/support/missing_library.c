#include "missing_library.h"

void check_without_libraries(const char *const *libraries, size_t count, size_t number, const char *environment) {
    char command[2048], program[512] = "";
    REQUIRE(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
    for (size_t i = 0; i < count; i++) (void)test_file(libraries[i], "", 0);
    snprintf(command, sizeof command, "env %s LD_LIBRARY_PATH='%s' NALU_TEST_CASE=%zu '%s'", environment, test_directory,
             number, program);
    CHECK_EQ(system(command), 0);
    for (size_t i = 0; i < count; i++) unlink(test_path(libraries[i]));
}
