import Testing

@testable import Nalu

/// Times of access units that follow from their order.
@Suite struct StreamTimelineTests {
    private static func unit(_ order: Int, time: MediaTime? = nil, restarts: Bool = false) throws -> AccessUnit {
        let fixture = ParameterSetFixture.all[0]
        return AccessUnit(
            bytes: [0, 0, 0, 1, 0x65], format: try FormatDescription(parameterSets: [fixture.sps, fixture.pps]),
            attachments: [], order: order, restartsOrder: restarts, time: time, fields: .frame)
    }

    private static func samples(
        _ units: [AccessUnit], depth: Int, duration: MediaTime? = MediaTime(value: 1, timescale: 10)
    ) -> (samples: [Sample], replaced: Int) {
        var timeline = StreamTimeline(frameDuration: duration, reorderDepth: depth)
        var samples: [Sample] = []
        for unit in units { timeline.add(unit) { samples.append($0) } }
        timeline.finish { samples.append($0) }
        for (a, b) in zip(samples, samples.dropFirst()) { #expect(a.decodeTime < b.decodeTime) }
        for sample in samples { #expect(sample.decodeTime <= sample.presentationTime) }
        return (samples, timeline.replacedTimes)
    }

    private static func tenths(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 10) }

    @Test func missingTimesAreCountedInOutputOrder() throws {
        let units = try [(0, true), (6, false), (2, false), (4, false), (0, true), (4, false), (2, false)].map {
            try Self.unit($0.0, restarts: $0.1)
        }
        let samples = Self.samples(units, depth: 1).samples
        #expect(samples.map { $0.presentationTime } == [0, 3, 1, 2, 4, 6, 5].map(Self.tenths))
        #expect(samples.map { $0.decodeTime } == [-1, 0, 1, 2, 3, 4, 5].map(Self.tenths))
    }

    @Test func increasingTimesAreKeptAndOthersCounted() throws {
        let given: [Int64?] = [50, nil, 49, 60, 59]
        let units = try given.enumerated().map { index, value in
            try Self.unit(index * 2, time: value.map(Self.tenths), restarts: index == 0)
        }
        let (samples, replaced) = Self.samples(units, depth: 0)
        #expect(samples.map { $0.presentationTime } == [50, 51, 52, 60, 61].map(Self.tenths))
        #expect(replaced == 2)
    }

    @Test func countingContinuesAfterTheLastTime() throws {
        let late = MediaTime(value: .max - 1, timescale: 10)
        let units = try [Self.unit(0, time: late, restarts: true), Self.unit(2)]
        let samples = Self.samples(units, depth: 0).samples
        #expect(samples.map { $0.presentationTime.value } == [.max - 1, .max])
    }

    @Test func picturesBeforeTheFirstKeyFrameAreCountedToo() throws {
        let units = try [6, 0, 2, 4, 12, 8, 10].map { try Self.unit($0) }
        let samples = Self.samples(units, depth: 1).samples
        #expect(samples.map { $0.presentationTime } == [3, 0, 1, 2, 6, 4, 5].map(Self.tenths))
    }
}
