/// The state of a session when a property is read. The values of unset and read-only properties follow from it.
struct SessionSnapshot {
    /// The facts that are known once the encoder is open.
    struct Encoder {
        let reorderDepth: Int
        let isFullRange: Bool
        let bitDepth: Int
        let lastAnalysisStep: Int
        let recommendedParallelism: Int
        /// The most frames from one key frame to the next that the encoder makes by itself.
        let keyFrameInterval: Int
        /// Whether buffers of the session's pool are encoded without a copy.
        let takesPoolBuffers: Bool
        let entropyMode: SessionConfiguration.EntropyMode?
        let chromaLocation: Int
    }

    let configuration: SessionConfiguration
    /// The size of the encoded pictures.
    let encodedWidth: Int
    let encodedHeight: Int
    /// The format that the client announced, if any.
    let sourceFormat: PixelFormat?
    let encoderID: StaticString
    let traits: EncoderTraits
    /// The facts of the encoder; nil before it is open.
    let encoder: Encoder?
    let effectiveParameters: String?
    let pendingFrames: Int
    let governorStep: Int

    /// chroma_sample_loc_type of the stream, also if the encoder's own options have set it.
    var chromaLocation: Int {
        encoder?.chromaLocation
            ?? SignalSettings().chromaLocation(
                ofRGB: sourceFormat?.isRGB == true, isInterlaced: configuration.isInterlaced)
    }
    var bitDepth: Int { encoder?.bitDepth ?? configuration.bitDepth(of: sourceFormat ?? traits.input.usual) }

    var parallel: ParallelEncoding? {
        encoder.map { ParallelEncoding(automaticInterval: $0.keyFrameInterval, settings: configuration.live) }
    }

    /// The attributes, as text, of buffers that are encoded as they are, or need the least conversion.
    var pixelBufferAttributes: String {
        let source = sourceFormat ?? traits.input.usual
        let isFullRange = encoder?.isFullRange ?? (source.is420 && source.isFullRange)
        let format: PixelFormat =
            bitDepth > 8
            ? (isFullRange ? .x420FullRange : .x420) : traits.input.format(bitDepth: 8, isFullRange: isFullRange)
        return PropertyText.write([
            ("PixelFormatType", .string(format.code ?? "")), ("Width", .integer(Int64(encodedWidth))),
            ("Height", .integer(Int64(encodedHeight))),
            ("BytesPerRowAlignment", .integer(Int64(PixelMemory.alignment))),
        ])
    }
}

/// The best division of a clip into chunks, for sessions that encode them at the same time.
struct ParallelEncoding {
    /// The most frames between key frames if MaxKeyFrameInterval is 0.
    let automaticInterval: Int
    let settings: LiveSettings

    /// The least frames of a chunk: two groups of pictures. At most every second key frame is then one that a cut adds.
    var minimumFrameCount: Int {
        let keyFrames = settings.keyFrames
        guard keyFrames.allowTemporalCompression else { return 2 }
        var interval = keyFrames.maxInterval > 0 ? keyFrames.maxInterval : automaticInterval
        if keyFrames.maxDuration > 0 && settings.rate.expectedFrameRate > 0 {
            interval = min(
                interval, max(1, Int((keyFrames.maxDuration * settings.rate.expectedFrameRate).rounded(.up))))
        }
        return 2 * interval
    }

    /// The least duration of a chunk in seconds; nil if the duration of frames is unknown.
    var minimumDuration: Double? {
        if settings.rate.expectedFrameRate > 0 {
            return Double(minimumFrameCount) / settings.rate.expectedFrameRate
        }
        guard settings.keyFrames.allowTemporalCompression, settings.keyFrames.maxDuration > 0 else { return nil }
        return 2 * settings.keyFrames.maxDuration
    }
}
