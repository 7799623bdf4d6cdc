import Testing

@testable import Nalu
@testable import NaluBitstream

@Suite struct SliceHeaderTests {
    @Test(arguments: SliceHeaderFixture.all) func sliceHeadersAreReadLikeFFmpeg(fixture: SliceHeaderFixture) throws {
        let header = try fixture.header()
        #expect(header.start.type == fixture.type)
        #expect(header.start.firstMacroblock == fixture.firstMacroblock)
        #expect(header.start.pictureParameterSetID == 0)
        #expect(header.frameNumber == fixture.frameNumber)
        #expect(header.idrPictureID == fixture.idrPictureID)
        #expect(header.isIDR == (fixture.idrPictureID != nil))
        #expect(header.picOrderCountLSB == fixture.picOrderCountLSB)
        #expect(header.picOrderCountDeltaBottom == fixture.picOrderCountDeltaBottom)
        #expect(header.qp == fixture.qp)
        #expect(!header.isField)
        #expect(!header.resetsReferences)
        #expect(try SliceStart(parsing: TestBytes.hex(fixture.slice)) == header.start)
    }

    @Test(arguments: SliceHeaderFixture.all) func everyTruncationIsRefusedOrTheSame(fixture: SliceHeaderFixture) throws
    {
        let whole = try fixture.header()
        for length in 0..<40 {
            do {
                #expect(try fixture.header(prefix: length) == whole)
            } catch let error as NaluError {
                #expect(error.status == .badData)
                #expect(!error.message.isEmpty)
            }
        }
        #expect(throws: NaluError.self) { try fixture.header(prefix: 1) }
    }

    /// Parameter sets with every element that affects the syntax of a slice header.
    static let sequence = Self.makeSequence(orderType: 0)
    static let picture = Self.makePicture()

    static func makeSequence(orderType: Int, deltaAlwaysZero: Bool = false, framesOnly: Bool = false)
        -> SequenceParameterSet
    {
        var set = SequenceParameterSet()
        set.profileIDC = 77
        set.frameNumberBits = 5
        set.picOrderCountType = orderType
        set.picOrderCountBits = 6
        set.frameMbsOnly = framesOnly
        if orderType == 1 {
            var cycle = PictureOrderCycle()
            cycle.deltaAlwaysZero = deltaAlwaysZero
            cycle.nonReferenceOffset = -2
            cycle.topToBottomOffset = 1
            cycle.referenceOffsets = [4, 6]
            set.picOrderCycle = cycle
        }
        return set
    }

    /// Returns a PPS with bottom field order, weights for P and B, redundant pictures, and 2 and 3 references.
    static func makePicture() -> PictureParameterSet? {
        var writer = BitWriter()
        writer.append(0x68, width: 8)
        writer.append(unsigned: 3)
        writer.append(unsigned: 0)
        writer.append(true)  // entropy_coding_mode_flag
        writer.append(true)  // bottom_field_pic_order_in_frame_present_flag
        writer.append(unsigned: 0)
        writer.append(unsigned: 1)
        writer.append(unsigned: 2)
        writer.append(true)  // weighted_pred_flag
        writer.append(1, width: 2)
        writer.append(signed: -4)
        writer.append(signed: 0)
        writer.append(signed: 0)
        writer.append(true)
        writer.append(false)
        writer.append(true)  // redundant_pic_cnt_present_flag
        writer.appendTrailingBits()
        return try? PictureParameterSet(parsing: writer.bytes)
    }

    private func parse(
        _ header: UInt8, _ sequence: SequenceParameterSet = Self.sequence, _ write: (inout BitWriter) -> Void
    ) throws -> SliceHeader {
        var writer = BitWriter()
        writer.append(UInt32(header), width: 8)
        write(&writer)
        writer.appendTrailingBits()
        return try SliceHeader(
            parsing: EmulationPrevention.inserting(into: writer.bytes),
            pictureParameterSet: #require(Self.picture), sequenceParameterSet: sequence)
    }

    @Test func everyElementOfABSliceIsRead() throws {
        let slice = try parse(0x41) {
            $0.append(unsigned: 7)  // first_mb_in_slice
            $0.append(unsigned: 6)  // slice_type: all slices B
            $0.append(unsigned: 3)
            $0.append(9, width: 5)
            $0.append(false)  // field_pic_flag
            $0.append(33, width: 6)
            $0.append(signed: -5)
            $0.append(unsigned: 2)  // redundant_pic_cnt
            $0.append(true)  // direct_spatial_mv_pred_flag
            $0.append(true)  // num_ref_idx_active_override_flag
            $0.append(unsigned: 0)
            $0.append(unsigned: 1)
            $0.append(true)  // ref_pic_list_modification_flag_l0
            $0.append(unsigned: 0)
            $0.append(unsigned: 4)
            $0.append(unsigned: 2)
            $0.append(unsigned: 1)
            $0.append(unsigned: 3)
            $0.append(false)
            $0.append(unsigned: 5)  // weights: one for list 0, two for list 1
            $0.append(unsigned: 4)
            $0.append(true)
            $0.append(signed: -128)
            $0.append(signed: 127)
            $0.append(true)
            for number: Int32 in [1, 2, 3, 4] { $0.append(signed: number) }
            for _ in 0..<2 {
                $0.append(false)
                $0.append(false)
            }
            $0.append(true)  // adaptive_ref_pic_marking_mode_flag
            for number: UInt32 in [1, 4, 3, 2, 1, 2, 0, 4, 1, 6, 0, 0] { $0.append(unsigned: number) }
            $0.append(unsigned: 2)  // cabac_init_idc
            $0.append(signed: 11)
        }
        #expect(slice.start.firstMacroblock == 7)
        #expect(slice.start.type == .b)
        #expect(slice.start.isTypeOfWholePicture)
        #expect(slice.start.pictureParameterSetID == 3)
        #expect(slice.frameNumber == 9)
        #expect(slice.picOrderCountLSB == 33)
        #expect(slice.picOrderCountDeltaBottom == -5)
        #expect(slice.redundantPictureCount == 2)
        #expect(!slice.resetsReferences)
        #expect(slice.qp == 26 - 4 + 11)
    }

    @Test func aPSliceHasTheDefaultsOfItsParameterSets() throws {
        let slice = try parse(0x41) {
            for number: UInt32 in [0, 0, 3] { $0.append(unsigned: number) }
            $0.append(1, width: 5)
            $0.append(true)
            $0.append(true)  // bottom_field_flag
            $0.append(2, width: 6)
            $0.append(unsigned: 0)
            $0.append(false)  // num_ref_idx_active_override_flag is 0: two references
            $0.append(false)
            $0.append(unsigned: 0)
            $0.append(unsigned: 0)
            for _ in 0..<4 { $0.append(false) }
            $0.append(true)
            $0.append(unsigned: 5)  // memory_management_control_operation 5 resets the references
            $0.append(unsigned: 0)
            $0.append(unsigned: 0)
            $0.append(signed: -3)
        }
        #expect(slice.start.type == .p)
        #expect(!slice.start.isTypeOfWholePicture)
        #expect(slice.isField && slice.isBottomField)
        #expect(slice.resetsReferences)
        #expect(slice.qp == 19)
    }

    @Test func deltasOfOrderType1AreRead() throws {
        func intra(_ deltas: [Int32], _ sequence: SequenceParameterSet) throws -> SliceHeader {
            try parse(0x01, sequence) {
                for number: UInt32 in [0, 7, 3] { $0.append(unsigned: number) }
                $0.append(1, width: 5)
                for delta in deltas { $0.append(signed: delta) }
                $0.append(unsigned: 0)
                $0.append(signed: 0)
            }
        }
        let slice = try intra([-7, 8], Self.makeSequence(orderType: 1, framesOnly: true))
        #expect(slice.picOrderCountDelta0 == -7)
        #expect(slice.picOrderCountDelta1 == 8)
        let silent = try intra([], Self.makeSequence(orderType: 1, deltaAlwaysZero: true, framesOnly: true))
        #expect(silent.picOrderCountDelta0 == 0)
        #expect(silent.qp == 22)
        #expect(try intra([], Self.makeSequence(orderType: 2, framesOnly: true)).qp == 22)
    }

    @Test func otherNALUnitsAreRefused() throws {
        let fixture = try #require(SliceHeaderFixture.all.first)
        for first: UInt8 in [0x67, 0x06, 0x03, 0x04, 0x80 | 0x41] {
            let unit = [first] + TestBytes.hex(fixture.slice).dropFirst()
            #expect(TestBytes.status { () throws(NaluError) in _ = try SliceStart(parsing: unit) } == .badData)
        }
        #expect(TestBytes.status { () throws(NaluError) in _ = try SliceStart(parsing: []) } == .badData)
    }
}
