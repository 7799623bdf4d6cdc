internal import NaluMediaEngine

/// How a ``Writer`` writes a track.
public struct TrackOptions: Sendable {
    /// By how many degrees players turn the picture clockwise: 0, 90, 180 or 270. mp4 and mov.
    public var rotation = 0
    /// mp4, mov: units a second of the track's times, up to 2147483647. 0: the time scale of the first sample's times, or
    /// their least common multiple. A sample whose times are not whole in it is refused, never rounded.
    public var timescale = 0

    public init(rotation: Int = 0, timescale: Int = 0) {
        self.rotation = rotation
        self.timescale = timescale
    }

    var engine: NaluMediaEngine.TrackOptions {
        var options = NaluMediaEngine.TrackOptions()
        // What does not fit is out of range either way.
        options.rotation = Int32(clamping: rotation)
        options.timescale = Int32(clamping: timescale)
        return options
    }
}
