import Nalu
import Testing

@Suite struct FormatDescriptionTests {
    @Test(arguments: ParameterSetFixture.all) func aFormatDescriptionHasTheValuesItWasMadeFrom(
        fixture: ParameterSetFixture
    ) throws {
        let format = try FormatDescription(parameterSets: [fixture.pps, fixture.sps])
        #expect(format.codec == 0x6176_6331)
        #expect(format.lengthSize == 4)
        #expect(format.width == fixture.expected.width)
        #expect(format.height == fixture.expected.height)
        #expect(format.sequence == fixture.expected)
        #expect(format.parameterSetCount == 2)
        #expect(format.parameterSets == [fixture.sps, fixture.pps])
        #expect(format.annexBParameterSetBytes == [0, 0, 0, 1] + fixture.sps + [0, 0, 0, 1] + fixture.pps)

        let read = try FormatDescription(avcC: (try #require(format.avcCBytes)) + [1, 2, 3])
        #expect(read == format)
        #expect(read.hashValue == format.hashValue)
        #expect(read.avcCBytes == format.avcCBytes)
    }
}
