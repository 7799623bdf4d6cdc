internal import CFFmpeg
internal import Nalu
internal import NaluBase
internal import NaluBitstream

/// A track that is being read.
final class DemuxedTrack {
    let index: Int
    let timeBase: TimeBase
    var facts: TrackFacts
    private(set) var maker: SampleMaker?
    /// The writer that receives the packets of the track unchanged, and the track there.
    var passing: (writer: Writer, track: PassedTrack)?
    /// The decoder of an audio track that is played; nil for other tracks.
    var audioDecoder: AudioDecoder?
    /// The parser of tracks whose packets have no usable times, such as raw streams.
    private(set) var parsed: ParsedStream?
    private var decodeTimes: DecodeTimes?
    /// The computation of presentation times for containers that may omit them.
    private var missingTimes: MissingTimes?
    /// True after a seek, until the track's next sample where decoding can begin.
    var waitsForKey = false
    /// True when packets have arrived that show all properties of the track.
    var isKnown = false
    /// The number of presented packets among the first ones. ``hidesFirst`` is true if the edit list hides packets
    /// before them.
    var shownCount = 0
    var hidesFirst = false
    /// mp4, mov: finds samples that the edit list hides by mistake, because they have decode times only.
    private var decodeTimesOnly: DecodeTimesOnly?
    /// The presentation times of the first video samples.
    private var firstTimes: [Int64] = []
    /// The first decode time, or the first presentation time if there is no decode time.
    var first: Int64 = 0
    /// The probable position of the next packet in the index.
    private var place: Int32 = 0
    /// The duration of the previous sample, and the end of the track when the last sample of a fragment was measured.
    private var durationBefore: Int64 = 0
    private var endBefore: Int64 = -1
    /// mp4, mov: the decode time of the last sample; nil after a seek.
    private var lastDecode: Int64?
    /// Whether the duration of the last packet is the distance to the next decode time in the index.
    private var isMeasured = false
    /// mp4, mov: the displayed ranges, if there are several.
    var ranges: EditRanges?
    /// The place of the last packet in ``ranges``.
    private var editPlace = EditPlace.single
    /// Decode times and byte offsets of the samples at the end that the edit list hides.
    private var hiddenAtEnd: Set<[Int64]>?
    /// True if a displayed packet has gone to a writer.
    var hasPassed = false
    /// The format descriptions that were lent to a client.
    private var lent: [FormatDescription] = []
    private let codec: VideoCodec?
    /// True if FFmpeg takes the codec for another one.
    private var isMistaken = false
    /// True if the parser has received bytes.
    private var hasPushed = false
    private var hasPushedKey = false
    private let options: ReaderOptions

    init(_ stream: ContainerStream, index: Int, _ options: ReaderOptions) {
        self.index = index
        self.options = options
        timeBase = TimeBase(stream.time_base)
        facts = TrackFacts(stream)
        codec = facts.mediaType == 0x7669_6465 ? VideoCodec(stream.parameters.codec_id) : nil
        configure(stream)
    }

    /// Creates the track of a raw stream.
    init(parsed: ParsedStream, _ facts: TrackFacts, _ options: ReaderOptions) {
        index = 0
        self.options = options
        timeBase = TimeBase(AVRational(num: 1, den: 1))
        self.facts = facts
        self.parsed = parsed
        codec = nil
    }

    /// Names the codec of a video track of an FLV in the form of enhanced RTMP.
    func adopt(_ enhanced: EnhancedFLV) {
        guard facts.mediaType == 0x7669_6465 else { return }
        isMistaken = facts.codecID != enhanced.id
        facts.codecID = enhanced.id
    }

    /// The reason why a track of a known codec has no samples; nil if it has samples or another codec.
    var damage: String? {
        if isMistaken {
            return
                "track \(index) is \(facts.codecName) in the form of enhanced RTMP, which the loaded FFmpeg cannot read; expected another container, to which FFmpeg 6.1 and newer copy it"
        }
        guard codec != nil && !facts.isReadable else { return nil }
        return "track \(index) is \(facts.codecName), but its decoder configuration cannot be read"
    }

    /// Creates the sample maker from the current codec configuration. In FLV the configuration arrives with the first
    /// packets.
    func configure(_ stream: ContainerStream) {
        guard let codec, maker == nil || maker?.isUnconfigured == true else { return }
        let parameters = stream.parameters
        maker = SampleMaker(
            codec, configuration: parameters.configuration, timeBase: timeBase, container: ContainerPicture(stream))
        facts.isReadable = maker != nil
        facts.codec = maker != nil ? codec.rawValue : facts.codec
    }

    /// True if an audio frame has shown the properties of the track.
    private var isHeard = false

    /// Examines a packet for properties that the container may not state.
    func learn(_ packet: Packet, hasOwnFacts: Bool) {
        if facts.isReadable {
            if packet.presentation != Packet.noTime, firstTimes.count < Self.mostTimes {
                firstTimes.append(packet.presentation)
            }
            return
        }
        guard facts.mediaType == 0x736F_756E, !isHeard, !hasOwnFacts else { return }
        guard let header = packet.withBytes({ AudioHeader($0) }) else { return }
        isHeard = true
        facts.take(header)
    }

    /// mp4, mov: examines one of the first packets of a track whose edit list hides the first ones.
    func compareOrder(_ packet: Packet) {
        guard facts.isReadable, let maker, let depth = maker.format.map({ _ in maker.reorderDepth }), depth > 0 else {
            return
        }
        if decodeTimesOnly == nil { decodeTimesOnly = DecodeTimesOnly(depth: depth) }
        decodeTimesOnly?.add(packet, order: maker.placeAlone(packet))
    }

    /// Corrects the start time if the edit list hides samples by mistake. The first packets must have been examined.
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

    /// True for video and audio whose start time is known.
    var isTimed: Bool {
        (facts.isReadable || facts.mediaType == 0x736F_756E) && facts.startTime.isNumeric
    }

    private static let mostTimes = 16

    /// Returns whether further packets show nothing new.
    func isLearnt(hasOwnFacts: Bool) -> Bool {
        if facts.isReadable { return facts.nominalFrameRate > 0 || firstTimes.count >= Self.mostTimes }
        return hasOwnFacts || isHeard || (facts.isKnown && facts.mediaType != 0x736F_756E)
    }

    /// The frames per second by the times of the first samples; 0 if there are too few. Samples that are displayed
    /// early may still be missing among the last ones, so only distances near the smallest one count.
    var seenFrameRate: Double {
        let times = firstTimes.sorted()
        let distances = zip(times.dropFirst(), times).map { $0 &- $1 }.filter { $0 > 0 }
        guard times.count >= 4, let least = distances.min() else { return 0 }
        let near = distances.filter { Double($0) < 1.5 * Double(least) + 1 }
        let seconds = Double(near.reduce(0, &+)) * Double(timeBase.numerator) / Double(timeBase.denominator)
        return seconds > 0 ? Double(near.count) / seconds : 0
    }

    /// mp4, mov: returns whether all samples have one decode time, which makes their times meaningless.
    func hasNoDurations(_ stream: ContainerStream) -> Bool {
        let count = stream.indexCount
        guard count > 1, let first = stream.indexEntry(0),
            let last = stream.indexEntry(count - 1)
        else { return false }
        return first.timestamp == last.timestamp
    }

    /// Whether pictures of the track can precede others in decode order and follow them in output order.
    var reorders: Bool { maker?.format != nil && maker.map { $0.reorderDepth > 0 } == true }

    private var isSecondFieldNext = false

    /// Returns whether a picture has no time. This occurs if a packet of MPEG-PS or MPEG-TS contains several pictures
    /// (ITU-T H.222.0 2.4.3.7). A second field needs no time.
    func lacksTime(_ packet: Packet) -> Bool {
        let isSecondField = isSecondFieldNext
        isSecondFieldNext = !isSecondField && isFirstFieldAlone(packet)
        return !isSecondField && packet.presentation == Packet.noTime
    }

    /// Whether the container's presentation times do not follow the output order, so that all times are counted from that
    /// of the first key frame on.
    private var countsAllTimes = false

    /// Switches to the parser of module Nalu, which finds the pictures from this packet on.
    ///
    /// - Parameter countsAllTimes: whether only the time of the first key frame is used.
    func parse(_ stream: ContainerStream, countsAllTimes: Bool = false) throws(NaluError) {
        self.countsAllTimes = countsAllTimes
        parsed = try ParsedStream(codec: facts.codec, frameDuration: frameDuration(stream))
    }

    /// Passes a packet to the parser. The parameter sets of the configuration precede the first packet.
    func push(_ packet: Packet, to parsed: ParsedStream) throws(NaluError) {
        // All pictures before the first key frame precede it in output order too, so its time is right.
        let isTimed = !countsAllTimes || packet.isKey && !hasPushedKey
        let time = isTimed ? timeBase.time(packet.presentation) : MediaTime.invalid
        hasPushedKey = hasPushedKey || packet.isKey
        if !hasPushed {
            hasPushed = true
            for set in maker?.format?.parameterSets ?? [] {
                // The first picture begins with this start code, which therefore carries the picture's time.
                try parsed.pushStartCode(time: time)
                try parsed.push(set.span)
            }
        }
        try packet.withBytes { (bytes) throws(NaluError) in
            guard let maker, !maker.isAnnexB else {
                return try parsed.push(bytes, time: time)
            }
            try maker.check(bytes)
            try maker.forEachUnit(in: bytes) { (unit) throws(NaluError) in
                try parsed.pushStartCode()
                try parsed.push(unit)
            }
        }
    }

    var format: FormatDescription? { maker?.format ?? parsedFormat }

    /// True if packets have arrived, but none of them had parameter sets.
    var waitsForSets: Bool { format == nil && shownCount > 0 }

    /// The format description of the last sample of a parsed stream.
    private var parsedFormat: FormatDescription?

    func note(formatOf sample: Sample) {
        parsedFormat = sample.formatDescription
    }

    /// Returns the format description for a client. It lives as long as this track.
    func lendFormat() -> FormatDescription? {
        guard let format else { return nil }
        if !lent.contains(where: { $0 === format }) { lent.append(format) }
        return format
    }

    /// The last format description whose picture size was allowed.
    private var fittingFormat: FormatDescription?

    /// Throws if the picture of a sample is too large.
    func checkSize(of sample: Sample) throws(NaluError) {
        let format = sample.formatDescription
        guard format !== fittingFormat else { return }
        try options.pictureLimit.check(format.sequence)
        fittingFormat = format
    }

    // MARK: - Samples

    /// Returns whether the packet has a first field whose second field may be in the next packet of the track.
    func isFirstFieldAlone(_ packet: Packet) -> Bool {
        maker?.isFirstFieldAlone(packet) == true
    }

    /// Appends the second field, whose presentation and decode times do not count, and empties its packet. Returns
    /// false for another packet.
    func join(
        _ second: Packet, to first: Packet
    ) throws(NaluError) -> Bool {
        guard maker?.isSecondField(second) == true else { return false }
        guard first.append(second) else { throw NaluError(.allocationFailed, "no memory for a sample") }
        return true
    }

    /// Returns the number of packets that must be known before the first sample can be made.
    func lookahead(_ packet: Packet) -> Int {
        guard packet.decode == Packet.noTime, let maker else { return 0 }
        if decodeTimes == nil { decodeTimes = DecodeTimes(depth: maker.reorderDepth) }
        return decodeTimes?.lookahead ?? 0
    }

    /// Returns the sample of a packet; nil if the packet has no sample to deliver.
    ///
    /// - Parameter following: the presentation times of later packets, if ``lookahead(_:)`` requires them.
    func sample(
        of packet: Packet, following: [Int64]
    ) throws(NaluError) -> Sample? {
        guard let maker else { return nil }
        if let configuration = packet.newConfiguration { maker.change(configuration: configuration) }
        if waitsForKey {
            guard packet.isKey else { return nil }
            waitsForKey = false
        }
        let none = Packet.noTime
        let (presentation, decode) = (packet.presentation, packet.decode)
        return try maker.make(packet, hasDecodeDuration: isMeasured, editPlace: editPlace) {
            (place) throws(NaluError) in
            var given = presentation == none ? nil : presentation
            if given == nil && decode != none && maker.reorderDepth == 0 { given = decode }
            if missingTimes != nil { given = missingTimes?.time(of: place, given: given) }
            guard let time = given else {
                // FFmpeg cuts Matroska at a CRA picture, and writes its leading pictures with times before 0, which
                // libavformat leaves out. They are not output (ITU-T H.265 8.1.3, NoRaslOutputFlag).
                if place?.isLeftOut == true { return nil }
                throw NaluError(.badData, "a sample of track \(index) has no presentation time")
            }
            if decode != none { return (time, min(decode, time)) }
            return (time, min(decodeTimes?.next(time, following: following) ?? time, time))
        }
    }

    /// Begins to compute the presentation times that the container omits.
    func countMissingTimes() {
        let frame = maker?.format?.usualFrameDuration ?? MediaTime(value: 1, timescale: 30)
        missingTimes = MissingTimes(frame: timeBase.units(frame) ?? 1)
        maker?.countsOrder = true
    }

    /// mp4, mov: sets the duration of a sample, which FFmpeg reports only for streams without reordering. The sample
    /// lasts until the next decode time, and the last sample until the end of the track. If this is not plausible, for
    /// example because the track's duration is unknown (all ones), the sample gets the duration of the previous one.
    func measure(
        _ packet: Packet, _ stream: ContainerStream, hasSegmentIndex: Bool
    ) {
        isMeasured = false
        let time = packet.decode
        var duration = packet.duration
        if locate(time, stream) {
            if let next = stream.indexEntry(place + 1) {
                if duration <= 0 { duration = next.timestamp &- time }
                isMeasured = duration == next.timestamp &- time
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

    /// Sets ``place`` to the position of the sample with this decode time in the index. Returns false if there is none.
    private func locate(_ time: Int64, _ stream: ContainerStream) -> Bool {
        if stream.indexEntry(place)?.timestamp == time { return true }
        place = stream.indexNumber(atOrBefore: time)
        if place >= 0, stream.indexEntry(place)?.timestamp == time { return true }
        place = 0
        return false
    }

    /// Returns the duration of the last sample in the index.
    private func lastDuration(
        _ time: Int64, _ stream: ContainerStream, _ hasSegmentIndex: Bool
    ) -> Int64 {
        let count = stream.indexCount
        guard let first = stream.indexEntry(0)?.timestamp else { return 0 }
        let end = stream.duration
        guard Int64(count) > stream.nb_frames else {
            // libavformat counts the duration of audio with an edit list from 0, without the encoder's priming, unless
            // the edit list does not end within the media.
            let isPrimed = facts.mediaType == 0x736F_756E && stream.start_time > first
            let isWithin = isPrimed && (durationBefore == 0 || end &- time <= durationBefore)
            return (isWithin ? 0 : first) &+ end &- time
        }
        // The stated duration of a fragmented track is the end of its last fragment so far, counted from 0. With a
        // segment index, it is the end of all fragments.
        let isNew = end != endBefore
        endBefore = end
        let duration = first > 0 ? end &- time : first &+ end &- time
        let isOwn = !hasSegmentIndex || durationBefore == 0 || duration <= 16 * durationBefore
        return isNew && isOwn ? duration : durationBefore
    }

    /// mp4, mov: sets the times, the duration and the place of a packet of a track with several displayed ranges.
    ///
    /// - Parameter times: returns the presentation times of the next packets, as many as its argument or fewer. The
    ///   time of a hidden packet is nil.
    /// - Returns: false for a hidden packet that no displayed one needs.
    func settle(
        _ packet: Packet, _ stream: ContainerStream, keepsHidden: Bool,
        times: (Int) throws(NaluError) -> [Int64?]
    ) throws(NaluError) -> Bool {
        guard var ranges else { return true }
        defer { self.ranges = ranges }
        guard let (number, entry, isFirst) = ranges.locate(packet, stream) else { return keepsHidden }
        place = entry
        measure(packet, stream, hasSegmentIndex: false)
        let part = ranges.parts[number]
        if part.kind == .nothing { return false }
        if entry > part.onlyShown ?? part.lastShown && !keepsHidden { return false }
        if entry == part.entries.lowerBound && (part.shift == nil || part.kind != .range) {
            // The earliest picture is among the first displayed ones in decode order.
            let known = try times(Int(part.lastShown - entry))
            let shown = zip(entry..., [packet.isHidden ? nil : packet.presentation] + known)
                .compactMap { number, time in time.map { (entry: number, time: $0) } }
                .prefix((maker?.reorderDepth ?? 0) + 1)
            if let least = shown.min(by: { $0.time < $1.time }), let start = timeBase.units(facts.startTime) {
                if part.shift == nil { ranges.set(shift: start &+ part.offset &- least.time, of: number) }
                if part.kind != .range { ranges.set(onlyShown: least.entry, of: number) }
            }
        }
        if case .picture(let duration) = part.kind, let onlyShown = ranges.parts[number].onlyShown {
            if entry == onlyShown { packet.duration = duration } else { packet.isHidden = true }
        }
        let shift = ranges.parts[number].shift ?? 0
        packet.presentation = packet.presentation &+ shift
        packet.decode = packet.decode &+ shift
        editPlace = isFirst ? .start : .inside
        return true
    }

    /// mp4, mov: moves the decode time of a sample whose presentation time the demuxer has corrected. If a fragment has a
    /// larger negative composition offset than those before it, its first decode times are one unit apart, so that they
    /// increase.
    func moveDecodeTime(_ packet: Packet, by shift: Int64) {
        guard packet.decode != Packet.noTime else { return }
        var moved = packet.decode &+ shift
        if shift < 0, let lastDecode, moved <= lastDecode { moved = lastDecode &+ 1 }
        packet.decode = moved
        lastDecode = moved
    }

    /// mp4, mov: returns whether the end of the edit list hides a sample and no displayed sample follows.
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

    /// Continues a track of a demuxer that was replaced, with the client's choices and what is known of the track.
    func resume(_ old: DemuxedTrack) {
        facts = old.facts
        (passing, audioDecoder, hasPassed, lent) = (old.passing, old.audioDecoder, old.hasPassed, old.lent)
        audioDecoder?.flush()
    }

    /// Resets everything that depends on times, after a seek.
    func restart(_ source: PacketSource) {
        decodeTimes = nil
        maker?.restart()
        if missingTimes != nil { countMissingTimes() }
        waitsForKey = false
        (hasPushed, hasPushedKey) = (false, false)
        endBefore = -1
        lastDecode = nil
        ranges?.restart()
        audioDecoder?.flush()
        if parsed != nil, let stream = source.demuxer.track(index) {
            parsed = try? ParsedStream(codec: facts.codec, frameDuration: frameDuration(stream))
        }
    }

    /// Returns the frame duration of a parsed stream; invalid if its parameter sets state one.
    private func frameDuration(_ stream: ContainerStream) -> MediaTime {
        if options.frameDuration.value > 0 { return options.frameDuration }
        if !countsAllTimes, let info = maker?.format?.sequence, info.unitsInTick > 0 { return .invalid }
        let rate = stream.avg_frame_rate
        return rate.num > 0 && rate.den > 0 ? MediaTime(value: Int64(rate.den), timescale: rate.num) : MediaTime.invalid
    }
}
