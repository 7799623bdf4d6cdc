internal import Nalu
internal import NaluBase

/// The output of a publisher's ``Writer``: collects the bytes of each packet and adds them to the queue.
///
/// The first bytes, before any packet, are the container's header. Each connection begins with it. The writer's
/// exclusive access guards the fields.
final class PublishOutput: ByteOutput {
    private let state: Guarded<PublishState>
    private var header: [UInt8] = []
    private var bytes: [UInt8] = []
    private var isHeader = true
    private var packet: (isVideo: Bool, isKeyFrame: Bool) = (false, false)
    /// The LTR tokens of the sample that is being written; -1 for none.
    var tokens: (own: Int64, reference: Int64) = (-1, -1)

    init(_ state: Guarded<PublishState>) {
        self.state = state
    }

    var canSeek: Bool { false }
    var readableDescriptor: Int32 { -1 }
    func seek(to offset: Int64) -> Int32 { 0 }
    func cut(to size: Int64) {}
    var isLive: Bool { true }

    func write(_ more: Span<UInt8>) -> Int32 {
        if isHeader { header.append(copying: more) } else { bytes.append(copying: more) }
        return 0
    }

    func beginPacket(isVideo: Bool, isKeyFrame: Bool) {
        isHeader = false
        packet = (isVideo, isKeyFrame)
    }

    func endPacket() {
        guard !bytes.isEmpty else { return }
        let tokens: (own: Int64, reference: Int64) = packet.isVideo ? tokens : (-1, -1)
        let facts = PublishState.Facts(
            isVideo: packet.isVideo, isKeyFrame: packet.isKeyFrame, token: tokens.own, reference: tokens.reference)
        state.change { state in
            state.add(bytes, header: header, facts, at: MonotonicClock.seconds)
        }
        bytes.removeAll(keepingCapacity: true)
    }
}
