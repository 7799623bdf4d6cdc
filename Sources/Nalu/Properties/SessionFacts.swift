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

/// How a clip is best cut for sessions that encode its parts at the same time.
struct ParallelEncoding {
    /// The most frames between key frames where MaxKeyFrameInterval is 0.
    let automaticInterval: Int
    let settings: LiveSettings

    /// Two groups of pictures: the key frame that a cut costs is then one in two at the most.
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

    /// The same in seconds; nil where nothing says how long a frame lasts.
    var minimumDuration: Double? {
        if settings.rate.expectedFrameRate > 0 {
            return Double(minimumFrameCount) / settings.rate.expectedFrameRate
        }
        guard settings.keyFrames.allowTemporalCompression, settings.keyFrames.maxDuration > 0 else { return nil }
        return 2 * settings.keyFrames.maxDuration
    }
}
