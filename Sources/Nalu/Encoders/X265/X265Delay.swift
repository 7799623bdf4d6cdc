/// The most frames that x265 3.5 delays with one frame thread, measured with the presets superfast and medium. One frame
/// of them is delayed only if the lookahead's threads decide late, in about one of 30 sessions on a busy machine.
enum X265Delay {
    /// The least delay of an encoder that looks ahead: one frame, three in its threads, and one for a late decision.
    static let least = 5

    /// Returns the delay in frames. Each frame thread beyond the first adds one.
    static func frames(bFrames: Int, lookahead: Int, frameThreads: Int = 1) -> Int {
        guard lookahead > 0 || frameThreads > 1 else { return 0 }
        return lookahead + overhead(bFrames: bFrames) + frameThreads - 1
    }

    private static func overhead(bFrames: Int) -> Int {
        switch bFrames {
        case 0: 4
        case 1: 6
        default: bFrames + 6
        }
    }

    /// Lowers the numbers of B-frames and of lookahead frames, so that the delay is at most `room`, which is at least
    /// ``least``. The lookahead keeps twice as many frames as there are B-frames.
    static func fit(bFrames: Int, lookahead: Int, in room: Int) -> (bFrames: Int, lookahead: Int) {
        var bFrames = bFrames
        while bFrames > 0, room - overhead(bFrames: bFrames) < (bFrames > 1 ? 2 * bFrames : 2) { bFrames -= 1 }
        return (bFrames, min(lookahead, room - overhead(bFrames: bFrames)))
    }
}
