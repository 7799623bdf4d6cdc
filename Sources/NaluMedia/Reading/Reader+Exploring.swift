internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// Finds the properties of the tracks in the first packets.
extension Reader {
    /// The largest number of packets that are read ahead of the first sample to find the properties of tracks.
    static let mostPackets = 256
    private static let mostBytes = 4 << 20
    /// The largest number of bytes if a transport stream has video whose parameter sets have not arrived: some seconds
    /// of a broadcast, which may begin anywhere.
    private static let mostBytesBeforeSets = 32 << 20
    /// The number of packets that suffices if the video tracks are known.
    private static let fewPackets = 16
    /// The same number for an input that can seek.
    private static let somePackets = 64

    /// Reads ahead until the properties of every track are known. No packet is lost: the packets are delivered later.
    func explore(_ source: PacketSource) throws(NaluError) {
        takeTracks(source)
        var count = 0
        var bytes = 0
        while !isExplored(source, count: count, bytes: bytes) {
            guard try source.readAhead(packet) else {
                if source.hasSkipped && count == 0 && source.demuxer.isBaseMedia && !input.input.canSeek {
                    throw source.demuxer.failure(nalu_ff_invalid_data(), whileOpening: true)
                }
                break
            }
            count += 1
            bytes += packet.size
            takeTracks(source)
            let index = packet.streamIndex
            if demuxed.indices.contains(index), let stream = source.demuxer.track(index) {
                try explore(demuxed[index], stream, source)
                demuxed[index].facts.update(stream)
                demuxed[index].learn(packet, hasOwnFacts: source.demuxer.statesAudioFacts)
            }
            try source.queue.append(packet)
        }
        for track in demuxed {
            if track.facts.isReadable {
                if !source.demuxer.hasExactTimes { track.countMissingTimes() }
                // Their first leading pictures may have no times, and only their place shows that they are left out.
                if source.demuxer.format.hasPrefix("matroska") && track.format?.isHEVC == true {
                    track.maker?.countsOrder = true
                }
                track.settleHidden()
                track.ranges = source.demuxer.editRanges(track.index)
                track.facts.take(track.format, seen: track.seenFrameRate, isSeenExactly: source.demuxer.hasExactTimes)
            } else if let stream = source.demuxer.track(track.index) {
                track.facts.update(stream)
            }
        }
        if source.demuxer.isBaseMedia { settleDurations(source) }
        // A demuxer that replaces another has the same length.
        if !length.isNumeric {
            let isLengthKnown =
                !source.demuxer.isBaseMedia || demuxed.allSatisfy { $0.facts.duration.isNumeric }
            length =
                try source.demuxer.isTransportStream
                ? measured(source) : isLengthKnown ? source.demuxer.duration : MediaTime.invalid
        }
        for track in demuxed {
            if !track.facts.duration.isNumeric { track.facts.duration = length }
        }
    }

    /// Corrects the duration of fragmented tracks that begin late, as an excerpt of a live stream does. Their stated
    /// duration is the time of their end.
    private func settleDurations(_ source: PacketSource) {
        for track in demuxed {
            guard let stream = source.demuxer.track(track.index), stream.nb_frames == 0,
                track.first > 0, track.facts.duration.isNumeric
            else { continue }
            track.facts.duration = track.timeBase.time(max(0, stream.duration &- track.first))
        }
    }

    private func takeTracks(_ source: PacketSource) {
        while demuxed.count < source.demuxer.streamCount, let stream = source.demuxer.track(demuxed.count) {
            let track = DemuxedTrack(stream, index: demuxed.count, options)
            if let codec = source.demuxer.enhancedCodec { track.adopt(codec) }
            demuxed.append(track)
        }
    }

    private func isExplored(_ source: PacketSource, count: Int, bytes: Int) -> Bool {
        let video = demuxed.filter { $0.facts.isReadable }
        let isKnown = video.allSatisfy { $0.isKnown }
        // Some properties show only in packets, but live streams may be slow.
        let hasOwnFacts = source.demuxer.statesAudioFacts
        let isLearnt = source.demuxer.isBaseMedia || demuxed.allSatisfy { $0.isLearnt(hasOwnFacts: hasOwnFacts) }
        let enough = input.input.canSeek ? Self.somePackets : Self.fewPackets
        if isKnown && !isLearnt && count < enough && bytes < Self.mostBytes { return false }
        if isKnown && !source.demuxer.isOpenEnded { return true }
        if isKnown && !video.isEmpty && source.demuxer.isTransportStream { return true }
        // Further tracks show soon, but live streams may be slow.
        if isKnown && !video.isEmpty && count >= Self.fewPackets { return true }
        let waitsForSets = source.demuxer.isTransportStream && video.contains { $0.waitsForSets }
        if waitsForSets { return bytes >= Self.mostBytesBeforeSets }
        return count >= Self.mostPackets || bytes >= Self.mostBytes
    }

    /// Examines one of the first packets of a track.
    private func explore(
        _ track: DemuxedTrack, _ stream: ContainerStream, _ source: PacketSource
    ) throws(NaluError) {
        if packet.encryption != 0 { track.facts.isEncrypted = true }
        if track.parsed == nil && track.facts.isReadable && !source.demuxer.hasExactTimes {
            if track.lacksTime(packet) { try track.parse(stream) }
        }
        guard !track.isKnown else { return }
        if track.parsed == nil && track.facts.isReadable && source.demuxer.isBaseMedia {
            if track.hasNoDurations(stream) { try track.parse(stream) }
        }
        track.configure(stream)
        let none = Packet.noTime
        let (presentation, decode) = (packet.presentation, packet.decode)
        let start = presentation != none ? presentation : decode
        let isHidden = packet.isHidden
        if source.demuxer.isBaseMedia && (isHidden || track.hidesFirst) { track.compareOrder(packet) }
        let time = track.timeBase.time(start)
        if isHidden {
            track.hidesFirst = track.hidesFirst || track.shownCount == 0
        } else {
            track.shownCount += 1
            if track.hidesFirst && time < track.facts.startTime { track.facts.startTime = time }
        }
        if !track.facts.startTime.isNumeric && !isHidden {
            track.first = decode != none ? decode : presentation != none ? presentation : 0
            track.facts.startTime = time
        }
        guard track.facts.isReadable else {
            track.isKnown = true
            return
        }
        track.maker?.learn(packet)
        // libavformat gives pictures of MXF the times of their edit units in decode order, unless an index states the
        // output order (SMPTE 377-1 11.2, TemporalOffset). All pictures last one edit unit.
        if track.parsed == nil && source.demuxer.format == "mxf" && track.reorders {
            try track.parse(stream, countsAllTimes: true)
        }
        // If the edit list hides the first samples, some more packets are needed to find the first displayed sample.
        track.isKnown = track.format != nil && (!track.hidesFirst || track.shownCount > 16)
    }
}
