import Synchronization
import Testing

@testable import Nalu

/// Samples made by a client.
@Suite struct SampleFromBytesTests {
    private static let data: [UInt8] = [0, 0, 0, 2, 0x06, 1, 0, 0, 0, 1, 0x65]

    private static func format(lengthSize: Int = 4) throws -> FormatDescription {
        let fixture = ParameterSetFixture.all[0]
        return try FormatDescription(parameterSets: [fixture.sps, fixture.pps], lengthSize: lengthSize)
    }

    @Test func isWhatWasGiven() throws {
        let time = MediaTime(value: 5, timescale: 30)
        let sample = try Sample(
            copying: Self.data, formatDescription: Self.format(), presentationTime: time,
            attachments: [.notSync, .partialSync])
        #expect(sample.bytes == Self.data)
        #expect(sample.nalUnitCount == 2)
        #expect(sample.decodeTime.isIdentical(to: time))
        #expect(!sample.duration.isValid && sample.averageQP.isNaN && !sample.isKeyFrame)
        #expect(sample.qualityMetrics == nil && sample.ltrAcknowledgementToken == nil)
        #expect(sample.annexB(parameterSets: .never) == [0, 0, 0, 1, 6, 1, 0, 0, 0, 1, 0x65])
    }

    @Test func lendsTheBytesUntilItIsGone() throws {
        let releases = Atomic(0)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.data.count, alignment: 1)
        memory.copyBytes(from: Self.data)
        defer { memory.deallocate() }
        try withExtendedLifetime(
            Sample(
                wrapping: UnsafeRawBufferPointer(memory),
                onRelease: { releases.add(1, ordering: .sequentiallyConsistent) },
                formatDescription: Self.format(), presentationTime: .zero)
        ) { sample in
            #expect(sample.data.baseAddress == UnsafeRawPointer(memory.baseAddress))
            #expect(releases.load(ordering: .sequentiallyConsistent) == 0)
        }
        #expect(releases.load(ordering: .sequentiallyConsistent) == 1)
        #expect(throws: NaluError.self) {
            try Sample(
                wrapping: UnsafeRawBufferPointer(rebasing: memory[1...]),
                onRelease: { releases.add(1, ordering: .sequentiallyConsistent) },
                formatDescription: Self.format(), presentationTime: .zero)
        }
        #expect(releases.load(ordering: .sequentiallyConsistent) == 1)
    }

    @Test func refusesWhatDoesNotAddUp() throws {
        let format = try Self.format()
        for size in [0, 1, 3, 4, 5, 7, 10] {
            let error = #expect(throws: NaluError.self) {
                try Sample(
                    copying: Array(Self.data.prefix(size)), formatDescription: format, presentationTime: .zero)
            }
            #expect(error?.status == .badData)
        }
        let error = #expect(throws: NaluError.self) {
            try Sample(copying: Self.data, formatDescription: format, presentationTime: .indefinite)
        }
        #expect(error?.status == .invalidTime)
    }
}
