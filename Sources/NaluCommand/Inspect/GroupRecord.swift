/// A group of pictures: a key frame, and what follows up to the next one in decoding order.
struct GroupRecord {
    let firstFrame: Int
    var frameCount = 0
    var bytes = 0
    /// Whether no picture of it needs one before it: it begins with an IDR picture.
    let isClosed: Bool

    static func groups(of frames: [FrameRecord]) -> [GroupRecord] {
        var groups: [GroupRecord] = []
        for (index, frame) in frames.enumerated() {
            if frame.isKey || groups.isEmpty {
                groups.append(GroupRecord(firstFrame: index, isClosed: frame.kind == .idr))
            }
            groups[groups.count - 1].frameCount += 1
            groups[groups.count - 1].bytes += frame.size
        }
        return groups
    }
}
