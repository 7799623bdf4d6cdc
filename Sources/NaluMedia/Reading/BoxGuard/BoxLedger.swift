internal import NaluBase

/// Adds up what the boxes of a file claim beyond their own bytes, and compares it with what the input can contain.
final class BoxLedger {
    /// The number of claimed samples that is always allowed, because an entry takes at most 40 bytes.
    private static let leastSamples: Int64 = 65536
    /// The number of samples that may be claimed beyond the arrived bytes, if the size of the input is not known.
    private static let mostAhead: Int64 = 1 << 19
    private static let mostOverhang: Int64 = 65536
    /// The number of track entries in fragments that is always allowed. Each fragment of a file has an entry for each
    /// track; so many take 20 MB.
    private static let leastParts: Int64 = 1 << 18
    /// The number of bytes that a box may lack at the end of the input.
    private static let mostMissing: Int64 = 1 << 20

    /// The size of the input in bytes, -1 if not known, and the number of bytes that have arrived.
    var size: Int64 = -1
    var arrived: Int64 = 0
    /// True if a segment index has arrived.
    var hasSegmentIndex = false
    /// True if the file has fragments, or announces them.
    var hasFragments = false
    /// The offset of the first fragment; `Int64.max` if none has arrived.
    private var firstFragment = Int64.max
    /// The lowest composition offsets of tracks, by track_ID: among the samples of the movie, and among all samples that
    /// have arrived. At most 0.
    private var leastOffsets: [UInt32: (ofMovie: Int64, ofAll: Int64)] = [:]
    /// The units per second of the durations in edit lists; 0 if not known.
    var movieTimescale: Int64 = 0
    /// The offsets of the tracks in the first movie, and the edit lists of those that have one.
    private var trackStarts: [Int64] = []
    private var editLists: [Int64: [Edit]] = [:]
    /// Words that libavformat must read with another value, and their offsets: those of edit lists and of sample
    /// entries.
    private var corrections: [(place: Int64, value: UInt32)] = []
    private var entryCorrections: [(place: Int64, value: UInt32)] = []
    /// True if a sample entry displays less than its pictures (ISO/IEC 14496-12, 12.1.4). Old versions of
    /// libavformat do not read this box.
    var hasCleanAperture = false
    private(set) var refusal: NaluError?
    private var overhang: Int64 = 0
    private var samples: Int64 = 0
    private var offsets: Int64 = 0
    private var edits: Int64 = 0
    private var fragments: Int64 = 0
    /// The offsets of boxes whose claims have been counted. A box that is read again is not counted again.
    private var counted: Set<Int64> = []
    private var tracks: Set<Int64> = []

    /// The largest number of samples that the input can contain: each takes at least a byte.
    private var most: Int64 { size >= 0 ? max(Self.leastSamples, size) : arrived + Self.mostAhead }

    private var inputText: String {
        size >= 0 ? "in an input of \(size) bytes" : "in the \(arrived) bytes so far"
    }

    func refuse(_ type: BoxType, _ at: Int64, _ fault: String) {
        guard refusal == nil else { return }
        refusal = NaluError(.badData, "the mp4 or mov is corrupt: its box \(type.name) at byte \(at) has \(fault)")
    }

    /// Refuses a header that is compressed with zlib. Its claims cannot be checked before libavformat uses them.
    func refuseCompressed(_ at: Int64) {
        guard refusal == nil else { return }
        refusal = NaluError(
            .unsupportedDataFormat,
            "the mov has a compressed header (box cmov at byte \(at)), which is older than H.264; "
                + "expected one without compression")
    }

    /// Refuses a composition offset with which libavformat would read wrong times without an error.
    func refuseOffset(_ units: Int64, _ at: Int64) {
        guard refusal == nil else { return }
        refusal = NaluError(
            .unsupportedDataFormat,
            "the mp4 or mov has a composition offset of \(units) units (box ctts at byte \(at)), and FFmpeg reads at most "
                + "268435456; expected a track with a smaller timescale")
    }

    /// Counts the entries for which the box at `at` has no room.
    func entries(_ count: Int64, room: Int64, _ type: BoxType, _ at: Int64) {
        let room = max(0, room)
        guard count > room, counted.insert(at).inserted else { return }
        overhang = overhang.addingReportingOverflow(count - room).partialValue
        if overhang > Self.mostOverhang || overhang < 0 {
            refuse(type, at, "\(count) entries; expected at most \(room), which fit into it")
        }
    }

    /// Refuses a box if it, or an item in it, claims more bytes than are there.
    func bytes(_ count: Int64, room: Int64, _ type: BoxType, _ at: Int64) {
        if count - max(0, room) > Self.mostMissing {
            refuse(type, at, "\(count) bytes; expected at most the remaining \(max(0, room))")
        }
    }

    /// Counts samples that take no bytes of the box.
    func samples(_ count: Int64, _ type: BoxType, _ at: Int64) {
        guard count > 0, counted.insert(at).inserted else { return }
        charge(count, to: &samples, most, "samples", type, at)
    }

    /// Counts the times of samples that libavformat expands from runs.
    func offsets(_ count: Int64, _ type: BoxType, _ at: Int64) {
        guard count > 0, counted.insert(at).inserted else { return }
        charge(count, to: &offsets, most, "samples", type, at)
    }

    /// Counts the samples that an edit list with many entries displays. In the worst case, each entry displays all
    /// samples of the track.
    func edits(_ count: Int64, of trackSamples: Int64, _ at: Int64) {
        guard count > 8, counted.insert(at).inserted else { return }
        let (shown, isTooMuch) = count.multipliedReportingOverflow(by: trackSamples)
        edits += isTooMuch || shown > 1 << 56 ? 1 << 56 : shown
        let most = most > 1 << 52 ? Int64.max : max(8 * most, 1 << 19)
        if edits > most {
            refuse(
                "elst", at,
                "\(count) entries over \(trackSamples) samples each; expected fewer \(inputText)")
        }
    }

    func track(_ at: Int64) {
        if tracks.insert(at).inserted { trackStarts.append(at) }
    }

    func note(fragmentAt place: Int64) {
        hasFragments = true
        firstFragment = min(firstFragment, place)
    }

    func note(leastOffset offset: Int64, ofMovieOf track: UInt32) {
        guard offset < leastOffsets[track]?.ofMovie ?? 0 else { return }
        leastOffsets[track] = (offset, min(offset, leastOffsets[track]?.ofAll ?? 0))
    }

    func note(leastOffset offset: Int64, ofFragmentsOf track: UInt32) {
        guard offset < leastOffsets[track]?.ofAll ?? 0 else { return }
        // A hostile file can name any number of tracks.
        guard leastOffsets[track] != nil || leastOffsets.count < tracks.count else { return }
        leastOffsets[track] = (leastOffsets[track]?.ofMovie ?? 0, offset)
    }

    /// Returns the units by which libavformat presents a sample late. It adds the largest negative composition offset that
    /// it has read so far to all presentation times of a track, and subtracts it only from the decode times of the movie's
    /// own samples (mov.c, mov_update_dts_shift).
    func lateness(ofTrack track: UInt32, sampleAt place: Int64) -> Int64 {
        guard let least = leastOffsets[track] else { return 0 }
        return place < firstFragment ? least.ofMovie - least.ofAll : -least.ofAll
    }

    func note(_ edits: [Edit], ofTrackAt start: Int64) {
        editLists[start] = edits
    }

    /// Returns the edit list of the track at an offset; nothing if it has none.
    func edits(ofTrackAt start: Int64) -> [Edit] { editLists[start] ?? [] }

    /// Gives the last edit of a track another duration, whose last 4 bytes lie at `place`.
    func lengthen(_ edit: Edit, at place: Int64, to duration: Int64, ofTrackAt start: Int64) {
        editLists[start]?.removeLast()
        editLists[start]?.append(Edit(duration: duration, mediaTime: edit.mediaTime, rate: edit.rate))
        corrections.append((place, UInt32(duration)))
    }

    /// Lets libavformat read another word at `place` of a sample entry.
    func correctEntry(at place: Int64, to value: UInt32) {
        entryCorrections.append((place, value))
    }

    /// Removes and returns the corrections of a movie. In a file with fragments, an edit of duration 0 has the meaning
    /// that libavformat gives it.
    func takeCorrections() -> [(place: Int64, value: UInt32)] {
        defer { (corrections, entryCorrections) = ([], []) }
        return hasFragments ? entryCorrections : corrections + entryCorrections
    }

    /// Returns the edit list of a track; nothing if it has none.
    func edits(ofTrack index: Int) -> [Edit] {
        trackStarts.indices.contains(index) ? editLists[trackStarts[index]] ?? [] : []
    }

    /// Counts the fragments of a file. For each one, libavformat stores an entry for each track. `bytes` is the number
    /// of bytes that the file spends on a fragment.
    func fragments(_ count: Int64, ofBytes bytes: Int64, _ type: BoxType, _ at: Int64) {
        let unpaid = Int64(min(tracks.count, 1 << 20)) - bytes
        guard unpaid > 0, count > 0, counted.insert(at).inserted else { return }
        charge(count * unpaid, to: &fragments, max(Self.leastParts, most / 4), "parts of tracks", type, at)
    }

    private func charge(
        _ count: Int64, to sum: inout Int64, _ most: Int64, _ what: String, _ type: BoxType, _ at: Int64
    ) {
        let before = sum
        sum += min(count, 1 << 56)
        if sum > most {
            let others = before > 0 ? " beside the \(before) of others" : ""
            refuse(type, at, "\(count) \(what)\(others); expected at most \(most) \(inputText)")
        }
    }
}
