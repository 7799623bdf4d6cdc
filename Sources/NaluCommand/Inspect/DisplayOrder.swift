/// Numbers frames in the order in which they are shown.
enum DisplayOrder {
    /// Pictures are shown in the order of their counts, up to the next restart of the order.
    static func assign(to frames: inout [FrameRecord]) {
        let order = frames.indices.sorted { first, second in
            let (a, b) = (frames[first], frames[second])
            return (a.epoch, a.pictureOrderCount, first) < (b.epoch, b.pictureOrderCount, second)
        }
        for (place, index) in order.enumerated() { frames[index].display = place }
    }
}
