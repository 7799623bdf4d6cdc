internal import CNalu

/// The samples since decoding began, or since the last key frame.
@safe
final class SampleGroup {
    @safe
    private struct Entry {
        let sample: OpaquePointer
        let number: UInt64

        init(_ sample: OpaquePointer, _ number: UInt64) {
            unsafe self.sample = unsafe sample
            self.number = number
        }
    }

    private var samples: [Entry] = []
    private var size = 0
    /// Whether it holds all of them.
    private(set) var isComplete = true

    private static let mostSamples = 600
    private static let mostBytes = 64 << 20

    deinit {
        release()
    }

    func keep(_ sample: OpaquePointer, _ number: UInt64) {
        guard isComplete else { return }
        var bytes = 0
        _ = unsafe nalu_sample_get_data(sample, &bytes)
        size += bytes
        guard samples.count < Self.mostSamples, size <= Self.mostBytes,
            let kept = unsafe nalu_sample_retain(sample)
        else {
            release()
            isComplete = false
            return
        }
        unsafe samples.append(Entry(kept, number))
    }

    /// Another one begins.
    func forget() {
        release()
        isComplete = true
    }

    func forEach(_ body: (OpaquePointer, UInt64) -> Void) {
        for entry in samples {
            unsafe body(entry.sample, entry.number)
        }
    }

    private func release() {
        for entry in samples {
            unsafe nalu_sample_release(entry.sample)
        }
        samples.removeAll(keepingCapacity: true)
        size = 0
    }
}
