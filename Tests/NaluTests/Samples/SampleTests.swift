import Testing

@testable import Nalu

@Suite struct SampleTests {
    private static func sample(_ units: [[UInt8]], tail: [UInt8] = []) throws -> Sample {
        let fixture = ParameterSetFixture.all[0]
        let format = try FormatDescription(parameterSets: [fixture.sps, fixture.pps])
        let data = units.flatMap { [0, 0, 0, UInt8($0.count)] + $0 } + tail
        return data.withUnsafeBytes {
            Sample(
                formatDescription: format, data: $0, presentationTime: MediaTime(value: 7, timescale: 30),
                decodeTime: MediaTime(value: 5, timescale: 30), duration: MediaTime(value: 1, timescale: 30),
                attachments: [], averageQP: 23.5, frameRefcon: refcon(4))
        }
    }

    @Test func corruptDataEndTheWalk() throws {
        for tail: [UInt8] in [[0], [0, 0, 0], [0, 0, 0, 9, 1], [0, 0, 0, 0], [255, 255, 255, 255, 1]] {
            let sample = try Self.sample([[0x06, 1, 2, 3], [0x65, 0, 0, 3, 1], [0x65]], tail: tail)
            #expect(sample.nalUnitCount == 3)
            #expect(sample.nalUnit(at: 3) == nil)
            _ = sample.annexB()
        }
        let empty = try Self.sample([])
        #expect(empty.nalUnitCount == 0 && empty.bytes == [] && empty.annexB(parameterSets: .never) == [])
    }
}
