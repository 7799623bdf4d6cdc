internal import Nalu

/// Writes raw frames: planes and rows follow each other without padding.
final class RawSink: FrameSink {
    private let writer: PlaneWriter
    private let fitted: FittedImages

    init(_ output: OutputFile, _ form: DecodedForm, _ facts: VideoFacts) throws(Failure) {
        writer = PlaneWriter(output)
        let isFull = facts.format == .i420FullRange || facts.format == .x420FullRange
        let format: PixelFormat =
            switch form {
            case .nv12: isFull ? .nv12FullRange : .nv12
            case .p010: isFull ? .x420FullRange : .x420
            default: isFull ? .i420FullRange : .i420
            }
        fitted = FittedImages(facts, format: format)
    }

    func write(_ image: PixelBuffer, at time: MediaTime) throws {
        let image = try fitted.fitted(image)
        for plane in 0..<image.planeCount { writer.add(image, plane: plane) }
        try writer.flush()
    }

    func finish() {}
}
