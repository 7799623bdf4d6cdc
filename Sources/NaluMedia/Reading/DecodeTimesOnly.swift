internal import CFFmpeg
internal import NaluBitstream

/// Detects mp4 and mov tracks that reorder pictures but store decode times in place of presentation times. Copies of
/// raw streams and of AVI are such tracks. Their edit list starts at the first presentation time, so it hides by
/// mistake the first pictures in decode order, whose times are earlier.
struct DecodeTimesOnly {
    /// The number of pictures that can precede one in decode order and follow it in output order.
    private let depth: Int
    private var highest: Int?
    private var hasReordered = false
    private var hasOffset = false
    private var hasShown = false
    private var hidden: [Int64] = []

    init(depth: Int) {
        self.depth = depth
    }

    /// Adds one of the first packets in decode order.
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

    /// The time of the first picture that is hidden by mistake; nil if no picture is.
    var firstHidden: Int64? {
        hasReordered && !hasOffset && hidden.count <= depth ? hidden.first : nil
    }

    func hidesByMistake(_ packet: Packet) -> Bool {
        firstHidden != nil && hidden.contains(packet.presentation)
    }
}
