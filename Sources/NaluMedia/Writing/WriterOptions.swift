internal import Nalu
internal import NaluBase

/// The options of a ``Writer``.
public struct WriterOptions: Sendable {
    /// Replaces an existing file, for paths only. Without this option creation fails for an existing file.
    public var overwrite = false
    /// mp4 and mov: writes fragments. Each begins with a key frame, and can be played without the fragments after it.
    /// The output need not seek.
    public var isFragmented = false
    /// mp4 and mov that are not fragmented: ``Writer/finish()`` moves the index before the samples, so that playback
    /// can start before the whole file is loaded. Needs a path, or a descriptor that can be read.
    public var fastStart = false
    /// Shifts all times so that the first sample is presented at 0.
    public var startAtZero = false
    /// Repairs decode times that do not grow, or that are after a presentation time, as in files of cameras and
    /// broadcasts; docs/containers.md has the rule. Without this option such samples are refused with `.invalidTime`.
    /// Each sample is written when 16 more are known. ``Writer/counts`` reports how many times were repaired.
    public var repairsTimes = false
    /// mp4 and mov: writes parameter sets also before each sample at which decoding can start (sample entries 'avc3'
    /// and 'hev1'), so that they may change within a fragmented file too. Some of Apple's players do not accept 'hev1'.
    public var parameterSetsInBand = false
    /// The duration after which the next sample begins a new fragment, 0.001 to 2000 seconds, with ``isFragmented``.
    /// Every key frame begins a fragment too. 0: only key frames do.
    public var fragmentDuration = 0.0
    /// mp4, mov and matroska: the creation time, in seconds since 1970-01-01 00:00 UTC, up to 253402300799 (the year
    /// 9999). 0: none, so that the same samples make the same file.
    public var creationTime: Int64 = 0

    let spelling: Spelling

    public init() {
        self.init(spelling: Spelling.ofProcess)
    }

    package init(spelling: Spelling) {
        self.spelling = spelling
    }

    func check(_ container: OutputFormat) throws(NaluError) {
        if isFragmented || fastStart, !container.isBaseMedia {
            throw NaluError(
                .conflict,
                "\(isFragmented ? spelling.fragmented : spelling.fastStart) is set, which \(container) does not have; expected mp4 or mov"
            )
        }
        if parameterSetsInBand, !container.isBaseMedia {
            throw NaluError(
                .conflict,
                "\(spelling.parameterSetsInBand) is set, which \(container) does not have; expected mp4 or mov")
        }
        if isFragmented && fastStart {
            throw NaluError(
                .conflict,
                "\(spelling.fragmented) and \(spelling.fastStart) are set; expected one: a fragmented file has its index at the beginning"
            )
        }
        guard fragmentDuration == 0 || (0.001...2000).contains(fragmentDuration) else {
            throw NaluError(
                .outOfRange,
                "\(spelling.fragmentDuration) is \(fragmentDuration); expected 0.001 to 2000 seconds, or 0")
        }
        if fragmentDuration != 0 && !isFragmented {
            throw NaluError(
                .conflict,
                "\(spelling.fragmentDuration) is \(fragmentDuration) without \(spelling.fragmented); expected both or 0"
            )
        }
        guard (0...253_402_300_799).contains(creationTime) else {
            throw NaluError(
                .outOfRange,
                "\(spelling.creationTime) is \(creationTime); expected 1 to 253402300799 seconds since 1970, or 0")
        }
        if creationTime != 0 && !container.hasCreationTime {
            throw NaluError(
                .conflict,
                "\(spelling.creationTime) is \(creationTime), which \(container) does not have; expected mp4, mov or matroska"
            )
        }
        if startAtZero && container.isElementaryStream {
            throw NaluError(
                .conflict,
                "\(spelling.startAtZero) is set, but \(container) has no times; expected another container")
        }
    }
}

extension WriterOptions {
    /// ``creationTime`` as ISO 8601 in UTC, for example "2024-02-29T23:59:59Z"; from 1970 to 9999.
    var creationDate: String {
        let day = creationTime / 86400
        let second = creationTime % 86400
        // Days are counted from 1 March of year 0, in eras of 400 years, so that the leap day ends a year.
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return Self.padded(year, 4) + "-" + Self.padded(month, 2) + "-" + Self.padded(dayOfMonth, 2) + "T"
            + Self.padded(second / 3600, 2) + ":" + Self.padded(second / 60 % 60, 2) + ":" + Self.padded(second % 60, 2)
            + "Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}

/// The numbers of samples and packets that a ``Writer`` has repaired and left out so far.
public struct WriterCounts: Sendable, Equatable {
    /// The number of samples whose decode time was changed, with ``WriterOptions/repairsTimes``.
    public internal(set) var repairedDecodeTimes = 0
    /// The number of these samples whose presentation time was also moved later.
    public internal(set) var movedPresentationTimes = 0
    /// The number of packets of copied tracks whose times were changed.
    public internal(set) var movedPackets = 0
    /// The number of packets of copied tracks that are corrupt, and were left out.
    public internal(set) var leftOutPackets = 0

    init(leftOutPackets: Int = 0) {
        self.leftOutPackets = leftOutPackets
    }
}

/// The options of a track in a ``Writer``.
public struct TrackOptions: Sendable {
    /// The rotation in degrees by which players turn the picture clockwise: 0, 90, 180 or 270. mp4 and mov.
    public var rotation = 0
    /// Whether players mirror the picture from left to right before they rotate it. mp4 and mov.
    public var isMirrored = false
    /// mp4 and mov: units per second of the track's times, up to 2147483647. Times are never rounded: a sample with a
    /// time that is not whole in this unit is refused. 0: the least common multiple of the timescales of the first
    /// sample's times.
    public var timescale = 0
    /// The language as an ISO 639-2 code; "und" if not known.
    package var language = "und"
    /// Facts about the track from another container, as far as this container can store them.
    package var sideData = TrackSideData()
    /// Descriptions of the whole file from another container, as far as this container can store them.
    package var metadata = ContainerMetadata()

    public init(rotation: Int = 0, isMirrored: Bool = false, timescale: Int = 0) {
        self.rotation = rotation
        self.isMirrored = isMirrored
        self.timescale = timescale
    }

    /// Throws `.conflict` for an option that an audio track does not have.
    func checkAudio(_ spelling: Spelling) throws(NaluError) {
        let expected = "which an audio track does not have; expected 0"
        if rotation != 0 { throw NaluError(.conflict, "\(spelling.rotation) is \(rotation), \(expected)") }
        if isMirrored { throw NaluError(.conflict, "\(spelling.mirrored), \(expected)") }
        if timescale != 0 { throw NaluError(.conflict, "\(spelling.timescale) is \(timescale), \(expected)") }
    }

    func check(_ container: OutputFormat, _ spelling: Spelling) throws(NaluError) {
        guard [0, 90, 180, 270].contains(rotation) else {
            throw NaluError(.outOfRange, "\(spelling.rotation) is \(rotation); expected 0, 90, 180 or 270 degrees")
        }
        guard (0...Int(Int32.max)).contains(timescale) else {
            throw NaluError(.outOfRange, "\(spelling.timescale) is \(timescale); expected 1 to 2147483647, or 0")
        }
        guard !container.isBaseMedia else { return }
        let expected = "which \(container) cannot store; expected 0, or mp4 or mov"
        if rotation != 0 { throw NaluError(.conflict, "\(spelling.rotation) is \(rotation), \(expected)") }
        if isMirrored { throw NaluError(.conflict, "\(spelling.mirrored), \(expected)") }
        if timescale != 0 {
            throw NaluError(
                .conflict,
                "\(spelling.timescale) is \(timescale), but \(container) has its own; expected 0, or mp4 or mov")
        }
    }
}
