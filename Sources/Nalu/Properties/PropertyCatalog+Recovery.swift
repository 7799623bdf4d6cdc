extension PropertyCatalog {
    /// The properties of recovery from loss.
    static let recovery: [PropertyInfo] = [
        .bool(
            .enableLTR, .untilOpen, \.enableLTR, default: false,
            "Whether frames can be encoded from acknowledged frames only. Samples then have tokens to acknowledge, "
                + "and no frame is delayed."),
        .bool(
            .allowIntraRefresh, .untilOpen, \.allowIntraRefresh, default: false,
            "Whether a frame can begin an intra refresh, in place of a key frame. No frame is then delayed."),
    ]
}
