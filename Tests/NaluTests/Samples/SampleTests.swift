import Testing

@testable import Nalu

/// A sample's bytes, NAL units and Annex B form.
@Suite struct SampleTests {
    private static let units: [[UInt8]] = [[0x06, 1, 2, 3], [0x65, 0, 0, 3, 1], [0x65]]

    private static func sample(
        _ units: [[UInt8]] = units, attachments: SampleAttachments = [], tail: [UInt8] = []
    ) throws -> Sample {
        let fixture = ParameterSetFixture.all[0]
        let format = try FormatDescription(parameterSets: [fixture.sps, fixture.pps])
        let data = units.flatMap { [0, 0, 0, UInt8($0.count)] + $0 } + tail
        return data.withUnsafeBytes {
            Sample(
                formatDescription: format, data: $0, presentationTime: MediaTime(value: 7, timescale: 30),
                decodeTime: MediaTime(value: 5, timescale: 30), duration: MediaTime(value: 1, timescale: 30),
                attachments: attachments, averageQP: 23.5, frameRefcon: refcon(4))
        }
    }

    private static func annexB(_ units: [[UInt8]]) -> [UInt8] { units.flatMap { [0, 0, 0, 1] + $0 } }

    @Test func itKeepsACopyOfWhatItWasMadeFrom() throws {
        let sample = try Self.sample(attachments: [.notSync, .dependsOnOthers])
        let bytes = Self.units.flatMap { unit -> [UInt8] in [0, 0, 0, UInt8(unit.count)] + unit }
        #expect(sample.bytes == bytes)
        #expect(sample.data.count == sample.bytes.count)
        #expect(sample.presentationTime == MediaTime(value: 7, timescale: 30))
        #expect(sample.decodeTime == MediaTime(value: 5, timescale: 30))
        #expect(sample.duration == MediaTime(value: 1, timescale: 30))
        #expect(sample.averageQP == 23.5 && sample.frameRefcon == refcon(4))
        #expect(!sample.isKeyFrame)
        #expect(try Self.sample().isKeyFrame)
    }

    @Test func itsUnitsAreFoundByIndex() throws {
        let sample = try Self.sample()
        withExtendedLifetime(sample) {
            #expect(sample.nalUnitCount == 3)
            for (index, unit) in Self.units.enumerated() {
                #expect(sample.nalUnit(at: index).map { [UInt8]($0) } == unit)
            }
            for index in [-1, 3, 4, Int.max, Int.min] { #expect(sample.nalUnit(at: index) == nil) }
        }
    }

    @Test func dataThatIsNotAsItShouldBeEndsTheWalk() throws {
        for tail: [UInt8] in [[0], [0, 0, 0], [0, 0, 0, 9, 1], [0, 0, 0, 0], [255, 255, 255, 255, 1]] {
            let sample = try Self.sample(tail: tail)
            #expect(sample.nalUnitCount == 3)
            #expect(sample.nalUnit(at: 3) == nil)
            _ = sample.annexB()
        }
        let empty = try Self.sample([])
        #expect(empty.nalUnitCount == 0 && empty.bytes == [] && empty.annexB(parameterSets: .never) == [])
    }

    @Test(arguments: [false, true], [Sample.ParameterSets.atKeyFrames, .never, .always])
    func annexBHasParameterSetsWhereTheyAreWanted(isKeyFrame: Bool, sets: Sample.ParameterSets) throws {
        let sample = try Self.sample(attachments: isKeyFrame ? [] : .notSync)
        let fixture = ParameterSetFixture.all[0]
        let withSets = sets == .always || (sets == .atKeyFrames && isKeyFrame)
        let expected = Self.annexB((withSets ? [fixture.sps, fixture.pps] : []) + Self.units)
        #expect(sample.annexB(parameterSets: sets) == expected)
        #expect(sample.annexBSize(parameterSets: sets) == expected.count)

        // The caller's memory receives exactly the bytes, and nothing beyond.
        for capacity in [expected.count, expected.count + 9] {
            var buffer = [UInt8](repeating: 0xee, count: capacity)
            let written = try buffer.withUnsafeMutableBytes { try sample.writeAnnexB(parameterSets: sets, into: $0) }
            #expect(written == expected.count)
            #expect(buffer == expected + [UInt8](repeating: 0xee, count: capacity - expected.count))
        }
        for capacity in [0, 1, expected.count - 1] {
            var buffer = [UInt8](repeating: 0xee, count: capacity)
            let error = #expect(throws: NaluError.self) {
                try buffer.withUnsafeMutableBytes { _ = try sample.writeAnnexB(parameterSets: sets, into: $0) }
            }
            #expect(error?.status == .bufferTooSmall)
            #expect(buffer.allSatisfy { $0 == 0xee })
        }
    }

    @Test func parameterSetsGoBeforeKeyFramesUnlessSomethingElseIsSaid() throws {
        let sample = try Self.sample()
        #expect(sample.annexB() == sample.annexB(parameterSets: .always))
        let other = try Self.sample(attachments: .notSync)
        #expect(other.annexB() == other.annexB(parameterSets: .never))
    }

    @Test func itsMemoryIsFreedWithItsLastReference() throws {
        let weak: Weak<Sample>
        do {
            let sample = try Self.sample()
            weak = Weak(sample)
            #expect(weak.object != nil)
            _ = sample
        }
        #expect(weak.object == nil)
    }

    @Test func attachmentsHaveTheNumbersOfTheHeader() {
        #expect(SampleAttachments.notSync.rawValue == 1)
        #expect(SampleAttachments.dependsOnOthers.rawValue == 2)
        #expect(SampleAttachments.isDependedOnByOthers.rawValue == 4)
        #expect(SampleAttachments.earlierDisplayTimesAllowed.rawValue == 8)
        #expect(Sample.ParameterSets.atKeyFrames.rawValue == 0)
        #expect(Sample.ParameterSets.never.rawValue == 1 && Sample.ParameterSets.always.rawValue == 2)
    }
}
