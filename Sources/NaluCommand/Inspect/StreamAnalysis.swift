internal import Nalu

/// What a stream holds.
struct StreamAnalysis {
    let name: String
    let codec: VideoCodec
    let form: StreamForm
    let byteCount: Int
    let units: [UnitRecord]
    /// In decoding order.
    let frames: [FrameRecord]
    let accessUnitCount: Int
    /// Nil where no parameter set could be read.
    let description: StreamDescription?
    let parameterSets: ParameterSetTable
    let messages: [SEISummary]
    /// The first ones, in the order of the file.
    let problems: [StreamProblem]
    let problemCount: Int
    let rate: StreamRate
    let groups: [GroupRecord]
    /// Where the stream lies in one.
    let container: ContainerFacts?
    /// Frames that the container's edit list hides.
    let hiddenCount: Int
    let curve: BitRateCurve
    /// One for each kind that there is.
    let sizes: [SizeSummary]

    init(
        name: String, codec: VideoCodec, form: StreamForm, byteCount: Int, units: [UnitRecord], frames: [FrameRecord],
        accessUnitCount: Int, description: StreamDescription?, parameterSets: ParameterSetTable,
        messages: [SEISummary], problems: [StreamProblem], problemCount: Int, rate: StreamRate, groups: [GroupRecord],
        container: ContainerFacts?, hiddenCount: Int
    ) {
        self.hiddenCount = hiddenCount
        self.container = container
        self.name = name
        self.codec = codec
        self.description = description
        self.form = form
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

    /// The longest run of B pictures in decoding order.
    var longestBRun: Int {
        var (longest, run) = (0, 0)
        for frame in frames {
            run = frame.kind == .b ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }

    /// The frame that the byte at `offset` belongs to; nil before the first one.
    func frame(at offset: Int) -> Int? {
        var (low, high) = (0, frames.count)
        while low < high {
            let middle = (low + high) / 2
            if frames[middle].offset <= offset { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : low - 1
    }

    /// x264's own description of its settings, and any other text that an encoder left.
    var encoderText: String? {
        messages.first { $0.type == .unregisteredUserData }?.messages.lazy.compactMap(\.text).first
    }

    /// Pictures that are no key frames, but after which a decoder that began there is right: periodic intra refresh.
    var refreshCount: Int { frames.count { $0.recoveryCount != nil && !$0.isKey } }

    /// NAL units and their bytes by type.
    var unitCounts: [(type: Int, name: String, count: Int, bytes: Int)] {
        var counts: [Int: (name: String, count: Int, bytes: Int)] = [:]
        for unit in units {
            counts[unit.header.type, default: (unit.header.name, 0, 0)].count += 1
            counts[unit.header.type]?.bytes += unit.size
        }
        return counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value.name, $0.value.count, $0.value.bytes) }
    }
}

/// One NAL unit of the stream.
struct UnitRecord {
    let offset: Int
    let size: Int
    let header: UnitHeader
    let prefixSize: UInt8
}

/// How large the frames of one kind are.
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

    mutating func add(_ frame: FrameRecord) {
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
    /// The first ones; a stream may have one for every frame.
    var messages: [SEIRecord] = []

    static let maximumMessages = 1000
}

/// One SEI message.
struct SEIRecord {
    /// Where its NAL unit begins in the file.
    let offset: Int
    let type: SEIPayloadType
    let size: Int
    let elements: [SyntaxElement]
    let uuid: String?
    let text: String?
}

/// Something in the stream that is not as the standard wants it.
struct StreamProblem {
    /// Where in the file.
    let offset: Int
    let message: String

    /// One line for each message, with its first place: what is broken once often breaks all that follows.
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
