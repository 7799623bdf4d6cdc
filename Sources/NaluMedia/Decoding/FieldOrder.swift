internal import Nalu
internal import NaluBase
private import NaluBitstream

/// Reads the order of the two fields of an H.264 frame from its picture timing message.
///
/// FFmpeg's decoder prefers the picture order counts, and some encoders write counts that contradict the message.
/// `pic_struct` defines how a frame is displayed (ITU-T H.264 D.2.3).
struct FieldOrder {
    /// The SPS with which timing messages are read; nil if no frame of the format has fields, or no message states
    /// their order.
    private var sequence: SequenceParameterSet?

    mutating func adopt(_ format: FormatDescription) {
        sequence = nil
        guard format.hasFields else { return }
        if format.sequence.hasPictureStructure { sequence = format.sequence }
    }

    /// Returns whether the top field is displayed first; nil if the sample does not state the order.
    func isTopFirst(_ sample: Sample, lengthSize: Int) -> Bool? {
        guard let sequence else { return nil }
        defer { withExtendedLifetime(sample) {} }
        var offset = 0
        let bytes = unsafe sample.data
        while let unit = unsafe (try? LengthPrefixed.next(in: bytes, lengthSize: lengthSize, offset: &offset)) ?? nil {
            guard let header = unsafe unit.first, header & 31 == 6 else { continue }
            for message in unsafe SEIMessage.messages(of: unit) where message.type == .pictureTiming {
                switch message.elements(sequence: { _ in sequence }).first(where: { $0.name == "pic_struct" })?.value {
                case 3, 5: return true
                case 4, 6: return false
                default: return nil
                }
            }
        }
        return nil
    }
}
