internal import CFFmpeg
internal import NaluBase

/// Packets that were read ahead.
@safe
final class PacketQueue {
    private var packets: [Packet] = []
    private var head = 0

    /// Places at the beginning that are kept although they are empty.
    private static let mostTaken = 64

    var isEmpty: Bool { head == packets.count }

    /// Takes what the packet holds, and leaves it empty.
    func append(_ packet: Packet) throws(NaluError) {
        let kept = try Packet()
        kept.take(from: packet)
        packets.append(kept)
    }

    /// Gives the first to an empty packet.
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

    /// The first that a stream has among them; nil where there is none. `body` says whether it is taken out, which it empties.
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
