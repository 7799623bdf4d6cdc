internal import CFFmpeg
internal import Nalu
internal import NaluBase
internal import NaluBitstream

/// A track while it is read.
@safe
final class ReaderTrack {
    let index: Int
    let timeBase: TimeBase
    var facts: TrackFacts
    private(set) var maker: SampleMaker?
    /// Its packets go there as they are.
    var passing: (writer: Writer, track: PassedTrack)?
    /// For tracks whose packets have no times.
    private(set) var parsed: ParsedStream?
    private var decodeTimes: DecodeTimes?
    /// For containers that may leave out presentation times.
    private var missingTimes: MissingTimes?
    /// After a seek, until the track's next sample that decoding can begin with.
    var waitsForKey = false
    /// Packets have come, and with them all that shows what they are.
    var isKnown = false
    /// The packets that are presented, of those that were looked at first, or none yet where the edit list hides the first.
    var shownCount = 0
    var hidesFirst = false
    /// mp4, mov: whether the edit list hides samples that it cannot know, as it counts decode times.
    private var decodeTimesOnly: DecodeTimesOnly?
    /// When the first samples of video are shown.
    private var firstTimes: [Int64] = []
    /// The first decode time, or presentation time where there is none.
    var first: Int64 = 0
    /// Where the next packet probably is in the index.
    private var place: Int32 = 0
    /// How long the sample before lasts, and where the track ended when the last one of a fragment was measured.
    private var durationBefore: Int64 = 0
    private var endBefore: Int64 = -1
    /// Decode times and places of the samples at the end that the edit list hides.
    private var hiddenAtEnd: Set<[Int64]>?
    /// A packet that is shown has gone to a writer.
    var hasPassed = false
    /// The format descriptions that a client has been lent.
    private var lent: [FormatDescription] = []
    private let codec: VideoCodec?
    /// The parser has been given something.
    private var hasPushed = false
    private let options: ReaderOptions

    init(_ stream: UnsafeMutablePointer<AVStream>, index: Int, _ options: ReaderOptions) {
        self.index = index
        self.options = options
        timeBase = unsafe TimeBase(stream.pointee.time_base)
        unsafe facts = TrackFacts(stream)
        codec = unsafe facts.mediaType == 0x7669_6465 ? VideoCodec(stream.pointee.codecpar.pointee.codec_id) : nil
        unsafe configure(stream)
    }

    /// Of a raw stream.
    init(parsed: ParsedStream, _ facts: TrackFacts, _ options: ReaderOptions) {
        index = 0
        self.options = options
        timeBase = TimeBase(AVRational(num: 1, den: 1))
        self.facts = facts
        self.parsed = parsed
        codec = nil
    }

    /// Why it gives no samples though its codec is known; nil where that is not so.
    var damage: String? {
        guard codec != nil && !facts.isReadable else { return nil }
        return "track \(index) is \(facts.codecName), but its decoder configuration cannot be read"
    }

    /// From the codec configuration as it stands; in FLV it comes with the first packets.
    func configure(_ stream: UnsafeMutablePointer<AVStream>) {
        guard let codec, maker == nil || maker?.isUnconfigured == true, let parameters = unsafe stream.pointee.codecpar
        else {
            return
        }
        let configuration = unsafe UnsafeRawBufferPointer(
            start: parameters.pointee.extradata, count: Int(max(0, parameters.pointee.extradata_size)))
        let size = unsafe ContainerSize(width: Int(parameters.pointee.width), height: Int(parameters.pointee.height))
        maker = unsafe SampleMaker(codec, configuration: configuration, timeBase: timeBase, size: size)
        facts.isReadable = maker != nil
        facts.codec = maker != nil ? codec.rawValue : facts.codec
    }

    /// Whether the sound has shown what it is.
    private var isHeard = false

    /// Looks at a packet for facts that the container may not have.
    func learn(_ packet: UnsafeMutablePointer<AVPacket>, hasOwnFacts: Bool) {
        if facts.isReadable {
            if unsafe packet.pointee.pts != nalu_ff_no_time(), firstTimes.count < Self.mostTimes {
                unsafe firstTimes.append(packet.pointee.pts)
            }
            return
        }
        guard facts.mediaType == 0x736F_756E, !isHeard, !hasOwnFacts else { return }
        let bytes = unsafe UnsafeRawBufferPointer(start: packet.pointee.data, count: Int(max(0, packet.pointee.size)))
        guard let header = unsafe SoundHeader(bytes) else { return }
        isHeard = true
        facts.take(header)
    }

    /// mp4, mov: looks at one of the first packets of a track whose edit list hides the first.
    func compareOrder(_ packet: UnsafeMutablePointer<AVPacket>) {
        guard facts.isReadable, let maker, let depth = maker.format.map({ _ in maker.reorderDepth }), depth > 0 else {
            return
        }
        if decodeTimesOnly == nil { decodeTimesOnly = DecodeTimesOnly(depth: depth) }
        unsafe decodeTimesOnly?.add(packet, order: maker.placeAlone(packet))
    }

    /// After the first packets.
    func settleHidden() {
        guard let first = decodeTimesOnly?.firstHidden else {
            decodeTimesOnly = nil
            return
        }
        facts.startTime = timeBase.time(first)
    }

    func showHiddenByMistake(_ packet: UnsafeMutablePointer<AVPacket>) {
        guard unsafe packet.pointee.flags & AV_PKT_FLAG_DISCARD != 0, let decodeTimesOnly,
            unsafe decodeTimesOnly.hidesByMistake(packet)
        else { return }
        unsafe packet.pointee.flags &= ~AV_PKT_FLAG_DISCARD
    }

    /// Pictures or sound, whose times are known from the start on.
    var isTimed: Bool {
        (facts.isReadable || facts.mediaType == 0x736F_756E) && facts.startTime.isNumeric
    }

    private static let mostTimes = 16

    /// Nothing more is to be learnt of its packets.
    func isLearnt(hasOwnFacts: Bool) -> Bool {
        if facts.isReadable { return facts.nominalFrameRate > 0 || firstTimes.count >= Self.mostTimes }
        return hasOwnFacts || isHeard || (facts.isKnown && facts.mediaType != 0x736F_756E)
    }

    /// Frames a second by the times of the first samples; 0 where there are too few. Those that are shown early may still
    /// be missing among the last, so that only distances near the least one count.
    var seenFrameRate: Double {
        let times = firstTimes.sorted()
        let distances = zip(times.dropFirst(), times).map { $0 &- $1 }.filter { $0 > 0 }
        guard times.count >= 4, let least = distances.min() else { return 0 }
        let near = distances.filter { Double($0) < 1.5 * Double(least) + 1 }
        let seconds = Double(near.reduce(0, &+)) * Double(timeBase.numerator) / Double(timeBase.denominator)
        return seconds > 0 ? Double(near.count) / seconds : 0
    }

    /// mp4, mov: whether all samples have one decode time, so that their times say nothing.
    func hasNoDurations(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        let count = unsafe avformat_index_get_entries_count(stream)
        guard count > 1, let first = unsafe avformat_index_get_entry(stream, 0),
            let last = unsafe avformat_index_get_entry(stream, count - 1)
        else { return false }
        return unsafe first.pointee.timestamp == last.pointee.timestamp
    }

    private var isSecondFieldNext = false

    /// Whether a picture has no time, as where a packet of MPEG-PS or MPEG-TS holds several (ITU-T H.222.0 2.4.3.7). A second
    /// field needs none.
    func lacksTime(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
        let isSecondField = isSecondFieldNext
        isSecondFieldNext = unsafe !isSecondField && isFirstFieldAlone(packet)
        return unsafe !isSecondField && packet.pointee.pts == nalu_ff_no_time()
    }

    /// From here on libnalu's parser finds the pictures.
    func parse(_ stream: UnsafeMutablePointer<AVStream>) throws(NaluError) {
        parsed = try unsafe ParsedStream(codec: facts.codec, frameDuration: frameDuration(stream))
    }

    /// Gives the parser a packet. The parameter sets of the configuration come before the first.
    func push(_ packet: UnsafeMutablePointer<AVPacket>, to parsed: ParsedStream) throws(NaluError) {
        if !hasPushed {
            hasPushed = true
            let time = unsafe timeBase.time(packet.pointee.pts)
            for set in maker?.format?.parameterSets ?? [] {
                // The first picture begins here.
                try parsed.pushStartCode(time: time)
                try parsed.push(set)
            }
        }
        let bytes = unsafe UnsafeRawBufferPointer(start: packet.pointee.data, count: Int(max(0, packet.pointee.size)))
        guard let maker, !maker.isAnnexB else {
            return try unsafe parsed.push(bytes, time: timeBase.time(packet.pointee.pts))
        }
        try unsafe maker.check(bytes)
        try unsafe maker.forEachUnit(lengthPrefixed: bytes) { (unit) throws(NaluError) in
            try parsed.pushStartCode()
            try unsafe parsed.push(unit, time: MediaTime.invalid)
        }
    }

    var format: FormatDescription? { maker?.format ?? parsedFormat }

    /// Packets have come, and none had parameter sets.
    var waitsForSets: Bool { format == nil && shownCount > 0 }

    /// The format description of the last sample of a parsed stream.
    private var parsedFormat: FormatDescription?

    func note(formatOf sample: Sample) {
        parsedFormat = sample.formatDescription
    }

    /// For a client, to whom it lives as long as this track.
    func lendFormat() -> FormatDescription? {
        guard let format else { return nil }
        if !lent.contains(where: { $0 === format }) { lent.append(format) }
        return format
    }

    /// The last one whose size was found to be allowed.
    private var fittingFormat: FormatDescription?

    /// Refuses a picture that is too large.
    func checkSize(of sample: Sample) throws(NaluError) {
        let format = sample.formatDescription
        guard format !== fittingFormat else { return }
        try options.pictureLimit.check(format.sequence)
        fittingFormat = format
    }

    // MARK: - Samples

    /// The next packet of the track may have the second field of the frame whose first field this one has.
    func isFirstFieldAlone(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
        unsafe maker?.isFirstFieldAlone(packet) == true
    }

    /// Adds the second field, whose own times do not count, and empties its packet; false for another packet.
    func join(
        _ second: UnsafeMutablePointer<AVPacket>, to first: UnsafeMutablePointer<AVPacket>
    ) throws(NaluError) -> Bool {
        guard unsafe maker?.isSecondField(second) == true, let bytes = unsafe second.pointee.data else { return false }
        let size = unsafe first.pointee.size
        guard unsafe av_grow_packet(first, second.pointee.size) >= 0 else {
            throw NaluError(.allocationFailed, "no memory for a sample")
        }
        unsafe memcpy(first.pointee.data + Int(size), bytes, Int(second.pointee.size))
        unsafe first.pointee.flags |= second.pointee.flags & AV_PKT_FLAG_CORRUPT
        unsafe first.pointee.duration += second.pointee.duration
        unsafe av_packet_unref(second)
        return true
    }

    /// How many packets must be known before the first sample can be made.
    func lookahead(_ packet: UnsafeMutablePointer<AVPacket>) -> Int {
        guard unsafe packet.pointee.dts == nalu_ff_no_time(), let maker else { return 0 }
        if decodeTimes == nil { decodeTimes = DecodeTimes(depth: maker.reorderDepth) }
        return decodeTimes?.lookahead ?? 0
    }

    /// The sample of a packet; nil when there is none in it that is to be given out.
    ///
    /// - Parameter following: the presentation times of packets after it, if it wants a lookahead.
    func sample(
        of packet: UnsafeMutablePointer<AVPacket>, following: [Int64]
    ) throws(NaluError) -> Sample? {
        guard let maker else { return nil }
        var size = 0
        if let bytes = unsafe av_packet_get_side_data(packet, AV_PKT_DATA_NEW_EXTRADATA, &size) {
            unsafe maker.change(configuration: UnsafeRawBufferPointer(start: bytes, count: size))
        }
        if waitsForKey {
            guard unsafe packet.pointee.flags & AV_PKT_FLAG_KEY != 0 else { return nil }
            waitsForKey = false
        }
        let none = nalu_ff_no_time()
        let (presentation, decode) = unsafe (packet.pointee.pts, packet.pointee.dts)
        return try unsafe maker.make(packet) { (place) throws(NaluError) in
            var given = presentation == none ? nil : presentation
            if given == nil && decode != none && maker.reorderDepth == 0 { given = decode }
            if missingTimes != nil { given = missingTimes?.time(of: place, given: given) }
            guard let time = given else {
                throw NaluError(.badData, "a sample of track \(index) has no presentation time")
            }
            if decode != none { return (time, min(decode, time)) }
            return (time, min(decodeTimes?.next(time, following: following) ?? time, time))
        }
    }

    /// Works out the presentation times that the container leaves out.
    func countMissingTimes() {
        let frame = maker?.format?.usualFrameDuration ?? MediaTime(value: 1, timescale: 30)
        missingTimes = MissingTimes(
            frame: timeBase.units(frame) ?? 1)
        maker?.countsOrder = true
    }

    /// mp4, mov: says how long a sample lasts, which FFmpeg reports only for streams without reordering: until the
    /// decode time of the next one. The last one lasts to the end of the track. Where that makes no sense, as with an
    /// unknown duration of all ones, it lasts as long as the one before.
    func measure(
        _ packet: UnsafeMutablePointer<AVPacket>, _ stream: UnsafeMutablePointer<AVStream>, hasSegmentIndex: Bool
    ) {
        let time = unsafe packet.pointee.dts
        var duration = unsafe packet.pointee.duration
        if unsafe locate(time, stream) {
            if let next = unsafe avformat_index_get_entry(stream, place + 1) {
                if duration <= 0 { duration = unsafe next.pointee.timestamp &- time }
            } else {
                duration = unsafe lastDuration(time, stream, hasSegmentIndex)
            }
            place += 1
        }
        if duration <= 0 || duration > Int64(Int32.max) { duration = durationBefore }
        guard duration > 0 else { return }
        durationBefore = duration
        unsafe packet.pointee.duration = duration
    }

    /// Whether the index has a sample of that decode time; ``place`` is where.
    private func locate(_ time: Int64, _ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        if unsafe avformat_index_get_entry(stream, place)?.pointee.timestamp == time { return true }
        place = unsafe av_index_search_timestamp(stream, time, AVSEEK_FLAG_ANY | AVSEEK_FLAG_BACKWARD)
        if place >= 0, unsafe avformat_index_get_entry(stream, place)?.pointee.timestamp == time { return true }
        place = 0
        return false
    }

    /// Of the last sample that the index has.
    private func lastDuration(
        _ time: Int64, _ stream: UnsafeMutablePointer<AVStream>, _ hasSegmentIndex: Bool
    ) -> Int64 {
        let count = unsafe avformat_index_get_entries_count(stream)
        guard let first = unsafe avformat_index_get_entry(stream, 0)?.pointee.timestamp else { return 0 }
        let end = unsafe stream.pointee.duration
        guard unsafe Int64(count) > stream.pointee.nb_frames else { return first &+ end &- time }
        // A track of fragments ends where the last one so far does, counted from 0, but a segment index says where all do.
        let isNew = end != endBefore
        endBefore = end
        let duration = first > 0 ? end &- time : first &+ end &- time
        let isOwn = !hasSegmentIndex || durationBefore == 0 || duration <= 16 * durationBefore
        return isNew && isOwn ? duration : durationBefore
    }

    /// mp4, mov: whether samples are in fragments, for which libavformat's flags do not follow the edit list.
    func isFragmented(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        unsafe Int64(avformat_index_get_entries_count(stream)) > stream.pointee.nb_frames
    }

    /// mp4, mov: whether a sample is hidden by the end of the edit list, and nothing that is shown comes after it.
    func isBeyondEnd(_ packet: UnsafeMutablePointer<AVPacket>, _ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        guard unsafe packet.pointee.flags & AV_PKT_FLAG_DISCARD != 0 else { return false }
        if hiddenAtEnd == nil {
            var hidden: Set<[Int64]> = []
            var index = unsafe avformat_index_get_entries_count(stream) - 1
            while let entry = unsafe avformat_index_get_entry(stream, index),
                unsafe entry.pointee.flags & AVINDEX_DISCARD_FRAME != 0
            {
                unsafe hidden.insert([entry.pointee.timestamp, entry.pointee.pos])
                index -= 1
            }
            hiddenAtEnd = hidden
        }
        return unsafe hiddenAtEnd?.contains([packet.pointee.dts, packet.pointee.pos]) ?? false
    }

    /// What is said of times begins again, after a seek.
    func restart(_ source: PacketSource) {
        decodeTimes = nil
        if missingTimes != nil { countMissingTimes() }
        waitsForKey = false
        hasPushed = false
        endBefore = -1
        if parsed != nil, let stream = unsafe source.demuxer.track(index) {
            parsed = try? unsafe ParsedStream(codec: facts.codec, frameDuration: frameDuration(stream))
        }
    }

    /// Of a parsed stream whose parameter sets do not say it.
    private func frameDuration(_ stream: UnsafeMutablePointer<AVStream>) -> MediaTime {
        if options.frameDuration.value > 0 { return options.frameDuration }
        if let info = maker?.format?.sequence, info.unitsInTick > 0 { return .invalid }
        let rate = unsafe stream.pointee.avg_frame_rate
        return rate.num > 0 && rate.den > 0 ? MediaTime(value: Int64(rate.den), timescale: rate.num) : MediaTime.invalid
    }
}
