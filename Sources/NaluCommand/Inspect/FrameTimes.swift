internal import Nalu

/// When a container says that a frame is decoded and shown.
struct FrameTimes {
    let presentation: MediaTime
    let decode: MediaTime
    let duration: MediaTime

    /// Of the sample whose data begins at that byte.
    static func assign(_ times: [Int: FrameTimes], to frames: inout [FrameRecord]) {
        for index in frames.indices { frames[index].times = times[frames[index].offset] }
    }

    /// Seconds with three digits; empty where there are none.
    static func text(_ time: MediaTime?) -> String {
        guard let time, time.isNumeric else { return "" }
        let sign = time.value < 0 ? "-" : ""
        return sign + NumberText.decimal(time.seconds.magnitude, places: 3)
    }
}
