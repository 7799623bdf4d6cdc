internal import NaluMedia

/// The list of facts that an output loses, for one line on standard error.
struct Losses {
    private var items: [String] = []

    mutating func add(_ item: String) {
        if !items.contains(item) { items.append(item) }
    }

    /// Adds the facts that the container states about the file or its video track, if the new container cannot store
    /// them.
    ///
    /// - Parameter inStream: kinds of side data that the stream itself also carries.
    mutating func add(
        of file: MediaFile, in container: OutputContainer, inStream: Set<TrackSideData.Kind> = []
    ) {
        for kind in file.reader.sideData(ofTrack: file.track.index).kinds {
            guard !TrackSideData.isWritten(kind, in: container.kind), !inStream.contains(kind) else { continue }
            add(Self.name(kind))
        }
        let keys = file.reader.metadata.keys(notStoredIn: container.kind)
        if !keys.isEmpty {
            let rest = keys.count > Self.mostKeys ? " and \(keys.count - Self.mostKeys) more" : ""
            add("the metadata \(keys.prefix(Self.mostKeys).joined(separator: " "))\(rest)")
        }
        if file.reader.hasCleanAperture { add("the clean aperture") }
        let chapters = file.reader.chapterCount
        if chapters > 0 { add(NumberText.count(chapters, "chapter")) }
    }

    /// The most metadata that the line names.
    private static let mostKeys = 8

    private static func name(_ kind: TrackSideData.Kind) -> String {
        switch kind {
        case .dolbyVision: "the Dolby Vision configuration"
        case .masteringDisplay: "the mastering display"
        case .contentLight: "the content light level"
        case .stereo: "the stereoscopic layout"
        case .projection: "the spherical projection"
        }
    }

    /// Returns the line; nil if nothing is lost.
    func line(of input: String) -> String? {
        items.isEmpty ? nil : "not kept of \(input): \(items.joined(separator: ", "))"
    }
}
