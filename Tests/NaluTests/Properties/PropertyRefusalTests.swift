import Testing

@testable import Nalu

/// An invalid value is rejected with a status, and changes nothing.
@Suite struct PropertyRefusalTests {
    private static let refusals: [(PropertyKey, PropertyValue, Status)] = [
        (.averageBitRate, -1, .outOfRange), (.averageBitRate, 1, .outOfRange), (.averageBitRate, 999, .outOfRange),
        (.averageBitRate, 2_000_000_001, .outOfRange), (.averageBitRate, .integer(.max), .outOfRange),
        (.averageBitRate, .integer(.min), .outOfRange), (.averageBitRate, 1000.5, .wrongType),
        (.averageBitRate, .double(.nan), .outOfRange), (.averageBitRate, .double(.infinity), .outOfRange),
        (.averageBitRate, 1e300, .outOfRange), (.averageBitRate, "1000", .wrongType),
        (.averageBitRate, [1000], .wrongType),
        (.quality, -0.001, .outOfRange), (.quality, 1.001, .outOfRange), (.quality, .double(.nan), .outOfRange),
        (.quality, .double(-.infinity), .outOfRange), (.quality, 2, .outOfRange),
        (.quality, .integer(.max), .outOfRange),
        (.quality, "high", .wrongType), (.quality, true, .wrongType),
        (.expectedFrameRate, 1000.1, .outOfRange), (.expectedFrameRate, -1, .outOfRange),
        (.maxKeyFrameInterval, 2_147_483_648, .outOfRange), (.maxKeyFrameInterval, -1, .outOfRange),
        (.maxKeyFrameIntervalDuration, 86_400.5, .outOfRange),
        (.maxKeyFrameIntervalDuration, .double(.nan), .outOfRange),
        (.allowTemporalCompression, 2, .wrongType), (.allowTemporalCompression, 0.5, .wrongType),
        (.allowTemporalCompression, "true", .wrongType),
        (.dataRateLimits, [100_000], .outOfRange), (.dataRateLimits, [1e5, 1, 1e5], .outOfRange),
        (.dataRateLimits, [1e5, 1, 1e5, 2, 1e5, 3], .outOfRange), (.dataRateLimits, [1e5, 0.04], .outOfRange),
        (.dataRateLimits, [1e5, 61], .outOfRange), (.dataRateLimits, [999, 0.5], .outOfRange),
        (.dataRateLimits, [1999, 2], .outOfRange),
        (.dataRateLimits, [.nan, 1], .outOfRange), (.dataRateLimits, [1e5, .nan], .outOfRange),
        (.dataRateLimits, [.infinity, 1], .outOfRange), (.dataRateLimits, [-1e5, 1], .outOfRange),
        (.dataRateLimits, 100_000, .wrongType), (.dataRateLimits, "100000,1", .wrongType),
        (.maxH264SliceBytes, 499, .outOfRange), (.maxH264SliceBytes, 16_777_217, .outOfRange),
        (.maxFrameDelayCount, -2, .outOfRange), (.maxFrameDelayCount, 251, .outOfRange),
        (.pixelAspectRatio, [4], .outOfRange), (.pixelAspectRatio, [4, 3, 2], .outOfRange),
        (.pixelAspectRatio, [0, 1], .outOfRange), (.pixelAspectRatio, [1.5, 1], .outOfRange),
        (.pixelAspectRatio, [65536, 1], .outOfRange), (.pixelAspectRatio, [.nan, 1], .outOfRange),
        (.h264EntropyMode, "cabac", .outOfRange), (.colorPrimaries, "", .outOfRange),
        (.transferFunction, "ITU_R_709", .outOfRange), (.yCbCrMatrix, "RGB", .outOfRange),
        (.yCbCrMatrix, 15, .outOfRange), (.yCbCrMatrix, 1.0, .wrongType),
        (.x264Preset, "fastest", .outOfRange), (.x264Tune, "loud", .outOfRange), (.x264Tune, "film,grain", .outOfRange),
        (.x264Tune, "film,zerolatency,psnr", .outOfRange), (.x264Params, "bogus=1", .outOfRange),
        (.x264Params, 5, .wrongType), ("averagebitrate", 1000, .propertyNotSupported), ("", 1, .propertyNotSupported),
        ("PreserveAlphaChannel", true, .propertyNotSupported),
    ]

    @Test(arguments: refusals)
    func theStatusSaysWhyAndNothingIsChanged(key: PropertyKey, value: PropertyValue, status: Status) throws {
        let session = try CompressionSession(width: 64, height: 64, outputHandler: nil)
        let before = try? session.property(key)
        let error = #expect(throws: NaluError.self) { try session.set(key, value) }
        #expect(error?.status == status)
        // The error message names the property.
        #expect(error?.message.contains(key.rawValue) == true)
        #expect((try? session.property(key)) == before)
    }

    @Test(arguments: refusals)
    func oneOfManyRefusesAll(key: PropertyKey, value: PropertyValue, status: Status) throws {
        let session = try CompressionSession(width: 64, height: 64, outputHandler: nil)
        let error = #expect(throws: NaluError.self) {
            try session.set([(.maxFrameDelayCount, 7), (key, value), (.allowScaling, false)])
        }
        #expect(error?.status == status)
        #expect(try session.property(.maxFrameDelayCount) == -1)
        #expect(try session.property(.allowScaling) == true)
    }

    @Test func numbersAreGivenForEachOtherWhereTheyAreWhole() throws {
        let session = try CompressionSession(width: 64, height: 64, outputHandler: nil)
        try session.set(.averageBitRate, 1_000_000.0)
        #expect(try session.property(.averageBitRate) == .integer(1_000_000))
        try session.set(.expectedFrameRate, 25)
        #expect(try session.property(.expectedFrameRate) == .double(25))
        try session.set(.allowScaling, 0)
        #expect(try session.property(.allowScaling) == .bool(false))
        try session.set(.allowScaling, 1)
        #expect(try session.property(.allowScaling) == .bool(true))
    }

    private static let conflicts: [[(key: PropertyKey, value: PropertyValue?)]] = [
        [(.allowFrameReordering, true), (.profileLevel, "H264_Baseline_AutoLevel")],
        [(.allowFrameReordering, true), (.profileLevel, "H264_ConstrainedHigh_AutoLevel")],
        [(.allowFrameReordering, true), (.realTime, true)], [(.allowFrameReordering, true), (.maxFrameDelayCount, 0)],
        [(.allowFrameReordering, true), (.x264Tune, "zerolatency")],
        [(.h264EntropyMode, "CABAC"), (.profileLevel, "H264_Baseline_3_0")],
        [(.maxH264SliceBytes, 500), (.allowMultipleSlices, false)],
    ]

    @Test(arguments: conflicts)
    func propertiesThatContradictEachOtherAreRefusedInAnyOrder(
        pair: [(key: PropertyKey, value: PropertyValue?)]
    ) throws {
        for pair in [pair, pair.reversed()] {
            let session = try CompressionSession(width: 64, height: 64, outputHandler: nil)
            try session.set(pair[0].key, pair[0].value)
            #expect(
                TestBytes.status { () throws(NaluError) in try session.set(pair[1].key, pair[1].value) } == .conflict)
            let together = try CompressionSession(width: 64, height: 64, outputHandler: nil)
            #expect(TestBytes.status { () throws(NaluError) in try together.set(pair) } == .conflict)
        }
    }

    @Test func conflictsAreJudgedOnTheResult() throws {
        let session = try CompressionSession(width: 64, height: 64, outputHandler: nil)
        try session.set(.realTime, true)
        try session.set([(.allowFrameReordering, true), (.realTime, nil)])
        try session.set([(.profileLevel, "H264_Baseline_AutoLevel"), (.allowFrameReordering, nil)])
        #expect(try session.property(.allowFrameReordering) == false)
    }
}
