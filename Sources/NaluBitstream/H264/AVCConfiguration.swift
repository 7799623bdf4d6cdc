/// The content of an MP4 `avcC` box, an AVCDecoderConfigurationRecord (ISO/IEC 14496-15 5.3.3.1).
///
/// The record alone: ``SequenceParameterSet`` and ``PictureParameterSet`` read the parameter sets in it.
public struct AVCConfiguration: Hashable, Sendable {
    /// The additional fields of profiles other than Baseline, Main and Extended.
    public struct HighProfileFields: Hashable, Sendable {
        /// The chroma format: 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
        public var chromaFormatIDC: Int
        /// Bits per luma sample, 8 to 15.
        public var lumaBitDepth: Int
        /// Bits per chroma sample, 8 to 15.
        public var chromaBitDepth: Int
        /// SPS extension NAL units, 0 to 255.
        public var sequenceParameterSetExtensions: [[UInt8]] = []
    }

    /// `AVCProfileIndication`, a `profile_idc`.
    public private(set) var profileIDC: UInt8
    /// `profile_compatibility`: constraint_set0_flag is 0x80.
    public private(set) var constraintFlags: UInt8
    /// `AVCLevelIndication`, a `level_idc`.
    public private(set) var levelIDC: UInt8
    /// The size of the length prefixes in the samples: 1, 2 or 4 bytes.
    public private(set) var lengthSize: Int
    /// SPS NAL units, 0 to 31.
    public private(set) var sequenceParameterSets: [[UInt8]] = []
    /// PPS NAL units, 0 to 255.
    public private(set) var pictureParameterSets: [[UInt8]] = []
    /// Nil for profiles without these fields, and for records of old writers, which leave them out.
    public private(set) var highProfileFields: HighProfileFields?

    /// The most SPS and PPS that a record can hold.
    static let maximumSequenceParameterSets = 31
    static let maximumPictureParameterSets = 255

    /// The size of the longest possible record: every count at its maximum, every NAL unit 65535 bytes. Later bytes are
    /// ignored.
    private static let maximumSize = 11 + (31 + 255 + 255) * (2 + 0xFFFF)

    /// The profiles that never have ``HighProfileFields``: Baseline, Main and Extended.
    private static let lowProfiles: Set<UInt8> = [66, 77, 88]
}

// MARK: - From parameter sets

extension AVCConfiguration {
    /// Creates the record for a stream with these parameter sets: NAL units with header byte, without start code.
    ///
    /// Profile and sample formats are those of the first SPS. The constraint flags are those that every SPS sets, and
    /// the level is the highest. SPS and PPS may be in any order.
    ///
    /// Throws `.parameter` if `lengthSize` is not 1, 2 or 4. Throws `.badData` if a NAL unit is neither SPS nor PPS, is
    /// longer than 65535 bytes or cannot be read, one kind is missing, or there are more than 31 SPS or 255 PPS. Throws
    /// `.unsupportedDataFormat` as ``SequenceParameterSet`` does.
    public init(parameterSets: [[UInt8]], lengthSize: Int = 4) throws(NaluError) {
        self.lengthSize = try LengthPrefix(size: lengthSize).size
        var first: SequenceParameterSet?
        var flags: UInt8 = 0xFF
        var level: UInt8 = 0
        for (index, unit) in parameterSets.enumerated() {
            switch unit.first.map({ NALUnitHeader(rawValue: $0).type }) {
            case .sequenceParameterSet:
                let parsed = try SequenceParameterSet(parsing: unit)
                first = first ?? parsed
                flags &= UInt8(truncatingIfNeeded: parsed.constraintFlags)
                // The byte in the SPS is compared, not the parsed level, because profiles spell level 1b differently.
                level = max(level, unit[3])
                sequenceParameterSets.append(unit)
            case .pictureParameterSet:
                _ = try PictureParameterSet(parsing: unit)
                pictureParameterSets.append(unit)
            default:
                throw NaluError(.badData, "parameter set \(index) of \(unit.count) bytes is neither SPS nor PPS")
            }
        }
        guard let first else {
            throw NaluError(.badData, "no SPS among \(parameterSets.count) parameter sets")
        }
        profileIDC = UInt8(truncatingIfNeeded: first.profileIDC)
        constraintFlags = flags
        levelIDC = level
        try checkCounts()
        if !Self.lowProfiles.contains(profileIDC) {
            highProfileFields = HighProfileFields(
                chromaFormatIDC: first.chromaFormatIDC,
                lumaBitDepth: first.lumaBitDepth,
                chromaBitDepth: first.chromaBitDepth
            )
        }
    }

    private func checkCounts() throws(NaluError) {
        guard (1...Self.maximumSequenceParameterSets).contains(sequenceParameterSets.count) else {
            throw NaluError(.badData, "\(sequenceParameterSets.count) SPS; expected 1 to 31")
        }
        guard (1...Self.maximumPictureParameterSets).contains(pictureParameterSets.count) else {
            throw NaluError(.badData, "\(pictureParameterSets.count) PPS; expected 1 to 255")
        }
    }
}

// MARK: - Reading and writing

extension AVCConfiguration {
    /// Reads a record. Reserved bits and bytes after the record are ignored.
    ///
    /// Throws `.badData` if the version is not 1, the length size is 3, the record is cut off, one kind of parameter
    /// set is missing, or a NAL unit has the wrong type for its position.
    public init(reading record: UnsafeRawBufferPointer) throws(NaluError) {
        var reader = unsafe ConfigurationRecordReader(
            UnsafeRawBufferPointer(rebasing: record.prefix(Self.maximumSize)), name: "avcC")
        let version = try reader.byte("configurationVersion")
        guard version == 1 else {
            throw NaluError(.badData, "configurationVersion of the avcC record is \(version); expected 1")
        }
        profileIDC = try reader.byte("AVCProfileIndication")
        constraintFlags = try reader.byte("profile_compatibility")
        levelIDC = try reader.byte("AVCLevelIndication")
        lengthSize = 1 + Int(try reader.byte("lengthSizeMinusOne") & 3)
        guard lengthSize != 3 else {
            throw NaluError(.badData, "the length size of the avcC record is 3; expected 1, 2 or 4")
        }
        let sequenceCount = Int(try reader.byte("numOfSequenceParameterSets") & 31)
        sequenceParameterSets = try reader.units(sequenceCount, .sequenceParameterSet)
        let pictureCount = Int(try reader.byte("numOfPictureParameterSets"))
        pictureParameterSets = try reader.units(pictureCount, .pictureParameterSet)
        try checkCounts()
        guard !Self.lowProfiles.contains(profileIDC), reader.remaining >= 4 else { return }
        var fields = HighProfileFields(
            chromaFormatIDC: Int(try reader.byte("chroma_format") & 3),
            lumaBitDepth: 8 + Int(try reader.byte("bit_depth_luma_minus8") & 7),
            chromaBitDepth: 8 + Int(try reader.byte("bit_depth_chroma_minus8") & 7)
        )
        let extensionCount = Int(try reader.byte("numOfSequenceParameterSetExt"))
        fields.sequenceParameterSetExtensions = try reader.units(extensionCount, .sequenceParameterSetExtension)
        highProfileFields = fields
    }

    /// Reads a record. Throws as ``init(reading:)-(UnsafeRawBufferPointer)`` does.
    public init(reading record: [UInt8]) throws(NaluError) {
        self = unsafe try record.withBytes { (bytes) throws(NaluError) in
            unsafe try AVCConfiguration(reading: bytes)
        }
    }

    /// Returns the bytes of the record. Reserved bits are set as the standard demands.
    public func serialized() -> [UInt8] {
        var record: [UInt8] = [1, profileIDC, constraintFlags, levelIDC]
        record.append(0xFC | UInt8(truncatingIfNeeded: lengthSize - 1))
        record.append(0xE0 | UInt8(truncatingIfNeeded: sequenceParameterSets.count))
        Self.append(sequenceParameterSets, to: &record)
        record.append(UInt8(truncatingIfNeeded: pictureParameterSets.count))
        Self.append(pictureParameterSets, to: &record)
        if let fields = highProfileFields {
            record.append(0xFC | UInt8(truncatingIfNeeded: fields.chromaFormatIDC))
            record.append(0xF8 | UInt8(truncatingIfNeeded: fields.lumaBitDepth - 8))
            record.append(0xF8 | UInt8(truncatingIfNeeded: fields.chromaBitDepth - 8))
            record.append(UInt8(truncatingIfNeeded: fields.sequenceParameterSetExtensions.count))
            Self.append(fields.sequenceParameterSetExtensions, to: &record)
        }
        return record
    }

    private static func append(_ units: [[UInt8]], to record: inout [UInt8]) {
        for unit in units {
            record.append(UInt8(truncatingIfNeeded: unit.count >> 8))
            record.append(UInt8(truncatingIfNeeded: unit.count))
            record.append(contentsOf: unit)
        }
    }
}
