import Testing

@testable import Nalu
@testable import NaluBitstream

@Suite struct ContainerSignalTests {
    /// The values of an HDR10 file that is anamorphic and of full range. The aspect ratio differs from those of all
    /// fixtures by more than a pixel, also where a picture is two pixels wide.
    private static let all: ContainerSignal = {
        var signal = ContainerSignal()
        (signal.aspectHorizontal, signal.aspectVertical) = (40, 11)
        signal.isFullRange = true
        (signal.colorPrimaries, signal.transferCharacteristics, signal.matrixCoefficients) = (9, 16, 9)
        signal.chromaLocation = 2
        return signal
    }()

    @Test(arguments: ParameterSetFixture.all)
    func anSPSGetsTheValuesThatItLacks(fixture: ParameterSetFixture) throws {
        let before = fixture.expected
        let completed = Self.all.completing(fixture.sps, codec: .h264)
        var expected = before
        (expected.pixelAspectRatioHorizontal, expected.pixelAspectRatioVertical) = (40, 11)
        if before.colorPrimaries == 2 { expected.colorPrimaries = 9 }
        if before.transferCharacteristics == 2 { expected.transferCharacteristics = 16 }
        if before.matrixCoefficients == 2 { expected.matrixCoefficients = 9 }
        if before.chromaFormatIDC == 1 { expected.chromaLocation = before.chromaLocation ?? 2 }
        let found = try SequenceParameterSet(parsing: completed)
        // An SPS that states some colour states the range too.
        if before.colorPrimaries == 2 && before.transferCharacteristics == 2 && before.matrixCoefficients == 2 {
            expected.isFullRange = found.isFullRange
        }
        #expect(found == expected)
        completed.withUnsafeBytes { #expect(EmulationPrevention.firstViolation(in: $0) == nil) }
        #expect(Self.all.completing(completed, codec: .h264) == completed)
    }

    @Test(arguments: ParameterSetFixture.all)
    func nothingChangesWithoutValuesOfTheContainer(fixture: ParameterSetFixture) {
        #expect(ContainerSignal().completing(fixture.sps, codec: .h264) == fixture.sps)
        #expect(Self.all.completing(fixture.pps, codec: .h264) == fixture.pps)
        var square = ContainerSignal()
        (square.aspectHorizontal, square.aspectVertical) = (1, 1)
        #expect(square.completing(fixture.sps, codec: .h264) == fixture.sps)
    }

    @Test func anSPSWithoutUsabilityInformationGetsSome() throws {
        let plain = TestBytes.hex("6742c00ad902c4ec04400000030040000007a3c48992")
        // The same SPS, cut before vui_parameters_present_flag, and with that flag clear.
        let unit = try plain.withUnsafeBytes { bytes throws in
            let parser = try SequenceParameterSetParser(parsing: bytes)
            var writer = BitWriter()
            writer.append(parser.reader.bytes, bits: 0..<parser.usabilityFlagPosition)
            writer.append(false)
            return try SequenceParameterSetEditor.finished(writer, from: parser.reader, unlessUnchanged: bytes)
        }
        var expected = try SequenceParameterSet(parsing: unit)
        #expect(expected.pixelAspectRatioHorizontal == 0)
        (expected.pixelAspectRatioHorizontal, expected.pixelAspectRatioVertical) = (40, 11)
        (expected.colorPrimaries, expected.transferCharacteristics, expected.matrixCoefficients) = (9, 16, 9)
        expected.isFullRange = true
        expected.chromaLocation = 2
        #expect(try SequenceParameterSet(parsing: Self.all.completing(unit, codec: .h264)) == expected)
    }

    @Test func theSPSOfHEVCGetsTheValues() throws {
        let before = try HEVCSequenceParameterSet(parsing: HEVCFixture.sps)
        let completed = Self.all.completing(HEVCFixture.sps, codec: .hevc)
        let found = try HEVCSequenceParameterSet(parsing: completed)
        #expect(found.pixelAspectRatioHorizontal == 40 && found.pixelAspectRatioVertical == 11)
        #expect(found.colorPrimaries == (before.colorPrimaries == 2 ? 9 : before.colorPrimaries))
        #expect(found.matrixCoefficients == (before.matrixCoefficients == 2 ? 9 : before.matrixCoefficients))
        #expect(found.timeScale == before.timeScale && found.unitsInTick == before.unitsInTick)
        #expect(found.width == before.width && found.profileTierLevel == before.profileTierLevel)
        #expect(Self.all.completing(HEVCFixture.vps, codec: .hevc) == HEVCFixture.vps)
        #expect(Self.all.completing(completed, codec: .hevc) == completed)
    }

    @Test func theRoundingOfMatroskaIsNoOtherAspectRatio() throws {
        var exact = ContainerSignal()
        (exact.aspectHorizontal, exact.aspectVertical) = (40, 33)
        let unit = exact.completing(ParameterSetFixture.all[0].sps, codec: .h264)
        var rounded = ContainerSignal()
        (rounded.aspectHorizontal, rounded.aspectVertical) = (213, 176)
        #expect(rounded.completing(unit, codec: .h264) == unit)
    }
}
