internal import Nalu
package import NaluBase
internal import NaluBitstream
private import NaluLibc

/// Copies a range of a file without change, and encodes only the pictures at its edges again.
package final class Cutter {
    private let input: String
    private let options: CutOptions
    private let reader: Reader
    private let trackNumber: Int
    private let track: TrackFacts
    private let container: OutputFormat
    private var result = CutResult()

    /// Copies a range of a file.
    ///
    /// - Parameters:
    ///   - input: the path of a file that can seek.
    ///   - output: a path.
    package static func cut(_ input: String, to output: String, _ options: CutOptions) throws(NaluError) -> CutResult {
        try options.check()
        let cutter = try Cutter(input, output, options)
        // The output is created only after the plan shows that the range can be cut.
        let (plan, numbers) = try cutter.makePlan()
        if !plan.copied.isEmpty {
            cutter.formats.source = try cutter.reader.formatDescription(track: cutter.trackNumber)
        }
        let tail = try cutter.encodeTail(plan, numbers)
        var settings = WriterOptions(spelling: options.spelling)
        settings.overwrite = options.overwrite
        settings.repairsTimes = true
        let writer = try Writer(path: output, named: cutter.container.rawValue, options: settings)
        do throws(NaluError) {
            try cutter.write(plan, numbers, tail, to: writer)
        } catch {
            writer.abandon()
            throw error
        }
        return cutter.result
    }

    private init(_ input: String, _ output: String, _ options: CutOptions) throws(NaluError) {
        self.input = input
        self.options = options
        let reader = try Self.open(input, options)
        self.reader = reader
        var selected: Int?
        for index in 0..<(try reader.trackCount) where try reader.track(index).isSelected { selected = index }
        guard let selected else {
            try reader.checkSelection()
            throw NaluError(.unsupportedDataFormat, "the input has no video track")
        }
        trackNumber = selected
        track = try reader.track(selected)
        guard !track.isEncrypted else {
            throw NaluError(.unsupportedDataFormat, "the video is encrypted, and Nalu cannot decrypt it")
        }
        guard !Self.isSame(input, output) else {
            throw NaluError(.parameter, "the output is the input itself; expected another path")
        }
        guard options.overwrite || !Self.isFile(output) else {
            throw NaluError(
                .inputOutput,
                "path \"\(NaluError.excerpt(output))\" exists; expected a new path, or \(options.spelling.overwriteCut)"
            )
        }
        container =
            if let name = options.container { try OutputFormat.named(name.rawValue) } else {
                try OutputFormat.ofPath(output)
            }
    }

    private static func open(_ path: String, _ options: CutOptions) throws(NaluError) -> Reader {
        var settings = ReaderOptions(spelling: options.spelling)
        settings.format = options.format
        return try Reader(path: path, options: settings)
    }

    private static func isFile(_ path: String) -> Bool {
        SystemCalls.status(path)?.isRegularFile == true
    }

    private static func isSame(_ input: String, _ output: String) -> Bool {
        guard let input = SystemCalls.status(input), let output = SystemCalls.status(output) else { return false }
        return FileIdentity(input) == FileIdentity(output)
    }

    private func write(
        _ plan: CutPlan, _ numbers: FreeNumbers, _ tail: [(Sample, MediaTime)], to writer: Writer
    ) throws(NaluError) {
        try writer.begin(at: plan.first)
        let passed = try passTracks(to: writer)
        if passed { try writer.beginTracksFromReaders(at: plan.first) }
        try writeHead(plan, numbers, to: writer)
        let end = try copy(plan, readsOn: passed, to: writer)
        for (sample, decode) in tail {
            try write(sample, formats.edge(sample), decode: decode, to: writer)
            result.encodedFrames += 1
        }
        if passed { try writer.endTracksFromReaders(at: end) }
        try writer.finish()
        _ = options.progress?(1)
    }

    // MARK: - The plan

    /// Parameter set IDs that the input does not use, one for each edge.
    private struct FreeNumbers {
        var head = 30
        var tail = 31
    }

    private let formats = EdgeFormats()
    /// The formats of the pictures that are encoded again; nil for an edge without pictures.
    private var edgeFormats: (head: FormatDescription?, tail: FormatDescription?)
    private var hasTrack = false
    private var videoNumber: Int = 0

    private func makePlan() throws(NaluError) -> (CutPlan, FreeNumbers) {
        var sample = try reader.firstSample(toDecode: searchTime)
        var entries: [CutPlan.Entry] = []
        var used: Set<Int> = []
        var sampleFormats: [FormatDescription] = []
        var firstStart: (time: MediaTime, isKey: Bool)?
        while let next = sample {
            guard next.editPlace == .single else {
                throw NaluError(
                    .unsupportedDataFormat,
                    "the edit list of the input displays several ranges of the video, which a copy cannot keep; expected one range"
                )
            }
            let decode = next.decodeTime
            if let end = options.end, decode >= end { break }
            if next.formatDescription !== sampleFormats.last {
                used.formUnion(Self.numbers(of: next.formatDescription))
            }
            sampleFormats.append(next.formatDescription)
            let shown = next.presentationTime
            if next.isStart, firstStart == nil { firstStart = (shown, next.isKeyFrame) }
            // Lost samples: those before the first key frame, and leading pictures of a first CRA picture, whose
            // references are missing.
            let isLost = firstStart.map { !$0.isKey && shown < $0.time } ?? true
            entries.append(
                CutPlan.Entry(
                    presentation: shown, decode: decode, isKey: next.isKeyFrame, isStart: next.isStart,
                    isHidden: next.isHidden || isLost))
            sample = try reader.nextVideo()
        }
        let free = (0..<32).filter { !used.contains($0) }
        guard let format = sampleFormats.last else {
            throw NaluError(.valueNotAvailable, "the input has no frame in this range\(extent)")
        }
        let obstacle =
            free.count < 2 ? "the video uses all numbers of parameter sets" : Self.obstacle(sampleFormats)
        do throws(NaluError) {
            let plan = try CutPlan(
                entries, start: options.start, end: options.end, isHEVC: format.isHEVC,
                hidesAllowed: container.isBaseMedia, cannotEncode: obstacle)
            try checkPictures(of: plan, sampleFormats)
            return (plan, free.count < 2 ? FreeNumbers() : FreeNumbers(head: free[0], tail: free[1]))
        } catch  where error.status == .valueNotAvailable {
            throw NaluError(.valueNotAvailable, error.message + extent)
        }
    }

    /// Finds the format of the pictures at each edge. Throws if the format changes, and the output or an edge cannot
    /// contain the change.
    private func checkPictures(of plan: CutPlan, _ sampleFormats: [FormatDescription]) throws(NaluError) {
        let (head, tail) = (Set(plan.head.presentations), Set(plan.tail.presentations))
        var first: FormatDescription?
        var edges: (head: FormatDescription?, tail: FormatDescription?)
        for (entry, format) in zip(plan.entries, sampleFormats) where plan.hides || plan.isWanted(entry) {
            if first !== format { try container.checkPictures(from: first ?? format, to: format) }
            first = first ?? format
            let isHead = head.contains(entry.presentation)
            guard isHead || tail.contains(entry.presentation) else { continue }
            let known = isHead ? edges.head : edges.tail
            guard known?.picturesAreLike(format) ?? true else {
                throw NaluError(
                    .unsupportedDataFormat,
                    "the pictures that must be encoded again change from \(known?.pictures ?? "") to \(format.pictures); expected the start or end of the part at a key frame"
                )
            }
            if isHead { edges.head = known ?? format } else { edges.tail = known ?? format }
        }
        edgeFormats = edges
    }

    /// The time at which both passes look for their first sample, so that they read the same samples.
    private var searchTime: MediaTime {
        let start = track.startTime
        return options.start ?? (start.isNumeric ? start : .zero)
    }

    /// The times of the video for an error message, for example "; its video lasts from 0 to 4 s".
    private var extent: String {
        let (start, duration) = (track.startTime, track.duration)
        guard start.isNumeric, duration.isNumeric else { return "" }
        return "; its video lasts from \(start.secondsText) to \((start + duration).secondsText) s"
    }

    /// The IDs of an H.264 format's parameter sets; none for H.265.
    private static func numbers(of format: FormatDescription) -> Set<Int> {
        guard !format.isHEVC else { return [] }
        var numbers: Set<Int> = []
        for unit in format.parameterSets {
            switch NALUnitHeader(rawValue: unit.first ?? 0).type {
            case .sequenceParameterSet: if let set = try? SequenceParameterSet(parsing: unit) { numbers.insert(set.id) }
            case .pictureParameterSet: if let set = try? PictureParameterSet(parsing: unit) { numbers.insert(set.id) }
            default: break
            }
        }
        return numbers
    }

    /// The reason why a session cannot encode pictures that fit those of the samples; nil if it can.
    private static func obstacle(_ sampleFormats: [FormatDescription]) -> String? {
        var last: FormatDescription?
        for format in sampleFormats where format !== last {
            if let obstacle = obstacle(format) { return obstacle }
            last = format
        }
        return nil
    }

    /// The reason why a session cannot encode pictures that fit those of the stream; nil if it can.
    private static func obstacle(_ format: FormatDescription) -> String? {
        guard !format.isHEVC else { return "the video is H.265, for which there is no encoder" }
        let info = format.sequence
        let sequences = format.parameterSets.compactMap { try? SequenceParameterSet(parsing: $0) }
        if !sequences.allSatisfy(\.frameMbsOnly) { return "the video can be interlaced" }
        // libavcodec 59 derives the scan order of lossless blocks and the offsets of cropping from the first of several
        // parameter sets of one coded size and format.
        if sequences.contains(where: \.isLosslessAtZero) { return "the video can be lossless" }
        if sequences.contains(where: { $0.cropLeft > 0 || $0.cropTop > 0 }) {
            return "the pictures are cropped at the left or at the top"
        }
        let isKnown = info.chromaFormatIDC == 1 && info.lumaBitDepth == info.chromaBitDepth
        guard isKnown, info.lumaBitDepth == 8 || info.lumaBitDepth == 10 else {
            return "the video is \(format.pictures), and the encoder here has 4:2:0 with 8 or 10 bits"
        }
        return min(info.width, info.height) < 16 ? "the pictures are smaller than 16x16" : nil
    }

    // MARK: - The edges

    private func encodeTail(
        _ plan: CutPlan, _ numbers: FreeNumbers
    ) throws(NaluError) -> [(Sample, MediaTime)] {
        guard let format = edgeFormats.tail else { return [] }
        var samples: [(Sample, MediaTime)] = []
        try edge(plan.tail, format, numbers.tail).run { sample, decode throws(NaluError) in
            samples.append((sample, decode))
        }
        if let own = samples.first?.0.formatDescription { formats.add(own) }
        return samples
    }

    private func edge(
        _ edge: CutPlan.Edge, _ format: FormatDescription, _ number: Int
    ) throws(NaluError) -> EdgeEncoder {
        try EdgeEncoder(
            Self.open(input, options), track: trackNumber, format: format, edge: edge, parameterSetID: number)
    }

    private func writeHead(_ plan: CutPlan, _ numbers: FreeNumbers, to writer: Writer) throws(NaluError) {
        guard let format = edgeFormats.head else { return }
        var done = 0
        var isFirst = true
        let encoder = try edge(plan.head, format, numbers.head)
        try encoder.run { sample, decode throws(NaluError) in
            if isFirst { formats.add(sample.formatDescription) }
            isFirst = false
            try write(sample, formats.edge(sample), decode: decode, to: writer)
            done += 1
            let share = Double(done) / Double(plan.head.presentations.count)
            try tell(plan.copied.isEmpty ? share : share * 0.1)
        }
        result.encodedFrames += done
    }

    // MARK: - Writing

    private func passTracks(to writer: Writer) throws(NaluError) -> Bool {
        var passed = false
        let companions = Set(reader.tracks(besidesTrack: trackNumber).map(\.index))
        for index in 0..<(try reader.trackCount) where index != trackNumber {
            do throws(NaluError) {
                guard companions.contains(index) else {
                    throw NaluError(.unsupportedDataFormat, "track \(index) belongs to another program")
                }
                // A track can be added only before its reader has read a sample.
                try reader.seek(to: MediaTime.zero)
                _ = try writer.addTrack(index, of: reader)
                passed = true
            } catch {
                guard error.status == .unsupportedDataFormat else { throw error }
                result.leftOut.append(try reader.track(index).codecName)
                result.leftOutTracks.insert(index)
            }
        }
        return passed
    }

    /// Copies the samples, and reads on for the other tracks. Returns the time at which the last picture ends.
    private func copy(_ plan: CutPlan, readsOn: Bool, to writer: Writer) throws(NaluError) -> MediaTime {
        var sample = try reader.firstSample(toDecode: searchTime)
        var index = 0
        var end = plan.last
        while let next = sample {
            let (shown, decode) = (next.presentationTime, next.decodeTime)
            if shown == plan.last {
                let duration = next.duration
                end = shown + (duration.isNumeric ? duration : frameDuration)
            }
            if index < plan.entries.count, plan.copied.contains(index) {
                let isWanted = plan.isWanted(plan.entries[index])
                if isWanted || plan.hides {
                    try writeCopy(next, isHidden: !isWanted, to: writer)
                    try tell(0.1 + 0.9 * Double(index - plan.copied.lowerBound) / Double(plan.copied.count))
                }
            }
            index += 1
            let isDone = index >= max(plan.copied.upperBound, readsOn ? plan.entries.count : 0)
            // Packets of other tracks can be stored later than the samples of their time.
            if isDone, !readsOn || decode > plan.last + MediaTime(value: 2, timescale: 1) { break }
            sample = try reader.nextVideo()
        }
        guard index >= plan.copied.upperBound else {
            throw NaluError(.badData, "the input changed while it was cut; expected a file that does not change")
        }
        return end
    }

    private var frameDuration: MediaTime {
        track.nominalFrameRate > 0
            ? MediaTime(seconds: 1 / track.nominalFrameRate, preferredTimescale: 90000) : .zero
    }

    private func writeCopy(_ sample: Sample, isHidden: Bool, to writer: Writer) throws(NaluError) {
        let attachments = isHidden ? sample.attachments.union(.doNotDisplay) : sample.attachments
        try write(sample, formats.copied(sample), decode: sample.decodeTime, attachments: attachments, to: writer)
        if isHidden { result.hiddenFrames += 1 } else { result.copiedFrames += 1 }
    }

    /// Writes a sample's bytes with another format description and another decode time.
    private func write(
        _ sample: Sample, _ format: FormatDescription, decode: MediaTime, attachments: SampleAttachments? = nil,
        to writer: Writer
    ) throws(NaluError) {
        let written = try Sample(
            sample, formatDescription: format, decodeTime: decode, attachments: attachments ?? sample.attachments)
        if !hasTrack {
            var trackOptions = TrackOptions()
            if container.isBaseMedia {
                trackOptions.rotation = Int(track.transform.rotation)
                trackOptions.isMirrored = track.transform.isMirrored
            }
            trackOptions.language = track.language
            trackOptions.sideData = try reader.sideData(track: trackNumber)
            trackOptions.metadata = reader.metadata
            videoNumber = try writer.addTrack(format, options: trackOptions)
            hasTrack = true
        }
        try writer.write(written, to: videoNumber)
    }

    private func tell(_ share: Double) throws(NaluError) {
        guard options.progress?(min(max(share, 0), 1)) == false else { return }
        throw NaluError(.cancelled, "the cut was cancelled; no file was written")
    }
}
