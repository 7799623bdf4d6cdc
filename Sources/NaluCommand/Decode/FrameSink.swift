internal import Nalu

/// Takes decoded pictures in the order in which they are shown.
protocol FrameSink: AnyObject {
    func write(_ image: PixelBuffer, at time: MediaTime) throws
    /// Writes what comes at the end.
    func finish() throws
}

/// Writes raw frames: planes and rows follow each other without padding.
final class RawSink: FrameSink {
    private let writer: PlaneWriter
    private let fitted: FittedImages

    init(_ output: OutputFile, _ form: DecodedForm, _ facts: VideoFacts) {
        writer = PlaneWriter(output)
        let isFull = facts.format.isFullRange
        let format: PixelFormat =
            switch form {
            case .nv12: isFull ? .nv12FullRange : .nv12
            case .p010: isFull ? .x420FullRange : .x420
            case .rgb24: .rgb24
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

/// Images of one size and format: those of a stream may change both.
final class FittedImages {
    private let facts: VideoFacts
    private let format: PixelFormat
    private let transfer = PixelTransfer()
    private var pool: PixelBufferPool?

    init(_ facts: VideoFacts, format: PixelFormat) {
        self.facts = facts
        self.format = format
    }

    /// The image itself where it fits already.
    func fitted(_ image: PixelBuffer) throws -> PixelBuffer {
        if image.format == format, image.width == facts.width, image.height == facts.height { return image }
        guard format.is420 else {
            throw Failure(
                "the frames change from \(facts.width)x\(facts.height) in \(format) to \(image.width)x\(image.height) in "
                    + "\(image.format), and only 4:2:0 can be fitted; use --format nv12, i420 or p010")
        }
        let pool =
            try pool ?? PixelBufferPool(format: format, width: facts.width, height: facts.height, maximumBufferCount: 0)
        self.pool = pool
        let target = try pool.makeBuffer()
        try transfer.transfer(from: image, to: target, matrix: .itu709)
        return target
    }
}
