internal import ArgumentParser
internal import Nalu
internal import NaluBitstream

/// The options for facts that a stream does not contain.
struct StreamFramingOptions: ParsableArguments {
    @Flag(help: "Read the stream as Annex B, without detection.")
    var annexb = false

    @Option(
        help: ArgumentHelp("Read the stream as length-prefixed, with prefixes of 1, 2 or 4 bytes.", valueName: "bytes"))
    var lengthSize: Int?

    @Option(help: "The codec, for a stream without parameter sets.")
    var codec: VideoCodec?

    @Option(
        help: ArgumentHelp(
            "Read parameter sets and length size from this file, the content of an avcC box (H.264).", valueName: "file"
        ),
        completion: .file())
    var avcc: String?

    @Option(
        help: ArgumentHelp(
            "Read parameter sets and length size from this file, the content of an hvcC box (H.265).", valueName: "file"
        ),
        completion: .file())
    var hvcc: String?

    func validate() throws {
        if let lengthSize, ![1, 2, 4].contains(lengthSize) {
            throw ValidationError("--length-size is \(lengthSize); expected 1, 2 or 4")
        }
        if annexb, lengthSize != nil { throw ValidationError("--annexb and --length-size are both set; leave one out") }
        if avcc != nil, hvcc != nil { throw ValidationError("--avcc and --hvcc are both set; leave one out") }
        if avcc != nil, codec == .hevc {
            throw ValidationError("--avcc is for H.264, but --codec is h265; leave one out")
        }
        if hvcc != nil, codec == .h264 {
            throw ValidationError("--hvcc is for H.265, but --codec is h264; leave one out")
        }
    }

    var isGiven: Bool { annexb || lengthSize != nil || codec != nil || avcc != nil || hvcc != nil }

    /// Returns the parameter sets from the record of `--avcc` or `--hvcc`.
    func outsideSets() throws -> OutsideSets? {
        guard let path = avcc ?? hvcc else { return nil }
        let bytes = try SequentialInput(path: path).all(limit: 1 << 20)
        do throws(NaluError) {
            return avcc == nil
                ? OutsideSets(try HEVCConfiguration(reading: bytes)) : OutsideSets(try AVCConfiguration(reading: bytes))
        } catch {
            throw Failure("\(path): \(error.message)")
        }
    }

    /// Returns the framing and the codec that the options state; nil means to be detected.
    func stated(_ outside: OutsideSets?) -> (framing: StreamFraming?, codec: VideoCodec?) {
        let framing: StreamFraming? =
            annexb ? .annexB : (lengthSize ?? outside?.lengthSize).map { .lengthPrefixed($0) }
        return (framing, codec ?? outside?.codec)
    }
}

/// Parameter sets from outside a stream, in the record of an MP4 file, and its length size.
struct OutsideSets {
    let codec: VideoCodec
    let lengthSize: Int
    let units: [[UInt8]]

    init(_ record: AVCConfiguration) {
        codec = .h264
        lengthSize = record.lengthSize
        units = record.sequenceParameterSets + record.pictureParameterSets
    }

    init(_ record: HEVCConfiguration) {
        codec = .hevc
        lengthSize = record.lengthSize
        units = record.arrays.flatMap(\.units)
    }

    /// Creates the parameter sets of a track; nil if its samples contain them all.
    init?(_ format: FormatDescription) throws(NaluError) {
        if let record = format.avcCBytes {
            self.init(try AVCConfiguration(reading: record))
        } else if let record = format.hvcCBytes {
            self.init(try HEVCConfiguration(reading: record))
        } else {
            return nil
        }
    }
}
