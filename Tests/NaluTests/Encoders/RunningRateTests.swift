import Testing

@testable import Nalu

/// The settings with which x264 really runs: it adopts some numbers, changes others, and ignores a few silently.
@Suite struct RunningRateTests {
    /// Opens a session of 64x64 and returns an option's value in `x264.effective`.
    private static func running(_ session: CompressionSession, _ option: String) throws -> Double {
        let text = try #require(session.property(.x264Effective).stringValue)
        let pair = text.split(separator: ":").first { $0.hasPrefix(option + "=") }
        return try #require(pair.flatMap { Double($0.dropFirst(option.count + 1)) }, "\(option) in \(text)")
    }

    private static func session(
        _ properties: [(key: PropertyKey, value: PropertyValue?)], isLowDelay: Bool
    ) throws -> CompressionSession {
        let session = try CompressionSession(width: 64, height: 64, outputHandler: { _ in })
        try session.set(properties + [(.realTime, .bool(isLowDelay)), (.x264Preset, "ultrafast")])
        return session
    }

    private static func encode(_ session: CompressionSession, _ frames: Range<Int>) throws {
        for number in frames {
            let buffer = try PixelBuffer(filled: UInt8(truncatingIfNeeded: number * 37), .nv12, 64, 64)
            try session.encode(buffer, presentationTime: FakeSession.time(number))
        }
        try session.complete()
    }

    private static func expectLimit(_ session: CompressionSession, _ bytes: Double, _ seconds: Double) throws {
        let most = try 1000 * (running(session, "vbv-maxrate") * seconds + running(session, "vbv-bufsize"))
        #expect(most <= bytes * 8, "\(bytes) bytes in \(seconds) s")
    }

    @Test(arguments: [0.05, 0.1, 0.15, 0.2, 0.5, 1, 5, 60], [false, true])
    func rateTimesSecondsPlusBufferNeverExceedsTheLimit(seconds: Double, isLowDelay: Bool) throws {
        for (bytes, rate) in [(2000.0, 0), (375_000, 2_000_000), (40_000, 9_000_000), (1e8, 0)]
        where bytes >= 1000 * seconds {
            for frameRate in [0, 10, 60.0] {
                let session = try Self.session(
                    [
                        (.dataRateLimits, .numbers([bytes, seconds])), (.averageBitRate, .integer(Int64(rate))),
                        (.expectedFrameRate, .double(frameRate)),
                    ], isLowDelay: isLowDelay)
                try session.prepare()
                try Self.expectLimit(session, bytes, seconds)
            }
        }
    }

    @Test(arguments: [false, true])
    func aLimitSetWhileEncodingHolds(isLowDelay: Bool) throws {
        for start: [(key: PropertyKey, value: PropertyValue?)] in [
            [], [(.averageBitRate, 3_000_000)], [(.quality, 0.7)], [(.quality, 0.7), (.averageBitRate, 3_000_000)],
        ] {
            let session = try Self.session(start, isLowDelay: isLowDelay)
            try Self.encode(session, 0..<3)
            var next = 3
            for (bytes, seconds) in [(50_000.0, 1.0), (5000, 0.1), (200_000, 2)] {
                try session.set(.dataRateLimits, .numbers([bytes, seconds]))
                try Self.encode(session, next..<next + 3)
                next += 3
                try Self.expectLimit(session, bytes, seconds)
            }
        }
    }

    /// A limit that is unset is really removed, or a status reports that it stays.
    @Test(arguments: [false, true])
    func aLimitUnsetWhileEncodingIsRemovedOrTooLate(isLowDelay: Bool) throws {
        for start: [(key: PropertyKey, value: PropertyValue?)] in [
            [(.averageBitRate, 3_000_000), (.dataRateLimits, [20_000, 1])], [(.dataRateLimits, [20_000, 1])],
            [(.quality, 0.7), (.averageBitRate, 100_000)],
        ] {
            let session = try Self.session(start, isLowDelay: isLowDelay)
            try Self.encode(session, 0..<3)
            let before = try Self.running(session, "vbv-maxrate")
            let key: PropertyKey = start.contains { $0.key == .dataRateLimits } ? .dataRateLimits : .averageBitRate
            let status = TestBytes.status { () throws(NaluError) in try session.set(key, nil) }
            try Self.encode(session, 3..<6)
            let after = try Self.running(session, "vbv-maxrate")
            #expect(status == .ok ? after > before : status == .tooLate && after == before, "\(start)")
        }
    }
}
