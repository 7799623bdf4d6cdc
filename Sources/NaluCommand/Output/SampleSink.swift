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
            let size = sample.annexBSize()
            if unsafe scratch.bytes.count < size {
                unsafe scratch.bytes.deallocate()
                unsafe scratch.bytes = .allocate(byteCount: size * 3 / 2, alignment: 64)
            }
            let count = unsafe try sample.writeAnnexB(into: scratch.bytes)
            unsafe try output.write(UnsafeRawBufferPointer(rebasing: scratch.bytes[..<count]))
            return count
        }
    }

    func finish() {}
}
