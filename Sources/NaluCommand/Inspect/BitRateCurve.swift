/// Bits a second over time, frames taken at a constant rate in decoding order.
struct BitRateCurve {
    struct Window {
        /// Seconds from the beginning.
        let start: Double
        /// Seconds, 1 but for the last one.
        let duration: Double
        let bits: Int

        var rate: Double { Double(bits) / duration }
    }

    private(set) var windows: [Window] = []
    /// Seconds of the whole stream.
    let duration: Double
    let average: Double
    /// The highest rate of any second that begins with a frame; of the whole stream, where it is shorter.
    private(set) var peak: Double
    /// When that second begins.
    private(set) var peakStart = 0.0

    init(frames: [FrameRecord], fps: Double) {
        duration = Double(frames.count) / fps
        let total = frames.reduce(0) { $0 + $1.size } * 8
        average = frames.isEmpty ? 0 : Double(total) / duration
        peak = average
        fillWindows(frames, fps)
        findPeak(frames, max(1, Int(fps.rounded())), fps)
    }

    private mutating func fillWindows(_ frames: [FrameRecord], _ fps: Double) {
        var index = 0
        var second = 0
        while index < frames.count {
            // The first frame of the next second; a rate below one frame a second leaves windows empty.
            let end = min(frames.count, Int((Double(second + 1) * fps).rounded(.up)))
            let bits = frames[index..<max(index, end)].reduce(0) { $0 + $1.size } * 8
            windows.append(Window(start: Double(second), duration: min(1, duration - Double(second)), bits: bits))
            index = max(index, end)
            second += 1
        }
    }

    private mutating func findPeak(_ frames: [FrameRecord], _ count: Int, _ fps: Double) {
        guard frames.count > count else { return }
        let seconds = Double(count) / fps
        var bits = frames[..<count].reduce(0) { $0 + $1.size } * 8
        peak = Double(bits) / seconds
        for index in count..<frames.count {
            bits += (frames[index].size - frames[index - count].size) * 8
            let rate = Double(bits) / seconds
            if rate > peak {
                peak = rate
                peakStart = Double(index - count + 1) / fps
            }
        }
    }
}
