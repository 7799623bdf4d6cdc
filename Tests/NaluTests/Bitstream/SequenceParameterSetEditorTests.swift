import Testing

@testable import Nalu
@testable import NaluBitstream

@Suite struct SequenceParameterSetEditorTests {
    @Test(arguments: ParameterSetFixture.all) func anUneditedSPSIsUnchanged(fixture: ParameterSetFixture) throws {
        let sps = try SequenceParameterSet(parsing: fixture.sps)
        let same = SequenceParameterSetEditor.Timing.set(
            unitsInTick: sps.unitsInTick,
            timeScale: sps.timeScale,
            isFixed: sps.hasFixedFrameRate
        )
        #expect(try SequenceParameterSetEditor.edit(fixture.sps) == fixture.sps)
        #expect(try SequenceParameterSetEditor.edit(fixture.sps, addingConstraintFlags: fixture.sps[2]) == fixture.sps)
        if sps.timeScale != 0 {
            #expect(try SequenceParameterSetEditor.edit(fixture.sps, timing: same) == fixture.sps)
        }
        let removed = try SequenceParameterSetEditor.edit(fixture.sps, timing: .removed)
        #expect(try SequenceParameterSetEditor.edit(removed, timing: .removed) == removed)
        let withZeros = fixture.sps + [0, 0, 0]
        #expect(try SequenceParameterSetEditor.edit(withZeros) == withZeros)
    }

    /// A stream whose output order is its decoding order gets counts in its slices; other streams have them.
    @Test(arguments: ParameterSetFixture.all) func picOrderCountsAreAddedAndNothingElse(
        fixture: ParameterSetFixture
    ) throws {
        for bits in [4, 8, 16] {
            let edited = try SequenceParameterSetEditor.edit(fixture.sps, picOrderCountBits: bits)
            guard fixture.expected.picOrderCountType == 2 else {
                #expect(edited == fixture.sps)
                continue
            }
            var expected = fixture.expected
            expected.picOrderCountType = 0
            expected.picOrderCountBits = bits
            // Without a statement in the VUI, the reorder depth was known from the type alone.
            let found = try SequenceParameterSet(parsing: edited)
            expected.reorderDepth = found.reorderDepth
            #expect(found == expected)
            edited.withUnsafeBytes { #expect(EmulationPrevention.firstViolation(in: $0) == nil) }
        }
        for bits in [3, 17] {
            #expect(throws: NaluError.self) {
                try SequenceParameterSetEditor.edit(fixture.sps, picOrderCountBits: bits)
            }
        }
    }

    @Test(arguments: ParameterSetFixture.all) func timingIsChangedAndNothingElse(fixture: ParameterSetFixture) throws {
        let timings: [(UInt32, UInt32, Bool)] = [(1, 60, true), (0x0100, 0x0300, false), (.max, .max, true)]
        for (units, scale, isFixed) in timings {
            let timing = SequenceParameterSetEditor.Timing.set(unitsInTick: units, timeScale: scale, isFixed: isFixed)
            let edited = try SequenceParameterSetEditor.edit(fixture.sps, timing: timing)
            var expected = fixture.expected
            expected.unitsInTick = units
            expected.timeScale = scale
            expected.hasFixedFrameRate = isFixed
            #expect(try SequenceParameterSet(parsing: edited) == expected)
            edited.withUnsafeBytes { #expect(EmulationPrevention.firstViolation(in: $0) == nil) }

            let back = try SequenceParameterSetEditor.edit(
                edited,
                timing: .set(
                    unitsInTick: fixture.expected.unitsInTick,
                    timeScale: fixture.expected.timeScale,
                    isFixed: fixture.expected.hasFixedFrameRate
                )
            )
            #expect(back == fixture.sps)
        }
    }

    @Test(arguments: ParameterSetFixture.all) func theBitsOfFrameNumAreChangedAndNothingElse(
        fixture: ParameterSetFixture
    ) throws {
        for bits in 4...16 {
            let edited = try SequenceParameterSetEditor.edit(fixture.sps, frameNumberBits: bits)
            var expected = fixture.expected
            expected.frameNumberBits = bits
            #expect(try SequenceParameterSet(parsing: edited) == expected)
            let back = try SequenceParameterSetEditor.edit(edited, frameNumberBits: fixture.expected.frameNumberBits)
            #expect(back == fixture.sps)
        }
        for bits in [3, 17] {
            #expect(throws: NaluError.self) { try SequenceParameterSetEditor.edit(fixture.sps, frameNumberBits: bits) }
        }
    }

    @Test(arguments: ParameterSetFixture.all) func timingIsRemoved(fixture: ParameterSetFixture) throws {
        let removed = try SequenceParameterSetEditor.edit(fixture.sps, timing: .removed)
        var expected = fixture.expected
        expected.unitsInTick = 0
        expected.timeScale = 0
        expected.hasFixedFrameRate = false
        #expect(try SequenceParameterSet(parsing: removed) == expected)
        let back = try SequenceParameterSetEditor.edit(
            removed,
            timing: .set(
                unitsInTick: fixture.expected.unitsInTick,
                timeScale: fixture.expected.timeScale,
                isFixed: fixture.expected.hasFixedFrameRate
            )
        )
        #expect(back == fixture.sps)
    }

    @Test(arguments: ParameterSetFixture.all) func constraintFlagsAreAdded(fixture: ParameterSetFixture) throws {
        let edited = try SequenceParameterSetEditor.edit(fixture.sps, addingConstraintFlags: 0x08)
        var expected = fixture.sps
        expected[2] |= 0x08
        #expect(edited == expected)
    }

    @Test(arguments: ParameterSetFixture.all) func aConstantBitRateIsSignalled(fixture: ParameterSetFixture) throws {
        let edited = try SequenceParameterSetEditor.edit(fixture.sps, hasConstantBitRate: true)
        var expected = fixture.expected
        let schedules = (fixture.expected.nalHRD?.schedules ?? []).map {
            HRDParameters.Schedule(bitRate: $0.bitRate, bufferSize: $0.bufferSize, isConstant: true)
        }
        expected.nalHRD?.schedules = schedules
        #expect(try SequenceParameterSet(parsing: edited) == expected)
        #expect((edited == fixture.sps) == (expected == fixture.expected))
    }

    @Test func editsInsertEmulationPrevention() throws {
        // The flags and the level are 0, and the code of id 31 begins with zeros. So the edit needs an emulation
        // prevention byte.
        let unit = SequenceParameterSetTests.make(flags: 0x40, level: 0)
        let edited = try SequenceParameterSetEditor.edit(
            unit,
            timing: .set(unitsInTick: 1, timeScale: 2, isFixed: true)
        )
        edited.withUnsafeBytes { #expect(EmulationPrevention.firstViolation(in: $0) == nil) }
        #expect(try SequenceParameterSet(parsing: edited).timeScale == 2)
        #expect(try SequenceParameterSet(parsing: edited).unitsInTick == 1)
    }

    @Test func anSPSWithoutVUIGetsOne() throws {
        let unit = SequenceParameterSetTests.make(crop: [1, 2, 3, 4])
        #expect(try SequenceParameterSetEditor.edit(unit, timing: .removed) == unit)
        let edited = try SequenceParameterSetEditor.edit(
            unit,
            timing: .set(unitsInTick: 1001, timeScale: 60000, isFixed: true)
        )
        var expected = try SequenceParameterSet(parsing: unit)
        expected.unitsInTick = 1001
        expected.timeScale = 60000
        expected.hasFixedFrameRate = true
        #expect(try SequenceParameterSet(parsing: edited) == expected)
    }

    @Test func zeroTimingAndReservedBitsAreRefused() {
        let unit = ParameterSetFixture.all[0].sps
        let refused: [(SequenceParameterSetEditor.Timing, UInt8)] = [
            (.set(unitsInTick: 0, timeScale: 1, isFixed: true), 0),
            (.set(unitsInTick: 1, timeScale: 0, isFixed: true), 0),
            (.unchanged, 0x01),
            (.unchanged, 0x02),
        ]
        for (timing, flags) in refused {
            let status = TestBytes.status { () throws(NaluError) in
                _ = try SequenceParameterSetEditor.edit(unit, timing: timing, addingConstraintFlags: flags)
            }
            #expect(status == .parameter)
        }
    }
}
