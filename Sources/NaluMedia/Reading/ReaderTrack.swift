public import Nalu

/// The properties of a track in a ``Reader``'s input.
public struct ReaderTrack: Sendable {
    /// The kind of media in a track.
    public enum MediaType: String, Sendable {
        case video, audio, subtitle, other
    }

    /// The number of the track, from 0.
    public let index: Int
    public let mediaType: MediaType
    /// The codec: 'avc1' or 'hvc1' as in ``FormatDescription/codec``; for other tracks the container's own code, or 0.
    public let codec: UInt32
    /// FFmpeg's name of the codec: "h264", "hevc", "aac", ...
    public let codecName: String
    /// True for H.264 and HEVC video, whose samples can be read.
    public let isReadable: Bool
    /// True if ``Reader/nextSample()`` returns the samples of the track.
    public let isSelected: Bool
    /// True if the file marks the track to be played by default.
    public let isDefault: Bool
    /// True if the samples are encrypted. ``Reader/nextSample()`` throws `.unsupportedDataFormat` for them. For audio,
    /// this is known after the first packet has been read.
    public let isEncrypted: Bool
    /// True for a file that Matroska stores beside the tracks, such as a font. Its type is ``MediaType/other``.
    package let isAttachment: Bool
    /// The size of the video in pixels, after cropping and before rotation; 0 for other tracks.
    public let width: Int
    public let height: Int
    /// The clockwise rotation with which players show the picture, in degrees: 0, 90, 180 or 270.
    public let rotation: Int
    /// True if players mirror the picture from left to right before they rotate it.
    public let isMirrored: Bool
    /// The pixel aspect ratio; 1 and 1 if not stated.
    public let pixelAspectRatio: (horizontal: Int, vertical: Int)
    /// The number of units per second in the track's times.
    public let timescale: Int
    /// The presentation time of the first sample; nil if not known.
    public let startTime: MediaTime?
    public let duration: MediaTime?
    /// The mean number of frames per second; nil if not known.
    public let nominalFrameRate: Double?
    /// The bit rate in bits per second; nil if not known.
    public let bitRate: Int?
    public let sampleCount: Int?
    /// The samples per second and the channels of audio; 0 for other tracks.
    public let sampleRate: Int
    public let channelCount: Int
    /// The language as an ISO 639-2 code; "und" if not known.
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
        isAttachment = facts.isAttachment
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
