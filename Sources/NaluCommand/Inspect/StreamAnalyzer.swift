internal import Nalu

/// Takes the NAL units of a stream one by one, and says in the end what they are together.
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
        case .h265: HEVCReader.self
        }
    }

    /// What to keep of a unit by its first byte.
    static func headLimit(_ codec: VideoCodec) -> HeadLimit {
        let type = readerType(codec)
        return { type.headLimit($0) }
    }

    /// Parameter sets that stand outside the stream.
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

    /// What a container says: of itself, of the samples by the place of their data, and of the frame rate.
    typealias Container = (facts: ContainerFacts, times: [Int: FrameTimes], rate: Double?)

    /// Everything about the stream. `fps` is the frame rate that somebody asked for, over the stream's own.
    consuming func finish(
        _ result: UnitReader.Result, form: StreamForm, name: String, fps: Double?, container: Container? = nil
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
            name: name, codec: codec, form: form, byteCount: result.bytes, units: units, frames: frames,
            accessUnitCount: assembler.accessUnitCount, description: description, parameterSets: sets,
            messages: messages.values.sorted { $0.type.rawValue < $1.type.rawValue },
            problems: problems.sorted { $0.offset < $1.offset }, problemCount: problemCount,
            rate: StreamRate(
                asked: fps, container: container?.rate, description: description, ticks: clock.ticks),
            groups: GroupRecord.groups(of: frames), container: container?.facts)
    }
}
