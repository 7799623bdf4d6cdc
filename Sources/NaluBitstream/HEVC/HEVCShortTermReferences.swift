/// A short-term reference picture set (ITU-T H.265 7.4.8): the pictures that a decoder keeps in addition to the current
/// one. Each is given by its distance in picture order count. Earlier pictures come first, then later ones, and each
/// group begins with the nearest.
public struct HEVCShortTermReferences: RandomAccessCollection, Hashable, Sendable {
    /// One picture of the set.
    public struct Picture: Hashable, Sendable {
        /// The picture order count minus that of the current picture; never 0.
        public let distance: Int
        /// Whether the current picture can refer to this one (`used_by_curr_pic_flag`). If false, only later pictures
        /// can.
        public let isUsed: Bool
    }

    /// The most pictures in a set. No set has more pictures than the decoded picture buffer holds.
    public static let maximumCount = 16

    // The values are stored inline, because each slice has a set.
    private var distances = SIMD16<Int32>()
    private var used: UInt16 = 0
    /// `NumDeltaPocs`, 0 to 16.
    public private(set) var count = 0
    /// `NumNegativePics`: the number of pictures in the set that are displayed before the current one.
    public private(set) var earlierCount = 0

    /// Creates an empty set.
    public init() {}

    public var startIndex: Int { 0 }
    public var endIndex: Int { count }

    public subscript(index: Int) -> Picture {
        Picture(distance: Int(distances[index]), isUsed: used >> index & 1 != 0)
    }

    private var earlier: Range<Int> { 0..<earlierCount }
    private var later: Range<Int> { earlierCount..<count }

    private mutating func append(_ distance: Int, isUsed: Bool) throws(NaluError) {
        guard count < Self.maximumCount else {
            throw NaluError(.badData, "a reference picture set has more than \(Self.maximumCount) pictures")
        }
        distances[count] = Int32(truncatingIfNeeded: distance)
        if isUsed { used |= 1 << count }
        count += 1
        if distance < 0 { earlierCount += 1 }
    }
}

// MARK: - Reading

extension HEVCShortTermReferences {
    /// Reads `st_ref_pic_set` (7.3.7). In an SPS, `sets` are the sets before this one. In a slice, `sets` are all sets
    /// of the SPS.
    init(in reader: inout BitReader, after sets: [HEVCShortTermReferences], isInSlice: Bool) throws(NaluError) {
        guard !sets.isEmpty, try reader.flag("inter_ref_pic_set_prediction_flag") else {
            try readPlain(in: &reader)
            return
        }
        let back = isInSlice ? 1 + (try reader.unsigned("delta_idx_minus1", 0...(sets.count - 1))) : 1
        try readChange(of: sets[sets.count - back], in: &reader)
    }

    private mutating func readPlain(in reader: inout BitReader) throws(NaluError) {
        let earlier = try reader.unsigned("num_negative_pics", 0...Self.maximumCount)
        let later = try reader.unsigned("num_positive_pics", 0...Self.maximumCount)
        var distance = 0
        for _ in 0..<earlier {
            distance -= 1 + (try reader.unsigned("delta_poc_s0_minus1", 0...32767))
            try append(distance, isUsed: try reader.flag("used_by_curr_pic_s0_flag"))
        }
        distance = 0
        for _ in 0..<later {
            distance += 1 + (try reader.unsigned("delta_poc_s1_minus1", 0...32767))
            try append(distance, isUsed: try reader.flag("used_by_curr_pic_s1_flag"))
        }
    }

    /// Reads a set that is coded as a change of `other` (equations 7-61 and 7-62).
    private mutating func readChange(
        of other: HEVCShortTermReferences, in reader: inout BitReader
    ) throws(NaluError) {
        let isNegative = try reader.flag("delta_rps_sign")
        let size = 1 + (try reader.unsigned("abs_delta_rps_minus1", 0...32767))
        let change = isNegative ? -size : size
        // Bit j belongs to picture j of `other`. The bit after these belongs to the picture whose set `other` is.
        var (used, kept): (UInt32, UInt32) = (0, 0)
        for index in 0...other.count {
            let isUsed = try reader.flag("used_by_curr_pic_flag")
            if isUsed { used |= 1 << index }
            if isUsed { kept |= 1 << index } else if try reader.flag("use_delta_flag") { kept |= 1 << index }
        }
        func add(_ index: Int, _ set: inout HEVCShortTermReferences, isEarlier: Bool) throws(NaluError) {
            let distance = (index < other.count ? other[index].distance : 0) + change
            guard distance != 0, (distance < 0) == isEarlier, kept >> index & 1 != 0 else { return }
            try set.append(distance, isUsed: used >> index & 1 != 0)
        }
        for index in other.later.reversed() { try add(index, &self, isEarlier: true) }
        try add(other.count, &self, isEarlier: true)
        for index in other.earlier { try add(index, &self, isEarlier: true) }
        for index in other.earlier.reversed() { try add(index, &self, isEarlier: false) }
        try add(other.count, &self, isEarlier: false)
        for index in other.later { try add(index, &self, isEarlier: false) }
    }
}
