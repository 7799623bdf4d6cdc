/// The settings of temporal layers.
extension SessionConfiguration {
    /// Whether the stream has two temporal layers.
    var hasTemporalLayers: Bool { baseLayerFrameRateFraction < 1 }

    /// The frames from one frame of the base layer to the next.
    var baseLayerPeriod: Int { Int((1 / baseLayerFrameRateFraction).rounded()) }

    /// Throws for settings that temporal layers exclude; part of ``checkConflicts()``.
    func checkLayers() throws(NaluError) {
        guard hasTemporalLayers else { return }
        let setting = "BaseLayerFrameRateFraction \(baseLayerFrameRateFraction)"
        func conflict(_ message: String) -> NaluError { NaluError(.conflict, message) }
        if allowIntraRefresh {
            throw conflict(
                "\(setting) and NaluAllowIntraRefresh true are both set, and an intra refresh needs every frame; unset "
                    + "one of them")
        }
        if isInterlaced {
            throw conflict("\(setting) needs progressive frames, which FieldCount 2 and FieldDetail exclude")
        }
        if allowFrameReordering == true {
            throw conflict("AllowFrameReordering true delays frames, which \(setting) excludes")
        }
        if allowOpenGOP { throw conflict("AllowOpenGOP true needs B-frames, which \(setting) excludes") }
        if let count = suggestedLookAheadFrameCount, count > 0 {
            throw conflict("SuggestedLookAheadFrameCount \(count) delays frames, which \(setting) excludes")
        }
        if (1..<baseLayerPeriod).contains(referenceBufferCount) {
            throw conflict(
                "ReferenceBufferCount is \(referenceBufferCount); expected 0, or at least \(baseLayerPeriod) with \(setting)"
            )
        }
    }

    /// Throws if a share of bits is set for a layer that the stream does not have; part of ``checkComplete()``.
    func checkLayersAreComplete() throws(NaluError) {
        guard let share = baseLayerBitRateFraction, !hasTemporalLayers else { return }
        throw NaluError(
            .conflict,
            "BaseLayerBitRateFraction \(share) needs temporal layers; set BaseLayerFrameRateFraction to 0.5 or 0.25")
    }
}
