// Functions that the C and C++ libraries of older systems lack, for a library that is linked on a newer system.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Before glibc 2.33 these were inline functions, which called functions that new programs cannot be linked with. On 64-bit
// processors the kernel's struct equals that of the C library.
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

// libx264 refers to this variable instead of stderr, for its log messages.
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

// A function of GCC 11's libstdc++, for the size of an array that is too large.
void __throw_bad_array_new_length() {
    __throw_bad_alloc();
}
}  // namespace std
