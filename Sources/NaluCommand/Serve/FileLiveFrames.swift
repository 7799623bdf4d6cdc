#if Serve
    private import ArgumentParser
    internal import Nalu
    internal import NaluBase
    private import NaluLibc
    internal import NaluMedia

    /// The frames of a file at their times, repeated forever.
    final class FileLiveFrames: LiveFrames {
        private struct State: Sendable {
            var isStopped = false
            var isOver = true
            var source: (any FrameSource)?
        }

        let name: String
        private let first: any FrameSource
        private let path: String
        private let state = Guarded(State())

        var frameRate: Double? { first.frameRate.perSecond }
        var signal: [(key: PropertyKey, value: PropertyValue?)] { first.facts.signal }

        init(path: String) throws {
            self.path = path
            name = path.split(separator: "/").last.map(String.init) ?? path
            first = try Self.open(path)
        }

        private static func open(_ path: String) throws -> any FrameSource {
            let file = try InputFile(path: path)
            guard file.path != nil else {
                throw Failure(
                    "\(file.name) cannot be repeated, because it is not a regular file; save it to a file first")
            }
            return try InputFacts.frames(InputOptions.parse([path]), DecoderOptions.parse([]), from: file)
        }

        func start(
            frame: @escaping @Sendable (LivePixels, Int64) -> Void, end: @escaping @Sendable (any Error) -> Void
        ) throws {
            state.withLock { $0.isOver = false }
            try WorkerThread.start { [self] in
                var failure: (any Error)?
                do { try deliver(to: frame) } catch { failure = error }
                state.change { $0.isOver = true }
                if let failure, !state.withLock({ $0.isStopped }) { end(failure) }
            }
        }

        private func deliver(to handler: @Sendable (LivePixels, Int64) -> Void) throws {
            var next = first
            while true {
                let source = next
                state.withLock { $0.source = source }
                defer { source.stop() }
                try source.begin()
                let start = MonotonicClock.seconds
                var firstTime: Double?
                while let frame = try source.next() {
                    let seconds = frame.time.seconds
                    let offset = firstTime ?? seconds
                    firstTime = offset
                    let due = start + max(0, seconds - offset)
                    guard wait(until: due) else { return }
                    let time = Int64(MonotonicClock.seconds * 1e6)
                    switch frame.pixels {
                    case .kept(let buffer): handler(.kept(buffer), time)
                    case .lent(let pixels): handler(.lent(pixels), time)
                    }
                }
                guard firstTime != nil else { throw Failure("\(name) has no frames") }
                // A single picture is repeated twice a second.
                guard wait(until: max(MonotonicClock.seconds + 1 / (frameRate ?? 2), start + 0.01)) else { return }
                next = try Self.open(path)
            }
        }

        /// Waits until a host time in seconds. Returns false if the source was stopped.
        private func wait(until time: Double) -> Bool {
            while !state.withLock({ $0.isStopped }) {
                let left = time - MonotonicClock.seconds
                guard left > 0 else { return true }
                _ = state.wait(milliseconds: max(1, Int(left * 1000))) { $0.isStopped ? () : nil }
            }
            return false
        }

        func stop() {
            let source = state.change { state in
                state.isStopped = true
                return state.source
            }
            source?.stop()
            state.wait { $0.isOver ? () : nil }
        }
    }
#endif
