/// What a run has made, for people.
struct EncodeSummary {
    let output: String
    let facts: VideoFacts
    let frameRate: FrameRate
    let counts: RunCounts
    /// Of the whole file, where it is one.
    let fileSize: Int?
    /// Seconds that the frames last.
    let duration: Double
    /// That the run took.
    let seconds: Double
    let quality: String?

    /// Lines without the last newline.
    var text: String {
        let rate = duration > 0 ? Double(counts.bytes) * 8 / duration : 0
        let speed = Double(counts.frames) / max(seconds, 0.000_001)
        let clip =
            "\(NumberText.count(counts.frames, "frame")) (\(NumberText.count(counts.keyFrames, "key frame"))) of \(facts.width)x\(facts.height) "
            + "at \(frameRate.text) fps, \(NumberText.decimal(duration, places: 2)) s"
        var lines = [
            "\(output): \(clip)",
            "\(NumberText.scaled(Double(fileSize ?? counts.bytes), unit: "B")), \(NumberText.scaled(rate, unit: "b/s")); "
                + "encoded in \(NumberText.decimal(seconds, places: 2)) s, \(NumberText.decimal(speed, places: 1)) fps, "
                + "\(NumberText.decimal(duration / max(seconds, 0.000_001), places: 2)) times real time",
        ]
        if counts.dropped > 0 { lines.append("\(NumberText.count(counts.dropped, "frame")) dropped to keep the rate") }
        if let quality { lines.append(quality) }
        return lines.joined(separator: "\n")
    }
}
