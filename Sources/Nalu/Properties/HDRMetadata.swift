/// The colour volume of the display that a clip was mastered on (ITU-T H.264 D.2.29; SMPTE ST 2086). Order and units
/// are those of the SEI message. First come the green, blue and red primaries and the white point, x and y each, in
/// units of 0.00002. Then come the highest and the lowest luminance, in units of 0.0001 cd/m2.
struct MasteringDisplay: Hashable, Sendable {
    /// x and y of green, blue, red and white: 0 to 50000 each.
    var chromaticities: [UInt16]
    var maxLuminance: UInt32
    var minLuminance: UInt32

    static let maxChromaticity: UInt16 = 50_000

    /// Nil if a number is not whole or out of range.
    init?(_ numbers: [Double]) {
        guard numbers.count == 10, let most = UInt32(exactly: numbers[8]), let least = UInt32(exactly: numbers[9])
        else { return nil }
        chromaticities = numbers.prefix(8).compactMap { UInt16(exactly: $0) }.filter { $0 <= Self.maxChromaticity }
        maxLuminance = most
        minLuminance = least
        // A highest luminance of 0 means unknown.
        guard chromaticities.count == 8, most == 0 || most > least else { return nil }
    }

    var numbers: [Double] { chromaticities.map { Double($0) } + [Double(maxLuminance), Double(minLuminance)] }
}

/// The light levels of the pictures (ITU-T H.264 D.2.31; CTA-861), in cd/m2; 0 if unspecified.
struct ContentLightLevel: Hashable, Sendable {
    /// MaxCLL, the maximum of any pixel.
    var maximum: UInt16
    /// MaxFALL, the maximum of a frame's average.
    var maximumFrameAverage: UInt16

    /// Nil if a number is not whole or out of range.
    init?(_ numbers: [Double]) {
        guard numbers.count == 2, let maximum = UInt16(exactly: numbers[0]),
            let average = UInt16(exactly: numbers[1])
        else { return nil }
        self.maximum = maximum
        maximumFrameAverage = average
    }

    var numbers: [Double] { [Double(maximum), Double(maximumFrameAverage)] }
}

/// Whether the messages about mastering display and light levels are written to the stream.
enum HDRMetadataInsertionMode: String, CaseIterable, Sendable {
    case none = "None"
    case automatic = "Auto"
}
