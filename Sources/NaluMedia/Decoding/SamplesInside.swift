internal import NaluBase

/// The samples inside a decoder, in decode order.
struct SamplesInside {
    private var records: [SampleRecord] = []
    /// The numbers of the samples that the decoder may be at, when it decodes several at once.
    private var underway: [UInt64] = []
    /// Counts key frames.
    private(set) var sequence: UInt64 = 0
    /// A picture came after one that is presented later: the times say nothing about the order.
    private var timesMislead = false
    /// The times contradict the bitstream, which decides from then on.
    private(set) var ordersCount = false
    /// The latest time of the images since the decoder was emptied.
    private var latest: MediaTime?
    /// The number of the last key frame.
    private var sequenceStart: UInt64 = 0

    /// More than any reordering, and all threads.
    private static let most = 160
    /// ITU-T H.264 E.2.1, max_num_reorder_frames; ITU-T H.265 A.4.2.
    private static let mostReordered: UInt64 = 16

    init() {
        records.reserveCapacity(Self.most + 1)
    }

    /// The number of the last one.
    var last: UInt64? { records.last?.number }
    var isEmpty: Bool { records.isEmpty }
    var isOverfull: Bool { records.count > Self.most }

    /// - Parameter isIntact: whether nothing is known to be missing before the sample, so that its place is right.
    mutating func append(_ record: SampleRecord, isIntact: Bool = false) {
        if isIntact, !ordersCount {
            ordersCount = records.contains { !$0.isTainted && $0.failure == nil && record.contradicts($0) }
        }
        records.append(record)
    }

    /// A key frame comes.
    mutating func beginSequence(_ number: UInt64) {
        sequence += 1
        sequenceStart = number
        timesMislead = false
    }

    // MARK: What the decoder is at

    var firstUnderway: UInt64? { underway.first }

    /// The decoder gets this sample, and has as many in work at once.
    mutating func begin(_ number: UInt64, atOnce: Int) {
        underway.append(number)
        if underway.count > atOnce { underway.removeFirst() }
    }

    mutating func endAll() {
        underway.removeAll(keepingCapacity: true)
        latest = nil
    }

    /// The decoder failed at a sample. Its first error stays: a lack of memory leaves a gap, too.
    ///
    /// - Returns: its record, if it has not come back.
    @discardableResult
    mutating func fail(_ number: UInt64, _ error: NaluError) -> SampleRecord? {
        guard let index = records.firstIndex(where: { $0.number == number }) else { return nil }
        if records[index].failure == nil { records[index].failure = error }
        return records[index]
    }

    /// The decoder lacked memory: any of the pictures that it has may be missing.
    mutating func lackMemory(_ error: NaluError) {
        for index in records.indices { records[index].lack = error }
    }

    /// What comes after this number refers to something that is damaged.
    mutating func taint(after number: UInt64) {
        for index in records.indices where records[index].number > number { records[index].isTainted = true }
    }

    // MARK: What comes back

    /// The sample whose picture comes next in output order. If the times contradict that order, it gets the earliest time of
    /// those inside.
    mutating func take(_ number: UInt64) -> SampleRecord? {
        guard let index = records.firstIndex(where: { $0.number == number }) else { return nil }
        var record = records.remove(at: index)
        if ordersCount { giveEarliestTime(to: &record) }
        return record
    }

    private mutating func giveEarliestTime(to record: inout SampleRecord) {
        var earliest: Int?
        for (index, other) in records.enumerated() where other.sequence == record.sequence {
            let before = earliest.map { records[$0] } ?? record
            if other.presentationTime < before.presentationTime { earliest = index }
        }
        if let earliest { record.swapTimes(with: &records[earliest]) }
    }

    mutating func popFirst() -> SampleRecord? {
        records.isEmpty ? nil : records.removeFirst()
    }

    /// A picture came whose sample was given up: after one that is presented later. That of a former sequence says nothing
    /// of this one.
    mutating func comeTooLate(_ number: UInt64) {
        if number >= sequenceStart { timesMislead = true }
    }

    /// Whether an undamaged picture of an earlier time is still to come. After a lost key frame the decoder takes those
    /// after it for pictures of the sequence before, and mixes them with its last ones.
    func hasSoundOne(before record: SampleRecord, atOnce: Int32) -> Bool {
        let reach = Self.mostReordered + UInt64(atOnce)
        return records.contains { other in
            !other.isTainted && other.failure == nil && other.number + reach > record.number
                && (other.sequence < record.sequence || other.isPresented(before: record, byOrder: ordersCount))
        }
    }

    /// Whether a picture that is presented later has been shown. FFmpeg's H.265 decoder gives those after a lost key
    /// frame before others that it takes for the sequence before.
    func isLate(_ record: SampleRecord) -> Bool {
        latest.map { record.presentationTime < $0 } == true
    }

    mutating func show(_ record: SampleRecord) {
        if !isLate(record) { latest = record.presentationTime }
    }

    /// A sample that should have given a picture before this one.
    mutating func popPast(before record: SampleRecord) -> SampleRecord? {
        let index = records.firstIndex { other in
            other.sequence < record.sequence
                || other.sequence == record.sequence && !timesMislead
                    && other.isPresented(before: record, byOrder: ordersCount)
        }
        return index.map { records.remove(at: $0) }
    }
}
