internal import Nalu

/// Writes the planes of frames in the video's own layout and depth: raw, or as a YUV4MPEG2 stream, whose tags are those that
/// ``Y4MHeader`` reads.
final class PlanarSink: FrameSink {
    private let writer: PlaneWriter
    private let facts: VideoFacts
    /// Of YUV4MPEG2.
    private let rate: FrameRate?
    private var hasHeader = false
    private let fitted: FittedImages

    init(_ output: OutputFile, _ facts: VideoFacts, rate: FrameRate?) {
        writer = PlaneWriter(output)
        self.facts = facts
        self.rate = rate
        fitted = FittedImages(facts, format: facts.format)
    }

    private func header(_ rate: FrameRate) -> String {
        let aspect = facts.pixelAspectRatio ?? (0, 0)
        return "YUV4MPEG2 W\(facts.width) H\(facts.height) F\(rate.numerator):\(rate.denominator) Ip "
            + "A\(aspect.horizontal):\(aspect.vertical) \(layout) "
            + "XCOLORRANGE=\(facts.format.isFullRange ? "FULL" : "LIMITED")\n"
    }

    /// As FFmpeg names it.
    private var layout: String {
        let name = facts.format.chromaColumns == 1 ? "444" : facts.format.chromaRows == 1 ? "422" : "420"
        if facts.bitDepth > 8 { return "C\(name)p\(facts.bitDepth) XYSCSS=\(name)P\(facts.bitDepth)" }
        // Chroma lies left where the stream says nothing, and FFmpeg calls that mpeg2.
        return name == "420" ? "C420mpeg2 XYSCSS=420MPEG2" : "C\(name) XYSCSS=\(name)"
    }

    func write(_ image: PixelBuffer, at time: MediaTime) throws {
        if let rate {
            if !hasHeader { writer.add(header(rate)) }
            hasHeader = true
            writer.add("FRAME\n")
        }
        try writer.addPlanar(fitted.fitted(image), bitDepth: facts.bitDepth)
        try writer.flush()
    }

    func finish() {}
}
