/// The settings of a ``StreamParser``. The corresponding C type is `nalu_stream_parser_options`.
public struct StreamParserOptions: Hashable, Sendable {
    /// The most frames that can precede a frame in decode order and follow it in output order, 0 to 16. Nil for the
    /// number in the SPS, or if it has none for the most that the level allows.
    public var reorderDepth: Int?
    /// The limit of an access unit in bytes, 1024 to 1 GiB. A larger one is left out.
    public var maximumAccessUnitSize = 16 << 20
    /// The display duration of a frame, positive. Nil for the one in the SPS, or if it has none for 1/30 s.
    public var frameDuration: MediaTime?

    /// The display duration of a frame if nothing states it.
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
