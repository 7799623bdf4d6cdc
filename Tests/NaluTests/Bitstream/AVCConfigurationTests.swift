import Nalu
import Testing

@Suite struct AVCConfigurationTests {
    @Test(arguments: ParameterSetFixture.all) func aRecordSurvivesWritingAndReading(fixture: ParameterSetFixture) throws
    {
        for lengthSize in [1, 2, 4] {
            let written = try AVCConfiguration(parameterSets: [fixture.pps, fixture.sps], lengthSize: lengthSize)
            let record = written.serialized()
            let read = try AVCConfiguration(reading: record)
            #expect(read == written)
            #expect(read.serialized() == record)
            #expect(read.sequenceParameterSets == [fixture.sps])
            #expect(read.pictureParameterSets == [fixture.pps])
            #expect(read.lengthSize == lengthSize)
            #expect([read.profileIDC, read.constraintFlags, read.levelIDC] == [UInt8](fixture.sps[1...3]))
            #expect((read.highProfileFields == nil) == [66, 77].contains(fixture.sps[1]))
        }
    }

    @Test func aRecordEqualsFFmpegs() throws {
        // The content of the avcC box of: ffmpeg -i high720.264 -c copy out.mp4.
        let fixture = try #require(ParameterSetFixture.all.first { $0.command.hasPrefix("1280x720") })
        let record = try AVCConfiguration(parameterSets: [fixture.sps, fixture.pps]).serialized()
        #expect(record == TestBytes.hex(Self.recordFromFFmpeg))
    }

    private static let recordFromFFmpeg =
        "0164001fffe1001b6764001facd9405005bb016a02020280"
        + "0001f480007530478c18cb01000668ebe3cb22c0fdf8f800"
}
