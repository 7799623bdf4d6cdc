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
    /// ITU-T H.273's numbers; 2 where nothing is said.
    var color: (primaries: Int, transfer: Int, matrix: Int) = (2, 2, 2)
    /// nil: progressive.
    var fields: FieldOrder?

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
        return list + ColorNames.properties(primaries: color.primaries, transfer: color.transfer, matrix: color.matrix)
    }
}
