package import Nalu
package import NaluBase
internal import NaluBitstream

/// Decodes the pictures of an edge and encodes them again.
@safe
final class EdgeEncoder {
    /// The frames that the decoder's thread has delivered.
    private final class Pictures: Sendable {
        /// `@unchecked Sendable`: the lock gives one thread at a time the frames, and nothing writes their pixels.
        struct State: @unchecked Sendable {
            var frames: [DecompressionSession.Frame] = []
        }

        let state = Guarded(State())
    }

    private let reader: Reader
    private let track: Int
    private let format: FormatDescription
    private let edge: CutPlan.Edge
    private let parameterSetID: Int
    private let facts: TrackFacts
    private let pictures = Pictures()
    private var encoder: EdgeSession?
    private var messages = PictureMessages()
    private var count = 0

    /// Creates an encoder for one edge.
    ///
    /// - Parameters:
    ///   - reader: a reader of the input that only this edge uses.
    ///   - format: the format description of the samples around the edge.
    ///   - parameterSetID: an ID that the parameter sets of `format` do not use.
    init(
        _ reader: Reader, track: Int, format: FormatDescription, edge: CutPlan.Edge, parameterSetID: Int
    ) throws(NaluError) {
        self.reader = reader
        self.track = track
        self.format = format
        self.edge = edge
        self.parameterSetID = parameterSetID
        facts = try reader.track(track)
    }

    /// Passes each encoded sample and its decode time to `body`, in order. The samples have the encoder's format
    /// description.
    func run(_ body: (_ sample: Sample, _ decode: MediaTime) throws(NaluError) -> Void) throws(NaluError) {
        guard let from = edge.presentations.first, let last = edge.presentations.last else { return }
        var sample = try reader.firstSample(toDecode: from)
        let decoder = try DecompressionSession(
            format: sample?.formatDescription ?? format
        ) { [pictures] frame in
            pictures.state.withLock { $0.frames.append(frame) }
        }
        defer { try? decoder.invalidate() }
        while let next = sample, next.decodeTime <= last {
            messages.add(next, isEncoded: next.presentationTime >= from && next.presentationTime <= last)
            do throws(NaluError) {
                _ = try decoder.decode(next)
            } catch  where error.status == .badData || error.status == .referenceMissing {
                // If the edge needs this picture, the count below shows that it is missing.
            }
            try encodeReady(body)
            sample = try reader.nextVideo()
        }
        try decoder.waitForAsynchronousFrames()
        try encodeReady(body)
        for sample in try encoder?.finish() ?? [] { try deliver(sample, body) }
        guard count == edge.presentations.count else {
            throw missing
        }
    }

    /// The error for a picture of the edge that the decoder did not return.
    private var missing: NaluError {
        let place = edge.presentations[min(count, edge.presentations.count - 1)]
        return NaluError(
            .badData,
            "the picture at \(place.secondsText) s cannot be decoded, and it must be encoded again; expected an intact input there, or another start or end"
        )
    }

    private func encodeReady(
        _ body: (_ sample: Sample, _ decode: MediaTime) throws(NaluError) -> Void
    ) throws(NaluError) {
        let frames = pictures.state.withLock { state in
            defer { state.frames = [] }
            return state.frames
        }
        for frame in frames {
            let time = frame.presentationTime
            guard let image = frame.image, let first = edge.presentations.first, let last = edge.presentations.last,
                time >= first, time <= last
            else { continue }
            if self.encoder == nil { self.encoder = try open(for: image) }
            guard let encoder else { return }
            try encoder.encode(image, at: time, lasting: frame.duration)
            for sample in try encoder.take() { try deliver(sample, body) }
        }
    }

    private func open(for image: PixelBuffer) throws(NaluError) -> EdgeSession {
        try EdgeSession(
            like: format, pixelFormat: image.format, frameRate: facts.nominalFrameRate,
            parameterSetID: parameterSetID)
    }

    private func deliver(
        _ sample: Sample, _ body: (_ sample: Sample, _ decode: MediaTime) throws(NaluError) -> Void
    ) throws(NaluError) {
        guard count < edge.presentations.count, sample.presentationTime == edge.presentations[count] else {
            throw missing
        }
        let decode = count < edge.decodes.count ? edge.decodes[count] : edge.presentations[count]
        count += 1
        try body(messages.restored(to: sample), min(decode, sample.presentationTime))
    }
}

extension Reader {
    /// Returns the sample at which decoding must begin for the picture presented at `time`; nil at the end.
    ///
    /// With a gradual (intra) refresh, pictures are right only some frames after a recovery point. Decoding therefore
    /// begins at the intra picture before it.
    func firstSample(toDecode time: MediaTime) throws(NaluError) -> Sample? {
        var place = time
        while true {
            try seek(to: place)
            guard let sample = try nextVideo() else { return nil }
            let shown = sample.presentationTime
            let isIntra = sample.isKeyFrame || !sample.attachments.contains(.dependsOnOthers)
            let earlier = shown - MediaTime(value: 1, timescale: shown.timescale)
            if isIntra || earlier >= place { return sample }
            place = earlier
        }
    }

    /// Returns the next sample of the selected track; nil at the end.
    package func nextVideo() throws(NaluError) -> Sample? {
        try nextSample()?.sample
    }
}
