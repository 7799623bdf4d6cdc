internal import Nalu

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
        let pool =
            try pool ?? PixelBufferPool(format: format, width: facts.width, height: facts.height, maximumBufferCount: 0)
        self.pool = pool
        let target = try pool.makeBuffer()
        try transfer.transfer(from: image, to: target, matrix: .itu709)
        return target
    }
}
