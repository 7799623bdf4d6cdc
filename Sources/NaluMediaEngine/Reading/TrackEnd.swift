internal import CFFmpeg
internal import CNalu

/// When a track ends, by its last packets that have times.
struct TrackEnd {
    private var packets: [(time: Int64, size: Int)] = []

    /// - Parameter packet: has a presentation time.
    mutating func add(_ packet: UnsafeMutablePointer<AVPacket>) {
        unsafe packets.append((packet.pointee.pts, Int(max(0, packet.pointee.size))))
    }

    /// The last one is over when the least distance between two has passed: by the frame rate where there is but one.
    func time(of track: ReaderTrack) -> nalu_time? {
        let sorted = packets.sorted { $0.time < $1.time }
        guard let last = sorted.last else { return nil }
        let distances = zip(sorted.dropFirst(), sorted).map { $0.time &- $1.time }.filter { $0 > 0 }
        let rate = track.facts.nominalFrameRate
        let frame = rate > 0 ? Int64(Double(track.timeBase.units(seconds: 1)) / max(rate, 0.001)) : 0
        var length = distances.min() ?? frame
        if !track.facts.isReadable, distances.count > 1 {
            // A packet of sound has several frames, and the last one has what was left.
            let mean = Double(distances.reduce(0, &+)) / Double(distances.count)
            let size = Double(sorted.dropLast().reduce(0) { $0 + $1.size }) / Double(sorted.count - 1)
            length = Int64(mean * min(1, Double(last.size) / max(1, size)))
        }
        return track.timeBase.time(last.time &+ length)
    }
}
