internal import CFFmpeg
internal import NaluBase

/// Sorts the packets of several tracks by decode time. libavformat can do that too, but its errors do not name the
/// track whose packet failed.
final class Interleaver {
    private var queues: [PacketQueue]
    /// Whether the track is subtitles. Other tracks do not wait for its packets, which may be minutes apart.
    private let isSparse: [Bool]

    /// The longest time in milliseconds that video packets wait for a track without packets.
    private let longestWait: Int64
    /// The same for the packets of other tracks, and for all packets of files.
    private static let usualWait: Int64 = 10_000

    /// - Parameters:
    ///   - passed: the tracks after the video track.
    ///   - isLive: whether viewers watch the output now. The video then waits only half a second for an audio device that
    ///     delivers nothing. Tracks of a file come in chunks that can be longer.
    init(_ passed: [PassedTrack], isLive: Bool) {
        longestWait = isLive && passed.allSatisfy { $0.format != nil } ? 500 : Self.usualWait
        queues = (0...passed.count).map { _ in PacketQueue() }
        isSparse = [false] + passed.map { $0.parameters.codec_type == AVMEDIA_TYPE_SUBTITLE }
    }

    /// Moves the packet's contents into the queue of its track, and leaves the packet empty. The times are in the
    /// track's units.
    func add(_ packet: Packet, track: Int) throws(NaluError) {
        try queues[track].append(packet)
    }

    func take(into packet: Packet, track: Int) -> Bool {
        queues[track].take(into: packet)
    }

    /// Returns the track whose packet is next; nil if that is not known yet.
    ///
    /// - Parameter all: whether no more packets follow.
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
        // A session that delays frames makes audio wait for the video.
        let wait = first.track == 0 ? longestWait : Self.usualWait
        let limit = first.time &+ av_rescale(wait, Int64(base.den), 1000 * Int64(max(base.num, 1)))
        return av_compare_ts(latest.time, timeBase(latest.track), limit, base) > 0 ? first.track : nil
    }
}
