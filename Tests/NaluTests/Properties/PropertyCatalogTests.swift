import Testing

@testable import Nalu

/// The catalogue has one row for each property, and sessions behave as the rows state.
@Suite struct PropertyCatalogTests {
    private static let keys: [PropertyKey] = [
        .averageBitRate, .dataRateLimits, .quality, .constantQualityFactor, .maxLookAheadFrameCount,
        .expectedFrameRate, .maxKeyFrameInterval,
        .maxKeyFrameIntervalDuration, .allowTemporalCompression, .allowFrameReordering, .profileLevel, .h264EntropyMode,
        .maxH264SliceBytes, .allowMultipleSlices, .maxFrameDelayCount, .realTime, .colorPrimaries, .transferFunction,
        .yCbCrMatrix, .chromaLocation, .pixelAspectRatio, .allowScaling, .x264Preset, .x264Tune, .x264Params,
        .x264Effective,
        .numberOfPendingFrames, .usingHardwareAcceleratedVideoEncoder, .encoderID, .reorderDepth,
        .maxAllowedFrameQP, .minAllowedFrameQP, .spatialAdaptiveQPLevel, .referenceBufferCount,
        .suggestedLookAheadFrameCount, .prioritizeEncodingSpeedOverQuality, .maximizePowerEfficiency,
        .calculateMeanSquaredError,
        .estimatedAverageBytesPerFrame, .supportsBaseFrameQP,
        .cleanAperture, .masteringDisplayColorVolume, .contentLightLevelInfo, .hdrMetadataInsertionMode,
        .sourceFrameCount, .expectedDuration,
        .constantBitRate, .variableBitRate, .vbvMaxBitRate, .vbvBufferDuration, .vbvInitialDelayPercentage,
        .realTimeGovernor, .governorStep, .governorStepCount, .supportedPresetDictionaries,
        .allowOpenGOP, .moreFramesBeforeStart, .moreFramesAfterEnd, .fieldCount, .fieldDetail, .enableLTR,
        .allowIntraRefresh, .allowBPyramid,
        .outputBitDepth, .pixelTransferProperties,
        .pixelBufferPoolIsShared, .videoEncoderPixelBufferAttributes, .recommendedParallelizationLimit,
        .recommendedParallelizedSubdivisionMinimumFrameCount, .recommendedParallelizedSubdivisionMinimumDuration,
    ]

    @Test func everyKeyHasOneRow() {
        #expect(Set(PropertyCatalog.all.map { $0.key }) == Set(Self.keys))
        #expect(PropertyCatalog.all.count == Self.keys.count)
        for key in Self.keys { #expect(PropertyCatalog.info(key)?.key == key) }
        #expect(PropertyCatalog.info("NoSuchProperty") == nil)
    }

    @Test(arguments: PropertyCatalog.all.map { $0.key })
    func aRowSaysWhatThePropertyIs(key: PropertyKey) throws {
        let row = try #require(PropertyCatalog.info(key))
        #expect(row.documentation.hasSuffix(".") && row.documentation.count > 5)
        #expect(row.documentation.allSatisfy { $0.isASCII })
        if let range = row.range { #expect(range.lowerBound < range.upperBound) }
        #expect(Set(row.allowedValues).count == row.allowedValues.count)
        #expect(row.allowedValues.isEmpty || row.kind == .string)
        let isNumber = row.kind == .integer || row.kind == .double || row.kind == .numbers
        #expect(row.access == .readOnly || (row.range != nil) == (isNumber || row.accessors.acceptsIntegers))
    }

    private static let readOnly: Set<PropertyKey> = [
        .x264Effective, .numberOfPendingFrames, .usingHardwareAcceleratedVideoEncoder, .encoderID, .reorderDepth,
        .estimatedAverageBytesPerFrame, .supportsBaseFrameQP, .governorStep, .governorStepCount,
        .supportedPresetDictionaries,
        .pixelBufferPoolIsShared, .videoEncoderPixelBufferAttributes, .recommendedParallelizationLimit,
        .recommendedParallelizedSubdivisionMinimumFrameCount, .recommendedParallelizedSubdivisionMinimumDuration,
    ]
    private static let live: Set<PropertyKey> = [
        .averageBitRate, .dataRateLimits, .quality, .constantQualityFactor, .expectedFrameRate, .maxKeyFrameInterval,
        .maxKeyFrameIntervalDuration, .allowTemporalCompression, .maxH264SliceBytes, .allowScaling, .maxAllowedFrameQP,
        .minAllowedFrameQP, .vbvMaxBitRate, .vbvBufferDuration, .realTimeGovernor, .pixelTransferProperties,
    ]

    @Test func accessIsWhatTheHeaderSays() {
        for row in PropertyCatalog.all {
            let expected: PropertyInfo.Access =
                Self.readOnly.contains(row.key) ? .readOnly : Self.live.contains(row.key) ? .live : .untilOpen
            #expect(row.access == expected, "\(row.key.rawValue)")
        }
    }

    /// Valid values of each writable property.
    static let values: [(PropertyKey, [PropertyValue])] = [
        (.averageBitRate, [0, 1000, 2_000_000_000]), (.dataRateLimits, [[], [100_000, 1], [60_000, 60, 1000, 0.05]]),
        (.quality, [.double(0), 0.3, .double(1)]), (.expectedFrameRate, [.double(0), 29.97, .double(1000)]),
        (.expectedDuration, [.double(0), 1.5, .double(1e6)]),
        (.maxKeyFrameInterval, [0, 1, 2_147_483_647]),
        (.maxKeyFrameIntervalDuration, [.double(0), 0.001, .double(86_400)]),
        (.allowTemporalCompression, [true, false]), (.profileLevel, ProfileLevel.all.map { .string($0.name) }),
        (.h264EntropyMode, ["CAVLC", "CABAC"]), (.maxH264SliceBytes, [0, 500, 16_777_216]),
        (.allowMultipleSlices, [true, false]), (.maxFrameDelayCount, [-1, 0, 250]), (.realTime, [true, false]),
        (.colorPrimaries, ["ITU_R_709_2", "EBU_3213", "SMPTE_C", "P3_D65", "ITU_R_2020", "2", "11"]),
        (
            .transferFunction,
            [
                "ITU_R_709_2", "SMPTE_240M_1995", "ITU_R_2020", "SMPTE_ST_2084_PQ", "ITU_R_2100_HLG", "Linear",
                "IEC_sRGB", "2", "17",
            ]
        ),
        (.yCbCrMatrix, ["ITU_R_709_2", "ITU_R_601_4", "SMPTE_240M_1995", "ITU_R_2020", "2", "14"]),
        (.chromaLocation, ["Left", "Center", "TopLeft", "Top", "BottomLeft", "Bottom"]),
        (.pixelAspectRatio, [[], [1, 1], [65535, 1]]), (.allowScaling, [true, false]),
        (
            .x264Preset,
            [
                "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow",
                "placebo",
            ]
        ),
        (.x264Tune, ["", "film", "zerolatency", "animation,zerolatency", "psnr,fastdecode,zerolatency"]),
        (.x264Params, ["", "ref=2", "qpmin=10:qpmax=51"]),
        (.enableLTR, [true, false]), (.allowIntraRefresh, [true, false]),
        (.maxAllowedFrameQP, [0, 51]), (.minAllowedFrameQP, [0, 51]), (.spatialAdaptiveQPLevel, [-1, 0]),
        (.sourceFrameCount, [0, 2_147_483_647]),
        (.referenceBufferCount, [0, 1, 16]), (.suggestedLookAheadFrameCount, [0, 250]),
        (.maxLookAheadFrameCount, [0, 250]), (.constantQualityFactor, [.double(0), .double(1)]),
        (.prioritizeEncodingSpeedOverQuality, [true, false]), (.maximizePowerEfficiency, [true, false]),
        (.calculateMeanSquaredError, [true, false]),
        (.cleanAperture, [[], [64, 64, 0, 0], [60, 2, -2, 31]]),
        (
            .masteringDisplayColorVolume,
            [
                [], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
                [50000, 0, 50000, 0, 50000, 0, 50000, 0, 4_294_967_295, 4_294_967_294],
            ]
        ),
        (.contentLightLevelInfo, [[], [0, 65535]]), (.hdrMetadataInsertionMode, ["None", "Auto"]),
        (.fieldCount, [1, 2]), (.fieldDetail, FieldDetail.allCases.map { .string($0.rawValue) }),
        (.allowOpenGOP, [true, false]), (.allowBPyramid, [true, false]), (.moreFramesBeforeStart, [true, false]),
        (.moreFramesAfterEnd, [true, false]),
        (.realTimeGovernor, [true, false]),
        (.constantBitRate, [0, 64_000, 800_000_000]), (.variableBitRate, [0, 1000, 800_000_000]),
        (.vbvMaxBitRate, [0, 1, 800_000_000]), (.vbvBufferDuration, [0.1, .double(60)]),
        (.vbvInitialDelayPercentage, [.double(0), .double(100)]),
        (.outputBitDepth, [8, 10]),
        (.pixelTransferProperties, ["ScalingMode=Trim", "ScalingMode=Normal,DownsamplingMode=Average", ""]),
    ]

    @Test(arguments: values)
    func aValueThatWasSetIsReadBackAndUnsettingRestoresTheDefault(key: PropertyKey, values: [PropertyValue]) throws {
        let session = try CompressionSession(width: 64, height: 64, outputHandler: nil)
        let initial = try? session.property(key)
        for value in values {
            try session.set(key, value)
            #expect(try session.property(key) == value, "\(key.rawValue) \(value)")
            try session.set(key, value)
        }
        try session.set(key, nil)
        #expect((try? session.property(key)) == initial, "\(key.rawValue)")
        let row = try #require(PropertyCatalog.info(key))
        if !row.allowedValues.isEmpty {
            let listed = Set(row.allowedValues.map { PropertyValue.string($0) })
            #expect(row.accessors.acceptsIntegers ? listed.isSubset(of: values) : listed == Set(values))
        }
    }

    @Test func everyWritableRowIsCoveredAbove() {
        let writable = PropertyCatalog.all.filter { $0.access != .readOnly }.map { $0.key }
        #expect(Set(writable) == Set(Self.values.map { $0.0 } + [.allowFrameReordering]))
    }

    /// A new session's value equals the row's default if that is a plain value.
    @Test(arguments: PropertyCatalog.all.map { $0.key })
    func defaultsAreWhatTheRowSays(key: PropertyKey) throws {
        let row = try #require(PropertyCatalog.info(key))
        let session = try CompressionSession(width: 64, height: 64, outputHandler: nil)
        guard let value = try? session.property(key) else { return }
        let plain =
            row.defaultText.allSatisfy { $0.isNumber || $0 == "." || $0 == "-" }
            || ["true", "false"].contains(row.defaultText)
        if plain && !row.defaultText.isEmpty { #expect(value.text == row.defaultText) }
    }

    @Test(arguments: readOnly)
    func whatCanOnlyBeReadSaysSo(key: PropertyKey) throws {
        let session = try CompressionSession(width: 64, height: 64, outputHandler: nil)
        for value: PropertyValue? in [1, "x", true, nil] {
            #expect(TestBytes.status { () throws(NaluError) in try session.set(key, value) } == .propertyReadOnly)
        }
    }
}
