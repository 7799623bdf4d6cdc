internal import Nalu
internal import NaluBase

/// The signals of the pictures that several workers have decoded. Any thread may add one.
final class SeenSignals: Sendable {
    private struct Place {
        let time: MediaTime
        let width: Int
        let height: Int
    }

    private let places = Guarded<[PictureSignal: Place]>([:])

    /// Adds the signal of a picture, with the picture's presentation time. Only the earliest time of a signal counts.
    func add(_ format: FormatDescription, at time: MediaTime) {
        let signal = PictureSignal(format)
        places.withLock { places in
            if let place = places[signal], place.time <= time { return }
            places[signal] = Place(time: time, width: format.width, height: format.height)
        }
    }

    /// Adds the signal of the file's beginning, unless a picture of that time was decoded.
    func addBeginning(_ format: FormatDescription, at time: MediaTime) {
        if !places.withLock({ $0.values.contains { $0.time <= time } }) { add(format, at: time) }
    }

    /// Passes the signals to `changes`, in order of presentation.
    func report(to changes: inout SignalChanges, _ losses: inout Losses) {
        let seen = places.withLock { $0 }.sorted { $0.value.time < $1.value.time }
        for (signal, place) in seen {
            changes.look(at: signal, width: place.width, height: place.height, at: place.time, &losses)
        }
    }
}
