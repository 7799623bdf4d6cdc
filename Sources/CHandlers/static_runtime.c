// Keeps a Swift runtime inside the library from installing signal handlers. A program that uses libnalu has its own
// reaction to fatal signals.
//
// The linker uses this function in place of the archive's, which would install handlers for seven fatal signals and an
// alternate stack. The result 0 reports success, so that the runtime prints no warning.
#if defined(__clang__) || defined(__GNUC__)
__attribute__((visibility("hidden")))
#endif
int _swift_installCrashHandler(void);

int _swift_installCrashHandler(void) {
    return 0;
}
