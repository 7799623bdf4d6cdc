internal import CNalu
internal import Nalu

extension MediaTime {
    init(_ time: nalu_time) {
        self.init(
            value: time.value, timescale: time.timescale, flags: MediaTimeFlags(rawValue: time.flags), epoch: time.epoch
        )
    }

    var engine: nalu_time {
        nalu_time(value: value, timescale: timescale, flags: flags.rawValue, epoch: epoch)
    }

    /// Nil where the engine has none.
    static func known(_ time: nalu_time) -> MediaTime? {
        let time = MediaTime(time)
        return time.isNumeric ? time : nil
    }
}
