internal import NaluBase

/// Reads frames in a separate thread that stays a few frames ahead.
final class ReadAhead: Sendable {
    private struct State {
        /// Frames in the order of the file; the first element is next.
        var frames: [SourceFrame] = []
        var isAtEnd = false
        var isStopped = false
        var failure: (any Error)?
    }

    private let state = Guarded(State())
    private let capacity: Int

    /// - Parameter limit: the largest number of frames to read; nil for all.
    init(_ reader: sending any PayloadReader, packing: FramePacking, limit: Int?) throws(NaluError) {
        capacity = max(2, min(4, (16 << 20) / max(packing.byteCount, 1)))
        let box = Box(reader)
        try WorkerThread.start { [self] in run(box, packing, limit) }
    }

    /// Moves the reader into the thread.
    private final class Box: @unchecked Sendable {
        var reader: any PayloadReader

        init(_ reader: any PayloadReader) {
            self.reader = reader
        }
    }

    private func run(_ box: Box, _ packing: FramePacking, _ limit: Int?) {
        do {
            var count = 0
            while count < limit ?? .max, let payload = unsafe try box.reader.next() {
                count += 1
                let frame = unsafe try packing.frame(payload.bytes, owner: payload.owner)
                let goesOn = state.wait { state -> Bool? in
                    guard state.frames.count < capacity || state.isStopped else { return nil }
                    state.frames.append(frame)
                    return !state.isStopped
                }
                guard goesOn else { return }
            }
            state.change { $0.isAtEnd = true }
        } catch {
            state.change { $0.failure = error }
        }
    }

    /// Returns the next frame; nil at the end. Throws the error that ended the reading, after the last complete frame.
    func next() throws -> SourceFrame? {
        enum Step {
            case frame(SourceFrame)
            case end
            case failed(any Error)
        }
        let step = state.wait { state -> Step? in
            if !state.frames.isEmpty { return .frame(state.frames.removeFirst()) }
            if let failure = state.failure, !state.isStopped { return .failed(failure) }
            return state.isAtEnd || state.isStopped ? .end : nil
        }
        switch step {
        case .frame(let frame): return frame
        case .end: return nil
        case .failed(let error): throw error
        }
    }

    /// Stops the reading, from any thread, even while the reader waits for data. Frames that are read already are still
    /// returned.
    func stop() {
        state.change { $0.isStopped = true }
    }
}
