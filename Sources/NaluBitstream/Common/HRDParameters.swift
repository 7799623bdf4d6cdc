/// The hypothetical reference decoder that a stream is made for (ITU-T H.264 E.1.2).
public struct HRDParameters: Hashable, Sendable {
    /// One delivery schedule.
    public struct Schedule: Hashable, Sendable {
        /// Bits per second.
        public let bitRate: Int
        /// Bits that the coded picture buffer holds.
        public let bufferSize: Int
        /// Whether bits arrive at that rate without a pause.
        public let isConstant: Bool
    }

    /// 1 to 32 schedules.
    public package(set) var schedules: [Schedule] = []
    /// Bits of `initial_cpb_removal_delay`, 1 to 32.
    public package(set) var initialRemovalDelayBits = 24
    /// Bits of `cpb_removal_delay`, 1 to 32.
    public package(set) var removalDelayBits = 24
    /// Bits of `dpb_output_delay`, 1 to 32.
    public package(set) var outputDelayBits = 24
    /// Bits of `time_offset`, 0 to 31.
    public package(set) var timeOffsetBits = 24
}

extension HRDParameters {
    /// Reads HRD parameters. `constantFlags` receives the bit position of each `cbr_flag`. Throws `.badData` if the
    /// payload ends early, or a value is out of range.
    init(in reader: inout BitReader, constantFlags: inout [Int]) throws(NaluError) {
        self.init()
        let count = 1 + (try reader.unsigned("cpb_cnt_minus1", 0...31))
        let rateScale = Int(try reader.bits(4, "bit_rate_scale"))
        let sizeScale = Int(try reader.bits(4, "cpb_size_scale"))
        for _ in 0..<count {
            // The values are at most 2^32 and shifted by at most 21 bits, so that nothing overflows.
            let rate = 1 + (try reader.unsigned("bit_rate_value_minus1", BitReader.anyUnsigned))
            let size = 1 + (try reader.unsigned("cpb_size_value_minus1", BitReader.anyUnsigned))
            constantFlags.append(reader.position)
            let isConstant = try reader.flag("cbr_flag")
            schedules.append(
                Schedule(bitRate: rate << (6 + rateScale), bufferSize: size << (4 + sizeScale), isConstant: isConstant))
        }
        initialRemovalDelayBits = 1 + Int(try reader.bits(5, "initial_cpb_removal_delay_length_minus1"))
        removalDelayBits = 1 + Int(try reader.bits(5, "cpb_removal_delay_length_minus1"))
        outputDelayBits = 1 + Int(try reader.bits(5, "dpb_output_delay_length_minus1"))
        timeOffsetBits = Int(try reader.bits(5, "time_offset_length"))
    }
}
