/// The long-term reference pictures of a slice (ITU-T H.265 7.4.7.1): pictures that a decoder keeps in addition to the
/// current one and its short-term ones.
public struct HEVCLongTermReferences: RandomAccessCollection, Hashable, Sendable {
    /// One picture.
    public struct Picture: Hashable, Sendable {
        /// The last bits of its picture order count, as many as the SPS says.
        public let orderLSB: Int
        /// `DeltaPocMsbCycleLt`: how often these bits have wrapped from it to the current picture; nil where they alone
        /// say which picture it is.
        public let cycle: Int?
        /// Whether the current picture can refer to it; else only later ones can.
        public let isUsed: Bool
    }

    /// No slice has more references than the decoded picture buffer.
    public static let maximumCount = 16

    // Inline, as each slice has some.
    private var orders = SIMD16<UInt16>()
    /// -1: none.
    private var cycles = SIMD16<Int32>()
    private var used: UInt16 = 0
    public private(set) var count = 0

    /// None.
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
    /// Reads the part of a slice header from `num_long_term_sps` on.
    init(in reader: inout BitReader, _ sequence: HEVCSequenceParameterSet) throws(NaluError) {
        let known = sequence.longTermReferences
        let knownCount =
            known.isEmpty ? 0 : try reader.unsigned("num_long_term_sps", 0...Swift.min(known.count, Self.maximumCount))
        count = knownCount + (try reader.unsigned("num_long_term_pics", 0...Self.maximumCount))
        guard count <= Self.maximumCount else {
            throw NaluError(.badData, "a slice has \(count) long-term reference pictures, expected at most 16")
        }
        let mostCycles = 1 << (32 - sequence.picOrderCountBits) - 1
        var cycle = 0
        for index in 0..<count {
            let picture: Picture
            if index < knownCount {
                let bits = HEVCSliceHeader.indexBits(known.count)
                let number = Int(try reader.bits(bits, "lt_idx_sps"))
                guard number < known.count else {
                    throw NaluError(.badData, "lt_idx_sps is \(number), expected 0 to \(known.count - 1)")
                }
                picture = known[number]
            } else {
                let order = Int(try reader.bits(sequence.picOrderCountBits, "poc_lsb_lt"))
                picture = Picture(
                    orderLSB: order, cycle: nil, isUsed: try reader.flag("used_by_curr_pic_lt_flag"))
            }
            orders[index] = UInt16(truncatingIfNeeded: picture.orderLSB)
            if picture.isUsed { used |= 1 << index }
            // Equation 7-52.
            if index == knownCount { cycle = 0 }
            let isTold = try reader.flag("delta_poc_msb_present_flag")
            if isTold { cycle += try reader.unsigned("delta_poc_msb_cycle_lt", 0...mostCycles) }
            guard cycle <= mostCycles else {
                throw NaluError(.badData, "DeltaPocMsbCycleLt is \(cycle), expected 0 to \(mostCycles)")
            }
            cycles[index] = isTold ? Int32(truncatingIfNeeded: cycle) : -1
        }
    }
}
