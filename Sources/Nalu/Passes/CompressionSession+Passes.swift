/// Several passes over the same frames, for a file of a given size:
///
///     try session.setMultiPassStorage(MultiPassStorage())
///     repeat {
///         try session.beginPass()
///         for frame in clip { try session.encode(frame.buffer, presentationTime: frame.time) }
///     } while try session.endPass()
///
/// Every pass delivers samples. Keep those of the last pass.
extension CompressionSession {
    /// Sets the storage for the statistics that the encoder passes on from pass to pass, before the first frame; nil
    /// removes it. With a storage, the session needs ``PropertyKey/averageBitRate``, and accepts frames inside a pass
    /// only, at times of epoch 0.
    ///
    /// - Throws: ``Status/conflict`` if a property that a storage excludes is set, or another session uses the
    ///   storage; ``Status/multiPassStorageInvalid``, ``Status/tooLate``, ``Status/invalidSession``.
    public func setMultiPassStorage(_ storage: MultiPassStorage?) throws(NaluError) {
        try core.setMultiPassStorage(storage)
    }

    /// Begins a pass. Presentation times start over, and from the second pass on must be those of the first.
    ///
    /// - Parameters:
    ///   - isFinal: no pass will follow.
    ///   - qp: the QP of P-frames in a first pass, 1 to 51, from ``MultiPassStorage/divide(_:among:)``. Without it, the encoder
    ///     begins with a coarse QP and approaches ``PropertyKey/averageBitRate``.
    /// - Throws: ``Status/outOfOrder``, also for a `qp` after the first pass; ``Status/outOfRange``, ``Status/conflict``,
    ///   ``Status/multiPassStorageInvalid``, ``Status/couldNotCreateInstance``, ``Status/invalidSession``.
    public func beginPass(isFinal: Bool = false, at qp: Double? = nil) throws(NaluError) {
        try core.beginPass(isFinal: isFinal, at: qp)
    }

    /// Waits until every frame of the pass has been delivered, and ends the pass.
    ///
    /// - Parameter isFinal: no pass will follow; the result is then false.
    /// - Returns: whether another pass is requested: after the first one; after the second to the fifth, if the size differs
    ///   from ``PropertyKey/averageBitRate`` times the duration by more than 1.5 % and another pass is likely to help.
    /// - Throws: ``Status/outOfOrder``, ``Status/reentrant``, ``Status/encoderMalfunction``,
    ///   ``Status/multiPassStorageInvalid``, ``Status/invalidSession``.
    public func endPass(isFinal: Bool = false) throws(NaluError) -> Bool {
        try core.endPass(isFinal: isFinal)
    }

    /// The frames that the next pass needs, start included and end excluded: always one range, the whole video.
    ///
    /// - Throws: ``Status/valueNotAvailable`` if ``endPass(isFinal:)`` has not requested another pass.
    public func timeRangesForNextPass() throws(NaluError) -> [(start: MediaTime, duration: MediaTime)] {
        try core.timeRangesForNextPass()
    }
}
