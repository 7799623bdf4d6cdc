import Testing

@testable import Nalu

/// Every parser returns a value or throws an error for damaged bytes, in bounded time.
@Suite struct HostileBytesTests {
    /// Passes `bytes` to every parser.
    private func readAll(_ bytes: [UInt8]) {
        _ = try? SequenceParameterSet(parsing: bytes)
        _ = try? PictureParameterSet(parsing: bytes)
        _ = try? AVCConfiguration(reading: bytes)
        _ = try? SliceStart(parsing: bytes)
        _ = unsafe bytes.withUnsafeBytes { unsafe SequenceParameterSet.elements(of: $0) }
        _ = unsafe bytes.withUnsafeBytes { unsafe PictureParameterSet.elements(of: $0, chromaFormatIDC: 3) }
        for message in SEIMessage.messages(of: bytes) {
            _ = message.elements { _ in SliceHeaderTests.sequence }
        }
        if let picture = SliceHeaderTests.picture {
            _ = try? SliceHeader(
                parsing: bytes, pictureParameterSet: picture, sequenceParameterSet: SliceHeaderTests.sequence)
        }
        _ = try? FormatDescription(avcC: bytes)
        _ = try? FormatDescription(parameterSets: [bytes, bytes])
        _ = try? AnnexB.toLengthPrefixed(bytes, lengthSize: 2)
        for lengthSize in [1, 2, 4] {
            _ = try? LengthPrefixed.toAnnexB(bytes, lengthSize: lengthSize)
        }
        let timing = SequenceParameterSetEditor.Timing.set(unitsInTick: 1, timeScale: 50, isFixed: false)
        if let edited = try? SequenceParameterSetEditor.edit(bytes, timing: timing, addingConstraintFlags: 0xFC) {
            #expect((try? SequenceParameterSet(parsing: edited))?.timeScale == 50)
        }
    }

    @Test(arguments: ParameterSetFixture.all) func everyTruncationIsRefused(fixture: ParameterSetFixture) throws {
        for length in 0..<fixture.sps.count {
            let cut = [UInt8](fixture.sps.prefix(length))
            #expect(throws: NaluError.self) { try SequenceParameterSet(parsing: cut) }
            readAll(cut)
        }
        for length in 0..<fixture.pps.count {
            readAll([UInt8](fixture.pps.prefix(length)))
        }
        let record = try #require(FormatDescription(parameterSets: [fixture.sps, fixture.pps]).avcCBytes)
        for length in 0..<record.count {
            readAll([UInt8](record.prefix(length)))
        }
    }

    @Test(arguments: ParameterSetFixture.all) func bitFlipsAreSurvived(fixture: ParameterSetFixture) throws {
        var random = TestRandom(seed: 3)
        let record = try #require(FormatDescription(parameterSets: [fixture.sps, fixture.pps]).avcCBytes)
        for source in [fixture.sps, fixture.pps, record] {
            for bit in 0..<source.count * 8 {
                var bytes = source
                bytes[bit >> 3] ^= 0x80 >> UInt8(bit & 7)
                readAll(bytes)
            }
            for _ in 0..<200 {
                var bytes = source
                for _ in 0..<Int.random(in: 2...12, using: &random) {
                    let index = Int.random(in: bytes.indices, using: &random)
                    bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
                }
                readAll(bytes)
            }
        }
    }

    @Test func randomBytesAreSurvived() {
        var random = TestRandom(seed: 4)
        for _ in 0..<3000 {
            let count = Int.random(in: 0...300, using: &random)
            let body = TestBytes.nasty(count, using: &random)
            readAll(body)
            readAll([0x67, 100, 0, 31] + body)
            readAll([0x68] + body)
            readAll([0x41] + body)
            readAll([0x06] + body)
            readAll([1, 100, 0, 31, 0xFF, 0xE1] + body)
            readAll([0, 0, 1] + body)
        }
    }

    @Test func endlessZerosAndOnesTakeBoundedTime() {
        let headers: [[UInt8]] = [
            [], [0x67, 66, 0, 30], [0x67, 100, 0, 31], [0x68], [0x41], [0x06], [1, 100, 0, 31, 0xFF, 0xFF],
        ]
        let start = processorSeconds()
        for byte: UInt8 in [0, 1, 3, 0x67, 0x80, 0xFF] {
            for header in headers {
                readAll(header + [UInt8](repeating: byte, count: 65000))
            }
        }
        readAll([0x67, 100, 0, 31] + [UInt8](repeating: 0, count: 4 << 20))
        #expect(processorSeconds() - start < 60)
    }
}
