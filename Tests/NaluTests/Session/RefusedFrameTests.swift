import Testing

@testable import Nalu

/// A frame that encode rejects never reaches the handler, and the session continues.
@Suite struct RefusedFrameTests {
    private static func status(
        _ fake: FakeSession, _ time: MediaTime, duration: MediaTime = .invalid, width: Int = 32, height: Int = 32
    ) throws -> Status {
        let buffer = try PixelBuffer(filled: 1, .nv12, width, height)
        return TestBytes.status { () throws(NaluError) in
            try fake.session.encode(buffer, presentationTime: time, duration: duration, refcon: refcon(0))
        }
    }

    @Test func timesThatAreNotNumeric() throws {
        let fake = try FakeSession()
        let times: [MediaTime] = [
            .invalid, .indefinite, .positiveInfinity, .negativeInfinity,
            MediaTime(value: 1, timescale: 0, flags: .valid, epoch: 0),
            MediaTime(value: 1, timescale: -30, flags: .valid, epoch: 0),
            MediaTime(value: 1, timescale: 30, flags: [], epoch: 0),
        ]
        for time in times { #expect(try Self.status(fake, time) == .invalidTime) }
        // The encoder was not opened for rejected frames.
        #expect(fake.encoders.happened.opens == 0)
        #expect(fake.returned.calls.isEmpty)
    }

    @Test func timesThatDoNotGrow() throws {
        let fake = try FakeSession()
        #expect(try Self.status(fake, MediaTime(value: 10, timescale: 30)) == .ok)
        for time in [
            MediaTime(value: 10, timescale: 30), MediaTime(value: 1, timescale: 3), MediaTime(value: 9, timescale: 30),
            MediaTime(value: .min, timescale: 1), MediaTime(value: 0, timescale: .max),
        ] {
            #expect(try Self.status(fake, time) == .invalidTime)
        }
        #expect(try Self.status(fake, MediaTime(value: 333_333_334, timescale: 1_000_000_000)) == .ok)
        #expect(try Self.status(fake, MediaTime(value: .max, timescale: 1)) == .ok)
        #expect(try Self.status(fake, MediaTime(value: .max, timescale: 1)) == .invalidTime)
        try fake.session.complete()
        #expect(fake.returned.samples.count == 3)
    }

    @Test func quantisersThatH264DoesNotHave() throws {
        let fake = try FakeSession()
        for qp in [-1, 52, Int.min, Int.max] {
            let status = TestBytes.status { () throws(NaluError) in
                try fake.encode(0, options: FrameOptions(baseFrameQP: qp))
            }
            #expect(status == .outOfRange)
        }
        #expect(fake.encoders.happened.opens == 0)
        try fake.session.set(.x264Params, "crf=23")
        for (number, qp) in [0, 51, nil].enumerated() {
            try fake.encode(number, options: FrameOptions(baseFrameQP: qp))
        }
        try fake.session.complete()
        fake.expectContract(accepted: [0, 1, 2])
    }

    @Test func durationsThatAreNeitherANumberOfSecondsNorUnknown() throws {
        let fake = try FakeSession()
        for duration: MediaTime in [
            MediaTime(value: -1, timescale: 30), .indefinite, .positiveInfinity, .negativeInfinity,
            MediaTime(value: 1, timescale: 0, flags: .valid, epoch: 0),
        ] {
            #expect(try Self.status(fake, .zero, duration: duration) == .invalidTime)
        }
        #expect(try Self.status(fake, .zero, duration: .zero) == .ok)
        #expect(try Self.status(fake, FakeSession.time(1), duration: .invalid) == .ok)
        try fake.session.complete()
        #expect(fake.returned.samples.map { $0.duration.isNumeric } == [true, false])
    }

    @Test func anotherSizeWhereScalingIsOff() throws {
        let fake = try FakeSession()
        try fake.session.set(.allowScaling, false)
        #expect(try Self.status(fake, .zero, width: 32, height: 30) == .invalidSize)
        #expect(try Self.status(fake, .zero, width: 64, height: 64) == .invalidSize)
        #expect(try Self.status(fake, .zero) == .ok)
        try fake.session.set(.allowScaling, true)
        #expect(try Self.status(fake, FakeSession.time(1), width: 64, height: 64) == .ok)
        try fake.session.complete()
        #expect(fake.returned.samples.count == 2)
        #expect(fake.encoders.happened.misuse == [])
    }

    @Test(arguments: [(15, 16), (16, 15), (0, 32), (-1, 32), (32, 16385), (Int.max, Int.max), (16384, 16384)])
    func sessionsOfASizeThatNoLevelHolds(width: Int, height: Int) {
        let status = TestBytes.status { () throws(NaluError) in
            _ = try CompressionSession(width: width, height: height, outputHandler: { _ in })
        }
        #expect(status == .invalidSize)
    }

    @Test func encodersThatAreNotThere() throws {
        func status(codec: UInt32 = EncoderRegistry.h264, id: String? = nil, hardware: Bool = false) -> Status {
            TestBytes.status { () throws(NaluError) in
                _ = try CompressionSession(
                    width: 32, height: 32, codec: codec, encoderID: id, requireHardwareEncoder: hardware,
                    outputHandler: { _ in })
            }
        }
        #expect(status(codec: 0x6876_6331) == .couldNotFindVideoEncoder)
        #expect(status(codec: 0) == .couldNotFindVideoEncoder)
        #expect(status(id: "") == .couldNotFindVideoEncoder)
        #expect(status(id: "org.videolan.x265") == .couldNotFindVideoEncoder)
        #expect(status(hardware: true) == .couldNotFindVideoEncoder)
        #expect(status(id: "org.videolan.x264") == .ok)
    }

    /// Lent memory may change right after the call. A buffer of the session's kind is retained instead.
    @Test func theCallersMemoryIsReadDuringTheCallOnly() throws {
        let gate = Gate()
        var script = FakeScript()
        script.gate = gate
        let fake = try FakeSession(script)
        let buffer = try PixelBuffer(filled: 0, .nv12, 32, 32)
        for number in 0..<3 {
            buffer.fill(UInt8(100 + number))
            try fake.session.encode(
                copying: buffer.view, presentationTime: FakeSession.time(number), refcon: refcon(number))
        }
        buffer.fill(0)
        gate.open()
        try fake.session.complete()
        #expect(fake.encoders.happened.frames.map { $0.luma } == [100, 101, 102])
    }
}
