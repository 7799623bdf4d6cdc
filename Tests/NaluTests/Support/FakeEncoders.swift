@testable import Nalu

/// The encoders that one session opens, their script, and a record of their calls.
final class FakeEncoders: Sendable {
    /// A frame as an encoder received it.
    struct Frame: Sendable {
        let token: UInt64
        let presentationTime: MediaTime
        let forceKeyFrame: Bool
        let rate: RatePlan
        /// The first byte of the first plane.
        let luma: UInt8
        let format: PixelFormat
        /// The index of the encoder among those of the session.
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
        /// The tokens of pictures in output order.
        var pictures: [UInt64] = []
        /// The tokens of frames that were lost in a scripted failure.
        var lost: Set<UInt64> = []
        /// The error message of the last scripted failure.
        var sentence = ""
        /// Forbidden calls of the session.
        var misuse: [String] = []
    }

    let script: FakeScript
    let alive = LifeCounter()
    private let log = Guarded(Log())

    init(_ script: FakeScript = FakeScript()) { self.script = script }

    var happened: Log { log.withLock { $0 } }

    func note<Result>(_ body: (inout Log) -> Result) -> Result { log.withLock(body) }

    /// The description with which a session is created.
    var description: EncoderDescription {
        EncoderDescription(
            id: "test.fake", name: "Fake", traits: EncoderDescription.x264.traits,
            open: { setup throws(NaluError) in try FakeEncoder(setup, of: self) })
    }

    /// Returns the bytes of a picture: one NAL unit with a length prefix.
    static func bytes(token: UInt64, luma: UInt8, isKeyFrame: Bool) -> [UInt8] {
        [
            0, 0, 0, 4, isKeyFrame ? 0x65 : 0x41, 0x80 | UInt8(truncatingIfNeeded: token >> 7),
            0x80 | UInt8(token & 0x7f), luma,
        ]
    }
}
