/// The parameter sets of an encoder that is being opened, and the rewriting of the slices that refer to them.
struct H264ParameterSets {
    let format: FormatDescription
    let rewriter: SliceRewriter

    /// Reads the encoder's SPS and PPS.
    ///
    /// - Parameters:
    ///   - units: the NAL units, without start codes and lengths.
    ///   - picOrderCountBits: the size of the picture order counts that the slices get; nil for no change.
    ///   - edit: returns the stream's SPS for the encoder's.
    init(
        _ units: [[UInt8]], picOrderCountBits: Int? = nil,
        edit: ([UInt8]) throws(NaluError) -> [UInt8]
    ) throws(NaluError) {
        var sets: [[UInt8]] = []
        var source: SequenceParameterSet?
        var pictures: [PictureParameterSet] = []
        for unit in units {
            if unit.first.map({ NALUnitHeader(rawValue: $0).type }) == .sequenceParameterSet {
                source = try SequenceParameterSet(parsing: unit)
                sets.append(try edit(unit))
            } else {
                pictures.append(try PictureParameterSet(parsing: unit))
                sets.append(unit)
            }
        }
        format = try FormatDescription(parameterSets: sets, lengthSize: 4)
        rewriter = SliceRewriter(
            sequence: source ?? format.sequence, pictures: pictures, frameNumberBits: format.sequence.frameNumberBits,
            picOrderCountBits: picOrderCountBits)
    }
}
