internal import NaluLibc

/// Sets the calling thread's numeric locale to C, in which numbers have a decimal point, from creation until
/// ``leave()``.
///
/// C libraries read and write numbers in the locale of the calling thread, which is the client's. The thread's own
/// locale is restored before any client code runs. Other threads are not affected.
@safe
package struct CLocale {
    // Never changed and never freed. Nil only if a few bytes of memory cannot be allocated. Swift itself would have
    // ended the process then.
    nonisolated(unsafe) private static let points = unsafe newlocale(LC_NUMERIC_MASK, "C", nil)

    private let before: locale_t?

    package init() {
        unsafe before = uselocale(Self.points)
    }

    package func leave() {
        _ = unsafe uselocale(before)
    }
}
