private import Nalu

/// A group of pictures: a key frame, and what follows up to the next one in decoding order.
struct GroupRecord {
    let firstFrame: Int
    var frameCount = 0
    var bytes = 0
    /// Whether no picture of it needs one before it: it begins with an IDR picture, or in H.265 with any at which decoding
    /// can begin and has no leading picture that is skipped then (RASL).
    var isClosed: Bool

    static func groups(of frames: [FrameRecord]) -> [GroupRecord] {
        var groups: [GroupRecord] = []
        for (index, frame) in frames.enumerated() {
            if frame.isKey || groups.isEmpty {
                groups.append(GroupRecord(firstFrame: index, isClosed: frame.kind.isRandomAccess))
            }
            if frame.layer?.type.isSkippedLeading == true { groups[groups.count - 1].isClosed = false }
            groups[groups.count - 1].frameCount += 1
            groups[groups.count - 1].bytes += frame.size
        }
        return groups
    }
}
