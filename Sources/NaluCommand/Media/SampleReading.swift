internal import Nalu
internal import NaluMedia

/// Reads the samples of a track, beyond damaged ones.
struct SampleReading {
    private let file: MediaFile
    /// Samples that are missing, and why the first one is.
    private(set) var damagedCount = 0
    private(set) var complaint: String?

    init(_ file: MediaFile) {
        self.file = file
    }

    /// The next sample; nil at the end, and when the reader is cancelled.
    mutating func next() throws -> Sample? {
        while true {
            do throws(NaluError) {
                guard let next = try file.reader.nextSample() else { return nil }
                if next.track == file.track.index { return next.sample }
            } catch {
                switch error.status {
                case .badData:
                    damagedCount += 1
                    complaint = complaint ?? error.message
                case .cancelled: return nil
                default: throw Failure("cannot read \(file.name): \(error.message)")
                }
            }
        }
    }

    /// What ends a run that went on beyond damage.
    var failure: Failure? {
        guard damagedCount > 0 else { return nil }
        return Failure(
            "\(file.name) is damaged: \(NumberText.count(damagedCount, "sample")) of it left out, the first because \(complaint ?? "")"
        )
    }
}
