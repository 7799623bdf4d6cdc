/// The tables of a track, of which libavformat makes its index when the track is at its end.
final class TrackTables {
    let start: Int64
    var isSound = false
    /// Entries of the table of durations, and the first of them.
    var durationCount: Int64 = 0
    var firstDuration: UInt32 = 0
    var chunkCount: Int64 = 0
    /// First chunk and samples a chunk.
    var runs: [(first: Int64, count: Int64)] = []
    var sampleCount: Int64 = 0
    /// Where samples are of one size, and no table backs their number.
    var constantSizes: Int64?
    /// Sums of the runs of the composition offsets, and of the groups of sync samples.
    var offsetCount: Int64 = 0
    var groupedCount: Int64 = 0
    var editCount: Int64 = 0

    init(_ start: Int64) {
        self.start = start
    }

    /// Counts what the index of the track will take.
    func settle(_ ledger: BoxLedger) {
        // Without all of them no index is made.
        guard chunkCount > 0, durationCount > 0, !runs.isEmpty else { return }
        var indexed = sampleCount
        if isSound && durationCount == 1 && firstDuration == 1 {
            // Uncompressed sound is read in pieces of 160 samples or more: an entry each, and one a chunk.
            let pieces = piecesOfChunks()
            ledger.samples(pieces, "stsc", start)
            indexed = pieces + chunkCount
        } else if let place = constantSizes {
            ledger.samples(sampleCount, "stsz", place)
        }
        if editCount > 0 { ledger.edits(editCount, of: indexed, start + 1) }
        if groupedCount > 0 {
            ledger.offsets(offsetCount, "ctts", start + 2)
            ledger.offsets(groupedCount, "sbgp", start + 3)
        }
    }

    private func piecesOfChunks() -> Int64 {
        var sum: Int64 = 0
        for (index, run) in runs.enumerated() {
            let next = index + 1 < runs.count ? runs[index + 1].first : chunkCount + 1
            let chunks = next > run.first && next <= chunkCount + 1 ? next - run.first : chunkCount
            sum = min(1 << 56, sum + chunks * (run.count / 160))
        }
        return sum
    }
}
