extension PropertyCatalog {
    /// Recovery from loss.
    static let recovery: [PropertyInfo] = [
        .bool(
            .enableLTR, .untilOpen, \.enableLTR, default: false,
            "True: samples have tokens to acknowledge, and frames can be made from acknowledged ones alone. No frame is "
                + "held back."),
        .bool(
            .allowIntraRefresh, .untilOpen, \.allowIntraRefresh, default: false,
            "True: frames can begin an intra refresh, which takes the place of a key frame. No frame is held back."),
    ]
}
