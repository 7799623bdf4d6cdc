internal import CFFmpeg
internal import NaluBase

/// A queue of packets that were read ahead.
@safe
final class PacketQueue {
    private var packets = Queue<Packet>()

    var isEmpty: Bool { packets.isEmpty }

    /// Appends the content of the packet, and leaves the packet empty.
    func append(_ packet: Packet) throws(NaluError) {
        let kept = try Packet()
        kept.take(from: packet)
        packets.append(kept)
    }

    /// Puts packets before all others.
    func prepend(_ earlier: [Packet]) {
        packets.prepend(earlier)
    }

    /// Moves the content of the first packet to an empty packet. Returns false if the queue is empty.
    func take(into packet: Packet) -> Bool {
        guard let first = packets.popFirst() else { return false }
        packet.take(from: first)
        return true
    }

    var firstDecodeTime: Int64? { packets.first?.decode }
    var lastDecodeTime: Int64? { packets.last?.decode }

    /// Calls `body` with the first packet of a stream, and returns its result; nil if the queue has no such packet. If
    /// `body` returns true, it has emptied the packet, which is then removed.
    func withFirst(
        of stream: Int, _ body: (Packet) throws(NaluError) -> Bool
    ) throws(NaluError) -> Bool? {
        for index in 0..<packets.count {
            guard let packet = packets[index], packet.streamIndex == stream else { continue }
            let isTaken = try body(packet)
            if isTaken { packets.remove(at: index) }
            return isTaken
        }
        return nil
    }

    func removeAll() {
        packets.removeAll()
    }

    func forEach(_ body: (Packet) -> Void) {
        for index in 0..<packets.count {
            if let packet = packets[index] { body(packet) }
        }
    }
}
