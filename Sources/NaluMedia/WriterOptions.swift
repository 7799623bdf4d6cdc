internal import NaluMediaEngine

/// What a ``Writer`` has repaired and left out so far.
public struct WriterCounts: Sendable, Equatable {
    /// With ``WriterOptions/repairsTimes``: samples with another decode time than they were given with.
    public let repairedDecodeTimes: Int
    /// Of these, the samples that are also presented later than they were given with.
    public let movedPresentationTimes: Int
    /// Packets of tracks from a reader whose times were moved.
    public let movedPackets: Int
    /// Packets of tracks from a reader that are damaged, and were left out.
    public let leftOutPackets: Int
}

/// How a ``Writer`` writes.
public struct WriterOptions: Sendable {
    /// Paths only: replace an existing file. Without it creation fails.
    public var overwrite = false
    /// mp4 and mov: write fragments, each with a key frame first and playable without those after it. Needs no seeking.
    public var isFragmented = false
    /// mp4 and mov that are not fragmented: ``Writer/finish()`` moves the index before the samples, so that playback
    /// can start before the whole file is loaded. Needs a path, or a descriptor that can be read.
    public var fastStart = false
    /// Move all times so that the first sample is presented at 0.
    public var startAtZero = false
    /// Repair decode times that do not grow, or that are after a presentation time, as files of cameras and broadcasts
    /// have them; docs/containers.md has the rule. Without it such samples are refused with `.invalidTime`. Each sample is
    /// written when 16 more are known. ``Writer/counts`` reports how many times were repaired.
    public var repairsTimes = false
    /// mp4 and mov: parameter sets are also before each sample at which decoding can start (sample entries 'avc3' and
    /// 'hev1'), so that they may change within a fragmented file too. Some players of Apple's take no 'hev1'.
    public var setsInBand = false
    /// With ``isFragmented``: after this many seconds, 0.001 to 2000, the next sample begins a new fragment. Every key
    /// frame does too. 0: only key frames do.
    public var fragmentDuration = 0.0
    /// mp4, mov and matroska: the creation time, in seconds since 1970-01-01 00:00 UTC, up to 253402300799 (the year
    /// 9999). 0: none, so that the same samples give the same file.
    public var creationTime: Int64 = 0

    public init() {}

    var engine: NaluMediaEngine.WriterOptions {
        var options = NaluMediaEngine.WriterOptions(face: Caller.face)
        options.overwrite = overwrite
        options.isFragmented = isFragmented
        options.fastStart = fastStart
        options.startAtZero = startAtZero
        options.repairsTimes = repairsTimes
        options.setsInBand = setsInBand
        options.fragmentDuration = fragmentDuration
        options.creationTime = creationTime
        return options
    }
}
