import Testing

@testable import Nalu
@testable import NaluBitstream

@Suite struct SliceRewriterTests {
    private static func rewrite(
        _ unit: [UInt8], _ rewriter: inout SliceRewriter, _ edit: SliceRewriter.Edit
    ) throws(NaluError) -> [UInt8] {
        try unsafe unit.withBytes { (bytes) throws(NaluError) in
            let nothing = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
            let size = try unsafe rewriter.rewrite(unit: bytes, into: nothing, edit)
            var output = [UInt8](repeating: 0xA5, count: size + 8)
            let written = try unsafe output.withMutableBytes { (memory) throws(NaluError) in
                try unsafe rewriter.rewrite(
                    unit: bytes, into: UnsafeMutableRawBufferPointer(rebasing: memory[..<size]), edit)
            }
            #expect(written == size)
            #expect(output[size...].allSatisfy { $0 == 0xA5 })
            return Array(output[..<size])
        }
    }

    @Test(arguments: SliceHeaderFixture.all) func rewritingKeepsEverythingElse(fixture: SliceHeaderFixture) throws {
        let slice = TestBytes.hex(fixture.slice)
        var sequence = try SequenceParameterSet(parsing: TestBytes.hex(fixture.sps))
        let picture = try PictureParameterSet(parsing: TestBytes.hex(fixture.pps))
        let own = sequence.frameNumberBits
        var same = SliceRewriter(sequence: sequence, pictures: [picture], frameNumberBits: own)
        #expect(try Self.rewrite(slice, &same) { _ in } == slice)

        var wide = SliceRewriter(sequence: sequence, pictures: [picture], frameNumberBits: 16)
        let rewritten = try Self.rewrite(slice, &wide) { (header) throws(NaluError) in
            try header.renumberReferences(from: own, to: 16)
        }
        sequence.frameNumberBits = 16
        let header = try SliceHeader(
            parsing: rewritten, pictureParameterSet: picture, sequenceParameterSet: sequence)
        #expect(header == (try fixture.header()))
    }

    @Test(arguments: SliceHeaderFixture.all) func aSliceCanGetAPictureOrderCount(fixture: SliceHeaderFixture) throws {
        let slice = TestBytes.hex(fixture.slice)
        var sequence = try SequenceParameterSet(parsing: TestBytes.hex(fixture.sps))
        guard sequence.picOrderCountType == 2 else { return }
        let picture = try PictureParameterSet(parsing: TestBytes.hex(fixture.pps))
        var rewriter = SliceRewriter(
            sequence: sequence, pictures: [picture], frameNumberBits: sequence.frameNumberBits, picOrderCountBits: 9)
        let rewritten = try Self.rewrite(slice, &rewriter) { $0.picOrderCountLSB = 0x1A5 }
        sequence.picOrderCountType = 0
        sequence.picOrderCountBits = 9
        let header = try SliceHeader(
            parsing: rewritten, pictureParameterSet: picture, sequenceParameterSet: sequence)
        let own = try fixture.header()
        #expect(header.picOrderCountLSB == 0x1A5 && header.frameNumber == own.frameNumber && header.qp == own.qp)
    }

    /// A picture that no longer is a reference has no marking, and the picture after it has its number.
    @Test func aPictureCanStopBeingAReference() throws {
        var sequence = SliceHeaderTests.makeSequence(orderType: 2, framesOnly: true)
        sequence.frameNumberBits = 5
        let picture = try #require(Self.makePicture(usesCABAC: true))
        var rewriter = SliceRewriter(sequence: sequence, pictures: [picture], frameNumberBits: 5)
        var numbers = FrameNumbering(sourceBits: 5)
        var found: [(number: Int, isReference: Bool, size: Int)] = []
        for number: UInt32 in 0..<8 {
            var writer = BitWriter()
            writer.append(number == 0 ? 0x65 : 0x41, width: 8)
            // first_mb_in_slice, slice_type (I or P), pic_parameter_set_id
            for value: UInt32 in [0, number == 0 ? 7 : 5, 0] { writer.append(unsigned: value) }
            writer.append(number, width: 5)
            if number == 0 {
                writer.append(unsigned: 0)
                writer.append(0, width: 2)
            } else {
                // No override. From frame 2 on, each even frame skips the frame before it.
                writer.append(false)
                writer.append(number > 1 && number % 2 == 0)
                if number > 1 && number % 2 == 0 { for value: UInt32 in [0, 1, 3] { writer.append(unsigned: value) } }
                writer.append(false)
                writer.append(unsigned: 0)
            }
            writer.append(signed: 0)
            writer.append(0xFF, width: (8 - writer.count & 7) & 7)
            writer.append(0x5A, width: 8)
            writer.appendTrailingBits()
            let slice = EmulationPrevention.inserting(into: writer.bytes)
            let length = [0, 0, 0, UInt8(slice.count)]
            let header = try unsafe (length + slice).withBytes { (bytes) throws(NaluError) in
                try unsafe rewriter.firstHeader(of: bytes)
            }
            numbers.advance(to: try #require(header))
            let current = numbers
            let rewritten = try Self.rewrite(slice, &rewriter) { (header) throws(NaluError) in
                try current.apply(to: &header, bits: 5)
                if number % 2 == 1 { header.unitHeader = header.unitHeader.withoutReference }
                header.modification0.removeIfNeedless()
                #expect(!header.modification0.isPresent)
            }
            if number % 2 == 1 {
                numbers.leaveOut()
                // The second call is for a frame that is dropped as well.
                numbers.leaveOut()
            }
            let again = try SliceHeader(
                parsing: rewritten, pictureParameterSet: picture, sequenceParameterSet: sequence)
            found.append((again.frameNumber, again.unitHeader.isReference, rewritten.count))
        }
        #expect(found.map { $0.number } == [0, 1, 1, 2, 2, 3, 3, 4])
        #expect(found.map { $0.isReference } == [true, false, true, false, true, false, true, false])
    }

    /// Slice data of all kinds survive a rewrite and its reversal, with the emulation prevention bytes that each
    /// position needs.
    @Test(arguments: [true, false], [6, 12, 13, 16]) func rewritingThereAndBackRestoresTheSlice(
        usesCABAC: Bool, bits: Int
    ) throws {
        var random = TestRandom(seed: UInt64(bits))
        var sequence = SliceHeaderTests.makeSequence(orderType: 2, framesOnly: true)
        let picture = try #require(Self.makePicture(usesCABAC: usesCABAC))
        for _ in 0..<400 {
            var writer = BitWriter()
            writer.append(0x41, width: 8)
            for number: UInt32 in [UInt32.random(in: 0...70000, using: &random), 0, 0] {
                writer.append(unsigned: number)
            }
            writer.append(UInt32.random(in: 0...31, using: &random), width: 5)
            // The slice has no override, no modification and no marking.
            writer.append(0, width: 3)
            if usesCABAC { writer.append(unsigned: 0) }
            writer.append(signed: Int32.random(in: -20...20, using: &random))
            if usesCABAC {
                let ones = (8 - writer.count & 7) & 7
                writer.append(1 << UInt32(ones) - 1, width: ones)
            }
            for byte in TestBytes.nasty(Int.random(in: 0...60, using: &random), using: &random) {
                writer.append(UInt32(byte), width: 8)
            }
            writer.appendTrailingBits()
            let slice = EmulationPrevention.inserting(into: writer.bytes)
            sequence.frameNumberBits = 5
            var there = SliceRewriter(sequence: sequence, pictures: [picture], frameNumberBits: bits)
            let moved = try Self.rewrite(slice, &there) { _ in }
            moved.withUnsafeBytes { #expect(EmulationPrevention.firstViolation(in: $0) == nil) }
            sequence.frameNumberBits = bits
            var back = SliceRewriter(sequence: sequence, pictures: [picture], frameNumberBits: 5)
            #expect(try Self.rewrite(moved, &back) { _ in } == slice)
        }
    }

    /// Returns a PPS without weights or other optional parts of P slices.
    private static func makePicture(usesCABAC: Bool) -> PictureParameterSet? {
        var writer = BitWriter()
        writer.append(0x68, width: 8)
        writer.append(unsigned: 0)
        writer.append(unsigned: 0)
        writer.append(usesCABAC)
        writer.append(false)
        for number: UInt32 in [0, 0, 0] { writer.append(unsigned: number) }
        writer.append(0, width: 3)
        for _ in 0..<3 { writer.append(signed: 0) }
        writer.append(0, width: 3)
        writer.appendTrailingBits()
        return try? PictureParameterSet(parsing: writer.bytes)
    }

    /// Returns a P slice of a field or a frame with a 5-bit frame_num of 1. `modifications` and `marking` name its
    /// references.
    private static func references(
        isField: Bool, _ modifications: [(UInt32, UInt32)], _ differences: [UInt32]
    ) throws -> [UInt8] {
        var writer = BitWriter()
        writer.append(0x41, width: 8)
        for number: UInt32 in [0, 5, 0] { writer.append(unsigned: number) }
        writer.append(1, width: 5)
        writer.append(isField)
        if isField { writer.append(true) }
        writer.append(true)  // num_ref_idx_active_override_flag
        writer.append(unsigned: UInt32(modifications.count) - 1)
        writer.append(true)
        for (idc, value) in modifications {
            writer.append(unsigned: idc)
            writer.append(unsigned: value)
        }
        writer.append(unsigned: 3)
        writer.append(!differences.isEmpty)
        for difference in differences {
            writer.append(unsigned: 1)
            writer.append(unsigned: difference)
        }
        if !differences.isEmpty { writer.append(unsigned: 0) }
        writer.append(unsigned: 1)  // cabac_init_idc
        writer.append(signed: 3)
        writer.append(0xFFFF, width: 16)
        writer.appendTrailingBits()
        return EmulationPrevention.inserting(into: writer.bytes)
    }

    /// Returns the references after `frame_num` was extended to 16 bits and `distance` was applied.
    private static func renumbered(
        _ slice: [UInt8], distance: @escaping (Int) -> Int = { $0 }
    ) throws -> (modifications: [[UInt32]], differences: [UInt32]) {
        var sequence = SliceHeaderTests.makeSequence(orderType: 2)
        let picture = try #require(makePicture(usesCABAC: true))
        var rewriter = SliceRewriter(sequence: sequence, pictures: [picture], frameNumberBits: 16)
        let rewritten = try rewrite(slice, &rewriter) { (header) throws(NaluError) in
            try header.renumberReferences(from: 5, to: 16) { distance($0) }
        }
        sequence.frameNumberBits = 16
        var reader = SliceRewriter(sequence: sequence, pictures: [picture], frameNumberBits: 16)
        var found: SliceHeaderSyntax?
        #expect(try rewrite(rewritten, &reader) { found = $0 } == rewritten)
        let header = try #require(found)
        return (
            (0..<header.modification0.count).map {
                [UInt32(header.modification0[$0].idc), header.modification0[$0].value]
            }, (0..<header.marking.count).map { header.marking[$0].difference }
        )
    }

    @Test func referencesOfFramesAreTheSameInAWiderCount() throws {
        // 3 before; 1 before, by adding; 1 before, a full wrap away; 4 before, across the wrap of frame_num.
        let slice = try Self.references(isField: false, [(0, 2), (1, 1), (0, 31), (1, 28)], [2, 15])
        let (modifications, differences) = try Self.renumbered(slice)
        #expect(modifications == [[0, 2], [1, 1], [0, 65535], [0, 2]])
        #expect(differences == [2, 15])
    }

    @Test func referencesOfFieldsAreTheSameInAWiderCount() throws {
        // The field of opposite parity just before; 6 fields before; 2 before, by adding; 2 before, a full wrap away.
        let slice = try Self.references(isField: true, [(0, 0), (0, 4), (1, 3), (1, 63)], [0, 5])
        let (modifications, differences) = try Self.renumbered(slice)
        #expect(modifications == [[0, 0], [0, 4], [1, 3], [0, 131071]])
        #expect(differences == [0, 5])
        // A frame between them was left out.
        let closer = try Self.renumbered(slice) { $0 > 1 ? $0 - 1 : $0 }
        #expect(closer.modifications == [[0, 0], [0, 2], [1, 1], [0, 131071]])
        #expect(closer.differences == [0, 3])
    }

    @Test func longTermReferencesKeepTheirNumbers() throws {
        let slice = try Self.references(isField: false, [(2, 3), (0, 4)], [])
        #expect(try Self.renumbered(slice).modifications == [[2, 3], [0, 4]])
    }

    @Test func unreadableSlicesAreRefused() throws {
        let picture = try #require(Self.makePicture(usesCABAC: true))
        var rewriter = SliceRewriter(
            sequence: SliceHeaderTests.makeSequence(orderType: 2), pictures: [picture], frameNumberBits: 16)
        let slice = try Self.references(isField: false, [(0, 2)], [])
        for count in 1..<6 {
            #expect(throws: NaluError.self) { try Self.rewrite(Array(slice[..<count]), &rewriter) { _ in } }
        }
        // Other NAL units are copied.
        let message: [UInt8] = [0x06, 5, 1, 0, 0x80]
        #expect(try Self.rewrite(message, &rewriter) { _ in } == message)
        var other = SliceRewriter(
            sequence: SliceHeaderTests.makeSequence(orderType: 2), pictures: [], frameNumberBits: 16)
        #expect(throws: NaluError.self) { try Self.rewrite(slice, &other) { _ in } }
    }
}
