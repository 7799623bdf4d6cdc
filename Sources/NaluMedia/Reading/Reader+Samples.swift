internal import CFFmpeg
public import Nalu
public import NaluBase
internal import NaluBitstream

extension Reader {
    /// Returns the next sample of the selected tracks; nil at the end. Samples follow the order of the file, which is
    /// decode order within a track. Presentation times have the edit list applied and are exact in the track's
    /// timescale.
    ///
    /// Throws `.badData` for a corrupt sample and `.invalidSize` for one with too many pixels. Such a sample is left
    /// out, and the next call continues after it. Throws `.cancelled` after ``cancel()``, and `.inputOutput` if reading
    /// failed, which is final.
    public func nextSample() throws(NaluError) -> (track: Int, sample: Sample)? {
        try access.run { () throws(NaluError) in
            if let failure { throw failure }
            if signals.isCancelled { throw Demuxer.cancelled }
            try checkSelection()
            if signals.status == .unknown { signals.status = .reading }
            hasBegun = true
            do throws(NaluError) {
                let next = try nextExclusively()
                if let next { try demuxed[next.track].checkSize(of: next.sample) }
                if next == nil { signals.status = packets?.endsEarly == true ? .failed : .completed }
                return next
            } catch {
                throw remembered(error)
            }
        }
    }

    func checkSelection() throws(NaluError) {
        if demuxed.contains(where: { $0.facts.isSelected }) { return }
        if demuxed.contains(where: { $0.facts.isReadable }) {
            throw NaluError(.outOfOrder, "no track is selected; expected \(options.spelling.selectTrack) first")
        }
        let found = demuxed.isEmpty ? "no track" : demuxed.map { $0.facts.codecName }.joined(separator: ", ")
        let damage = demuxed.lazy.compactMap(\.damage).first
        throw NaluError(
            .unsupportedDataFormat, damage ?? "the input has \(found); expected a video track with H.264 or H.265")
    }

    /// Returns the error. Remembers a failure after which the input delivers nothing more.
    func remembered(_ error: NaluError) -> NaluError {
        if error.status == .inputOutput || error.status == .allocationFailed {
            failure = error
            signals.status = .failed
        }
        return error
    }

    func nextExclusively() throws(NaluError) -> (track: Int, sample: Sample)? {
        if let raw { return try raw.next().map { (0, $0) } }
        guard let packets else { return nil }
        while true {
            if let first = ready.popFirst() {
                // The client may have selected other tracks after a seek.
                guard demuxed[first.track].facts.isSelected else { continue }
                return try (first.track, first.sample.get())
            }
            packet.clear()
            guard try packets.next(packet) else {
                guard !isFlushed else { return nil }
                isFlushed = true
                for track in demuxed where track.facts.isSelected { flush(track) }
                continue
            }
            let index = packet.streamIndex
            guard demuxed.indices.contains(index) else {
                try checkReplacement(by: index, packets.demuxer)
                continue
            }
            let track = demuxed[index]
            track.showHiddenByMistake(packet)
            let scheme = packet.encryption
            if scheme != 0 { track.facts.isEncrypted = true }
            if track.passing != nil || track.audioDecoder != nil, try holdBack() { continue }
            if let (writer, passed) = track.passing {
                // The copy could not state that it is encrypted.
                if scheme != 0 { continue }
                if packets.demuxer.isBaseMedia, let stream = packets.demuxer.track(index) {
                    track.measure(packet, stream, hasSegmentIndex: packets.demuxer.hasSegmentIndex)
                    // The writer hides audio before the beginning again. It cannot hide later packets.
                    if !packet.isHidden {
                        track.hasPassed = true
                    } else if track.hasPassed {
                        continue
                    }
                }
                try writer.pass(packet, of: passed)
                continue
            }
            if let decoder = track.audioDecoder {
                if scheme == 0 { decoder.decode(packet) }
                continue
            }
            guard track.facts.isSelected else { continue }
            guard scheme == 0 else { throw Self.encrypted(index, scheme) }
            if let sample = try sample(of: track, packets) { return (index, sample) }
        }
    }

    /// Throws once if a new program table of a transport stream replaces the selected tracks by one with another PID, which is
    /// not read (ISO/IEC 13818-1 2.4.4.9).
    private func checkReplacement(by index: Int, _ demuxer: Demuxer) throws(NaluError) {
        guard !hasReportedReplacement, demuxer.track(index)?.parameters.codec_type == AVMEDIA_TYPE_VIDEO else { return }
        let listed = demuxer.programs.reduce(into: Set()) { $0.formUnion($1) }
        guard listed.contains(index), !demuxed.contains(where: { $0.facts.isSelected && listed.contains($0.index) })
        else { return }
        hasReportedReplacement = true
        throw NaluError(.badData, "the video continues with another PID, which is not read")
    }

    private static func encrypted(_ track: Int, _ scheme: UInt32) -> NaluError {
        let letters = (0..<4).map { UInt8(truncatingIfNeeded: scheme >> (24 - 8 * $0)) }
        let name = letters.allSatisfy { (0x20..<0x7F).contains($0) } ? String(decoding: letters, as: UTF8.self) : "?"
        return NaluError(
            .unsupportedDataFormat,
            "a sample of track \(track) is encrypted (\(name)), and Nalu cannot decrypt it; expected a track that is not encrypted"
        )
    }

    func sample(of track: DemuxedTrack, _ source: PacketSource) throws(NaluError) -> Sample? {
        if let parsed = track.parsed {
            try track.push(packet, to: parsed)
            take(from: parsed, track)
            return nil
        }
        if source.demuxer.isBaseMedia, let stream = source.demuxer.track(track.index) {
            if track.ranges == nil {
                if !options.keepsHidden && track.isBeyondEnd(packet, stream) { return nil }
                track.measure(packet, stream, hasSegmentIndex: source.demuxer.hasSegmentIndex)
            }
            let isNeeded = try track.settle(packet, stream, keepsHidden: options.keepsHidden) {
                (count) throws(NaluError) in
                try displayTimes(after: track, count, source)
            }
            if !isNeeded { return nil }
            track.moveDecodeTime(packet, by: 0 &- source.demuxer.lateness(track.index, at: packet.position))
        }
        if track.isFirstFieldAlone(packet) { try joinSecondField(track, source) }
        let lookahead = track.lookahead(packet)
        let following = lookahead > 0 ? try presentationTimes(after: track, lookahead - 1, source) : []
        let made: Sample?
        do throws(NaluError) {
            made = try track.sample(of: packet, following: following)
        } catch {
            // A time that no clock can represent is corrupt data too.
            throw error.status == .invalidTime ? NaluError(.badData, error.message) : error
        }
        guard let sample = made else { return nil }
        // A frame that the edit list hides is useful only to frames that refer to it.
        let attachments = sample.attachments
        if options.keepsHidden { return sample }
        return attachments.contains(.doNotDisplay) && !attachments.contains(.isDependedOnByOthers) ? nil : sample
    }

    /// Joins the two fields of a frame. A sample contains both, but some containers store them in separate packets.
    private func joinSecondField(_ track: DemuxedTrack, _ source: PacketSource) throws(NaluError) {
        let first = packet
        let other = try Packet()
        for _ in 0..<Self.mostPackets {
            let isFound = try source.queue.withFirst(of: track.index) { (second) throws(NaluError) in
                try track.join(second, to: first)
            }
            guard isFound == nil, try source.readAhead(other) else { return }
            try source.queue.append(other)
        }
    }

    /// Returns the presentation times of the next packets in a track, and reads ahead to find them.
    private func presentationTimes(
        after track: DemuxedTrack, _ count: Int, _ source: PacketSource
    ) throws(NaluError) -> [Int64] {
        var times: [Int64] = []
        let none = Packet.noTime
        source.queue.forEach { other in
            if other.streamIndex == track.index, other.presentation != none,
                times.count < count
            {
                times.append(other.presentation)
            }
        }
        let other = try Packet()
        var all = 0
        while times.count < count, all < 4 * Self.mostPackets, try source.readAhead(other) {
            all += 1
            if other.streamIndex == track.index,
                other.presentation != none
            {
                times.append(other.presentation)
            }
            try source.queue.append(other)
        }
        return times
    }

    /// Returns the presentation times of the next `count` packets in a track, nil for hidden ones, and reads ahead to
    /// find them. Stops at the displayed packets that show the earliest time.
    private func displayTimes(
        after track: DemuxedTrack, _ count: Int, _ source: PacketSource
    ) throws(NaluError) -> [Int64?] {
        var times: [Int64?] = []
        var (shown, bytes) = (0, 0)
        let enough = (track.maker?.reorderDepth ?? 0) + 1
        source.queue.forEach { other in
            bytes += other.size
            guard other.streamIndex == track.index, times.count < count, shown < enough else { return }
            times.append(other.isHidden ? nil : other.presentation)
            if !other.isHidden { shown += 1 }
        }
        let other = try Packet()
        while times.count < count, shown < enough, bytes < Self.mostBytesOfRange, try source.readAhead(other) {
            bytes += other.size
            if other.streamIndex == track.index {
                times.append(other.isHidden ? nil : other.presentation)
                if !other.isHidden { shown += 1 }
            }
            try source.queue.append(other)
        }
        return shown > 0 || times.count == count ? times : []
    }

    /// The largest number of bytes that are read ahead of a range of an edit list.
    private static let mostBytesOfRange = 64 << 20

    private func take(from parsed: ParsedStream, _ track: DemuxedTrack) {
        while true {
            do throws(NaluError) {
                guard let sample = try parsed.next() else { return }
                track.note(formatOf: sample)
                ready.append((track.index, .success(sample)))
            } catch {
                ready.append((track.index, .failure(error)))
            }
        }
    }

    private func flush(_ track: DemuxedTrack) {
        guard let parsed = track.parsed else { return }
        parsed.finish()
        take(from: parsed, track)
    }
}
