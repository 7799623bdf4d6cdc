import NaluBase
import Testing

@testable import NaluBitstream

/// Samples made from NAL units. Tests/c tests complete streams with losses.
@Suite struct StreamLossDetectorTests {
    private static let times = PictureTimes(presentation: .zero, duration: .invalid)

    private static func data(_ units: [[UInt8]]) -> [UInt8] {
        units.flatMap { [0, UInt8($0.count)] + $0 }
    }

    private static func look(_ detector: inout StreamLossDetector, _ units: [[UInt8]]) -> SampleReport {
        unsafe data(units).withUnsafeBytes { unsafe detector.look(at: $0, lengthSize: 2, times) }
    }

    private static func status(_ report: SampleReport) -> Status? {
        guard case .failure(let error) = report.loss else { return nil }
        return error.status
    }

    @Test func samplesWithoutAFormatAreRefused() {
        var detector = StreamLossDetector()
        #expect(Self.status(Self.look(&detector, [[0x65, 0x88]])) == .badData)
    }

    /// All NAL units are examined, also after an unreadable one.
    @Test(arguments: [
        (VideoCodec.h264, [[0x65, 0x88, 0x80]], false), (.h264, [[0x65, 0x88, 0x80], [0x41, 0x40, 0x80]], true),
        (.h264, [[0x06, 0, 0], [0x67, 1, 1], [0x01, 0x10, 0x80]], true), (.h264, [[0x65, 0x10]], false),
        (.hevc, [[0x26, 1, 0x80]], false), (.hevc, [[0x26, 1, 0x80], [0x26, 1, 0x20]], true),
        // An SEI message, another layer, and an invalid header.
        (.hevc, [[0x4e, 1, 0], [0x26, 9, 0x20], [0xa6, 1, 0x20]], false),
    ])
    func picturesInSeveralPartsShow(_ codec: VideoCodec, _ units: [[UInt8]], _ isSplit: Bool) {
        var detector = StreamLossDetector()
        detector.adopt(codec, parameterSets: [])
        let report = Self.look(&detector, units)
        #expect(report.isSplit == isSplit)
        #expect(Self.status(report) == .badData)
    }

    @Test func unreadableParameterSetsAreALoss() {
        var detector = StreamLossDetector()
        detector.adopt(.h264, parameterSets: [[0x67, 0]])
        let report = Self.look(&detector, [[0x65, 0x88, 0x80], [0x65, 0x40, 0x80]])
        #expect(Self.status(report) == .badData)
        #expect(report.isSplit)
        // Another format starts with a new state.
        detector.adopt(.h264, parameterSets: [])
        guard case .failure(let error) = Self.look(&detector, [[0x65, 0x88, 0x80]]).loss else {
            Issue.record("a slice was read without parameter sets")
            return
        }
        #expect(error.message.contains("picture parameter set"))
    }

    @Test func corruptLengthsAreBadData() {
        var detector = StreamLossDetector()
        detector.adopt(.hevc, parameterSets: [])
        for bytes in [[0, 9, 1], [0], [0, 0]] as [[UInt8]] {
            let report = unsafe bytes.withUnsafeBytes { unsafe detector.look(at: $0, lengthSize: 2, Self.times) }
            #expect(Self.status(report) == .badData)
        }
    }
}
