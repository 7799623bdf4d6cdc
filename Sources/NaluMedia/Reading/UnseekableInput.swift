private import NaluBase
private import NaluLibc

/// An input that cannot seek. Its beginning has been examined, and its bytes are read in order.
///
/// The samples of an mp4 or mov can be found only after its index (moov) has arrived. If the media data come first, all
/// of them must be kept until then.
final class UnseekableInput: ByteInput {
    private let base: any ByteInput
    /// Bytes that were read from the input and have not been returned.
    private(set) var beginning: ArraySlice<UInt8> = []
    /// The failure that follows ``beginning``: a negative errno number, or 0 for none yet.
    private var failure = 0

    /// The types of box with which an mp4 or mov can begin.
    private static let first: Set<BoxType> = [
        "ftyp", "moov", "mdat", "free", "skip", "wide", "junk", "pnot", "uuid", "pdin",
    ]
    /// The most bytes that are held of boxes before the media data or the index.
    private static let mostHeld: Int64 = 1 << 20
    private static let pieceSize = 65536

    init(_ base: any ByteInput) {
        self.base = base
    }

    // MARK: - Boxes

    /// Returns whether the media data of an mp4 or mov come before its index. Follows the top-level boxes of the file
    /// up to the media data or the index (ISO/IEC 14496-12, 4.2). Reads no further than a demuxer must before the first sample.
    func hasIndexLast() -> Bool {
        var place: Int64 = 0
        while hold(place + 8) {
            let type = BoxType(code: UInt32(number(at: place + 4, bytes: 4)))
            if place == 0 && !Self.first.contains(type) { return false }
            if type == "moov" || type == "moof" { return false }
            var (size, header) = (Int64(number(at: place, bytes: 4)), Int64(8))
            if size == 1 {
                guard hold(place + 16) else { return false }
                (size, header) = (Int64(clamping: number(at: place + 8, bytes: 8)), 16)
            }
            // A size of 0 means the rest of the input, so no index follows.
            guard size >= header else { return false }
            if type == "mdat" && size > header { return true }
            let (next, isTooLarge) = place.addingReportingOverflow(size)
            if isTooLarge { return false }
            if next > Self.mostHeld { return true }
            place = next
        }
        return false
    }

    /// Returns a big-endian number in the held bytes.
    private func number(at place: Int64, bytes count: Int) -> UInt64 {
        beginning[Int(place)..<Int(place) + count].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads until `count` bytes are held. Returns false if the input has fewer.
    private func hold(_ count: Int64) -> Bool {
        while failure == 0 && Int64(beginning.count) < count {
            let got = unsafe beginning.append(capacity: Self.pieceSize) { room in unsafe base.read(room) }
            failure = min(0, got)
            if got == 0 { return false }
        }
        return Int64(beginning.count) >= count
    }

    // MARK: - Reading

    var canSeek: Bool { false }
    var size: Int64 { base.size }

    func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        guard !beginning.isEmpty else { return failure < 0 ? failure : unsafe base.read(bytes) }
        let count = min(bytes.count, beginning.count)
        unsafe bytes.copyBytes(from: beginning.prefix(count))
        beginning = beginning.dropFirst(count)
        return count
    }

    func seek(to offset: Int64) -> Int32 { ESPIPE }
}
