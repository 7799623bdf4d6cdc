/// The bits of a video, divided among its chunks by ``MultiPassStorage/divide(_:among:)``.
public struct BitDivision: Hashable, Sendable {
    /// The ``PropertyKey/averageBitRate`` of each chunk.
    public let bitRates: [Int]

    /// For each chunk, the QP at which to repeat its first pass (``CompressionSession/beginPass(isFinal:at:)``), 1 to 51; nil if
    /// the first pass is accurate enough. Repeat a first pass twice at most.
    public let firstPassQPs: [Double?]
}
