/// How much has come into a store of parameter sets.
package struct ParameterSetTally {
    /// Times that a set came which was not there.
    package var changes = 0
    /// Bytes of all sets that came, new or not.
    package var size = 0
}

/// The format description of a stream's parameter sets, the same object until they change.
package struct FormatCache<Format: Equatable> {
    private var format: Format?
    private var sequenceID: Int?
    /// The store's, when the format description was made.
    private var made = ParameterSetTally(changes: -1, size: 0)

    package init() {}

    /// Sets of together so many bytes make a format description as often as they change.
    package static var smallSize: Int { 1024 }

    /// The description for pictures of the SPS `id` in a store with `tally`; `make` makes it of `units`.
    package mutating func format(
        of id: Int, _ tally: ParameterSetTally, units: () throws(NaluError) -> [[UInt8]],
        make: ([[UInt8]]) throws(NaluError) -> Format
    ) throws(NaluError) -> Format {
        if made.changes == tally.changes, sequenceID == id, let format { return format }
        let units = try units()
        let size = units.reduce(0) { $0 + $1.count }
        // Else a few bytes that change one set could make copies of large ones again and again.
        guard size <= max(Self.smallSize, tally.size - made.size) else {
            throw NaluError(
                .badData,
                "parameter sets of \(size) bytes change again too soon; expected at least as many bytes of pictures between changes"
            )
        }
        let new = try make(units)
        made = tally
        sequenceID = id
        if new != format { format = new }
        return format ?? new
    }
}
