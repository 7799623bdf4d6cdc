internal import CNalu
internal import NaluBase

extension NaluError {
    /// What a function of libnalu has just refused on this thread.
    static func last(_ status: nalu_status) -> NaluError {
        NaluError(Status(rawValue: status), unsafe String(cString: nalu_last_error_message()))
    }
}
