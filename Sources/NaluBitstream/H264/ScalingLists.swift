/// The quantiser scaling lists of parameter sets (ITU-T H.264 7.3.2.1.1.1), which are passed over, not kept.
enum ScalingLists {
    /// Passes over `count` lists with their presence flags: six of 16 entries, the others of 64. The flags' name differs
    /// between the two kinds of parameter sets.
    ///
    /// Throws `.badData` when the payload ends inside, or a difference is out of its range.
    static func skip(in reader: inout BitReader, count: Int, flagName: StaticString) throws(NaluError) {
        for list in 0..<count where try reader.flag(flagName) {
            var last = 8
            for _ in 0..<(list < 6 ? 16 : 64) {
                let next = (last + (try reader.signed("delta_scale", -128...127)) + 256) % 256
                guard next != 0 else {
                    // The rest of the list repeats the last entry and takes no bits.
                    break
                }
                last = next
            }
        }
    }
}
