internal import Nalu
internal import NaluMedia

/// Reads the samples of a track and continues after damaged ones.
struct TolerantSampleReader {
    private let file: MediaFile
    /// The number of damaged samples, and the reason for the first one.
    private(set) var damagedCount = 0
    private(set) var complaint: String?

    init(_ file: MediaFile) {
        self.file = file
    }

    /// Returns the next sample; nil at the end, and after the reader is cancelled.
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

    /// The error at the end of a run that skipped damaged samples; nil if none was damaged.
    var failure: Failure? {
        guard damagedCount > 0 else { return nil }
        return Failure(
            "\(file.name) is corrupt: \(NumberText.count(damagedCount, "sample")) left out, the first because \(complaint ?? "")"
        )
    }
}
