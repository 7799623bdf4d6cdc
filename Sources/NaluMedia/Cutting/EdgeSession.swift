internal import Nalu
internal import NaluBase
internal import NaluBitstream

/// A compression session whose stream can be joined to another stream: it has the same profile, size and colour.
final class EdgeSession {
    /// The samples that the session's thread has delivered.
    private struct Output {
        var samples: [Sample] = []
        var failure: Status?
    }

    private let session: CompressionSession
    private let output: Guarded<Output>

    /// The quality of edges, x264's CRF 12, which the eye cannot distinguish from the source.
    private static let quality = 0.83

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - pixelFormat: the format of the pictures to encode.
    ///   - parameterSetID: the ID of this stream's parameter sets.
    init(
        like format: FormatDescription, pixelFormat: PixelFormat, frameRate: Double, parameterSetID: Int
    ) throws(NaluError) {
        let info = format.sequence
        let output = Guarded(Output())
        self.output = output
        session = try CompressionSession(width: info.width, height: info.height, sourceFormat: pixelFormat) { frame in
            output.withLock { output in
                if let sample = frame.sample {
                    output.samples.append(sample)
                } else {
                    output.failure = output.failure ?? frame.status
                }
            }
        }
        try session.set(.quality, .double(Self.quality))
        try session.set(.allowFrameReordering, false)
        if frameRate > 0 { try session.set(.expectedFrameRate, .double(frameRate)) }
        if info.lumaBitDepth > 8 {
            try session.set(.outputBitDepth, 10)
        } else if let profile = Self.profile(info) {
            try session.set(.profileLevel, .string(profile))
        }
        if info.pixelAspectRatioHorizontal > 0 && info.pixelAspectRatioVertical > 0 {
            try session.set(
                .pixelAspectRatio,
                .numbers([Double(info.pixelAspectRatioHorizontal), Double(info.pixelAspectRatioVertical)]))
        }
        let options = VideoSignalNames(info).options + ["sps-id=\(parameterSetID)"]
        try session.set(.x264Params, .string(options.joined(separator: ":")))
        try session.prepare()
    }

    deinit {
        try? session.invalidate()
    }

    /// The source's profile, so that players of the copied pictures also play these; nil for profiles without a
    /// counterpart.
    private static func profile(_ info: SequenceParameterSet) -> String? {
        switch info.profileIDC {
        case 66: "H264_ConstrainedBaseline_AutoLevel"
        case 77: "H264_Main_AutoLevel"
        case 100: "H264_High_AutoLevel"
        default: nil
        }
    }

    /// Encodes a picture. Waits if the encoder is behind.
    func encode(_ image: PixelBuffer, at time: MediaTime, lasting duration: MediaTime) throws(NaluError) {
        try unsafe session.encode(image, presentationTime: time, duration: duration)
    }

    /// Returns the samples that are ready, in order.
    func take() throws(NaluError) -> [Sample] {
        let (samples, failure) = output.withLock { output in
            defer { output.samples = [] }
            return (output.samples, output.failure)
        }
        if let failure { throw NaluError(failure, "the pictures at the edge cannot be encoded") }
        return samples
    }

    /// Returns the remaining samples.
    func finish() throws(NaluError) -> [Sample] {
        try session.complete()
        return try take()
    }
}

/// x264's names for the colour description of an SPS. ITU-T H.273 defines the numbers.
struct VideoSignalNames {
    let options: [String]

    private static let primaries = [
        1: "bt709", 2: "undef", 4: "bt470m", 5: "bt470bg", 6: "smpte170m", 7: "smpte240m", 8: "film", 9: "bt2020",
        10: "smpte428", 11: "smpte431", 12: "smpte432",
    ]
    private static let transfers = [
        1: "bt709", 2: "undef", 4: "bt470m", 5: "bt470bg", 6: "smpte170m", 7: "smpte240m", 8: "linear", 9: "log100",
        10: "log316", 11: "iec61966-2-4", 12: "bt1361e", 13: "iec61966-2-1", 14: "bt2020-10", 15: "bt2020-12",
        16: "smpte2084", 17: "smpte428", 18: "arib-std-b67",
    ]
    private static let matrices = [
        1: "bt709", 2: "undef", 4: "fcc", 5: "bt470bg", 6: "smpte170m", 7: "smpte240m", 8: "YCgCo", 9: "bt2020nc",
        10: "bt2020c", 11: "smpte2085", 12: "chroma-derived-nc", 13: "chroma-derived-c", 14: "ICtCp",
    ]

    init(_ info: SequenceParameterSet) {
        var options: [String] = []
        for (name, names, number) in [
            ("colorprim", Self.primaries, info.colorPrimaries),
            ("transfer", Self.transfers, info.transferCharacteristics),
            ("colormatrix", Self.matrices, info.matrixCoefficients),
        ] {
            if let value = names[number] { options.append("\(name)=\(value)") }
        }
        if let location = info.chromaLocation, location > 0 { options.append("chromaloc=\(location)") }
        self.options = options
    }
}
