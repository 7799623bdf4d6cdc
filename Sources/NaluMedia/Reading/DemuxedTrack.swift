internal import CFFmpeg
internal import Nalu
internal import NaluBase
internal import NaluBitstream

/// A track while it is read.
@safe
final class DemuxedTrack {
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

    init(_ stream: ContainerStream, index: Int, _ options: ReaderOptions) {
        self.index = index
        self.options = options
        timeBase = TimeBase(stream.timeBase)
        facts = TrackFacts(stream)
        codec = facts.mediaType == 0x7669_6465 ? VideoCodec(stream.parameters.codecID) : nil
        configure(stream)
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
    func configure(_ stream: ContainerStream) {
        guard let codec, maker == nil || maker?.isUnconfigured == true else { return }
        let parameters = stream.parameters
        let configuration = unsafe parameters.configuration
        let size = ContainerSize(width: Int(parameters.width), height: Int(parameters.height))
        maker = unsafe SampleMaker(codec, configuration: configuration, timeBase: timeBase, size: size)
        facts.isReadable = maker != nil
        facts.codec = maker != nil ? codec.rawValue : facts.codec
    }

    /// Whether the sound has shown what it is.
    private var isHeard = false

    /// Looks at a packet for facts that the container may not have.
    func learn(_ packet: Packet, hasOwnFacts: Bool) {
        if facts.isReadable {
            if packet.presentation != Packet.noTime, firstTimes.count < Self.mostTimes {
                firstTimes.append(packet.presentation)
            }
            return
        }
        guard facts.mediaType == 0x736F_756E, !isHeard, !hasOwnFacts else { return }
        let bytes = unsafe packet.bytes
        guard let header = unsafe SoundHeader(bytes) else { return }
        isHeard = true
        facts.take(header)
    }

    /// mp4, mov: looks at one of the first packets of a track whose edit list hides the first.
    func compareOrder(_ packet: Packet) {
        guard facts.isReadable, let maker, let depth = maker.format.map({ _ in maker.reorderDepth }), depth > 0 else {
            return
        }
        if decodeTimesOnly == nil { decodeTimesOnly = DecodeTimesOnly(depth: depth) }
        decodeTimesOnly?.add(packet, order: maker.placeAlone(packet))
    }

    /// After the first packets.
    func settleHidden() {
        guard let first = decodeTimesOnly?.firstHidden else {
            decodeTimesOnly = nil
            return
        }
        facts.startTime = timeBase.time(first)
    }

    func showHiddenByMistake(_ packet: Packet) {
        guard packet.isHidden, let decodeTimesOnly,
            decodeTimesOnly.hidesByMistake(packet)
        else { return }
        packet.isHidden = false
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
    func hasNoDurations(_ stream: ContainerStream) -> Bool {
        let count = stream.indexCount
        guard count > 1, let first = stream.indexEntry(0),
            let last = stream.indexEntry(count - 1)
        else { return false }
        return first.timestamp == last.timestamp
    }

    private var isSecondFieldNext = false

    /// Whether a picture has no time, as where a packet of MPEG-PS or MPEG-TS holds several (ITU-T H.222.0 2.4.3.7). A second
    /// field needs none.
    func lacksTime(_ packet: Packet) -> Bool {
        let isSecondField = isSecondFieldNext
        isSecondFieldNext = !isSecondField && isFirstFieldAlone(packet)
        return !isSecondField && packet.presentation == Packet.noTime
    }

    /// From here on libnalu's parser finds the pictures.
    func parse(_ stream: ContainerStream) throws(NaluError) {
        parsed = try ParsedStream(codec: facts.codec, frameDuration: frameDuration(stream))
    }

    /// Gives the parser a packet. The parameter sets of the configuration come before the first.
    func push(_ packet: Packet, to parsed: ParsedStream) throws(NaluError) {
        if !hasPushed {
            hasPushed = true
            let time = timeBase.time(packet.presentation)
            for set in maker?.format?.parameterSets ?? [] {
                // The first picture begins here.
                try parsed.pushStartCode(time: time)
                try parsed.push(set)
            }
        }
        let bytes = unsafe packet.bytes
        guard let maker, !maker.isAnnexB else {
            return try unsafe parsed.push(bytes, time: timeBase.time(packet.presentation))
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
    func isFirstFieldAlone(_ packet: Packet) -> Bool {
        maker?.isFirstFieldAlone(packet) == true
    }

    /// Adds the second field, whose own times do not count, and empties its packet; false for another packet.
    func join(
        _ second: Packet, to first: Packet
    ) throws(NaluError) -> Bool {
        guard maker?.isSecondField(second) == true else { return false }
        guard first.append(second) else { throw NaluError(.allocationFailed, "no memory for a sample") }
        return true
    }

    /// How many packets must be known before the first sample can be made.
    func lookahead(_ packet: Packet) -> Int {
        guard packet.decode == Packet.noTime, let maker else { return 0 }
        if decodeTimes == nil { decodeTimes = DecodeTimes(depth: maker.reorderDepth) }
        return decodeTimes?.lookahead ?? 0
    }

    /// The sample of a packet; nil when there is none in it that is to be given out.
    ///
    /// - Parameter following: the presentation times of packets after it, if it wants a lookahead.
    func sample(
        of packet: Packet, following: [Int64]
    ) throws(NaluError) -> Sample? {
        guard let maker else { return nil }
        if let configuration = unsafe packet.newConfiguration { unsafe maker.change(configuration: configuration) }
        if waitsForKey {
            guard packet.isKey else { return nil }
            waitsForKey = false
        }
        let none = Packet.noTime
        let (presentation, decode) = (packet.presentation, packet.decode)
        return try maker.make(packet) { (place) throws(NaluError) in
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
        _ packet: Packet, _ stream: ContainerStream, hasSegmentIndex: Bool
    ) {
        let time = packet.decode
        var duration = packet.duration
        if locate(time, stream) {
            if let next = stream.indexEntry(place + 1) {
                if duration <= 0 { duration = next.timestamp &- time }
            } else {
                duration = lastDuration(time, stream, hasSegmentIndex)
            }
            place += 1
        }
        if duration <= 0 || duration > Int64(Int32.max) { duration = durationBefore }
        guard duration > 0 else { return }
        durationBefore = duration
        packet.duration = duration
    }

    /// Whether the index has a sample of that decode time; ``place`` is where.
    private func locate(_ time: Int64, _ stream: ContainerStream) -> Bool {
        if stream.indexEntry(place)?.timestamp == time { return true }
        place = stream.indexNumber(atOrBefore: time)
        if place >= 0, stream.indexEntry(place)?.timestamp == time { return true }
        place = 0
        return false
    }

    /// Of the last sample that the index has.
    private func lastDuration(
        _ time: Int64, _ stream: ContainerStream, _ hasSegmentIndex: Bool
    ) -> Int64 {
        let count = stream.indexCount
        guard let first = stream.indexEntry(0)?.timestamp else { return 0 }
        let end = stream.duration
        guard Int64(count) > stream.frameCount else { return first &+ end &- time }
        // A track of fragments ends where the last one so far does, counted from 0, but a segment index says where all do.
        let isNew = end != endBefore
        endBefore = end
        let duration = first > 0 ? end &- time : first &+ end &- time
        let isOwn = !hasSegmentIndex || durationBefore == 0 || duration <= 16 * durationBefore
        return isNew && isOwn ? duration : durationBefore
    }

    /// mp4, mov: whether samples are in fragments, for which libavformat's flags do not follow the edit list.
    func isFragmented(_ stream: ContainerStream) -> Bool {
        Int64(stream.indexCount) > stream.frameCount
    }

    /// mp4, mov: whether a sample is hidden by the end of the edit list, and nothing that is shown comes after it.
    func isBeyondEnd(_ packet: Packet, _ stream: ContainerStream) -> Bool {
        guard packet.isHidden else { return false }
        if hiddenAtEnd == nil {
            var hidden: Set<[Int64]> = []
            var index = stream.indexCount - 1
            while let entry = stream.indexEntry(index),
                entry.flags & AVINDEX_DISCARD_FRAME != 0
            {
                hidden.insert([entry.timestamp, entry.pos])
                index -= 1
            }
            hiddenAtEnd = hidden
        }
        return hiddenAtEnd?.contains([packet.decode, packet.position]) ?? false
    }

    /// What is said of times begins again, after a seek.
    func restart(_ source: PacketSource) {
        decodeTimes = nil
        if missingTimes != nil { countMissingTimes() }
        waitsForKey = false
        hasPushed = false
        endBefore = -1
        if parsed != nil, let stream = source.demuxer.track(index) {
            parsed = try? ParsedStream(codec: facts.codec, frameDuration: frameDuration(stream))
        }
    }

    /// Of a parsed stream whose parameter sets do not say it.
    private func frameDuration(_ stream: ContainerStream) -> MediaTime {
        if options.frameDuration.value > 0 { return options.frameDuration }
        if let info = maker?.format?.sequence, info.unitsInTick > 0 { return .invalid }
        let rate = stream.averageFrameRate
        return rate.num > 0 && rate.den > 0 ? MediaTime(value: Int64(rate.den), timescale: rate.num) : MediaTime.invalid
    }
}
