internal import Nalu
private import Synchronization

/// Takes samples in decode order. One thread at a time.
protocol SampleSink: Sendable {
    /// The bytes that the sample takes.
    func write(_ sample: Sample) throws -> Int
    /// Writes what comes at the end. With no sample before it, nothing.
    func finish() throws
}

/// Writes samples in Annex B form.
final class AnnexBSink: SampleSink {
    /// One memory for all samples.
    @safe
    private struct Scratch: @unchecked Sendable {
        var bytes = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
        /// Of the sample before.
        var format: FormatDescription?
    }

    private let output: OutputFile
    private let scratch = Mutex(Scratch())

    init(_ output: OutputFile) {
        self.output = output
    }

    deinit {
        scratch.withLock { unsafe $0.bytes.deallocate() }
    }

    func write(_ sample: Sample) throws -> Int {
        try scratch.withLock { scratch in
            // What decodes the samples from here on is with them, also between key frames.
            let changes = scratch.format.map { $0 != sample.formatDescription } ?? false
            scratch.format = sample.formatDescription
            let sets: Sample.ParameterSets = changes ? .always : .atKeyFrames
            let size = sample.annexBSize(parameterSets: sets)
            if unsafe scratch.bytes.count < size {
                unsafe scratch.bytes.deallocate()
                unsafe scratch.bytes = .allocate(byteCount: size * 3 / 2, alignment: 64)
            }
            let count = unsafe try sample.writeAnnexB(parameterSets: sets, into: scratch.bytes)
            unsafe try output.write(UnsafeRawBufferPointer(rebasing: scratch.bytes[..<count]))
            return count
        }
    }

    func finish() {}
}
