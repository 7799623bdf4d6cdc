internal import Nalu
package import NaluBase

/// The bit rates of all chunks, so that the whole video has one quality.
package struct ChunkDivision: Sendable {
    /// Bits per second of each chunk.
    package var bitRates: [Int]
    /// For each chunk, the QP at which to repeat its first pass, twice at most; nil if the first pass is accurate
    /// enough.
    package var firstPassQPs: [Double?]

    /// Divides the bits of a video. A chunk gets at most its highest rate. The other chunks share the rest, at one
    /// quality of their own.
    ///
    /// - Parameters:
    ///   - bitRate: bits per second of the whole video.
    ///   - first: returns the first pass of the chunk with an index, and is called once for each of `count` chunks.
    ///   - directory: a directory for the uncompressed statistics of all chunks; nil for the one that `TMPDIR` names, or
    ///     /tmp.
    package init(
        _ bitRate: Int, count: Int, directory: String?, first: (Int) throws(NaluError) -> ChunkResult
    ) throws(NaluError) {
        let directory = directory ?? ChunkEncoder.temporaryDirectory
        guard bitRate >= 1 else { throw NaluError(.outOfRange, "bit_rate is \(bitRate); expected 1 or more") }
        var storages: [Int: MultiPassStorage] = [:]
        var durations: [Double] = []
        var highest: [Int?] = []
        for index in 0..<count {
            let first = try first(index)
            guard first.stage == .firstPass else {
                throw NaluError(.parameter, "result \(index) is not that of a first pass")
            }
            durations.append(first.duration.seconds)
            highest.append(first.highestRate)
            if first.frameCount > 0 { storages[index] = try MultiPassStorage(data: first.data, directory: directory) }
        }
        guard !storages.isEmpty else { throw NaluError(.parameter, "no chunk has frames; expected some") }
        // A chunk without frames needs no bits.
        bitRates = Array(repeating: bitRate, count: count)
        firstPassQPs = Array(repeating: nil, count: count)
        var total = (Double(bitRate) * durations.reduce(0, +)).rounded(.toNearestOrEven)
        var sharing = storages.keys.sorted()
        func divide(_ bits: Double, among indices: [Int]) throws(NaluError) -> BitDivision {
            try MultiPassStorage.divide(UInt64(min(max(1, bits), 0x1p62)), among: indices.compactMap { storages[$0] })
        }
        while !sharing.isEmpty {
            let division = try divide(total, among: sharing)
            var full: [Int: Int] = [:]
            for (index, (rate, qp)) in zip(sharing, zip(division.bitRates, division.firstPassQPs)) {
                (bitRates[index], firstPassQPs[index]) = (rate, qp)
                if let most = highest[index], rate > most { full[index] = most }
            }
            if full.isEmpty { break }
            for (index, most) in full {
                bitRates[index] = most
                let share = (Double(most) * durations[index]).rounded(.toNearestOrEven)
                firstPassQPs[index] = try divide(share, among: [index]).firstPassQPs[0]
                total -= share
            }
            sharing.removeAll { full[$0] != nil }
        }
        // One chunk gets all bits, whatever its first pass was.
        if storages.count == 1 { firstPassQPs = Array(repeating: nil, count: count) }
    }
}
