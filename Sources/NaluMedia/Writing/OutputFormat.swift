internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// The containers that can be written, and their abilities.
enum OutputFormat: String, CaseIterable {
    case mp4, mov, matroska, mpegts, flv, h264, hevc

    /// The name of libavformat's muxer.
    var muxerName: String { rawValue }

    var extensions: [String] {
        switch self {
        case .mp4: ["mp4", "m4v"]
        case .mov: ["mov", "qt"]
        case .matroska: ["mkv"]
        case .mpegts: ["ts", "m2t"]
        case .flv: ["flv"]
        case .h264: ["h264", "264", "avc"]
        case .hevc: ["h265", "265", "hevc"]
        }
    }

    /// Whether the container is mp4 or mov: with exact times, fragments and rotation.
    var isBaseMedia: Bool { self == .mp4 || self == .mov }

    /// Whether samples are Annex B with the parameter sets among them. Other containers store parameter sets once with
    /// the track.
    var isByteStream: Bool { self == .mpegts || isElementaryStream }

    /// Whether the output is a raw stream: samples follow each other without times.
    var isElementaryStream: Bool { self == .h264 || self == .hevc }

    /// Whether two successive samples may have the same decode time, as a result of rounding.
    var allowsEqualTimes: Bool { self == .matroska || self == .flv }

    /// Returns whether the container can store video of this codec.
    func takes(_ format: FormatDescription) -> Bool {
        switch self {
        case .mp4, .mov, .matroska, .mpegts: true
        case .flv, .h264: !format.isHEVC
        case .hevc: format.isHEVC
        }
    }

    /// Returns whether the container can store a copied track.
    func takes(_ track: PassedTrack) -> Bool {
        let codec = track.parameters.codec_id
        if isElementaryStream { return false }
        if self == .mpegts {
            // libavformat has no query for mpegts. These are the codecs that its muxer can write.
            return [
                AV_CODEC_ID_AAC, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3, AV_CODEC_ID_OPUS,
            ].contains(codec)
        }
        return unsafe avformat_query_codec(av_guess_format(muxerName, nil, nil), codec, FF_COMPLIANCE_NORMAL) == 1
    }

    var hasCreationTime: Bool { isBaseMedia || self == .matroska }

    static func named(_ name: String) throws(NaluError) -> OutputFormat {
        if let found = OutputFormat(rawValue: name) { return found }
        throw NaluError(
            .unsupportedDataFormat,
            "container is \"\(NaluError.excerpt(name))\"; expected \(allCases.map(\.rawValue).joined(separator: ", "))")
    }

    static func ofPath(_ path: String) throws(NaluError) -> OutputFormat {
        let file = path.split(separator: "/").last ?? ""
        if let dot = file.lastIndex(of: ".") {
            let name = file[file.index(after: dot)...].lowercased()
            if let found = allCases.first(where: { $0.extensions.contains(name) }) { return found }
        }
        let known = allCases.flatMap(\.extensions).map { ".\($0)" }.joined(separator: " ")
        throw NaluError(
            .parameter,
            "the extension of path \"\(NaluError.excerpt(path))\" selects no container; expected one of \(known), or the argument container"
        )
    }
}
