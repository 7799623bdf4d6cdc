import Testing

@testable import Nalu

@Suite struct PictureOrderTests {
    /// Returns a slice of a frame with these fields.
    private func slice(
        idr: Bool = false, reference: Bool = true, frameNumber: Int = 0, lsb: Int = 0, bottomDelta: Int = 0,
        delta: Int = 0, field: Bool = false, bottom: Bool = false, resets: Bool = false
    ) throws -> SliceHeader {
        let fixture = try #require(SliceHeaderFixture.all.first { ($0.idrPictureID != nil) == idr })
        var bytes = TestBytes.hex(fixture.slice)
        bytes[0] = (idr ? 5 : 1) | (reference ? 0x20 : 0)
        if !reference && !idr {
            // A slice that is no reference has no marking, so its header continues differently. The test does not need
            // the rest.
            bytes += [UInt8](repeating: 0xFF, count: 40)
        }
        var header = try SliceHeader(
            parsing: bytes, pictureParameterSet: PictureParameterSet(parsing: TestBytes.hex(fixture.pps)),
            sequenceParameterSet: SequenceParameterSet(parsing: TestBytes.hex(fixture.sps)))
        header.frameNumber = frameNumber
        header.picOrderCountLSB = lsb
        header.picOrderCountDeltaBottom = bottomDelta
        header.picOrderCountDelta0 = delta
        header.isField = field
        header.isBottomField = bottom
        header.resetsReferences = resets
        return header
    }

    private let byLSB = SliceHeaderTests.makeSequence(orderType: 0)

    @Test func orderCountsContinueWhenTheLowBitsWrap() throws {
        var counter = PictureOrderCounter()
        #expect(try counter.count(of: slice(idr: true), in: byLSB) == 0)
        // pic_order_cnt_lsb has 6 bits, so 64 is coded as 0.
        for (count, lsb) in [(20, 20), (40, 40), (60, 60), (68, 4), (64, 0), (90, 26)] {
            #expect(try counter.count(of: slice(lsb: lsb), in: byLSB) == count)
        }
        #expect(try counter.count(of: slice(reference: false, lsb: 20), in: byLSB) == 84)
        #expect(try counter.count(of: slice(idr: true), in: byLSB) == 0)
    }

    @Test func orderCountsCanDecreaseFromTheFirstPicture() throws {
        var counter = PictureOrderCounter()
        #expect(try counter.count(of: slice(idr: true), in: byLSB) == 0)
        // 60 is nearer to 0 as -4 than as 60.
        #expect(try counter.count(of: slice(reference: false, lsb: 60), in: byLSB) == -4)
        #expect(try counter.count(of: slice(lsb: 30), in: byLSB) == 30)
    }

    @Test func aFrameHasTheSmallerCountOfItsFields() throws {
        var counter = PictureOrderCounter()
        #expect(try counter.count(of: slice(idr: true, bottomDelta: -1), in: byLSB) == -1)
        #expect(try counter.count(of: slice(lsb: 10, bottomDelta: 1), in: byLSB) == 10)
        #expect(try counter.count(of: slice(lsb: 12, field: true), in: byLSB) == 12)
        #expect(try counter.count(of: slice(lsb: 13, field: true, bottom: true), in: byLSB) == 13)
    }

    @Test func orderCountsRestartWhenReferencesAreReset() throws {
        var counter = PictureOrderCounter()
        _ = try counter.count(of: slice(idr: true), in: byLSB)
        #expect(try counter.count(of: slice(lsb: 30), in: byLSB) == 30)
        #expect(try counter.count(of: slice(lsb: 34, resets: true), in: byLSB) == 0)
        #expect(try counter.count(of: slice(lsb: 4), in: byLSB) == 4)
    }

    @Test func orderCountsOfType2FollowDecodingOrder() throws {
        let sequence = SliceHeaderTests.makeSequence(orderType: 2)
        var counter = PictureOrderCounter()
        #expect(try counter.count(of: slice(idr: true), in: sequence) == 0)
        #expect(try counter.count(of: slice(frameNumber: 1), in: sequence) == 2)
        #expect(try counter.count(of: slice(reference: false, frameNumber: 2), in: sequence) == 3)
        // frame_num has 5 bits.
        #expect(try counter.count(of: slice(frameNumber: 31), in: sequence) == 62)
        #expect(try counter.count(of: slice(frameNumber: 0), in: sequence) == 64)
        #expect(try counter.count(of: slice(frameNumber: 1, resets: true), in: sequence) == 0)
        #expect(try counter.count(of: slice(frameNumber: 1), in: sequence) == 2)
    }

    /// Computed by hand from 8.2.1.2: the cycle is 4, 6, and the offset of non-reference pictures is -2.
    @Test func orderCountsOfType1FollowTheirCycle() throws {
        let sequence = SliceHeaderTests.makeSequence(orderType: 1)
        var counter = PictureOrderCounter()
        #expect(try counter.count(of: slice(idr: true), in: sequence) == 0)
        #expect(try counter.count(of: slice(frameNumber: 1), in: sequence) == 4)
        #expect(try counter.count(of: slice(reference: false, frameNumber: 2), in: sequence) == 2)
        #expect(try counter.count(of: slice(frameNumber: 2), in: sequence) == 10)
        #expect(try counter.count(of: slice(frameNumber: 3, delta: 5), in: sequence) == 19)
    }

    @Test func impossibleNumbersDoNotTrap() throws {
        var sequence = SliceHeaderTests.makeSequence(orderType: 1)
        sequence.picOrderCycle?.referenceOffsets = [Int](repeating: 0x7FFF_FFFF, count: 255)
        var counter = PictureOrderCounter()
        for number in [31, 0, 31, 0, 31] {
            _ = try counter.count(of: slice(frameNumber: number, delta: -0x7FFF_FFFF), in: sequence)
        }
        sequence.picOrderCycle?.referenceOffsets = []
        _ = try counter.count(of: slice(frameNumber: 9), in: sequence)
    }

    @Test func theFirstSliceOfAPictureIsDetected() throws {
        let first = try slice(frameNumber: 3, lsb: 8)
        func begins(_ next: SliceHeader, _ type: Int = 0) -> Bool {
            PictureBoundary.lies(between: first, and: next, picOrderCountType: type)
        }
        #expect(try !begins(slice(frameNumber: 3, lsb: 8)))
        #expect(try begins(slice(frameNumber: 4, lsb: 8)))
        #expect(try begins(slice(frameNumber: 3, lsb: 10)))
        #expect(try !begins(slice(frameNumber: 3, lsb: 10), 2))
        #expect(try begins(slice(frameNumber: 3, lsb: 8, bottomDelta: 1)))
        #expect(try begins(slice(frameNumber: 3, lsb: 8, delta: 1), 1))
        #expect(try !begins(slice(frameNumber: 3, lsb: 8, delta: 1)))
        #expect(try begins(slice(reference: false, frameNumber: 3, lsb: 8)))
        #expect(try begins(slice(idr: true, frameNumber: 3, lsb: 8)))
        #expect(try begins(slice(frameNumber: 3, lsb: 8, field: true)))
    }
}
