internal import Nalu
internal import NaluBase

/// The times that a sample states.
struct SampleTimes {
    let presentation: MediaTime
    let decode: MediaTime
    let duration: MediaTime
}

/// Converts samples' times to a container's units. Repairs or refuses times that the container cannot store.
struct TrackTimes {
    /// A sample's times in units of the container.
    struct UnitTimes {
        let presentation: Int64
        let decode: Int64
        let duration: Int64
        /// The duration that the sample itself states; nil if it states none.
        let own: Int64?
        var isRepaired = false
        var isMoved = false
    }

    /// The track's unit in mp4 and mov, in which times are exact; nil until ``settle(_:)``, and in other containers.
    private(set) var clock: TrackClock?
    /// The container's unit in seconds: numerator / denominator.
    var unit: (numerator: Int32, denominator: Int32) = (1, 1)
    private let container: OutputFormat
    private let startsAtZero: Bool
    /// The time that becomes 0, even if samples precede it; invalid if the client chose none.
    private let wantedOrigin: MediaTime
    /// The presentation time of the first sample in decode order.
    private let first: MediaTime
    /// The time that is subtracted from all times: the earliest presentation time if presentation begins at 0.
    private(set) var origin = MediaTime(value: 0, timescale: 1)
    /// The earliest presentation time of the first samples.
    private var earliest: MediaTime
    /// Whether the first sample is hidden, so that presentation begins with another one.
    private let beginsHidden: Bool
    private let sumsUp: Bool
    private let repairs: Bool
    private let timescale: Int
    /// The decode time of the previous sample, as the client stated it.
    var lastDecode: MediaTime?
    private var last: UnitTimes?
    /// The numbers of samples whose decode time or presentation time was changed.
    private(set) var repairedCount: Int = 0
    private(set) var movedCount: Int = 0
    /// The decode time at which the track's media begin.
    private var firstDecode: Int64 = 0
    /// The time from the first decode time to the first presentation time.
    private var delay: Int64 = 0
    /// The time between the last two decode times.
    private var distance: Int64 = 0
    /// The presentation time of the last displayed picture, and its duration if its sample states one.
    private var latest: (presentation: Int64, duration: Int64?)?
    /// The first presentation time in decode order, and the earliest one.
    private var shown: (first: Int64, earliest: Int64)?
    /// Whether the earliest picture is a key frame other than the first sample.
    private var beginsAtLaterKey = false
    /// The frame duration of the stream's timing, for a last sample that has neither a duration nor a predecessor.
    private let frameDuration: MediaTime

    /// Creates the times from the first sample of the track.
    ///
    /// In a fragmented file every written duration assumes that its sample is the last one: all durations together last
    /// from the first presentation to the end of the last displayed picture. With reordering that picture is not the
    /// last sample, and fragments store its end nowhere else.
    init(
        _ first: SampleTimes, _ container: OutputFormat, _ track: TrackOptions, _ options: WriterOptions,
        frameDuration: MediaTime, isHidden: Bool, wantedOrigin: MediaTime = MediaTime.invalid
    ) {
        self.wantedOrigin = wantedOrigin
        sumsUp = options.isFragmented
        startsAtZero = options.startAtZero || wantedOrigin.isNumeric
        repairs = options.repairsTimes
        timescale = track.timescale
        self.container = container
        self.first = first.presentation
        earliest = first.presentation
        self.frameDuration = frameDuration
        beginsHidden = isHidden
    }

    /// The number of later samples that must be known before a sample is placed.
    var lookahead: Int { repairs ? Self.mostReordered : 0 }

    /// The most frames that may precede another one in decode order and follow it in display order (ITU-T H.264 A.3.1,
    /// H.265 A.4.2).
    private static let mostReordered = 16

    /// Returns whether the first sample does not determine the track's unit, because its times are whole seconds.
    func needsSecond(_ first: SampleTimes) -> Bool {
        container.isBaseMedia && timescale == 0
            && [first.presentation, first.decode, first.duration].allSatisfy {
                !$0.isNumeric || $0.value % Int64($0.timescale) == 0
            }
    }

    /// Returns whether pictures that are presented before the first sample may follow. Presentation begins with the
    /// earliest of them. In decode order such pictures precede every picture that is presented later.
    func needsLeading(_ samples: [SampleTimes]) -> Bool {
        guard startsAtZero || !beginsHidden && (container.isBaseMedia || container == .matroska) else { return false }
        // Times that no container can store are refused at once.
        return first.seconds.magnitude < 1e9 && samples.count <= Self.mostReordered
            && !samples.contains { $0.presentation > first }
    }

    /// Chooses the unit and the origin from the samples that are known before the first is written.
    ///
    /// - Parameter passedStart: the earliest known time of a track that is copied from a reader.
    mutating func settle(_ samples: [SampleTimes], passedStart: MediaTime?) throws(NaluError) {
        for sample in samples where sample.presentation < earliest {
            earliest = sample.presentation
        }
        // ISO base media has no negative times: the edit list would hide samples before 0.
        if wantedOrigin.isNumeric {
            origin = wantedOrigin
        } else if startsAtZero || container.isBaseMedia && !beginsHidden && earliest.value < 0 {
            origin = earliest
        } else if container == .matroska, let passedStart, passedStart.value < 0, passedStart < earliest {
            // An edit list hides audio before 0. Matroska has none, and FFmpeg reads no time from a block before 0
            // (matroskadec.c, matroska_parse_block).
            origin = passedStart
        }
        guard container.isBaseMedia, let last = samples.last else { return }
        guard let clock = clock(for: samples) else {
            throw NaluError(
                .invalidTime,
                "the \(samples.count == 1 ? "first sample" : "sample")'s presentation time \(TrackClock.text(last.presentation)), decode time \(TrackClock.text(last.decode)) and duration \(TrackClock.text(last.duration)) have no common timescale up to 2147483647; expected times that have one"
            )
        }
        self.clock = clock
        unit = (1, clock.timescale)
    }

    private func clock(for samples: [SampleTimes]) -> TrackClock? {
        guard timescale == 0 else { return TrackClock(timescale: Int32(timescale)) }
        return TrackClock(
            for: samples.flatMap { [$0.presentation, $0.decode, $0.duration] }, atLeast: repairs ? Self.finestRepair : 1
        )
    }

    /// The coarsest unit of repaired times, 1/1000 s. Repairs move times by one unit, which must be much shorter than a
    /// frame.
    private static let finestRepair: Int32 = 1000

    /// The most units from a decode time to its presentation time. If a file that is not fragmented has more, FFmpeg
    /// ignores all these offsets (mov.c, mov_read_ctts), and presents every picture at its decode time.
    private var mostOffset: Int64 { sumsUp ? Int64(Int32.max) : 1 << 28 }

    var beginsAtOrAfterZero: Bool { startsAtZero || earliest >= origin }

    /// Throws for times that a decoder or the container cannot use.
    func check(_ given: SampleTimes) throws(NaluError) {
        guard given.presentation.isNumeric, given.decode.isNumeric else {
            throw NaluError(
                .invalidTime,
                "the sample's presentation time is \(TrackClock.text(given.presentation)) and its decode time \(TrackClock.text(given.decode)); expected numeric times"
            )
        }
        guard given.presentation.epoch == first.epoch, given.decode.epoch == first.epoch else {
            throw NaluError(
                .invalidTime,
                "the sample's time has epoch \(given.presentation.epoch); expected \(first.epoch), that of the first sample"
            )
        }
        if given.duration.isNumeric && given.duration.value < 0 {
            throw NaluError(
                .invalidTime,
                "the sample's duration is \(TrackClock.text(given.duration)); expected 0 or more")
        }
        if clock != nil { _ = try units(given.presentation, "presentation time") }
        if !repairs { try checkOrder(given) }
    }

    private func checkOrder(_ given: SampleTimes) throws(NaluError) {
        guard given.decode <= given.presentation else {
            throw NaluError(
                .invalidTime,
                "the sample's decode time \(TrackClock.text(given.decode)) is after its presentation time \(TrackClock.text(given.presentation)); expected it before or at the same time"
            )
        }
        if let lastDecode, lastDecode >= given.decode {
            throw NaluError(
                .invalidTime,
                "the sample's decode time is \(TrackClock.text(given.decode)) after \(TrackClock.text(lastDecode)); expected samples in decode order"
            )
        }
    }

    /// Returns the times of the sample in the container's units.
    ///
    /// - Parameter following: the known presentation times of the samples after it.
    func unitTimes(of given: SampleTimes, following: [MediaTime]) throws(NaluError) -> UnitTimes {
        if container.isElementaryStream {
            // The output has no times, but the muxer requires growing ones.
            let number = last.map { $0.decode + 1 } ?? 0
            return UnitTimes(presentation: number, decode: number, duration: 1, own: nil)
        }
        let begin = try begin()
        let shown = try moved(given.presentation, begin, "presentation time")
        var presentation = shown
        let wanted = try repairs ? movedRoughly(given.decode, begin) : moved(given.decode, begin, "decode time")
        var decode = wanted
        let most = Int64(Int32.max)
        if repairs {
            decode = repaired(wanted, presentation, following.compactMap { try? moved($0, begin, "presentation time") })
            let limit = presentation + Int64(unit.denominator) / Int64(unit.numerator)
            guard decode <= limit else {
                throw NaluError(
                    .invalidTime,
                    "the sample's presentation time \(TrackClock.text(given.presentation)) is more than a second before the decode time of the previous sample; expected a later one"
                )
            }
            presentation = max(presentation, decode)
        }
        let distance = last.map { decode - $0.decode } ?? 0
        // A duration of 0 counts as none, because the frame would be invisible.
        var own =
            given.duration.isNumeric && given.duration.value > 0 ? try duration(given.duration) : nil
        if repairs, let said = own, clock != nil, said > most { own = nil }
        var duration = own ?? (last == nil ? 0 : distance)
        // Tables of ISO base media store differences in 32 bits, and FFmpeg computes with a sign.
        guard clock == nil || presentation - decode <= mostOffset else {
            throw NaluError(
                .invalidTime,
                "the sample's presentation time \(TrackClock.text(given.presentation)) is more than \(mostOffset) units of 1/\(unit.denominator) s after its decode time \(TrackClock.text(given.decode)), which FFmpeg cannot read; expected less, times with a smaller timescale, \(sumsUp ? "or a smaller options.timescale" : "a smaller options.timescale, or a fragmented file")"
            )
        }
        guard clock == nil || (distance <= most && duration <= most) else {
            throw NaluError(
                .invalidTime,
                "the sample's decode time \(TrackClock.text(given.decode)) is more than 2147483647 units of 1/\(unit.denominator) s from that of the previous sample, or the sample lasts longer; expected less, or a smaller options.timescale"
            )
        }
        guard last == nil || distance > 0 || (distance == 0 && container.allowsEqualTimes) else {
            throw NaluError(
                .invalidTime,
                "the sample's decode time \(TrackClock.text(given.decode)) equals that of the previous sample in \(container)'s units of \(unit.numerator)/\(unit.denominator) s; expected a later time"
            )
        }
        if sumsUp {
            let delay = last == nil ? presentation - decode : self.delay
            let final = later(presentation, own)
            let end = final.presentation + (final.duration ?? usual(distance))
            duration = min(max(end - decode - delay, 0), most)
        }
        return UnitTimes(
            presentation: presentation, decode: decode, duration: duration, own: own, isRepaired: decode != wanted,
            isMoved: presentation != shown)
    }

    /// Returns a decode time after the previous one, and early enough for the presentation times of this sample and of
    /// its successors. Each successor needs its own decode time. If there is no room for both, the result is after the
    /// previous one.
    private func repaired(_ decode: Int64, _ presentation: Int64, _ following: [Int64]) -> Int64 {
        let step: Int64 = container.allowsEqualTimes ? 0 : 1
        var latest = presentation
        for (number, time) in following.enumerated() { latest = min(latest, time - step * Int64(number + 1)) }
        let placed = min(decode, latest)
        return last.map { max(placed, $0.decode + step) } ?? placed
    }

    mutating func accept(_ times: UnitTimes, isKeyFrame: Bool) {
        if last == nil {
            delay = times.presentation - times.decode
            firstDecode = times.decode
        }
        distance = last.map { times.decode - $0.decode } ?? 0
        latest = later(times.presentation, times.own)
        if let shown, times.presentation < shown.earliest { beginsAtLaterKey = isKeyFrame }
        shown = (shown?.first ?? times.presentation, min(shown?.earliest ?? times.presentation, times.presentation))
        last = times
        if times.isRepaired { repairedCount += 1 }
        if times.isMoved { movedCount += 1 }
    }

    /// Returns the later of a sample and the last displayed sample, by presentation time.
    private func later(_ presentation: Int64, _ duration: Int64?) -> (presentation: Int64, duration: Int64?) {
        if let latest, latest.presentation > presentation { return latest }
        return (presentation, duration)
    }

    /// The duration to write with the last sample, so that presentation ends with the last displayed picture.
    var finalDuration: Int64 {
        guard let last, let latest else { return 0 }
        let left = latest.presentation + (latest.duration ?? usual(distance)) - last.presentation
        guard let own = last.own else { return min(max(left, 0), Int64(Int32.max)) }
        return latest.duration == nil ? max(own, min(left, Int64(Int32.max))) : own
    }

    /// Returns the duration of a last sample that states none: that of the previous sample, or the usual one of the
    /// stream.
    private func usual(_ distance: Int64) -> Int64 {
        if distance > 0 { return distance }
        let units = TrackClock.rounded(frameDuration, numerator: unit.numerator, denominator: unit.denominator)
        return max(units ?? 1, 1)
    }

    /// Returns the edit list that displays only this span; nil if the muxer's own edit list is right.
    func editList(_ displayed: DisplayedSpan) throws(NaluError) -> EditList? {
        guard displayed.hasHidden, let start = displayed.start else { return leadingEditList }
        let begin = try begin()
        let first = try moved(start, begin, "presentation time")
        let last = try moved(displayed.last, begin, "presentation time")
        var end = last + usual(distance)
        if let known = displayed.end { end = try moved(known, begin, "presentation time") }
        return EditList(delay: max(first, 0), duration: end - first, mediaTime: first - firstDecode)
    }

    /// The edit list that begins with the earliest picture; nil if that is the first sample. The muxer's edit list
    /// begins with the first sample in decode order, and would hide pictures that are presented earlier.
    private var leadingEditList: EditList? {
        guard let shown, let latest, shown.earliest < shown.first else { return nil }
        let end = latest.presentation + (latest.duration ?? usual(distance))
        if beginsAtLaterKey {
            // Players begin to decode at the last key frame before an edit, and would skip samples that precede it in
            // decode order. Key frames out of order have wrong times, so nothing is left out of the media.
            let start = max(firstDecode, 0)
            return EditList(delay: start, duration: end - start, mediaTime: start - firstDecode)
        }
        return EditList(
            delay: max(shown.earliest, 0), duration: end - shown.earliest, mediaTime: shown.earliest - firstDecode)
    }

    /// Returns the edit list of a fragmented file, which is written before the duration is known. The first sample must
    /// have its place.
    func fragmentedEditList() throws(NaluError) -> EditList? {
        guard let shown, !beginsHidden else { return nil }
        let start = try moved(earliest, try begin(), "presentation time")
        guard start < shown.first else { return nil }
        return EditList(delay: max(start, 0), duration: nil, mediaTime: start - firstDecode)
    }

    private func begin() throws(NaluError) -> Int64 {
        // In other containers ``moved(_:_:_:)`` subtracts the origin.
        origin.value == 0 || clock == nil ? 0 : try units(origin, "presentation time")
    }

    private func moved(_ time: MediaTime, _ begin: Int64, _ name: StaticString) throws(NaluError) -> Int64 {
        // The difference is rounded once, after the subtraction.
        if clock == nil, origin.value != 0 {
            return try units((time - origin), name)
        }
        return try units(time, name) - begin
    }

    /// Returns a decode time in units, rounded if times are repaired.
    private func movedRoughly(_ time: MediaTime, _ begin: Int64) throws(NaluError) -> Int64 {
        guard let clock else { return try moved(time, begin, "decode time") }
        if let whole = clock.exact(time) { return whole - begin }
        guard let near = TrackClock.rounded(time, numerator: 1, denominator: clock.timescale) else {
            return try units(time, "decode time") - begin
        }
        return near - begin
    }

    private func duration(_ time: MediaTime) throws(NaluError) -> Int64 {
        guard repairs, clock != nil else { return try units(time, "duration") }
        return TrackClock.rounded(time, numerator: unit.numerator, denominator: unit.denominator) ?? .max
    }

    private func units(_ time: MediaTime, _ name: StaticString) throws(NaluError) -> Int64 {
        let value: Int64?
        if let clock {
            value = clock.exact(time)
        } else if time.isNumeric {
            value = TrackClock.rounded(time, numerator: unit.numerator, denominator: unit.denominator)
        } else {
            value = nil
        }
        // FFmpeg adds and subtracts times without a check for overflow.
        if let value, value.magnitude <= 1 << 61 { return value }
        throw NaluError(
            .invalidTime,
            "the sample's \(name) \(TrackClock.text(time)) is not a whole number of units of \(unit.numerator)/\(unit.denominator) s; expected such a time, or another options.timescale"
        )
    }
}
