/// What the files that both libraries' sessions share throw.
typealias SessionError = NaluError

extension SessionError {
    static func noThread(_ message: String) -> SessionError {
        NaluError(.allocationFailed, message)
    }
}
