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

    /// Whether the size, chroma format and bit depth of the pictures can change within a track.
    var allowsOtherPictures: Bool { isByteStream || self == .flv }

    /// Throws if the container cannot store pictures of one format after those of another.
    func checkPictures(from format: FormatDescription, to other: FormatDescription) throws(NaluError) {
        guard !allowsOtherPictures, !format.picturesAreLike(other) else { return }
        throw NaluError(
            .unsupportedDataFormat,
            "the pictures change from \(format.pictures) to \(other.pictures), which a track of \(self) cannot express; expected a new file, or mpegts, flv, h264 or hevc"
        )
    }

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
        // libavformat's query says nothing about mpegts, and names codecs that other muxers refuse when they begin.
        switch self {
        case .h264, .hevc: return false
        case .mpegts:
            return [
                AV_CODEC_ID_AAC, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3, AV_CODEC_ID_OPUS,
            ].contains(codec)
        case .mov where [AV_CODEC_ID_FLAC, AV_CODEC_ID_OPUS, AV_CODEC_ID_TRUEHD].contains(codec): return false
        case .flv where Self.flvRates(codec)?.contains(track.parameters.sample_rate) == false: return false
        case .mp4, .mov, .matroska, .flv:
            let muxer = unsafe av_guess_format(muxerName, nil, nil)
            return unsafe avformat_query_codec(muxer, codec, FF_COMPLIANCE_NORMAL) == 1
        }
    }

    /// Returns the sample rates of a codec that FLV can state (Adobe Flash Video File Format 10.1, E.4.2.1); nil if the
    /// codec's own data states the rate. MP3 at 48 kHz is stored as 44.1 kHz, because its frames state the rate too.
    private static func flvRates(_ codec: AVCodecID) -> [Int32]? {
        switch codec {
        case AV_CODEC_ID_MP3: [11025, 22050, 44100, 48000]
        case AV_CODEC_ID_SPEEX: [16000]
        case AV_CODEC_ID_PCM_U8, AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_S16BE, AV_CODEC_ID_PCM_ALAW,
            AV_CODEC_ID_PCM_MULAW, AV_CODEC_ID_ADPCM_SWF, AV_CODEC_ID_NELLYMOSER:
            [5512, 8000, 11025, 16000, 22050, 44100]
        default: nil
        }
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
