internal import Nalu

/// The frame rate and its source.
struct StreamRate {
    enum Source: String {
        case stream
        /// Picture timing messages. They give the ticks of a frame if those of the parameter sets are finer than frames,
        /// or the fields of a frame if some fields are repeated.
        case timing
        case option
        /// The container's times.
        case container
        case assumed
    }

    let value: Double
    let source: Source
    /// True if the stream has timing that cannot be a frame rate.
    let isStreamOdd: Bool

    /// The range of plausible frame rates. Timing outside it counts ticks of a stream without a constant rate.
    static let plausible = 0.1...1000.0

    init(asked: Double?, container: Double?, description: StreamDescription?, ticks: Int?, fieldsPerPicture: Double) {
        let stated = description?.frameRate
        let isPlausible = stated.map { Self.plausible.contains($0) } ?? false
        isStreamOdd = stated != nil && !isPlausible
        if let asked {
            (value, source) = (asked, .option)
        } else if let container, Self.plausible.contains(container) {
            (value, source) = (container, .container)
        } else if let stated, isPlausible {
            (value, source) =
                fieldsPerPicture == 2 ? (stated, .stream) : (stated * 2 / fieldsPerPicture, .timing)
        } else if let timed = Self.timed(description?.picture, ticks) {
            (value, source) = (timed, .timing)
        } else {
            (value, source) = (RationalFrameRate.unknown.perSecond, .assumed)
        }
    }

    private static func timed(_ sequence: SequenceParameterSet?, _ ticks: Int?) -> Double? {
        guard let sequence, let ticks, sequence.unitsInTick > 0 else { return nil }
        let value = Double(sequence.timeScale) / (Double(sequence.unitsInTick) * Double(ticks))
        return plausible.contains(value) ? value : nil
    }
}
