/// Makes samples of an H.264 byte stream (ITU-T H.264 Annex B) that comes in pieces of any size, as from a network.
///
/// ``push(_:time:)`` takes bytes, ``next()`` gives what has become complete, ``finish()`` ends the stream. Any thread may
/// call any of them. The corresponding C type is `nalu_stream_parser`.
public final class StreamParser: Sendable {
    /// What ``next()`` found.
    public enum Next: Sendable {
        case sample(Sample)
        /// More bytes are needed.
        case nothingYet
        /// The stream is finished and everything has been fetched.
        case end
    }

    private enum Item {
        case sample(Sample)
        case problem(NaluError)
    }

    private struct State {
        var splitter = ByteStreamSplitter()
        var assembler: AccessUnitAssembler
        var timeline: StreamTimeline
        var items = RingBuffer<Item>(capacity: 16)
        var sampleCount: UInt64 = 0
        var isFinished = false
    }

    private let state: Guarded<State>

    /// Throws `.unsupportedDataFormat` for another codec than H.264; `.outOfRange` and `.invalidTime` for options, see
    /// ``StreamParserOptions``.
    public init(
        codec: UInt32 = FormatDescription.h264, options: StreamParserOptions = StreamParserOptions()
    ) throws(NaluError) {
        guard codec == FormatDescription.h264 else {
            throw NaluError(
                .unsupportedDataFormat,
                "codec is 0x\(String(codec, radix: 16)); expected 0x\(String(FormatDescription.h264, radix: 16)), 'avc1'"
            )
        }
        try options.check()
        state = Guarded(
            State(
                assembler: AccessUnitAssembler(
                    maximumSize: options.maximumAccessUnitSize, reorderDepth: options.reorderDepth),
                timeline: StreamTimeline(frameDuration: options.frameDuration, reorderDepth: options.reorderDepth)))
    }

    /// Takes the next bytes of the stream. `time`, numeric, is the presentation time of the first access unit that
    /// begins in them; the invalid time is none.
    ///
    /// Throws `.invalidTime`; `.outOfOrder` behind ``finish()``. What is wrong with the bytes, ``next()`` throws.
    public func push(_ bytes: UnsafeRawBufferPointer, time: MediaTime = .invalid) throws(NaluError) {
        guard time.isNumeric || !time.isValid else {
            throw NaluError(.invalidTime, "time is \(time); expected a numeric time, or the invalid time for none")
        }
        try state.withLock { (state) throws(NaluError) in
            guard !state.isFinished else {
                throw NaluError(.outOfOrder, "the stream is finished; bytes come before finish, or to another parser")
            }
            guard bytes.count > 0 else { return }
            let position = state.splitter.position
            state.assembler.mark(position..<position + bytes.count, time: time.isNumeric ? time : nil)
            unsafe state.splitter.push(bytes, to: &state.assembler)
            Self.collect(&state)
        }
    }

    /// The same from an array.
    public func push(_ bytes: [UInt8], time: MediaTime = .invalid) throws(NaluError) {
        unsafe try bytes.withBytes { (bytes) throws(NaluError) in
            unsafe try push(bytes, time: time)
        }
    }

    /// The stream ends here: the access unit under way is complete, and none waits for others any more.
    public func finish() {
        state.withLock { state in
            guard !state.isFinished else { return }
            state.isFinished = true
            state.splitter.finish(to: &state.assembler)
            state.assembler.finish()
            Self.collect(&state)
            state.timeline.finish { sample in
                state.items.append(.sample(sample))
                state.sampleCount += 1
            }
        }
    }

    /// The next sample, in decoding order. Throws what was wrong with bytes that have been left out, once for those
    /// between two samples: `.badData`, `.unsupportedDataFormat`, `.outOfRange`; the next call goes on behind them.
    public func next() throws(NaluError) -> Next {
        let (item, isFinished) = state.withLock { ($0.items.popFirst(), $0.isFinished) }
        switch item {
        case .sample(let sample): return .sample(sample)
        case .problem(let error): throw error
        case nil: return isFinished ? .end : .nothingYet
        }
    }

    /// What has been counted so far.
    public var statistics: StreamParserStatistics {
        state.withLock { state in
            var result = state.assembler.statistics
            result.bytes = UInt64(state.splitter.position)
            if !state.assembler.hasParameterSets { result.skippedBytes = result.bytes }
            result.samples = state.sampleCount
            result.pendingBytes = UInt64(state.assembler.pendingSize)
            result.replacedTimes = UInt64(state.timeline.replacedTimes)
            return result
        }
    }

    private static func collect(_ state: inout State) {
        let units = state.assembler.output
        if !units.isEmpty {
            state.assembler.output.removeAll(keepingCapacity: units.count < 16)
            for unit in units {
                var made: [Sample] = []
                state.timeline.add(unit) { made.append($0) }
                for sample in made { state.items.append(.sample(sample)) }
                state.sampleCount += UInt64(made.count)
            }
        }
        if let problem = state.assembler.problem {
            state.assembler.problem = nil
            // One tells that something is missing here; more would cost more than the bytes that they are about.
            if case .problem? = state.items[state.items.count - 1] { return }
            state.items.append(.problem(problem))
        }
    }
}
