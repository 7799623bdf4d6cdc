public import Nalu
internal import NaluMediaEngine

/// Reads samples from a file or a stream: MP4, MOV, Matroska, MPEG-TS, FLV, raw H.264 and H.265, and what else FFmpeg
/// opens.
///
///     let reader = try Reader(path: "in.mp4")
///     while let (track, sample) = try reader.nextSample() {
///         ...
///     }
///
/// Any thread may call any function. Calls on one reader run one after the other, apart from ``cancel()`` and
/// ``status``, which never wait.
public final class Reader: Sendable {
    /// Where reading stands.
    public enum Status: Int32, Sendable {
        /// Open; nothing read yet.
        case unknown = 0
        case reading = 1
        /// Every selected track is at its end.
        case completed = 2
        case failed = 3
        case cancelled = 4
    }

    /// Fills up to all of `bytes`, and returns how many (at least 1), 0 at the end, or a negative errno number.
    public typealias ReadFunction = @Sendable (_ bytes: UnsafeMutableRawBufferPointer) -> Int
    /// Sets the current position, in bytes from the beginning. Returns 0 or an errno number.
    public typealias SeekFunction = @Sendable (_ offset: Int64) -> Int32

    let engine: NaluMediaEngine.Reader

    /// - Parameters:
    ///   - frameDuration: of raw streams without timing information; else and by default the stream's own.
    ///   - format: for what its content does not show, such as a stream that begins in the middle: a ``container``, or
    ///     another name of a demuxer of FFmpeg; nil: as the content says.
    ///   - ignoresEditList: gives every sample of an MP4 or MOV, with the times of the media. By default a sample that
    ///     the edit list hides comes only where displayed ones may refer to it, with
    ///     ``SampleAttachments/doNotDisplay``.
    ///   - spools: copies an MP4 or MOV with its index at the end to a temporary file, in the folder that `TMPDIR` names or
    ///     in /tmp, where `path` cannot seek, as a pipe cannot.
    ///   - maximumPixelCount: the most pixels of a picture before cropping: a sample with more is left out with
    ///     `.invalidSize`. nil: 35,651,584, the most of level 6.2.
    ///
    /// Throws `.inputOutput` when the file cannot be read; `.unsupportedDataFormat` when it is nothing that FFmpeg knows;
    /// `.badData` when it is damaged; `.invalidTime` when the frame duration is not more than 0; `.outOfRange` when
    /// `maximumPixelCount` is negative.
    public init(
        path: String, frameDuration: MediaTime? = nil, format: String? = nil, ignoresEditList: Bool = false,
        spools: Bool = false, maximumPixelCount: Int? = nil
    ) throws(NaluError) {
        engine = try NaluMediaEngine.Reader(
            path: path, options: Self.options(frameDuration, format, ignoresEditList, spools, maximumPixelCount))
    }

    /// Gives every sample, with the times of presentation: also what the edit list hides and nothing displayed needs.
    package init(inspecting path: String, format: String?) throws(NaluError) {
        var options = Self.options(nil, format, false, false, .max)
        options.keepsHidden = true
        engine = try NaluMediaEngine.Reader(path: path, options: options)
    }

    /// From functions, which are called from the thread that reads, and let go with the reader.
    ///
    /// - Parameters:
    ///   - size: bytes in all; nil where not known.
    ///   - seek: nil when there is no seeking: an MP4 must then have its index in front, unless `spools` is true.
    ///
    /// Throws as ``init(path:frameDuration:format:ignoresEditList:spools:maximumPixelCount:)`` does.
    public init(
        size: Int? = nil, frameDuration: MediaTime? = nil, format: String? = nil, ignoresEditList: Bool = false,
        spools: Bool = false, maximumPixelCount: Int? = nil,
        read: @escaping ReadFunction, seek: SeekFunction? = nil
    ) throws(NaluError) {
        engine = unsafe try NaluMediaEngine.Reader(
            input: CallbackInput(
                read: { unsafe Int64(read($0)) }, seek: seek, size: Int64(size ?? -1), destroy: {}),
            options: Self.options(frameDuration, format, ignoresEditList, spools, maximumPixelCount))
    }

    private static func options(
        _ frameDuration: MediaTime?, _ format: String?, _ ignoresEditList: Bool, _ spools: Bool,
        _ maximumPixelCount: Int?
    ) -> NaluMediaEngine.ReaderOptions {
        var options = NaluMediaEngine.ReaderOptions(face: Caller.face)
        options.ignoresEditList = ignoresEditList
        options.spools = spools
        if let frameDuration { options.frameDuration = frameDuration }
        options.format = format
        options.maximumPixelCount = Int64(maximumPixelCount ?? 0)
        return options
    }

    /// What the input is; another one than those of ``Container`` has the first of FFmpeg's names.
    public var container: Container { Container(rawValue: engine.container) }

    /// The presentation duration of the longest track; nil if not known.
    public var duration: MediaTime? {
        (try? engine.duration).flatMap { $0.isNumeric ? $0 : nil }
    }

    public var tracks: [ReaderTrack] {
        (0..<((try? engine.trackCount) ?? 0)).compactMap { index in
            (try? engine.track(UInt32(index))).map { ReaderTrack($0, index: index) }
        }
    }

    /// The current format description of a readable track; it changes when parameter sets change within the stream. nil
    /// for other tracks, and until parameter sets have been read.
    public func formatDescription(ofTrack track: Int) -> FormatDescription? {
        (try? engine.formatDescription(track: UInt32(clamping: track))).flatMap { $0 }
    }

    /// What the container says of a track beside its times and parameter sets.
    package func sideData(ofTrack track: Int) -> TrackSideData {
        (try? engine.sideData(track: UInt32(clamping: track))).map { TrackSideData($0) } ?? TrackSideData()
    }

    /// How many chapters the container has.
    package var chapterCount: Int { (try? engine.chapterCount) ?? 0 }

    /// Selects or deselects a track: ``nextSample()`` returns the samples of selected tracks. At first one track is
    /// selected: the first readable one that is played by default, or else the first readable one. To be called before
    /// the first sample or after a seek.
    ///
    /// Throws `.outOfRange` when there is no such track; `.unsupportedDataFormat` when it is not readable;
    /// `.outOfOrder` when samples have been read.
    public func select(track: Int, _ isSelected: Bool = true) throws(NaluError) {
        try engine.select(track: UInt32(clamping: track), isSelected)
    }

    /// The next sample of the selected tracks, in the order of the file, which is decode order within a track; nil at
    /// the end. Presentation times have the edit list applied and are exact in the track's timescale.
    ///
    /// Throws `.badData` for a damaged sample that was left out and `.invalidSize` for one with too many pixels, and the
    /// next call continues after it; `.cancelled`;
    /// `.inputOutput` when reading failed, which is final.
    public func nextSample() throws(NaluError) -> (track: Int, sample: Sample)? {
        try engine.next().map { (Int($0.track), $0.sample) }
    }

    /// Moves to a time: the next sample is the last key frame of the first selected track that is presented at or
    /// before `time`, or else the first sample.
    ///
    /// Throws `.conflict` when the input cannot seek; `.invalidTime`; `.badData`; `.inputOutput`; `.cancelled`.
    public func seek(to time: MediaTime) throws(NaluError) {
        try engine.seek(to: time)
    }

    /// Makes the call in progress in another thread, and all later ones, throw `.cancelled`. Does not wait.
    public func cancel() {
        engine.cancel()
    }

    public var status: Status { Status(rawValue: engine.status.rawValue) ?? .unknown }
}
