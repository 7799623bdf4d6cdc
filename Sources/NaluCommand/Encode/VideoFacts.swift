internal import Nalu

/// The facts about the input that are known before its first frame.
struct VideoFacts {
    /// The earlier field of an interlaced frame.
    enum FieldOrder: String {
        case topFirst = "TemporalTopFirst"
        case bottomFirst = "TemporalBottomFirst"
    }

    var width: Int
    var height: Int
    /// The pixel format of the frames that the session receives.
    var format: PixelFormat
    /// Bits of a component in the stream; a pixel format may have room for more.
    var bitDepth = 8
    /// The layout of a frame in the file.
    var packing: FramePacking.Kind = .asItIs
    var frameRate: RationalFrameRate?
    var pixelAspectRatio: (horizontal: Int, vertical: Int)?
    /// True if the container states another pixel aspect ratio than the stream. It holds for all pictures.
    var hasAspectOfContainer = false
    /// chroma_sample_loc_type of ITU-T H.264 E.2.1; nil if the input does not state it.
    var chromaLocation: Int?
    /// The numbers of ITU-T H.273; 2 if the stream leaves one unspecified. Nil for a format that cannot state them.
    var color: (primaries: Int, transfer: Int, matrix: Int)?
    /// The field order; nil for progressive video.
    var fields: FieldOrder?
    /// The values of MasteringDisplayColorVolume in the order of the property; nil if the input has none.
    var masteringDisplay: [Double]?
    var contentLight: [Double]?

    /// The settings of a session for these facts.
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
        return list + signal
    }

    /// The settings of a session for the colours of the pictures.
    var signal: [(key: PropertyKey, value: PropertyValue?)] {
        // RGB is converted to YCbCr with the session's own matrix.
        SourceSettings.signal(
            primaries: color?.primaries, transfer: color?.transfer, matrix: format.isRGB ? nil : color?.matrix,
            chromaLocation: chromaLocation)
    }

    /// The chroma format as text, for example "4:2:2".
    var chroma: String {
        format.isRGB ? "RGB" : format.chromaColumns == 1 ? "4:4:4" : format.chromaRows == 1 ? "4:2:2" : "4:2:0"
    }
}

extension VideoFacts {
    /// Removes the metadata that the encoder with an identifier cannot write. Returns their names, as parts of a message.
    mutating func removeMetadata(lackingIn encoder: String?) -> [String] {
        guard let encoder else { return [] }
        func lacks(_ key: PropertyKey) -> Bool { PropertyCatalog.info(key)?.encoderIDs.contains(encoder) != true }
        var removed: [String] = []
        if masteringDisplay != nil, lacks(.masteringDisplayColorVolume) {
            masteringDisplay = nil
            removed.append("the mastering display (the encoder \(encoder) does not write it)")
        }
        if contentLight != nil, lacks(.contentLightLevelInfo) {
            contentLight = nil
            removed.append("the content light level (the encoder \(encoder) does not write it)")
        }
        return removed
    }

    /// The settings that follow from the input, as far as the encoder of that identifier has them.
    func properties(of encoder: String?) -> [(key: PropertyKey, value: PropertyValue?)] {
        guard let encoder else { return properties }
        return properties.filter {
            $0.key != .outputBitDepth || PropertyCatalog.info($0.key)?.encoderIDs.contains(encoder) == true
        }
    }
}
