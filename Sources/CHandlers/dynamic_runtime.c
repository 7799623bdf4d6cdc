// Restores the process's own reaction to fatal signals. A program that uses libnalu is usually not written in Swift.
// The Swift runtime, which is loaded for libnalu, installs handlers for seven fatal signals and an alternate stack.
//
// The runtime replaces only signals of the default disposition, and sets a stack only in a thread without an alternate
// stack. A handler of the runtime has therefore replaced SIG_DFL, which is restored here. If something else in the
// process needs the runtime, the program is written in Swift, and the handlers stay.
#include <elf.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// The signals of swift/stdlib/public/runtime/CrashHandlerLinux.cpp.
static const int signals[] = {SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};

// The alternate stack of the loading thread before the runtime was initialised.
static stack_t stack_before = {.ss_flags = 0, .ss_sp = (void *)-1};

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
// The libraries that this one needs are initialised before it, but after it has been relocated. Only the resolver of an
// indirect function runs early enough to see the thread's original state. It cannot call other functions yet.
#if defined(__clang__)
__attribute__((disable_sanitizer_instrumentation, no_stack_protector))
#else
__attribute__((no_sanitize("address", "thread", "undefined"), no_stack_protector))
#endif
static long read_stack(stack_t *stack) {
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_sigaltstack), "D"(0L), "S"(stack) : "rcx", "r11", "memory");
    return result;
#else
    register long number __asm__("x8") = SYS_sigaltstack;
    register long result __asm__("x0") = 0;
    register stack_t *before __asm__("x1") = stack;
    __asm__ volatile("svc 0" : "+r"(result) : "r"(number), "r"(before) : "memory");
    return result;
#endif
}

static void nothing(void) {
}

#if defined(__clang__)
__attribute__((used, disable_sanitizer_instrumentation, no_stack_protector))
#else
__attribute__((used, no_sanitize("address", "thread", "undefined"), no_stack_protector))
#endif
static void (*resolve(void))(void) {
    if (read_stack(&stack_before) != 0) stack_before.ss_sp = (void *)-1;
    return nothing;
}

static void be_resolved(void) __attribute__((ifunc("resolve")));
#else
static void be_resolved(void) {
}
#endif

typedef struct process {
    uintptr_t handler; // an address to find
    bool is_runtime;   // the address lies in libswiftCore
    bool is_swift;     // a library or program that is neither Nalu's nor the toolchain's needs libswiftCore
} process;

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool begins(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static bool contains(const struct dl_phdr_info *object, uintptr_t address) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && address - (object->dlpi_addr + part->p_vaddr) < part->p_memsz) return true;
    }
    return false;
}

static bool needs_runtime(const struct dl_phdr_info *object) {
    const ElfW(Dyn) *entries = NULL;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entries = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    if (!entries) return false;
    uintptr_t strings = 0;
    for (const ElfW(Dyn) *entry = entries; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
    // glibc stores the real address there if it can; musl does not.
    if (strings < object->dlpi_addr) strings += object->dlpi_addr;
    for (const ElfW(Dyn) *entry = entries; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED && begins((const char *)strings + entry->d_un.d_val, "libswiftCore.so"))
            return true;
    return false;
}

// Whether a library is Nalu's, or one of the Swift toolchain that needs libswiftCore itself. libFoundation is such a
// library: C programs use it for CoreFoundation, for example those that use libVideoToolbox. A Swift program needs
// libswiftCore directly.
static bool is_of_nalu_or_toolchain(const char *name) {
    static const char *const starts[] = {"libnalu", "libswift", "libFoundation", "lib_Foundation"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (begins(name, starts[i])) return true;
    return false;
}

static int look_at(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    process *process = context;
    const char *name = file_name(object->dlpi_name);
    if (contains(object, process->handler)) process->is_runtime = begins(name, "libswiftCore.so");
    bool is_own = is_of_nalu_or_toolchain(name) || contains(object, (uintptr_t)&stack_before);
    if (!is_own && needs_runtime(object)) process->is_swift = true;
    return 0;
}

static void give_stack_back(void) {
    stack_t now;
    if (stack_before.ss_sp != NULL || sigaltstack(NULL, &now) != 0 || now.ss_sp == NULL) return;
    // Another library's constructor may have set another stack since. The runtime's stack has this size.
    if (now.ss_size != (size_t)sysconf(_SC_SIGSTKSZ) + 16384) return;
    const stack_t none = {.ss_flags = SS_DISABLE};
    if (sigaltstack(&none, NULL) == 0) munmap(now.ss_sp, now.ss_size);
}

__attribute__((constructor)) static void give_back(void) {
    be_resolved();
    bool was_runtimes = false;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction now;
        if (sigaction(signals[i], NULL, &now) != 0 || !(now.sa_flags & SA_SIGINFO)) continue;
        process process = {(uintptr_t)now.sa_sigaction, false, false};
        dl_iterate_phdr(look_at, &process);
        if (!process.is_runtime || process.is_swift) continue;
        struct sigaction standard;
        memset(&standard, 0, sizeof standard);
        standard.sa_handler = SIG_DFL;
        sigaction(signals[i], &standard, NULL);
        was_runtimes = true;
    }
    if (was_runtimes) give_stack_back();
}
