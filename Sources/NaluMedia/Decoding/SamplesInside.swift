internal import NaluBase

/// The samples inside a decoder, in decode order.
struct SamplesInside {
    private var records: [SampleRecord] = []
    /// The numbers of the samples that the decoder may be decoding, if it decodes several at once.
    private var underway: [UInt64] = []
    /// The number of the last key frame.
    private(set) var sequence: UInt64 = 0
    /// Whether a picture arrived after one that is presented later: the times do not show the order.
    private var timesMislead = false
    /// Whether the times contradict the bitstream. The bitstream's order decides from then on.
    private(set) var ordersCount = false
    /// The latest presentation time of the images since the decoder was emptied.
    private var latest: MediaTime?

    /// The most samples inside a decoder: more than any reordering and all threads need.
    private static let most = 160
    /// The most frames that reordering delays (ITU-T H.264 E.2.1, max_num_reorder_frames; ITU-T H.265 A.4.2).
    private static let mostReordered: UInt64 = 16

    init() {
        records.reserveCapacity(Self.most + 1)
    }

    /// The number of the first sample in decode order.
    var first: UInt64? { records.first?.number }
    /// The number of the last sample in decode order.
    var last: UInt64? { records.last?.number }
    var isEmpty: Bool { records.isEmpty }
    var isOverfull: Bool { records.count > Self.most }

    /// Adds a sample that the decoder gets.
    ///
    /// - Parameter isIntact: whether nothing is known to be missing before the sample, so that its place is right.
    mutating func append(_ record: SampleRecord, isIntact: Bool = false) {
        if isIntact, !ordersCount {
            ordersCount = records.contains { !$0.isTainted && $0.failure == nil && record.contradicts($0) }
        }
        records.append(record)
    }

    /// Begins the sequence of a key frame.
    mutating func beginSequence(_ number: UInt64) {
        sequence = number
        timesMislead = false
    }

    // MARK: Samples being decoded

    var firstUnderway: UInt64? { underway.first }

    /// Notes that the decoder gets this sample, and works on at most `atOnce` samples.
    mutating func begin(_ number: UInt64, atOnce: Int) {
        underway.append(number)
        if underway.count > atOnce { underway.removeFirst() }
    }

    mutating func endAll() {
        underway.removeAll(keepingCapacity: true)
        latest = nil
    }

    /// Records the decoder's error for a sample. The first error stays, because a lack of memory also leaves a gap.
    ///
    /// - Returns: the sample's record; nil if the sample was delivered already.
    @discardableResult
    mutating func fail(_ number: UInt64, _ error: NaluError) -> SampleRecord? {
        guard let index = records.firstIndex(where: { $0.number == number }) else { return nil }
        if records[index].failure == nil { records[index].failure = error }
        return records[index]
    }

    /// Records a lack of memory: any of the pictures inside the decoder may be missing.
    mutating func lackMemory(_ error: NaluError) {
        for index in records.indices { records[index].lack = error }
    }

    /// Marks the samples after this number, up to the next key frame, as referring to a damaged picture.
    mutating func taint(after number: UInt64) {
        for index in records.indices where records[index].number > number && records[index].sequence <= number {
            records[index].isTainted = true
        }
    }

    // MARK: Delivery

    /// Removes and returns the sample whose picture is next in output order; nil if it was delivered already. If the
    /// times contradict that order, the sample gets the earliest time of those inside.
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

    /// Notes that a picture arrived after its sample was given up, and so after one that is presented later. A picture
    /// of a former sequence shows nothing about the times of this one.
    mutating func noteLatePicture(_ number: UInt64) {
        if number >= sequence { timesMislead = true }
    }

    /// Returns whether an undamaged picture with an earlier time is still missing. After a lost key frame the decoder
    /// assigns the pictures that follow to the previous sequence, and mixes them with its last ones.
    func hasIntactOne(before record: SampleRecord, atOnce: Int) -> Bool {
        let reach = Self.mostReordered + UInt64(atOnce)
        return records.contains { other in
            !other.isTainted && other.failure == nil && other.number + reach > record.number
                && (other.sequence < record.sequence || other.isPresented(before: record, byOrder: ordersCount))
        }
    }

    /// Returns whether a picture that is presented later has been delivered. After a lost key frame FFmpeg's H.265
    /// decoder returns pictures before others that it assigns to the previous sequence.
    func isLate(_ record: SampleRecord) -> Bool {
        latest.map { record.presentationTime < $0 } == true
    }

    mutating func show(_ record: SampleRecord) {
        if !isLate(record) { latest = record.presentationTime }
    }

    /// Removes and returns a sample that should have had its picture before this one; nil if there is none.
    mutating func popPast(before record: SampleRecord) -> SampleRecord? {
        let index = records.firstIndex { other in
            other.sequence < record.sequence
                || other.sequence == record.sequence && !timesMislead
                    && other.isPresented(before: record, byOrder: ordersCount)
        }
        return index.map { records.remove(at: $0) }
    }
}
