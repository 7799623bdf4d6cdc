/// The number of fields for which a picture is displayed, as its picture timing message states it: `pic_struct` of ITU-T
/// H.264 table D-1, with `DeltaTfiDivisor` of table E-6, and of ITU-T H.265 table D.2.
package struct DisplayedFields: Hashable, Sendable {
    /// 2 to 6. A field picture counts as 2, because its partner, or its own tick, is the other half.
    package let count: Int

    /// The fields of a picture without `pic_struct`: those of a frame.
    package static let frame = DisplayedFields(count: 2)

    private init(count: Int) {
        self.count = count
    }

    /// - Parameter elements: the syntax elements of a picture timing message. Returns nil if they contain no
    ///   `pic_struct`.
    package init?(_ elements: [SyntaxElement]) {
        guard let structure = elements.first(where: { $0.name == "pic_struct" })?.value else { return nil }
        count =
            switch structure {
            // A repeated first field.
            case 5, 6: 3
            // Frame doubling and tripling.
            case 7: 4
            case 8: 6
            default: 2
            }
    }

    /// Returns the time for which the picture is displayed.
    ///
    /// - Parameter frame: the duration of a frame.
    package func duration(frame: MediaTime) -> MediaTime {
        guard self != .frame else { return frame }
        var result = frame
        let (product, overflows) = frame.value.multipliedReportingOverflow(by: Int64(count))
        guard !overflows else { return frame }
        // An odd number of halves needs twice the timescale.
        if product % 2 == 0 || frame.timescale > Int32.max / 2 {
            result.value = product / 2
        } else {
            result.value = product
            result.timescale *= 2
        }
        return result
    }
}
