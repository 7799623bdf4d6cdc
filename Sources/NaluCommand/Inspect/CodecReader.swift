internal import NaluBase
internal import NaluBitstream

/// Interprets the NAL units of one codec.
protocol CodecReader {
    init()

    var sets: ParameterSetTable { get }
    /// A description of the stream from its first parameter sets; nil if none is readable.
    var description: StreamDescription? { get }

    /// Returns how many bytes of a NAL unit to keep, by its first byte: all of a parameter set, all of an SEI message
    /// unless it is huge, and the header of a slice.
    static func headLimit(_ firstByte: UInt8) -> Int

    /// True if an intra picture whose recovery point is the picture itself is a key frame.
    static var recoveryMakesKeys: Bool { get }

    /// Adds a NAL unit to the assembler. Returns an error message for an invalid unit.
    mutating func add(_ unit: ScannedUnit, to assembler: inout PictureAssembler) -> String?

    /// Adds a parameter set, from the stream or from outside. Ignores other NAL units.
    mutating func addSet(_ unit: ScannedUnit)

    /// Returns the SEI messages of a NAL unit with their syntax elements; empty for other units.
    func messages(of unit: [UInt8]) -> [(message: SEIMessage, elements: [SyntaxElement])]
}

extension CodecReader {
    /// Reads a slice with the parameter sets so far. A slice can be returned together with its problem.
    ///
    /// - Parameters:
    ///   - picture: the id of the PPS to which the slice refers; nil if the beginning of the slice is unreadable.
    ///   - sequence: returns the id of the SPS to which a PPS refers, and whether that SPS is known; nil if the PPS is
    ///     unknown.
    static func read<Codec: StreamCodec>(
        _ head: [UInt8], with codec: Codec, picture: Int?, sequence: (Int) -> (id: Int, isThere: Bool)?
    ) -> (slice: Codec.Picture.Slice?, problem: String?) {
        guard let picture else { return (nil, "a slice whose header cannot be read") }
        guard let sequence = sequence(picture) else {
            return (nil, "a slice with picture parameter set \(picture), which is missing")
        }
        guard sequence.isThere else {
            return (nil, "a slice with sequence parameter set \(sequence.id), which is missing")
        }
        do throws(NaluError) {
            return (try codec.slice(head), nil)
        } catch {
            return (nil, error.message)
        }
    }
}
