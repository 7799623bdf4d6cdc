internal import NaluMediaEngine

/// How a ``Writer`` writes.
public struct WriterOptions: Sendable {
    /// Replace a file that exists; without it creation fails. For paths only.
    public var overwrite = false
    /// mp4, mov: write fragments, each beginning with a key frame. Needs no seeking, and what is finished stays playable
    /// when the process dies.
    public var isFragmented = false
    /// mp4, mov, not fragmented: ``Writer/finish()`` moves the index before the samples, so that playing can start before
    /// all is loaded. Needs a path, or a descriptor that can be read.
    public var fastStart = false
    /// Move all times so that the first sample that is written is presented at 0.
    public var startAtZero = false
    /// With ``isFragmented``: seconds, 0.001 to 2000, after which the next sample begins a new fragment, as every key frame
    /// does. 0: key frames alone do.
    public var fragmentDuration = 0.0
    /// Seconds since 1970-01-01 00:00 UTC, up to 253402300799 (the year 9999), for mp4, mov and matroska. 0: none, so that
    /// the same samples give the same file.
    public var creationTime: Int64 = 0

    public init() {}

    var engine: NaluMediaEngine.WriterOptions {
        var options = NaluMediaEngine.WriterOptions()
        options.overwrite = overwrite
        options.isFragmented = isFragmented
        options.fastStart = fastStart
        options.startAtZero = startAtZero
        options.fragmentDuration = fragmentDuration
        options.creationTime = creationTime
        return options
    }
}
