internal import CNalu

/// What the files that both libraries' sessions share throw.
typealias SessionError = MediaError

extension SessionError {
    static func noThread(_ message: String) -> SessionError {
        MediaError(NALU_STATUS_ALLOCATION_FAILED, message)
    }
}
