import Synchronization
import Testing

@testable import Nalu

/// The public interface with the real encoder: small clips, examined by NAL unit.
@Suite struct CompressionSessionTests {
    /// The example in the type's documentation.
    @Test func theExampleWorksAsWritten() throws {
        let stream = Guarded<[UInt8]>([])
        @Sendable func write(_ bytes: [UInt8]) { stream.withLock { $0 += bytes } }
        let buffer = try PixelBuffer(filled: 90, .bgra, 1280, 720)

        let session = try CompressionSession(width: 1280, height: 720) { frame in
            if let sample = frame.sample { write(sample.annexB()) }
        }
        try session.set(.averageBitRate, 2_000_000)
        try session.encode(buffer, presentationTime: MediaTime(value: 0, timescale: 30))
        try session.complete()

        let bytes = stream.withLock { $0 }
        #expect(Array(bytes.prefix(5)) == [0, 0, 0, 1, 0x67])
    }

    @Test func aClipComesBackWhole() throws {
        let returned = Collector()
        let finishes = Atomic(0)
        let session = try CompressionSession(
            width: 64, height: 64, onFinish: { finishes.add(1, ordering: .sequentiallyConsistent) },
            outputHandler: { returned.receive($0) })
        #expect(session.width == 64 && session.height == 64)
        for number in 0..<40 {
            try session.encode(
                SampleContentTests.movingFrame(number), presentationTime: FakeSession.time(number),
                duration: MediaTime(value: 1, timescale: 30), refcon: refcon(number))
        }
        try session.complete()
        #expect(returned.frames.sorted() == Array(0..<40))
        #expect(returned.calls.allSatisfy { $0.status == .ok && $0.overlapping == 0 })
        let samples = returned.samples
        #expect(samples.first?.isKeyFrame == true)
        for (sample, next) in zip(samples, samples.dropFirst()) { #expect(sample.decodeTime < next.decodeTime) }
        try session.invalidate()
        #expect(finishes.load(ordering: .sequentiallyConsistent) == 1)
    }

    @Test(arguments: PixelFormat.supported)
    func everyFormatIsTakenKeptOrCopied(format: PixelFormat) throws {
        let returned = Collector()
        let session = try CompressionSession(width: 50, height: 34, outputHandler: { returned.receive($0) })
        try session.set(.realTime, true)
        for number in 0..<6 {
            let buffer = try PixelBuffer(filled: UInt8(40 * number), format, 50, 34)
            let time = FakeSession.time(number)
            if number % 2 == 0 {
                try session.encode(buffer, presentationTime: time)
            } else {
                try session.encode(copying: buffer.view, presentationTime: time)
            }
        }
        try session.complete()
        #expect(returned.samples.count == 6)
        let sequence = try #require(returned.samples.first).formatDescription.sequence
        #expect(sequence.width == 50 && sequence.height == 34)
        #expect(sequence.isFullRange == (format.is420 && format.isFullRange))
    }

    @Test(arguments: [(17, 16, 18, 16), (16, 17, 16, 18), (33, 47, 34, 48), (16, 16, 16, 16)])
    func anOddSizeIsEncodedInTheNextEvenOne(width: Int, height: Int, codedWidth: Int, codedHeight: Int) throws {
        let returned = Collector()
        let session = try CompressionSession(width: width, height: height, outputHandler: { returned.receive($0) })
        #expect(session.width == width && session.height == height)
        try session.encode(PixelBuffer(filled: 7, .i420, width, height), presentationTime: .zero)
        try session.complete()
        let format = try #require(returned.samples.first).formatDescription
        #expect(format.width == codedWidth && format.height == codedHeight)
    }

    @Test func framesOfOtherSizesAndFormatsMayFollowEachOther() throws {
        let returned = Collector()
        let session = try CompressionSession(width: 64, height: 48, outputHandler: { returned.receive($0) })
        let shapes: [(PixelFormat, Int, Int)] = [
            (.nv12, 64, 48), (.bgra, 64, 48), (.i420FullRange, 64, 48), (.rgb24, 128, 96), (.gray8, 1, 1),
            (.uyvy, 63, 49), (.nv12, 16, 300),
        ]
        for (number, (format, width, height)) in shapes.enumerated() {
            try session.encode(
                PixelBuffer(filled: 99, format, width, height), presentationTime: FakeSession.time(number))
        }
        try session.complete()
        #expect(returned.samples.count == shapes.count)
        #expect(Set(returned.samples.map { ObjectIdentifier($0.formatDescription) }).count == 1)
    }

    @Test func theSessionIsUsedOnAfterComplete() throws {
        let returned = Collector()
        let session = try CompressionSession(width: 64, height: 64, outputHandler: { returned.receive($0) })
        for part in 0..<4 {
            for number in part * 5..<part * 5 + 5 {
                try session.encode(
                    SampleContentTests.movingFrame(number), presentationTime: FakeSession.time(number),
                    refcon: refcon(number))
            }
            try session.complete()
            #expect(returned.frames.count == part * 5 + 5)
        }
        let samples = returned.samples
        #expect(samples.filter { $0.isKeyFrame }.map { $0.frameRefcon } == [0, 5, 10, 15].map(refcon))
        #expect(Set(samples.map { $0.formatDescription }).count == 1)
        for (sample, next) in zip(samples, samples.dropFirst()) { #expect(sample.decodeTime < next.decodeTime) }
    }

    @Test func thePoolsBuffersAreEncodedWithoutACopyAndComeBack() throws {
        let returned = Collector()
        let session = try CompressionSession(
            width: 64, height: 64, sourceFormat: .i420FullRange, outputHandler: { returned.receive($0) })
        let pool = try #require(session.pixelBufferPool)
        #expect(pool === session.pixelBufferPool)
        #expect(pool.width == 64 && pool.height == 64 && pool.format == .i420FullRange)
        try session.set(.realTime, true)
        var addresses: Set<Int> = []
        for number in 0..<30 {
            let buffer = try pool.makeBuffer()
            buffer.fill(UInt8(number))
            addresses.insert(Int(bitPattern: buffer.planeBaseAddress(0)))
            try session.encode(buffer, presentationTime: FakeSession.time(number))
        }
        try session.complete()
        #expect(returned.samples.count == 30)
        // The frames that are in the session at the same time, and the one being filled.
        #expect(addresses.count <= 7)
        #expect(returned.samples.first?.formatDescription.sequence.isFullRange == true)
        try session.invalidate()
        #expect(session.pixelBufferPool == nil)
        #expect(try pool.makeBuffer().width == 64)
    }

    @Test func sessionsShareNothing() throws {
        let threads = (0..<4).map { index in
            TestThread {
                let returned = Collector()
                do {
                    let session = try CompressionSession(width: 32, height: 32, outputHandler: { returned.receive($0) })
                    try session.set([(.x264Preset, "ultrafast"), (.realTime, .bool(index % 2 == 0))])
                    for number in 0..<40 {
                        try session.encode(
                            PixelBuffer(filled: UInt8(number * index), .nv12, 32, 32),
                            presentationTime: FakeSession.time(number), refcon: refcon(number))
                    }
                    try session.complete()
                } catch {
                    Issue.record(error)
                }
                #expect(returned.samples.count == 40)
            }
        }
        #expect(threads.allSatisfy { $0.join() })
    }
}
