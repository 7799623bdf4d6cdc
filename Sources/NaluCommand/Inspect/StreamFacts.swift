internal import Nalu

/// The rows with the main facts about a stream, at the top of the table and the page.
enum StreamFacts {
    static func rows(_ analysis: StreamAnalysis) -> [(name: String, value: String)] {
        var rows = analysis.container?.rows ?? []
        if let description = analysis.description {
            rows.append(("format", "\(analysis.codec.name) \(description.title) (\(description.codec))"))
            rows.append(("picture", picture(description)))
            rows.append(("colour", color(description.picture)))
        }
        rows.append(("time", time(analysis)))
        rows.append(("size", size(analysis)))
        rows.append(("coding", coding(analysis)))
        rows.append(("groups", groups(analysis)))
        if let text = analysis.encoderText { rows.append(("encoder", text)) }
        return rows
    }

    /// Returns the encoder's name and version without its settings, from the text that x264 and x265 write.
    static func encoderName(_ text: String) -> String {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        let end =
            words.firstIndex { $0 == "H.264/MPEG-4" || $0 == "H.265/HEVC" || $0.hasPrefix("options:") } ?? words.count
        var name = words[..<end].joined(separator: " ")
        while name.last == "-" || name.last == " " { name.removeLast() }
        return name
    }

    private static func picture(_ description: StreamDescription) -> String {
        let set = description.picture
        var parts = ["\(set.width)x\(set.height)", StandardNames.chroma(set), "\(set.lumaBitDepth) bits"]
        parts.append(description.scan)
        if set.pixelAspectRatioHorizontal > 0, set.pixelAspectRatioVertical > 0,
            set.pixelAspectRatioHorizontal != set.pixelAspectRatioVertical
        {
            parts.append("pixels \(set.pixelAspectRatioHorizontal):\(set.pixelAspectRatioVertical)")
        }
        return parts.joined(separator: ", ")
    }

    private static func color(_ set: SequenceParameterSet) -> String {
        "\(StandardNames.color(set) ?? "unspecified"), \(set.isFullRange ? "full" : "limited") range"
    }

    private static func time(_ analysis: StreamAnalysis) -> String {
        let rate = analysis.rate
        let source =
            switch rate.source {
            case .stream, .container: ""
            case .timing: " (by the picture timing)"
            case .option: " (as asked)"
            case .assumed:
                rate.isStreamOdd ? " (assumed: the stream counts ticks)" : " (assumed: the stream states none)"
            }
        var frames = NumberText.count(analysis.frames.count, "frame")
        if analysis.hiddenCount > 0 { frames += " (\(analysis.hiddenCount) hidden by the edit list)" }
        return
            "\(frames) at \(QuantityFormat.short(rate.value)) fps\(source), \(QuantityFormat.duration(analysis.curve.duration))"
    }

    private static func size(_ analysis: StreamAnalysis) -> String {
        let curve = analysis.curve
        let size = "\(QuantityFormat.bytes(analysis.byteCount)), \(QuantityFormat.bitRate(curve.average))"
        guard curve.duration > 1 else { return size }
        let place = NumberText.decimal(curve.peakStart, places: 1)
        return "\(size), the fullest second \(QuantityFormat.bitRate(curve.peak)) from \(place) s"
    }

    private static func coding(_ analysis: StreamAnalysis) -> String {
        var parts = analysis.description?.coding ?? []
        let slices = analysis.frames.lazy.map(\.sliceCount)
        if let fewest = slices.min(), let most = slices.max() {
            let text = NumberText.count(most, "slice")
            parts.append("\(fewest == most ? text : "\(fewest) to \(text)") a frame")
        }
        if analysis.frames.contains(where: { $0.structure == .fieldPair }) { parts.append("fields") }
        if analysis.refreshCount > 0 {
            parts.append("intra refresh (\(NumberText.count(analysis.refreshCount, "recovery point")))")
        }
        return parts.joined(separator: ", ")
    }

    private static func groups(_ analysis: StreamAnalysis) -> String {
        let counts = analysis.groups.map(\.frameCount)
        guard let shortest = counts.min(), let longest = counts.max() else { return "none" }
        let closed = analysis.groups.count(where: \.isClosed)
        var text = NumberText.count(analysis.groups.count, "group")
        text += closed == counts.count ? ", closed" : closed == 0 ? ", open" : ", \(closed) of them closed"
        let frames = NumberText.count(longest, "frame")
        text += ", \(shortest == longest ? frames : "\(shortest) to \(frames)")"
        let run = analysis.longestBRun
        return text + (run == 0 ? ", no B" : ", at most \(run) B in a row")
    }
}
