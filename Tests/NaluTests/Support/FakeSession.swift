import Testing

@testable import Nalu

/// A session of 32x32 pixels over ``FakeEncoders``, and its results.
final class FakeSession: Sendable {
    let session: CompressionSession
    let encoders: FakeEncoders
    let returned: Collector
    let buffers = LifeCounter()
    /// The objects that the handler captures.
    let contexts = LifeCounter()

    init(
        _ script: FakeScript = FakeScript(), returned: Collector = Collector(),
        handler: (@Sendable (EncodedFrame) -> Void)? = nil
    ) throws {
        encoders = FakeEncoders(script)
        self.returned = returned
        let context = contexts.make()
        session = try CompressionSession(
            width: 32, height: 32, encoder: encoders.description, sourceFormat: nil,
            onFinish: { [context] in
                withExtendedLifetime(context) { returned.finish() }
            },
            outputHandler: { [context] frame in
                withExtendedLifetime(context) {
                    handler?(frame)
                    returned.receive(frame)
                }
            })
    }

    /// Returns the time of frame `number`: `number`/30 s. The frame lasts 1/30 s, and its pixels are `number`.
    static func time(_ number: Int) -> MediaTime { MediaTime(value: Int64(number), timescale: 30) }

    func encode(_ number: Int, time: MediaTime? = nil, options: FrameOptions = FrameOptions()) throws(NaluError) {
        guard let buffer = try? buffers.makeBuffer(.nv12, 32, 32, value: UInt8(truncatingIfNeeded: number)) else {
            throw NaluError(.allocationFailed, "no buffer for a test's frame")
        }
        try session.encode(
            buffer, presentationTime: time ?? Self.time(number), duration: MediaTime(value: 1, timescale: 30),
            options: options, refcon: refcon(number))
    }

    /// Encodes the frames and returns those that were accepted.
    func encode(_ numbers: some Sequence<Int>) -> [Int] {
        numbers.filter { number in
            do {
                try encode(number)
                return true
            } catch {
                return false
            }
        }
    }

    /// True if invalidate has begun in any thread; it may still be waiting.
    var isInvalid: Bool { TestBytes.status { () throws(NaluError) in try session.set([]) } == .invalidSession }

    /// Checks the handler's contract for an idle session. Each accepted frame was delivered exactly once, without
    /// concurrent calls, with its own sample or a reason. Samples were delivered in decode order.
    func expectContract(accepted: [Int], _ location: SourceLocation = #_sourceLocation) {
        let calls = returned.calls
        #expect(calls.map { $0.frame }.sorted() == accepted, sourceLocation: location)
        #expect(calls.allSatisfy { $0.overlapping == 0 && !$0.isLate }, sourceLocation: location)
        #expect(encoders.happened.misuse == [], sourceLocation: location)
        var lastDecodeTime = MediaTime.negativeInfinity
        for call in calls {
            guard let sample = call.sample else {
                #expect(call.status != .ok, sourceLocation: location)
                continue
            }
            guard let token = accepted.firstIndex(of: call.frame) else { continue }
            #expect(call.status == .ok && call.flags == [], sourceLocation: location)
            #expect(sample.presentationTime.isIdentical(to: Self.time(call.frame)), sourceLocation: location)
            #expect(sample.duration.isIdentical(to: MediaTime(value: 1, timescale: 30)), sourceLocation: location)
            #expect(sample.frameRefcon == refcon(call.frame), sourceLocation: location)
            #expect(
                sample.bytes
                    == FakeEncoders.bytes(
                        token: UInt64(token), luma: UInt8(truncatingIfNeeded: call.frame), isKeyFrame: sample.isKeyFrame
                    ),
                sourceLocation: location)
            #expect(sample.decodeTime > lastDecodeTime, sourceLocation: location)
            #expect(sample.decodeTime <= sample.presentationTime, sourceLocation: location)
            lastDecodeTime = sample.decodeTime
        }
    }
}
