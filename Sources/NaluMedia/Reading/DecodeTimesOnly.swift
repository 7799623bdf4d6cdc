internal import CFFmpeg
internal import NaluBitstream

/// Tracks of mp4 and mov that reorder pictures and have decode times in place of presentation times, as copies of raw streams and
/// of AVI have: their first pictures in decode order are before the start of the edit list, which is that of the presentation.
struct DecodeTimesOnly {
    /// How many pictures can come before one in decode order and after it in output order.
    private let depth: Int
    private var highest: Int?
    private var hasReordered = false
    private var hasOffset = false
    private var hasShown = false
    private var hidden: [Int64] = []

    init(depth: Int) {
        self.depth = depth
    }

    /// One of the first packets in decode order.
    mutating func add(_ packet: Packet, order: PicturePlace?) {
        let (presentation, decode) = (packet.presentation, packet.decode)
        hasOffset = hasOffset || presentation != decode
        if !packet.isHidden {
            hasShown = true
        } else if !hasShown {
            hidden.append(presentation)
        }
        guard let order else { return }
        if order.restartsOrder { highest = nil }
        hasReordered = hasReordered || highest.map { order.order < $0 } == true
        highest = max(highest ?? order.order, order.order)
    }

    /// The time of the first picture that is hidden by mistake; nil where none is.
    var firstHidden: Int64? {
        hasReordered && !hasOffset && hidden.count <= depth ? hidden.first : nil
    }

    func hidesByMistake(_ packet: Packet) -> Bool {
        firstHidden != nil && hidden.contains(packet.presentation)
    }
}
