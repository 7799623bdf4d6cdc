internal import CFFmpeg
internal import CNetwork
internal import NaluBase
private import NaluLibc

/// Error messages for libavformat's numbers. The log of libavformat has more, but it belongs to the entire process.
extension FFmpegTransport {
    /// Returns the cause of a failure, and what was expected.
    func reason(of result: Int32) -> String {
        let isRTMP = address.transport == .rtmp
        let closed = "the receiver closed the connection; expected a server that accepts this stream"
        switch nalu_ff_errno(result) {
        case ECONNREFUSED: return "Connection refused; expected a server that listens at port \(address.port)"
        case EPIPE, ECONNRESET: return closed
        case ETIMEDOUT, EHOSTUNREACH, ENETUNREACH:
            return "\(SystemError.text(ffmpeg: result)); expected a host that this machine can reach"
        case EPERM where isRTMP:
            return "the RTMP server refused to publish; expected a stream name or key that is valid and not in use"
        case EIO where isRTMP:
            return
                "the receiver's answer is not RTMP, or it closed the connection; expected an RTMP server at this port"
        default: break
        }
        if result == nalu_ff_end_of_file() { return closed }
        if result == nalu_ff_unknown(), isRTMP {
            return "the RTMP server rejected the connection; expected an application, a user and a key that it accepts"
        }
        return SystemError.text(ffmpeg: result)
    }

    /// Returns an error if the failure is that of the system's resolver of names, which libavformat reports like others.
    func nameFailure(_ result: Int32) -> NaluError? {
        guard nalu_ff_errno(result) == EIO, !deadline.isOver else { return nil }
        let message = unsafe CText.written(256) { unsafe nalu_net_resolve(address.host, $0, $1) }
        guard !message.isEmpty else { return nil }
        return NaluError(
            .inputOutput,
            "the name of the host cannot be resolved: \(message); expected the name or address of an existing host")
    }
}
