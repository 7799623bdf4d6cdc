private import COpenH264

/// The effects of OpenH264 on a session's properties. It has no properties of its own.
struct OpenH264Options: EncoderOptions {
    /// OpenH264 returns each picture at once.
    var settingWithoutDelay: String? { "the encoder OpenH264" }
    var summary: String { "the encoder OpenH264" }

    /// Throws for values that OpenH264 does not have, although it has the property.
    func checkConflicts(with configuration: SessionConfiguration) throws(NaluError) {
        let mostRate = Int(NALU_OPENH264_MAX_BIT_RATE)
        let rate = configuration.live.rate.averageBitRate
        guard rate <= mostRate else {
            throw NaluError(
                .conflict, "AverageBitRate is \(rate); expected at most \(mostRate) bits per second with OpenH264")
        }
        let fraction = configuration.baseLayerFrameRateFraction
        guard fraction >= 0.5 else {
            throw NaluError(
                .conflict,
                "BaseLayerFrameRateFraction is \(fraction); expected 0.5 or 1 with OpenH264, whose third temporal layer "
                    + "refers to the second one")
        }
        let leastMost = NoiseFloor(hasSlices: configuration.allowMultipleSlices).highest
        if let most = configuration.live.qpBounds.most, most < leastMost {
            throw NaluError(
                .conflict,
                "MaxAllowedFrameQP is \(most); expected \(leastMost) to 51 with OpenH264"
                    + (configuration.allowMultipleSlices ? "" : " and NaluAllowMultipleSlices false")
                    + ", because a picture of noise with a lower QP does not fit into its buffer")
        }
    }
}
