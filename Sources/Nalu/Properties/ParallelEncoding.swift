/// How a clip is best cut for sessions that encode its parts at the same time.
struct ParallelEncoding {
    /// The most frames between key frames where MaxKeyFrameInterval is 0.
    let automaticInterval: Int
    let settings: LiveSettings

    /// Two groups of pictures: the key frame that a cut costs is then one in two at the most.
    var minimumFrameCount: Int {
        let keyFrames = settings.keyFrames
        guard keyFrames.allowTemporalCompression else { return 2 }
        var interval = keyFrames.maxInterval > 0 ? keyFrames.maxInterval : automaticInterval
        if keyFrames.maxDuration > 0 && settings.rate.expectedFrameRate > 0 {
            interval = min(
                interval, max(1, Int((keyFrames.maxDuration * settings.rate.expectedFrameRate).rounded(.up))))
        }
        return 2 * interval
    }

    /// The same in seconds; nil where nothing says how long a frame lasts.
    var minimumDuration: Double? {
        if settings.rate.expectedFrameRate > 0 {
            return Double(minimumFrameCount) / settings.rate.expectedFrameRate
        }
        guard settings.keyFrames.allowTemporalCompression, settings.keyFrames.maxDuration > 0 else { return nil }
        return 2 * settings.keyFrames.maxDuration
    }
}
