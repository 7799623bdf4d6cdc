/// How a ``StreamParser`` reads. The corresponding C type is `nalu_stream_parser_options`.
public struct StreamParserOptions: Hashable, Sendable {
    /// How many frames can come before a frame in decode order and after it in output order, 0 to 16. nil: as the SPS
    /// says; if it does not say, the most that the level allows.
    public var reorderDepth: Int?
    /// The largest access unit that is kept, in bytes, 1024 to 1 GiB. A larger one is left out.
    public var maximumAccessUnitSize = 16 << 20
    /// The time for which a frame is shown, positive. nil: as the SPS says; if it does not say, 1/30 s.
    public var frameDuration: MediaTime?

    /// Where nothing says how long a frame is shown.
    package static let assumedFrameDuration = MediaTime(value: 1, timescale: 30)

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
