internal import Nalu

/// Carries presentation times on where those of a file jump back, as in MPEG-TS recordings that were joined without
/// their times being changed. The picture after a jump follows the last one before it.
struct TimeJoints {
    /// The number of jumps.
    private(set) var count = 0
    /// The sum that the jumps add to the times, and the sum before the last jump.
    private var (offset, offsetBefore) = (MediaTime.zero, MediaTime.zero)
    /// The times of the last pictures in the output, in the decoder's order.
    private var recent: [MediaTime] = []
    /// The latest of the times, and the end of its picture.
    private var (latest, end) = (MediaTime.invalid, MediaTime.invalid)

    /// Returns the time in the output of the next picture in the decoder's order.
    ///
    /// - Parameter reorderDepth: by how many pictures the decoder's order can differ from that of the times. A picture
    ///   that is not later than any of more pictures belongs to another part of the file.
    mutating func time(_ given: MediaTime, _ duration: MediaTime, reorderDepth: Int) -> MediaTime {
        if count > 0, given + offsetBefore > latest {
            // Only some pictures had early times, or the file has caught up.
            offset = offsetBefore
        }
        var time = given + offset
        if recent.count > reorderDepth, recent.allSatisfy({ time <= $0 }) {
            count += 1
            offsetBefore = offset
            offset += end - time
            time = end
        }
        if recent.isEmpty || time > latest {
            let step = recent.isEmpty ? MediaTime(value: 1, timescale: 30) : time - latest
            latest = time
            end = time + (duration.isNumeric && duration.value > 0 ? duration : step)
        }
        if recent.count > reorderDepth { recent.removeFirst() }
        recent.append(time)
        return time
    }
}
