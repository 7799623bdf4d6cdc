internal import Nalu

/// Takes samples in decode order. One thread at a time.
protocol SampleSink: Sendable {
    /// The bytes that the sample takes.
    func write(_ sample: Sample) throws -> Int
    /// Writes what comes at the end. With no sample before it, nothing.
    func finish() throws
}
