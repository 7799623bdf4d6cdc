/// Samples of chunks: with any times and sizes, the joined samples form one stream, and a rejected sample changes
/// nothing.
func fuzzChunkJoiner(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let bytes = unsafe [UInt8](Fuzzing.input(data, size))
    guard let flags = bytes.first else { return 0 }
    let limits = flags & 1 == 0 ? [] : [8000, 0.05 + Double(flags >> 2) / 10]
    let joined = Joining(limits: limits, allowsGaps: flags & 2 != 0)
    for start in stride(from: 1, through: bytes.count - Step.size, by: Step.size) {
        joined.take(Step(bytes[start..<start + Step.size]))
    }
    joined.replay()
    return 0
}

/// A sample, and whether it begins a chunk.
private struct Step {
    static let size = 6

    let beginsChunk: Bool
    let sample: Sample?

    init(_ bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes)
        let kind = bytes[0]
        beginsChunk = kind & 1 != 0
        let scales: [Int32] = [1000, 90000, 1, .max]
        // Units of at least a thousandth of a second, or for the entire range.
        let units: [Int64] = [1, 90, 1, 1 << 21]
        let unit = kind & 2 != 0 ? 1 << 48 : units[Int(kind >> 4) & 3]
        func time(_ value: Int64) -> MediaTime {
            let epoch: Int64 = kind & 0xc0 == 0xc0 ? 1 : 0
            return MediaTime(value: value, timescale: scales[Int(kind >> 4) & 3], flags: .valid, epoch: epoch)
        }
        let decode = Int64(Int16(truncatingIfNeeded: Int(bytes[1]) << 8 | Int(bytes[2])))
        let data = [0, 0, bytes[4] >> 5, bytes[4] << 3 | 1, 0x65] + [UInt8](repeating: 1, count: Int(bytes[4]) * 8)
        sample = Step.format.flatMap { format in
            try? Sample(
                copying: data, formatDescription: format, presentationTime: time((decode + Int64(bytes[3])) &* unit),
                duration: bytes[5] == 0 ? .invalid : time(Int64(bytes[5]) &* unit), decodeTime: time(decode &* unit),
                attachments: kind & 4 != 0 ? .notSync : [])
        }
    }

    private static let format = try? FormatDescription(parameterSets: [
        [0x67, 0x42, 0xc0, 0x0a, 0xd9, 0x02, 0xc4, 0xec, 0x04, 0x40, 0x00, 0x00, 0x03]
            + [0x00, 0x40, 0x00, 0x00, 0x07, 0xa3, 0xc4, 0x89, 0x92], [0x68, 0xcb, 0x83, 0xcb, 0x20],
    ])
}

private final class Joining {
    private let limits: [Double]
    private let allowsGaps: Bool
    private let joiner: ChunkJoiner
    /// The accepted samples with their results; nil at the beginning of a chunk.
    private var accepted: [(given: Sample, joined: Sample)?] = []

    init(limits: [Double], allowsGaps: Bool) {
        self.limits = limits
        self.allowsGaps = allowsGaps
        joiner = Self.joiner(limits, allowsGaps)
    }

    private static func joiner(_ limits: [Double], _ allowsGaps: Bool) -> ChunkJoiner {
        guard let joiner = try? ChunkJoiner(dataRateLimits: limits, allowsGaps: allowsGaps) else {
            fatalError("the limits are refused")
        }
        return joiner
    }

    func take(_ step: Step) {
        if step.beginsChunk {
            let begun: Void? = try? joiner.beginChunk()
            if begun != nil { accepted.append(nil) }
        }
        guard let sample = step.sample else { return }
        do throws(NaluError) {
            let joined = try joiner.add(sample)
            if let last = accepted.last(where: { $0 != nil }), let last {
                Fuzzing.require(last.joined.decodeTime < joined.decodeTime, "decode times grow")
            }
            Fuzzing.require(joined.decodeTime <= joined.presentationTime, "nothing is shown before it is decoded")
            Fuzzing.require(unsafe joined.data.baseAddress == sample.data.baseAddress, "the bytes are the sample's")
            accepted.append((sample, joined))
            checkWindow(ending: joined.decodeTime.seconds)
        } catch {
            Fuzzing.require(!error.message.isEmpty && error.message.utf8.count < 1000, "the sentence is one")
        }
    }

    /// Checks the limit by counting each sample.
    private func checkWindow(ending time: Double) {
        guard limits.count == 2 else { return }
        let limit = DataRateLimit(bytes: limits[0], seconds: limits[1])
        var sum = 0
        for case (_, let joined)? in accepted.reversed() {
            let beginning = joined.decodeTime.seconds
            guard beginning <= time, limit.reaches(from: beginning, to: time) else { break }
            sum += unsafe joined.data.count
        }
        Fuzzing.require(Double(sum) <= limit.bytes, "the limit is kept")
    }

    /// Checks that another joiner gives the same results for the accepted samples alone.
    func replay() {
        let seams = joiner.seamsOverLimits
        let chunks = accepted.count(where: { $0 == nil })
        Fuzzing.require(seams.allSatisfy { 1..<max(chunks, 1) ~= $0 }, "seams are between chunks")
        Fuzzing.require(zip(seams, seams.dropFirst()).allSatisfy { $0 < $1 }, "seams ascend")
        let other = Self.joiner(limits, allowsGaps)
        for each in accepted {
            guard let (given, joined) = each else {
                let begun: Void? = try? other.beginChunk()
                Fuzzing.require(begun != nil, "a refused sample begins no chunk")
                continue
            }
            let again = try? other.add(given)
            let isSame = again?.decodeTime.isIdentical(to: joined.decodeTime) == true
            Fuzzing.require(isSame, "a refused sample changes nothing")
        }
    }
}
