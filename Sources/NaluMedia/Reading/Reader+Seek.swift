internal import CFFmpeg
internal import Nalu
public import NaluBase

extension Reader {
    /// Moves to a time. The next sample is the last key frame of the first selected track that is presented at or
    /// before `time`. If there is none, it is the first sample.
    ///
    /// Throws `.conflict` if the input cannot seek; `.invalidTime` if `time` is not numeric or too large; `.badData`;
    /// `.inputOutput`; `.cancelled`.
    public func seek(to time: MediaTime) throws(NaluError) {
        try access.run { () throws(NaluError) in
            guard time.isNumeric else {
                throw NaluError(.invalidTime, "time is not numeric; expected a time of the track")
            }
            if let failure { throw failure }
            if signals.isCancelled { throw Demuxer.cancelled }
            try checkSelection()
            guard input.input.canSeek else {
                throw NaluError(.conflict, "the input cannot seek; expected a file, or a reader with a seek function")
            }
            do throws(NaluError) {
                if let raw {
                    try raw.seek(to: time)
                } else if let packets, let track = demuxed.first(where: { $0.facts.isSelected }) {
                    try seek(to: time, track, packets)
                }
            } catch {
                throw remembered(error)
            }
            hasBegun = false
            signals.status = .reading
        }
    }

    private func seek(to time: MediaTime, _ track: DemuxedTrack, _ source: PacketSource) throws(NaluError) {
        if countsTimes(source) { return try replay(to: time, track.index, source) }
        guard var wanted = track.timeBase.units(time) else {
            throw NaluError(
                .invalidTime,
                "time is \(TrackClock.text(time)), which the track's timescale cannot express; expected a time of the track"
            )
        }
        while true {
            try land(at: wanted, track, source)
            guard let place = try falseStart(upTo: wanted, track, source) else { break }
            wanted = place &- 1
        }
        for other in demuxed where other.index != track.index { other.waitsForKey = true }
    }

    /// Moves to the last sample at or before a time that the container marks as a key frame, or to the first sample.
    private func land(at wanted: Int64, _ track: DemuxedTrack, _ source: PacketSource) throws(NaluError) {
        // Indexes contain decode times, or do not exist. So steps back may be needed to find a key frame that is
        // presented early enough.
        var target = wanted
        var step = track.timeBase.units(seconds: 1)
        for attempt in 0... {
            // The index has libavformat's decode times.
            let place = target &+ source.demuxer.lateness(track.index)
            let isBegin =
                attempt >= 24 || place <= track.first || !source.demuxer.seek(track: track.index, to: place)
            if isBegin && !source.demuxer.seekToBegin(track: track.index, first: track.first) {
                throw Demuxer.cannotRewind
            }
            restart(source)
            let isIndexed = attempt == 0 && !isBegin && source.demuxer.isBaseMedia
            if try find(wanted, track, source, isBegin: isBegin, isIndexed: isIndexed) { return }
            target = target &- step
            step = step < 1 << 40 ? step * 2 : step
        }
    }

    /// Returns the presentation time of the next sample, if it is marked as a key frame but decoding cannot begin with
    /// it; otherwise nil. FFmpeg also marks I fields whose second field refers to other frames, and files can mark any
    /// sample.
    private func falseStart(
        upTo wanted: Int64, _ track: DemuxedTrack, _ source: PacketSource
    ) throws(NaluError) -> Int64? {
        guard track.parsed == nil else { return nil }
        let none = Packet.noTime
        var place: Int64?
        _ = try source.queue.withFirst(of: track.index) { (first) throws(NaluError) in
            let shown = first.presentation != none ? first.presentation : first.decode
            let isMarked = first.isKey && first.encryption == 0
            if isMarked && shown != none && shown <= wanted { place = shown }
            return false
        }
        // If a marked packet is early enough, it is the first of all packets that were read ahead.
        guard let place else { return nil }
        packet.clear()
        guard source.queue.take(into: packet) else { return nil }
        do throws(NaluError) {
            guard let sample = try sample(of: track, source) else { return nil }
            guard sample.isStart else { return place }
            ready.append((track.index, .success(sample)))
        } catch {
            guard error.status == .badData else { throw error }
            ready.append((track.index, .failure(error)))
        }
        return nil
    }

    func restart(_ source: PacketSource) {
        source.restart()
        ready.removeAll()
        isFlushed = false
        for track in demuxed { track.restart(source) }
    }

    /// Reads ahead to the last key frame at or before a time. Returns false if there is none from here on.
    ///
    /// - Parameters:
    ///   - isBegin: whether this is the beginning of the file, where the first sample is used if there is no such key
    ///     frame.
    ///   - isIndexed: whether an index of all key frames has led directly to this place.
    private func find(
        _ wanted: Int64, _ track: DemuxedTrack, _ source: PacketSource, isBegin: Bool, isIndexed: Bool
    ) throws(NaluError) -> Bool {
        let none = Packet.noTime
        var isFound = false
        // The number of consecutive samples that are presented later. No sample that is presented before `wanted`
        // follows 32 of them in decode order.
        var later = 0
        while later < 32 {
            packet.clear()
            guard try source.readAhead(packet) else { return isFound || isBegin }
            if packet.streamIndex == track.index {
                let presentation = packet.presentation
                let late = source.demuxer.lateness(track.index, at: packet.position)
                let decode = packet.decode != none ? packet.decode &- late : none
                let shown = presentation != none ? presentation : decode
                let isKey = packet.isKey
                if isKey && (shown <= wanted || shown == none) {
                    source.queue.removeAll()
                    isFound = true
                } else if isKey && !isFound && !isBegin {
                    return false
                }
                later = shown > wanted ? later + 1 : 0
                if isFound || isBegin {
                    try source.queue.append(packet)
                }
                if isFound && isIndexed { return true }
                if (isFound || isBegin) && decode != none && decode > wanted { return true }
            } else if isFound || isBegin {
                try source.queue.append(packet)
            }
        }
        return isFound || isBegin
    }

    /// The number of parts of a transport stream at whose boundaries times are read, to find out how often they begin
    /// again. Each part must last less than half of the 33-bit period.
    private static let partCount: Int64 = 8

    /// Reads until a packet of each track has shown its time, but at most 64 packets.
    private func readTimes(of tracks: [DemuxedTrack], _ source: PacketSource) throws(NaluError) {
        var missing = Set(tracks.map(\.index))
        for _ in 0..<64 where !missing.isEmpty {
            guard try source.readAhead(packet) else { return }
            if packet.presentation != Packet.noTime { missing.remove(packet.streamIndex) }
            packet.clear()
        }
    }

    /// Returns the duration of a transport stream, by the times at its end, because it has no index. It is the time
    /// from the first start of a video or audio track to the last end. The durations of these tracks are set too.
    func measured(_ source: PacketSource) throws(NaluError) -> MediaTime {
        let size = input.input.size
        let heard = demuxed.filter { $0.isTimed }
        guard input.input.canSeek, size > 0, !signals.isCancelled, heard.contains(where: { $0.facts.isReadable }) else {
            return MediaTime.invalid
        }
        let ends = try ends(of: heard, size, source)
        var (first, last) = (MediaTime.invalid, MediaTime.invalid)
        for track in heard {
            guard let end = ends[track.index]?.time(of: track) else { continue }
            let length = (end - track.facts.startTime)
            guard length.isNumeric, length.value > 0 else { continue }
            track.facts.duration = length
            if !first.isNumeric || track.facts.startTime < first {
                first = track.facts.startTime
            }
            if !last.isNumeric || end > last { last = end }
        }
        guard source.demuxer.seek(toByte: 0) else { throw Demuxer.cannotRewind }
        restart(source)
        return (last - first)
    }

    /// Reads the ends of tracks, and finds out whether their times begin again. Returns nothing if a seek fails.
    private func ends(
        of tracks: [DemuxedTrack], _ size: Int64, _ source: PacketSource
    ) throws(NaluError) -> [Int: TrackEnd] {
        source.demuxer.skipParsing(true)
        // Packets must be parsed again after the seek back.
        defer { source.demuxer.skipParsing(false) }
        var ends: [Int: TrackEnd] = [:]
        var tail: Int64 = 256 << 10
        if size > tail {
            for part in 1..<Self.partCount {
                guard source.demuxer.seek(toByte: size / Self.partCount * part) else { return [:] }
                source.restart(keepsTimes: true)
                try readTimes(of: tracks, source)
            }
        }
        // A picture may be larger than the tail that is read.
        repeat {
            guard source.demuxer.seek(toByte: max(0, size - tail)) else { return [:] }
            source.restart(keepsTimes: size > tail)
            ends = [:]
            while try source.readAhead(packet) {
                if packet.presentation != Packet.noTime {
                    ends[packet.streamIndex, default: TrackEnd()].add(packet)
                }
                packet.clear()
            }
            tail *= 4
        } while tracks.contains { $0.facts.isReadable && ends[$0.index] == nil } && tail < 4 * min(size, 8 << 20)
        source.isLong = tracks.contains { source.hasMovedTimes(of: $0.index) }
        return ends
    }
}

/// The end of a track, by its last packets that have times.
struct TrackEnd {
    private var packets: [(time: Int64, size: Int)] = []

    /// - Parameter packet: must have a presentation time.
    mutating func add(_ packet: Packet) {
        packets.append((packet.presentation, packet.size))
    }

    /// Returns the time at which the last packet ends. This packet lasts for the smallest distance between two packets,
    /// or for one frame of the frame rate if there is only one packet.
    func time(of track: DemuxedTrack) -> MediaTime? {
        let sorted = packets.sorted { $0.time < $1.time }
        guard let last = sorted.last else { return nil }
        let distances = zip(sorted.dropFirst(), sorted).map { $0.time &- $1.time }.filter { $0 > 0 }
        let rate = track.facts.nominalFrameRate
        let frame = rate > 0 ? Int64(Double(track.timeBase.units(seconds: 1)) / max(rate, 0.001)) : 0
        var length = distances.min() ?? frame
        if !track.facts.isReadable, distances.count > 1 {
            // An audio packet has several frames, and the last packet has the remaining ones.
            let mean = Double(distances.reduce(0, &+)) / Double(distances.count)
            let size = Double(sorted.dropLast().reduce(0) { $0 + $1.size }) / Double(sorted.count - 1)
            length = Int64(mean * min(1, Double(last.size) / max(1, size)))
        }
        return track.timeBase.time(last.time &+ length)
    }
}
