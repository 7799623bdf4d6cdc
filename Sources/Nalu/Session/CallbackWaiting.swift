/// Whether output handlers may wait for other sessions.
public enum CallbackWaiting {
    /// Lets the output handlers of one session wait for other sessions, or no longer. Called inside an output handler of that
    /// session, also of a decompression session; elsewhere it has no effect.
    ///
    /// Without it, a call for another session that would wait throws ``Status/wouldBlock``. With it, only the wait that would
    /// close a circle does: that for a session which waits for the handler, directly or through further sessions.
    public static func allow(_ allowed: Bool = true) {
        CallbackWaits.allow(allowed)
    }
}
