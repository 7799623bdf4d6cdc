internal import Nalu
internal import NaluBase

/// Finds scene changes with an encoder, which puts key frames there.
enum SceneChange {
    /// The size of the pictures that are examined.
    private static let (width, height) = (160, 96)

    /// Returns the time of the scene change that is nearest to `time` and at most `window` away; nil if there is none.
    static func nearest(
        to time: MediaTime, within window: MediaTime, of source: some ChunkSource, _ facts: ChunkFacts
    ) throws(NaluError) -> MediaTime? {
        let samples = SampleCollector()
        // A key frame at scene changes only, and at each of them.
        let session = try CompressionSession(width: width, height: height, outputHandler: samples.take)
        defer { try? session.invalidate() }
        try session.set([
            (.allowScaling, true), (.maxKeyFrameInterval, 100_000), (.quality, 0.3), (.x264Preset, "veryfast"),
            (.x264Params, "threads=1:min-keyint=1:bframes=0"),
        ])
        var first: MediaTime?
        try source.forEachFrame(from: max(.zero, time - window), to: time + window) { (frame) throws(NaluError) in
            first = first ?? frame.time
            try session.encode(frame)
        }
        guard let first else { return nil }
        try session.complete()
        func distance(_ other: MediaTime) -> MediaTime { other < time ? time - other : other - time }
        return try samples.samples(of: session).filter { $0.isKeyFrame && $0.presentationTime != first }
            .map(\.presentationTime).min { (distance($0), $0) < (distance($1), $1) }
    }
}
