/// The part of a ``StreamParser`` for one codec.
final class CodecStreamParser<Codec: StreamCodec>: Sendable {
    private enum Item {
        case sample(Sample)
        case problem(NaluError)
    }

    private struct State {
        var splitter = ByteStreamSplitter()
        var assembler: AccessUnitAssembler<Codec>
        var timeline: StreamTimeline
        var items = RingBuffer<Item>(capacity: 16)
        var sampleCount: UInt64 = 0
        var isFinished = false
    }

    private let state: Guarded<State>

    /// Throws `.outOfRange` and `.invalidTime`.
    init(_ options: StreamParserOptions) throws(NaluError) {
        try options.check()
        state = Guarded(
            State(
                assembler: AccessUnitAssembler(
                    maximumSize: options.maximumAccessUnitSize, reorderDepth: options.reorderDepth),
                timeline: StreamTimeline(frameDuration: options.frameDuration, reorderDepth: options.reorderDepth)))
    }

    func push(_ bytes: UnsafeRawBufferPointer, time: MediaTime) throws(NaluError) {
        guard time.isNumeric || !time.isValid else {
            throw NaluError(.invalidTime, "time is \(time); expected a numeric time, or the invalid time for none")
        }
        try state.withLock { (state) throws(NaluError) in
            guard !state.isFinished else {
                throw NaluError(.outOfOrder, "the stream is finished; push bytes before finish, or to another parser")
            }
            guard bytes.count > 0 else { return }
            let position = state.splitter.position
            state.assembler.mark(position..<position + bytes.count, time: time.isNumeric ? time : nil)
            unsafe state.splitter.push(bytes, to: &state.assembler)
            Self.collect(&state)
        }
    }

    func finish() {
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

    func next() throws(NaluError) -> StreamParser.Next {
        let (item, isFinished) = state.withLock { ($0.items.popFirst(), $0.isFinished) }
        switch item {
        case .sample(let sample): return .sample(sample)
        case .problem(let error): throw error
        case nil: return isFinished ? .end : .nothingYet
        }
    }

    var statistics: StreamParserStatistics {
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
            // One error states that something is missing here. More errors would take more memory than the bytes that
            // they are about.
            if case .problem? = state.items[state.items.count - 1] { return }
            state.items.append(.problem(problem))
        }
    }
}
