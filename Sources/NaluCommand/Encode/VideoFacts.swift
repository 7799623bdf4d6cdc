internal import Nalu

/// What is known of the input before its first frame.
struct VideoFacts {
    /// Which field of an interlaced frame is earlier.
    enum FieldOrder: String {
        case topFirst = "TemporalTopFirst"
        case bottomFirst = "TemporalBottomFirst"
    }

    var width: Int
    var height: Int
    /// What the session is given.
    var format: PixelFormat
    /// Bits of a component, as the stream has them; a pixel format may have room for more.
    var bitDepth = 8
    /// How the file has it.
    var packing: FramePacking.Kind = .asItIs
    var frameRate: FrameRate?
    var pixelAspectRatio: (horizontal: Int, vertical: Int)?
    /// chroma_sample_loc_type of ITU-T H.264 E.2.1; nil where the input does not say.
    var chromaLocation: Int?
    /// ITU-T H.273's numbers; 2 for what the stream leaves unspecified, nil for an input that cannot say it.
    var color: (primaries: Int, transfer: Int, matrix: Int)?
    /// nil: progressive.
    var fields: FieldOrder?
    /// In the order of the properties; nil where the input has none.
    var masteringDisplay: [Double]?
    var contentLight: [Double]?

    /// The settings that pass this to the session.
    var properties: [(key: PropertyKey, value: PropertyValue?)] {
        var list: [(key: PropertyKey, value: PropertyValue?)] = []
        if let frameRate {
            list.append((.expectedFrameRate, .double(frameRate.perSecond)))
        }
        if let ratio = pixelAspectRatio {
            list.append((.pixelAspectRatio, .numbers([Double(ratio.horizontal), Double(ratio.vertical)])))
        }
        if let fields {
            list.append((.fieldCount, 2))
            list.append((.fieldDetail, .string(fields.rawValue)))
        }
        if bitDepth > 8 { list.append((.outputBitDepth, 10)) }
        if let masteringDisplay { list.append((.masteringDisplayColorVolume, .numbers(masteringDisplay))) }
        if let contentLight { list.append((.contentLightLevelInfo, .numbers(contentLight))) }
        guard let color else { return list }
        return list + ColorNames.properties(primaries: color.primaries, transfer: color.transfer, matrix: color.matrix)
    }

    /// Options of x264 for what no property says, each with the property that takes its place.
    var x264Options: [(name: String, value: String, property: PropertyKey?)] {
        var list: [(name: String, value: String, property: PropertyKey?)] = []
        // Saying nothing means 0.
        if let chromaLocation, chromaLocation != 0 { list.append(("chromaloc", String(chromaLocation), nil)) }
        guard let color else { return list }
        // RGB becomes YCbCr, with the session's own matrix.
        let matrix = format.isRGB || color.matrix == 0 ? nil : color.matrix
        return list + ColorNames.options(primaries: color.primaries, transfer: color.transfer, matrix: matrix)
    }

    /// In words, for example "4:2:2".
    var chroma: String {
        format.isRGB ? "RGB" : format.chromaColumns == 1 ? "4:4:4" : format.chromaRows == 1 ? "4:2:2" : "4:2:0"
    }
}
