internal import Nalu

/// The samples since decoding began, or since a key frame, for decoding them again. It begins with the key frame of the
/// first sample that is still inside the decoder.
final class SampleGroup {
    private var samples: [(sample: Sample, number: UInt64, size: Int)] = []
    /// The numbers of the first samples of sequences: of the kept key frames, and of the sample that decoding began with.
    private var starts: [UInt64] = []
    private var size = 0
    /// Whether all samples since the last key frame are here. Beyond 600 samples or 64 MiB former sequences are
    /// released, and then all samples.
    private(set) var isComplete = true

    private static let mostSamples = 600
    private static let mostBytes = 64 << 20

    func keep(_ sample: Sample, _ number: UInt64) {
        guard isComplete else { return }
        let bytes = unsafe sample.data.count
        if samples.isEmpty { starts = [number] }
        if isFull(with: bytes) { releaseFormerSequences() }
        guard !isFull(with: bytes) else {
            forget()
            isComplete = false
            return
        }
        samples.append((sample, number, bytes))
        size += bytes
    }

    private func isFull(with bytes: Int) -> Bool {
        samples.count == Self.mostSamples || size + bytes > Self.mostBytes
    }

    /// Begins the sequence of a key frame.
    ///
    /// - Parameter first: the first sample inside the decoder. Sequences before its own are released.
    func beginSequence(_ number: UInt64, holding first: UInt64?) {
        guard let first, isComplete else {
            forget()
            starts = [number]
            return
        }
        starts.append(number)
        release(before: starts.last { $0 <= first } ?? starts[0])
    }

    /// Keeps the samples since the last key frame only.
    func releaseFormerSequences() {
        if let last = starts.last { release(before: last) }
    }

    /// Forgets all samples.
    func forget() {
        samples.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        size = 0
        isComplete = true
    }

    /// Whether decoding the group again returns this sample and all later ones.
    func holds(from number: UInt64) -> Bool {
        guard isComplete, let start = starts.first else { return false }
        return start <= number
    }

    func forEach(_ body: (Sample, UInt64) -> Void) {
        for (sample, number, _) in samples { body(sample, number) }
    }

    private func release(before number: UInt64) {
        let end = samples.firstIndex { $0.number >= number } ?? samples.count
        for index in 0..<end { size -= samples[index].size }
        samples.removeFirst(end)
        starts.removeAll { $0 < number }
    }
}
