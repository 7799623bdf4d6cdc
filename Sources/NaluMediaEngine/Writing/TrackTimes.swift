internal import CNalu
internal import NaluBase

/// The times of a sample as it has them.
struct SampleTimes {
    let presentation: nalu_time
    let decode: nalu_time
    let duration: nalu_time
}

/// Turns samples' times into a container's units, and refuses those that it cannot say.
struct TrackTimes {
    /// A sample's times in units of the container.
    struct Place {
        let presentation: Int64
        let decode: Int64
        let duration: Int64
        /// The duration that the sample itself says.
        let own: Int64?
    }

    /// mp4 and mov: the track's own units, in which times are exact.
    let clock: TrackClock?
    /// The container's units in seconds: numerator / denominator.
    var unit: (numerator: Int32, denominator: Int32) = (1, 1)
    private let container: Container
    private let startsAtZero: Bool
    private let origin: nalu_time
    private let sumsUp: Bool
    private var last: (given: SampleTimes, place: Place)?
    /// From the first decode time to the first presentation time.
    private var delay: Int64 = 0
    /// Between the last two decode times.
    private var distance: Int64 = 0
    /// What is shown last, and how long, where its sample says so.
    private var latest: (presentation: Int64, duration: Int64?)?

    /// From the first sample of the track.
    ///
    /// - Parameter sumsUp: the duration that is written with a sample is such that all durations together are the time
    ///   from the first presentation to the end of the last, should the sample be the last in decode order. Where
    ///   frames are reordered it is another one that is shown last, and fragments have no other place that says when.
    init(
        _ first: SampleTimes, _ container: Container, _ options: TrackOptions, startsAtZero: Bool, sumsUp: Bool
    ) throws(NaluError) {
        self.sumsUp = sumsUp
        self.container = container
        self.startsAtZero = startsAtZero
        origin = first.presentation
        guard container.isBaseMedia else {
            clock = nil
            return
        }
        if options.timescale > 0 {
            clock = TrackClock(timescale: options.timescale)
            unit = (1, options.timescale)
        } else if let common = TrackClock(for: [first.presentation, first.decode, first.duration]) {
            clock = common
            unit = (1, common.timescale)
        } else {
            throw NaluError(
                .invalidTime,
                "the first sample's presentation time \(TrackClock.text(first.presentation)), decode time \(TrackClock.text(first.decode)) and duration \(TrackClock.text(first.duration)) have no common timescale up to 2147483647; expected times that have one"
            )
        }
    }

    func beginsAtOrAfterZero(_ first: SampleTimes) -> Bool {
        startsAtZero || first.presentation.value >= 0
    }

    /// The times are such as a decoder can follow.
    func check(_ given: SampleTimes) throws(NaluError) {
        guard nalu_time_is_numeric(given.presentation) == 1, nalu_time_is_numeric(given.decode) == 1 else {
            throw NaluError(
                .invalidTime,
                "the sample's presentation time is \(TrackClock.text(given.presentation)) and its decode time \(TrackClock.text(given.decode)); expected numeric times"
            )
        }
        guard given.presentation.epoch == origin.epoch, given.decode.epoch == origin.epoch else {
            throw NaluError(
                .invalidTime,
                "the sample's time has epoch \(given.presentation.epoch); expected \(origin.epoch), that of the first sample"
            )
        }
        guard nalu_time_compare(given.decode, given.presentation) <= 0 else {
            throw NaluError(
                .invalidTime,
                "the sample's decode time \(TrackClock.text(given.decode)) is after its presentation time \(TrackClock.text(given.presentation)); expected it before or at the same time"
            )
        }
        if let last, nalu_time_compare(last.given.decode, given.decode) >= 0 {
            throw NaluError(
                .invalidTime,
                "the sample's decode time is \(TrackClock.text(given.decode)) after \(TrackClock.text(last.given.decode)); expected samples in decode order"
            )
        }
        if nalu_time_is_numeric(given.duration) == 1 && given.duration.value < 0 {
            throw NaluError(
                .invalidTime,
                "the sample's duration is \(TrackClock.text(given.duration)); expected 0 or more")
        }
    }

    /// Where the sample lies in the container's units.
    func place(_ given: SampleTimes) throws(NaluError) -> Place {
        if container.isElementaryStream {
            // It has no times; the muxer wants some that grow.
            let number = last.map { $0.place.decode + 1 } ?? 0
            return Place(presentation: number, decode: number, duration: 1, own: nil)
        }
        let begin = startsAtZero ? try units(origin, "presentation time") : 0
        let presentation = try moved(given.presentation, begin, "presentation time")
        let decode = try moved(given.decode, begin, "decode time")
        let distance = last.map { decode - $0.place.decode } ?? 0
        let own = nalu_time_is_numeric(given.duration) == 1 ? try units(given.duration, "duration") : nil
        var duration = own ?? distance
        // Tables of ISO base media have 32 bits a distance, and FFmpeg computes with the sign.
        let most = Int64(Int32.max)
        guard clock == nil || (presentation - decode <= most && distance <= most && duration <= most) else {
            throw NaluError(
                .invalidTime,
                "the sample's decode time \(TrackClock.text(given.decode)) is more than 2147483647 units of 1/\(unit.denominator) s from the presentation time or from the sample before, or lasts longer; expected less, or a smaller options.timescale"
            )
        }
        guard last == nil || distance > 0 || (distance == 0 && container.allowsEqualTimes) else {
            throw NaluError(
                .invalidTime,
                "the sample's decode time \(TrackClock.text(given.decode)) is that of the sample before in units of \(unit.numerator)/\(unit.denominator) s, which \(container) has; expected a later time"
            )
        }
        if sumsUp {
            let delay = last == nil ? presentation - decode : self.delay
            let final = later(presentation, own)
            duration = min(max(final.presentation + (final.duration ?? distance) - decode - delay, 0), most)
        }
        return Place(presentation: presentation, decode: decode, duration: duration, own: own)
    }

    mutating func accept(_ given: SampleTimes, _ place: Place) {
        if last == nil {
            delay = place.presentation - place.decode
        }
        distance = last.map { place.decode - $0.place.decode } ?? 0
        latest = later(place.presentation, place.own)
        last = (given, place)
    }

    /// Of a sample and of what was shown last so far, what is shown last.
    private func later(_ presentation: Int64, _ duration: Int64?) -> (presentation: Int64, duration: Int64?) {
        if let latest, latest.presentation > presentation { return latest }
        return (presentation, duration)
    }

    /// The duration to write with the last sample of all, so that presentation ends with what is shown last.
    var finalDuration: Int64 {
        guard let last, let latest else { return 0 }
        let left = latest.presentation + (latest.duration ?? distance) - last.place.presentation
        guard let own = last.place.own else { return min(max(left, 0), Int64(Int32.max)) }
        return latest.duration == nil ? max(own, min(left, Int64(Int32.max))) : own
    }

    private func moved(_ time: nalu_time, _ begin: Int64, _ name: StaticString) throws(NaluError) -> Int64 {
        // Rounded times are rounded once, after moving.
        if startsAtZero && clock == nil {
            return try units(nalu_time_subtract(time, origin), name)
        }
        return try units(time, name) - begin
    }

    private func units(_ time: nalu_time, _ name: StaticString) throws(NaluError) -> Int64 {
        let value: Int64?
        if let clock {
            value = clock.exact(time)
        } else if nalu_time_is_numeric(time) == 1 {
            value = TrackClock.rounded(time, numerator: unit.numerator, denominator: unit.denominator)
        } else {
            value = nil
        }
        // FFmpeg adds and subtracts times without looking for overflow.
        if let value, value.magnitude <= 1 << 61 { return value }
        throw NaluError(
            .invalidTime,
            "the sample's \(name) \(TrackClock.text(time)) is not a whole number of units of \(unit.numerator)/\(unit.denominator) s; expected such a time, or another options.timescale"
        )
    }
}
