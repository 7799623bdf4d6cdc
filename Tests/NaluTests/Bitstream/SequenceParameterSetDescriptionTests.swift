import Testing

@testable import Nalu
@testable import NaluBitstream

@Suite struct SequenceParameterSetDescriptionTests {
    @Test(arguments: ParameterSetFixture.all) func theLevelChangesAndNothingElse(fixture: ParameterSetFixture) throws {
        let edited = try SequenceParameterSetEditor.edit(fixture.sps, levelIDC: 52, chromaLocation: 0)
        var expected = fixture.expected
        expected.levelIDC = 52
        #expect(try SequenceParameterSet(parsing: edited) == expected)
        #expect(edited.count == fixture.sps.count)
    }

    @Test(arguments: ParameterSetFixture.all) func aMissingChromaLocationIsAdded(fixture: ParameterSetFixture) throws {
        let edited = try SequenceParameterSetEditor.edit(
            fixture.sps, levelIDC: Int(fixture.sps[3]), chromaLocation: 3)
        let before = try SequenceParameterSet(parsing: fixture.sps)
        let timed = try SequenceParameterSetEditor.edit(fixture.sps, timing: .removed) != fixture.sps
        let found = try SequenceParameterSet(parsing: edited)
        if before.chromaLocation != nil || edited == fixture.sps {
            #expect(edited == fixture.sps && (before.chromaLocation != nil || !timed))
        } else {
            var expected = before
            expected.chromaLocation = 3
            #expect(found == expected)
        }
        edited.withUnsafeBytes { #expect(EmulationPrevention.firstViolation(in: $0) == nil) }
    }

    @Test(arguments: ParameterSetFixture.all.filter { $0.expected.chromaFormatIDC == 1 && $0.expected.frameMbsOnly })
    func picturesAreCroppedFurther(fixture: ParameterSetFixture) throws {
        let before = try SequenceParameterSet(parsing: fixture.sps)
        guard before.width > 8, before.height > 8 else { return }
        let edited = try SequenceParameterSetEditor.crop(fixture.sps, left: 2, right: 4, top: 2, bottom: 0)
        let found = try SequenceParameterSet(parsing: edited)
        #expect(found.width == before.width - 6 && found.height == before.height - 2)
        #expect(found.cropLeft == before.cropLeft + 2 && found.cropTop == before.cropTop + 2)
        #expect(try SequenceParameterSetEditor.crop(edited, left: 0, right: 0, top: 0, bottom: 0) == edited)
    }
}
