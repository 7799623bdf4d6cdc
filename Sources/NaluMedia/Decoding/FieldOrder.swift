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
    func isTopFirst(_ sample: Sample) -> Bool? {
        guard let sequence else { return nil }
        let structure = sample.firstResult { (unit) -> Int? in
            guard unit[0] & 31 == 6,
                let timing = SEIMessage.messages(of: unit).first(where: { $0.type == .pictureTiming })
            else { return nil }
            let element = timing.elements(sequence: { _ in sequence }).first { $0.name == "pic_struct" }
            return element.map { Int($0.value) } ?? -1
        }
        return switch structure {
        case 3, 5: true
        case 4, 6: false
        default: nil
        }
    }
}
