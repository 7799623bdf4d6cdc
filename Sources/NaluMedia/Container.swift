/// A container, by the name that ``Writer`` accepts and ``Reader`` returns.
public struct Container: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }

    /// ISO base media file, `.mp4` and `.m4v`. Times are exact.
    public static let mp4 = Container(rawValue: "mp4")
    /// QuickTime, `.mov` and `.qt`. Times are exact.
    public static let mov = Container(rawValue: "mov")
    /// Matroska, `.mkv`. Times are rounded to milliseconds.
    public static let matroska = Container(rawValue: "matroska")
    /// MPEG transport stream, `.ts` and `.m2t`. Times are rounded to 1/90000 s, and all are shifted by the same
    /// constant.
    public static let mpegTS = Container(rawValue: "mpegts")
    /// Flash video, `.flv`. Times are rounded to milliseconds.
    public static let flv = Container(rawValue: "flv")
    /// An H.264 stream in Annex B form, `.h264`, `.264` and `.avc`. Times are not stored.
    public static let h264 = Container(rawValue: "h264")

    /// An H.265 stream in Annex B form, `.h265`, `.265` and `.hevc`. Times are not stored.
    public static let hevc = Container(rawValue: "hevc")

    /// True for h264 and hevc, in which samples follow each other without a container.
    public var isElementaryStream: Bool { self == .h264 || self == .hevc }

    /// True for mp4 and mov, which can be fragmented, and store a rotation and any timescale.
    public var isBaseMedia: Bool { self == .mp4 || self == .mov }
}
