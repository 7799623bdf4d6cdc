extension PropertyCatalog {
    /// The properties of temporal layers.
    static let layers: [PropertyInfo] = [
        PropertyInfo(
            .baseLayerFrameRateFraction, .double, .untilOpen, 0.25...1, [], "1.0",
            "The fraction of the frames that form the base layer: 1, 0.5 or 0.25. No frame refers to the others, so "
                + "that a receiver can leave them out. Below 1, no frame is delayed.",
            get: { .double($0.baseLayerFrameRateFraction) },
            set: { configuration, value, info throws(NaluError) in
                let fraction = value?.doubleValue ?? 1
                guard [0.25, 0.5, 1].contains(fraction) else { throw info.outOfRange("\(fraction)", "0.25, 0.5 or 1") }
                configuration.baseLayerFrameRateFraction = fraction
            }),
        PropertyInfo(
            .baseLayerBitRateFraction, .double, .untilOpen, 0.3...0.9, [], "",
            "The fraction of the bits that the base layer receives. Unset: the other frames are coded with a QP that is "
                + "higher by 3. Needs BaseLayerFrameRateFraction 0.5 or 0.25.",
            get: { $0.baseLayerBitRateFraction.map { .double($0) } },
            set: { configuration, value, _ in configuration.baseLayerBitRateFraction = value?.doubleValue }),
    ]
}
