import Nalu
import Testing

@Suite struct AVCConfigurationTests {
    @Test(arguments: ParameterSetFixture.all) func comesBackFromItsBytes(fixture: ParameterSetFixture) throws {
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

    @Test func equalsTheRecordThatFFmpegWrites() throws {
        // The content of the avcC box of: ffmpeg -i high720.264 -c copy out.mp4.
        let fixture = try #require(ParameterSetFixture.all.first { $0.command.hasPrefix("1280x720") })
        let record = try AVCConfiguration(parameterSets: [fixture.sps, fixture.pps]).serialized()
        #expect(record == TestBytes.hex(Self.recordFromFFmpeg))
    }

    private static let recordFromFFmpeg =
        "0164001fffe1001b6764001facd9405005bb016a02020280"
        + "0001f480007530478c18cb01000668ebe3cb22c0fdf8f800"

    @Test func readsOldRecordsWithoutTheHighProfileFields() throws {
        let fixture = try #require(ParameterSetFixture.all.first { $0.sps[1] == 100 })
        let record = try AVCConfiguration(parameterSets: [fixture.sps, fixture.pps]).serialized()
        let old = [UInt8](record.dropLast(4))
        let read = try AVCConfiguration(reading: old)
        #expect(read.highProfileFields == nil)
        #expect(read.serialized() == old)
        let format = try FormatDescription(avcC: old + [0])
        #expect(format.avcCBytes == old)
    }

    @Test func refusesWhatIsNoRecord() throws {
        let fixture = ParameterSetFixture.all[0]
        let record = try AVCConfiguration(parameterSets: [fixture.sps, fixture.pps]).serialized()
        for length in 0..<record.count {
            #expect(throws: NaluError.self) { try AVCConfiguration(reading: [UInt8](record.prefix(length))) }
        }
        var changes = 0
        for (index, value) in [(0, 0), (0, 2), (4, 0xFE), (5, 0xE0), (6, 0xFF), (8, 0x68)] as [(Int, UInt8)] {
            var bad = record
            bad[index] = value
            #expect(throws: NaluError.self) { try AVCConfiguration(reading: bad) }
            changes += 1
        }
        #expect(changes == 6)
    }

    @Test func countsAndKindsAreChecked() throws {
        let (sps, pps) = (ParameterSetFixture.all[0].sps, ParameterSetFixture.all[0].pps)
        func status(_ sets: [[UInt8]], _ lengthSize: Int = 4) -> Status {
            TestBytes.status { () throws(NaluError) in
                _ = try AVCConfiguration(parameterSets: sets, lengthSize: lengthSize)
            }
        }
        #expect(status([sps, pps]) == .ok)
        #expect(status([sps, pps], 3) == .parameter)
        #expect(status([]) == .badData)
        #expect(status([sps]) == .badData)
        #expect(status([pps]) == .badData)
        #expect(status([sps, pps, [0x65, 0x80]]) == .badData)
        #expect(status([sps, pps, []]) == .badData)
        #expect(status([[UInt8]](repeating: sps, count: 31) + [[UInt8]](repeating: pps, count: 255)) == .ok)
        #expect(status([[UInt8]](repeating: sps, count: 32) + [pps]) == .badData)
        #expect(status([sps] + [[UInt8]](repeating: pps, count: 256)) == .badData)
        #expect(status([sps, pps + [UInt8](repeating: 0xFF, count: 65536)]) == .badData)
    }
}
