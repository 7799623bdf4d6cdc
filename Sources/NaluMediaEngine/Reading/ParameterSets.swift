internal import CNalu

/// The parameter sets of a track as they stand at the moment, and the format description that they make.
@safe
final class ParameterSets {
    private var sequences: [UInt32: [UInt8]] = [:]
    private var pictures: [UInt32: (bytes: [UInt8], sequence: UInt32)] = [:]
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

    init(lengthSize: UInt32) {
        self.lengthSize = lengthSize
    }

    deinit {
        unsafe nalu_format_description_release(format)
    }

    /// Takes a format description with its reference, and its sets for the ones known so far.
    func replace(with format: OpaquePointer) {
        unsafe nalu_format_description_release(self.format)
        unsafe self.format = unsafe format
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

    /// An SPS or a PPS. One with a known id and other content takes the place of the old one, and an SPS takes the PPS
    /// with it that referred to the old one. One that cannot be read is left out.
    func add(_ unit: UnsafeRawBufferPointer) {
        guard unit.count >= 2 else { return }
        let bytes = unsafe [UInt8](unit)
        bytesSinceFormat += bytes.count
        if bytes[0] & 31 == 7 {
            // Behind profile, constraints and level.
            var bits = unsafe UnitBits(unit, from: 4)
            guard let id = bits.number(), id < 32, sequences[id] != bytes else { return }
            if sequences[id] != nil {
                pictures = pictures.filter { $0.value.sequence != id }
            }
            sequences[id] = bytes
        } else {
            var bits = unsafe UnitBits(unit, from: 1)
            guard let id = bits.number(), id < 256, let sequence = bits.number(), pictures[id]?.bytes != bytes else {
                return
            }
            pictures[id] = (bytes, sequence)
        }
        hasChanged = true
    }

    /// Brings ``format`` up to date for a picture that refers to that PPS: its SPS and all PPS that refer to this. It stays
    /// the same object until a set changes.
    func update(for pictureSet: UInt32?) throws(MediaError) {
        guard let id = pictureSet ?? pictures.keys.min() else { return }
        let isOther = formatSequence != nil && pictures[id]?.sequence != formatSequence
        guard hasChanged || isOther else { return }
        guard let sequence = pictures[id]?.sequence, let first = sequences[sequence] else {
            throw MediaError(
                NALU_STATUS_BAD_DATA, "a sample refers to parameter set \(id), which the track does not have")
        }
        let sets =
            [first]
            + pictures.filter { $0.value.sequence == sequence }.sorted { $0.key < $1.key }.map { $0.value.bytes }
        let size = sets.reduce(0) { $0 + $1.count }
        // Else a few bytes that change one set could make copies of large ones again and again.
        guard size <= max(Self.smallSize, bytesSinceFormat) else {
            throw MediaError(
                NALU_STATUS_BAD_DATA, "a parameter set changes among \(size) bytes of parameter sets that do not")
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

    private func make(_ sets: [[UInt8]]) throws(MediaError) -> OpaquePointer {
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
            status = unsafe nalu_format_description_create_from_parameter_sets(
                UInt32(sets.count), pointers, sizes, lengthSize, &made)
        }
        guard let made = unsafe made else { throw MediaError.last(status) }
        return unsafe made
    }
}
