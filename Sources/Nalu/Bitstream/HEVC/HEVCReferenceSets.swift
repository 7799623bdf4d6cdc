/// Passes over the short-term reference picture sets of an H.265 SPS (ITU-T H.265 7.3.7), each of which can be written as
/// the change of the one before, so that their content must be followed.
struct HEVCReferenceSets {
    /// `DeltaPocS0` and then `DeltaPocS1` of the set before; nil before the first.
    private var last: (before: [Int], after: [Int])?

    /// No set has more pictures than the decoded picture buffer.
    private static let maximumCount = 16

    static func skip(_ count: Int, in reader: inout BitReader) throws(NaluError) {
        var sets = HEVCReferenceSets()
        for _ in 0..<count {
            try sets.readNext(in: &reader)
        }
    }

    private mutating func readNext(in reader: inout BitReader) throws(NaluError) {
        let next: (before: [Int], after: [Int])
        if let last, try reader.flag("inter_ref_pic_set_prediction_flag") {
            next = try Self.change(of: last, in: &reader)
        } else {
            let beforeCount = try reader.unsigned("num_negative_pics", 0...Self.maximumCount)
            let afterCount = try reader.unsigned("num_positive_pics", 0...Self.maximumCount)
            var (before, after): ([Int], [Int]) = ([], [])
            var order = 0
            for _ in 0..<beforeCount {
                order -= 1 + (try reader.unsigned("delta_poc_s0_minus1", 0...32767))
                before.append(order)
                _ = try reader.flag("used_by_curr_pic_s0_flag")
            }
            order = 0
            for _ in 0..<afterCount {
                order += 1 + (try reader.unsigned("delta_poc_s1_minus1", 0...32767))
                after.append(order)
                _ = try reader.flag("used_by_curr_pic_s1_flag")
            }
            next = (before, after)
        }
        let count = next.before.count + next.after.count
        guard count <= Self.maximumCount else {
            throw NaluError(.badData, "a reference picture set has \(count) pictures, expected at most 16")
        }
        last = next
    }

    /// Equations 7-61 and 7-62.
    private static func change(
        of reference: (before: [Int], after: [Int]), in reader: inout BitReader
    ) throws(NaluError) -> (before: [Int], after: [Int]) {
        let isNegative = try reader.flag("delta_rps_sign")
        let size = 1 + (try reader.unsigned("abs_delta_rps_minus1", 0...32767))
        let delta = isNegative ? -size : size
        let orders = reference.before + reference.after + [0]
        var used: [Int] = []
        for order in orders {
            var isUsed = try reader.flag("used_by_curr_pic_flag")
            if !isUsed { isUsed = try reader.flag("use_delta_flag") }
            if isUsed { used.append(order + delta) }
        }
        return (used.filter { $0 < 0 }.sorted(by: >), used.filter { $0 > 0 }.sorted())
    }
}
