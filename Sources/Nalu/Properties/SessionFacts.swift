/// What a session knows when a property is read: from it follow the values of properties that are not set, or can only be
/// read.
struct SessionFacts {
    /// What is known from the opening of the encoder on.
    struct Encoder {
        let reorderDepth: Int
        let isFullRange: Bool
        let bitDepth: Int
        let lastAnalysisStep: Int
        let recommendedParallelism: Int
        /// The most frames from one key frame to the next that it makes by itself.
        let keyFrameInterval: Int
        /// Buffers of the session's pool are encoded where they lie.
        let takesPoolBuffers: Bool
        let entropyMode: SessionConfiguration.EntropyMode?
    }

    let configuration: SessionConfiguration
    /// The size of the encoded pictures.
    let encodedWidth: Int
    let encodedHeight: Int
    /// The format that the client announced, if it did.
    let sourceFormat: PixelFormat?
    let encoderID: StaticString
    /// nil before the encoder is open.
    let encoder: Encoder?
    let effectiveParameters: String?
    let pendingFrames: Int
    let governorStep: Int

    var isHD: Bool { encodedHeight >= 720 }
    var bitDepth: Int { encoder?.bitDepth ?? configuration.bitDepth(of: sourceFormat ?? .nv12) }

    var parallel: ParallelEncoding? {
        encoder.map { ParallelEncoding(automaticInterval: $0.keyFrameInterval, settings: configuration.live) }
    }

    /// Of frames that are encoded as they are, or are at least nearest to that.
    var pixelBufferAttributes: String {
        let source = sourceFormat ?? .nv12
        let isFullRange = encoder?.isFullRange ?? (source.is420 && source.isFullRange)
        let format: PixelFormat =
            bitDepth > 8 ? (isFullRange ? .x420FullRange : .x420) : (isFullRange ? .nv12FullRange : .nv12)
        return PropertyText.write([
            ("PixelFormatType", .string(format.code ?? "")), ("Width", .integer(Int64(encodedWidth))),
            ("Height", .integer(Int64(encodedHeight))),
            ("BytesPerRowAlignment", .integer(Int64(PixelMemory.alignment))),
        ])
    }
}
