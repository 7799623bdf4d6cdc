/// One encoder that sessions can be created with.
public struct EncoderDescription: Sendable {
    /// The identifier, for example "org.videolan.x264".
    public let id: StaticString
    /// The name for display.
    public let name: String
    public var codec: UInt32 { traits.codec.code }

    let traits: EncoderTraits
    /// The properties of the encoder's sessions.
    let properties: PropertyIndex
    /// Throws `.couldNotFindVideoEncoder` if the encoder's library cannot be loaded.
    let check: @Sendable () throws(NaluError) -> Void
    let open: @Sendable (EncoderSetup) throws(NaluError) -> any VideoEncoder

    init(
        id: StaticString, name: String, traits: EncoderTraits,
        check: @escaping @Sendable () throws(NaluError) -> Void = { () throws(NaluError) in },
        open: @escaping @Sendable (EncoderSetup) throws(NaluError) -> any VideoEncoder
    ) {
        self.id = id
        self.name = name
        self.traits = traits
        self.check = check
        self.open = open
        properties = PropertyIndex(traits, encoderID: id)
    }
}

/// The available encoders.
public enum EncoderRegistry {
    /// 'avc1'.
    public static let h264: UInt32 = 0x6176_6331
    /// 'hvc1'.
    public static let h265: UInt32 = 0x6876_6331

    /// The encoders. The first one of a codec is that of sessions whose clients name none.
    public static let all: [EncoderDescription] = {
        #if NALU_WITHOUT_X264
            [.openH264]
        #else
            [.x264, .openH264, .x265]
        #endif
    }()

    /// The encoder of H.264 sessions whose clients name none.
    package static let usual = all.first { $0.codec == h264 } ?? .openH264

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
                let others = all.filter { $0.codec == codec }.map { $0.id.description }
                throw NaluError(
                    .couldNotFindVideoEncoder,
                    others.isEmpty
                        ? "codec is \(fourCC(codec)); expected \(names(all))"
                        : "encoder_id \"\(id)\" does not encode codec \(fourCC(codec)); expected "
                            + others.joined(separator: " or "))
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
        let constants = [h264: " (NALU_CODEC_H264)", h265: " (NALU_CODEC_HEVC)"]
        return codes.map { fourCC($0) + (constants[$0] ?? "") }.joined(separator: " or ")
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

/// The properties of one encoder's sessions: those of every session, of the codec and of the encoder.
struct PropertyIndex: Sendable {
    let rows: [PropertyInfo]
    private let places: [String: Int]
    private let lacking: [UnsupportedProperty]
    private let offRows: [PropertyInfo]
    private let encoderID: StaticString

    init(_ traits: EncoderTraits, encoderID: StaticString) {
        rows = traits.rows
        lacking = traits.lacking
        offRows = traits.offRows(encoderID: encoderID)
        self.encoderID = encoderID
        places = Dictionary(rows.enumerated().map { ($1.key.rawValue, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func contains(_ key: PropertyKey) -> Bool { places[key.rawValue] != nil }

    func require(_ key: PropertyKey) throws(NaluError) -> PropertyInfo {
        if let place = places[key.rawValue] { return rows[place] }
        if let row = offRows.first(where: { $0.key == key }) { return row }
        let reason = lacking.first { $0.key == key }.map { ": " + $0.reason }
        guard reason != nil || PropertyCatalog.info(key) != nil else { throw PropertyCatalog.notSupported(key) }
        throw NaluError(
            .propertyNotSupported,
            "\(key.rawValue) is not supported by the session's encoder, \(encoderID)\(reason ?? "")")
    }
}

extension PropertyInfo {
    /// Returns the row for an encoder that does not have the property: it accepts the value that means this. Nil if
    /// there is no such value.
    func only(_ property: UnsupportedProperty, encoderID: StaticString) -> PropertyInfo? {
        guard let off = property.off else { return nil }
        var row = self
        let (key, reason, set) = (key, property.reason, accessors.set)
        row.accessors.set = { configuration, value throws(NaluError) in
            guard value == nil || value == off else {
                throw NaluError(
                    .propertyNotSupported,
                    "\(key.rawValue) is \(value?.text ?? ""); expected \(off.text) with the session's encoder, "
                        + "\(encoderID): \(reason)")
            }
            try set(&configuration, value)
        }
        return row
    }

    /// The identifiers of the encoders that have the property, with more than one value.
    public var encoderIDs: [String] {
        EncoderRegistry.all.filter { $0.properties.contains(key) }.map { $0.id.description }
    }
}
