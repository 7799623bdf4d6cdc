public import Nalu

/// What a ``Reader``'s input says about a track.
public struct ReaderTrack: Sendable {
    /// What a track holds.
    public enum MediaType: String, Sendable {
        case video, audio, subtitle, other
    }

    /// Its number, from 0.
    public let index: Int
    public let mediaType: MediaType
    /// 'avc1' or 'hvc1' as ``FormatDescription/codec`` has it; for other tracks the container's own code, or 0.
    public let codec: UInt32
    /// FFmpeg's name: "h264", "hevc", "aac", ...
    public let codecName: String
    /// H.264 or HEVC video: gives samples.
    public let isReadable: Bool
    /// ``Reader/nextSample()`` gives its samples.
    public let isSelected: Bool
    /// The file marks it to be played by default.
    public let isDefault: Bool
    /// Its samples are encrypted: ``Reader/nextSample()`` throws `.unsupportedDataFormat` for them. For sound this is
    /// known when the first packet is read.
    public let isEncrypted: Bool
    /// Pixels after cropping, before rotation; 0 for what is no video.
    public let width: Int
    public let height: Int
    /// By how many degrees players turn the picture clockwise: 0, 90, 180 or 270.
    public let rotation: Int
    /// Whether players mirror it from left to right, before they turn it.
    public let isMirrored: Bool
    /// 1 and 1 if not given.
    public let pixelAspectRatio: (horizontal: Int, vertical: Int)
    /// Units per second of its times.
    public let timescale: Int
    /// When its first sample is presented; nil if not known.
    public let startTime: MediaTime?
    public let duration: MediaTime?
    /// Mean frames per second; nil if not known.
    public let nominalFrameRate: Double?
    /// Bits per second; nil if not known.
    public let bitRate: Int?
    public let sampleCount: Int?
    /// Audio: samples per second, and channels; else 0.
    public let sampleRate: Int
    public let channelCount: Int
    /// ISO 639-2; "und" if not known.
    public let language: String

    init(_ facts: TrackFacts, index: Int) {
        self.index = index
        mediaType =
            switch facts.mediaType {
            case 0x7669_6465: .video
            case 0x736F_756E: .audio
            case 0x7362_746C: .subtitle
            default: .other
            }
        codec = facts.codec
        codecName = facts.codecName
        isReadable = facts.isReadable
        isSelected = facts.isSelected
        isDefault = facts.isDefault
        isEncrypted = facts.isEncrypted
        width = Int(facts.width)
        height = Int(facts.height)
        rotation = Int(facts.transform.rotation)
        isMirrored = facts.transform.isMirrored
        pixelAspectRatio = (Int(facts.pixelAspect.horizontal), Int(facts.pixelAspect.vertical))
        timescale = Int(facts.timescale)
        startTime = facts.startTime.isNumeric ? facts.startTime : nil
        duration = facts.duration.isNumeric ? facts.duration : nil
        nominalFrameRate = facts.nominalFrameRate > 0 ? facts.nominalFrameRate : nil
        bitRate = facts.bitRate > 0 ? Int(facts.bitRate) : nil
        sampleCount = facts.sampleCount > 0 ? Int(clamping: facts.sampleCount) : nil
        sampleRate = Int(facts.sampleRate)
        channelCount = Int(facts.channelCount)
        language = facts.language
    }
}
