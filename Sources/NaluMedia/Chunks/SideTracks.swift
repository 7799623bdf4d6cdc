package import Nalu
package import NaluBase

/// Reads the source of a video again, so that its reader copies the other tracks to a writer.
package struct SideTracks {
    private let reader: Reader
    private var reached: MediaTime?
    private var isAtEnd = false

    /// - Parameter reader: a reader with tracks that a writer copies (``Writer/addTrack(_:of:)``).
    package init(of reader: Reader) {
        self.reader = reader
    }

    /// Copies the packets up to the end of a sample. To be called before the sample is written.
    package mutating func copy(upTo sample: Sample) throws(NaluError) {
        let end = sample.presentationTime + (sample.duration.isNumeric ? sample.duration : .zero)
        while !isAtEnd, reached.map({ $0 <= end }) != false {
            if let next = try reader.nextVideo() { reached = next.decodeTime } else { isAtEnd = true }
        }
    }
}
