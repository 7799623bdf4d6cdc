internal import CNalu

/// What the NAL units of a sample say of it.
struct PictureFacts {
    let codec: VideoCodec
    /// IDR; of H.265 broken links too.
    private(set) var isKey = false
    private(set) var isReference = false
    /// All slices are intra.
    private(set) var isIntra = true
    private(set) var isRecoveryPoint = false
    /// H.265: leading pictures may follow.
    private var mayHaveLeading = true
    private(set) var sliceCount = 0
    /// The PPS that the first slice refers to.
    private(set) var pictureSet: UInt32?
    private(set) var hasParameterSets = false

    init(_ codec: VideoCodec) {
        self.codec = codec
    }

    /// One NAL unit. The parameter sets before it are in `sets`.
    mutating func add(_ unit: UnsafeRawBufferPointer, _ sets: ParameterSets) {
        switch codec {
        case .h264: unsafe add(h264: unit)
        case .hevc: unsafe add(hevc: unit, sets)
        }
    }

    private mutating func add(h264 unit: UnsafeRawBufferPointer) {
        let header = unsafe unit[0]
        switch header & 31 {
        case 1, 2, 5:
            // Slices, and partitions A, which have the header of their slice.
            sliceCount += 1
            if header & 31 == 5 { isKey = true }
            if header & 0x60 != 0 { isReference = true }
            var bits = unsafe UnitBits(unit, from: 1)
            _ = bits.number()
            let type = bits.number() ?? 0
            // Table 7-6: I and SI.
            if ![2, 4].contains(type % 5) { isIntra = false }
            if pictureSet == nil { pictureSet = bits.number() }
        case 6: isRecoveryPoint = unsafe isRecoveryPoint || Self.hasRecoveryPoint(unit, from: 1)
        case 7, 8: hasParameterSets = unsafe hasParameterSets || codec.isParameterSet(unit)
        default: break
        }
    }

    /// ITU-T H.265 7.3.1.2 and 7.3.6.1, of the base layer.
    private mutating func add(hevc unit: UnsafeRawBufferPointer, _ sets: ParameterSets) {
        guard unit.count > 2, unsafe unit[0] & 1 == 0, unsafe unit[1] >> 3 == 0 else { return }
        let type = unsafe unit[0] >> 1 & 63
        switch type {
        case 0...9, 16...21:
            let isRandomAccess = type >= 16
            var bits = unsafe UnitBits(unit, from: 2)
            let isFirst = bits.bit() == 1
            if isRandomAccess { _ = bits.bit() }
            let id = bits.number() ?? 0
            if sliceCount == 0 {
                pictureSet = id
                isKey = (16...20).contains(type)
                isRecoveryPoint = isRecoveryPoint || isRandomAccess
                mayHaveLeading = type != 18 && type != 20
                // Pictures of the highest sub-layer that others of it do not refer to.
                let layer = unsafe Int(unit[1] & 7) - 1
                isReference = isRandomAccess || type & 1 == 1 || layer < sets.highestLayer(of: id)
            }
            sliceCount += 1
            guard !isRandomAccess else { return }
            // Later slices begin with an address, and a picture of several is taken for one that depends.
            for _ in 0..<sets.extraHeaderBits(of: id) { _ = bits.bit() }
            if !isFirst || bits.number() != 2 { isIntra = false }
        case 39: isRecoveryPoint = unsafe isRecoveryPoint || Self.hasRecoveryPoint(unit, from: 2)
        case 32...34: hasParameterSets = true
        default: break
        }
    }

    /// H.264 7.3.2.3, H.265 7.3.2.4: messages until what is left is the trailing bit.
    private static func hasRecoveryPoint(_ unit: UnsafeRawBufferPointer, from start: Int) -> Bool {
        var bits = unsafe UnitBits(unit, from: start)
        while true {
            let type = size(&bits)
            // Payload type 6, H.264 D.1.8, H.265 D.2.8.
            if type == 6 && !bits.isAtEnd { return true }
            var left = size(&bits)
            while left > 0 && !bits.isAtEnd {
                _ = bits.byte()
                left -= 1
            }
            guard !bits.isAtEnd else { return false }
        }
    }

    private static func size(_ bits: inout UnitBits) -> Int {
        var all = 0
        while true {
            let byte = bits.byte()
            all += Int(byte)
            if byte != 255 { return all }
        }
    }

    /// The flags of nalu_sample_get_attachments.
    ///
    /// - Parameter isMarked: whether the container marks the sample as one that decoding can begin with.
    func attachments(isMarked: Bool, reorders: Bool) -> UInt32 {
        var flags = 0
        if !isKey {
            flags |= NALU_SAMPLE_NOT_SYNC
            if isRecoveryPoint || (isMarked && isIntra && sliceCount > 0) { flags |= NALU_SAMPLE_PARTIAL_SYNC }
        }
        if !isIntra { flags |= NALU_SAMPLE_DEPENDS_ON_OTHERS }
        if isReference { flags |= NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS }
        let hasEarlier = codec == .h264 ? !isKey : mayHaveLeading
        if reorders && isReference && hasEarlier { flags |= NALU_SAMPLE_EARLIER_DISPLAY_TIMES_ALLOWED }
        return UInt32(flags)
    }
}
