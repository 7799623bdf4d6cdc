internal import CFFmpeg
public import Nalu
public import NaluBase
private import NaluBitstream
private import NaluLibc

/// Reads samples from a file or a stream: MP4, MOV, Matroska, MPEG-TS, FLV, raw H.264 and H.265, and any other format
/// that FFmpeg opens.
///
///     let reader = try Reader(path: "in.mp4")
///     while let (track, sample) = try reader.nextSample() {
///         ...
///     }
///
/// Any thread may call any function. Calls on one reader run one after the other, except ``cancel()`` and ``status``,
/// which never wait.
///
/// `@unchecked Sendable`: only the thread that has exclusive access uses the state.
@safe
public final class Reader: @unchecked Sendable {
    /// The status of a reader.
    public typealias Status = ReaderStatus

    /// A function that fills up to all of `bytes`. Returns the number of bytes (at least 1), 0 at the end, or a
    /// negative errno number.
    public typealias ReadFunction = @Sendable (_ bytes: UnsafeMutableRawBufferPointer) -> Int
    /// A function that sets the current position, in bytes from the beginning. Returns 0 or an errno number.
    public typealias SeekFunction = @Sendable (_ offset: Int64) -> Int32

    let access = ExclusiveAccess(to: "reader")
    let signals: ReaderSignals
    let input: InputStream
    let options: ReaderOptions
    var packets: PacketSource?
    var raw: RawSource?
    var demuxed: [DemuxedTrack] = []
    /// The packet that was read last.
    let packet: Packet
    /// The failure after which nothing is read any more.
    var failure: NaluError?
    var hasBegun = false
    /// Samples and errors that a parser has found in one packet.
    var ready = Queue<(track: Int, sample: Result<Sample, NaluError>)>()
    var isFlushed = false
    /// True if the client has received the error of a selected track that continues with another PID.
    var hasReportedReplacement = false
    /// During a replay, the packets of copied and decoded audio that are used afterwards; otherwise nil.
    var heldBack: [Packet]?

    /// The name of ``container``: "mp4", "mov", "matroska", "mpegts", "flv", "h264", "hevc", or FFmpeg's first name of
    /// the format.
    package let containerName: String
    private let containerPointer: UnsafePointer<CChar>
    var length = MediaTime.invalid

    // MARK: - Creation

    /// - Parameters:
    ///   - path: a file, pipe or device, or an address that begins with `http://`, `srt://`, `tcp://` or `udp://`.
    ///   - frameDuration: the frame duration of raw streams without timing information. If it is nil, and for other
    ///     streams, the stream's own is used.
    ///   - format: the format of an input whose content does not show it, such as a stream that begins in the middle: a
    ///     ``container``, or another name of a demuxer of FFmpeg. nil: the format is detected from the content.
    ///   - ignoresEditList: returns every sample of an MP4 or MOV, with the times of the media. By default a sample
    ///     that the edit list hides is returned only if displayed samples may refer to it, with
    ///     ``SampleAttachments/doNotDisplay``.
    ///   - spools: copies an MP4 or MOV with its index at the end to a temporary file, if `path` cannot seek, as a pipe
    ///     cannot. The file lies in the directory that `TMPDIR` names, or in /tmp.
    ///   - maximumPixelCount: the largest number of pixels in a picture before cropping. A sample with more is left out
    ///     with `.invalidSize`. nil: 35,651,584, the maximum of level 6.2.
    ///
    /// Throws `.inputOutput` if the file cannot be read; `.unsupportedDataFormat` if FFmpeg does not support its
    /// format; `.badData` if it is corrupt; `.invalidTime` if the frame duration is not more than 0; `.outOfRange` if
    /// `maximumPixelCount` is negative.
    public convenience init(
        path: String, frameDuration: MediaTime? = nil, format: String? = nil, ignoresEditList: Bool = false,
        spools: Bool = false, maximumPixelCount: Int? = nil
    ) throws(NaluError) {
        try self.init(
            path: path, options: Self.options(frameDuration, format, ignoresEditList, spools, maximumPixelCount))
    }

    /// Creates a reader that returns every sample with its presentation time. This includes samples that the edit list
    /// hides and that no displayed sample needs.
    package convenience init(inspecting path: String, format: String?) throws(NaluError) {
        var options = Self.options(nil, format, false, false, .max)
        options.keepsHidden = true
        try self.init(path: path, options: options)
    }

    /// Creates a reader that calls functions on the thread that reads. The functions are released with the reader.
    ///
    /// - Parameters:
    ///   - size: the number of bytes; nil if not known.
    ///   - seek: nil if the input cannot seek. An MP4 must then have its index in front, unless `spools` is true.
    ///
    /// Throws the errors of ``init(path:frameDuration:format:ignoresEditList:spools:maximumPixelCount:)``.
    public convenience init(
        size: Int? = nil, frameDuration: MediaTime? = nil, format: String? = nil, ignoresEditList: Bool = false,
        spools: Bool = false, maximumPixelCount: Int? = nil, read: @escaping ReadFunction, seek: SeekFunction? = nil
    ) throws(NaluError) {
        unsafe try self.init(
            input: CallbackInput(
                read: { unsafe Int64(read($0)) }, seek: seek, size: Int64(size ?? -1), destroy: {}),
            options: Self.options(frameDuration, format, ignoresEditList, spools, maximumPixelCount))
    }

    private static func options(
        _ frameDuration: MediaTime?, _ format: String?, _ ignoresEditList: Bool, _ spools: Bool,
        _ maximumPixelCount: Int?
    ) -> ReaderOptions {
        var options = ReaderOptions(spelling: Spelling.ofProcess)
        options.ignoresEditList = ignoresEditList
        options.spools = spools
        if let frameDuration { options.frameDuration = frameDuration }
        options.format = format
        options.maximumPixelCount = Int64(maximumPixelCount ?? 0)
        return options
    }

    package convenience init(path: String, options: ReaderOptions) throws(NaluError) {
        try options.check()
        try FFmpegLibraries.load()
        let signals = ReaderSignals()
        let input: any ByteInput
        if AddressInput.isAddress(path) {
            input = try AddressInput(address: path.withoutMarkedBytes, signals: signals)
        } else {
            input = try FileInput(path: path, signals: signals)
        }
        try self.init(input, signals, options)
    }

    package convenience init(input: CallbackInput, options: ReaderOptions) throws(NaluError) {
        try options.check()
        try FFmpegLibraries.load()
        try self.init(input, ReaderSignals(), options)
        input.isAdopted = true
    }

    private init(_ bytes: any ByteInput, _ signals: ReaderSignals, _ options: ReaderOptions) throws(NaluError) {
        self.signals = signals
        self.options = options
        let bytes = options.spools ? try SpooledInput.replacing(bytes) : bytes
        guard let input = InputStream(bytes, signals: signals) else {
            throw NaluError(.allocationFailed, "no memory for a reader")
        }
        self.input = input
        switch try InputFormat(of: input, options) {
        case .raw(let codec):
            containerName = codec == .h264 ? "h264" : "hevc"
            let raw = try RawSource(input, codec, options, signals)
            self.raw = raw
            demuxed = [raw.track]
        case .contained(let format):
            let demuxer = try Demuxer(input, format, options, signals: signals)
            containerName = Self.name(demuxer)
            packets = PacketSource(demuxer, input)
        }
        packet = try Packet()
        guard let pointer = unsafe strdup(containerName) else {
            throw NaluError(.allocationFailed, "no memory for a reader")
        }
        unsafe containerPointer = UnsafePointer(pointer)
        if let packets { try explore(packets) }
        selectFirst()
    }

    deinit {
        unsafe free(UnsafeMutablePointer(mutating: containerPointer))
    }

    private static func name(_ demuxer: Demuxer) -> String {
        if demuxer.isBaseMedia {
            guard let brand = demuxer.majorBrand else { return "mov" }
            return brand.hasPrefix("qt") ? "mov" : "mp4"
        }
        return String(demuxer.format.prefix { $0 != "," })
    }

    private func selectFirst() {
        let first = demuxed.first { $0.facts.isReadable && $0.facts.isDefault } ?? demuxed.first { $0.facts.isReadable }
        first?.facts.isSelected = true
        applySelection()
    }

    /// Makes the demuxer skip the packets of tracks that are neither selected nor copied.
    func applySelection() {
        guard let packets else { return }
        for track in demuxed {
            packets.demuxer.track(track.index)?.skip(
                !track.facts.isSelected && track.passing == nil && track.audioDecoder == nil)
        }
    }

    // MARK: - Facts

    /// The container of the input. A format that ``Container`` does not name has FFmpeg's first name.
    public var container: Container { Container(rawValue: containerName) }

    /// The presentation duration of the longest track; nil if not known.
    public var duration: MediaTime? {
        (try? currentDuration()).flatMap { $0.isNumeric ? $0 : nil }
    }

    public var tracks: [ReaderTrack] {
        let facts = (try? access.run { () throws(NaluError) in self.demuxed.map(\.facts) }) ?? []
        return facts.enumerated().map { ReaderTrack($0.element, index: $0.offset) }
    }

    /// The current format description of a readable track. It changes when parameter sets change within the stream. nil
    /// for other tracks, and until parameter sets have been read.
    public func formatDescription(ofTrack track: Int) -> FormatDescription? {
        (try? formatDescription(track: track)).flatMap { $0 }
    }

    /// Returns what the container states about a track beside its times and parameter sets.
    package func sideData(ofTrack track: Int) -> TrackSideData {
        (try? sideData(track: track)) ?? TrackSideData()
    }

    /// True if an mp4 or mov states a clean aperture (`clap`) that is smaller than the pictures of its track.
    package var hasCleanAperture: Bool {
        (try? access.run { () throws(NaluError) in packets?.demuxer.hasCleanAperture ?? false }) ?? false
    }

    /// The descriptions of the file that the container states; none for a raw stream.
    package var metadata: ContainerMetadata {
        (try? access.run { () throws(NaluError) in packets?.demuxer.metadata }).flatMap { $0 } ?? ContainerMetadata()
    }

    /// The number of chapters in the container.
    package var chapterCount: Int {
        (try? access.run { () throws(NaluError) in packets?.demuxer.chapterCount ?? 0 }) ?? 0
    }

    /// Returns whether the edit list of an MP4 or MOV displays several ranges of a track.
    package func displaysSeveralRanges(ofTrack index: Int) -> Bool {
        (try? access.run { () throws(NaluError) in try known(index).ranges != nil }) ?? false
    }

    /// Returns the time from the first start of a track to the last end, or the duration of the longest track; invalid
    /// if not known.
    package func currentDuration() throws(NaluError) -> MediaTime {
        try access.run { () throws(NaluError) in
            if containerName == "mpegts", length.isNumeric { return length }
            let known = demuxed.map(\.facts.duration).filter { $0.isNumeric }
            guard let longest = known.max(by: { $0 < $1 }) else { return length }
            // The file's duration includes the empty time before the first sample. It is rounded, and the tracks'
            // durations are not.
            let rest = length.seconds - longest.seconds
            return packets?.demuxer.isBaseMedia == true && rest > 0.001 ? length : longest
        }
    }

    package var trackCount: Int {
        get throws(NaluError) {
            try access.run { () throws(NaluError) in demuxed.count }
        }
    }

    /// Returns ``containerName`` as a C string that lives as long as the reader.
    package func lendContainer() throws(NaluError) -> UnsafePointer<CChar> {
        unsafe try access.run { () throws(NaluError) in unsafe containerPointer }
    }

    package func track(_ index: Int) throws(NaluError) -> TrackFacts {
        try access.run { () throws(NaluError) in try known(index).facts }
    }

    /// Returns what the container states about a track beside its properties; nothing for a raw stream.
    package func sideData(track index: Int) throws(NaluError) -> TrackSideData {
        try access.run { () throws(NaluError) in
            let track = try known(index)
            guard let stream = packets?.demuxer.track(track.index) else { return TrackSideData() }
            return TrackSideData(stream)
        }
    }

    /// Returns the other tracks except those of other programs of a transport stream.
    package func tracks(besidesTrack index: Int) -> [ReaderTrack] {
        let programs = (try? access.run { () throws(NaluError) in packets?.demuxer.programs ?? [] }) ?? []
        let own = programs.filter { $0.contains(index) }
        return tracks.filter { track in
            track.index != index
                && (own.isEmpty || own.contains { $0.contains(track.index) }
                    || !programs.contains { $0.contains(track.index) })
        }
    }

    /// Returns the format description of a track, which lives as long as the reader; nil if there is none.
    package func formatDescription(track index: Int) throws(NaluError) -> FormatDescription? {
        try access.run { () throws(NaluError) in
            let track = try known(index)
            return track.facts.isReadable ? track.lendFormat() : nil
        }
    }

    private func known(_ index: Int) throws(NaluError) -> DemuxedTrack {
        guard demuxed.indices.contains(index) else {
            throw NaluError(
                .outOfRange,
                demuxed.isEmpty
                    ? "track is \(index), but the input has none"
                    : "track is \(index); expected 0 to \(demuxed.count - 1)")
        }
        return demuxed[index]
    }

    /// Selects or deselects a track. ``nextSample()`` returns the samples of selected tracks. Initially one track is
    /// selected: the first readable track that is played by default, or otherwise the first readable track. This
    /// function must be called before the first sample or after a seek.
    ///
    /// Throws `.outOfRange` if there is no such track; `.unsupportedDataFormat` if it is not readable; `.outOfOrder` if
    /// samples have been read.
    public func select(track index: Int, _ isSelected: Bool = true) throws(NaluError) {
        try access.run { () throws(NaluError) in
            let track = try known(index)
            guard track.facts.isReadable || !isSelected else {
                throw NaluError(
                    .unsupportedDataFormat,
                    track.damage ?? "track \(index) is \(track.facts.codecName); expected H.264 or H.265 video")
            }
            guard !hasBegun else {
                throw NaluError(
                    .outOfOrder,
                    "samples have been read; expected \(options.spelling.selectTrack) before the first, or after \(options.spelling.seek)"
                )
            }
            track.facts.isSelected = isSelected
            applySelection()
        }
    }

    /// Copies the packets of a track to a writer unchanged, from the next packet that is read. Returns the track's
    /// number in the writer.
    func pass(track index: Int, to writer: Writer) throws(NaluError) -> Int {
        try access.run { () throws(NaluError) in
            let track = try known(index)
            guard !hasBegun else {
                throw NaluError(
                    .outOfOrder,
                    "samples have been read; expected \(options.spelling.addTrackFromReader) before the first")
            }
            guard track.facts.mediaType == 0x736F_756E || track.facts.mediaType == 0x7362_746C,
                let demuxer = packets?.demuxer, let stream = demuxer.track(track.index)
            else {
                throw NaluError(
                    .unsupportedDataFormat,
                    "track \(index) is \(track.facts.codecName); expected audio or subtitles, and \(options.spelling.addTrack) for video"
                )
            }
            guard !track.facts.isEncrypted else {
                throw NaluError(
                    .unsupportedDataFormat,
                    "track \(index) is encrypted, and Nalu cannot decrypt it; expected a track that is not")
            }
            guard track.passing == nil else {
                throw NaluError(.outOfOrder, "track \(index) is already copied to a writer; expected one call")
            }
            if track.facts.mediaType == 0x736F_756E && !demuxer.statesAudioFacts {
                try demuxer.findStreamFacts(options.pictureLimit)
                applySelection()
            }
            guard track.facts.mediaType != 0x736F_756E || stream.parameters.sample_rate > 0 else {
                throw NaluError(
                    .unsupportedDataFormat,
                    "track \(index) is declared as \(track.facts.codecName), but no packet at the beginning shows its sample rate; expected a track with packets"
                )
            }
            let passed = try PassedTrack(stream, language: track.facts.language)
            let number = try writer.addTrack(passed)
            track.passing = (writer, passed)
            applySelection()
            return number
        }
    }

    /// Decodes the packets of an audio track from the next one on. `body` receives the audio in the thread that reads
    /// samples.
    ///
    /// Throws `.unsupportedDataFormat` for a track that is not audio, is encrypted or has no decoder.
    package func decodeAudio(
        track index: Int, sampleRate: Int, _ body: @escaping @Sendable (DecodedAudioBlock) -> Void
    ) throws(NaluError) {
        try access.run { () throws(NaluError) in
            let track = try known(index)
            guard track.facts.mediaType == 0x736F_756E, !track.facts.isEncrypted, let demuxer = packets?.demuxer,
                let stream = demuxer.track(track.index)
            else {
                throw NaluError(
                    .unsupportedDataFormat,
                    "track \(index) is \(track.facts.codecName); expected audio that is not encrypted")
            }
            track.audioDecoder = try AudioDecoder(stream, sampleRate: sampleRate, body)
            applySelection()
        }
    }

    /// Whether the input can seek.
    package var canSeek: Bool { (try? access.run { () throws(NaluError) in input.input.canSeek }) ?? false }

    public var status: Status { signals.status }

    /// Makes the call in progress in another thread, and all later calls, throw `.cancelled`. Does not wait.
    public func cancel() {
        signals.cancel()
    }
}
