internal import NaluMedia

/// How players show pictures: mirrored from left to right, then turned clockwise.
struct Orientation {
    var isMirrored = false
    /// Degrees: 0, 90, 180 or 270.
    var rotation = 0

    init() {}

    init(of track: ReaderTrack) {
        isMirrored = track.isMirrored
        rotation = track.rotation
    }

    /// What a container is asked to store; nothing where it cannot.
    func options(for form: OutputForm, sideData: TrackSideData = TrackSideData()) -> TrackOptions {
        var options =
            form.container.isBaseMedia ? TrackOptions(rotation: rotation, isMirrored: isMirrored) : TrackOptions()
        options.sideData = sideData
        return options
    }

    /// What an output loses; nil for nothing.
    func loss(of input: String, in output: String, _ form: OutputForm) -> String? {
        guard !form.container.isBaseMedia, isMirrored || rotation != 0 else { return nil }
        let changes = (isMirrored ? ["mirror"] : []) + (rotation != 0 ? ["rotate"] : [])
        let angle = rotation != 0 ? " by \(rotation) degrees" : ""
        return "players \(changes.joined(separator: " and ")) \(input)\(angle); \(output) cannot store that"
    }
}
