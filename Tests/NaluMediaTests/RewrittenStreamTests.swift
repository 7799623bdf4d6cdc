import Nalu
import NaluBase
import NaluBitstream
import NaluMedia
import Synchronization
import Testing

/// Streams whose slice headers are rewritten with a longer `frame_num` decode to the same pictures.
@Suite struct RewrittenStreamTests {
    private static let count = 30

    /// Properties, and the new number of bits of `frame_num`; nil adds as many bits as make whole bytes.
    private static let streams: [(properties: String, bits: Int?)] = [
        ("", 16),
        ("x264.params=\"cabac=0\"", 16),
        ("x264.params=\"bframes=3:b-pyramid=strict:b-adapt=0\"", 16),
        ("x264.params=\"bframes=3:b-pyramid=strict:b-adapt=0:cabac=0:ref=4\"", 15),
        ("x264.params=\"weightp=2:bframes=0:ref=5:subme=8\"", 16),
        ("x264.params=\"weightp=2:bframes=0:ref=5:cabac=0\"", 14),
        ("x264.params=\"slices=3\"", 16),
        ("x264.params=\"slices=3:cabac=0\"", 13),
        ("ProfileLevel=H264_ConstrainedBaseline_AutoLevel", 16),
        ("MaxH264SliceBytes=500", 16),
        ("FieldCount=2,ProfileLevel=H264_High_3_1", 16),
        ("FieldCount=2,ProfileLevel=H264_High_3_1,x264.params=\"cabac=0\"", 16),
        ("AllowOpenGOP=true,MaxKeyFrameInterval=8", 16),
        ("NaluAllowIntraRefresh=true", 16),
        ("EnableLTR=true", 12),
        ("x264.params=\"cabac=0:crf=1:psy=0:subme=7:bframes=0\"", nil),
    ]

    @Test(arguments: streams.indices) func aRewrittenStreamDecodesToTheSamePictures(index: Int) throws {
        let stream = Self.streams[index]
        let samples = try Self.encode(stream.properties)
        let rewritten = try Self.rewrite(samples, bits: stream.bits)
        if let bits = stream.bits { #expect(rewritten[0].formatDescription.sequence.frameNumberBits == bits) }
        let (before, after) = (try Self.decode(samples), try Self.decode(rewritten))
        #expect(before.count == Self.count)
        #expect(before == after)
    }

    @Test(arguments: streams.indices) func anUnchangedStreamIsRewrittenByteForByte(index: Int) throws {
        let samples = try Self.encode(Self.streams[index].properties)
        var rewriter = try Self.rewriter(samples[0].formatDescription, bits: nil)
        for sample in samples {
            #expect(try Self.rewritten(sample, &rewriter) { _ in } == sample.bytes)
        }
    }

    @Test func droppedPicturesLeaveNoGapInFrameNumbers() throws {
        let samples = try Self.encode("EnableLTR=true")
        let bits = samples[0].formatDescription.sequence.frameNumberBits
        var rewriter = try Self.rewriter(samples[0].formatDescription, bits: nil)
        var numbers = FrameNumbering(sourceBits: bits)
        for (index, sample) in samples.enumerated() {
            let header = try #require(try unsafe rewriter.firstHeader(of: sample.data))
            numbers.advance(to: header)
            #expect(numbers.number == (index > 12 ? index - 1 : index))
            if index == 12 { numbers.leaveOut() }
        }
    }

    // MARK: The stream

    private static func encode(_ properties: String) throws -> [Sample] {
        let samples = Mutex<[Sample]>([])
        let session = try CompressionSession(width: Clip.width, height: Clip.height) { frame in
            if let sample = frame.sample { samples.withLock { $0.append(sample) } }
        }
        if !properties.isEmpty { try session.set(text: properties) }
        for number in 0..<count {
            var options = FrameOptions()
            options.beginIntraRefresh = properties.contains("IntraRefresh") && number % 10 == 5
            try session.encode(
                try Clip.picture(number), presentationTime: MediaTime(value: Int64(number), timescale: 30),
                duration: MediaTime(value: 1, timescale: 30), options: options)
        }
        try session.complete()
        try session.invalidate()
        return samples.withLock { $0 }
    }

    private static func rewriter(_ format: FormatDescription, bits: Int?) throws -> SliceRewriter {
        SliceRewriter(
            sequence: format.sequence,
            pictures: try format.parameterSets.dropFirst().map { try PictureParameterSet(parsing: $0) },
            frameNumberBits: bits ?? format.sequence.frameNumberBits)
    }

    private static func rewritten(
        _ sample: Sample, _ rewriter: inout SliceRewriter, _ edit: SliceRewriter.Edit
    ) throws -> [UInt8] {
        let nothing = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
        let size = try unsafe rewriter.rewrite(picture: sample.data, into: nothing, edit)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
        defer { unsafe memory.deallocate() }
        let written = try unsafe rewriter.rewrite(picture: sample.data, into: memory, edit)
        #expect(written == size)
        return unsafe [UInt8](memory)
    }

    private static func rewrite(_ samples: [Sample], bits: Int?) throws -> [Sample] {
        let format = samples[0].formatDescription
        let own = format.sequence.frameNumberBits
        let bits = bits ?? own + 8
        var sets = format.parameterSets
        sets[0] = try SequenceParameterSetEditor.edit(sets[0], frameNumberBits: bits)
        let changed = try FormatDescription(parameterSets: sets, lengthSize: 4)
        var rewriter = try rewriter(format, bits: bits)
        var numbers = FrameNumbering(sourceBits: own)
        return try samples.map { sample in
            numbers.advance(to: try #require(try unsafe rewriter.firstHeader(of: sample.data)))
            let current = numbers
            let bytes = try rewritten(sample, &rewriter) { (header) throws(NaluError) in
                try current.apply(to: &header, bits: bits)
            }
            return try Sample(
                copying: bytes, formatDescription: changed, presentationTime: sample.presentationTime,
                duration: sample.duration, decodeTime: sample.decodeTime, attachments: sample.attachments)
        }
    }

    /// Returns the pixels, keyed by presentation time.
    private static func decode(_ samples: [Sample]) throws -> [Int64: [UInt8]] {
        let pictures = Mutex<[Int64: [UInt8]]>([:])
        let session = try DecompressionSession(format: samples[0].formatDescription) { frame in
            guard let image = frame.image, !frame.flags.contains(.damaged) else { return }
            var bytes: [UInt8] = []
            for plane in 0..<image.planeCount {
                guard let base = unsafe image.planeBaseAddress(plane) else { continue }
                for row in 0..<image.planeHeight(plane) {
                    let start = unsafe UnsafeRawPointer(base) + row * image.planeStride(plane)
                    bytes += unsafe UnsafeRawBufferPointer(start: start, count: image.planeWidth(plane))
                }
            }
            let picture = bytes
            pictures.withLock { $0[frame.presentationTime.value] = picture }
        }
        for sample in samples { try session.decode(sample) }
        try session.waitForAsynchronousFrames()
        try session.invalidate()
        return pictures.withLock { $0 }
    }
}
