public import CNalu

/// A sample that comes back from a session, with its picture or with what became of it.
@safe
public struct DecodedFrame {
    public let status: nalu_status
    public let flags: DecodeInfoFlags
    /// A `nalu_pixel_buffer` that lives as long as the call of the handler.
    public let image: OpaquePointer?
    public let frameRefcon: UnsafeMutableRawPointer?
    public let presentationTime: nalu_time
    public let duration: nalu_time
}

public typealias DecodeHandler = @Sendable (DecodedFrame) -> Void
