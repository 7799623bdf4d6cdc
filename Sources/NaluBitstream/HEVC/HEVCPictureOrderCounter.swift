/// Works out where pictures stand in output order (ITU-T H.265 8.3.1). Arithmetic wraps around, as only streams that break
/// the standard get there.
public struct HEVCPictureOrderCounter: Sendable {
    private var previousMSB = 0
    private var previousLSB = 0

    /// For the first picture of a stream.
    public init() {}

    /// The order of the next picture in decoding order, by its first slice segment. `restarts`: the picture is a random
    /// access picture with `NoRaslOutputFlag`, from which orders are counted again.
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
