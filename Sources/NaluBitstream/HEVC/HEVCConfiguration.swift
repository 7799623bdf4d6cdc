/// The content of an MP4 `hvcC` box, an HEVCDecoderConfigurationRecord (ISO/IEC 14496-15 8.3.3.1).
///
/// The record alone: ``HEVCVideoParameterSet``, ``HEVCSequenceParameterSet`` and ``HEVCPictureParameterSet`` read the
/// parameter sets in it.
public struct HEVCConfiguration: Hashable, Sendable {
    /// NAL units of one type.
    public struct UnitArray: Hashable, Sendable {
        public let type: HEVCUnitType
        /// `array_completeness`: whether the record has all NAL units of the type, and the samples have none.
        public let isComplete: Bool
        public let units: [[UInt8]]
    }

    public private(set) var profileTierLevel = HEVCProfileTierLevel()
    /// `min_spatial_segmentation_idc`, 0 to 4095.
    public private(set) var minimumSpatialSegmentation = 0
    /// `parallelismType`: 0 mixed or unknown, 1 slices, 2 tiles, 3 wavefronts.
    public private(set) var parallelismType = 0
    /// The chroma format: 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    public private(set) var chromaFormatIDC = 1
    /// Bits per luma sample, 8 to 15.
    public private(set) var lumaBitDepth = 8
    /// Bits per chroma sample, 8 to 15.
    public private(set) var chromaBitDepth = 8
    /// `avgFrameRate`: pictures in 256 seconds, 0 if unspecified.
    public private(set) var averageFrameRate = 0
    /// `constantFrameRate`: 0 unknown, 1 constant, 2 constant for each temporal sub-layer.
    public private(set) var constantFrameRate = 0
    /// `numTemporalLayers`, 0 (unknown) to 7.
    public private(set) var subLayerCount = 0
    /// `temporalIdNested`.
    public private(set) var isTemporalIDNested = false
    /// The size of the length prefixes in the samples: 1, 2 or 4 bytes.
    public private(set) var lengthSize = 4
    public private(set) var arrays: [UnitArray] = []

    /// The most NAL units of a kind in a record. For parameter sets this is the number of ids in a stream (7.4.3.1 to
    /// 7.4.3.3).
    static let maximumVideoParameterSets = 16
    static let maximumSequenceParameterSets = 16
    static let maximumPictureParameterSets = 64
    static let maximumMessages = 255

    /// The kinds of NAL units that a format description keeps, in this order.
    private static let kinds: [(type: HEVCUnitType, name: StaticString, range: ClosedRange<Int>)] = [
        (.videoParameterSet, "VPS", 1...maximumVideoParameterSets),
        (.sequenceParameterSet, "SPS", 1...maximumSequenceParameterSets),
        (.pictureParameterSet, "PPS", 1...maximumPictureParameterSets),
        (.prefixSEI, "prefix SEI units", 0...maximumMessages),
        (.suffixSEI, "suffix SEI units", 0...maximumMessages),
    ]
}

// MARK: - From parameter sets

extension HEVCConfiguration {
    /// Creates the record for a stream with these NAL units: VPS, SPS, PPS and SEI with header, without start code, in
    /// any order.
    ///
    /// Sample formats are those of the first SPS. Tier and level are the highest of VPS and SPS. Compatibility and
    /// constraint flags are those that all of them set. The record marks parameter sets as complete; the samples may
    /// contain further SEI.
    ///
    /// Throws `.parameter` if `lengthSize` is not 1, 2 or 4. Throws `.badData` if a NAL unit has another type, is not
    /// of the base layer, is longer than 65535 bytes or cannot be read, a kind of parameter set is missing, or there
    /// are too many NAL units of a kind: more than 16 VPS, 16 SPS, 64 PPS or 255 SEI. Throws `.unsupportedDataFormat`
    /// as ``HEVCSequenceParameterSet`` does.
    public init(parameterSets: [[UInt8]], lengthSize: Int = 4) throws(NaluError) {
        self.lengthSize = try LengthPrefix(size: lengthSize).size
        var units: [HEVCUnitType: [[UInt8]]] = [:]
        for (index, unit) in parameterSets.enumerated() {
            guard let header = HEVCUnitHeader(of: unit), header.isSound, header.layerID == 0,
                Self.kinds.contains(where: { $0.type == header.type })
            else {
                throw NaluError(
                    .badData, "parameter set \(index) of \(unit.count) bytes is not a VPS, SPS, PPS or SEI of layer 0")
            }
            guard unit.count <= BitReader.maximumUnitSize else {
                throw NaluError(
                    .badData,
                    "parameter set \(index) has \(unit.count) bytes; expected at most \(BitReader.maximumUnitSize)")
            }
            units[header.type, default: []].append(unit)
        }
        for kind in Self.kinds {
            if let found = units[kind.type] {
                let isSet = kind.range.lowerBound > 0
                arrays.append(UnitArray(type: kind.type, isComplete: isSet, units: found))
            }
        }
        try checkCounts()
        try readSets()
    }

    /// The base layer's NAL units of the types that a format description keeps: VPS, SPS, PPS, then SEI.
    package var parameterSets: [[UInt8]] {
        Self.kinds.flatMap { self.units(of: $0.type) }
    }

    /// Returns the base layer's NAL units of a type.
    package func units(of type: HEVCUnitType) -> [[UInt8]] {
        arrays.filter { $0.type == type }.flatMap(\.units).filter { unit in
            HEVCUnitHeader(of: unit).map { $0.isSound && $0.layerID == 0 } ?? false
        }
    }

    private func checkCounts() throws(NaluError) {
        for kind in Self.kinds {
            let count = units(of: kind.type).count
            guard kind.range.contains(count) else {
                throw NaluError(
                    .badData, "\(count) \(kind.name); expected \(kind.range.lowerBound) to \(kind.range.upperBound)")
            }
        }
    }

    private mutating func readSets() throws(NaluError) {
        var isNested = true
        var segmentation = 4095
        for unit in units(of: .videoParameterSet) {
            let set = try HEVCVideoParameterSet(parsing: unit)
            merge(set.profileTierLevel, isFirst: subLayerCount == 0)
            subLayerCount = max(subLayerCount, set.subLayerCount)
        }
        for (index, unit) in units(of: .sequenceParameterSet).enumerated() {
            let set = try HEVCSequenceParameterSet(parsing: unit)
            merge(set.profileTierLevel, isFirst: false)
            subLayerCount = max(subLayerCount, set.subLayerCount)
            isNested = isNested && set.isTemporalIDNested
            segmentation = min(segmentation, set.minimumSpatialSegmentation)
            if index == 0 {
                chromaFormatIDC = set.chromaFormatIDC
                // The fields of the record cannot express 16 bits.
                lumaBitDepth = min(set.lumaBitDepth, 15)
                chromaBitDepth = min(set.chromaBitDepth, 15)
            }
        }
        isTemporalIDNested = isNested
        minimumSpatialSegmentation = segmentation
        var types: Set<Int> = []
        for unit in units(of: .pictureParameterSet) {
            let set = try HEVCPictureParameterSet(parsing: unit)
            types.insert(set.usesEntropySync ? (set.usesTiles ? 0 : 3) : (set.usesTiles ? 2 : 1))
        }
        parallelismType = segmentation > 0 && types.count == 1 ? types.first ?? 0 : 0
    }

    private mutating func merge(_ other: HEVCProfileTierLevel, isFirst: Bool) {
        guard !isFirst else {
            profileTierLevel = other
            return
        }
        profileTierLevel.profileIDC = max(profileTierLevel.profileIDC, other.profileIDC)
        profileTierLevel.compatibilityFlags &= other.compatibilityFlags
        profileTierLevel.constraintFlags &= other.constraintFlags
        if other.tier > profileTierLevel.tier {
            profileTierLevel.tier = other.tier
            profileTierLevel.levelIDC = other.levelIDC
        } else if other.tier == profileTierLevel.tier {
            profileTierLevel.levelIDC = max(profileTierLevel.levelIDC, other.levelIDC)
        }
    }
}

// MARK: - Reading and writing

extension HEVCConfiguration {
    /// Reads a record. Reserved bits and bytes after the record are ignored.
    ///
    /// Throws `.badData` if the version is not 1, the length size is 3, the record is cut off, a kind of parameter set
    /// is missing, there are more NAL units of a kind than a stream has, or a NAL unit does not have the type of its
    /// array.
    public init(reading record: UnsafeRawBufferPointer) throws(NaluError) {
        var reader = unsafe ConfigurationRecordReader(record, name: "hvcC")
        let version = try reader.byte("configurationVersion")
        guard version == 1 else {
            throw NaluError(.badData, "configurationVersion of the hvcC record is \(version); expected 1")
        }
        let profile = Int(try reader.byte("general_profile_idc"))
        profileTierLevel.profileSpace = profile >> 6
        profileTierLevel.tier = profile >> 5 & 1
        profileTierLevel.profileIDC = profile & 31
        profileTierLevel.compatibilityFlags = UInt32(try reader.number(4, "general_profile_compatibility_flags"))
        profileTierLevel.constraintFlags = UInt64(try reader.number(2, "general_constraint_indicator_flags")) << 32
        profileTierLevel.constraintFlags |= UInt64(try reader.number(4, "general_constraint_indicator_flags"))
        profileTierLevel.levelIDC = Int(try reader.byte("general_level_idc"))
        minimumSpatialSegmentation = try reader.number(2, "min_spatial_segmentation_idc") & 0xFFF
        parallelismType = Int(try reader.byte("parallelismType") & 3)
        chromaFormatIDC = Int(try reader.byte("chroma_format_idc") & 3)
        lumaBitDepth = 8 + Int(try reader.byte("bit_depth_luma_minus8") & 7)
        chromaBitDepth = 8 + Int(try reader.byte("bit_depth_chroma_minus8") & 7)
        averageFrameRate = try reader.number(2, "avgFrameRate")
        let flags = Int(try reader.byte("lengthSizeMinusOne"))
        constantFrameRate = flags >> 6
        subLayerCount = flags >> 3 & 7
        isTemporalIDNested = flags & 4 != 0
        lengthSize = 1 + (flags & 3)
        guard lengthSize != 3 else {
            throw NaluError(.badData, "the length size of the hvcC record is 3; expected 1, 2 or 4")
        }
        let count = Int(try reader.byte("numOfArrays"))
        for _ in 0..<count {
            arrays.append(try Self.array(in: &reader))
        }
        try checkCounts()
    }

    /// Reads a record. Throws as ``init(reading:)-(UnsafeRawBufferPointer)`` does.
    public init(reading record: [UInt8]) throws(NaluError) {
        self = unsafe try record.withBytes { (bytes) throws(NaluError) in
            unsafe try HEVCConfiguration(reading: bytes)
        }
    }

    private static func array(in reader: inout ConfigurationRecordReader) throws(NaluError) -> UnitArray {
        let head = try reader.byte("NAL_unit_type")
        let type = HEVCUnitType(rawValue: head & 63)
        let count = try reader.number(2, "numNalus")
        var units: [[UInt8]] = []
        for _ in 0..<count {
            let start = reader.position + 2
            let unit = try reader.unit()
            guard let header = HEVCUnitHeader(of: unit), header.type == type else {
                throw NaluError(
                    .badData,
                    "the NAL unit of \(unit.count) bytes at offset \(start) of the hvcC record is in an array of type "
                        + "\(type.rawValue), which it is not")
            }
            units.append(unit)
        }
        return UnitArray(type: type, isComplete: head & 0x80 != 0, units: units)
    }

    /// Returns the bytes of the record. Reserved bits are set as the standard demands.
    public func serialized() -> [UInt8] {
        let profile = profileTierLevel
        var record: [UInt8] = [1]
        func append(_ value: Int, _ count: Int) {
            for index in (0..<count).reversed() {
                record.append(UInt8(truncatingIfNeeded: value >> (8 * index)))
            }
        }
        append(profile.profileSpace << 6 | profile.tier << 5 | profile.profileIDC, 1)
        append(Int(profile.compatibilityFlags), 4)
        append(Int(profile.constraintFlags), 6)
        append(profile.levelIDC, 1)
        append(0xF000 | minimumSpatialSegmentation, 2)
        append(0xFC | parallelismType, 1)
        append(0xFC | chromaFormatIDC, 1)
        append(0xF8 | (lumaBitDepth - 8), 1)
        append(0xF8 | (chromaBitDepth - 8), 1)
        append(averageFrameRate, 2)
        append(constantFrameRate << 6 | subLayerCount << 3 | (isTemporalIDNested ? 4 : 0) | (lengthSize - 1), 1)
        append(arrays.count, 1)
        for array in arrays {
            append((array.isComplete ? 0x80 : 0) | Int(array.type.rawValue), 1)
            append(array.units.count, 2)
            for unit in array.units {
                append(unit.count, 2)
                record += unit
            }
        }
        return record
    }
}
