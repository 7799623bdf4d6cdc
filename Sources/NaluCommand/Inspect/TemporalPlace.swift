internal import Nalu

/// What the NAL unit header of an H.265 picture says of its place among others.
struct TemporalPlace {
    let type: HEVCUnitType
    /// `TemporalId`, 0 to 6.
    let temporalID: Int
    /// `pic_output_flag`.
    let isShown: Bool

    /// The standard's name: `TRAIL_R`, `RASL_N`, `CRA_NUT`.
    var typeName: String { StandardNames.sliceType(type) }
}
