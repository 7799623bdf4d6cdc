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

    /// Returns a message if an output loses the orientation; otherwise nil.
    func loss(of input: String, in output: String, _ container: OutputContainer) -> String? {
        guard !container.kind.isBaseMedia, isMirrored || rotation != 0 else { return nil }
        let changes = (isMirrored ? ["mirror"] : []) + (rotation != 0 ? ["rotate"] : [])
        let angle = rotation != 0 ? " by \(rotation) degrees" : ""
        return "players \(changes.joined(separator: " and ")) \(input)\(angle); \(output) cannot store that"
    }
}

extension MediaFile {
    /// Returns the options with which a writer keeps the facts about the video track, if the container can store them.
    ///
    /// - Parameter isEncoded: whether the pictures are encoded anew.
    func trackOptions(for container: OutputContainer, isEncoded: Bool) -> TrackOptions {
        var options = TrackOptions()
        if container.kind.isBaseMedia {
            let orientation = Orientation(of: track)
            options = TrackOptions(rotation: orientation.rotation, isMirrored: orientation.isMirrored)
        }
        options.language = track.language
        options.sideData = reader.sideData(ofTrack: track.index)
        options.metadata = reader.metadata
        if isEncoded { options.sideData.remove(.dolbyVision) }
        return options
    }
}
