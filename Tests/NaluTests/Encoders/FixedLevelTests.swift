import Testing

@testable import Nalu

/// A fixed level limits the bit rate also while encoding.
@Suite struct FixedLevelTests {
    private static func session(_ properties: [(key: PropertyKey, value: PropertyValue?)]) throws -> CompressionSession
    {
        let session = try CompressionSession(width: 64, height: 64, outputHandler: { _ in })
        try session.set(properties)
        return session
    }

    /// Level 3.0 allows 10 Mb/s.
    @Test(arguments: [false, true])
    func aLiveBitRateAboveAFixedLevelIsRefusedOrLowered(isLowDelay: Bool) throws {
        let session = try Self.session([
            (.profileLevel, "H264_Main_3_0"), (.averageBitRate, 5_000_000), (.realTime, .bool(isLowDelay)),
        ])
        try session.encode(PixelBuffer(filled: 90, .nv12, 64, 64), presentationTime: .zero)
        let status = TestBytes.status { () throws(NaluError) in try session.set(.averageBitRate, 50_000_000) }
        #expect(status == .conflict)
        for number in 1..<6 {
            try session.encode(
                PixelBuffer(filled: UInt8(90 + number), .nv12, 64, 64), presentationTime: FakeSession.time(number))
        }
        try session.complete()
        let effective = try #require(session.property(.x264Effective).stringValue)
        let rate = effective.split(separator: ":").first { $0.hasPrefix("vbv-maxrate=") }?.dropFirst(12)
        #expect(try #require(rate.flatMap { Int($0) }) <= 10_000)
    }
}
