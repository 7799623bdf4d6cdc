internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// What the demuxed are, found out from the first packets.
extension Reader {
    /// What is read ahead of the first sample at most, where the packets show what the demuxed are.
    static let mostPackets = 256
    private static let mostBytes = 4 << 20
    /// The same where a transport stream, which may begin anywhere, has video whose parameter sets have not come yet: some
    /// seconds of a broadcast.
    private static let mostBytesBeforeSets = 32 << 20
    /// The same where the video demuxed are known.
    private static let fewPackets = 16
    /// The same for files.
    private static let somePackets = 64

    /// Reads ahead until it is known what each track is. Nothing is lost: the packets are given out later.
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
                demuxed[index].learn(packet, hasOwnFacts: source.demuxer.tellsOfSound)
            }
            try source.queue.append(packet)
        }
        for track in demuxed {
            if track.facts.isReadable {
                if !source.demuxer.hasExactTimes { track.countMissingTimes() }
                track.settleHidden()
                track.facts.take(track.format, seen: source.demuxer.hasExactTimes ? track.seenFrameRate : 0)
            } else if let stream = source.demuxer.track(track.index) {
                track.facts.update(stream)
            }
        }
        if source.demuxer.isBaseMedia { settleDurations(source) }
        let isLengthKnown =
            !source.demuxer.isBaseMedia || demuxed.allSatisfy { $0.facts.duration.isNumeric }
        length =
            try source.demuxer.isTransportStream
            ? measured(source) : isLengthKnown ? source.demuxer.duration : MediaTime.invalid
        for track in demuxed {
            if !track.facts.duration.isNumeric { track.facts.duration = length }
        }
    }

    /// A track of fragments that begins late, as a part of a live stream does, has its end for a duration.
    private func settleDurations(_ source: PacketSource) {
        for track in demuxed {
            guard let stream = source.demuxer.track(track.index), stream.frameCount == 0,
                track.first > 0, track.facts.duration.isNumeric
            else { continue }
            track.facts.duration = track.timeBase.time(max(0, stream.duration &- track.first))
        }
    }

    private func takeTracks(_ source: PacketSource) {
        while demuxed.count < source.demuxer.streamCount, let stream = source.demuxer.track(demuxed.count) {
            demuxed.append(DemuxedTrack(stream, index: demuxed.count, options))
        }
    }

    private func isExplored(_ source: PacketSource, count: Int, bytes: Int) -> Bool {
        let video = demuxed.filter { $0.facts.isReadable }
        let isKnown = video.allSatisfy { $0.isKnown }
        // What only packets show of facts; live streams may be slow.
        let hasOwnFacts = source.demuxer.tellsOfSound
        let isLearnt = source.demuxer.isBaseMedia || demuxed.allSatisfy { $0.isLearnt(hasOwnFacts: hasOwnFacts) }
        let enough = input.input.canSeek ? Self.somePackets : Self.fewPackets
        if isKnown && !isLearnt && count < enough && bytes < Self.mostBytes { return false }
        if isKnown && !source.demuxer.isOpenEnded { return true }
        if isKnown && !video.isEmpty && source.demuxer.isTransportStream { return true }
        // Further demuxed show soon, and live streams may be slow.
        if isKnown && !video.isEmpty && count >= Self.fewPackets { return true }
        let waitsForSets = source.demuxer.isTransportStream && video.contains { $0.waitsForSets }
        if waitsForSets { return bytes >= Self.mostBytesBeforeSets }
        return count >= Self.mostPackets || bytes >= Self.mostBytes
    }

    /// Looks at the first packets of a track.
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
        // Where the edit list hides the first samples, it takes some more to find the first that is shown.
        track.isKnown = track.format != nil && (!track.hidesFirst || track.shownCount > 16)
    }
}
