/// Which field of an interlaced frame is earlier: CoreMedia's names. Frames come with their lines in the order of
/// space, so that of each two names one would do.
enum FieldDetail: String, CaseIterable, Sendable {
    case temporalTopFirst = "TemporalTopFirst"
    case temporalBottomFirst = "TemporalBottomFirst"
    /// The field that has the first line.
    case spatialFirstLineEarly = "SpatialFirstLineEarly"
    case spatialFirstLineLate = "SpatialFirstLineLate"

    var isTopFirst: Bool { self == .temporalTopFirst || self == .spatialFirstLineEarly }
}
