internal import Nalu

/// Takes the NAL units of a stream one by one, and says in the end what they are together.
struct StreamAnalyzer {
    private var units: [UnitRecord] = []
    private var assembler = PictureAssembler()
    private var sets = ParameterSetTable()
    private var messages: [Int: SEISummary] = [:]
    private var problems: [StreamProblem] = []
    private var problemCount = 0
    private var clock = OutputClock()

    private static let maximumProblems = 100

    /// What to keep of a unit by its first byte: parameter sets whole, messages whole unless they are huge, of slices
    /// the header.
    static func headLimit(_ firstByte: UInt8) -> Int {
        switch NALUnitHeader(rawValue: firstByte).type {
        case .sequenceParameterSet, .pictureParameterSet, .supplementalEnhancementInformation: 1 << 16
        case .slice, .sliceDataPartitionA, .sliceIDR: 1 << 12
        default: 16
        }
    }

    /// Parameter sets that stand outside the stream.
    mutating func addOutside(_ configuration: AVCConfiguration) {
        for bytes in configuration.sequenceParameterSets + configuration.pictureParameterSets {
            let unit = ScannedUnit(offset: 0, prefixSize: 0, size: bytes.count, head: bytes)
            sets.add(unit, type: NALUnitHeader(rawValue: bytes.first ?? 0).type)
        }
    }

    mutating func add(_ unit: ScannedUnit) {
        let header = NALUnitHeader(rawValue: unit.head.first ?? 0)
        let type = header.type
        if header.hasForbiddenBit {
            complain(unit.offset, "a NAL unit with its forbidden bit set")
        }
        if type == .slice || type == .sliceDataPartitionA || type == .sliceIDR {
            addSlice(unit)
        } else {
            assembler.add(unit, beginsAccessUnit: type.standsBeforePicture)
        }
        units.append(
            UnitRecord(
                offset: unit.offset, size: unit.size, header: header, prefixSize: UInt8(unit.prefixSize)))
        if type == .supplementalEnhancementInformation {
            addMessages(unit)
        } else {
            sets.add(unit, type: type)
        }
    }

    private mutating func addSlice(_ unit: ScannedUnit) {
        let start = try? SliceStart(parsing: Array(unit.head.prefix(64)))
        guard let start else {
            complain(unit.offset, "a slice whose header cannot be read")
            return assembler.addSlice(unit, start: nil, header: nil, sequence: nil)
        }
        guard let (picture, sequence) = sets.sets(for: start) else {
            complain(unit.offset, "a slice with \(sets.missing(for: start)), which is not there")
            return assembler.addSlice(unit, start: start, header: nil, sequence: nil)
        }
        do throws(NaluError) {
            let header = try SliceHeader(
                parsing: unit.head, pictureParameterSet: picture, sequenceParameterSet: sequence)
            assembler.addSlice(unit, start: start, header: header, sequence: sequence)
        } catch {
            complain(unit.offset, error.message)
            assembler.addSlice(unit, start: start, header: nil, sequence: nil)
        }
    }

    private mutating func addMessages(_ unit: ScannedUnit) {
        for message in SEIMessage.messages(of: unit.head) {
            let elements = message.elements(sequence: sets.sequence)
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
        for complaint in result.complaints { complain(complaint.offset, complaint.message) }
        for problem in sets.problems { complain(problem.offset, problem.message) }
        problemCount += sets.problemCount - sets.problems.count
        var frames = assembler.frames
        DisplayOrder.assign(to: &frames)
        if let container { FrameTimes.assign(container.times, to: &frames) }
        return StreamAnalysis(
            name: name, form: form, byteCount: result.bytes, units: units, frames: frames,
            accessUnitCount: assembler.accessUnitCount, parameterSets: sets,
            messages: messages.values.sorted { $0.type.rawValue < $1.type.rawValue },
            problems: problems.sorted { $0.offset < $1.offset }, problemCount: problemCount,
            rate: StreamRate(
                asked: fps, container: container?.rate, sequence: sets.firstSequence, ticks: clock.ticks),
            groups: GroupRecord.groups(of: frames), container: container?.facts)
    }
}
