import Testing

@testable import Nalu

/// Frames and samples as asynchronous sequences.
@Suite struct SampleSequenceTests {
    private static func encode(_ session: CompressionSession, _ frames: Range<Int>) throws(NaluError) {
        for number in frames {
            try session.encode(
                PixelBuffer(filled: UInt8(number), .nv12, 64, 64), presentationTime: FakeSession.time(number),
                refcon: refcon(number))
        }
    }

    @Test func theSequenceHasAllSamplesUntilTheSessionEnds() async throws {
        let session = try CompressionSession(width: 64, height: 64)
        let reading = Task {
            var times: [MediaTime] = []
            for try await sample in session.samples { times.append(sample.presentationTime) }
            return times
        }
        try Self.encode(session, 0..<20)
        try session.complete()
        try session.invalidate()
        #expect(try await reading.value.sorted() == (0..<20).map(FakeSession.time))
    }

    @Test func framesHaveAllThatAHandlerWouldReceive() async throws {
        let session = try CompressionSession(width: 64, height: 64)
        try session.set(.realTime, true)
        try Self.encode(session, 0..<3)
        try session.complete()
        try session.invalidate()
        var numbers: [Int] = []
        for await frame in session.frames {
            #expect(frame.status == .ok && frame.flags == [] && frame.sample?.frameRefcon == frame.frameRefcon)
            numbers.append(frame.number)
        }
        #expect(numbers == [0, 1, 2])
    }

    @Test func theSequenceEndsWithTheLastReferenceToTheSession() async throws {
        let frames: AsyncStream<EncodedFrame>
        do {
            let session = try CompressionSession(width: 64, height: 64)
            frames = session.frames
            try Self.encode(session, 0..<2)
            try session.complete()
        }
        var count = 0
        for await frame in frames where frame.status == .ok { count += 1 }
        #expect(count == 2)
    }

    @Test func pendingFramesOfAnInvalidatedSessionHaveNoSamples() async throws {
        let session = try CompressionSession(width: 64, height: 64)
        // With default settings the lookahead delays frames.
        try Self.encode(session, 0..<5)
        try session.invalidate()
        var dropped = 0
        for await frame in session.frames {
            #expect(frame.status == .ok || (frame.status == .invalidSession && frame.flags == .frameDropped))
            if frame.sample == nil { dropped += 1 }
        }
        #expect(dropped > 0)

        let other = try CompressionSession(width: 64, height: 64)
        try Self.encode(other, 0..<5)
        try other.invalidate()
        var samples = 0
        for try await _ in other.samples { samples += 1 }
        #expect(samples < 5)
    }

    @Test func aFailedFrameThrowsAndTheSamplesContinue() async throws {
        var script = FakeScript()
        script.failingEncodes = [2]
        let encoders = FakeEncoders(script)
        let (stream, continuation) = AsyncStream.makeStream(of: EncodedFrame.self)
        let core = try SessionCore(
            width: 32, height: 32, encoder: encoders.description, sourceFormat: nil,
            outputHandler: { continuation.yield($0) }, onFinish: { continuation.finish() })
        for number in 0..<5 {
            try core.encode(
                .buffer(PixelBuffer(filled: 1, .nv12, 32, 32)), presentationTime: FakeSession.time(number),
                duration: .invalid, options: FrameOptions(), refcon: nil)
        }
        try core.complete(until: .invalid)
        try core.invalidate()
        var iterator = CompressionSession.Samples(base: stream, core: core).makeAsyncIterator()
        var times: [MediaTime] = []
        var errors: [NaluError] = []
        while true {
            do throws(NaluError) {
                guard let sample = try await iterator.next() else { break }
                times.append(sample.presentationTime)
            } catch {
                errors.append(error)
            }
        }
        #expect(times == [0, 1, 3, 4].map(FakeSession.time))
        #expect(errors == [NaluError(FakeScript.error, encoders.happened.sentence)])
    }

    @Test func aSessionWithAHandlerHasAnEmptySequence() async throws {
        let returned = Collector()
        let session = try CompressionSession(width: 64, height: 64, outputHandler: { returned.receive($0) })
        try Self.encode(session, 0..<1)
        try session.complete()
        for await _ in session.frames { Issue.record("a frame") }
        #expect(returned.frames == [0])
    }

    @Test func errorsAreTyped() async throws {
        let session = try CompressionSession(width: 64, height: 64)
        do throws(NaluError) {
            try session.encode(PixelBuffer(filled: 1, .nv12, 64, 64), presentationTime: .invalid)
            Issue.record("an invalid time was taken")
        } catch {
            #expect(error.status == .invalidTime)
            #expect(error.message.contains("presentation_time"))
            #expect(error.description.hasPrefix("INVALID_TIME (-17907): "))
        }
        try session.invalidate()
        do throws(NaluError) {
            for try await _ in session.samples {}
        } catch {
            Issue.record(error)
        }
    }
}
