internal import CFFmpeg
internal import NaluBase

/// A queue of packets that were read ahead.
@safe
final class PacketQueue {
    private var packets: [Packet] = []
    private var head = 0

    /// The number of empty places at the beginning of the array that are kept before they are removed.
    private static let mostTaken = 64

    var isEmpty: Bool { head == packets.count }

    /// Appends the content of the packet, and leaves the packet empty.
    func append(_ packet: Packet) throws(NaluError) {
        let kept = try Packet()
        kept.take(from: packet)
        packets.append(kept)
    }

    /// Puts packets before all others.
    func prepend(_ earlier: [Packet]) {
        packets = earlier + packets[head...]
        head = 0
    }

    /// Moves the content of the first packet to an empty packet. Returns false if the queue is empty.
    func take(into packet: Packet) -> Bool {
        guard !isEmpty else { return false }
        packet.take(from: packets[head])
        head += 1
        if isEmpty {
            packets.removeAll(keepingCapacity: true)
            head = 0
        } else if head > Self.mostTaken && 2 * head > packets.count {
            packets.removeFirst(head)
            head = 0
        }
        return true
    }

    var firstDecodeTime: Int64? { isEmpty ? nil : packets[head].decode }
    var lastDecodeTime: Int64? { isEmpty ? nil : packets.last?.decode }

    /// Calls `body` with the first packet of a stream, and returns its result; nil if the queue has no such packet. If
    /// `body` returns true, it has emptied the packet, which is then removed.
    func withFirst(
        of stream: Int, _ body: (Packet) throws(NaluError) -> Bool
    ) throws(NaluError) -> Bool? {
        for index in head..<packets.count {
            let packet = packets[index]
            guard packet.streamIndex == stream else { continue }
            let isTaken = try body(packet)
            if isTaken { packets.remove(at: index) }
            return isTaken
        }
        return nil
    }

    func removeAll() {
        packets.removeAll()
        head = 0
    }

    func forEach(_ body: (Packet) -> Void) {
        packets[head...].forEach(body)
    }
}
