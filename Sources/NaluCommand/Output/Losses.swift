internal import NaluMedia

/// What an output does not have of its input, for one line on standard error.
struct Losses {
    private var items: [String] = []

    mutating func add(_ item: String) {
        if !items.contains(item) { items.append(item) }
    }

    /// What the container of a file says of the file or of its video track, and another one does not have.
    ///
    /// - Parameter inStream: kinds that the stream itself says too.
    mutating func add(
        of file: MediaFile, in form: OutputForm, inStream: Set<TrackSideData.Kind> = []
    ) {
        for kind in file.reader.sideData(ofTrack: file.track.index).kinds {
            guard !TrackSideData.isWritten(kind, in: form.container), !inStream.contains(kind) else { continue }
            add(Self.name(kind))
        }
        let chapters = file.reader.chapterCount
        if chapters > 0 { add(NumberText.count(chapters, "chapter")) }
    }

    private static func name(_ kind: TrackSideData.Kind) -> String {
        switch kind {
        case .dolbyVision: "the Dolby Vision configuration"
        case .masteringDisplay: "the mastering display"
        case .contentLight: "the content light level"
        case .stereo: "the stereoscopic layout"
        case .projection: "the spherical projection"
        }
    }

    /// nil if nothing is lost.
    func line(of input: String) -> String? {
        items.isEmpty ? nil : "not kept of \(input): \(items.joined(separator: ", "))"
    }
}
