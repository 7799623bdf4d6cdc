@testable import Nalu

/// An encoder of another codec, H.265, with its own property and no limits. Each frame becomes a picture of one NAL
/// unit.
final class OtherEncoder: VideoEncoder {
    let reorderDepth = 0
    let formatDescription: FormatDescription
    let effectiveParameters = "other"

    private let memory: UnsafeMutableRawBufferPointer
    private var isFirst = true

    /// The NAL unit types TRAIL_R and IDR_W_RADL (ITU-T H.265 table 7-1).
    private static let (trailing, instantRefresh): (UInt8, UInt8) = (1 << 1, 19 << 1)

    init() throws(NaluError) {
        formatDescription = try FormatDescription(hevcParameterSets: [
            HEVCFixture.vps, HEVCFixture.sps, HEVCFixture.pps,
        ])
        memory = .allocate(byteCount: 7, alignment: 1)
    }

    deinit { memory.deallocate() }

    func encode(_ frame: EncoderFrame) throws(NaluError) -> EncoderOutput? {
        let isKeyFrame = isFirst || frame.forceKeyFrame
        isFirst = false
        memory.copyBytes(from: [0, 0, 0, 3, isKeyFrame ? Self.instantRefresh : Self.trailing, 1, 0x80])
        return .picture(
            EncodedPicture(
                token: frame.token, data: UnsafeRawBufferPointer(memory), isKeyFrame: isKeyFrame, isIntra: isKeyFrame,
                isReference: true, averageQP: .nan))
    }

    func retune(_ rate: RatePlan) throws(NaluError) {}

    func drain() throws(NaluError) -> EncoderOutput? { nil }

    struct NoLimits: CodecLimits {
        let leastSide = 16
        let interlacedLevels: ClosedRange<Int>? = nil
        func kilobitsPerSecond(level: Int, _ profile: CodecProfile) -> Int? { nil }
        func check(width: Int, height: Int) throws(NaluError) {}
        func check(_ configuration: SessionConfiguration, _ geometry: PictureGeometry) throws(NaluError) {}
        func checkRate(_ configuration: SessionConfiguration) throws(NaluError) {}
    }

    private static let main = CodecProfile(
        name: "Main", idc: 1, hasCABAC: true, hasBFrames: true, hasHighTools: false, bitFactor: 1000, maxBitDepth: 8)
    private static let mainAuto = ProfileLevel(name: "HEVC_Main_AutoLevel", profile: main, levelIDC: nil)

    static let codec = Codec(
        code: FormatDescription.hevc, constantPrefix: "HEVC_", profileLevels: [mainAuto], refusedProfileLevels: [:],
        usualProfileLevel: mainAuto, tenBitProfiles: [:], limits: NoLimits(), properties: [])

    /// The encoder reads planes only, keeps its rate, and has no frames of fields.
    static let traits = EncoderTraits(
        codec: codec, input: EncoderInput(formats: [.i420, .i420FullRange]),
        properties: [PropertyInfo(readOnly: "test.level", .integer, "A property of its own.") { _ in .integer(7) }],
        lacking: [UnsupportedProperty(.fieldCount, "it encodes progressive frames only")], takesLiveRate: false)

    static let description = EncoderDescription(
        id: "test.other", name: "Other", traits: traits, open: { _ throws(NaluError) in try OtherEncoder() })
}
