internal import CFFmpeg
internal import NaluBase

/// An AVPacket: compressed data with its times.
@safe
final class Packet {
    let pointer: UnsafeMutablePointer<AVPacket>

    init() throws(NaluError) {
        guard let made = unsafe av_packet_alloc() else {
            throw NaluError(.allocationFailed, "no memory for a packet")
        }
        unsafe pointer = made
    }

    deinit {
        var spent: UnsafeMutablePointer<AVPacket>? = unsafe pointer
        unsafe av_packet_free(&spent)
    }

    func clear() {
        unsafe av_packet_unref(pointer)
    }

    /// Takes what another packet holds, and leaves that empty.
    func take(from other: UnsafeMutablePointer<AVPacket>) {
        unsafe av_packet_unref(pointer)
        unsafe av_packet_move_ref(pointer, other)
    }
}
