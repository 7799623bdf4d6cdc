internal import Nalu

/// Writes a YUV4MPEG2 stream, whose tags are those that ``Y4MHeader`` reads.
final class Y4MSink: FrameSink {
    private let writer: PlaneWriter
    private let facts: VideoFacts
    private let rate: FrameRate
    private var hasHeader = false
    private let fitted: FittedImages

    init(_ output: OutputFile, _ facts: VideoFacts, rate: FrameRate) {
        writer = PlaneWriter(output)
        self.facts = facts
        self.rate = rate
        fitted = FittedImages(facts, format: facts.format)
    }

    private var header: String {
        let aspect = facts.pixelAspectRatio ?? (0, 0)
        let isFull = facts.format == .i420FullRange || facts.format == .x420FullRange
        // Chroma lies left where the stream says nothing, and FFmpeg calls that mpeg2.
        let colour = facts.format.bitDepth > 8 ? "C420p10 XYSCSS=420P10" : "C420mpeg2 XYSCSS=420MPEG2"
        return "YUV4MPEG2 W\(facts.width) H\(facts.height) F\(rate.numerator):\(rate.denominator) Ip "
            + "A\(aspect.horizontal):\(aspect.vertical) \(colour) XCOLORRANGE=\(isFull ? "FULL" : "LIMITED")\n"
    }

    func write(_ image: PixelBuffer, at time: MediaTime) throws {
        if !hasHeader { writer.add(header) }
        hasHeader = true
        writer.add("FRAME\n")
        let image = try fitted.fitted(image)
        if facts.format.bitDepth > 8 {
            writer.addLowered(image, plane: 0)
            writer.addLowered(image, plane: 1, first: 0, step: 2)
            writer.addLowered(image, plane: 1, first: 1, step: 2)
        } else {
            for plane in 0..<image.planeCount { writer.add(image, plane: plane) }
        }
        try writer.flush()
    }

    func finish() {}
}
