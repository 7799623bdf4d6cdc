internal import Nalu

/// The samples since decoding began, or since the last key frame, for decoding them again.
final class SampleGroup {
    private var samples: [(sample: Sample, number: UInt64)] = []
    private var size = 0
    /// Whether the group has all of these samples. Beyond 600 samples or 64 MiB it keeps none.
    private(set) var isComplete = true

    private static let mostSamples = 600
    private static let mostBytes = 64 << 20

    func keep(_ sample: Sample, _ number: UInt64) {
        guard isComplete else { return }
        size += unsafe sample.data.count
        guard samples.count < Self.mostSamples, size <= Self.mostBytes else {
            release()
            isComplete = false
            return
        }
        samples.append((sample, number))
    }

    /// Begins another group.
    func forget() {
        release()
        isComplete = true
    }

    func forEach(_ body: (Sample, UInt64) -> Void) {
        for (sample, number) in samples { body(sample, number) }
    }

    private func release() {
        samples.removeAll(keepingCapacity: true)
        size = 0
    }
}
