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
        formatDescription = try FormatDescription(hevcParameterSets: [HEVCTests.vps, HEVCTests.sps, HEVCTests.pps])
        memory = .allocate(byteCount: 7, alignment: 1)
    }

    deinit { memory.deallocate() }

    func encode(_ frame: EncoderFrame) throws(NaluError) -> EncodedPicture? {
        let isKeyFrame = isFirst || frame.forceKeyFrame
        isFirst = false
        memory.copyBytes(from: [0, 0, 0, 3, isKeyFrame ? Self.instantRefresh : Self.trailing, 1, 0x80])
        return EncodedPicture(
            token: frame.token, data: UnsafeRawBufferPointer(memory), isKeyFrame: isKeyFrame, isIntra: isKeyFrame,
            isReference: true, averageQP: .nan)
    }

    func retune(_ rate: RatePlan) throws(NaluError) {}

    func drain() throws(NaluError) -> EncodedPicture? { nil }

    struct NoLimits: CodecLimits {
        func check(width: Int, height: Int) throws(NaluError) {}
        func check(_ configuration: SessionConfiguration, _ geometry: PictureGeometry) throws(NaluError) {}
        func checkRate(_ configuration: SessionConfiguration) throws(NaluError) {}
    }

    static let description = EncoderDescription(
        id: "test.other", name: "Other", codec: FormatDescription.hevc, limits: NoLimits(),
        properties: [PropertyInfo(readOnly: "test.level", .integer, "A property of its own.") { _ in .integer(7) }],
        open: { _ throws(NaluError) in try OtherEncoder() })
}
