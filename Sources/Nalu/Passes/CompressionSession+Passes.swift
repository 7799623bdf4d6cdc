/// Several passes over the same frames, for a size that is met and bits that are where they are needed:
///
///     try session.setMultiPassStorage(MultiPassStorage())
///     repeat {
///         try session.beginPass()
///         for frame in clip { try session.encode(frame.buffer, presentationTime: frame.time) }
///     } while try session.endPass()
///
/// Every pass delivers samples; those of a later pass replace the ones before.
extension CompressionSession {
    /// Sets where the encoder keeps what it learns from pass to pass, before the encoder is open; nil unsets it. The
    /// session then needs ``PropertyKey/averageBitRate``, and takes frames inside a pass only.
    ///
    /// - Throws: ``Status/conflict`` beside a property that several passes exclude, or when another session uses the
    ///   storage; ``Status/multiPassStorageInvalid``, ``Status/tooLate``, ``Status/invalidSession``.
    public func setMultiPassStorage(_ storage: MultiPassStorage?) throws(NaluError) {
        try core.setMultiPassStorage(storage)
    }

    /// Begins a pass. Presentation times start over, and from the second pass on must be those of the first.
    ///
    /// - Parameter isFinal: no pass will follow.
    /// - Throws: ``Status/outOfOrder``, ``Status/conflict``, ``Status/multiPassStorageInvalid``,
    ///   ``Status/couldNotCreateInstance``, ``Status/invalidSession``.
    public func beginPass(isFinal: Bool = false) throws(NaluError) {
        try core.beginPass(isFinal: isFinal)
    }

    /// Waits until all frames of the pass are back, and ends it.
    ///
    /// - Parameter isFinal: no pass will follow; the result is then false.
    /// - Returns: whether another pass would help: after the first one; and after a later one whose size is more than
    ///   1.5 % beside ``PropertyKey/averageBitRate`` times duration, as long as passes bring it nearer, six at most.
    /// - Throws: ``Status/outOfOrder``, ``Status/reentrant``, ``Status/encoderMalfunction``,
    ///   ``Status/multiPassStorageInvalid``, ``Status/invalidSession``.
    public func endPass(isFinal: Bool = false) throws(NaluError) -> Bool {
        try core.endPass(isFinal: isFinal)
    }

    /// Which frames the next pass wants, start included and end not: always one range, the whole clip.
    ///
    /// - Throws: ``Status/valueNotAvailable`` when ``endPass(isFinal:)`` has not asked for another pass.
    public func timeRangesForNextPass() throws(NaluError) -> [(start: MediaTime, duration: MediaTime)] {
        try core.timeRangesForNextPass()
    }
}
