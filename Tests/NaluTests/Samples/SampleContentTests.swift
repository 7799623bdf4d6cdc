import Testing

@testable import Nalu

/// The attributes of x264's samples.
@Suite struct SampleContentTests {
    /// Encodes a clip of 64x64 with motion and with these properties.
    static func samples(
        _ properties: [(key: PropertyKey, value: PropertyValue?)], count: Int = 24, forced: Set<Int> = []
    ) throws -> [Sample] {
        let returned = Collector()
        let session = try CompressionSession(width: 64, height: 64, outputHandler: { returned.receive($0) })
        try session.set([(.x264Preset, "veryfast")] + properties)
        for number in 0..<count {
            try session.encode(
                movingFrame(number), presentationTime: FakeSession.time(number),
                options: FrameOptions(forceKeyFrame: forced.contains(number)), refcon: refcon(number))
        }
        try session.complete()
        #expect(returned.calls.allSatisfy { $0.status == .ok })
        return returned.samples
    }

    static func movingFrame(_ number: Int, _ format: PixelFormat = .nv12) throws -> PixelBuffer {
        let buffer = try PixelBuffer(filled: 128, format, 64, 64)
        let stride = buffer.planeStride(0)
        let row = buffer.view.bytesPerRow(0)
        buffer.withPlaneBytes(0) { bytes in
            for y in 0..<64 {
                for x in 0..<row {
                    bytes[y * stride + x] = UInt8(truncatingIfNeeded: 16 + ((x + 3 * number) ^ (y + number)) * 3 % 200)
                }
            }
        }
        return buffer
    }

    @Test(arguments: [true, false])
    func flagsAgreeWithTheNALUnits(reordering: Bool) throws {
        let samples = try Self.samples([(.allowFrameReordering, .bool(reordering))], forced: [9, 17])
        #expect(samples.count == 24)
        for sample in samples {
            var types: [UInt8] = []
            var references = false
            for index in 0..<sample.nalUnitCount {
                let header = try #require(sample.nalUnit(at: index)?.first)
                types.append(header & 0x1f)
                if (1...5).contains(header & 0x1f) && header & 0x60 != 0 { references = true }
            }
            #expect(types.contains(5) == sample.isKeyFrame)
            // Parameter sets are only in the format description.
            #expect(!types.contains(7) && !types.contains(8))
            #expect(references == sample.attachments.contains(.isDependedOnByOthers))
            if sample.isKeyFrame { #expect(!sample.attachments.contains(.dependsOnOthers)) }
            #expect((0...51).contains(sample.averageQP))
        }
        let keys = samples.filter { $0.isKeyFrame }.map { $0.presentationTime }
        #expect(Set([0, 9, 17].map(FakeSession.time)).isSubset(of: keys))
        #expect(samples.contains { !$0.attachments.contains(.isDependedOnByOthers) } == reordering)
        #expect(samples.contains { $0.attachments.contains(.earlierDisplayTimesAllowed) } == reordering)
    }

    private static let structures: [(properties: [(key: PropertyKey, value: PropertyValue?)], depth: Int)] = [
        ([], 2), ([(.x264Params, "b-pyramid=none")], 1), ([(.allowBPyramid, false)], 1),
        ([(.allowBPyramid, false), (.x264Params, "b-pyramid=normal")], 2), ([(.x264Params, "bframes=1")], 1),
        ([(.x264Params, "bframes=0")], 0), ([(.allowFrameReordering, false)], 0), ([(.realTime, true)], 0),
        ([(.profileLevel, "H264_Baseline_AutoLevel")], 0), ([(.profileLevel, "H264_Main_AutoLevel")], 2),
    ]

    @Test(arguments: structures)
    func decodeTimesAreTheSortedPresentationTimesMovedBackByTheReorderDepth(
        properties: [(key: PropertyKey, value: PropertyValue?)], depth: Int
    ) throws {
        let samples = try Self.samples(properties)
        let sorted = samples.map { $0.presentationTime }.sorted()
        #expect(sorted == (0..<24).map(FakeSession.time))
        for (position, sample) in samples.enumerated() {
            #expect(sample.decodeTime == FakeSession.time(position - depth))
            #expect(sample.decodeTime <= sample.presentationTime)
        }
    }

    @Test func withoutReorderingTheOrderIsNotWritten() throws {
        let sample = try #require(Self.samples([(.allowFrameReordering, false)], count: 2).first)
        #expect(sample.formatDescription.sequence.picOrderCountType == 2)
    }

    @Test func oneSliceAFrameWhereThatIsAskedFor() throws {
        for (multiple, params) in [(false, ""), (true, "slices=4")] {
            let samples = try Self.samples([
                (.realTime, true), (.allowMultipleSlices, .bool(multiple)), (.x264Params, .string(params)),
            ])
            let slices = samples.map { sample in
                (0..<sample.nalUnitCount).count { (1...5).contains((sample.nalUnit(at: $0)?.first ?? 0) & 0x1f) }
            }
            #expect(slices.allSatisfy { $0 == (multiple ? 4 : 1) })
        }
    }

    @Test func noSliceIsLargerThanItMayBe() throws {
        let samples = try Self.samples([(.maxH264SliceBytes, 500), (.quality, 0.9)])
        var sizes: [Int] = []
        for sample in samples {
            for index in 0..<sample.nalUnitCount {
                guard let unit = sample.nalUnit(at: index), let header = unit.first else { continue }
                if (1...5).contains(header & 0x1f) { sizes.append(unit.count) }
            }
        }
        #expect(sizes.count > samples.count)
        #expect(sizes.filter { $0 > 500 } == [])
    }
}
