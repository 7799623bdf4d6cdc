internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// Seeks by reading from the beginning, where the times of samples depend on the samples before them.
extension Reader {
    /// Returns whether times are known only after reading from the beginning: those of pictures that are counted, and
    /// those of containers that are not known to state the time of each picture (avi, asf, mpeg, mxf, wtv and others),
    /// and those of a transport stream over 26.5 hours.
    func countsTimes(_ source: PacketSource) -> Bool {
        let isStated = source.demuxer.hasExactTimes || source.demuxer.isTransportStream
        return !isStated || source.isLong || demuxed.contains { $0.facts.isSelected && $0.parsed != nil }
    }

    /// Reads from the beginning until the last start of a track at or before `time` is known, as in a raw stream.
    func replay(to time: MediaTime, _ number: Int, _ source: PacketSource) throws(NaluError) {
        try rewind(source)
        var found: [(track: Int, sample: Result<Sample, NaluError>)] = []
        var waiting: Set<Int> = []
        // Samples can be complete only some packets later, so packets since the sample before are kept too.
        var heldBefore = 0
        heldBack = []
        defer { heldBack = nil }
        while true {
            if signals.isCancelled { throw Demuxer.cancelled }
            let index: Int
            let sample: Sample
            do throws(NaluError) {
                guard let next = try nextExclusively() else { break }
                (index, sample) = next
            } catch {
                guard error.status == .badData || error.status == .unsupportedDataFormat else { throw error }
                found.append((number, .failure(error)))
                continue
            }
            if index != number {
                if waiting.contains(index) && !sample.isStart { continue }
                waiting.remove(index)
            } else if sample.isStart && sample.presentationTime <= time {
                found = []
                waiting = Set(demuxed.map(\.index).filter { $0 != number })
                heldBack?.removeFirst(heldBefore)
            }
            found.append((index, .success(sample)))
            guard index == number else { continue }
            heldBefore = heldBack?.count ?? 0
            if sample.decodeTime > time { break }
        }
        ready.prepend(found)
        packets?.queue.prepend(heldBack ?? [])
    }

    /// Keeps a packet of a track without samples for the time after the replay. Returns false if there is no replay.
    func holdBack() throws(NaluError) -> Bool {
        guard heldBack != nil else { return false }
        let kept = try Packet()
        kept.take(from: packet)
        heldBack?.append(kept)
        return true
    }

    /// Returns to the beginning of the input. Opens another demuxer, except for mp4 and mov: other demuxers may not read
    /// the same packets again after a seek.
    private func rewind(_ source: PacketSource) throws(NaluError) {
        let before = demuxed
        do throws(NaluError) {
            if source.demuxer.isBaseMedia {
                let isBegin = demuxed.first { $0.facts.isSelected }
                    .map { source.demuxer.seekToBegin(track: $0.index, first: $0.first) }
                guard isBegin == true else {
                    throw Demuxer.cannotRewind
                }
                return restart(source)
            }
            let again = try PacketSource(source.demuxer.reopened(), input)
            again.isLong = source.isLong
            (packets, demuxed, ready, isFlushed) = (again, [], Queue(), false)
            try explore(again)
            guard demuxed.count == before.count else {
                throw NaluError(.badData, "the input changed while it was read; expected a file that does not change")
            }
            for (track, old) in zip(demuxed, before) { track.resume(old) }
            let isHeard = demuxed.contains { $0.passing != nil && $0.facts.mediaType == 0x736F_756E }
            if isHeard && !again.demuxer.statesAudioFacts {
                try again.demuxer.findStreamFacts(options.pictureLimit)
            }
            applySelection()
        } catch {
            // The input failed, and where the next packet begins is not known, so that reading cannot continue.
            demuxed = before
            failure = error
            signals.status = .failed
            throw error
        }
    }
}
