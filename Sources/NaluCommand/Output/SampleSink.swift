internal import Nalu
internal import NaluBase

/// Accepts samples in decode order, from one thread at a time.
protocol SampleSink: Sendable {
    /// Writes a sample. Returns the number of its bytes.
    func write(_ sample: Sample) throws -> Int
    /// Writes the rest of the output, after the last sample. Writes nothing if there was no sample.
    func finish() throws
    /// Returns the counts of a run after its end, with the numbers of frames that are in the output.
    func corrected(_ counts: RunCounts) -> RunCounts
}

extension SampleSink {
    func corrected(_ counts: RunCounts) -> RunCounts { counts }
}

/// Writes samples in Annex B form.
final class AnnexBSink: SampleSink {
    /// A buffer that all samples share.
    @safe
    private struct Scratch: @unchecked Sendable {
        var bytes = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
        /// The format of the previous sample.
        var format: FormatDescription?
    }

    private let output: OutputFile
    private let scratch = Guarded(Scratch())

    init(_ output: OutputFile) {
        self.output = output
    }

    deinit {
        scratch.withLock { unsafe $0.bytes.deallocate() }
    }

    func write(_ sample: Sample) throws -> Int {
        try scratch.withLock { scratch in
            // After a change of format, the parameter sets must precede the sample even if it is no key frame.
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

/// A sink for video beside audio. The samples of both tracks may come from different threads.
protocol AudioSink: SampleSink {
    /// Adds the audio track. Call it once, before the first sample.
    func addAudio(_ format: FormatDescription) throws
    /// Writes a sample of the audio track.
    func writeAudio(_ sample: Sample) throws
}
