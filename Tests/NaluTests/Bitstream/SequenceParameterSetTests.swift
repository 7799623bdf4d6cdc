import Testing

@testable import Nalu
@testable import NaluBitstream

@Suite struct SequenceParameterSetTests {
    @Test(arguments: ParameterSetFixture.all) func anSPSIsReadLikeFFmpeg(fixture: ParameterSetFixture) throws {
        #expect(try SequenceParameterSet(parsing: fixture.sps) == fixture.expected)
    }

    @Test(arguments: ParameterSetFixture.all) func aPPSIsRead(fixture: ParameterSetFixture) throws {
        let pps = try PictureParameterSet(parsing: fixture.pps)
        #expect(pps.id == 0)
        #expect(pps.sequenceParameterSetID == 0)
        #expect(pps.sliceGroupCount == 1)
        #expect(pps.usesCABAC == (fixture.pps[1] & 0x20 != 0))
        #expect((0...51).contains(pps.initialQP))
    }

    @Test func oddMultiplesOfTwoAreCropped() throws {
        let fixture = try #require(ParameterSetFixture.all.first { $0.command.hasPrefix("322x182") })
        let sps = try SequenceParameterSet(parsing: fixture.sps)
        #expect(sps.width == 322)
        #expect(sps.height == 182)
        #expect(sps.frameRate == 24)
    }

    /// Returns a Baseline SPS with these fields. It has no VUI unless `usability` writes one.
    static func make(
        profile: UInt32 = 66,
        flags: UInt32 = 0,
        level: UInt32 = 30,
        id: UInt32 = 0,
        pictureOrderCountType: UInt32 = 2,
        references: UInt32 = 1,
        widthInMacroblocksMinus1: UInt32 = 19,
        heightInMacroblocksMinus1: UInt32 = 14,
        crop: [UInt32]? = nil,
        usability: ((inout BitWriter) -> Void)? = nil
    ) -> [UInt8] {
        var writer = BitWriter()
        writer.append(0x67, width: 8)
        writer.append(profile, width: 8)
        writer.append(flags, width: 8)
        writer.append(level, width: 8)
        writer.append(unsigned: id)
        writer.append(unsigned: 0)
        writer.append(unsigned: pictureOrderCountType)
        if pictureOrderCountType == 0 {
            writer.append(unsigned: 0)
        } else if pictureOrderCountType == 1 {
            writer.append(false)
            writer.append(signed: -3)
            writer.append(signed: 4)
            writer.append(unsigned: 2)
            writer.append(signed: .max)
            writer.append(signed: -.max)
        }
        writer.append(unsigned: references)
        writer.append(false)
        writer.append(unsigned: widthInMacroblocksMinus1)
        writer.append(unsigned: heightInMacroblocksMinus1)
        writer.append(true)
        writer.append(true)
        writer.append(crop != nil)
        crop?.forEach { writer.append(unsigned: $0) }
        writer.append(usability != nil)
        usability?(&writer)
        writer.appendTrailingBits()
        return EmulationPrevention.inserting(into: writer.bytes)
    }

    private func status(_ unit: [UInt8]) -> Status {
        TestBytes.status { () throws(NaluError) in
            _ = try SequenceParameterSet(parsing: unit)
        }
    }

    @Test func reorderDepthFollowsOrderTypeAndProfile() throws {
        #expect(try SequenceParameterSet(parsing: Self.make(pictureOrderCountType: 2)).reorderDepth == 0)
        #expect(try SequenceParameterSet(parsing: Self.make(pictureOrderCountType: 1)).reorderDepth == nil)
        #expect(try SequenceParameterSet(parsing: Self.make(pictureOrderCountType: 0)).reorderDepth == nil)
        #expect(try SequenceParameterSet(parsing: Self.make(pictureOrderCountType: 0)).maxDecodedFrameBuffering == nil)
    }

    @Test func level1bIsReadInBothForms() throws {
        #expect(try SequenceParameterSet(parsing: Self.make(flags: 0x10, level: 11)).levelIDC == 9)
        #expect(try SequenceParameterSet(parsing: Self.make(flags: 0, level: 11)).levelIDC == 11)
        #expect(try SequenceParameterSet(parsing: Self.make(profile: 77, flags: 0x10, level: 11)).levelIDC == 9)
        #expect(try SequenceParameterSet(parsing: Self.make(level: 9)).levelIDC == 9)
    }

    @Test func sizesThatAreTooLargeAreRefused() {
        #expect(status(Self.make(widthInMacroblocksMinus1: 1023, heightInMacroblocksMinus1: 1023)) == .ok)
        #expect(status(Self.make(widthInMacroblocksMinus1: 1024)) == .unsupportedDataFormat)
        #expect(status(Self.make(heightInMacroblocksMinus1: 1024)) == .unsupportedDataFormat)
        #expect(
            status(Self.make(widthInMacroblocksMinus1: 0xFFFF_FFFE, heightInMacroblocksMinus1: 0xFFFF_FFFE))
                == .unsupportedDataFormat
        )
    }

    @Test func croppingOfEntirePicturesIsRefused() {
        #expect(status(Self.make(crop: [80, 79, 0, 0])) == .ok)
        #expect(status(Self.make(crop: [80, 80, 0, 0])) == .badData)
        #expect(status(Self.make(crop: [0, 0, 120, 0])) == .badData)
        #expect(status(Self.make(crop: [0xFFFF_FFFE, 0, 0, 0])) == .badData)
    }

    @Test func forbiddenValuesAreRefused() {
        #expect(status(Self.make(id: 31)) == .ok)
        #expect(status(Self.make(id: 32)) == .badData)
        #expect(status(Self.make(pictureOrderCountType: 3)) == .badData)
        #expect(status(Self.make(references: 17)) == .badData)
        let reorder: @Sendable (UInt32, UInt32) -> [UInt8] = { depth, buffering in
            Self.make { writer in
                writer.append(0, width: 8)
                writer.append(true)
                writer.append(true)
                for value in [0, 0, 10, 10, depth, buffering] {
                    writer.append(unsigned: value)
                }
            }
        }
        #expect(status(reorder(1, 2)) == .ok)
        #expect(status(reorder(3, 2)) == .badData)
        #expect(status(reorder(0, 17)) == .badData)
    }

    @Test func timingWithAZeroCountsAsAbsent() throws {
        let unit = Self.make { writer in
            writer.append(0, width: 4)
            writer.append(true)
            writer.append(0, width: 32)
            writer.append(50, width: 32)
            writer.append(true)
            writer.append(0, width: 4)
        }
        let sps = try SequenceParameterSet(parsing: unit)
        #expect(sps.timeScale == 0)
        #expect(sps.unitsInTick == 0)
        #expect(sps.frameRate == nil)
    }

    @Test func otherNALUnitsAreRefused() throws {
        let fixture = ParameterSetFixture.all[0]
        #expect(status([]) == .badData)
        #expect(status([0x67]) == .badData)
        #expect(status([0x67, 0, 0, 0]) == .badData)
        #expect(status(fixture.pps) == .badData)
        #expect(status([0xE7] + fixture.sps.dropFirst()) == .badData)
        #expect(status([0x6F] + fixture.sps.dropFirst()) == .badData)
        #expect(status(fixture.sps + [0, 0]) == .ok)
        #expect(status(fixture.sps + [0, 0, 1, 0x68]) == .badData)
        #expect(status(fixture.sps + [UInt8](repeating: 0xFF, count: 65536)) == .badData)
    }
}
