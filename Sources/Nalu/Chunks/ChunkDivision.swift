/// The bit rates of all chunks, so that the whole video has one quality.
package struct ChunkDivision: Sendable {
    /// Bits per second of each chunk.
    package var bitRates: [Int]
    /// The QP at which to repeat each chunk's first pass, twice at most; nil if the first pass is accurate enough.
    package var firstPassQPs: [Double?]

    /// Divides the bits of a video, see ``MultiPassStorage/divide(_:among:)``.
    ///
    /// - Parameters:
    ///   - bitRate: bits per second of the whole video.
    ///   - first: returns the first pass of the chunk with an index, and is called once for each of `count` chunks.
    ///   - directory: a directory for the uncompressed statistics of all chunks; nil for the one that `TMPDIR` names, or
    ///     /tmp.
    package init(
        _ bitRate: Int, count: Int, directory: String?, first: (Int) throws(NaluError) -> ChunkResult
    ) throws(NaluError) {
        let directory = directory ?? TemporaryDirectory.path
        guard bitRate >= 1 else { throw NaluError(.outOfRange, "bit_rate is \(bitRate); expected 1 or more") }
        var storages: [Int: MultiPassStorage] = [:]
        var seconds = 0.0
        for index in 0..<count {
            let first = try first(index)
            guard first.stage == .firstPass else {
                throw NaluError(.parameter, "result \(index) is not that of a first pass")
            }
            seconds += first.duration.seconds
            if first.frameCount > 0 { storages[index] = try MultiPassStorage(data: first.data, directory: directory) }
        }
        guard !storages.isEmpty else { throw NaluError(.parameter, "no chunk has frames; expected some") }
        // A chunk without frames needs no bits.
        bitRates = Array(repeating: bitRate, count: count)
        firstPassQPs = Array(repeating: nil, count: count)
        let total = (Double(bitRate) * seconds).rounded(.toNearestOrEven)
        let indices = storages.keys.sorted()
        let division = try MultiPassStorage.divide(
            UInt64(min(max(1, total), 0x1p62)), among: indices.compactMap { storages[$0] })
        for (index, (rate, qp)) in zip(indices, zip(division.bitRates, division.firstPassQPs)) {
            (bitRates[index], firstPassQPs[index]) = (rate, qp)
        }
        // One chunk gets all bits, whatever its first pass was.
        if storages.count == 1 { firstPassQPs = Array(repeating: nil, count: count) }
    }
}
