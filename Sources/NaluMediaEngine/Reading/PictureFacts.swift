internal import CNalu

/// What the NAL units of a sample say of it.
struct PictureFacts {
    /// IDR.
    private(set) var isKey = false
    private(set) var isReference = false
    /// All slices are intra.
    private(set) var isIntra = true
    private(set) var isRecoveryPoint = false
    private(set) var sliceCount = 0
    /// The PPS that the first slice refers to.
    private(set) var pictureSet: UInt32?
    private(set) var hasParameterSets = false

    /// One NAL unit of H.264, which has at least its header byte.
    mutating func add(_ unit: UnsafeRawBufferPointer) {
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
        case 6: isRecoveryPoint = unsafe isRecoveryPoint || Self.hasRecoveryPoint(unit)
        case 7, 8: hasParameterSets = true
        default: break
        }
    }

    /// 7.3.2.3: messages until what is left is the trailing bit.
    private static func hasRecoveryPoint(_ unit: UnsafeRawBufferPointer) -> Bool {
        var bits = unsafe UnitBits(unit, from: 1)
        while true {
            let type = size(&bits)
            // Payload type 6, D.1.8.
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
        if reorders && isReference && !isKey { flags |= NALU_SAMPLE_EARLIER_DISPLAY_TIMES_ALLOWED }
        return UInt32(flags)
    }
}
