internal import Nalu

/// The frames of a Y4M file or of a raw file, at a constant rate.
final class RawFrames: FrameSource {
    let facts: VideoFacts
    let frameRate: RationalFrameRate
    private let input: InputFile
    private let limit: Int?
    private let packing: FramePacking
    private let framing: Framing
    private let reading = Guarded<(frames: ReadAhead?, total: Int?, count: Int)>((nil, nil, 0))

    let orientation = Orientation()
    var name: String { input.name }

    init(_ options: InputOptions, _ input: InputFile, _ facts: VideoFacts) throws(Failure) {
        self.input = input
        limit = options.frames
        var facts = facts
        facts.frameRate = options.fps ?? facts.frameRate
        guard let frameRate = facts.frameRate else {
            throw Failure("\(input.name) has no frame rate; add --fps RATE")
        }
        self.frameRate = frameRate
        self.facts = facts
        framing = options.format == nil ? .y4m : .none
        packing = FramePacking(facts)
        if framing == .none { try check(options) }
    }

    /// Checks the beginning and the size of the file, which usually show frames of another format or size.
    private func check(_ options: InputOptions) throws(Failure) {
        if input.begins(with: Y4MHeader.magic) {
            throw Failure("\(input.name) is Y4M, whose header states format and size; leave out --format and --size")
        }
        guard let size = input.size.map({ max(0, $0 - input.position) }), let format = options.format else { return }
        let (whole, rest) = size.quotientAndRemainder(dividingBy: packing.byteCount)
        guard rest != 0, whole < limit ?? .max else { return }
        let frames = NumberText.count(whole, "frame")
        let remedy = whole > 0 ? ", or encode the complete frames with --frames \(whole)" : ""
        throw Failure(
            "\(input.name) has \(frames) of \(facts.width)x\(facts.height) \(format) (\(packing.byteCount) bytes each) and "
                + "\(rest) more bytes; correct --format or --size\(remedy)")
    }

    var total: Int? { reading.withLock { $0.total } }

    func begin() throws {
        let reader: any PayloadReader
        var total = limit
        if let size = input.size {
            let mapped = MappedReader(input, size: size, framing: framing, payloadSize: packing.byteCount)
            total = min(mapped.frameCount, limit ?? .max)
            reader = mapped
        } else {
            reader = StreamReader(input, framing: framing, payloadSize: packing.byteCount)
        }
        let frames = try ReadAhead(reader, packing: packing, limit: limit)
        reading.withLock { $0 = (frames, total, 0) }
    }

    func next() throws -> TimedFrame? {
        guard let frame = try reading.withLock({ $0.frames })?.next() else { return nil }
        let number = reading.withLock { state in
            state.count += 1
            return state.count - 1
        }
        // The session can keep these frames without a conversion, so it need not copy them.
        let isKept = facts.format.is420 && facts.format.bitDepth == 8
        return TimedFrame(
            pixels: isKept
                ? .kept(PixelBuffer(wrapping: frame.view) { withExtendedLifetime(frame) {} }) : .lent(frame),
            time: frameRate.time(ofFrame: number), duration: frameRate.time(ofFrame: 1))
    }

    func stop() {
        reading.withLock { $0.frames }?.stop()
    }
}
