/// The information that a decoder needs before the first sample: codec, size, colour and parameter sets of a video
/// stream, or codec, rate and channels of an audio stream.
///
/// Immutable, independent of the session that created it, and usable from any thread. The pointers that it returns stay
/// valid as long as the object lives. The corresponding C type is `nalu_format_description`.
@safe
public final class FormatDescription: @unchecked Sendable {
    // `@unchecked Sendable`: nothing is written to `storage` or any other property after init.

    /// The codec's four-character code: 'avc1', 'hvc1' or 'aac '.
    public let codec: UInt32
    /// The size of the length prefixes in the samples: 1, 2 or 4 bytes; 0 for audio, which has none.
    public let lengthSize: Int
    /// The sample rate and channels of an audio stream; nil for video.
    public let audio: AudioFormat?
    /// The content of the first SPS. For H.265 it has the fields in common with H.264
    /// (``HEVCSequenceParameterSet/common``), and the time scale of the VPS if the SPS has none. Zeros for audio.
    public let sequence: SequenceParameterSet
    /// The content of the first SPS of an H.265 stream; nil for H.264.
    public let hevcSequence: HEVCSequenceParameterSet?

    /// The avcC or hvcC record or the AudioSpecificConfig, then the Annex B form of the parameter sets. This is one allocation that never moves,
    /// because C callers hold pointers into it.
    private let storage: UnsafeMutableRawBufferPointer
    private let recordSize: Int
    /// The ranges of the parameter sets in `storage`, in the order of `parameterSet(at:)`.
    private let ranges: [Range<Int>]
    /// The SPS extension NAL units, which an avcC record can contain.
    private let extensions: [[UInt8]]

    /// 'avc1', H.264 in length-prefixed form. The corresponding C constant is `NALU_CODEC_H264`.
    public static let h264: UInt32 = 0x6176_6331

    /// 'hvc1', H.265 in length-prefixed form. The corresponding C constant is `NALU_CODEC_HEVC`.
    public static let hevc: UInt32 = 0x6876_6331

    /// 'aac ', AAC-LC. The corresponding C constant is `NALU_CODEC_AAC`.
    public static let aac: UInt32 = 0x6161_6320

    /// Creates a description from H.264 parameter sets: NAL units with header byte, without start code, in any order.
    /// The bytes are copied. Size and colour are read from the first SPS.
    ///
    /// Throws `.parameter` if `lengthSize` is not 1, 2 or 4. Throws `.badData` if a NAL unit is neither SPS nor PPS, is
    /// longer than 65535 bytes or cannot be read, one kind is missing, or there are more than 31 SPS or 255 PPS. Throws
    /// `.unsupportedDataFormat` if the picture is larger than ``SequenceParameterSet/maximumDimension``.
    public convenience init(parameterSets: [[UInt8]], lengthSize: Int = 4) throws(NaluError) {
        let configuration = try AVCConfiguration(parameterSets: parameterSets, lengthSize: lengthSize)
        try self.init(configuration, record: configuration.serialized())
    }

    /// Creates the same description from memory that need not outlive the call. Throws as
    /// ``init(parameterSets:lengthSize:)-([[UInt8]],_)`` does.
    public convenience init(parameterSets: [UnsafeRawBufferPointer], lengthSize: Int = 4) throws(NaluError) {
        try self.init(parameterSets: unsafe Self.copies(of: parameterSets), lengthSize: lengthSize)
    }

    /// Creates a description of AAC from its AudioSpecificConfig (ISO/IEC 14496-3 1.6.2.1).
    package convenience init(aac configuration: [UInt8], _ audio: AudioFormat) {
        self.init(
            codec: Self.aac, lengthSize: 0, sequence: SequenceParameterSet(), hevcSequence: nil, audio: audio,
            record: configuration, sets: [], extensions: [])
    }

    static func copies(of parameterSets: [UnsafeRawBufferPointer]) throws(NaluError) -> [[UInt8]] {
        var copies: [[UInt8]] = []
        for index in unsafe parameterSets.indices {
            let unit = unsafe parameterSets[index]
            guard unit.count <= BitReader.maximumUnitSize else {
                throw NaluError(
                    .badData,
                    "parameter set \(index) has \(unit.count) bytes; expected at most \(BitReader.maximumUnitSize)"
                )
            }
            unsafe copies.append([UInt8](unit))
        }
        return copies
    }

    /// Creates a description from an AVCDecoderConfigurationRecord, the content of an MP4 `avcC` box (ISO/IEC 14496-15
    /// 5.3.3.1). The record is stored unchanged, without the bytes that follow it.
    ///
    /// Throws `.badData` if the record is cut off, its version is not 1, one kind of parameter set is missing, or a
    /// parameter set cannot be read. Throws `.unsupportedDataFormat` if the picture is larger than
    /// ``SequenceParameterSet/maximumDimension``.
    public convenience init(avcC record: UnsafeRawBufferPointer) throws(NaluError) {
        let (configuration, copy) = unsafe try Self.read(record)
        try self.init(configuration, record: copy)
    }

    /// Creates the same description from an array. Throws as ``init(avcC:)-(UnsafeRawBufferPointer)`` does.
    public convenience init(avcC record: [UInt8]) throws(NaluError) {
        let (configuration, copy) = unsafe try record.withBytes(Self.read)
        try self.init(configuration, record: copy)
    }

    /// Returns the content of a record, and its bytes without those that follow it. Throws if a parameter set cannot be
    /// read.
    private static func read(_ record: UnsafeRawBufferPointer) throws(NaluError) -> (AVCConfiguration, [UInt8]) {
        let configuration = unsafe try AVCConfiguration(reading: record)
        for unit in configuration.sequenceParameterSets {
            _ = try SequenceParameterSet(parsing: unit)
        }
        for unit in configuration.pictureParameterSets {
            _ = try PictureParameterSet(parsing: unit)
        }
        return (configuration, unsafe [UInt8](record.prefix(configuration.serialized().count)))
    }

    /// `record` is the serialized form of `configuration`.
    private convenience init(_ configuration: AVCConfiguration, record: [UInt8]) throws(NaluError) {
        self.init(
            codec: Self.h264, lengthSize: configuration.lengthSize,
            sequence: try SequenceParameterSet(parsing: configuration.sequenceParameterSets.first ?? []),
            hevcSequence: nil, record: record,
            sets: configuration.sequenceParameterSets + configuration.pictureParameterSets,
            extensions: configuration.highProfileFields?.sequenceParameterSetExtensions ?? [])
    }

    init(
        codec: UInt32, lengthSize: Int, sequence: SequenceParameterSet, hevcSequence: HEVCSequenceParameterSet?,
        audio: AudioFormat? = nil, record: [UInt8], sets: [[UInt8]], extensions: [[UInt8]]
    ) {
        let startCode: [UInt8] = [0, 0, 0, 1]
        var bytes = record
        var ranges: [Range<Int>] = []
        for set in sets {
            bytes += startCode
            ranges.append(bytes.count..<bytes.count + set.count)
            bytes += set
        }
        self.codec = codec
        self.lengthSize = lengthSize
        self.sequence = sequence
        self.hevcSequence = hevcSequence
        self.audio = audio
        self.extensions = extensions
        recordSize = record.count
        self.ranges = ranges
        unsafe storage = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        unsafe storage.copyBytes(from: bytes)
    }

    deinit {
        unsafe storage.deallocate()
    }
}

// MARK: - Size

extension FormatDescription {
    /// The picture's width after cropping, in pixels.
    public var width: Int { sequence.width }

    /// The picture's height after cropping, in pixels.
    public var height: Int { sequence.height }
}

// MARK: - Bytes that live as long as the object

extension FormatDescription {
    /// The number of parameter sets: at least 2, and 0 for audio.
    public var parameterSetCount: Int { ranges.count }

    /// Returns one parameter set: SPS first, then PPS; for H.265 VPS, SPS, PPS and SEI. Nil if `index` is not in
    /// 0..<parameterSetCount. Valid as long as the object lives.
    public func parameterSet(at index: Int) -> UnsafeRawBufferPointer? {
        guard ranges.indices.contains(index) else { return nil }
        return unsafe UnsafeRawBufferPointer(rebasing: storage[ranges[index]])
    }

    /// The AVCDecoderConfigurationRecord for an MP4 `avcC` box; nil for H.265. Valid as long as the object lives.
    public var avcC: UnsafeRawBufferPointer? {
        codec == Self.h264 ? unsafe record : nil
    }

    /// The HEVCDecoderConfigurationRecord for an MP4 `hvcC` box; nil for H.264. Valid as long as the object lives.
    public var hvcC: UnsafeRawBufferPointer? {
        codec == Self.hevc ? unsafe record : nil
    }

    /// The AudioSpecificConfig of AAC (ISO/IEC 14496-3 1.6.2.1); nil for video. Valid as long as the object lives.
    public var audioSpecificConfig: UnsafeRawBufferPointer? {
        codec == Self.aac ? unsafe record : nil
    }

    /// ``avcC``, ``hvcC`` or ``audioSpecificConfig``. Valid as long as the object lives.
    package var record: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: storage[..<recordSize])
    }

    /// Every parameter set after a 4-byte start code, in the order of ``parameterSet(at:)``. An Annex B stream needs
    /// these bytes before a key frame. Valid as long as the object lives.
    public var annexBParameterSets: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: storage[recordSize...])
    }
}

// MARK: - Bytes as arrays

extension FormatDescription {
    /// Copies of the parameter sets, in the order of ``parameterSet(at:)``.
    public var parameterSets: [[UInt8]] {
        ranges.map { range in unsafe [UInt8](storage[range]) }
    }

    /// A copy of ``avcC``.
    public var avcCBytes: [UInt8]? { unsafe avcC.map { unsafe [UInt8]($0) } }

    /// A copy of ``hvcC``.
    public var hvcCBytes: [UInt8]? { unsafe hvcC.map { unsafe [UInt8]($0) } }

    /// A copy of ``audioSpecificConfig``.
    public var audioSpecificConfigBytes: [UInt8]? { unsafe audioSpecificConfig.map { unsafe [UInt8]($0) } }

    /// A copy of ``annexBParameterSets``.
    public var annexBParameterSetBytes: [UInt8] { unsafe [UInt8](annexBParameterSets) }
}

// MARK: - Equality

extension FormatDescription: Hashable {
    /// Whether both describe the same stream byte for byte: codec, length size and parameter sets, or for audio the
    /// configuration.
    public static func == (a: FormatDescription, b: FormatDescription) -> Bool {
        a === b
            || (a.codec == b.codec && a.lengthSize == b.lengthSize && a.extensions == b.extensions
                && a.parameterSets == b.parameterSets && a.audio == b.audio
                && a.audioSpecificConfigBytes == b.audioSpecificConfigBytes)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(lengthSize)
        hasher.combine(parameterSets)
    }
}

extension FormatDescription: CustomStringConvertible {
    /// A text such as "avc1 1280x720, profile 100, level 31".
    public var description: String {
        if let audio { return "aac \(audio.sampleRate) Hz, channels: \(audio.channelCount)" }
        let name = codec == Self.h264 ? "avc1" : "hvc1"
        return "\(name) \(width)x\(height), profile \(sequence.profileIDC), level \(sequence.levelIDC)"
    }

    /// Throws `.unsupportedDataFormat` for audio.
    package func requireVideo() throws(NaluError) {
        guard audio == nil else {
            throw NaluError(.unsupportedDataFormat, "the format is \(self); expected a video format, 'avc1' or 'hvc1'")
        }
    }
}
