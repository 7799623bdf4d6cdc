// What libraries that are linked here and run on older systems need in place of what their C and C++ libraries lack.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Before glibc 2.33 these were inline, over functions that new programs cannot name any more. The system's struct and that of
// the C library are the same where the processor has 64 bits.
extern "C" {
int stat(const char *path, struct stat *result) noexcept {
    return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, result, 0));
}
int stat64(const char *path, struct stat64 *result) noexcept {
    return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, result, 0));
}
int lstat(const char *path, struct stat *result) noexcept {
    return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, result, AT_SYMLINK_NOFOLLOW));
}
int lstat64(const char *path, struct stat64 *result) noexcept {
    return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, result, AT_SYMLINK_NOFOLLOW));
}
int fstat(int descriptor, struct stat *result) noexcept {
    return static_cast<int>(syscall(SYS_fstat, descriptor, result));
}
int fstat64(int descriptor, struct stat64 *result) noexcept {
    return static_cast<int>(syscall(SYS_fstat, descriptor, result));
}
}

// Where libx264 looks for stderr, to print its log unless it is told otherwise.
extern "C" {
extern FILE *nalu_stderr;
FILE *nalu_stderr;
[[gnu::constructor(101)]] static void find_stderr() {
    nalu_stderr = stderr;
}
}

namespace std {
[[noreturn]] void __throw_bad_alloc();
[[noreturn]] void __throw_bad_array_new_length();

// Of GCC 11's libstdc++, for allocations of more than there can be.
void __throw_bad_array_new_length() {
    __throw_bad_alloc();
}
}  // namespace std
