private import CX264

/// One encoder that sessions can be created with.
public struct EncoderDescription: Sendable {
    /// The identifier, for example "org.videolan.x264".
    public let id: StaticString
    /// The name for display.
    public let name: String
    public let codec: UInt32

    let limits: any CodecLimits
    /// The properties of the encoder's sessions.
    let properties: PropertyIndex
    let open: @Sendable (EncoderSetup) throws(NaluError) -> any VideoEncoder

    /// - Parameter properties: the properties of the codec and of the encoder, in addition to those of every session.
    init(
        id: StaticString, name: String, codec: UInt32, limits: any CodecLimits, properties: [PropertyInfo],
        open: @escaping @Sendable (EncoderSetup) throws(NaluError) -> any VideoEncoder
    ) {
        self.id = id
        self.name = name
        self.codec = codec
        self.limits = limits
        self.properties = PropertyIndex(PropertyCatalog.common + properties, encoderID: id)
        self.open = open
    }
}

/// The available encoders.
public enum EncoderRegistry {
    /// 'avc1'.
    public static let h264: UInt32 = 0x6176_6331

    public static let all: [EncoderDescription] = [
        EncoderDescription(
            id: "org.videolan.x264", name: "x264 core \(X264_BUILD)", codec: h264,
            limits: H264Limits(), properties: PropertyCatalog.h264 + PropertyCatalog.x264,
            open: { setup throws(NaluError) in try X264Encoder(setup) })
    ]

    static func encoder(
        codec: UInt32, id: String?, requireHardware: Bool, among all: [EncoderDescription] = all
    ) throws(NaluError) -> EncoderDescription {
        if requireHardware {
            throw NaluError(
                .couldNotFindVideoEncoder,
                "require_hardware_accelerated_video_encoder is 1, and there is no hardware encoder; expected 0")
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
            throw NaluError(.couldNotFindVideoEncoder, "codec is \(fourCC(codec)); expected \(names(all))")
        }
        return found
    }

    /// Returns the available codecs for an error message.
    private static func names(_ all: [EncoderDescription]) -> String {
        var codes: [UInt32] = []
        for encoder in all where !codes.contains(encoder.codec) { codes.append(encoder.codec) }
        return codes.map { $0 == h264 ? "'avc1' (NALU_CODEC_H264)" : fourCC($0) }.joined(separator: " or ")
    }

    /// Returns a four-character code for an error message.
    static func fourCC(_ code: UInt32) -> String {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> UInt32($0)) }
        if bytes.allSatisfy({ (0x20...0x7e).contains($0) }) {
            return "'" + String(decoding: bytes, as: UTF8.self) + "'"
        }
        return "0x" + String(code, radix: 16)
    }
}

/// The limits of a codec's profiles and levels. A session checks them before its encoder is opened.
protocol CodecLimits: Sendable {
    /// Checks the session's size. Throws `.invalidSize`.
    func check(width: Int, height: Int) throws(NaluError)
    /// Checks the properties for pictures of that geometry. Throws `.outOfRange` and `.conflict`.
    func check(_ configuration: SessionConfiguration, _ geometry: PictureGeometry) throws(NaluError)
    /// Checks a rate that changes while the encoder runs. Throws `.conflict`.
    func checkRate(_ configuration: SessionConfiguration) throws(NaluError)
}

/// The properties of one encoder's sessions: those of every session, of the codec and of the encoder.
struct PropertyIndex: Sendable {
    let rows: [PropertyInfo]
    private let places: [String: Int]
    private let encoderID: StaticString

    init(_ rows: [PropertyInfo], encoderID: StaticString) {
        self.rows = rows
        self.encoderID = encoderID
        places = Dictionary(rows.enumerated().map { ($1.key.rawValue, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func require(_ key: PropertyKey) throws(NaluError) -> PropertyInfo {
        if let place = places[key.rawValue] { return rows[place] }
        guard PropertyCatalog.info(key) == nil else {
            throw NaluError(
                .propertyNotSupported,
                "\(key.rawValue) is not supported by the session's encoder, \(encoderID)")
        }
        throw PropertyCatalog.notSupported(key)
    }
}
