public import CNalu

/// A failure: a status number of base.h and one sentence that names the argument, its value, and what was expected.
public struct MediaError: Error, Sendable {
    public let status: nalu_status
    public let message: String

    public init(_ status: Int, _ message: String) {
        self.status = nalu_status(truncatingIfNeeded: status)
        self.message = message
    }

    /// What a function of libnalu has just refused on this thread.
    static func last(_ status: nalu_status) -> MediaError {
        MediaError(Int(status), unsafe String(cString: nalu_last_error_message()))
    }
}
