internal import Nalu
internal import NaluMedia

/// Inspects a container and its H.264 or H.265 track.
struct ContainerInspection {
    let facts: ContainerFacts
    /// The analysis of the track; nil if no track can be analysed.
    let analysis: StreamAnalysis?

    init(_ input: InputFile, _ reader: Reader, track number: Int?, fps: Double?) throws {
        let name = input.name
        let tracks = reader.tracks
        func holdsUnits(_ track: ReaderTrack) -> Bool {
            track.isReadable && !track.isEncrypted && VideoCodec(rawValue: track.codec) != nil
        }
        let isVideo = tracks.contains(where: holdsUnits)
        guard isVideo || number != nil else {
            facts = ContainerFacts(reader, byteCount: input.size, inspected: nil)
            analysis = nil
            return
        }
        let wanted = tracks.first { $0.isSelected && holdsUnits($0) } ?? tracks.first(where: holdsUnits)
        let file = try MediaFile(reader, name: name, track: number ?? wanted?.index)
        guard let codec = VideoCodec(rawValue: file.track.codec) else {
            throw Failure(
                "track \(file.track.index) of \(name) is \(file.track.codecName); expected H.264 or H.265 video")
        }
        let facts = ContainerFacts(reader, byteCount: input.size, inspected: file.track.index)
        let analysis = try Self.analyse(file, codec, facts, fps)
        self.facts = analysis.container ?? facts
        self.analysis = analysis
    }

    private static func analyse(
        _ file: MediaFile, _ codec: VideoCodec, _ facts: ContainerFacts, _ fps: Double?
    ) throws -> StreamAnalysis {
        var analyzer = StreamAnalyzer(codec)
        let limit = StreamAnalyzer.headLimit(codec)
        var reading = TolerantSampleReader(file)
        var format: FormatDescription?
        var times: [Int: FrameTimes] = [:]
        var (span, hidden) = (PresentationSpan(), 0)
        var offset = 0
        while let sample = try reading.next() {
            let its = sample.formatDescription
            if format != its {
                format = its
                if let sets = try OutsideSets(its) { analyzer.addOutside(sets) }
            }
            times[offset] = FrameTimes(
                presentation: sample.presentationTime, decode: sample.decodeTime, duration: sample.duration)
            if sample.attachments.contains(.doNotDisplay) { hidden += 1 } else { span.add(sample) }
            offset = unsafe add(sample.data, its.lengthSize, limit, at: offset, to: &analyzer)
        }
        var complaints: [ScanComplaint] = []
        if let failure = reading.failure { complaints.append(ScanComplaint(offset: offset, message: failure.message)) }
        var facts = facts
        // The empty time before the first sample counts as part of a movie.
        let isMovie = file.reader.container == .mp4 || file.reader.container == .mov
        facts.measure(span.seconds + (isMovie ? max(0, file.track.startTime?.seconds ?? 0) : 0))
        let container = StreamAnalyzer.Container(
            facts: facts, times: times, rate: file.track.nominalFrameRate, seconds: span.seconds, hidden: hidden,
            isDamaged: reading.damagedCount > 0)
        return analyzer.finish(
            UnitReader.Result(bytes: offset, complaints: complaints),
            framing: .lengthPrefixed(format?.lengthSize ?? 4), name: file.name, fps: fps,
            container: container)
    }

    /// Adds the NAL units of a sample with valid lengths. Returns the file offset after the sample.
    private static func add(
        _ bytes: UnsafeRawBufferPointer, _ lengthSize: Int, _ limit: HeadLimit, at place: Int,
        to analyzer: inout StreamAnalyzer
    ) -> Int {
        var offset = 0
        while offset + lengthSize <= bytes.count {
            var size = 0
            for index in 0..<lengthSize { size = size << 8 | Int(unsafe bytes[offset + index]) }
            let start = offset + lengthSize
            guard size > 0, start + size <= bytes.count else { break }
            let kept = min(size, limit(unsafe bytes[start]))
            analyzer.add(
                ScannedUnit(
                    offset: place + offset, prefixSize: lengthSize, size: size,
                    head: unsafe [UInt8](bytes[start..<start + kept])))
            offset = start + size
        }
        return place + bytes.count
    }
}
