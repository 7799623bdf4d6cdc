import Testing

@testable import Nalu
@testable import NaluBitstream

/// The reference picture sets of H.265 slices. Tests/c tests those of complete streams.
@Suite struct HEVCReferenceSetTests {
    private typealias Set = HEVCShortTermReferences

    private static func reader(_ writer: BitWriter) -> BitReader {
        var whole = writer
        whole.appendTrailingBits()
        return BitReader(payload: whole.bytes, unitName: "payload")
    }

    private static func write(_ earlier: [Int], _ later: [Int], unused: [Int] = [], into writer: inout BitWriter) {
        writer.append(unsigned: UInt32(earlier.count))
        writer.append(unsigned: UInt32(later.count))
        for side in [earlier, later] {
            var last = 0
            for distance in side {
                writer.append(unsigned: UInt32(abs(distance - last) - 1))
                writer.append(!unused.contains(distance))
                last = distance
            }
        }
    }

    /// The random access configuration of HM, the reference software. Each set is coded as a change of the one before.
    /// The kinds of its pictures are 1: used, 2: kept for later pictures, 0: removed.
    @Test func predictedReferenceSetsFollowTheStandard() throws {
        let changes: [(delta: Int, kinds: [Int], expected: [Int])] = [
            (4, [1, 1, 0, 0, 1], [-4, -6, 4]),
            (2, [1, 1, 1, 1], [-2, -4, 2, 6]),
            (1, [1, 0, 1, 1, 1], [-1, 1, 3, 7]),
            (-2, [1, 1, 1, 1, 0], [-1, -3, 1, 5]),
            (-3, [1, 1, 1, 1, 0], [-2, -4, -6, 2]),
            (1, [1, 0, 1, 1, 1], [-1, -5, 1, 3]),
            (-2, [1, 2, 1, 1, 0], [-1, -3, -7, 1]),
        ]
        var writer = BitWriter()
        Self.write([-8, -10, -12, -16], [], into: &writer)
        for change in changes {
            writer.append(true)
            writer.append(change.delta < 0)
            writer.append(unsigned: UInt32(abs(change.delta) - 1))
            for kind in change.kinds {
                writer.append(kind == 1)
                if kind != 1 { writer.append(kind == 2) }
            }
        }
        var reader = Self.reader(writer)
        var sets: [Set] = []
        for _ in 0...changes.count { sets.append(try Set(in: &reader, after: sets, isInSlice: false)) }
        #expect(reader.end - reader.position <= 8)
        #expect(sets[0].map(\.distance) == [-8, -10, -12, -16])
        for (set, change) in zip(sets.dropFirst(), changes) {
            #expect(set.map(\.distance) == change.expected)
            #expect(set.earlierCount == change.expected.count { $0 < 0 })
        }
        #expect(sets[7].map(\.isUsed) == [true, true, false, true])
        #expect(sets.dropLast().allSatisfy { $0.allSatisfy(\.isUsed) })
        // A slice can predict its set from any of them.
        writer = BitWriter()
        writer.append(true)
        writer.append(unsigned: 7)
        writer.append(false)
        writer.append(unsigned: 7)
        for _ in 0..<5 { writer.append(true) }
        reader = Self.reader(writer)
        let set = try Set(in: &reader, after: sets, isInSlice: true)
        #expect(set.map(\.distance) == [-2, -4, -8, 8])
    }

    @Test func referenceSetsLargerThanADecodersAreRefused() throws {
        var writer = BitWriter()
        Self.write((1...16).map { -$0 }, [], unused: [-16], into: &writer)
        var reader = Self.reader(writer)
        let full = try Set(in: &reader, after: [], isInSlice: true)
        #expect(full.count == 16 && full[15] == .init(distance: -16, isUsed: false))
        writer = BitWriter()
        Self.write((1...10).map { -$0 }, Array(1...7), into: &writer)
        reader = Self.reader(writer)
        #expect(throws: NaluError.self) { try Set(in: &reader, after: [], isInSlice: true) }
        // All pictures of a full set, and the current picture.
        writer = BitWriter()
        for bit in [true, true] { writer.append(bit) }
        writer.append(unsigned: 0)
        for _ in 0..<17 { writer.append(true) }
        reader = Self.reader(writer)
        #expect(throws: NaluError.self) { try Set(in: &reader, after: [full], isInSlice: false) }
    }

    // MARK: - Slices

    private static func sequence() -> HEVCSequenceParameterSet {
        var sequence = HEVCSequenceParameterSet()
        sequence.picOrderCountBits = 8
        sequence.codedWidth = 64
        sequence.codedHeight = 64
        return sequence
    }

    private static func slice(
        _ sequence: HEVCSequenceParameterSet, _ write: (inout BitWriter) -> Void
    ) throws -> HEVCSliceHeader {
        let picture = try HEVCPictureParameterSet(parsing: TestBytes.hex("4401c172b46240"))
        var writer = BitWriter()
        for byte in [2, 1] as [UInt32] { writer.append(byte, width: 8) }
        // first_slice_segment_in_pic_flag, PPS 0, P slice, order 100.
        writer.append(0b1_1_010, width: 5)
        writer.append(100, width: 8)
        write(&writer)
        writer.appendTrailingBits()
        return try HEVCSliceHeader(
            parsing: EmulationPrevention.inserting(into: writer.bytes), pictureParameterSet: picture,
            sequenceParameterSet: sequence)
    }

    @Test func slicesSelectAReferenceSet() throws {
        var sequence = Self.sequence()
        var writer = BitWriter()
        Self.write([-1, -2], [3], into: &writer)
        var reader = Self.reader(writer)
        let set = try Set(in: &reader, after: [], isInSlice: false)
        #expect(throws: NaluError.self) { try Self.slice(sequence) { $0.append(true) } }
        sequence.shortTermReferences = [set]
        #expect(try Self.slice(sequence) { $0.append(true) }.shortTermReferences == set)
        sequence.shortTermReferences = [Set(), Set(), set]
        #expect(try Self.slice(sequence) { $0.append(0b1_10, width: 3) }.shortTermReferences == set)
        #expect(throws: NaluError.self) { try Self.slice(sequence) { $0.append(0b1_11, width: 3) } }
    }

    @Test func slicesHaveLongTermReferences() throws {
        var sequence = Self.sequence()
        sequence.shortTermReferences = [Set()]
        sequence.hasLongTermReferences = true
        sequence.longTermReferences = [
            .init(orderLSB: 7, cycle: nil, isUsed: false), .init(orderLSB: 9, cycle: nil, isUsed: true),
            .init(orderLSB: 11, cycle: nil, isUsed: true),
        ]
        let slice = try Self.slice(sequence) { writer in
            writer.append(true)
            writer.append(unsigned: 2)
            writer.append(unsigned: 3)
            // From the SPS: its second picture without a cycle, its first with cycle 2. From the slice: three pictures
            // with 4, 4 + 1, and no cycles.
            writer.append(0b01_0, width: 3)
            writer.append(0b00_1, width: 3)
            writer.append(unsigned: 2)
            for (order, isUsed, cycle) in [(200, true, 4), (201, false, 1), (202, true, nil)]
                as [(UInt32, Bool, UInt32?)]
            {
                writer.append(order, width: 8)
                writer.append(isUsed)
                writer.append(cycle != nil)
                if let cycle { writer.append(unsigned: cycle) }
            }
        }
        #expect(
            Array(slice.longTermReferences) == [
                .init(orderLSB: 9, cycle: nil, isUsed: true), .init(orderLSB: 7, cycle: 2, isUsed: false),
                .init(orderLSB: 200, cycle: 4, isUsed: true), .init(orderLSB: 201, cycle: 5, isUsed: false),
                .init(orderLSB: 202, cycle: nil, isUsed: true),
            ])
        // A fourth of three pictures, more pictures than allowed, and cycles beyond 32 bits.
        for bits in [[true, false, true, false, true, true, true, false]] {
            #expect(throws: NaluError.self) {
                try Self.slice(sequence) { writer in bits.forEach { writer.append($0) } }
            }
        }
        #expect(throws: NaluError.self) {
            try Self.slice(sequence) { writer in
                writer.append(true)
                writer.append(unsigned: 0)
                writer.append(unsigned: 17)
            }
        }
        #expect(throws: NaluError.self) {
            try Self.slice(sequence) { writer in
                writer.append(true)
                writer.append(unsigned: 0)
                writer.append(unsigned: 2)
                for _ in 0..<2 {
                    writer.append(0b00000000_1_1, width: 10)
                    writer.append(unsigned: 1 << 23)
                }
            }
        }
    }
}
