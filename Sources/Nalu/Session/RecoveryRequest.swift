/// The requests of a frame for recovery from loss.
struct RecoveryRequest: Sendable {
    let forceRefresh: Bool
    let acknowledged: [Int64]
    let beginIntraRefresh: Bool

    /// Nil if the frame requests nothing.
    init?(_ options: FrameOptions) {
        guard options.forceLTRRefresh || options.beginIntraRefresh || !options.acknowledgedLTRTokens.isEmpty else {
            return nil
        }
        forceRefresh = options.forceLTRRefresh
        acknowledged = options.acknowledgedLTRTokens
        beginIntraRefresh = options.beginIntraRefresh
    }

    /// Checks the requests. `accepted` is the number of frames that the session has accepted; their numbers are the
    /// tokens.
    func check(_ configuration: SessionConfiguration, accepted: UInt64) throws(NaluError) {
        if beginIntraRefresh && !configuration.allowIntraRefresh {
            throw NaluError(
                .conflict,
                "the frame begins an intra refresh; expected NaluAllowIntraRefresh to be true before the first frame")
        }
        guard forceRefresh || !acknowledged.isEmpty else { return }
        guard configuration.enableLTR else {
            throw NaluError(
                .conflict,
                "the frame \(forceRefresh ? "forces an LTR refresh" : "acknowledges LTR tokens"), which needs EnableLTR true "
                    + "before the first frame")
        }
        guard acknowledged.count <= FrameOptions.mostTokens else {
            throw NaluError(
                .outOfRange,
                "the frame acknowledges \(acknowledged.count) LTR tokens; expected at most \(FrameOptions.mostTokens)")
        }
        for token in acknowledged where token < 0 || UInt64(token) >= accepted {
            throw NaluError(
                .outOfRange, "the frame acknowledges the LTR token \(token); expected one of a sample of this session")
        }
    }
}
