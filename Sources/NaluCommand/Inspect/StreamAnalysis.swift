internal import Nalu

/// The result of the inspection of a stream.
struct StreamAnalysis {
    let name: String
    let codec: VideoCodec
    let framing: StreamFraming
    let byteCount: Int
    let units: [UnitRecord]
    /// The frames in decode order.
    let frames: [PictureRecord]
    let accessUnitCount: Int
    /// The description of the stream; nil if no parameter set is readable.
    let description: StreamDescription?
    let parameterSets: ParameterSetTable
    let messages: [SEISummary]
    /// The first problems, in the order of the file.
    let problems: [StreamProblem]
    let problemCount: Int
    let rate: StreamRate
    let groups: [GroupRecord]
    /// The container; nil for a stream without one.
    let container: ContainerFacts?
    /// The number of frames that the container's edit list hides.
    let hiddenCount: Int
    let curve: BitRateCurve
    /// The sizes of each picture type in the stream.
    let sizes: [SizeSummary]

    init(
        name: String, codec: VideoCodec, framing: StreamFraming, byteCount: Int, units: [UnitRecord],
        frames: [PictureRecord],
        accessUnitCount: Int, description: StreamDescription?, parameterSets: ParameterSetTable,
        messages: [SEISummary], problems: [StreamProblem], problemCount: Int, rate: StreamRate, groups: [GroupRecord],
        container: ContainerFacts?, hiddenCount: Int
    ) {
        self.hiddenCount = hiddenCount
        self.container = container
        self.name = name
        self.codec = codec
        self.description = description
        self.framing = framing
        self.byteCount = byteCount
        self.units = units
        self.frames = frames
        self.accessUnitCount = accessUnitCount
        self.parameterSets = parameterSets
        self.messages = messages
        self.problems = problems
        self.problemCount = problemCount
        self.rate = rate
        self.groups = groups
        curve = BitRateCurve(frames: frames, fps: rate.value)
        var sizes = PictureKind.allCases.map(SizeSummary.init)
        for frame in frames {
            if let index = PictureKind.allCases.firstIndex(of: frame.kind) { sizes[index].add(frame) }
        }
        self.sizes = sizes.filter { $0.count > 0 }
    }

    /// The length of the longest run of B pictures in decode order.
    var longestBRun: Int {
        var (longest, run) = (0, 0)
        for frame in frames {
            run = frame.kind == .b ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }

    /// Returns the index of the frame that contains the byte at `offset`; nil before the first frame.
    func frame(at offset: Int) -> Int? {
        var (low, high) = (0, frames.count)
        while low < high {
            let middle = (low + high) / 2
            if frames[middle].offset <= offset { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : low - 1
    }

    /// The text of the first user data message: x264's settings, or the text of another encoder.
    var encoderText: String? {
        messages.first { $0.type == .unregisteredUserData }?.messages.lazy.compactMap(\.text).first
    }

    /// The number of pictures with a recovery point that are not key frames, as in a gradual (intra) refresh.
    var refreshCount: Int { frames.count { $0.recoveryCount != nil && !$0.isKey } }

    /// The number of NAL units and their bytes, by type.
    var unitCounts: [(type: Int, name: String, count: Int, bytes: Int)] {
        var counts: [Int: (name: String, count: Int, bytes: Int)] = [:]
        for unit in units {
            counts[unit.header.type, default: (unit.header.name, 0, 0)].count += 1
            counts[unit.header.type]?.bytes += unit.size
        }
        return counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value.name, $0.value.count, $0.value.bytes) }
    }
}

/// A NAL unit of the stream.
struct UnitRecord {
    let offset: Int
    let size: Int
    let header: UnitHeader
    let prefixSize: UInt8
}

/// Statistics on the frame sizes of one picture type.
struct SizeSummary {
    let kind: PictureKind
    private(set) var count = 0
    private(set) var bytes = 0
    private(set) var smallest = Int.max
    private(set) var largest = 0
    private var qpSum = 0.0
    private var qpCount = 0

    init(kind: PictureKind) {
        self.kind = kind
    }

    var mean: Double { Double(bytes) / Double(max(1, count)) }
    var meanQP: Double? { qpCount == 0 ? nil : qpSum / Double(qpCount) }

    mutating func add(_ frame: PictureRecord) {
        count += 1
        bytes += frame.size
        smallest = min(smallest, frame.size)
        largest = max(largest, frame.size)
        if let qp = frame.qp {
            qpSum += qp
            qpCount += 1
        }
    }
}

/// The SEI messages of one type.
struct SEISummary {
    let type: SEIPayloadType
    var count = 0
    var bytes = 0
    /// The first messages; a stream may have one for every frame.
    var messages: [SEIRecord] = []

    static let maximumMessages = 1000
}

/// An SEI message.
struct SEIRecord {
    /// The file offset of its NAL unit.
    let offset: Int
    let type: SEIPayloadType
    let size: Int
    let elements: [SyntaxElement]
    let uuid: String?
    let text: String?
}

/// A violation of the standard in the stream.
struct StreamProblem {
    /// The file offset.
    let offset: Int
    let message: String

    /// Returns one line for each distinct message, with its first offset, because one error often repeats in all later
    /// units.
    static func lines(_ problems: [StreamProblem]) -> [String] {
        var counts: [String: Int] = [:]
        var first: [StreamProblem] = []
        for problem in problems {
            if counts[problem.message] == nil { first.append(problem) }
            counts[problem.message, default: 0] += 1
        }
        return first.map { problem in
            let count = counts[problem.message] ?? 1
            return "byte \(problem.offset): \(problem.message)" + (count == 1 ? "" : ", and \(count - 1) more like it")
        }
    }
}
