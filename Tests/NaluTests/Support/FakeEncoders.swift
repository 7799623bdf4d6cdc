@testable import Nalu

/// The encoders that one session opens: their script, and what happened to them.
final class FakeEncoders: Sendable {
    /// One frame as an encoder was given it.
    struct Frame: Sendable {
        let token: UInt64
        let presentationTime: MediaTime
        let forceKeyFrame: Bool
        let rate: RatePlan
        /// The first byte of the first plane.
        let luma: UInt8
        let format: PixelFormat
        /// Which of the session's encoders, from 0.
        let encoder: Int
        let qpOffsets: [Float]?
    }

    struct Log: Sendable {
        var opens = 0
        var failedOpens = 0
        var encodes = 0
        var drains = 0
        var setups: [EncoderSetup] = []
        var frames: [Frame] = []
        /// Tokens in the order in which their pictures came out.
        var pictures: [UInt64] = []
        /// Tokens of frames that a scripted failure took with it.
        var lost: Set<UInt64> = []
        /// The sentence of the last scripted failure.
        var sentence = ""
        /// What a session must not do.
        var misuse: [String] = []
    }

    let script: FakeScript
    let alive = LifeCounter()
    private let log = Guarded(Log())

    init(_ script: FakeScript = FakeScript()) { self.script = script }

    var happened: Log { log.withLock { $0 } }

    func note<Result>(_ body: (inout Log) -> Result) -> Result { log.withLock(body) }

    /// What a session is created with.
    var description: EncoderDescription {
        EncoderDescription(
            id: "test.fake", name: "Fake", codec: EncoderRegistry.h264, limits: H264Limits(),
            properties: PropertyCatalog.h264 + PropertyCatalog.x264,
            open: { setup throws(NaluError) in try FakeEncoder(setup, of: self) })
    }

    /// The bytes of a picture: one NAL unit behind its length.
    static func bytes(token: UInt64, luma: UInt8, isKeyFrame: Bool) -> [UInt8] {
        [
            0, 0, 0, 4, isKeyFrame ? 0x65 : 0x41, 0x80 | UInt8(truncatingIfNeeded: token >> 7),
            0x80 | UInt8(token & 0x7f), luma,
        ]
    }
}
