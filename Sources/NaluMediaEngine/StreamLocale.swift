internal import NaluBase

/// The locale while FFmpeg works on one stream of bytes: that of C, and the client's own while the client reads or writes.
///
/// FFmpeg writes and reads numbers as text: Matroska's tags, for example, have durations with a decimal separator.
@safe
final class StreamLocale {
    private var inside: CLocale?

    /// Runs FFmpeg's code, on the thread that has its turn.
    func ofC<Result>(_ body: () -> Result) -> Result {
        inside = CLocale()
        defer {
            inside?.leave()
            inside = nil
        }
        return body()
    }

    /// Runs the client's code. When it changes the thread's locale, the change stays.
    func ofClient<Result>(_ body: () -> Result) -> Result {
        guard let inside else { return body() }
        inside.leave()
        defer { self.inside = CLocale() }
        return body()
    }
}
