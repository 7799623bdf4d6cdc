internal import CFFmpeg
internal import CNalu
internal import NaluBase

/// Makes samples of a track's packets.
@safe
final class SampleMaker {
    private let codec: VideoCodec
    private let sets: ParameterSets
    /// Bytes of the length prefixes; 0 for Annex B.
    private let lengthSize: UInt32
    private let timeBase: TimeBase
    private var reordersFormat: OpaquePointer?
    private var reorders = false
    private var scratch: [UInt8] = []

    var format: OpaquePointer? { unsafe sets.format }
    var isAnnexB: Bool { lengthSize == 0 }
    /// Nothing has been said of the form of the samples.
    private(set) var isUnconfigured = false

    /// From the codec configuration: `avcC`, or parameter sets as Annex B, or nothing. Nil for one that makes no sense.
    init?(_ codec: VideoCodec, configuration: UnsafeRawBufferPointer, timeBase: TimeBase) {
        self.codec = codec
        self.timeBase = timeBase
        guard unsafe codec.isRecord(configuration) else {
            lengthSize = 0
            isUnconfigured = unsafe configuration.isEmpty
            sets = ParameterSets(codec, lengthSize: 4)
            unsafe addSets(annexB: configuration)
            try? sets.update(for: nil)
            return
        }
        lengthSize = unsafe codec.lengthSize(ofRecord: configuration)
        guard lengthSize != 3 else { return nil }
        sets = ParameterSets(codec, lengthSize: lengthSize)
        if unsafe codec.isEmpty(record: configuration) { return }
        guard unsafe replaceFormat(configuration) else { return nil }
    }

    private func replaceFormat(_ configuration: UnsafeRawBufferPointer) -> Bool {
        var made: OpaquePointer?
        let bytes = unsafe configuration.baseAddress?.assumingMemoryBound(to: UInt8.self)
        _ =
            unsafe codec == .h264
            ? nalu_format_description_create_from_avcc(bytes, configuration.count, &made)
            : nalu_format_description_create_from_hvcc(bytes, configuration.count, &made)
        guard let made = unsafe made else { return false }
        if unsafe nalu_format_description_equal(made, sets.format) == 1 {
            unsafe nalu_format_description_release(made)
        } else {
            unsafe sets.replace(with: made)
        }
        return true
    }

    private func addSets(annexB bytes: UnsafeRawBufferPointer) {
        unsafe forEachUnit(annexB: bytes) { unit in
            unsafe sets.add(unit)
        }
    }

    private func forEachUnit(annexB bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var offset = 0
        var unit: UnsafePointer<UInt8>?
        var size = 0
        while unsafe nalu_annex_b_next(start, bytes.count, &offset, &unit, &size) == NALU_STATUS_OK {
            unsafe body(UnsafeRawBufferPointer(start: unit, count: size))
        }
    }

    /// The configuration changes in the middle of the track.
    func change(configuration: UnsafeRawBufferPointer) {
        if lengthSize == 0 {
            unsafe addSets(annexB: configuration)
        } else if unsafe codec.isRecord(configuration)
            && codec.lengthSize(ofRecord: configuration) == lengthSize
        {
            _ = unsafe replaceFormat(configuration)
        }
    }

    /// Parameter sets among the bytes of the first packets, where the configuration has none.
    func learn(_ packet: UnsafeMutablePointer<AVPacket>) {
        guard unsafe sets.format == nil, let start = unsafe packet.pointee.data else { return }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(max(0, packet.pointee.size)))
        if lengthSize == 0 {
            unsafe addSets(annexB: bytes)
        } else {
            unsafe forEachUnit(lengthPrefixed: bytes) { unit in
                unsafe sets.add(unit)
            }
        }
        try? sets.update(for: nil)
    }

    /// How many samples can precede one in decode order and follow it in presentation order.
    var reorderDepth: Int {
        guard let info = sequence() else { return 0 }
        return Int(info.reorder_depth >= 0 ? info.reorder_depth : min(max(info.max_num_ref_frames, 1), 16))
    }

    private func sequence() -> nalu_sequence_info? {
        var info = nalu_sequence_info()
        info.struct_size = UInt32(MemoryLayout<nalu_sequence_info>.size)
        guard unsafe nalu_format_description_get_sequence_info(sets.format, &info) == NALU_STATUS_OK else { return nil }
        // The Baseline profile does not reorder.
        if codec == .h264 && info.reorder_depth < 0 && info.profile_idc == 66 { info.reorder_depth = 0 }
        return info
    }

    /// The sample of a packet, with its reference. Takes the packet's bytes.
    ///
    /// - Parameters:
    ///   - presentation: in units of the track.
    ///   - decode: likewise, not after `presentation`.
    /// - Returns: nil for one that holds parameter sets alone.
    func make(
        _ packet: UnsafeMutablePointer<AVPacket>, presentation: Int64, decode: Int64
    ) throws(NaluError) -> OpaquePointer? {
        guard let start = unsafe packet.pointee.data, unsafe packet.pointee.size > 0 else {
            throw NaluError(.badData, "a sample is empty")
        }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(packet.pointee.size))
        var facts = PictureFacts(codec)
        if lengthSize == 0 {
            unsafe rewrite(annexB: bytes, &facts)
        } else {
            try unsafe look(at: bytes, &facts)
            if facts.hasParameterSets { unsafe rewrite(lengthPrefixed: bytes) }
        }
        if lengthSize == 0 || facts.hasParameterSets {
            if scratch.isEmpty && facts.hasParameterSets { return nil }
            guard !scratch.isEmpty else {
                throw NaluError(.badData, "a sample holds no NAL unit")
            }
        }
        try sets.update(for: facts.pictureSet)
        guard let format = unsafe sets.format else {
            throw NaluError(.badData, "a sample comes before the first parameter sets")
        }
        if unsafe reordersFormat != format {
            unsafe reordersFormat = unsafe format
            reorders = sequence()?.reorder_depth != 0
        }
        let duration = unsafe packet.pointee.duration
        var sample: OpaquePointer?
        let times = unsafe (
            timeBase.time(presentation), timeBase.time(decode),
            duration > 0 ? timeBase.time(packet.pointee.duration) : nalu_time_invalid()
        )
        let attachments = facts.attachments(
            isMarked: unsafe packet.pointee.flags & AV_PKT_FLAG_KEY != 0, reorders: reorders)
        var status: nalu_status
        if lengthSize == 0 || facts.hasParameterSets {
            status = unsafe nalu_sample_create(
                scratch, scratch.count, format, times.0, times.2, times.1, attachments, &sample)
        } else {
            // The sample takes the packet's buffer as it is.
            guard unsafe av_packet_make_refcounted(packet) >= 0, let buffer = unsafe packet.pointee.buf,
                let data = unsafe packet.pointee.data
            else { throw NaluError(.allocationFailed, "no memory for a sample") }
            status = unsafe nalu_sample_create_with_bytes(
                data, bytes.count,
                { buffer in
                    var buffer: UnsafeMutablePointer<AVBufferRef>? = unsafe buffer?.assumingMemoryBound(
                        to: AVBufferRef.self)
                    unsafe av_buffer_unref(&buffer)
                }, buffer, format, times.0, times.2, times.1, attachments, &sample)
            if unsafe sample != nil {
                unsafe packet.pointee.buf = nil
                unsafe packet.pointee.data = nil
                unsafe packet.pointee.size = 0
            }
        }
        guard let sample = unsafe sample else { throw NaluError.last(status) }
        return unsafe sample
    }

    private func look(at bytes: UnsafeRawBufferPointer, _ facts: inout PictureFacts) throws(NaluError) {
        try unsafe check(bytes)
        // Nothing of a damaged sample counts.
        unsafe forEachUnit(lengthPrefixed: bytes) { unit in
            unsafe sets.add(unit)
            unsafe facts.add(unit, sets)
        }
    }

    /// The lengths of length-prefixed data add up.
    func check(_ bytes: UnsafeRawBufferPointer) throws(NaluError) {
        let size = Int(lengthSize)
        var offset = 0
        while offset < bytes.count {
            guard let unit = unsafe unit(in: bytes, at: offset) else {
                throw NaluError(
                    .badData,
                    "a sample of \(bytes.count) bytes is damaged: the length of the NAL unit at byte \(offset) leads outside it"
                )
            }
            offset += size + unit.count
        }
    }

    /// The NAL unit behind the length at `offset`; nil when there is none.
    @inline(__always)
    private func unit(in bytes: UnsafeRawBufferPointer, at offset: Int) -> UnsafeRawBufferPointer? {
        let size = Int(lengthSize)
        guard bytes.count - offset > size else { return nil }
        var length = 0
        for index in 0..<size { length = unsafe length << 8 | Int(bytes[offset + index]) }
        let first = offset + size
        guard length > 0, length <= bytes.count - first else { return nil }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[first..<first + length])
    }

    func forEachUnit(lengthPrefixed bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        var offset = 0
        while let unit = unsafe unit(in: bytes, at: offset) {
            unsafe body(unit)
            offset += Int(lengthSize) + unit.count
        }
    }

    /// The units but the parameter sets, behind lengths.
    private func rewrite(annexB bytes: UnsafeRawBufferPointer, _ facts: inout PictureFacts) {
        scratch.removeAll(keepingCapacity: true)
        scratch.reserveCapacity(bytes.count + 64)
        unsafe forEachUnit(annexB: bytes) { unit in
            unsafe facts.add(unit, sets)
            if unsafe codec.isParameterSet(unit) {
                unsafe sets.add(unit)
            } else {
                unsafe append(unit, lengthSize: 4)
            }
        }
    }

    private func rewrite(lengthPrefixed bytes: UnsafeRawBufferPointer) {
        scratch.removeAll(keepingCapacity: true)
        unsafe forEachUnit(lengthPrefixed: bytes) { unit in
            if unsafe !codec.isParameterSet(unit) { unsafe append(unit, lengthSize: Int(lengthSize)) }
        }
    }

    private func append(_ unit: UnsafeRawBufferPointer, lengthSize: Int) {
        for index in (0..<lengthSize).reversed() {
            scratch.append(UInt8(truncatingIfNeeded: unit.count >> (8 * index)))
        }
        unsafe scratch.append(contentsOf: unit)
    }
}
