private import NaluLibc

/// Two temporal layers of a stream: the frames of the base layer, to which later frames may refer, and the frames
/// between them, which a receiver can leave out. Each frame refers to the base frame before it.
struct TemporalLayers {
    /// The coarser QP of the frames between base frames if no share of the bits is set. At one rate, it brings 0.5 to
    /// 1.0 dB over no offset, measured with two clips at two rates. An offset of 6 brings no more.
    private static let usualOffset = 3.0
    /// The range of the offset. Beyond it, a share has too little effect on the bits.
    private static let range = -12.0...18.0
    /// The fraction of the measured bits that is forgotten with each frame.
    private static let forgotten = 1.0 / 90
    /// The change of the offset for each frame and for a ratio of the layers' bits that is twice the wanted one, in QP
    /// steps. A change of 6 halves the bits.
    private static let gain = 0.25

    /// The frames from one base frame to the next.
    private let period: Int
    /// The bits of the base layer divided by those of the other frames, as the client wants it; nil for the usual
    /// offset.
    private let wantedRatio: Double?
    private let takesOffsets: Bool
    /// The frames since the last base frame, with that frame; 0 at the beginning.
    private var age = 0
    private var offset = Self.usualOffset
    private var bits = (base: 0.0, between: 0.0)

    /// Nil if the stream has one layer.
    init?(_ configuration: SessionConfiguration, takesOffsets: Bool) {
        guard configuration.hasTemporalLayers else { return nil }
        period = configuration.baseLayerPeriod
        wantedRatio = configuration.baseLayerBitRateFraction.map { $0 / (1 - $0) }
        self.takesOffsets = takesOffsets
    }

    /// The QP offset of the next frame, unless it is forced to be a key frame.
    var nextOffset: Float { nextIsBase || !takesOffsets ? 0 : Float(offset) }

    private var nextIsBase: Bool { age == 0 || age >= period }

    /// Notes the picture of the next frame. Returns whether it belongs to the base layer. An intra picture always does,
    /// because the frames after it resemble it and not the base frame before it.
    mutating func note(isIntra: Bool) -> Bool {
        let isBase = nextIsBase || isIntra
        age = isBase ? 1 : age + 1
        return isBase
    }

    /// Notes the bits of a delivered picture, and adjusts the offset.
    mutating func note(bits size: Double, isBase: Bool) {
        bits.base *= 1 - Self.forgotten
        bits.between *= 1 - Self.forgotten
        if isBase { bits.base += size } else { bits.between += size }
        guard let wantedRatio, !isBase, bits.between > 0, bits.base > 0 else { return }
        let step = log2(wantedRatio * bits.between / bits.base) * Self.gain
        offset = min(max(offset + step, Self.range.lowerBound), Self.range.upperBound)
    }
}
