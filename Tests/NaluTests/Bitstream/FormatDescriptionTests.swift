import Nalu
import Testing

@Suite struct FormatDescriptionTests {
    @Test(arguments: ParameterSetFixture.all) func holdsWhatItWasMadeFrom(fixture: ParameterSetFixture) throws {
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

    @Test func givesPointersThatStay() throws {
        let fixture = ParameterSetFixture.all[3]
        let format = try FormatDescription(parameterSets: [fixture.sps, fixture.pps])
        withExtendedLifetime(format) {
            let first = format.parameterSet(at: 0)
            #expect(first.map { [UInt8]($0) } == fixture.sps)
            #expect(first?.baseAddress == format.parameterSet(at: 0)?.baseAddress)
            #expect(format.avcC?.baseAddress == format.avcC?.baseAddress)
            for index in [-1, 2, Int.max, Int.min] {
                #expect(format.parameterSet(at: index) == nil)
            }
        }
    }

    @Test func takesPointers() throws {
        let fixture = ParameterSetFixture.all[0]
        let format = try fixture.sps.withUnsafeBytes { sps in
            try fixture.pps.withUnsafeBytes { pps in
                try FormatDescription(parameterSets: [sps, pps], lengthSize: 2)
            }
        }
        #expect(format.lengthSize == 2)
        #expect(format.parameterSets == [fixture.sps, fixture.pps])
    }

    @Test func differsByLengthSizeAndSets() throws {
        let (a, b) = (ParameterSetFixture.all[0], ParameterSetFixture.all[3])
        let format = try FormatDescription(parameterSets: [a.sps, a.pps])
        #expect(format == format)
        #expect(try format == FormatDescription(parameterSets: [a.sps, a.pps]))
        #expect(try format != FormatDescription(parameterSets: [a.sps, a.pps], lengthSize: 2))
        #expect(try format != FormatDescription(parameterSets: [b.sps, b.pps]))
        #expect(try format != FormatDescription(parameterSets: [a.sps, a.pps, a.pps]))
    }

    @Test func refusesRecordsWithUnreadableSets() throws {
        let fixture = ParameterSetFixture.all[3]
        let record = try #require(FormatDescription(parameterSets: [fixture.sps, fixture.pps]).avcCBytes)
        var badSequence = record
        badSequence[8 + 5] = 0
        badSequence[8 + 6] = 0
        #expect(throws: NaluError.self) { try FormatDescription(avcC: badSequence) }
        #expect(throws: NaluError.self) { try FormatDescription(avcC: []) }
    }
}
