internal import CFFmpeg
internal import Nalu
internal import NaluBase
internal import NaluBitstream

/// Makes samples from the packets of a track.
@safe
final class SampleMaker {
    private let codec: VideoCodec
    private let reading: SampleReading
    /// The size of the length prefixes in bytes; 0 for Annex B.
    private let lengthSize: Int
    private let timeBase: TimeBase
    private let size: ContainerSize
    /// True if pictures of ``reordersFormat`` may be reordered.
    private var reorders = false
    private var reordersFormat: FormatDescription?
    /// True if the stream of ``reordersFormat`` may have fields.
    private var hasFields = true
    private var scratch: [UInt8] = []
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
    /// - Parameter size: the size of the pictures that the container states.
    init?(_ codec: VideoCodec, configuration: UnsafeRawBufferPointer, timeBase: TimeBase, size: ContainerSize) {
        self.codec = codec
        self.size = size
        self.timeBase = timeBase
        guard unsafe codec.isRecord(configuration) else {
            lengthSize = 0
            isUnconfigured = unsafe configuration.isEmpty
            reading = SampleReading(codec, lengthSize: 4, size: size)
            unsafe learn(configuration)
            return
        }
        lengthSize = unsafe codec.lengthSize(ofRecord: configuration)
        guard lengthSize != 3 else { return nil }
        reading = SampleReading(codec, lengthSize: lengthSize, size: size)
        if unsafe codec.isEmpty(record: configuration) { return }
        guard unsafe replaceFormat(configuration) else { return nil }
    }

    private func replaceFormat(_ configuration: UnsafeRawBufferPointer) -> Bool {
        guard let described = unsafe try? FormatDescription(codec, record: configuration) else { return false }
        let made = size.cropped(described)
        if made != format { reading.replace(with: made) }
        return true
    }

    private func forEachUnit(annexB bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        var offset = 0
        // Bytes that cannot be read end the sample.
        while let unit = unsafe try? AnnexB.next(in: bytes, offset: &offset) { unsafe body(unit) }
    }

    /// Replaces the codec configuration in the middle of the track.
    func change(configuration: UnsafeRawBufferPointer) {
        if lengthSize == 0 {
            unsafe learn(configuration)
        } else if unsafe codec.isRecord(configuration) && codec.lengthSize(ofRecord: configuration) == lengthSize {
            _ = unsafe replaceFormat(configuration)
        }
    }

    /// Learns parameter sets from the first packets, if the configuration has none.
    func learn(_ packet: Packet) {
        if format == nil { unsafe learn(packet.bytes) }
    }

    private func learn(_ bytes: UnsafeRawBufferPointer) {
        reading.begin()
        if lengthSize == 0 {
            unsafe forEachUnit(annexB: bytes) { unit in _ = unsafe reading.add(unit) }
        } else {
            unsafe forEachUnit(lengthPrefixed: bytes) { unit in _ = unsafe reading.add(unit) }
        }
        try? reading.update()
    }

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
    /// - Parameter times: returns the presentation time and the decode time, in units of the track, of a picture with
    ///   this place in output order. The place is nil if no slice can be read or ``countsOrder`` is false.
    /// - Returns: nil for a packet that contains only parameter sets.
    func make(
        _ packet: Packet,
        times: (PicturePlace?) throws(NaluError) -> (presentation: Int64, decode: Int64)
    ) throws(NaluError) -> Sample? {
        let bytes = unsafe packet.bytes
        guard unsafe !bytes.isEmpty else { throw NaluError(.badData, "a sample is empty") }
        let (hasSets, isRewritten) = try unsafe lengthSize == 0 ? (rewrite(annexB: bytes), true) : look(at: bytes)
        if isRewritten && scratch.isEmpty {
            if hasSets { return nil }
            throw NaluError(.badData, "a sample has no NAL unit")
        }
        try reading.update()
        guard let format else {
            throw NaluError(.badData, "a sample comes before the first parameter sets")
        }
        if reordersFormat !== format {
            reordersFormat = format
            reorders = statedReorderDepth(format) != 0
            hasFields = !format.sequence.frameMbsOnly
        }
        let (presentation, decode) = try times(countsOrder ? reading.place() : nil)
        let duration = packet.duration > 0 ? timeBase.time(packet.duration) : .invalid
        var attachments = reading.attachments(
            isMarked: packet.isKey, reorders: reorders)
        if packet.isHidden { attachments.insert(.doNotDisplay) }
        if isRewritten {
            return try Sample(
                copying: scratch, formatDescription: format, presentationTime: timeBase.time(presentation),
                duration: duration, decodeTime: timeBase.time(decode), attachments: attachments)
        }
        // The sample takes over the packet's buffer.
        guard let memory = BufferReference(takenFrom: packet) else {
            throw NaluError(.allocationFailed, "no memory for a sample")
        }
        return try unsafe Sample(
            checked: UnsafeRawBufferPointer(start: memory.dataStart, count: bytes.count), of: memory,
            formatDescription: format,
            presentationTime: timeBase.time(presentation), duration: duration, decodeTime: timeBase.time(decode),
            attachments: attachments)
    }

    /// Examines the NAL units of length-prefixed data, and notes which stay in the sample. Returns whether some are
    /// parameter sets that are removed, and whether the data must be rewritten.
    private func look(at bytes: UnsafeRawBufferPointer) throws(NaluError) -> (hasSets: Bool, isAnew: Bool) {
        // Nothing in a corrupt sample is used, so all lengths are checked first.
        do throws(NaluError) {
            try unsafe check(bytes)
        } catch {
            guard unsafe bytes.starts(with: [0, 0, 1]) || bytes.starts(with: [0, 0, 0, 1]) else { throw error }
            return (unsafe rewrite(annexB: bytes), true)
        }
        var (hasSets, isSplit) = (false, false)
        reading.begin()
        kept.removeAll(keepingCapacity: true)
        var end = 0
        unsafe forEachUnit(lengthPrefixed: bytes) { unit in
            let start = end + lengthSize
            end = start + unit.count
            var position = 0
            while position < unit.count {
                let piece = unsafe StartCodes.piece(of: unit, from: position)
                isSplit = isSplit || piece.next < unit.count || piece.end < unit.count
                if position < piece.end {
                    if unsafe reading.add(UnsafeRawBufferPointer(rebasing: unit[position..<piece.end])) {
                        hasSets = true
                    } else {
                        kept.append(start + position..<start + piece.end)
                    }
                }
                position = piece.next
            }
        }
        if hasSets || isSplit { unsafe rewriteKept(of: bytes) }
        return (hasSets, hasSets || isSplit)
    }

    /// Returns the place of a packet's picture in output order. Packets must be passed one after the other from the
    /// first on. The state for making samples does not change.
    func placeAlone(_ packet: Packet) -> PicturePlace? {
        unsafe reading.placeAlone(units(of: packet))
    }

    // MARK: - Fields

    /// Returns whether the packet is a field whose frame the next packet may complete.
    func isFirstFieldAlone(_ packet: Packet) -> Bool {
        guard codec == .h264 else { return false }
        // Key frames may bring other parameter sets, for which ``hasFields`` may be wrong.
        let isKey = packet.isKey
        guard isKey || hasFields else { return false }
        return unsafe reading.isFirstFieldAlone(units(of: packet))
    }

    /// Returns whether the packet continues the frame of the last call of ``isFirstFieldAlone(_:)``.
    func isSecondField(_ packet: Packet) -> Bool {
        unsafe reading.isSecondField(units(of: packet))
    }

    private func units(of packet: Packet) -> [UnsafeRawBufferPointer] {
        let bytes = unsafe packet.bytes
        var units: [UnsafeRawBufferPointer] = unsafe []
        if lengthSize == 0 {
            unsafe forEachUnit(annexB: bytes) { unsafe units.append($0) }
        } else {
            unsafe forEachUnit(lengthPrefixed: bytes) { unsafe units.append($0) }
        }
        return unsafe units
    }

    /// Throws if the lengths in length-prefixed data do not add up.
    func check(_ bytes: UnsafeRawBufferPointer) throws(NaluError) {
        do throws(NaluError) {
            var offset = 0
            while unsafe try LengthPrefixed.next(in: bytes, lengthSize: lengthSize, offset: &offset) != nil {}
        } catch {
            throw NaluError(.badData, "a sample of \(bytes.count) bytes is damaged: \(error.message)")
        }
    }

    /// Calls `body` with each NAL unit, up to where the lengths do not add up.
    func forEachUnit<E: Error>(
        lengthPrefixed bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        var offset = 0
        while let unit = unsafe try? LengthPrefixed.next(in: bytes, lengthSize: lengthSize, offset: &offset) {
            try unsafe body(unit)
        }
    }

    /// Rewrites all NAL units except parameter sets with length prefixes. Returns whether there are parameter sets.
    private func rewrite(annexB bytes: UnsafeRawBufferPointer) -> Bool {
        scratch.removeAll(keepingCapacity: true)
        scratch.reserveCapacity(bytes.count + 64)
        var hasSets = false
        reading.begin()
        unsafe forEachUnit(annexB: bytes) { unit in
            if unsafe reading.add(unit) {
                hasSets = true
            } else {
                unsafe append(unit, lengthSize: lengthSize == 0 ? 4 : lengthSize)
            }
        }
        return hasSets
    }

    private func rewriteKept(of bytes: UnsafeRawBufferPointer) {
        scratch.removeAll(keepingCapacity: true)
        for place in kept { unsafe append(UnsafeRawBufferPointer(rebasing: bytes[place]), lengthSize: lengthSize) }
    }

    private func append(_ unit: UnsafeRawBufferPointer, lengthSize: Int) {
        for index in (0..<lengthSize).reversed() {
            scratch.append(UInt8(truncatingIfNeeded: unit.count >> (8 * index)))
        }
        unsafe scratch.append(contentsOf: unit)
    }
}

/// Start codes inside the NAL units of length-prefixed samples. The standard allows none (ITU-T H.264 7.4.1), but some
/// phones write one length before several NAL units of Annex B.
enum StartCodes {
    /// Returns the end of the NAL unit at `position`, without the zeros after it, and the start of the next one. Both
    /// are the end of the data if no start code follows.
    static func piece(of unit: UnsafeRawBufferPointer, from position: Int) -> (end: Int, next: Int) {
        guard let base = unit.baseAddress else { return (0, 0) }
        let code = unsafe StartCodeScanner.nextStartCode(base, from: position, count: unit.count)
        guard code < unit.count else { return (code, code) }
        var end = code
        while end > position, unsafe unit[end - 1] == 0 { end -= 1 }
        return (end, code + 3)
    }
}
