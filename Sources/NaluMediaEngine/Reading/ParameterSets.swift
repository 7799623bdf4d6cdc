internal import CNalu
internal import NaluBase

/// The parameter sets of a track as they stand at the moment, and the format description that they make.
@safe
final class ParameterSets {
    private struct Sequence {
        let bytes: [UInt8]
        /// H.265: its VPS, and the number of its highest sub-layer.
        let video: UInt32
        let highestLayer: Int
    }

    private struct Picture {
        let bytes: [UInt8]
        let sequence: UInt32
        /// H.265: `num_extra_slice_header_bits`.
        let extraHeaderBits: UInt32
    }

    private let codec: VideoCodec
    private var videos: [UInt32: [UInt8]] = [:]
    private var sequences: [UInt32: Sequence] = [:]
    private var pictures: [UInt32: Picture] = [:]
    private var hasChanged = false
    /// The SPS of ``format``; nil where it has all.
    private var formatSequence: UInt32?
    /// Bytes of parameter sets since the last format description.
    private var bytesSinceFormat = 0
    /// Of the length prefixes in the samples.
    private let lengthSize: UInt32
    /// The latest; a reference of this object's own.
    private(set) var format: OpaquePointer?

    /// Sets of together so many bytes make a format description as often as they change.
    private static let smallSize = 1024

    init(_ codec: VideoCodec, lengthSize: UInt32) {
        self.codec = codec
        self.lengthSize = lengthSize
    }

    deinit {
        unsafe nalu_format_description_release(format)
    }

    /// Takes a format description with its reference, and its sets for the ones known so far.
    func replace(with format: OpaquePointer) {
        unsafe nalu_format_description_release(self.format)
        unsafe self.format = unsafe format
        videos = [:]
        sequences = [:]
        pictures = [:]
        for index in 0..<(unsafe nalu_format_description_get_parameter_set_count(format)) {
            var size = 0
            let bytes = unsafe nalu_format_description_get_parameter_set(format, index, &size)
            unsafe add(UnsafeRawBufferPointer(start: bytes, count: size))
        }
        hasChanged = false
        formatSequence = nil
        bytesSinceFormat = 0
    }

    /// What is no parameter set does not count. One with a known id and other content takes the place of the old one, and
    /// an SPS takes the PPS with it that referred to the old one. One that cannot be read is left out.
    func add(_ unit: UnsafeRawBufferPointer) {
        guard unsafe codec.isParameterSet(unit) else { return }
        let bytes = unsafe [UInt8](unit)
        bytesSinceFormat += bytes.count
        switch codec {
        case .h264: unsafe add(h264: unit, bytes)
        case .hevc: unsafe add(hevc: unit, bytes)
        }
    }

    private func add(h264 unit: UnsafeRawBufferPointer, _ bytes: [UInt8]) {
        if bytes[0] & 31 == 7 {
            // Behind profile, constraints and level.
            var bits = unsafe UnitBits(unit, from: 4)
            guard let id = bits.number(), id < 32 else { return }
            set(Sequence(bytes: bytes, video: 0, highestLayer: 0), id)
        } else {
            var bits = unsafe UnitBits(unit, from: 1)
            guard let id = bits.number(), id < 256, let sequence = bits.number() else { return }
            set(Picture(bytes: bytes, sequence: sequence, extraHeaderBits: 0), id)
        }
    }

    private func add(hevc unit: UnsafeRawBufferPointer, _ bytes: [UInt8]) {
        var bits = unsafe UnitBits(unit, from: 2)
        switch bytes[0] >> 1 & 63 {
        case 32:
            let id = bits.value(4)
            guard videos[id] != bytes else { return }
            videos[id] = bytes
            hasChanged = true
        case 33:
            let video = bits.value(4)
            let highestLayer = Int(bits.value(3))
            _ = bits.bit()
            // profile_tier_level, 7.3.3: general profile and level, then those of the sub-layers that have their own.
            for _ in 0..<12 { _ = bits.value(8) }
            var present: UInt32 = 0
            for layer in 0..<(highestLayer > 0 ? 8 : 0) {
                let (profile, level) = (bits.bit(), bits.bit())
                if layer < highestLayer { present += profile * 11 + level }
            }
            for _ in 0..<present { _ = bits.value(8) }
            guard let id = bits.number(), id < 16 else { return }
            set(Sequence(bytes: bytes, video: video, highestLayer: highestLayer), id)
        default:
            guard let id = bits.number(), id < 64, let sequence = bits.number() else { return }
            _ = bits.value(2)
            set(Picture(bytes: bytes, sequence: sequence, extraHeaderBits: bits.value(3)), id)
        }
    }

    private func set(_ new: Sequence, _ id: UInt32) {
        guard sequences[id]?.bytes != new.bytes else { return }
        if sequences[id] != nil {
            pictures = pictures.filter { $0.value.sequence != id }
        }
        sequences[id] = new
        hasChanged = true
    }

    private func set(_ new: Picture, _ id: UInt32) {
        guard pictures[id]?.bytes != new.bytes else { return }
        pictures[id] = new
        hasChanged = true
    }

    /// H.265: the highest sub-layer of pictures that refer to that PPS.
    func highestLayer(of pictureSet: UInt32) -> Int {
        pictures[pictureSet].flatMap { sequences[$0.sequence]?.highestLayer } ?? 0
    }

    func extraHeaderBits(of pictureSet: UInt32) -> UInt32 { pictures[pictureSet]?.extraHeaderBits ?? 0 }

    /// Brings ``format`` up to date for a picture that refers to that PPS: its SPS and all PPS that refer to this. It stays
    /// the same object until a set changes.
    func update(for pictureSet: UInt32?) throws(NaluError) {
        guard let id = pictureSet ?? pictures.keys.min() else { return }
        let isOther = formatSequence != nil && pictures[id]?.sequence != formatSequence
        guard hasChanged || isOther else { return }
        guard let sequence = pictures[id]?.sequence, let first = sequences[sequence] else {
            throw NaluError(
                .badData, "a sample refers to parameter set \(id), which the track does not have")
        }
        let video = codec == .hevc ? videos[first.video] : []
        guard let video else {
            throw NaluError(
                .badData,
                "a sample refers to video parameter set \(first.video), which the track does not have")
        }
        let sets =
            (video.isEmpty ? [] : [video]) + [first.bytes]
            + pictures.filter { $0.value.sequence == sequence }.sorted { $0.key < $1.key }.map { $0.value.bytes }
        let size = sets.reduce(0) { $0 + $1.count }
        // Else a few bytes that change one set could make copies of large ones again and again.
        guard size <= max(Self.smallSize, bytesSinceFormat) else {
            throw NaluError(
                .badData, "a parameter set changes among \(size) bytes of parameter sets that do not")
        }
        hasChanged = false
        formatSequence = sequence
        bytesSinceFormat = 0
        let made = try unsafe make(sets)
        if unsafe nalu_format_description_equal(made, format) == 1 {
            unsafe nalu_format_description_release(made)
        } else {
            unsafe nalu_format_description_release(format)
            unsafe format = made
        }
    }

    private func make(_ sets: [[UInt8]]) throws(NaluError) -> OpaquePointer {
        let bytes = sets.flatMap { $0 }
        var made: OpaquePointer?
        var status = nalu_status(NALU_STATUS_ALLOCATION_FAILED)
        unsafe bytes.withUnsafeBufferPointer { all in
            var pointers: [UnsafePointer<UInt8>?] = unsafe []
            var offset = 0
            for set in sets {
                unsafe pointers.append(all.baseAddress.map { unsafe $0 + offset })
                offset += set.count
            }
            let sizes = sets.map { $0.count }
            let count = UInt32(sets.count)
            status =
                unsafe codec == .h264
                ? nalu_format_description_create_from_parameter_sets(count, pointers, sizes, lengthSize, &made)
                : nalu_format_description_create_from_hevc_parameter_sets(count, pointers, sizes, lengthSize, &made)
        }
        guard let made = unsafe made else { throw NaluError.last(status) }
        return unsafe made
    }
}
