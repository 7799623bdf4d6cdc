/// The format description of a stream's parameter sets, the same object until they change.
struct FormatCache {
    private var format: FormatDescription?
    private var sequenceID: Int?
    private var hasChanged = true
    /// Bytes of parameter sets since the last format description.
    private var bytesSinceFormat = 0

    /// Sets of together so many bytes make a format description as often as they change.
    static let smallSize = 1024

    /// A set of so many bytes has come, new or not.
    mutating func count(_ size: Int) {
        bytesSinceFormat += size
    }

    mutating func setsChanged() {
        hasChanged = true
    }

    /// The description for pictures of an SPS; `make` makes it of `units`.
    mutating func format(
        of id: Int, units: () throws(NaluError) -> [[UInt8]],
        make: ([[UInt8]]) throws(NaluError) -> FormatDescription
    ) throws(NaluError) -> FormatDescription {
        if !hasChanged, sequenceID == id, let format { return format }
        let units = try units()
        let size = units.reduce(0) { $0 + $1.count }
        // Else a few bytes that change one set could make copies of large ones again and again.
        guard size <= max(Self.smallSize, bytesSinceFormat) else {
            throw NaluError(.badData, "a parameter set changes among \(size) bytes of parameter sets that do not")
        }
        let made = try make(units)
        bytesSinceFormat = 0
        hasChanged = false
        sequenceID = id
        if made != format { format = made }
        return format ?? made
    }
}
