/// The bit rate of a stream over time. Frames count in decode order, at a constant frame rate.
struct BitRateCurve {
    struct Window {
        /// The start in seconds from the beginning of the stream.
        let start: Double
        /// The duration in seconds: 1, except for the last window.
        let duration: Double
        let bits: Int

        var rate: Double { Double(bits) / duration }
    }

    private(set) var windows: [Window] = []
    /// The duration of the stream in seconds.
    let duration: Double
    let average: Double
    /// The highest rate of any second that begins with a frame; the average rate if the stream is shorter than a
    /// second.
    private(set) var peak: Double
    /// The start of the second with the highest rate.
    private(set) var peakStart = 0.0

    init(frames: [PictureRecord], fps: Double) {
        duration = Double(frames.count) / fps
        let total = frames.reduce(0) { $0 + $1.size } * 8
        average = frames.isEmpty ? 0 : Double(total) / duration
        peak = average
        fillWindows(frames, fps)
        findPeak(frames, max(1, Int(fps.rounded())), fps)
    }

    private mutating func fillWindows(_ frames: [PictureRecord], _ fps: Double) {
        var index = 0
        var second = 0
        while index < frames.count {
            // The index of the first frame of the next second. Below one frame per second, windows can be empty.
            let end = min(frames.count, Int((Double(second + 1) * fps).rounded(.up)))
            let bits = frames[index..<max(index, end)].reduce(0) { $0 + $1.size } * 8
            windows.append(Window(start: Double(second), duration: min(1, duration - Double(second)), bits: bits))
            index = max(index, end)
            second += 1
        }
    }

    private mutating func findPeak(_ frames: [PictureRecord], _ count: Int, _ fps: Double) {
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
