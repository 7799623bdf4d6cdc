private import CX264

/// One encoder that sessions can be created with.
public struct EncoderDescription: Sendable {
    /// For example "org.videolan.x264".
    public let id: StaticString
    /// For people.
    public let name: String
    public let codec: UInt32

    let open: @Sendable (EncoderSetup) throws(NaluError) -> any VideoEncoder
}

/// The encoders there are.
public enum EncoderRegistry {
    /// 'avc1'.
    public static let h264: UInt32 = 0x6176_6331

    public static let all: [EncoderDescription] = [
        EncoderDescription(
            id: "org.videolan.x264", name: "x264 core \(X264_BUILD)", codec: h264,
            open: { setup throws(NaluError) in try X264Encoder(setup) })
    ]

    static func encoder(codec: UInt32, id: String?, requireHardware: Bool) throws(NaluError) -> EncoderDescription {
        if requireHardware {
            throw NaluError(
                .couldNotFindVideoEncoder,
                "require_hardware_accelerated_video_encoder is set, and there is no hardware encoder; leave it 0")
        }
        if let id {
            guard let found = all.first(where: { $0.id.description == id }) else {
                throw NaluError(
                    .couldNotFindVideoEncoder,
                    "encoder_id \"\(NaluError.excerpt(id))\" is not one of \(all.map { $0.id.description }.joined(separator: ", "))"
                )
            }
            guard found.codec == codec else {
                throw NaluError(
                    .couldNotFindVideoEncoder, "encoder_id \"\(id)\" does not encode codec \(fourCC(codec))")
            }
            return found
        }
        guard let found = all.first(where: { $0.codec == codec }) else {
            throw NaluError(.couldNotFindVideoEncoder, "codec is \(fourCC(codec)); expected 'avc1' (NALU_CODEC_H264)")
        }
        return found
    }

    /// A four-character code for a sentence.
    static func fourCC(_ code: UInt32) -> String {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> UInt32($0)) }
        if bytes.allSatisfy({ (0x20...0x7e).contains($0) }) {
            return "'" + String(decoding: bytes, as: UTF8.self) + "'"
        }
        return "0x" + String(code, radix: 16)
    }
}
