internal import CFFmpeg

/// Packets that were read ahead.
@safe
final class PacketQueue {
    private var packets: [UnsafeMutablePointer<AVPacket>] = unsafe []
    private var head = 0

    deinit {
        removeAll()
    }

    var isEmpty: Bool { unsafe head == packets.count }

    /// Takes what the packet holds, and leaves it empty. False without memory.
    func append(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
        guard let kept = unsafe av_packet_alloc() else { return false }
        unsafe av_packet_move_ref(kept, packet)
        unsafe packets.append(kept)
        return true
    }

    /// Gives the first to an empty packet.
    func take(into packet: UnsafeMutablePointer<AVPacket>) -> Bool {
        guard !isEmpty else { return false }
        var first: UnsafeMutablePointer<AVPacket>? = unsafe packets[head]
        unsafe av_packet_move_ref(packet, packets[head])
        unsafe av_packet_free(&first)
        head += 1
        if isEmpty {
            unsafe packets.removeAll(keepingCapacity: true)
            head = 0
        }
        return true
    }

    func removeAll() {
        while unsafe head < packets.count {
            var packet: UnsafeMutablePointer<AVPacket>? = unsafe packets[head]
            unsafe av_packet_free(&packet)
            head += 1
        }
        unsafe packets.removeAll()
        head = 0
    }

    func forEach(_ body: (UnsafeMutablePointer<AVPacket>) -> Void) {
        unsafe packets[head...].forEach { unsafe body($0) }
    }
}
