internal import Nalu

/// Accepts decoded pictures in display order.
protocol FrameSink: AnyObject {
    func write(_ image: PixelBuffer, of frame: TimedFrame) throws
    /// Writes the rest of the output, after the last picture.
    func finish() throws
}

/// Writes raw frames: planes and rows follow each other without padding.
final class RawSink: FrameSink {
    private let writer: PlaneWriter
    private let format: PixelFormat
    private let transfer = PixelTransfer()
    private var constancy: PictureConstancy
    private var pool: PixelBufferPool?

    init(_ output: OutputFile, _ fileFormat: FrameFileFormat, _ source: DecodedFrames) {
        writer = PlaneWriter(output)
        let isFull = source.facts.format.isFullRange
        format =
            switch fileFormat {
            case .nv12: isFull ? .nv12FullRange : .nv12
            case .p010: isFull ? .x420FullRange : .x420
            case .rgb24: .rgb24
            default: isFull ? .i420FullRange : .i420
            }
        constancy = PictureConstancy(input: source.name, output: output.name, fixesFormat: true)
    }

    func write(_ image: PixelBuffer, of frame: TimedFrame) throws {
        try constancy.check(image, at: frame.time)
        let image = try converted(image)
        for plane in 0..<image.planeCount { writer.add(image, plane: plane) }
        try writer.flush()
    }

    /// Returns the image in the sink's pixel format: the image itself if it has this format already.
    private func converted(_ image: PixelBuffer) throws -> PixelBuffer {
        if image.format == format { return image }
        let pool =
            try pool ?? PixelBufferPool(format: format, width: image.width, height: image.height, maximumBufferCount: 0)
        self.pool = pool
        let target = try pool.makeBuffer()
        try transfer.transfer(from: image, to: target, matrix: .itu709)
        return target
    }

    func finish() {}
}
