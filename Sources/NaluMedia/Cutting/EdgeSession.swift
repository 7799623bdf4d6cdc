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
        // Some containers state a rate that no session has.
        if frameRate > 0 && frameRate <= 1000 { try session.set(.expectedFrameRate, .double(frameRate)) }
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
        for (key, code) in [
            (.colorPrimaries, info.colorPrimaries), (.transferFunction, info.transferCharacteristics),
            (.yCbCrMatrix, info.matrixCoefficients), (.chromaLocation, info.chromaLocation ?? 0),
        ] as [(PropertyKey, Int)] {
            // A code that ITU-T H.273 reserves, or that no encoder writes, is left out.
            try? session.set(key, .integer(Int64(code)))
        }
        try session.set(.x264Params, .string("sps-id=\(parameterSetID)"))
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
