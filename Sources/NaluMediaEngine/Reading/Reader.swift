internal import CFFmpeg
package import Nalu
public import NaluBase
private import NaluBitstream
private import NaluLibc

/// Samples out of a container, a raw stream, or a client's functions.
///
/// `@unchecked Sendable`: the state is touched in turn only.
@safe
public final class Reader: @unchecked Sendable {
    let turn = Turn("reader")
    let signals: ReaderSignals
    let input: InputStream
    let options: ReaderOptions
    var packets: PacketSource?
    var raw: RawSource?
    var tracks: [ReaderTrack] = []
    /// The packet that was read last.
    let packet: Packet
    /// The failure after which nothing is read any more.
    var failure: NaluError?
    var hasBegun = false
    /// Samples that a parser has found in one packet, and what it found wrong.
    var ready: [(track: Int, sample: Result<Sample, NaluError>)] = []
    var isFlushed = false

    /// "mp4", "mov", "matroska", "mpegts", "flv", "h264", "hevc", or the first of FFmpeg's names.
    public let container: String
    private let containerPointer: UnsafePointer<CChar>
    var length = MediaTime.invalid

    // MARK: - Creation

    public convenience init(path: String, options: ReaderOptions) throws(NaluError) {
        try options.check()
        try FFmpegLibraries.load()
        let signals = ReaderSignals()
        try self.init(FileInput(path: path, signals: signals), signals, options)
    }

    public convenience init(input: CallbackInput, options: ReaderOptions) throws(NaluError) {
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
            container = codec == .h264 ? "h264" : "hevc"
            let raw = try RawSource(input, codec, options, signals)
            self.raw = raw
            tracks = [raw.track]
        case .contained(let format):
            let demuxer = try unsafe Demuxer(input, format, options, signals: signals)
            container = Self.name(demuxer)
            packets = PacketSource(demuxer, input)
        }
        packet = try Packet()
        guard let pointer = unsafe strdup(container) else {
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
        let first = tracks.first { $0.facts.isReadable && $0.facts.isDefault } ?? tracks.first { $0.facts.isReadable }
        first?.facts.isSelected = true
        applySelection()
    }

    /// What nobody wants is not even read.
    private func applySelection() {
        guard let packets else { return }
        for track in tracks {
            packets.demuxer.track(track.index)?.skip(!track.facts.isSelected && track.passing == nil)
        }
    }

    // MARK: - Facts

    /// From the first start of a track to the last end, or the duration of the longest one; invalid when not known.
    public var duration: MediaTime {
        get throws(NaluError) {
            try turn.taken { () throws(NaluError) in
                if container == "mpegts", length.isNumeric { return length }
                let known = tracks.map(\.facts.duration).filter { $0.isNumeric }
                guard let longest = known.max(by: { $0 < $1 }) else { return length }
                // With what is empty before the first sample. It is rounded, and the tracks' durations are not.
                let rest = length.seconds - longest.seconds
                return packets?.demuxer.isBaseMedia == true && rest > 0.001 ? length : longest
            }
        }
    }

    public var trackCount: Int {
        get throws(NaluError) {
            try turn.taken { () throws(NaluError) in tracks.count }
        }
    }

    /// ``container`` for C, which lives as long as the reader.
    public func lendContainer() throws(NaluError) -> UnsafePointer<CChar> {
        unsafe try turn.taken { () throws(NaluError) in unsafe containerPointer }
    }

    public func track(_ index: UInt32) throws(NaluError) -> TrackFacts {
        try turn.taken { () throws(NaluError) in try known(index).facts }
    }

    /// What the container says of a track beside its facts; nothing for a raw stream.
    public func sideData(track index: UInt32) throws(NaluError) -> TrackSideData {
        try turn.taken { () throws(NaluError) in
            let track = try known(index)
            guard let stream = packets?.demuxer.track(track.index) else { return TrackSideData() }
            return TrackSideData(stream)
        }
    }

    /// How many chapters the container has.
    public var chapterCount: Int {
        get throws(NaluError) {
            try turn.taken { () throws(NaluError) in packets?.demuxer.chapterCount ?? 0 }
        }
    }

    /// It lives as long as the reader. Nil where there is none.
    package func formatDescription(track index: UInt32) throws(NaluError) -> FormatDescription? {
        try turn.taken { () throws(NaluError) in
            let track = try known(index)
            return track.facts.isReadable ? track.lendFormat() : nil
        }
    }

    private func known(_ index: UInt32) throws(NaluError) -> ReaderTrack {
        guard Int(index) < tracks.count else {
            throw NaluError(
                .outOfRange,
                tracks.isEmpty
                    ? "track is \(index), but the input has none"
                    : "track is \(index); expected 0 to \(tracks.count - 1)")
        }
        return tracks[Int(index)]
    }

    public func select(track index: UInt32, _ isSelected: Bool) throws(NaluError) {
        try turn.taken { () throws(NaluError) in
            let track = try known(index)
            guard track.facts.isReadable || !isSelected else {
                throw NaluError(
                    .unsupportedDataFormat,
                    track.damage ?? "track \(index) is \(track.facts.codecName); expected H.264 or H.265 video")
            }
            guard !hasBegun else {
                throw NaluError(
                    .outOfOrder,
                    "samples have been read; expected \(options.face.selectTrack) before the first, or after \(options.face.seek)"
                )
            }
            track.facts.isSelected = isSelected
            applySelection()
        }
    }

    /// Has the packets of a track written as they are, from the next one on that the reader comes past.
    func pass(track index: UInt32, to writer: Writer) throws(NaluError) -> UInt32 {
        try turn.taken { () throws(NaluError) in
            let track = try known(index)
            guard !hasBegun else {
                throw NaluError(
                    .outOfOrder,
                    "samples have been read; expected \(options.face.addTrackFromReader) before the first")
            }
            guard track.facts.mediaType == 0x736F_756E || track.facts.mediaType == 0x7362_746C,
                let demuxer = packets?.demuxer, let stream = demuxer.track(track.index)
            else {
                throw NaluError(
                    .unsupportedDataFormat,
                    "track \(index) is \(track.facts.codecName); expected audio or subtitles, and \(options.face.addTrack) for video"
                )
            }
            guard !track.facts.isEncrypted else {
                throw NaluError(
                    .unsupportedDataFormat,
                    "track \(index) is encrypted, and nothing here has the key; expected a track that is not")
            }
            guard track.passing == nil else {
                throw NaluError(
                    .outOfOrder, "track \(index) is already copied to a writer; expected one call")
            }
            if track.facts.mediaType == 0x736F_756E && !demuxer.tellsOfSound {
                try demuxer.findStreamFacts(options.pictureLimit)
                applySelection()
            }
            guard track.facts.mediaType != 0x736F_756E || stream.parameters.sampleRate > 0 else {
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

    public var status: ReaderStatus { signals.status }

    /// Never waits.
    public func cancel() {
        signals.cancel()
    }

    // MARK: - Samples

    /// The next sample of the selected tracks; nil at the end.
    package func next() throws(NaluError) -> (track: UInt32, sample: Sample)? {
        try turn.taken { () throws(NaluError) in
            if let failure { throw failure }
            if signals.isCancelled { throw Demuxer.cancelled }
            try checkSelection()
            if signals.status == .unknown { signals.status = .reading }
            hasBegun = true
            do throws(NaluError) {
                let next = try nextInTurn()
                if let next { try tracks[Int(next.track)].checkSize(of: next.sample) }
                if next == nil { signals.status = packets?.endsEarly == true ? .failed : .completed }
                return next
            } catch {
                throw remembered(error)
            }
        }
    }

    func checkSelection() throws(NaluError) {
        if tracks.contains(where: { $0.facts.isSelected }) { return }
        if tracks.contains(where: { $0.facts.isReadable }) {
            throw NaluError(
                .outOfOrder, "no track is selected; expected \(options.face.selectTrack) first")
        }
        let found = tracks.isEmpty ? "no track" : tracks.map { $0.facts.codecName }.joined(separator: ", ")
        let damage = tracks.lazy.compactMap(\.damage).first
        throw NaluError(
            .unsupportedDataFormat, damage ?? "the input has \(found); expected a video track with H.264 or H.265")
    }

    /// Failures after which the input gives nothing more.
    func remembered(_ error: NaluError) -> NaluError {
        if error.status == .inputOutput || error.status == .allocationFailed {
            failure = error
            signals.status = .failed
        }
        return error
    }

    private func nextInTurn() throws(NaluError) -> (track: UInt32, sample: Sample)? {
        if let raw { return try raw.next().map { (0, $0) } }
        guard let packets else { return nil }
        while true {
            if !ready.isEmpty {
                let first = ready.removeFirst()
                // A client may have chosen others after a seek.
                guard tracks[first.track].facts.isSelected else { continue }
                return try (UInt32(first.track), first.sample.get())
            }
            packet.clear()
            guard try packets.next(packet) else {
                guard !isFlushed else { return nil }
                isFlushed = true
                for track in tracks where track.facts.isSelected { flush(track) }
                continue
            }
            let index = packet.streamIndex
            guard tracks.indices.contains(index) else { continue }
            let track = tracks[index]
            track.showHiddenByMistake(packet)
            let scheme = packet.encryption
            if scheme != 0 { track.facts.isEncrypted = true }
            if let (writer, passed) = track.passing {
                // Nothing in the copy would say that it is encrypted.
                if scheme != 0 { continue }
                if packets.demuxer.isBaseMedia, let stream = packets.demuxer.track(index) {
                    track.measure(packet, stream, hasSegmentIndex: packets.demuxer.hasSegmentIndex)
                    // Sound before the beginning is hidden again where it is written; what comes later cannot be.
                    if !packet.isHidden {
                        track.hasPassed = true
                    } else if track.hasPassed && !track.isFragmented(stream) {
                        continue
                    }
                }
                try writer.pass(packet, of: passed)
                continue
            }
            guard track.facts.isSelected else { continue }
            guard scheme == 0 else { throw Self.encrypted(index, scheme) }
            if let sample = try sample(of: track, packets) { return (UInt32(index), sample) }
        }
    }

    private static func encrypted(_ track: Int, _ scheme: UInt32) -> NaluError {
        let letters = (0..<4).map { UInt8(truncatingIfNeeded: scheme >> (24 - 8 * $0)) }
        let name = letters.allSatisfy { (0x20..<0x7F).contains($0) } ? String(decoding: letters, as: UTF8.self) : "?"
        return NaluError(
            .unsupportedDataFormat,
            "a sample of track \(track) is encrypted (\(name)), and nothing here has the key; expected a track that is not encrypted"
        )
    }

    func sample(of track: ReaderTrack, _ source: PacketSource) throws(NaluError) -> Sample? {
        if let parsed = track.parsed {
            try track.push(packet, to: parsed)
            take(from: parsed, track)
            return nil
        }
        if source.demuxer.isBaseMedia, let stream = source.demuxer.track(track.index) {
            if !options.keepsHidden && track.isBeyondEnd(packet, stream) { return nil }
            track.measure(packet, stream, hasSegmentIndex: source.demuxer.hasSegmentIndex)
        }
        if track.isFirstFieldAlone(packet) { try joinSecondField(track, source) }
        let lookahead = track.lookahead(packet)
        let following = lookahead > 0 ? try presentationTimes(after: track, lookahead - 1, source) : []
        let made: Sample?
        do throws(NaluError) {
            made = try track.sample(of: packet, following: following)
        } catch {
            // A time that no clock has is damage as well.
            throw error.status == .invalidTime ? NaluError(.badData, error.message) : error
        }
        guard let sample = made else { return nil }
        // A frame that the edit list does not show is of use only to those that refer to it.
        let attachments = sample.attachments
        if options.keepsHidden { return sample }
        return attachments.contains(.doNotDisplay) && !attachments.contains(.isDependedOnByOthers) ? nil : sample
    }

    /// A sample has both fields of a frame, whose packets some containers have apart.
    private func joinSecondField(_ track: ReaderTrack, _ source: PacketSource) throws(NaluError) {
        let first = packet
        let other = try Packet()
        for _ in 0..<Self.mostPackets {
            let isFound = try source.queue.withFirst(of: track.index) { (second) throws(NaluError) in
                try track.join(second, to: first)
            }
            guard isFound == nil, try source.readAhead(other) else { return }
            try source.queue.append(other)
        }
    }

    /// Of the packets that follow in a track, which are read ahead for it.
    private func presentationTimes(
        after track: ReaderTrack, _ count: Int, _ source: PacketSource
    ) throws(NaluError) -> [Int64] {
        var times: [Int64] = []
        let none = Packet.noTime
        source.queue.forEach { other in
            if other.streamIndex == track.index, other.presentation != none,
                times.count < count
            {
                times.append(other.presentation)
            }
        }
        let other = try Packet()
        var all = 0
        while times.count < count, all < 4 * Self.mostPackets, try source.readAhead(other) {
            all += 1
            if other.streamIndex == track.index,
                other.presentation != none
            {
                times.append(other.presentation)
            }
            try source.queue.append(other)
        }
        return times
    }

    private func take(from parsed: ParsedStream, _ track: ReaderTrack) {
        while true {
            do throws(NaluError) {
                guard let sample = try parsed.next() else { return }
                track.note(formatOf: sample)
                ready.append((track.index, .success(sample)))
            } catch {
                ready.append((track.index, .failure(error)))
            }
        }
    }

    private func flush(_ track: ReaderTrack) {
        guard let parsed = track.parsed else { return }
        parsed.finish()
        take(from: parsed, track)
    }
}
