/// How a ``StreamParser`` reads. The corresponding C type is `nalu_stream_parser_options`.
public struct StreamParserOptions: Hashable, Sendable {
    /// How many frames can precede a frame in decoding order and follow it in output order, 0 to 16; nil: what the SPS
    /// says, or where it does not, the most that its level allows.
    public var reorderDepth: Int?
    /// The largest access unit that is kept, in bytes with 4 for each NAL unit, 1024 to 1 GiB.
    public var maximumAccessUnitSize = 16 << 20
    /// How long a frame is shown, positive; nil: what the SPS says, or where it does not, 1/30 s for counting times.
    public var frameDuration: MediaTime?

    public init() {}

    func check() throws(NaluError) {
        if let reorderDepth, !(0...16).contains(reorderDepth) {
            throw NaluError(.outOfRange, "reorder_depth_plus_1 is \(reorderDepth &+ 1); expected 0 to 17")
        }
        guard (1024...1 << 30).contains(maximumAccessUnitSize) else {
            throw NaluError(
                .outOfRange,
                "maximum_access_unit_size is \(maximumAccessUnitSize); expected 1024 to \(1 << 30) bytes, or 0")
        }
        if let frameDuration, !(frameDuration.isNumeric && frameDuration.value > 0 && frameDuration.epoch == 0) {
            throw NaluError(
                .invalidTime, "frame_duration is \(frameDuration); expected a positive time of epoch 0, or none")
        }
    }
}
