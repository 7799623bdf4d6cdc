internal import CFFmpeg
internal import Nalu
internal import NaluBase
internal import NaluBitstream

/// Makes samples from the packets of a track.
final class SampleMaker {
    private let codec: VideoCodec
    private let reading: SampleReading
    /// The size of the length prefixes in bytes; 0 for Annex B.
    private let lengthSize: Int
    private let timeBase: TimeBase
    private let container: ContainerPicture
    /// True if pictures of ``reordersFormat`` may be reordered.
    private var reorders = false
    private var reordersFormat: FormatDescription?
    /// True if the stream of ``reordersFormat`` may have fields.
    private var hasFields = true
    private var scratch: [UInt8] = []
    /// NAL units of a packet without a picture, which precede those of the next packet.
    private var held: [UInt8] = []
    /// Prefix NAL units after the last slice of a packet of Annex B. They belong to the first slice of the next packet,
    /// but FFmpeg's parser separates pictures after them.
    private var prefixes: [UInt8] = []
    /// The byte ranges of the NAL units that stay in a sample.
    private var kept: [Range<Int>] = []

    var format: FormatDescription? { reading.format }
    var isAnnexB: Bool { lengthSize == 0 }
    /// True if the places of pictures in output order are needed.
    var countsOrder = false
    /// True if the form of the samples is not known, because there is no codec configuration.
    private(set) var isUnconfigured = false

    /// Creates a sample maker from the codec configuration: a record (`avcC`, `hvcC`), parameter sets in Annex B form,
    /// or nothing. Returns nil for an invalid configuration.
    ///
    /// - Parameter container: the size, shape and colour of the pictures that the container states.
    init?(_ codec: VideoCodec, configuration: [UInt8], timeBase: TimeBase, container: ContainerPicture) {
        self.codec = codec
        self.container = container
        self.timeBase = timeBase
        guard codec.isRecord(configuration) else {
            lengthSize = 0
            isUnconfigured = configuration.isEmpty
            reading = SampleReading(codec, lengthSize: 4, container: container)
            learn(configuration.span)
            return
        }
        lengthSize = codec.lengthSize(ofRecord: configuration)
        guard lengthSize != 3 else { return nil }
        reading = SampleReading(codec, lengthSize: lengthSize, container: container)
        if codec.isEmpty(record: configuration) { return }
        guard replaceFormat(configuration) else { return nil }
    }

    private func replaceFormat(_ configuration: [UInt8]) -> Bool {
        guard let described = try? FormatDescription(codec, record: configuration) else { return false }
        let made = container.completing(described)
        if made != format { reading.replace(with: made) }
        return true
    }

    /// Calls `body` with each NAL unit. Bytes that cannot be read end the sample.
    func forEachUnit<Failure: Error>(
        in bytes: Span<UInt8>, _ body: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        if lengthSize == 0 {
            try AnnexB.forEachReadableUnit(in: bytes, body)
        } else {
            try LengthPrefixed.forEachReadableUnit(in: bytes, lengthSize: lengthSize, body)
        }
    }

    /// Replaces the codec configuration in the middle of the track.
    func change(configuration: [UInt8]) {
        if lengthSize == 0 {
            learn(configuration.span)
        } else if codec.isRecord(configuration) && codec.lengthSize(ofRecord: configuration) == lengthSize {
            _ = replaceFormat(configuration)
        }
    }

    /// Learns parameter sets from the first packets, if the configuration has none.
    func learn(_ packet: Packet) {
        if format == nil { packet.withBytes { learn($0) } }
    }

    private func learn(_ bytes: Span<UInt8>) {
        reading.begin()
        forEachUnit(in: bytes) { _ = reading.add($0) }
        try? reading.update()
    }

    /// Forgets the NAL units that wait for the next packet, after a seek.
    func restart() { (held, prefixes) = ([], []) }

    /// The number of samples that can precede one in decode order and follow it in presentation order.
    var reorderDepth: Int {
        guard let format else { return 0 }
        return statedReorderDepth(format) ?? min(max(format.sequence.maxReferenceFrames, 1), 16)
    }

    /// The reorder depth that the parameter sets state; nil if they leave it open.
    private func statedReorderDepth(_ format: FormatDescription) -> Int? {
        // The Baseline profile does not reorder.
        format.sequence.reorderDepth ?? (codec == .h264 && format.sequence.profileIDC == 66 ? 0 : nil)
    }

    /// Makes the sample of a packet. The sample may take over the packet's bytes.
    ///
    /// - Parameters:
    ///   - hasDecodeDuration: whether the duration is certainly the distance to the next decode time. It is that of the
    ///     display too if the picture is displayed at its decode time. Other durations are only nominal.
    ///   - editPlace: the place in the displayed ranges of an edit list.
    ///   - times: returns the presentation time and the decode time, in units of the track, of a picture with
    ///     this place in output order. The place is nil if no slice can be read or ``countsOrder`` is false. Nil leaves the
    ///     packet out.
    /// - Returns: nil for a packet that contains only parameter sets, and for one without a picture in a container of
    ///   Annex B: FFmpeg's parser separates what follows the end of a sequence. The next sample begins with these NAL
    ///   units; after the last picture they are left out.
    func make(
        _ packet: Packet, hasDecodeDuration: Bool, editPlace: EditPlace = .single,
        times: (PicturePlace?) throws(NaluError) -> (presentation: Int64, decode: Int64)?
    ) throws(NaluError) -> Sample? {
        guard packet.size > 0 else { throw NaluError(.badData, "a sample is empty; expected a NAL unit") }
        let (hasSets, isRewritten) = try packet.withBytes { (bytes) throws(NaluError) in
            try lengthSize == 0 ? (rewrite(annexB: bytes), true) : look(at: bytes)
        }
        if isRewritten && scratch.isEmpty {
            if hasSets { return nil }
            throw NaluError(.badData, "a sample has no NAL unit; expected one")
        }
        if isAnnexB && !reading.hasPicture {
            held = scratch
            return nil
        }
        if !held.isEmpty {
            scratch = held + scratch
            held = []
        }
        try reading.update()
        guard let format else {
            throw NaluError(.badData, "a sample precedes the first parameter sets; expected them before it")
        }
        if reordersFormat !== format {
            reordersFormat = format
            reorders = statedReorderDepth(format) != 0
            hasFields = !format.sequence.frameMbsOnly
        }
        guard let (presentation, decode) = try times(countsOrder ? reading.place() : nil) else { return nil }
        let duration = packet.duration > 0 ? timeBase.time(packet.duration) : .invalid
        let lastsForDuration = hasDecodeDuration && presentation == decode
        var attachments = reading.attachments(isMarked: packet.isKey, reorders: reorders)
        if packet.isHidden { attachments.insert(.doNotDisplay) }
        if isRewritten {
            return try Sample(
                copyingChecked: scratch, formatDescription: format, presentationTime: timeBase.time(presentation),
                duration: duration, decodeTime: timeBase.time(decode), attachments: attachments,
                slices: reading.slices, lastsForDuration: lastsForDuration, editPlace: editPlace)
        }
        // The sample takes over the packet's buffer.
        guard let memory = BufferReference(takenFrom: packet) else {
            throw NaluError(.allocationFailed, "no memory for a sample")
        }
        return try unsafe Sample(
            checked: memory.bytes, of: memory, formatDescription: format,
            presentationTime: timeBase.time(presentation), duration: duration, decodeTime: timeBase.time(decode),
            attachments: attachments, slices: reading.slices, lastsForDuration: lastsForDuration, editPlace: editPlace)
    }

    /// Examines the NAL units of length-prefixed data, and notes which stay in the sample. Returns whether some are
    /// parameter sets that are removed, and whether the data must be rewritten.
    private func look(at bytes: Span<UInt8>) throws(NaluError) -> (hasSets: Bool, isRewritten: Bool) {
        // Nothing in a corrupt sample is used, so all lengths are checked first.
        do throws(NaluError) {
            try check(bytes)
        } catch {
            let code = StartCodeScanner.endOfZeros(in: bytes, from: 0)
            guard (2...3).contains(code), code < bytes.count, bytes[code] == 1 else { throw error }
            return (rewrite(annexB: bytes), true)
        }
        var (hasSets, isSplit) = (false, false)
        reading.begin()
        kept.removeAll(keepingCapacity: true)
        var end = 0
        forEachUnit(in: bytes) { unit in
            let start = end + lengthSize
            end = start + unit.count
            var position = 0
            while position < unit.count {
                let piece = StartCodes.piece(of: unit, from: position)
                isSplit = isSplit || piece.next < unit.count || piece.end < unit.count
                if position < piece.end {
                    if reading.add(unit.extracting(position..<piece.end)) {
                        hasSets = true
                    } else {
                        kept.append(start + position..<start + piece.end)
                    }
                }
                position = piece.next
            }
        }
        if hasSets || isSplit { rewriteKept(of: bytes) }
        return (hasSets, hasSets || isSplit)
    }

    /// Returns the place of a packet's picture in output order. Packets must be passed one after the other from the
    /// first on. The state for making samples does not change.
    func placeAlone(_ packet: Packet) -> PicturePlace? {
        packet.withBytes { reading.placeAlone($0, self) }
    }

    // MARK: - Fields

    /// Returns whether the packet is a field whose frame the next packet may complete.
    func isFirstFieldAlone(_ packet: Packet) -> Bool {
        guard codec == .h264 else { return false }
        // Key frames may bring other parameter sets, for which ``hasFields`` may be wrong.
        let isKey = packet.isKey
        guard isKey || hasFields else { return false }
        return packet.withBytes { reading.isFirstFieldAlone($0, self) }
    }

    /// Returns whether the packet continues the frame of the last call of ``isFirstFieldAlone(_:)``.
    func isSecondField(_ packet: Packet) -> Bool {
        packet.withBytes { reading.isSecondField($0, self) }
    }

    /// Throws if the lengths in length-prefixed data do not add up.
    func check(_ bytes: Span<UInt8>) throws(NaluError) {
        do throws(NaluError) {
            try LengthPrefixed.check(bytes, lengthSize: lengthSize)
        } catch {
            throw NaluError(.badData, "a sample of \(bytes.count) bytes is corrupt: \(error.message)")
        }
    }

    /// Rewrites all NAL units except parameter sets with length prefixes. Returns whether there are parameter sets.
    private func rewrite(annexB bytes: Span<UInt8>) -> Bool {
        scratch.removeAll(keepingCapacity: true)
        scratch.reserveCapacity(bytes.count + 64)
        var hasSets = false
        var trailing: Int?
        reading.begin()
        AnnexB.forEachReadableUnit(in: bytes) { unit in
            let hadPicture = reading.hasPicture
            if reading.add(unit) {
                hasSets = true
                return
            }
            if !hadPicture, reading.hasPicture {
                scratch += prefixes
                prefixes = []
            }
            trailing = hadPicture && isPrefix(unit) ? trailing ?? scratch.count : nil
            scratch.append(unit, lengthSize: lengthSize == 0 ? 4 : lengthSize)
        }
        if let trailing, isAnnexB {
            prefixes = Array(scratch[trailing...])
            scratch.removeLast(prefixes.count)
        }
        return hasSets
    }

    private func isPrefix(_ unit: Span<UInt8>) -> Bool {
        codec == .h264 && !unit.isEmpty && NALUnitHeader(rawValue: unit[0]).type == .prefix
    }

    private func rewriteKept(of bytes: Span<UInt8>) {
        scratch.removeAll(keepingCapacity: true)
        for range in kept { scratch.append(bytes.extracting(range), lengthSize: lengthSize) }
    }
}

/// Start codes inside the NAL units of length-prefixed samples. The standard allows none (ITU-T H.264 7.4.1), but some
/// phones write one length before several NAL units of Annex B.
private enum StartCodes {
    /// Returns the end of the NAL unit at `position`, without the zeros after it, and the start of the next one. Both
    /// are the end of the data if no start code follows.
    static func piece(of unit: Span<UInt8>, from position: Int) -> (end: Int, next: Int) {
        let code = StartCodeScanner.nextStartCode(in: unit, from: position)
        guard code < unit.count else { return (code, code) }
        var end = code
        while end > position, unit[end - 1] == 0 { end -= 1 }
        return (end, code + 3)
    }
}

extension VideoCodec {
    init?(_ id: AVCodecID) {
        switch id {
        case AV_CODEC_ID_H264: self = .h264
        case AV_CODEC_ID_HEVC: self = .hevc
        default: return nil
        }
    }

    var id: AVCodecID { self == .h264 ? AV_CODEC_ID_H264 : AV_CODEC_ID_HEVC }

    /// Returns whether a codec configuration is a record (`avcC`, `hvcC`) and not in Annex B form.
    fileprivate func isRecord(_ configuration: [UInt8]) -> Bool {
        switch self {
        case .h264: configuration.count >= 7 && configuration[0] == 1
        // The records of early files have version 0.
        case .hevc:
            configuration.count >= 23 && (configuration[0] != 0 || configuration[1] != 0 || configuration[2] > 1)
        }
    }

    /// Returns the size of the length prefixes in bytes (ISO/IEC 14496-15 5.3.3.1 and 8.3.3.1).
    fileprivate func lengthSize(ofRecord record: [UInt8]) -> Int { Int(record[self == .h264 ? 4 : 21] & 3) + 1 }

    /// Returns whether the record has no parameter sets. They are then among the samples (`avc3`, `hev1`).
    fileprivate func isEmpty(record: [UInt8]) -> Bool { self == .h264 ? record[5] & 31 == 0 : record[22] == 0 }
}
