internal import NaluMedia

/// The way in which players show pictures: mirrored horizontally, then rotated clockwise.
struct Orientation {
    var isMirrored = false
    /// The rotation in degrees: 0, 90, 180 or 270.
    var rotation = 0

    init() {}

    init(of track: ReaderTrack) {
        isMirrored = track.isMirrored
        rotation = track.rotation
    }

    /// Returns the track options that store the orientation and the side data, if the container can.
    func options(for container: OutputContainer, sideData: TrackSideData = TrackSideData()) -> TrackOptions {
        var options =
            container.kind.isBaseMedia ? TrackOptions(rotation: rotation, isMirrored: isMirrored) : TrackOptions()
        options.sideData = sideData
        return options
    }

    /// Returns a message if an output loses the orientation; otherwise nil.
    func loss(of input: String, in output: String, _ container: OutputContainer) -> String? {
        guard !container.kind.isBaseMedia, isMirrored || rotation != 0 else { return nil }
        let changes = (isMirrored ? ["mirror"] : []) + (rotation != 0 ? ["rotate"] : [])
        let angle = rotation != 0 ? " by \(rotation) degrees" : ""
        return "players \(changes.joined(separator: " and ")) \(input)\(angle); \(output) cannot store that"
    }
}
