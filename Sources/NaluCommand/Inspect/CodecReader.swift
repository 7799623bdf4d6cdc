internal import NaluBase
internal import NaluBitstream

/// What the NAL units of one codec mean.
protocol CodecReader {
    init()

    var sets: ParameterSetTable { get }
    /// By the first parameter sets; nil where none could be read.
    var description: StreamDescription? { get }

    /// What to keep of a unit by its first byte: parameter sets whole, messages whole unless they are huge, of slices
    /// the header.
    static func headLimit(_ firstByte: UInt8) -> Int

    /// Whether a picture that is intra, with a recovery point at itself, is a key frame.
    static var recoveryMakesKeys: Bool { get }

    /// Gives the unit to the assembler. Returns what is wrong with it.
    mutating func add(_ unit: ScannedUnit, to assembler: inout PictureAssembler) -> String?

    /// Parameter sets that stand outside the stream, and those in it; other units are passed over.
    mutating func addSet(_ unit: ScannedUnit)

    /// The SEI messages of a unit with what they say; empty for other units.
    func messages(of unit: [UInt8]) -> [(message: SEIMessage, elements: [SyntaxElement])]
}

extension CodecReader {
    /// Reads a slice with the parameter sets that have come. What is wrong comes together with it.
    ///
    /// - Parameters:
    ///   - picture: the PPS that the slice names; nil where its beginning cannot be read.
    ///   - sequence: the id of the SPS that a PPS names, and whether it has come; nil without that PPS.
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
