internal import CFFmpeg
internal import NaluBase

/// Puts the packets of several tracks in the order of their decode times. libavformat can do that too, but then a failure
/// does not say whose packet it was.
@safe
final class Interleaver {
    private var queues: [PacketQueue]
    /// Nobody waits for the packets of such a track: subtitles may be minutes apart.
    private let isSparse: [Bool]

    /// Seconds that a track waits at most for another one that has nothing.
    private static let longestWait: Int64 = 10

    /// - Parameter passed: the tracks after that of the video.
    init(_ passed: [PassedTrack]) {
        queues = (0...passed.count).map { _ in PacketQueue() }
        isSparse = [false] + passed.map { $0.parameters.type == AVMEDIA_TYPE_SUBTITLE }
    }

    /// Takes what the packet holds, with times in the units of the track, and leaves it empty.
    func add(_ packet: Packet, track: Int) throws(NaluError) {
        try queues[track].append(packet)
    }

    func take(into packet: Packet, track: Int) -> Bool {
        queues[track].take(into: packet)
    }

    /// The track whose packet is next; nil where that is not known yet.
    ///
    /// - Parameter all: nothing comes any more.
    func next(all: Bool, timeBase: (Int) -> AVRational) -> Int? {
        var first: (track: Int, time: Int64)?
        var latest: (track: Int, time: Int64)?
        var isComplete = true
        for track in queues.indices {
            guard let time = queues[track].firstDecodeTime, let end = queues[track].lastDecodeTime else {
                isComplete = isComplete && isSparse[track]
                continue
            }
            let base = timeBase(track)
            if first.map({ av_compare_ts(time, base, $0.time, timeBase($0.track)) < 0 }) ?? true {
                first = (track, time)
            }
            if latest.map({ av_compare_ts(end, base, $0.time, timeBase($0.track)) > 0 }) ?? true {
                latest = (track, end)
            }
        }
        guard let first, let latest else { return nil }
        if all || isComplete { return first.track }
        let base = timeBase(first.track)
        let limit = first.time &+ av_rescale(Self.longestWait, Int64(base.den), Int64(max(base.num, 1)))
        return av_compare_ts(latest.time, timeBase(latest.track), limit, base) > 0 ? first.track : nil
    }
}
