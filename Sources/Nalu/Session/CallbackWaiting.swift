/// The permission of output handlers to wait for other sessions.
public enum CallbackWaiting {
    /// Allows or forbids the output handlers of one session to wait for other sessions. Call it inside an output
    /// handler of that session, which may also be a decompression or capture session. Elsewhere it has no effect.
    ///
    /// Without permission, a call that would wait for another session throws ``Status/wouldBlock``. With permission,
    /// only a wait that would complete a deadlock throws. The session waited for then waits for the handler, directly
    /// or through other sessions.
    public static func allow(_ allowed: Bool = true) {
        CallbackWaits.allow(allowed)
    }
}
