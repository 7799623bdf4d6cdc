internal import Nalu
internal import NaluBase

/// An Annex B stream whose container, if it has one, does not give each picture a time: the parser of module Nalu finds the
/// pictures and their times.
final class ParsedStream {
    private let parser: StreamParser

    /// - Parameter frameDuration: `.invalid` if the stream itself says it.
    init(codec: UInt32, frameDuration: MediaTime) throws(NaluError) {
        var options = StreamParserOptions()
        if !frameDuration.isIdentical(to: .invalid) { options.frameDuration = frameDuration }
        parser = try StreamParser(codec: codec, options: options)
    }

    func push(_ bytes: UnsafeRawBufferPointer, time: MediaTime) throws(NaluError) {
        try unsafe parser.push(bytes, time: time)
    }

    func push(_ bytes: [UInt8]) throws(NaluError) {
        try parser.push(bytes)
    }

    func pushStartCode(time: MediaTime = .invalid) throws(NaluError) {
        try parser.push([0, 0, 0, 1], time: time)
    }

    func finish() {
        parser.finish()
    }

    /// The next sample; nil when more bytes are needed, or at the end.
    func next() throws(NaluError) -> Sample? {
        do throws(NaluError) {
            guard case .sample(let sample) = try parser.next() else { return nil }
            return sample
        } catch {
            // To a reader's client all of these are damage that was left out.
            throw error.status == .allocationFailed ? error : NaluError(.badData, error.message)
        }
    }
}
