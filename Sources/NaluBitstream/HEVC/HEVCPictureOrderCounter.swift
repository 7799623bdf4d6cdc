/// Computes the output order of pictures (ITU-T H.265 8.3.1). Arithmetic wraps around: only streams that break the
/// standard overflow.
public struct HEVCPictureOrderCounter: Sendable {
    private var previousMSB = 0
    private var previousLSB = 0

    /// Creates a counter for the beginning of a stream.
    public init() {}

    /// Returns the picture order count of the next picture in decoding order, given its first slice segment. `restarts`
    /// is true for a random access picture with `NoRaslOutputFlag`, from which the counts start again.
    public mutating func count(
        of slice: HEVCSliceHeader, in sequence: HEVCSequenceParameterSet, restarts: Bool
    ) -> Int {
        let range = 1 << sequence.picOrderCountBits
        let lsb = slice.picOrderCountLSB
        var msb = restarts ? 0 : previousMSB
        if !restarts {
            if lsb < previousLSB, previousLSB &- lsb >= range / 2 {
                msb = msb &+ range
            } else if lsb > previousLSB, lsb &- previousLSB > range / 2 {
                msb = msb &- range
            }
        }
        if slice.isOrderAnchor { (previousMSB, previousLSB) = (msb, lsb) }
        return msb &+ lsb
    }
}
