internal import CFFmpeg
internal import NaluBase

/// The thread's locale while FFmpeg works on one stream of bytes. FFmpeg's code runs in the C locale, and the client's
/// callbacks run in the client's own locale.
///
/// FFmpeg writes and reads numbers as text: Matroska's tags, for example, contain durations with a decimal separator.
@safe
final class StreamLocale {
    private var inside: CLocale?
    /// True if an allocation failed in the last ``ofC(_:)``, even if FFmpeg reported corrupt data or no failure.
    private(set) var hasLackedMemory = false

    /// Runs FFmpeg's code in the C locale, on the thread that has exclusive access.
    func ofC<Result>(_ body: () -> Result) -> Result {
        inside = CLocale()
        nalu_ff_forget_failed_allocations()
        defer {
            inside?.leave()
            inside = nil
        }
        let result = body()
        hasLackedMemory = nalu_ff_has_failed_allocation() != 0
        return result
    }

    /// Returns the result of one of FFmpeg's functions, or FFmpeg's number for a lack of memory if an allocation failed.
    func result(_ body: () -> Int32) -> Int32 {
        let number = ofC(body)
        return hasLackedMemory ? nalu_ff_out_of_memory() : number
    }

    /// Runs the client's code in the client's locale. If it changes the thread's locale, the change stays.
    func ofClient<Result>(_ body: () -> Result) -> Result {
        guard let inside else { return body() }
        let number = nalu_ff_get_errno()
        inside.leave()
        defer {
            self.inside = CLocale()
            nalu_ff_set_errno(number)
        }
        return body()
    }
}
