internal import Nalu
internal import NaluMedia

/// The pictures of a track, decoded in a separate thread that stays a few pictures ahead.
final class DecodedFrames: FrameSource {
    let facts: VideoFacts
    let frameRate: RationalFrameRate
    let file: MediaFile
    private let decodedAspect: (horizontal: Int, vertical: Int)?
    private let limit: Int?
    private let range: FrameRange
    let shape: PictureShape
    /// The signal that ``facts`` describe.
    let signal: PictureSignal
    /// The decoder's settings. Without a pixel format, the decoder chooses the one that loses nothing.
    private let options: DecompressionSession.Options
    /// A constant frame rate that replaces the times of the samples; nil keeps the times.
    private let retimed: RationalFrameRate?
    private let state = Guarded(State())

    /// True if the frames have the times of the file.
    var keepsTimes: Bool { retimed == nil }

    private struct State {
        /// Pictures in order of presentation; the first element is next.
        var pictures: [Picture] = []
        /// The number of pictures that the decoder has returned.
        var count = 0
        /// The number of pictures that ``next()`` has returned.
        var given = 0
        var isAtEnd = false
        /// True once the thread has ended and reads nothing more.
        var isRead = false
        /// True if the output also gets other tracks of the file, which the same reader reads.
        var passesTracks = false
        /// The end time of the last picture, if a limit or the range ended the reading; otherwise nil.
        var end: MediaTime?
        var lastTime: MediaTime?
        /// The end time of the last picture; nil if its sample has no duration.
        var lastEnd: MediaTime?
        var isStopped = false
        var failure: (any Error)?
        /// Samples without a picture, and pictures that are partly concealed.
        var missing = 0
        var damaged = 0
        /// Samples before the first one at which decoding can start.
        var early = 0
        /// The time of the last picture that ``next()`` returned, and the number of pictures left out because they are
        /// not later than the picture before them.
        var lastGivenTime: MediaTime?
        var late = 0
        /// Carries the times on where those of the file jump back.
        var joints = TimeJoints()
        var reason: String?
        var extras = StreamExtras()
        /// The different signals of the samples so far. A sample's refcon is its signal's index plus 1.
        var signals: [PictureSignal] = []

        private var refcons: [PictureSignal: Int] = [:]

        /// Returns the refcon for samples with a signal.
        mutating func refcon(of signal: PictureSignal) -> Int {
            if let refcon = refcons[signal] { return refcon }
            signals.append(signal)
            refcons[signal] = signals.count
            return signals.count
        }

        /// Inserts a picture by its time, before at most `reorderDepth` other pictures.
        mutating func insert(_ picture: Picture, reorderDepth: Int) {
            let first = max(pictures.count - reorderDepth, 0)
            let place = pictures[first...].firstIndex { $0.time > picture.time } ?? pictures.endIndex
            pictures.insert(picture, at: place)
        }
    }

    /// `@unchecked Sendable`: the pixels never change.
    private struct Picture: @unchecked Sendable {
        let image: PixelBuffer
        let time: MediaTime
        let duration: MediaTime
        let fields: VideoFacts.FieldOrder?
        let signal: PictureSignal?
    }

    private static let capacity = 4
    /// The number of later pictures for which a picture waits, so that an encoder gets pictures in order of
    /// presentation. The decoder returns IDR pictures in decode order, and a few files present IDR pictures in another
    /// order.
    private let reorderDepth: Int

    /// - Parameters:
    ///   - range: the wanted frames, in times of the file.
    ///   - shape: the cropping and scaling of the pictures.
    ///   - sortsByTime: true to sort pictures by presentation time if the decoder's order differs, and to carry the
    ///     times on where those of the file jump back.
    init(
        _ file: MediaFile, limit: Int?, retimed: RationalFrameRate? = nil, range: FrameRange = FrameRange(),
        shape: PictureShape = PictureShape(), sortsByTime: Bool = false, options: DecompressionSession.Options
    ) throws(Failure) {
        self.file = file
        reorderDepth = sortsByTime ? 2 : 0
        self.range = range
        self.shape = shape
        self.options = options
        let pixelFormat = options.pixelFormat
        self.limit = limit
        self.retimed = retimed
        guard let format = file.format else {
            throw Failure("\(file.name) has no parameter sets, so nothing can be decoded")
        }
        let sequence = format.sequence
        signal = PictureSignal(format)
        let rate = retimed ?? file.track.nominalFrameRate.flatMap { RationalFrameRate(near: $0) }
        let own = DecompressionSession.imageFormat(of: format) ?? .i420
        var facts = VideoFacts(width: format.width, height: format.height, format: pixelFormat ?? own, frameRate: rate)
        facts.bitDepth = pixelFormat?.bitDepth ?? sequence.lumaBitDepth
        let aspect = file.track.pixelAspectRatio
        let ratio = (sequence.pixelAspectRatioHorizontal, sequence.pixelAspectRatioVertical)
        // Players follow the container's aspect ratio, so it takes precedence over the stream's.
        if aspect != (1, 1) || (ratio.0 > 0 && ratio.1 > 0) { facts.pixelAspectRatio = aspect }
        decodedAspect = facts.pixelAspectRatio
        facts.hasAspectOfContainer = Double(aspect.horizontal) / Double(max(aspect.vertical, 1)) != signal.aspect
        try shape.check(width: facts.width, height: facts.height, format: facts.format, input: file.name)
        facts.pixelAspectRatio = shape.aspect(decodedAspect, width: format.width, height: format.height)
        (facts.width, facts.height) = shape.encoded(width: format.width, height: format.height)
        facts.color = (sequence.colorPrimaries, sequence.transferCharacteristics, sequence.matrixCoefficients)
        facts.chromaLocation = sequence.chromaLocation
        self.facts = facts
        frameRate = rate ?? .unknown
    }

    var name: String { file.name }
    var orientation: Orientation { Orientation(of: file.track) }
    /// True if the times of the output begin at 0 and other tracks begin with the first picture.
    var beginsAtZero: Bool { range.start != nil }

    /// Returns the facts for the first picture, after cropping. Its signal is not that of the file's beginning if the
    /// range begins later.
    func facts(of image: PixelBuffer, _ signal: PictureSignal?) -> VideoFacts {
        var facts = facts
        var aspect = decodedAspect
        if let signal, signal != self.signal {
            let isOther = signal.aspect != self.signal.aspect && !facts.hasAspectOfContainer
            if isOther { aspect = (signal.aspectHorizontal, signal.aspectVertical) }
            facts.color = (signal.primaries, signal.transfer, signal.matrix)
            facts.chromaLocation = signal.chromaLocation
            facts.format = image.format
            facts.bitDepth = options.pixelFormat?.bitDepth ?? signal.bitDepth
        }
        let shape = PictureShape(size: shape.size)
        facts.pixelAspectRatio = shape.aspect(aspect, width: image.width, height: image.height)
        (facts.width, facts.height) = shape.encoded(width: image.width, height: image.height)
        return facts
    }

    /// The error for an input without frames, or for a range without frames.
    var emptiness: Failure {
        guard !range.isAll else { return Failure("\(name) has no frames") }
        let start = file.track.startTime ?? .zero
        let place = file.track.duration.map {
            "; its video lasts from \(start.secondsText) to \((start + $0).secondsText) s"
        }
        return Failure("\(name) has no frames \(range.text)\(place ?? "")")
    }

    var total: Int? {
        guard range.isAll, let count = file.track.sampleCount else { return limit }
        return min(count, limit ?? .max)
    }

    func begin() throws {
        guard let format = file.format else { return }
        if let start = range.start {
            do throws(NaluError) {
                try file.reader.seek(to: start)
            } catch  where error.status == .conflict || error.status == .badData {
                // The reader cannot seek in this input, so the file is read from its beginning.
            } catch {
                throw Failure("cannot read \(file.name): \(error.message)")
            }
        }
        let session: DecompressionSession
        do throws(NaluError) {
            session = try DecompressionSession(format: format, options: options) { [weak self] in self?.take($0) }
        } catch {
            throw Failure("\(file.name) cannot be decoded: \(error.message)")
        }
        try WorkerThread.start { [self] in decode(session) }
    }

    private func decode(_ session: DecompressionSession) {
        var reading = TolerantSampleReader(file)
        var extras = StreamExtras()
        var format: FormatDescription?
        var refcon = 0
        do {
            var first = try firstSample(&reading)
            while !state.withLock({ $0.isStopped || $0.isAtEnd }), let sample = try first ?? reading.next() {
                first = nil
                let before = extras
                extras.look(at: sample)
                if extras != before { state.change { $0.extras = extras } }
                if sample.formatDescription !== format {
                    let signal = PictureSignal(sample.formatDescription)
                    format = sample.formatDescription
                    refcon = state.change { $0.refcon(of: signal) }
                }
                do throws(NaluError) {
                    // The pointer is a number, and nothing reads from it.
                    let refcon = unsafe UnsafeMutableRawPointer(bitPattern: refcon)
                    _ = try unsafe session.decode(sample, flags: .asynchronous, refcon: refcon)
                } catch {
                    lose(error.message)
                }
            }
            if !state.withLock({ $0.isStopped || $0.isAtEnd }) { try session.waitForAsynchronousFrames() }
            try readOn()
        } catch {
            state.change { $0.failure = error }
        }
        let message = session.lastError
        state.change { state in
            state.missing += reading.damagedCount
            state.reason = reading.complaint ?? (message.isEmpty ? state.reason : message)
            state.isAtEnd = true
            state.isRead = true
        }
    }

    /// Returns the sample at which decoding begins for the first frame of the range. Nil means that decoding begins at
    /// the next sample.
    ///
    /// With a gradual (intra) refresh, pictures are right only some frames after a recovery point, so decoding begins
    /// at the intra frame before it.
    private func firstSample(_ reading: inout TolerantSampleReader) throws -> Sample? {
        guard var place = range.start else { return nil }
        while let sample = try reading.next() {
            let earlier = sample.presentationTime - MediaTime(value: 1, timescale: sample.presentationTime.timescale)
            let isIntra = sample.isKeyFrame || !sample.attachments.contains(.dependsOnOthers)
            guard !isIntra, earlier < place, (try? file.reader.seek(to: earlier)) != nil else { return sample }
            place = earlier
        }
        return nil
    }

    /// The time in seconds that packets of other tracks may lag behind the samples of the same time in the file.
    private static let interleaving = MediaTime(value: 2, timescale: 1)

    /// Reads other tracks to the end of the last picture, if a limit ended the decoding.
    private func readOn() throws {
        guard let end = state.withLock({ $0.passesTracks && !$0.isStopped ? $0.end : nil }) else { return }
        var reading = TolerantSampleReader(file)
        while !state.withLock({ $0.isStopped }), let sample = try reading.next(),
            sample.decodeTime < end + Self.interleaving
        {}
    }

    /// Makes the reader pass other tracks of the file to the output. To be called before ``begin()``.
    func passTracks() {
        state.change { $0.passesTracks = true }
    }

    /// Returns the time after the last picture at which other tracks end too; nil without a limit. Waits until the
    /// other tracks are read.
    func endOfTracks() -> MediaTime? {
        state.wait { state -> MediaTime?? in
            state.isRead || state.isStopped ? .some(state.isStopped ? nil : state.end ?? range.end) : nil
        }
    }

    private func lose(_ reason: String) {
        state.change { state in
            state.missing += 1
            state.reason = state.reason ?? reason
        }
    }

    /// Handles a picture from the decoder. Blocks while ``capacity`` pictures wait for ``next()``.
    private func take(_ frame: DecompressionSession.Frame) {
        if range.isBefore(frame.presentationTime) { return }
        if range.isAfter(frame.presentationTime) { return end(before: frame) }
        guard let image = frame.image else {
            // The edit list hides this picture.
            if frame.status == .ok && frame.flags.contains(.frameDropped) { return }
            let isEnded = state.withLock { $0.isStopped || $0.isAtEnd }
            if isEnded || frame.flags.contains(.skippedLeadingFrameDropped) { return }
            if isBeforeStart(frame) { return state.change { $0.early += 1 } }
            return lose("\(frame.status.name)")
        }
        let isDamaged = frame.flags.contains(.damaged)
        let signal = unsafe Int(bitPattern: frame.frameRefcon) - 1
        state.wait { state -> Void? in
            if state.isStopped || state.isAtEnd { return () }
            guard state.pictures.count < Self.capacity else { return nil }
            // The packets of other tracks keep their times.
            let isCarriedOn = reorderDepth > 0 && !state.passesTracks
            let time =
                isCarriedOn
                ? state.joints.time(frame.presentationTime, frame.duration, reorderDepth: reorderDepth)
                : frame.presentationTime
            let picture = Picture(
                image: image, time: time, duration: frame.duration, fields: .init(frame.flags),
                signal: state.signals.indices.contains(signal) ? state.signals[signal] : nil)
            state.insert(picture, reorderDepth: reorderDepth)
            state.count += 1
            if isDamaged { state.damaged += 1 }
            if state.count == limit {
                state.isAtEnd = true
                let step = state.lastTime.map { picture.time - $0 }
                state.end = picture.time + (picture.duration.isNumeric ? picture.duration : step ?? .zero)
            }
            state.lastTime = picture.time
            state.lastEnd = picture.duration.isNumeric ? picture.time + picture.duration : nil
            return ()
        }
    }

    /// Ends the reading at the first picture after the range. Pictures arrive in display order, so no picture of the
    /// range follows.
    private func end(before frame: DecompressionSession.Frame) {
        guard frame.image != nil else { return }
        state.change { state in
            guard !state.isAtEnd else { return }
            state.isAtEnd = true
            state.end = [state.lastEnd, frame.presentationTime, range.end].compactMap(\.self).min()
        }
    }

    /// Returns true for a picture without its references before the first decoded one. A recording that begins in the
    /// middle of a stream is not damaged.
    private func isBeforeStart(_ frame: DecompressionSession.Frame) -> Bool {
        frame.status == .referenceMissing && state.withLock { $0.count + $0.missing == 0 }
    }

    /// A message on frames that are left out, or have other times, although the input is not damaged; nil if there are
    /// none.
    var notice: String? {
        let (early, jumps) = state.withLock { ($0.early, $0.joints.count) }
        let parts = [
            early > 0 ? "\(NumberText.count(early, "frame")) before the first key frame left out" : nil,
            jumps > 0
                ? "the times of \(name) jump back \(NumberText.count(jumps, "time")); the frames after that follow those before"
                : nil,
        ]
        return parts.contains { $0 != nil } ? parts.compactMap(\.self).joined(separator: ", ") : nil
    }

    /// The data beside the pictures in the samples so far. The data of a picture is known before the picture arrives.
    var extras: StreamExtras { state.withLock { $0.extras } }

    func next() throws -> TimedFrame? {
        enum Step {
            case picture(Picture, Int)
            /// The picture is not later than the one before it and is left out.
            case late
            case end
            case failed(any Error)
        }
        let step = state.wait { state -> Step? in
            if reorderDepth > 0, let last = state.lastGivenTime, let first = state.pictures.first, first.time <= last {
                state.pictures.removeFirst()
                state.late += 1
                return .late
            }
            let isOver = state.isAtEnd || state.isStopped || state.failure != nil
            if state.pictures.count > (isOver ? 0 : reorderDepth) {
                state.given += 1
                let picture = state.pictures.removeFirst()
                state.lastGivenTime = picture.time
                return .picture(picture, state.given - 1)
            }
            guard isOver else { return nil }
            if let failure = state.failure, !state.isStopped { return .failed(failure) }
            return .end
        }
        switch step {
        case .picture(let picture, let number):
            return TimedFrame(
                pixels: .kept(try shape.cropped(picture.image, input: name)),
                time: retimed?.time(ofFrame: number) ?? picture.time,
                duration: retimed?.time(ofFrame: 1) ?? picture.duration, fields: picture.fields,
                signal: picture.signal)
        case .late: return try next()
        case .failed(let error): throw error
        case .end:
            if let complaint { throw complaint }
            return nil
        }
    }

    /// The error for frames of the input that are missing, damaged or left out; nil if there are none.
    private var complaint: Failure? {
        state.change { state in
            let missing = state.missing + (state.count == 0 ? state.early : 0)
            guard !state.isStopped else { return nil }
            guard missing + state.damaged > 0 else {
                guard state.late > 0 else { return nil }
                return Failure(
                    "\(NumberText.count(state.late, "frame")) of \(name) not later than the frame before left out; "
                        + "nalu encode with --fps keeps every frame")
            }
            var parts: [String] = []
            if missing > 0 { parts.append("\(NumberText.count(missing, "frame")) could not be decoded") }
            if state.damaged > 0 {
                parts.append("\(NumberText.count(state.damaged, "frame")) could only be decoded partly")
            }
            let reason = state.reason.map { " (\($0))" } ?? ""
            return Failure("\(file.name) is corrupt: \(parts.joined(separator: ", "))\(reason)")
        }
    }

    func stop() {
        state.change { $0.isStopped = true }
        file.reader.cancel()
    }
}

extension VideoFacts.FieldOrder {
    /// Returns nil for a progressive picture.
    fileprivate init?(_ flags: DecompressionSession.InfoFlags) {
        guard flags.contains(.interlaced) else { return nil }
        self = flags.contains(.bottomFieldFirst) ? .bottomFirst : .topFirst
    }
}
