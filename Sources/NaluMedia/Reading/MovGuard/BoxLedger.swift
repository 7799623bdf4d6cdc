internal import NaluBase

/// What the boxes of a file claim beyond the bytes that they have, against what the input can hold.
final class BoxLedger {
    /// Claims up to here are nobody's harm: entries of at most 40 bytes.
    private static let leastSamples: Int64 = 65536
    /// The same where the size of the input is not known.
    private static let mostAhead: Int64 = 1 << 19
    private static let mostOverhang: Int64 = 65536
    /// Of the fragments of a file of many tracks, each in each: as many as that take 20 MB.
    private static let leastParts: Int64 = 1 << 18
    /// Bytes that a box may lack at the end of the input.
    private static let mostMissing: Int64 = 1 << 20

    /// Bytes of the input, -1 where they are not known, and how many of them have come.
    var size: Int64 = -1
    var arrived: Int64 = 0
    /// Whether a segment index has come.
    var hasSegmentIndex = false
    private(set) var refusal: NaluError?
    private var overhang: Int64 = 0
    private var samples: Int64 = 0
    private var offsets: Int64 = 0
    private var edits: Int64 = 0
    private var fragments: Int64 = 0
    /// Boxes whose claims have been counted: those that are read again are not counted again.
    private var counted: Set<Int64> = []
    private var tracks: Set<Int64> = []

    /// As many samples as the input can have: each takes a byte.
    private var most: Int64 { size >= 0 ? max(Self.leastSamples, size) : arrived + Self.mostAhead }

    private var inputText: String {
        size >= 0 ? "in an input of \(size) bytes" : "where \(arrived) bytes have come"
    }

    func refuse(_ type: BoxType, _ at: Int64, _ fault: String) {
        guard refusal == nil else { return }
        refusal = NaluError(
            .badData, "the mp4 or mov is damaged: its box \(type.name) at byte \(at) has \(fault)")
    }

    /// A header that is packed with zlib: what it claims is seen by nobody before libavformat.
    func refuseCompressed(_ at: Int64) {
        guard refusal == nil else { return }
        refusal = NaluError(
            .unsupportedDataFormat,
            "the mov has a compressed header (box cmov at byte \(at)), which is older than H.264; "
                + "expected one without compression")
    }

    /// Entries for which the box at `at` has room for so many.
    func entries(_ count: Int64, room: Int64, _ type: BoxType, _ at: Int64) {
        let room = max(0, room)
        guard count > room, counted.insert(at).inserted else { return }
        overhang = overhang.addingReportingOverflow(count - room).partialValue
        if overhang > Self.mostOverhang || overhang < 0 {
            refuse(type, at, "\(count) entries; expected at most \(room), for which there is room")
        }
    }

    /// Bytes that a box, or what is in it, says it has.
    func bytes(_ count: Int64, room: Int64, _ type: BoxType, _ at: Int64) {
        if count - max(0, room) > Self.mostMissing {
            refuse(type, at, "\(count) bytes; expected at most \(max(0, room)), which are there")
        }
    }

    /// Samples that take no bytes of the box.
    func samples(_ count: Int64, _ type: BoxType, _ at: Int64) {
        guard count > 0, counted.insert(at).inserted else { return }
        charge(count, to: &samples, most, "samples", type, at)
    }

    /// Times of samples, written out.
    func offsets(_ count: Int64, _ type: BoxType, _ at: Int64) {
        guard count > 0, counted.insert(at).inserted else { return }
        charge(count, to: &offsets, most, "samples", type, at)
    }

    /// Samples that an edit list of many parts shows: those of the track in each of them, at the worst.
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
        tracks.insert(at)
    }

    /// Parts of a fragmented file, in each of which libavformat notes something of each track. A part has so many bytes.
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
