import Testing

@testable import Nalu
@testable import NaluBitstream

/// Access units that no session produces.
@Suite struct StreamParserTests {
    private static func samples(of stream: [UInt8], _ piece: Int = .max) throws -> (samples: [Sample], errors: [Status])
    {
        let parser = try StreamParser()
        var result: (samples: [Sample], errors: [Status]) = ([], [])
        func fetch() {
            while true {
                do throws(NaluError) {
                    guard case .sample(let sample) = try parser.next() else { return }
                    result.samples.append(sample)
                } catch {
                    result.errors.append(error.status)
                }
            }
        }
        var rest = stream[...]
        while !rest.isEmpty {
            try parser.push(Array(rest.prefix(piece)))
            rest = rest.dropFirst(piece)
            fetch()
        }
        parser.finish()
        fetch()
        return result
    }

    private static func units(of sample: Sample) -> [[UInt8]] {
        (0..<sample.nalUnitCount).map { index in sample.nalUnit(at: index).map { [UInt8]($0) } ?? [] }
    }

    private static let start: [UInt8] = [0, 0, 0, 1]
    private static let delimiter: [UInt8] = [9, 0xF0]

    /// Returns an I slice of a field.
    private static func slice(
        _ sequence: SequenceParameterSet, isIDR: Bool, frame: UInt32, isBottom: Bool, order: UInt32,
        macroblock: UInt32 = 0
    ) -> [UInt8] {
        var writer = BitWriter()
        writer.append(isIDR ? 0x65 : 0x41, width: 8)
        writer.append(unsigned: macroblock)
        writer.append(unsigned: 7)
        writer.append(unsigned: 0)
        writer.append(frame, width: sequence.frameNumberBits)
        writer.append(true)
        writer.append(isBottom)
        if isIDR { writer.append(unsigned: 0) }
        writer.append(order, width: sequence.picOrderCountBits)
        // adaptive_ref_pic_marking_mode_flag is 0.
        if !isIDR { writer.append(false) }
        for _ in 0..<12 { writer.append(1, width: 1) }
        writer.append(0x55AA_55AA, width: 32)
        writer.appendTrailingBits()
        return EmulationPrevention.inserting(into: writer.bytes)
    }

    private static func interlaced() throws -> (sps: [UInt8], pps: [UInt8], sequence: SequenceParameterSet)? {
        for fixture in SliceHeaderFixture.all {
            let sps = TestBytes.hex(fixture.sps)
            let pps = TestBytes.hex(fixture.pps)
            let sequence = try SequenceParameterSet(parsing: sps)
            let picture = try PictureParameterSet(parsing: pps)
            if !sequence.frameMbsOnly, sequence.picOrderCountType == 0, picture.id == 0 { return (sps, pps, sequence) }
        }
        return nil
    }

    @Test(arguments: [1, 5, 64, .max])
    func twoFieldsAreOneSample(piece: Int) throws {
        let (sps, pps, sequence) = try #require(try Self.interlaced())
        let top = Self.slice(sequence, isIDR: true, frame: 0, isBottom: false, order: 0)
        let bottom = Self.slice(sequence, isIDR: false, frame: 0, isBottom: true, order: 1)
        let next = Self.slice(sequence, isIDR: false, frame: 1, isBottom: false, order: 2)
        let last = Self.slice(sequence, isIDR: false, frame: 2, isBottom: false, order: 4)
        let units = [sps, pps, top, Self.delimiter, bottom, Self.delimiter, next, Self.delimiter, last]
        let (samples, errors) = try Self.samples(of: units.flatMap { Self.start + $0 }, piece)
        #expect(errors == [])
        let expected = [[top, Self.delimiter, bottom], [Self.delimiter, next], [Self.delimiter, last]]
        #expect(samples.map(Self.units) == expected)
        #expect(samples.map { $0.isKeyFrame } == [true, false, false])
    }

    /// Another PPS between two fields stays between them in the sample. If the second field is unreadable, only the
    /// next sample has the PPS.
    @Test(arguments: [false, true], [1, 64, .max])
    func parameterSetsStayInASampleOnlyBetweenTwoFields(isUnreadable: Bool, piece: Int) throws {
        let (sps, pps, sequence) = try #require(try Self.interlaced())
        let fixtures = try SliceHeaderFixture.all.map { TestBytes.hex($0.pps) }.filter {
            let picture = try PictureParameterSet(parsing: $0)
            return picture.id == 0 && picture.sequenceParameterSetID == sequence.id && $0 != pps
        }
        let other = try #require(fixtures.first)
        let top = Self.slice(sequence, isIDR: true, frame: 0, isBottom: false, order: 0)
        let bottom = isUnreadable ? [0x41, 0] : Self.slice(sequence, isIDR: false, frame: 0, isBottom: true, order: 1)
        let next = Self.slice(sequence, isIDR: true, frame: 0, isBottom: false, order: 0)
        let units = [sps, pps, top, other, bottom, Self.delimiter, next]
        let (samples, _) = try Self.samples(of: units.flatMap { Self.start + $0 }, piece)
        try #require(samples.count == 2)
        let expected = isUnreadable ? [top] : [top, other, bottom]
        #expect(Self.units(of: samples[0]) == expected)
        #expect(samples[0].formatDescription.parameterSets.contains(pps))
        #expect(samples[1].formatDescription.parameterSets.contains(other))
    }

    @Test func unreadableNALUnitsAreReportedOnceAndLeftOut() throws {
        let fixture = SliceHeaderFixture.all[0]
        let idr = TestBytes.hex(fixture.slice)
        let stream = [
            TestBytes.hex(fixture.sps), TestBytes.hex(fixture.pps), idr, Self.delimiter, [0xE5, 1], [0x65],
            Self.delimiter,
            idr,
        ].flatMap { Self.start + $0 }
        let (samples, errors) = try Self.samples(of: stream)
        #expect(errors == [.badData])
        #expect(samples.count == 2)
    }
}
