/// The long-term reference pictures of a slice (ITU-T H.265 7.4.7.1). A decoder keeps them in addition to the current
/// picture and its short-term reference pictures.
public struct HEVCLongTermReferences: RandomAccessCollection, Hashable, Sendable {
    /// One picture.
    public struct Picture: Hashable, Sendable {
        /// The low bits of the picture order count. The SPS states how many.
        public let orderLSB: Int
        /// `DeltaPocMsbCycleLt`: how often the low bits wrap from this picture to the current one. Nil if the low bits
        /// alone identify the picture.
        public let cycle: Int?
        /// Whether the current picture can refer to this one. If false, only later pictures can.
        public let isUsed: Bool
    }

    /// The most pictures in a collection. No slice has more references than the decoded picture buffer holds.
    public static let maximumCount = 16

    // The values are stored inline, because each slice has some.
    private var orders = SIMD16<UInt16>()
    /// `DeltaPocMsbCycleLt` of each picture, or -1 for none.
    private var cycles = SIMD16<Int32>()
    private var used: UInt16 = 0
    public private(set) var count = 0

    /// Creates an empty collection.
    public init() {}

    public var startIndex: Int { 0 }
    public var endIndex: Int { count }

    public subscript(index: Int) -> Picture {
        Picture(
            orderLSB: Int(orders[index]), cycle: cycles[index] < 0 ? nil : Int(cycles[index]),
            isUsed: used >> index & 1 != 0)
    }
}

// MARK: - Reading

extension HEVCLongTermReferences {
    /// Reads the elements of a slice header from `num_long_term_sps` on.
    init(in reader: inout BitReader, _ sequence: HEVCSequenceParameterSet) throws(NaluError) {
        let known = sequence.longTermReferences
        let knownCount =
            known.isEmpty ? 0 : try reader.unsigned("num_long_term_sps", 0...Swift.min(known.count, Self.maximumCount))
        count = knownCount + (try reader.unsigned("num_long_term_pics", 0...Self.maximumCount))
        guard count <= Self.maximumCount else {
            throw NaluError(.badData, "a slice has \(count) long-term reference pictures; expected at most 16")
        }
        let mostCycles = 1 << (32 - sequence.picOrderCountBits) - 1
        var cycle = 0
        for index in 0..<count {
            let picture: Picture
            if index < knownCount {
                let bits = HEVCSliceHeader.indexBits(known.count)
                let number = Int(try reader.bits(bits, "lt_idx_sps"))
                guard number < known.count else {
                    throw NaluError(.badData, "lt_idx_sps is \(number); expected 0 to \(known.count - 1)")
                }
                picture = known[number]
            } else {
                let order = Int(try reader.bits(sequence.picOrderCountBits, "poc_lsb_lt"))
                picture = Picture(orderLSB: order, cycle: nil, isUsed: try reader.flag("used_by_curr_pic_lt_flag"))
            }
            orders[index] = UInt16(truncatingIfNeeded: picture.orderLSB)
            if picture.isUsed { used |= 1 << index }
            // DeltaPocMsbCycleLt accumulates within each of the two groups (equation 7-52).
            if index == knownCount { cycle = 0 }
            let isTold = try reader.flag("delta_poc_msb_present_flag")
            if isTold { cycle += try reader.unsigned("delta_poc_msb_cycle_lt", 0...mostCycles) }
            guard cycle <= mostCycles else {
                throw NaluError(.badData, "DeltaPocMsbCycleLt is \(cycle); expected 0 to \(mostCycles)")
            }
            cycles[index] = isTold ? Int32(truncatingIfNeeded: cycle) : -1
        }
    }
}
