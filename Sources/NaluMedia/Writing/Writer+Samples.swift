internal import CFFmpeg
internal import Nalu
internal import NaluBase
internal import NaluBitstream

/// Writing samples. Each function requires exclusive access to the writer.
extension Writer {
    static var finished: NaluError {
        NaluError(.outOfOrder, "the writer is finished; expected a new one")
    }

    func complete() throws(NaluError) {
        if let failure { throw failure }
        guard !isFinished else { return }
        isFinished = true
        var refused: NaluError?
        while !untimed.isEmpty {
            do throws(NaluError) {
                try writeUntimed(lookahead: 0)
            } catch {
                // The other samples are written all the same.
                if failure != nil || muxer == nil { throw error }
                refused = refused ?? error
            }
        }
        guard let muxer else {
            try guarded { () throws(NaluError) in try begin() }
            return try commit(after: refused)
        }
        if let last = lastTimed {
            lastTimed = nil
            try write(last.sample, last.place, times?.finalDuration ?? 0, isKeyFrame: last.isKeyFrame, to: muxer)
        }
        let edits = try container.isBaseMedia && !options.isFragmented ? times?.editList(displayed) : nil
        try guarded { () throws(NaluError) in
            try muxer.finish(
                parameterSetsInBand: converter?.hasParameterSetsInBand == true && !options.parameterSetsInBand
                    ? format : nil, edits: edits)
        }
        leftOutPackets = muxer.leftOutCount
        self.muxer = nil
        try commit(after: refused)
    }

    private func begin() throws(NaluError) {
        if let reason = output.begin() {
            throw NaluError(.inputOutput, options.spelling.writingFailed + reason)
        }
    }

    /// Puts the file in its place.
    ///
    /// - Parameter refused: the error of a sample that was left out of the file.
    private func commit(after refused: NaluError?) throws(NaluError) {
        try guarded { () throws(NaluError) in
            if let reason = output.commit(options.spelling) {
                throw NaluError(.inputOutput, options.spelling.writingFailed + reason)
            }
        }
        isComplete = true
        if let refused { throw refused }
    }

    /// Runs `body`, and stores a failure of the output.
    private func guarded(_ body: () throws(NaluError) -> Void) throws(NaluError) {
        do throws(NaluError) {
            try body()
        } catch {
            if error.status == .inputOutput || error.status == .allocationFailed {
                fail(error)
            }
            throw error
        }
    }

    /// Returns the track with that number if it is for samples of an audio encoder; nil for any other number.
    ///
    /// Throws `.outOfRange` for a track that is copied from a reader.
    func encodedTrack(_ number: Int) throws(NaluError) -> PassedTrack? {
        guard format == nil || number != videoNumber else { return nil }
        let place = format != nil && number > videoNumber ? number - 1 : number
        guard passed.indices.contains(place) else { return nil }
        guard passed[place].format != nil else {
            throw NaluError(
                .outOfRange,
                "track is \(number), which is copied from a reader; expected \(videoNumber), the video track, or a track for audio samples"
            )
        }
        return passed[place]
    }

    func writeAudio(_ sample: Sample, _ track: PassedTrack) throws(NaluError) {
        if let failure { throw failure }
        guard !isFinished else { throw Self.finished }
        let packet: Packet = if let audioPacket { audioPacket } else { try Packet() }
        audioPacket = packet
        try track.fill(packet, with: sample)
        guard let muxer else { return try track.waiting.append(packet) }
        try guarded { () throws(NaluError) in try muxer.pass(packet, of: track, origin: origin) }
    }

    func writeExclusively(_ sample: Sample, _ track: Int) throws(NaluError) {
        guard let format, track == videoNumber else {
            throw NaluError(
                .outOfRange,
                self.format == nil
                    ? "track is \(track), but the writer has none for samples; expected \(options.spelling.addTrack) first"
                    : "track is \(track); expected \(videoNumber), the video track, or the number of an audio track")
        }
        if let failure { throw failure }
        guard !isFinished else { throw Self.finished }
        guard sample.editPlace == .single else {
            throw NaluError(
                .unsupportedDataFormat,
                "the edit list of the sample's file displays several ranges, which a \(container) from this writer cannot contain; expected samples of one range, or of a reader that ignores the edit list"
            )
        }
        let converter = converter ?? SampleConverter(container, format, options)
        self.converter = converter
        try converter.check(sample)
        // Every decode start must be a sync sample, or players cannot begin there.
        let isKeyFrame = times == nil || format.isRandomAccess(sample)
        if times == nil {
            let isStart = sample.attachments.contains(.partialSync)
            guard isStart || sample.isKeyFrame else {
                throw NaluError(
                    .outOfOrder,
                    "the first sample is not a key frame; expected one at which decoding can start")
            }
        }
        let given = SampleTimes(
            presentation: sample.presentationTime, decode: sample.decodeTime, duration: sample.duration)
        var displayed = displayed
        guard !container.isBaseMedia || displayed.add(given, isHidden: sample.isHidden) else {
            throw NaluError(
                .unsupportedDataFormat,
                "a sample that is not to be displayed lies between displayed samples, which a \(container) from this writer cannot contain; expected such samples only at the beginning and the end"
            )
        }
        var times =
            times
            ?? TrackTimes(
                given, container, trackOptions, options, frameDuration: format.usualFrameDuration,
                isHidden: sample.isHidden, wantedOrigin: wantedOrigin)
        try times.check(given)
        if muxer == nil {
            var trial = times
            try trial.settle(untimed.map(\.given) + [given], passedStart: passedStart)
            if trial.clock != nil, untimed.isEmpty { _ = try trial.unitTimes(of: given, following: []) }
        }
        let next = UntimedSample(sample: sample, given: given, isKeyFrame: isKeyFrame)
        if let muxer, untimed.isEmpty, times.lookahead == 0 {
            try write(next, following: [], &times, to: muxer)
            times.lastDecode = given.decode
            self.times = times
            self.displayed = displayed
            return
        }
        let before = times.lastDecode
        times.lastDecode = given.decode
        self.times = times
        untimed.append(next)
        if muxer == nil && (untimed.count == 1 && times.needsSecond(given) || times.needsLeading(untimed.map(\.given)))
        {
            self.displayed = displayed
            return
        }
        do throws(NaluError) {
            try writeUntimed(lookahead: times.lookahead)
        } catch {
            // A refused sample changes nothing.
            if untimed.first?.sample === sample { untimed = [] }
            if untimed.isEmpty { self.times?.lastDecode = before }
            if untimed.isEmpty && muxer == nil { self.times = nil }
            throw error
        }
        self.displayed = displayed
    }

    /// Writes the waiting samples that at least `lookahead` others follow.
    private func writeUntimed(lookahead: Int) throws(NaluError) {
        while untimed.count > lookahead, var times {
            let muxer = try started(&times)
            let next = untimed.removeFirst()
            try write(next, following: untimed.map(\.given.presentation), &times, to: muxer)
            self.times = times
        }
    }

    private func write(
        _ next: UntimedSample, following: [MediaTime], _ times: inout TrackTimes, to muxer: Muxer
    ) throws(NaluError) {
        let place = try times.unitTimes(of: next.given, following: following)
        let isFirst = !hasWritten
        hasWritten = true
        if isFirst && options.isFragmented && container.isBaseMedia {
            var trial = times
            trial.accept(place, isKeyFrame: next.isKeyFrame)
            muxer.edits = try trial.fragmentedEditList()
        }
        try write(next, place, to: muxer)
        times.accept(place, isKeyFrame: next.isKeyFrame)
        written.frames += 1
        if next.sample.isKeyFrame { written.keyFrames += 1 }
    }

    private func write(_ next: UntimedSample, _ place: TrackTimes.UnitTimes, to muxer: Muxer) throws(NaluError) {
        guard container.isBaseMedia && !options.isFragmented else {
            return try write(next.sample, place, place.duration, isKeyFrame: next.isKeyFrame, to: muxer)
        }
        // The muxer needs the duration of the last sample together with that sample, so each sample waits for the next.
        let before = lastTimed
        lastTimed = TimedSample(sample: next.sample, place: place, isKeyFrame: next.isKeyFrame)
        if let before {
            try write(before.sample, before.place, before.place.own ?? 0, isKeyFrame: before.isKeyFrame, to: muxer)
        }
    }

    private func write(
        _ sample: Sample, _ place: TrackTimes.UnitTimes, _ duration: Int64, isKeyFrame: Bool, to muxer: Muxer
    ) throws(NaluError) {
        try guarded { () throws(NaluError) in
            try converter?.withBytes(of: sample) { (bytes, configuration) throws(NaluError) in
                try muxer.write(
                    bytes,
                    Muxer.Entry(
                        presentation: place.presentation, decode: place.decode, duration: duration,
                        isKeyFrame: isKeyFrame, configuration: configuration))
            }
        }
    }

    /// Returns the muxer, and opens it for the first sample. The times of the known samples determine the timescale.
    private func started(_ times: inout TrackTimes) throws(NaluError) -> Muxer {
        if let muxer { return muxer }
        guard let format, !untimed.isEmpty else { throw Self.finished }
        try times.settle(untimed.map(\.given), passedStart: passedStart)
        let made: Muxer
        do throws(NaluError) {
            made = try Muxer(
                container, output: output, options: options, format: format, track: trackOptions,
                clock: times.clock, keepsNegativeTimes: container == .matroska && times.beginsAtOrAfterZero,
                passed: passed)
        } catch {
            // A file without a header would be empty, and could replace a useful one.
            fail(error)
            throw error
        }
        muxer = made
        times.unit = made.timeUnit
        self.times = times
        made.begin = (passedBegin - origin)
        made.end = (passedEnd - origin)
        try passWaitingPackets(made)
        return made
    }

    private func passWaitingPackets(_ muxer: Muxer) throws(NaluError) {
        guard !passed.isEmpty else { return }
        let packet = try Packet()
        for track in passed {
            while track.waiting.take(into: packet) {
                try guarded { () throws(NaluError) in
                    try muxer.pass(packet, of: track, origin: origin)
                }
            }
        }
    }
}
