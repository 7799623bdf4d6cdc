/// Skips the scaling lists of parameter sets (ITU-T H.264 7.3.2.1.1.1).
enum ScalingLists {
    /// Skips `count` lists with their presence flags. The first six lists have 16 entries, the others 64. SPS and PPS
    /// have different names for the flag, hence `flagName`.
    ///
    /// Throws `.badData` if the payload ends early, or a difference is out of range.
    static func skip(in reader: inout BitReader, count: Int, flagName: StaticString) throws(NaluError) {
        for list in 0..<count where try reader.flag(flagName) {
            var last = 8
            for _ in 0..<(list < 6 ? 16 : 64) {
                let next = (last + (try reader.signed("delta_scale", -128...127)) + 256) % 256
                guard next != 0 else {
                    // The rest of the list repeats the last entry and is not in the stream.
                    break
                }
                last = next
            }
        }
    }
}
