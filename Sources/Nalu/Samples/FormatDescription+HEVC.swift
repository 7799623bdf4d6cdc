extension FormatDescription {
    /// Creates a description from the parameter sets of either codec.
    package convenience init(
        _ codec: VideoCodec, parameterSets: [[UInt8]], lengthSize: Int = 4
    ) throws(NaluError) {
        switch codec {
        case .h264: try self.init(parameterSets: parameterSets, lengthSize: lengthSize)
        case .hevc: try self.init(hevcParameterSets: parameterSets, lengthSize: lengthSize)
        }
    }

    /// Creates a description from the `avcC` or `hvcC` record of either codec.
    package convenience init(_ codec: VideoCodec, record: [UInt8]) throws(NaluError) {
        switch codec {
        case .h264: try self.init(avcC: record)
        case .hevc: try self.init(hvcC: record)
        }
    }

    package var isHEVC: Bool { codec == Self.hevc }

    /// Creates a description from H.265 parameter sets: VPS, SPS and PPS NAL units of layer 0, and SEI NAL units that
    /// apply to the entire stream. They have their header, no start code, and any order. The bytes are copied. Size and
    /// colour are read from the first SPS.
    ///
    /// Throws as ``HEVCConfiguration/init(parameterSets:lengthSize:)`` does.
    public convenience init(hevcParameterSets: [[UInt8]], lengthSize: Int = 4) throws(NaluError) {
        let configuration = try HEVCConfiguration(parameterSets: hevcParameterSets, lengthSize: lengthSize)
        try self.init(configuration, record: configuration.serialized())
    }

    /// Creates the same description from memory that need not outlive the call.
    public convenience init(
        hevcParameterSets: [UnsafeRawBufferPointer], lengthSize: Int = 4
    ) throws(NaluError) {
        try self.init(hevcParameterSets: unsafe Self.copies(of: hevcParameterSets), lengthSize: lengthSize)
    }

    /// Creates a description from an HEVCDecoderConfigurationRecord, the content of an MP4 `hvcC` box (ISO/IEC 14496-15
    /// 8.3.3.1). The record is stored unchanged, without the bytes that follow it. NAL units of other types and layers
    /// in it do not count as parameter sets.
    ///
    /// Throws `.badData` as ``HEVCConfiguration/init(reading:)-(UnsafeRawBufferPointer)`` does and if a parameter set
    /// cannot be read. Throws `.unsupportedDataFormat` if the picture is larger than
    /// ``SequenceParameterSet/maximumDimension``.
    public convenience init(hvcC record: UnsafeRawBufferPointer) throws(NaluError) {
        let (configuration, copy) = unsafe try Self.readHEVC(record)
        try self.init(configuration, record: copy)
    }

    /// Creates the same description from an array. Throws as ``init(hvcC:)-(UnsafeRawBufferPointer)`` does.
    public convenience init(hvcC record: [UInt8]) throws(NaluError) {
        let (configuration, copy) = unsafe try record.withBytes(Self.readHEVC)
        try self.init(configuration, record: copy)
    }

    /// Returns the content of a record, and its bytes without those that follow it. Throws if a parameter set cannot be
    /// read.
    private static func readHEVC(
        _ record: UnsafeRawBufferPointer
    ) throws(NaluError) -> (HEVCConfiguration, [UInt8]) {
        let configuration = try unsafe HEVCConfiguration(reading: record)
        for unit in configuration.units(of: .sequenceParameterSet) {
            _ = try HEVCSequenceParameterSet(parsing: unit)
        }
        for unit in configuration.units(of: .pictureParameterSet) {
            _ = try HEVCPictureParameterSet(parsing: unit)
        }
        return (configuration, unsafe [UInt8](record.prefix(configuration.serialized().count)))
    }

    /// `record` is the serialized form of `configuration`.
    private convenience init(_ configuration: HEVCConfiguration, record: [UInt8]) throws(NaluError) {
        let sequence = try HEVCSequenceParameterSet(parsing: configuration.units(of: .sequenceParameterSet).first ?? [])
        let video = try configuration.units(of: .videoParameterSet).map { (unit) throws(NaluError) in
            try HEVCVideoParameterSet(parsing: unit)
        }
        var common = sequence
        if sequence.unitsInTick == 0, let own = video.first(where: { $0.id == sequence.videoParameterSetID }) {
            common.unitsInTick = own.unitsInTick
            common.timeScale = own.timeScale
        }
        self.init(
            codec: Self.hevc, lengthSize: configuration.lengthSize, sequence: common.common, hevcSequence: sequence,
            record: record, sets: configuration.parameterSets, extensions: [])
    }
}
