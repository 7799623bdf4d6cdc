/// Every writable property of a session, typed. Unset ones are nil or hold their default.
struct SessionConfiguration: Hashable, Sendable {
    var live = LiveSettings()
    var allowScaling = true

    /// Bits a second; 0: unset.
    var constantBitRate = 0
    /// Likewise.
    var variableBitRate = 0
    /// Percent of the bucket.
    var vbvInitialDelayPercentage = 90.0
    var allowFrameReordering: Bool?
    var allowOpenGOP = false
    var moreFramesBeforeStart = false
    var moreFramesAfterEnd = false
    var profileLevel: ProfileLevel?
    var entropyMode: EntropyMode?
    var maxFrameDelayCount = -1
    var realTime: Bool?
    var allowMultipleSlices = true
    /// 0: the encoder decides.
    var referenceBufferCount = 0
    var suggestedLookAheadFrameCount: Int?
    var maxLookAheadFrameCount: Int?
    var prioritizeEncodingSpeedOverQuality: Bool?
    var maximizePowerEfficiency: Bool?
    var calculateMeanSquaredError = false
    /// -1: as preset and tune say; 0: disabled.
    var spatialAdaptiveQPLevel = -1
    var colorPrimaries: ColorPrimaries?
    var transferFunction: TransferFunction?
    var yCbCrMatrix: ColorMatrix?
    var pixelAspectRatio: PixelAspectRatio?
    var picture = PictureSettings()
    var x264 = X264Configuration()
    /// 0: not known.
    var sourceFrameCount = 0
    /// Seconds; 0: not known.
    var expectedDuration = 0.0
    /// A multi-pass storage is set.
    var isMultiPass = false
    var enableLTR = false
    var allowIntraRefresh = false
    /// 8 or 10; nil: see ``bitDepth(of:)``.
    var outputBitDepth: Int?

    enum EntropyMode: String, CaseIterable, Sendable {
        case cavlc = "CAVLC"
        case cabac = "CABAC"
    }

    struct PixelAspectRatio: Hashable, Sendable {
        var horizontal: Int
        var vertical: Int
    }

    /// High with 10 bits is High 10.
    var profile: H264Profile {
        let named = (profileLevel ?? .highAuto).profile
        return named == .high && outputBitDepth == 10 ? .high10 : named
    }

    /// The depth of the stream where the source has this format: as asked; else 10 bits for 10 bits where no
    /// ProfileLevel says which decoders are to play it.
    func bitDepth(of format: PixelFormat) -> Int {
        outputBitDepth ?? (format.bitDepth > 8 && profileLevel == nil ? 10 : 8)
    }

    /// nil where no average is aimed at, or frames are not known to come at some rate.
    var averageBytesPerFrame: Int64? {
        let rate = max(live.rate.averageBitRate, constantBitRate, variableBitRate)
        guard rate > 0, live.rate.expectedFrameRate > 0, live.rate.heldQuality == nil else { return nil }
        // A frame rate may be as small as a double: then the number is as large as one reads from a double.
        return Int64(min((Double(rate) / 8 / live.rate.expectedFrameRate).rounded(), 0x1p53))
    }

    /// ``Governor`` holds the frame rate.
    var governs: Bool { realTime == true && live.governsSpeed && live.rate.expectedFrameRate > 0 }

    /// No lookahead, no B-frames, no frame held back.
    var isLowDelay: Bool { realTime == true || maxFrameDelayCount == 0 || x264.isTunedForNoDelay || recovers }

    /// Recovery from loss, which takes an encoder that holds nothing back.
    var recovers: Bool { enableLTR || allowIntraRefresh }

    /// Whether the stream may hold B-frames.
    var mayReorderFrames: Bool {
        profile.hasBFrames && allowFrameReordering != false && !isLowDelay && referenceBufferCount != 1
            && (maxFrameDelayCount < 0 || maxFrameDelayCount >= 3)
    }

    /// Whether it will: the encoder's own settings have their say.
    var reordersFrames: Bool { x264.reordersFrames(where: mayReorderFrames) }
}

/// What the stream says of its pictures, except their colour.
struct PictureSettings: Hashable, Sendable {
    var cleanAperture: CleanAperture?
    var masteringDisplay: MasteringDisplay?
    var contentLight: ContentLightLevel?
    /// nil: automatic.
    var hdrMetadataInsertion: HDRMetadataInsertionMode?
    var fieldCount: Int?
    var fieldDetail: FieldDetail?
}
