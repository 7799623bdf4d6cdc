import Testing

@testable import Nalu

/// A second registered encoder with another codec. The session, the catalogue and the checks must not depend on H.264
/// or x264 more than necessary.
@Suite struct SecondEncoderTests {
    private static let registered = EncoderRegistry.all + [OtherEncoder.description]

    private func session(width: Int = 64, height: Int = 64, _ returned: Collector = Collector()) throws
        -> CompressionSession
    {
        let encoder = try EncoderRegistry.encoder(
            codec: FormatDescription.hevc, id: "test.other", requireHardware: false, among: Self.registered)
        return try CompressionSession(
            width: width, height: height, encoder: encoder, sourceFormat: nil, onFinish: { returned.finish() },
            outputHandler: { returned.receive($0) })
    }

    @Test func anotherEncoderIsFoundByCodecAndName() throws {
        func id(_ codec: UInt32, _ id: String?) throws -> String {
            try EncoderRegistry.encoder(codec: codec, id: id, requireHardware: false, among: Self.registered).id
                .description
        }
        #expect(try id(FormatDescription.hevc, nil) == "org.videolan.x265")
        #expect(try id(FormatDescription.hevc, "test.other") == "test.other")
        #expect(try id(FormatDescription.h264, nil) == "org.videolan.x264")
        #expect(throws: NaluError.self) { try id(FormatDescription.h264, "test.other") }
        #expect(try session().property(.encoderID) == "test.other")
    }

    @Test func anotherEncoderHasCommonAndOwnProperties() throws {
        let session = try session()
        try session.set(.averageBitRate, 500_000)
        try session.set(.realTime, true)
        #expect(try session.property(.averageBitRate) == 500_000)
        #expect(try session.property("test.level") == 7)
    }

    @Test(arguments: Codec.h264.properties + PropertyCatalog.x264)
    func anotherEncoderHasNoPropertiesOfX264(row: PropertyInfo) throws {
        let session = try session()
        func refusal(_ body: () throws(NaluError) -> Void) -> NaluError? {
            do throws(NaluError) {
                try body()
                return nil
            } catch {
                return error
            }
        }
        let set = refusal { () throws(NaluError) in try session.set(row.key, nil) }
        let get = refusal { () throws(NaluError) in _ = try session.property(row.key) }
        #expect(set?.status == .propertyNotSupported && get?.status == .propertyNotSupported)
        #expect(set?.message.contains("test.other") == true)
    }

    @Test func anotherEncoderHasItsOwnLimits() throws {
        #expect(throws: Never.self) { try session(width: 16384, height: 16384) }
        #expect(throws: NaluError.self) {
            try CompressionSession(width: 16384, height: 16384, outputHandler: nil)
        }
    }

    @Test func anotherEncoderDeliversSamplesOfItsCodec() throws {
        let returned = Collector()
        let session = try session(returned)
        let buffer = try PixelBuffer(format: .nv12, width: 64, height: 64)
        for number in 0..<5 {
            try session.encode(buffer, presentationTime: MediaTime(value: Int64(number), timescale: 30))
        }
        try session.complete()
        let samples = returned.calls.compactMap { $0.sample }
        #expect(samples.count == 5)
        #expect(samples.allSatisfy { $0.formatDescription.codec == FormatDescription.hevc })
        #expect(samples.map { !$0.attachments.contains(.notSync) } == [true, false, false, false, false])
    }

    @Test func anotherEncoderHasTheProfilesOfItsCodec() throws {
        let session = try session()
        #expect(try session.property(.profileLevel) == "HEVC_Main_AutoLevel")
        try session.set(.profileLevel, "HEVC_Main_AutoLevel")
        let refusal = #expect(throws: NaluError.self) { try session.set(.profileLevel, "H264_High_AutoLevel") }
        #expect(refusal?.status == .outOfRange && refusal?.message.contains("HEVC_") == true)
        let h264 = try CompressionSession(width: 64, height: 64, outputHandler: nil)
        #expect(throws: NaluError.self) { try h264.set(.profileLevel, "HEVC_Main_AutoLevel") }
    }

    @Test func aPropertyThatAnEncoderLacksIsRefusedWithTheReason() throws {
        let refusal = #expect(throws: NaluError.self) { try session().set(.fieldCount, 2) }
        #expect(refusal?.status == .propertyNotSupported)
        #expect(refusal?.message.hasSuffix("encoder, test.other: it encodes progressive frames only") == true)
    }

    @Test func presetsOfTheLibraryNeedNoPresetsOfTheEncoder() throws {
        let session = try session()
        try session.set(preset: .videoConferencing)
        #expect(try session.property(.realTime) == true)
        try session.set(presetNamed: "Balanced")
        #expect(try session.property(.realTime) == false)
        #expect(throws: NaluError.self) { try session.set(presetNamed: "medium") }
    }

    @Test func anEncoderThatKeepsItsRateRefusesAnotherOne() throws {
        let returned = Collector()
        let session = try session(returned)
        try session.set([(.averageBitRate, 500_000), (.realTime, true)])
        let buffer = try PixelBuffer(format: .i420, width: 64, height: 64)
        try session.encode(buffer, presentationTime: MediaTime(value: 0, timescale: 30))
        let refusal = #expect(throws: NaluError.self) { try session.set(.averageBitRate, 400_000) }
        #expect(refusal?.status == .tooLate && refusal?.message.contains("AverageBitRate") == true)
        // Key frames are the session's own.
        try session.set(.maxKeyFrameInterval, 10)
        try session.complete()
    }

    @Test func frameFormatsAreThoseOfTheEncoder() throws {
        let session = try session()
        try session.set(.realTime, true)
        let buffer = try PixelBuffer(format: .nv12, width: 64, height: 64)
        try session.encode(buffer, presentationTime: MediaTime(value: 0, timescale: 30))
        #expect(try session.pixelBufferPool?.makeBuffer().format == .i420)
        let attributes = try session.property(.videoEncoderPixelBufferAttributes).stringValue
        #expect(attributes?.contains("PixelFormatType=y420") == true)
        try session.complete()
    }

    @Test func passesNeedAnEncoderThatHasThem() throws {
        let session = try session()
        let refusal = #expect(throws: NaluError.self) {
            try session.setMultiPassStorage(MultiPassStorage())
        }
        #expect(refusal?.status == .conflict && refusal?.message.contains("test.other") == true)
    }

    @Test func rowsNameTheirEncoders() throws {
        func encoders(_ key: PropertyKey) -> [String]? { PropertyCatalog.info(key)?.encoderIDs }
        #expect(encoders(.averageBitRate)?.starts(with: ["org.videolan.x264", "org.openh264.openh264"]) == true)
        #expect(encoders(.constantBitRate)?.contains("org.openh264.openh264") == false)
        #expect(encoders(.x264Preset) == ["org.videolan.x264"])
        #expect(encoders(.x265Preset) == ["org.videolan.x265"])
        #expect(encoders(.enableLTR)?.contains("org.videolan.x265") == false)
    }

    @Test(arguments: PropertyCatalog.lackingInOpenH264)
    func rowsOfOpenH264AreRefusedWithTheReason(row: UnsupportedProperty) throws {
        let session = try CompressionSession(
            width: 64, height: 64, encoderID: "org.openh264.openh264", outputHandler: nil)
        let other: PropertyValue? = row.off.map { $0 == false ? true : 2 }
        let refusal = #expect(throws: NaluError.self) { try session.set(row.key, other) }
        #expect(refusal?.status == .propertyNotSupported && refusal?.message.contains(row.reason) == true)
        guard let off = row.off else { return }
        try session.set(row.key, off)
        #expect(try session.property(row.key) == off)
        try session.set(row.key, nil)
        #expect(try session.property(row.key) == off)
    }
}
