internal import Nalu

/// What the session measured of the frames, averaged.
struct QualityMeter {
    mutating func add(_ sample: Sample) {}

    /// For the summary; nil when nothing was measured.
    var text: String? { nil }
}
