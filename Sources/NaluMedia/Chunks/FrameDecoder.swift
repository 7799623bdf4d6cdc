internal import Nalu
internal import NaluBase

/// Decodes samples in one thread, and collects the pictures in presentation order.
final class FrameDecoder {
    /// `@unchecked Sendable`: the lock gives one thread at a time the frames, and nothing writes their pixels.
    private struct Pictures: @unchecked Sendable {
        var frames: [DecompressionSession.Frame] = []
    }

    private let pictures = Guarded(Pictures())
    /// Nil before the first sample.
    private var session: DecompressionSession?

    deinit {
        try? session?.invalidate()
    }

    /// Decodes the next sample, and returns the pictures that are ready. Samples that cannot be decoded are left out.
    func decode(_ sample: Sample) throws(NaluError) -> [DecompressionSession.Frame] {
        if session == nil { session = try open(sample.formatDescription) }
        try session?.decode(sample, flags: .asynchronous)
        return take()
    }

    private func open(_ format: FormatDescription) throws(NaluError) -> DecompressionSession {
        // The chunks that are encoded at the same time keep the processors busy.
        var options = DecompressionSession.Options(spelling: .c)
        options.threadCount = 1
        return try DecompressionSession(format: format, options: options, onFinish: nil) { [pictures] frame in
            if frame.image != nil { pictures.withLock { $0.frames.append(frame) } }
        }
    }

    /// Returns the remaining pictures.
    func finish() throws(NaluError) -> [DecompressionSession.Frame] {
        try session?.waitForAsynchronousFrames()
        return take()
    }

    private func take() -> [DecompressionSession.Frame] {
        pictures.withLock { pictures in
            defer { pictures.frames = [] }
            return pictures.frames
        }
    }
}
