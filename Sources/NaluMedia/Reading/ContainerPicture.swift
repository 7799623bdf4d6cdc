internal import CFFmpeg
internal import Nalu
internal import NaluBase
internal import NaluBitstream

/// The size, shape and colour of a track's pictures that the container states, for parameter sets that lack them.
struct ContainerPicture {
    /// The size in pixels; 0 if unknown.
    private let width: Int
    private let height: Int
    private var signal = ContainerSignal()

    init(_ stream: ContainerStream) {
        let parameters = stream.parameters
        (width, height) = (Int(parameters.width), Int(parameters.height))
        // Matroska's ratio is in the stream, that of other containers in both.
        for ratio in [stream.sample_aspect_ratio, parameters.sample_aspect_ratio] where ratio.num > 0 && ratio.den > 0 {
            (signal.aspectHorizontal, signal.aspectVertical) = (Int(ratio.num), Int(ratio.den))
            break
        }
        signal.isFullRange = parameters.color_range == AVCOL_RANGE_JPEG
        // FFmpeg uses the numbers of ITU-T H.273.
        signal.colorPrimaries = Int(parameters.color_primaries.rawValue)
        signal.transferCharacteristics = Int(parameters.color_trc.rawValue)
        signal.matrixCoefficients = Int(parameters.color_space.rawValue)
        // FFmpeg's numbers of locations begin at 1; 0 means unspecified.
        signal.chromaLocation = max(0, Int(parameters.chroma_location.rawValue) - 1)
    }

    /// Returns parameter sets with what the container states. H.264 is cropped to the size of the container, if that is
    /// smaller only by a part of a macroblock on the right or at the bottom. Players and decoders follow the container
    /// in these cases. Other parameter sets are returned unchanged.
    func completing(_ units: [[UInt8]], _ codec: VideoCodec) -> [[UInt8]] {
        units.map { signal.completing(codec == .h264 ? cropped($0) : $0, codec: codec) }
    }

    private func cropped(_ unit: [UInt8]) -> [UInt8] {
        guard width > 0, height > 0, let first = unit.first,
            NALUnitHeader(rawValue: first).type == .sequenceParameterSet
        else { return unit }
        return unsafe unit.withUnsafeBytes { bytes in
            unsafe try? SequenceParameterSetEditor.crop(bytes, width: width, height: height)
        } ?? unit
    }

    /// Returns a format description with what the container states; the same object if nothing changes.
    func completing(_ format: FormatDescription) -> FormatDescription {
        let (codec, units): (VideoCodec, [[UInt8]]) = (format.isHEVC ? .hevc : .h264, format.parameterSets)
        let edited = completing(units, codec)
        guard edited != units else { return format }
        return (try? FormatDescription(codec, parameterSets: edited, lengthSize: format.lengthSize)) ?? format
    }
}
