/// The amount of parameter sets that a store has received.
package struct ParameterSetTally {
    /// The number of times that a new or changed parameter set arrived.
    package var changes = 0
    /// The total size of all received parameter sets in bytes, new or not.
    package var size = 0
}

/// Makes the format description of a stream's parameter sets, and returns the same object until they change.
package struct FormatCache<Format: Equatable> {
    private var format: Format?
    private var sequenceID: Int?
    /// The store's tally when the format description was made.
    private var made = ParameterSetTally(changes: -1, size: 0)

    package init() {}

    /// The total size, in bytes, up to which parameter sets may change at any time.
    package static var smallSize: Int { 1024 }

    /// Returns the format description for pictures of the SPS `id`. `tally` is that of the store; `make` creates a
    /// description from `units`.
    package mutating func format(
        of id: Int, _ tally: ParameterSetTally, units: () throws(NaluError) -> [[UInt8]],
        make: ([[UInt8]]) throws(NaluError) -> Format
    ) throws(NaluError) -> Format {
        if made.changes == tally.changes, sequenceID == id, let format { return format }
        let units = try units()
        let size = units.reduce(0) { $0 + $1.count }
        // Without this limit, a few bytes that change one parameter set could cause copies of large ones again and
        // again.
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
