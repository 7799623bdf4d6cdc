/// An entry of an edit list (ISO/IEC 14496-12 8.6.6).
struct Edit {
    /// The duration in units of the movie.
    let duration: Int64
    /// The time of the media at which the edit begins, in units of the track; -1 for an edit that presents nothing.
    let mediaTime: Int64
    /// The rate of presentation in 16.16 bits; 0 for an edit that presents one picture.
    let rate: UInt32

    var isEmpty: Bool { mediaTime == -1 }

    /// Returns ``duration`` in other units, rounded as libavformat rounds it.
    func duration(per scale: Int64, of movie: Int64) -> Int64 {
        let (product, isTooLarge) = duration.multipliedReportingOverflow(by: scale)
        guard movie > 0, !isTooLarge else { return 0 }
        return (product.addingReportingOverflow(movie / 2).partialValue) / movie
    }
}
