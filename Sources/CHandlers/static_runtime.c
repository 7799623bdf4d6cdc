// A Swift runtime inside the library installs no signal handlers: a program that uses libnalu chose itself how it dies.
//
// The linker takes this function in place of the archive's, which would take seven fatal signals and set up an alternate
// stack. 0 says that it has done so, without a word.
#if defined(__clang__) || defined(__GNUC__)
__attribute__((visibility("hidden")))
#endif
int _swift_installCrashHandler(void);

int _swift_installCrashHandler(void) {
    return 0;
}
