extension PropertyCatalog {
    /// The properties that only H.264 has, or has in a way of its own, except ProfileLevel.
    static let h264: [PropertyInfo] = [
        .choice(
            .h264EntropyMode, \.entropyMode, SessionConfiguration.EntropyMode.allCases,
            "CABAC if profile and preset have it",
            "The entropy coder.",
            derived: { facts in facts.encoder?.entropyMode.map { .string($0.rawValue) } }),
        .integer(
            .maxH264SliceBytes, .live, 0...16_777_216, \.live.rate.maxSliceBytes, default: 0,
            "The greatest size of a slice NAL unit in bytes, 0 (no limit) or at least 500. It can change while "
                + "encoding, but not from or to 0.",
            also: { value, info throws(NaluError) in
                if (1..<500).contains(value) {
                    throw info.outOfRange("\(value)", "0, or 500 to 16777216 bytes")
                }
            }),
    ]
}
