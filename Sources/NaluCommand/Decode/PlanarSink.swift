internal import Nalu

/// Writes the planes of frames in the video's own layout and depth, raw or as a YUV4MPEG2 stream. ``Y4MHeader`` reads
/// the tags of that stream.
final class PlanarSink: FrameSink {
    private let writer: PlaneWriter
    private var facts: VideoFacts
    /// The frame rate in the YUV4MPEG2 header; nil for raw frames.
    private let rate: RationalFrameRate?
    private var hasHeader = false
    private var constancy: PictureConstancy

    init(_ output: OutputFile, _ source: DecodedFrames, rate: RationalFrameRate?) {
        writer = PlaneWriter(output)
        facts = source.facts
        self.rate = rate
        constancy = PictureConstancy(input: source.name, output: output.name, fixesFormat: true)
    }

    /// Returns the header line. The first frame's field order holds for the whole stream.
    private func header(_ rate: RationalFrameRate, _ fields: VideoFacts.FieldOrder?) -> String {
        let aspect = facts.pixelAspectRatio ?? (0, 0)
        let order =
            switch fields {
            case .topFirst: "t"
            case .bottomFirst: "b"
            case nil: "p"
            }
        return "YUV4MPEG2 W\(facts.width) H\(facts.height) F\(rate.numerator):\(rate.denominator) I\(order) "
            + "A\(aspect.horizontal):\(aspect.vertical) \(layout) "
            + "XCOLORRANGE=\(facts.format.isFullRange ? "FULL" : "LIMITED")\n"
    }

    /// The C and XYSCSS tags, spelled as in FFmpeg.
    private var layout: String {
        let name = facts.format.chromaColumns == 1 ? "444" : facts.format.chromaRows == 1 ? "422" : "420"
        if facts.bitDepth > 8 { return "C\(name)p\(facts.bitDepth) XYSCSS=\(name)P\(facts.bitDepth)" }
        guard name == "420" else { return "C\(name) XYSCSS=\(name)" }
        // The default chroma location is left, and FFmpeg calls that mpeg2.
        switch facts.chromaLocation {
        case 1: return "C420jpeg XYSCSS=420JPEG"
        case 2: return "C420paldv XYSCSS=420PALDV"
        default: return "C420mpeg2 XYSCSS=420MPEG2"
        }
    }

    func write(_ image: PixelBuffer, of frame: TimedFrame) throws {
        try constancy.check(image, at: frame.time)
        if let rate {
            if !hasHeader {
                (facts.width, facts.height) = (image.width, image.height)
                writer.add(header(rate, frame.fields))
                hasHeader = true
            }
            writer.add("FRAME\n")
        }
        writer.addPlanar(image, bitDepth: facts.bitDepth)
        try writer.flush()
    }

    func finish() {}
}
