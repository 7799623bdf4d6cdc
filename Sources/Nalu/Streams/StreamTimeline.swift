/// Assigns times to access units. Presentation times follow the output order; the client passes them, or they are
/// counted on. Decode times are derived from them as in a session.
struct StreamTimeline {
    private struct Entry {
        let unit: AccessUnit
        let duration: MediaTime
        var time: MediaTime?
    }

    private struct PendingAccessUnit {
        let order: Int
        let number: Int
        let given: MediaTime?
        let step: MediaTime
    }

    private let frameDuration: MediaTime?
    private let reorderDepth: Int?
    private var depth = 0
    /// Finds the depth of a stream that does not state it; otherwise nil.
    private var finder: ReorderFinder?
    private var line = DecodeTimeline(reorderDepth: 0)
    /// Access units whose samples have not been delivered, in decoding order.
    private var entries = RingBuffer<Entry>(capacity: 32)
    /// The number of access units that have left `entries`.
    private var gone = 0
    /// Access units whose position in output order is not known yet.
    private var waiting: [PendingAccessUnit] = []
    private var lastShown: MediaTime?
    private var lastStep = StreamParserOptions.assumedFrameDuration
    private var lastDecode: MediaTime?
    /// The first time in output order since `line` was created.
    private var firstShown: MediaTime?
    /// The number of times passed by the client that did not grow.
    private(set) var replacedTimes = 0

    init(frameDuration: MediaTime?, reorderDepth: Int?) {
        self.frameDuration = frameDuration
        self.reorderDepth = reorderDepth
    }

    /// Adds the next access unit in decoding order. `ready` receives the samples whose times are then known.
    mutating func add(_ unit: AccessUnit, to ready: (Sample) -> Void) {
        if unit.restartsOrder || (entries.isEmpty && lastShown == nil) {
            finish(to: ready)
            let needed = reorderDepth ?? unit.format.sequence.outputDelay
            if needed > depth || lastShown == nil {
                depth = max(depth, needed)
                line = DecodeTimeline(reorderDepth: depth)
                firstShown = nil
            }
            adoptFinder(unit.format.sequence)
        }
        find(unit.order)
        let duration = frameDuration ?? unit.format.sequence.frameDuration.map { unit.fields.duration(frame: $0) }
        waiting.append(
            PendingAccessUnit(
                order: unit.order, number: gone + entries.count, given: unit.time,
                step: duration ?? StreamParserOptions.assumedFrameDuration))
        entries.append(Entry(unit: unit, duration: duration ?? .invalid, time: nil))
        while finder?.canShow(waiting.lazy.map { $0.order }) ?? (waiting.count > depth) { showNext() }
        give(to: ready)
    }

    private mutating func adoptFinder(_ sequence: SequenceParameterSet) {
        if reorderDepth == nil, sequence.isOutputDelayUnsure {
            finder = finder ?? ReorderFinder(most: sequence.mostOutputDelay)
            finder?.restart()
        } else {
            finder = nil
        }
    }

    /// Increases the depth if a picture arrives after pictures that it precedes in output order.
    private mutating func find(_ order: Int) {
        guard finder?.meet(order, waiting: waiting.lazy.map { $0.order }) == true, let found = finder?.depth,
            found > depth
        else { return }
        depth = found
        line = DecodeTimeline(reorderDepth: depth)
        firstShown = nil
        var times: [(time: MediaTime, step: MediaTime)] = []
        for index in 0..<entries.count {
            guard let entry = entries[index], let time = entry.time else { continue }
            times.append((time, lastStep))
        }
        for entry in times.sorted(by: { $0.time < $1.time }) {
            firstShown = firstShown ?? entry.time
            line.accept(entry.time, duration: entry.step)
        }
    }

    /// Assigns times to all waiting access units: no later picture can be displayed before them.
    mutating func finish(to ready: (Sample) -> Void) {
        while !waiting.isEmpty { showNext() }
        give(to: ready)
    }

    private mutating func showNext() {
        var least = 0
        for index in waiting.indices where waiting[index].order < waiting[least].order { least = index }
        let next = waiting.remove(at: least)
        let time = time(of: next)
        finder?.show(next.order)
        lastShown = time
        firstShown = firstShown ?? time
        lastStep = next.step
        line.accept(time, duration: next.step)
        entries[next.number - gone]?.time = time
    }

    private mutating func time(of next: PendingAccessUnit) -> MediaTime {
        guard let before = lastShown else { return next.given ?? MediaTime(value: 0, timescale: next.step.timescale) }
        if let given = next.given {
            if given > before { return given }
            replacedTimes += 1
        }
        let counted = before + lastStep
        if counted.isNumeric, counted > before { return counted }
        var later = before
        later.value = before.value == .max ? .max : before.value + 1
        return later
    }

    private mutating func give(to ready: (Sample) -> Void) {
        while let entry = entries[0], let time = entry.time {
            _ = entries.popFirst()
            gone += 1
            let decode = growing(line.next(presentation: time), upTo: time)
            lastDecode = decode
            var attachments = entry.unit.attachments
            if finder != nil, depth > 0, attachments.isSuperset(of: [.notSync, .isDependedOnByOthers]) {
                attachments.insert(.earlierDisplayTimesAllowed)
            }
            ready(
                unsafe entry.unit.bytes.withUnsafeBytes { bytes in
                    unsafe Sample(
                        formatDescription: entry.unit.format, data: bytes, presentationTime: time, decodeTime: decode,
                        duration: entry.duration, attachments: attachments, averageQP: .nan,
                        frameRefcon: nil)
                })
        }
    }

    /// Returns a decode time after the last one. If the stream begins to reorder more, some pictures have no decode
    /// time of their own. Their times lie between the last decode time and the first presentation time since then,
    /// which is the decode time of a later picture.
    private func growing(_ time: MediaTime, upTo presentation: MediaTime) -> MediaTime {
        guard let last = lastDecode, time <= last else { return time }
        let limit = min(presentation, firstShown ?? presentation)
        var half = limit - last
        guard half.isNumeric, half.value > 0 else { return limit }
        if half.timescale <= Int32.max / 2 { half.timescale *= 2 } else { half.value /= 2 }
        let between = last + half
        return between > last && between <= limit ? between : limit
    }
}

/// The NAL units of one picture, or of the two fields of a frame, before times are assigned.
struct AccessUnit {
    /// The NAL units with 4-byte length prefixes, without parameter sets.
    let bytes: [UInt8]
    let format: FormatDescription
    let attachments: SampleAttachments
    /// The picture order count, relative to the last access unit that `restartsOrder`.
    let order: Int
    let restartsOrder: Bool
    /// The time that was passed with the bytes of the access unit.
    let time: MediaTime?
    let fields: DisplayedFields
}
