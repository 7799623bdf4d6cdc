internal import CNalu
internal import NaluBase

extension MediaTime {
    init(_ time: nalu_time) {
        self.init(
            value: time.value, timescale: time.timescale, flags: MediaTimeFlags(rawValue: time.flags), epoch: time.epoch
        )
    }

    var cTime: nalu_time {
        nalu_time(value: value, timescale: timescale, flags: flags.rawValue, epoch: epoch)
    }
}
