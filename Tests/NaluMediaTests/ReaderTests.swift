import Glibc
import Nalu
import NaluMedia
import Synchronization
import Testing

@Suite("Reading and decoding through the Swift module")
struct ReaderTests {
    /// Writes samples into a file.
    private static func file(_ samples: [Sample], rotation: Int = 0) throws -> TemporaryFile {
        let file = TemporaryFile("clip.mp4")
        let writer = try Writer(path: file.path)
        try writer.addTrack(samples[0].formatDescription, options: TrackOptions(rotation: rotation))
        for sample in samples { try writer.write(sample) }
        try writer.finish()
        return file
    }

    @Test("The samples of a file are those that were written, bytes and times")
    func writtenSamplesAreReadBack() throws {
        let samples = try Clip.samples(count: 20)
        let file = try Self.file(samples, rotation: 180)
        let reader = try Reader(path: file.path)
        #expect(reader.container == .mp4)
        #expect(reader.status == .unknown)
        #expect(reader.duration.map(\.seconds) == 20.0 * 1001 / 30000)
        let track = try #require(reader.tracks.first)
        #expect(reader.tracks.count == 1 && track.isReadable && track.isSelected && track.mediaType == .video)
        #expect((track.width, track.height, track.rotation) == (Clip.width, Clip.height, 180))
        #expect(track.codec == FormatDescription.h264 && track.sampleCount == 20)
        #expect(reader.formatDescription(ofTrack: 0) == samples[0].formatDescription)
        #expect(reader.formatDescription(ofTrack: 9) == nil)
        var index = 0
        while let (number, sample) = try reader.nextSample() {
            #expect(number == 0)
            #expect(sample.bytes == samples[index].bytes)
            #expect(sample.presentationTime == samples[index].presentationTime)
            #expect(sample.decodeTime == samples[index].decodeTime)
            #expect(sample.isKeyFrame == samples[index].isKeyFrame)
            index += 1
        }
        #expect(index == 20 && reader.status == .completed)
    }

    @Test("An MP4 with its index at the end is read from what cannot seek")
    func spooled() throws {
        let samples = try Clip.samples(count: 5)
        let file = try Self.file(samples)
        let pipe = try Pipe(file.path)
        let reader = unsafe try Reader(spools: true, read: { unsafe pipe.read($0) })
        for sample in samples { #expect(try reader.nextSample()?.sample.bytes == sample.bytes) }
        #expect(try reader.nextSample() == nil)
        try reader.seek(to: .zero)
        #expect(try reader.nextSample()?.sample.bytes == samples[0].bytes)
    }

    /// A pipe with the contents of a file, which can only be read forward.
    private final class Pipe: Sendable {
        private let descriptor: Int32

        init(_ path: String) throws {
            descriptor = unsafe open(path, O_RDONLY)
            try #require(descriptor >= 0)
        }

        deinit { close(descriptor) }

        func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
            unsafe Glibc.read(descriptor, bytes.baseAddress, min(bytes.count, 1000))
        }
    }

    @Test("What is not to be displayed is hidden by the edit list, unless that is ignored")
    func editList() throws {
        let file = TemporaryFile("cut.mp4")
        let writer = try Writer(path: file.path)
        for (index, sample) in try Clip.samples(count: 20).enumerated() {
            if index == 0 { try writer.addTrack(sample.formatDescription) }
            let isHidden = sample.presentationTime.seconds < 0.1
            try writer.write(
                Sample(
                    copying: sample.bytes, formatDescription: sample.formatDescription,
                    presentationTime: sample.presentationTime, duration: sample.duration,
                    decodeTime: sample.decodeTime,
                    attachments: isHidden ? sample.attachments.union(.doNotDisplay) : sample.attachments))
        }
        try writer.finish()
        var counts: [Int] = []
        for ignores in [false, true] {
            let reader = try Reader(path: file.path, ignoresEditList: ignores)
            var samples: [Sample] = []
            while let (_, sample) = try reader.nextSample() { samples.append(sample) }
            counts.append(samples.count { !$0.attachments.contains(.doNotDisplay) })
            #expect(samples.contains { $0.attachments.contains(.doNotDisplay) } == !ignores)
        }
        // The fourth sample begins at 0.1001 s.
        #expect(counts == [17, 20])
    }

    @Test("Functions are read from, and seeking goes to the key frame before")
    func functions() throws {
        let samples = try Clip.samples(count: 20)
        let bytes = try Self.file(samples).bytes()
        let place = Mutex(0)
        let reader = try Reader(
            size: bytes.count,
            read: { buffer in
                place.withLock { place in
                    let count = min(buffer.count, bytes.count - place)
                    unsafe buffer.copyBytes(from: bytes[place..<place + count])
                    place += count
                    return count
                }
            },
            seek: { offset in
                place.withLock { $0 = Int(offset) }
                return 0
            })
        _ = try reader.nextSample()
        try reader.seek(to: MediaTime(value: 10 * 1001, timescale: 30000))
        let next = try #require(try reader.nextSample())
        #expect(next.sample.isKeyFrame)
        #expect(next.sample.presentationTime == MediaTime(value: 8 * 1001, timescale: 30000))
    }

    @Test("Refusals are NaluErrors")
    func refusals() throws {
        expect(.inputOutput) { () throws(NaluError) in _ = try Reader(path: "/nowhere/clip.mp4") }
        expect(.unsupportedDataFormat) { () throws(NaluError) in _ = try Reader(read: { _ in 0 }) }
        let file = try Self.file(try Clip.samples(count: 2))
        let reader = try Reader(path: file.path)
        expect(.outOfRange, "track") { () throws(NaluError) in try reader.select(track: 5) }
        expect(.invalidTime) { () throws(NaluError) in try reader.seek(to: .invalid) }
        reader.cancel()
        expect(.cancelled) { () throws(NaluError) in _ = try reader.nextSample() }
        #expect(reader.status == .cancelled)
    }

    @Test("A decompression session gives every picture in order, with its times")
    func decoding() throws {
        let samples = try Clip.samples(count: 20)
        let times = Mutex<[MediaTime]>([])
        let errors = Mutex<[Double]>([])
        let session = try DecompressionSession(format: samples[0].formatDescription) { frame in
            guard frame.status == .ok, let image = frame.image, let picture = try? Clip.picture(times.withLock(\.count))
            else { return }
            times.withLock { $0.append(frame.presentationTime) }
            errors.withLock { $0.append(Self.meanError(image, picture)) }
        }
        #expect(session.canAccept(samples[0].formatDescription))
        for (index, sample) in samples.enumerated() {
            try session.decode(sample, flags: index % 2 == 0 ? .asynchronous : [])
        }
        try session.waitForAsynchronousFrames()
        #expect(times.withLock { $0 } == (0..<20).map { MediaTime(value: $0 * 1001, timescale: 30000) })
        #expect(errors.withLock { $0.max() ?? .infinity } < 6)
        #expect(session.lastError == "")
        try session.invalidate()
        expect(.invalidSession) { () throws(NaluError) in try session.decode(samples[0]) }
    }

    @Test("Images come in the size and format that were asked for")
    func destination() throws {
        let samples = try Clip.samples(count: 3)
        var options = DecompressionSession.Options()
        options.pixelFormat = .nv12
        options.width = 48
        options.height = 32
        options.threadCount = 1
        options.isLowDelay = true
        let found = Mutex<[Bool]>([])
        let session = try DecompressionSession(format: samples[0].formatDescription, options: options) { frame in
            let image = frame.image
            found.withLock { $0.append(image?.format == .nv12 && image?.width == 48 && image?.height == 32) }
        }
        for sample in samples { try session.decode(sample) }
        try session.waitForAsynchronousFrames()
        #expect(found.withLock { $0 } == [true, true, true])
        options.threadCount = 65
        expect(.outOfRange, "65") { () throws(NaluError) in
            _ = try DecompressionSession(format: samples[0].formatDescription, options: options) { _ in }
        }
    }

    /// Returns the mean absolute error of luma.
    private static func meanError(_ a: PixelBuffer, _ b: PixelBuffer) -> Double {
        var sum = 0
        guard let first = unsafe a.planeBaseAddress(0), let second = unsafe b.planeBaseAddress(0) else {
            return .infinity
        }
        for row in 0..<Clip.height {
            for column in 0..<Clip.width {
                let x = unsafe first.load(fromByteOffset: row * a.planeStride(0) + column, as: UInt8.self)
                let y = unsafe second.load(fromByteOffset: row * b.planeStride(0) + column, as: UInt8.self)
                sum += abs(Int(x) - Int(y))
            }
        }
        return Double(sum) / Double(Clip.width * Clip.height)
    }
}
