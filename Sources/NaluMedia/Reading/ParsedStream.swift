internal import Nalu
internal import NaluBase

/// An Annex B stream without a container, or in one that does not state the time of each picture. The parser of module
/// Nalu finds the pictures and their times.
final class ParsedStream {
    private let parser: StreamParser

    /// - Parameter frameDuration: the duration of a frame; `.invalid` if the stream itself states it.
    init(codec: UInt32, frameDuration: MediaTime) throws(NaluError) {
        var options = StreamParserOptions()
        if !frameDuration.isIdentical(to: .invalid) { options.frameDuration = frameDuration }
        parser = try StreamParser(codec: codec, options: options)
    }

    func push(_ bytes: Span<UInt8>, time: MediaTime = .invalid) throws(NaluError) {
        try unsafe bytes.withUnsafeBytes { (memory) throws(NaluError) in try unsafe parser.push(memory, time: time) }
    }

    func pushStartCode(time: MediaTime = .invalid) throws(NaluError) {
        try parser.push([0, 0, 0, 1], time: time)
    }

    func finish() {
        parser.finish()
    }

    /// Returns the next sample; nil at the end, or if more bytes are needed.
    func next() throws(NaluError) -> Sample? {
        do throws(NaluError) {
            guard case .sample(let sample) = try parser.next() else { return nil }
            return sample
        } catch {
            // A reader's client sees all of these errors as corrupt data that was left out.
            throw error.status == .allocationFailed ? error : NaluError(.badData, error.message)
        }
    }
}
