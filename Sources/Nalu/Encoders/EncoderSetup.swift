/// The settings that an encoder is opened with.
struct EncoderSetup: Sendable {
    let geometry: PictureGeometry
    let isFullRange: Bool
    /// Whether chroma samples lie in the middle of their four pixels, where the session's conversion puts them. False
    /// if unknown.
    var chromaIsCentred = false
    /// The configuration; its ``SessionConfiguration/outputBitDepth`` is set.
    var configuration: SessionConfiguration
    var rate: RatePlan
    /// The fullness of the VBV buffer at the first frame, as a fraction; nil for the encoder's default.
    var vbvFill: Double?
    /// Ticks per second of presentation times, for an encoder that follows them.
    let ticksPerSecond: Int32
    /// The pass; nil if there is only one.
    var pass: EncoderPass?
    /// The formats that the encoder reads.
    let input: EncoderInput

    /// The size of the encoded pictures in pixels.
    var width: Int { geometry.encodedWidth }
    var height: Int { geometry.encodedHeight }

    /// Bits per sample, 8 or 10.
    var bitDepth: Int { configuration.outputBitDepth ?? 8 }

    /// The format to which other frames are converted.
    var inputFormat: PixelFormat { input.format(bitDepth: bitDepth, isFullRange: isFullRange) }

    /// Whether frames of this format are encoded without a copy.
    func takes(_ format: PixelFormat, width: Int, height: Int) -> Bool {
        format.isFullRange == isFullRange && format.bitDepth == bitDepth && width == self.width
            && height == self.height && input.formats.contains(format)
    }
}
