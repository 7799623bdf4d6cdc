internal import Nalu
internal import NaluBase

/// What a writer was asked for; ``check(_:)`` says whether it goes together.
public struct WriterOptions: Sendable {
    public var overwrite = false
    public var isFragmented = false
    public var fastStart = false
    public var startAtZero = false
    public var repairsTimes = false
    public var setsInBand = false
    /// The longest duration of a fragment in seconds; 0: fragments begin at key frames alone.
    public var fragmentDuration = 0.0
    /// Seconds since 1970; 0: none.
    public var creationTime: Int64 = 0

    let face: Face

    public init(face: Face) {
        self.face = face
    }

    func check(_ container: Container) throws(NaluError) {
        if isFragmented || fastStart, !container.isBaseMedia {
            throw NaluError(
                .conflict,
                "\(isFragmented ? face.fragmented : face.fastStart) is set, which \(container) does not have; expected mp4 or mov"
            )
        }
        if setsInBand, !container.isBaseMedia {
            throw NaluError(
                .conflict, "\(face.setsInBand) is set, which \(container) does not have; expected mp4 or mov")
        }
        if isFragmented && fastStart {
            throw NaluError(
                .conflict,
                "\(face.fragmented) and \(face.fastStart) are set; expected one: a fragmented file has its index at the beginning"
            )
        }
        guard fragmentDuration == 0 || (0.001...2000).contains(fragmentDuration) else {
            throw NaluError(
                .outOfRange,
                "\(face.fragmentDuration) is \(fragmentDuration); expected 0.001 to 2000 seconds, or 0")
        }
        if fragmentDuration != 0 && !isFragmented {
            throw NaluError(
                .conflict,
                "\(face.fragmentDuration) is \(fragmentDuration) without \(face.fragmented); expected both or 0")
        }
        guard (0...253_402_300_799).contains(creationTime) else {
            throw NaluError(
                .outOfRange,
                "\(face.creationTime) is \(creationTime); expected 1 to 253402300799 seconds since 1970, or 0")
        }
        if creationTime != 0 && !container.hasCreationTime {
            throw NaluError(
                .conflict,
                "\(face.creationTime) is \(creationTime), which \(container) does not have; expected mp4, mov or matroska"
            )
        }
        if startAtZero && container.isElementaryStream {
            throw NaluError(
                .conflict,
                "\(face.startAtZero) is set, but \(container) has no times; expected another container")
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

/// What a writer has repaired and left out.
public struct WriterCounts: Sendable {
    public var repairedDecodeTimes: UInt64 = 0
    public var movedPresentationTimes: UInt64 = 0
    public var movedPackets: UInt64 = 0
    public var leftOutPackets: UInt64 = 0

    public init() {}
}

/// What was asked for a track.
public struct TrackOptions: Sendable {
    /// Clockwise, in degrees: 0, 90, 180 or 270.
    public var rotation: Int32 = 0
    /// From left to right, before it is turned.
    public var isMirrored = false
    /// Units a second; 0: those of the first sample.
    public var timescale: Int32 = 0
    /// As far as the container has it.
    public var sideData = TrackSideData()

    public init() {}

    func check(_ container: Container) throws(NaluError) {
        guard [0, 90, 180, 270].contains(rotation) else {
            throw NaluError(
                .outOfRange, "options.rotation is \(rotation); expected 0, 90, 180 or 270 degrees")
        }
        guard timescale >= 0 else {
            throw NaluError(
                .outOfRange, "options.timescale is \(timescale); expected 1 to 2147483647, or 0")
        }
        if rotation != 0 && !container.isBaseMedia {
            throw NaluError(
                .conflict,
                "options.rotation is \(rotation), which \(container) cannot store; expected 0, or mp4 or mov")
        }
        if isMirrored && !container.isBaseMedia {
            throw NaluError(
                .conflict,
                "options.is_mirrored is 1, which \(container) cannot store; expected 0, or mp4 or mov")
        }
        if timescale != 0 && !container.isBaseMedia {
            throw NaluError(
                .conflict,
                "options.timescale is \(timescale), but \(container) has its own; expected 0, or mp4 or mov")
        }
    }
}
