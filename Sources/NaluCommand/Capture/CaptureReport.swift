internal import Nalu
internal import NaluMedia

/// The status line and the summary of a run of `nalu capture`.
struct CaptureReport {
    private let run: CaptureEncoding
    private let capture: CaptureSession
    private let writer: StreamWriter
    private let publishing: PublishSink?

    init(
        _ run: CaptureEncoding, _ capture: CaptureSession, _ writer: StreamWriter, _ publishing: PublishSink?
    ) {
        self.run = run
        self.capture = capture
        self.writer = writer
        self.publishing = publishing
    }

    /// The status line.
    var line: String {
        let (counts, statistics) = (writer.counts, capture.statistics)
        let (total, span) = run.state.withLock { ($0.total.delay, $0.seconds) }
        var parts = [
            NumberText.count(counts.frames, "frame"), "\(counts.dropped + Int(statistics.droppedFrames)) dropped",
            "\(NumberText.decimal(statistics.frameRate, places: 1)) fps",
            NumberText.scaled(bitRate(counts, span), unit: "b/s"),
            "delay \(NumberText.decimal(total.p95 * 1000, places: 1)) ms",
        ]
        if let audio = run.audio {
            parts.append("audio \(NumberText.clock(audio.seconds))")
            if statistics.lostAudioFrames > 0 { parts.append("\(statistics.lostAudioFrames) audio frames lost") }
        }
        parts += publishing?.status ?? []
        return (parts + [NumberText.clock(span)]).joined(separator: "  ")
    }

    /// The summary: one line for the video, one for the size, and those that apply to audio and a connection; then the
    /// table of delays.
    func summary(_ fileSize: Int?) -> String {
        let (counts, statistics) = (writer.finalCounts, capture.statistics)
        let (encode, total, seconds) = run.state.withLock { ($0.encode.delay, $0.total.delay, $0.seconds) }
        let format = capture.videoFormat
        var table = TextTable(header: ["delay in ms", "least", "mean", "p95", "most"], rightAligned: [1, 2, 3, 4])
        let stages = [
            ("capture", statistics.capture), ("wait", statistics.wait), ("encode", encode),
            ("capture to sample", total),
        ]
        for (name, delay) in stages {
            table.add(
                [name]
                    + [delay.least, delay.mean, delay.p95, delay.most].map { NumberText.decimal($0 * 1000, places: 2) })
        }
        let dropped = counts.dropped + Int(statistics.droppedFrames)
        var lines = [
            "\(run.outputs.name): \(NumberText.count(counts.frames, "frame")) (\(NumberText.count(counts.keyFrames, "key frame"))) of "
                + "\(format?.widths.lowerBound ?? 0)x\(format?.heights.lowerBound ?? 0) from \(run.device.id) at \(run.rate.text) fps, "
                + "\(NumberText.decimal(seconds, places: 2)) s; \(dropped) dropped",
            "\(NumberText.scaled(Double(fileSize ?? counts.bytes), unit: "B")), \(NumberText.scaled(bitRate(counts, seconds), unit: "b/s"))",
        ]
        if statistics.repairedTimes > 0 {
            lines.append(
                "\(NumberText.count(Int(clamping: statistics.repairedTimes), "time")) of pictures repaired: the device's own did not increase, or were not on the host clock"
            )
        }
        if let audio = run.audio { lines.append(audio.summary(lost: statistics.lostAudioFrames)) }
        if let note = publishing?.note { lines.append(note) }
        return (lines + [table.text]).joined(separator: "\n")
    }

    /// Returns the bits of video per second of video.
    private func bitRate(_ counts: RunCounts, _ seconds: Double) -> Double {
        seconds > 0 ? Double(counts.bytes) * 8 / seconds : 0
    }
}
