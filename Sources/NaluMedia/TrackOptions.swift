internal import NaluMediaEngine

/// How a ``Writer`` writes a track.
public struct TrackOptions: Sendable {
    /// By how many degrees players turn the picture clockwise: 0, 90, 180 or 270. mp4 and mov.
    public var rotation = 0
    /// Whether players mirror the picture from left to right, before they turn it. mp4 and mov.
    public var isMirrored = false
    /// mp4 and mov: units per second of the track's times, up to 2147483647. Times are never rounded: a sample with a
    /// time that is not whole in this unit is refused. 0: the least common multiple of the timescales of the first
    /// sample's times.
    public var timescale = 0
    /// What another container said of the track, as far as this one has it.
    package var sideData = TrackSideData()

    public init(rotation: Int = 0, isMirrored: Bool = false, timescale: Int = 0) {
        self.rotation = rotation
        self.isMirrored = isMirrored
        self.timescale = timescale
    }

    var engine: NaluMediaEngine.TrackOptions {
        var options = NaluMediaEngine.TrackOptions()
        // What does not fit is out of range either way.
        options.rotation = Int32(clamping: rotation)
        options.isMirrored = isMirrored
        options.timescale = Int32(clamping: timescale)
        options.sideData = sideData.engine
        return options
    }
}
