internal import Nalu
private import NaluBitstream

/// Analyses a stream from its NAL units, one at a time.
struct StreamAnalyzer {
    private let codec: VideoCodec
    private var reader: any CodecReader
    private var units: [UnitRecord] = []
    private var assembler: PictureAssembler
    private var messages: [Int: SEISummary] = [:]
    private var problems: [StreamProblem] = []
    private var problemCount = 0
    private var clock = OutputClock()

    private static let maximumProblems = 100

    init(_ codec: VideoCodec) {
        self.codec = codec
        let type = Self.readerType(codec)
        reader = type.init()
        assembler = PictureAssembler(recoveryMakesKeys: type.recoveryMakesKeys)
    }

    private static func readerType(_ codec: VideoCodec) -> any CodecReader.Type {
        switch codec {
        case .h264: H264Reader.self
        case .hevc: HEVCReader.self
        }
    }

    /// Returns the function that limits the kept bytes of a NAL unit by its first byte.
    static func headLimit(_ codec: VideoCodec) -> HeadLimit {
        let type = readerType(codec)
        return { type.headLimit($0) }
    }

    /// Adds parameter sets from outside the stream.
    mutating func addOutside(_ sets: OutsideSets) {
        for bytes in sets.units {
            reader.addSet(ScannedUnit(offset: 0, prefixSize: 0, size: bytes.count, head: bytes))
        }
    }

    mutating func add(_ unit: ScannedUnit) {
        if let problem = reader.add(unit, to: &assembler) { complain(unit.offset, problem) }
        units.append(
            UnitRecord(
                offset: unit.offset, size: unit.size, header: UnitHeader(codec, of: unit.head),
                prefixSize: UInt8(unit.prefixSize)))
        reader.addSet(unit)
        addMessages(unit)
    }

    private mutating func addMessages(_ unit: ScannedUnit) {
        for (message, elements) in reader.messages(of: unit.head) {
            if message.type == .recoveryPoint, let count = elements.first {
                assembler.addRecoveryPoint(frameCount: count.value)
            }
            clock.add(message, elements)
            var summary = messages[message.type.rawValue] ?? SEISummary(type: message.type)
            summary.count += 1
            summary.bytes += message.size
            if summary.messages.count < SEISummary.maximumMessages {
                summary.messages.append(
                    SEIRecord(
                        offset: unit.offset, type: message.type, size: message.size, elements: elements,
                        uuid: message.userDataUUID, text: message.userDataText))
            }
            messages[message.type.rawValue] = summary
            if messages.count > 1024 { break }
        }
    }

    private mutating func complain(_ offset: Int, _ message: String) {
        problemCount += 1
        if problems.count < Self.maximumProblems {
            problems.append(StreamProblem(offset: offset, message: message))
        }
    }

    /// The facts from a container.
    struct Container {
        let facts: ContainerFacts
        /// The times of samples, by the file offset of their data.
        let times: [Int: FrameTimes]
        let rate: Double?
        /// The time in seconds for which samples are displayed.
        let seconds: Double
        /// The number of samples that the edit list hides.
        let hidden: Int
        let isDamaged: Bool

        /// Returns frames per second. The container's rate counts unless it differs from the mean of all frames by 10 %
        /// or more, because some containers count finer ticks.
        func rate(_ count: Int, stated: Double?) -> Double? {
            let shown = count - hidden
            guard seconds > 0, shown > 1 else { return rate }
            let mean = Double(shown) / seconds
            // If frames are missing, the mean is too low, so it is only the last resort.
            if isDamaged { return rate ?? (stated == nil ? mean : nil) }
            return rate.flatMap { abs($0 / mean - 1) < 0.1 ? $0 : nil } ?? mean
        }
    }

    /// Returns the analysis of the stream. `fps` is the user's frame rate, which replaces the stream's own.
    consuming func finish(
        _ result: UnitReader.Result, framing: StreamFraming, name: String, fps: Double?, container: Container? = nil
    ) -> StreamAnalysis {
        assembler.finish()
        let sets = reader.sets
        for complaint in result.complaints { complain(complaint.offset, complaint.message) }
        for problem in sets.problems { complain(problem.offset, problem.message) }
        problemCount += sets.problemCount - sets.problems.count
        var frames = assembler.frames
        DisplayOrder.assign(to: &frames)
        if let container { FrameTimes.assign(container.times, to: &frames) }
        let description = reader.description
        return StreamAnalysis(
            name: name, codec: codec, framing: framing, byteCount: result.bytes, units: units, frames: frames,
            accessUnitCount: assembler.accessUnitCount, description: description, parameterSets: sets,
            messages: messages.values.sorted { $0.type.rawValue < $1.type.rawValue },
            problems: problems.sorted { $0.offset < $1.offset }, problemCount: problemCount,
            rate: StreamRate(
                asked: fps, container: container?.rate(frames.count, stated: description?.frameRate),
                description: description, ticks: clock.ticks, fieldsPerPicture: clock.fieldsPerPicture),
            groups: GroupRecord.groups(of: frames), container: container?.facts,
            hiddenCount: container?.hidden ?? 0)
    }
}

/// The frame rate of streams whose ticks are finer than frames. It follows from display times in picture timing
/// messages (`cpb_removal_delay` and `dpb_output_delay`, ITU-T H.264 C.1.2 and D.2.3).
struct OutputClock {
    /// Display times in ticks, in the first buffering period.
    private var times: [Int] = []
    private var periodCount = 0
    /// The numbers of pictures and fields that messages with `pic_struct` state.
    private var counts = (pictures: 0, fields: 0)

    private static let maximumTimes = 1024

    mutating func add(_ message: SEIMessage, _ elements: [SyntaxElement]) {
        if message.type == .bufferingPeriod { periodCount += 1 }
        if message.type == .pictureTiming, let fields = DisplayedFields(elements) {
            counts.pictures += 1
            counts.fields += fields.count
        }
        // Delays count from the first picture of a buffering period. The delay of that picture counts from the period
        // before.
        guard message.type == .pictureTiming, periodCount == 1, times.count < Self.maximumTimes, elements.count >= 2,
            elements[0].name == "cpb_removal_delay", elements[1].name == "dpb_output_delay"
        else { return }
        times.append(elements[0].value + elements[1].value)
    }

    /// The mean number of fields for which a picture is displayed, 2 without a repeated field or frame.
    var fieldsPerPicture: Double {
        counts.pictures > 0 ? Double(counts.fields) / Double(counts.pictures) : 2
    }

    /// The ticks of a frame: the most frequent step between display times; nil if less than half of the steps have this
    /// length.
    var ticks: Int? {
        let sorted = times.sorted()
        var steps: [Int: Int] = [:]
        for (first, second) in zip(sorted, sorted.dropFirst()) { steps[second - first, default: 0] += 1 }
        guard let common = steps.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), common.key > 0,
            common.value * 2 > sorted.count - 1
        else { return nil }
        return common.key
    }
}

/// Numbers frames in display order.
enum DisplayOrder {
    /// Sets the display positions: by picture order count, up to the next restart of the order.
    static func assign(to frames: inout [PictureRecord]) {
        let order = frames.indices.sorted { first, second in
            let (a, b) = (frames[first], frames[second])
            return (a.epoch, a.pictureOrderCount, first) < (b.epoch, b.pictureOrderCount, second)
        }
        for (place, index) in order.enumerated() { frames[index].display = place }
    }
}
