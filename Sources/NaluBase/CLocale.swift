internal import NaluLibc

/// The calling thread's locale is that of C, in which numbers have a point, from the value's creation until ``leave()``.
///
/// C libraries read and write numbers by the locale of the thread that calls them, which is the client's. The thread has
/// its own back before any of the client's code runs, and no other thread notices.
@safe
package struct CLocale {
    // Never changed and never freed. nil only where there is no memory for a handful of bytes, without which Swift itself
    // would have ended the process.
    nonisolated(unsafe) private static let points = unsafe newlocale(LC_NUMERIC_MASK, "C", nil)

    private let before: locale_t?

    package init() {
        unsafe before = uselocale(Self.points)
    }

    package func leave() {
        _ = unsafe uselocale(before)
    }
}
