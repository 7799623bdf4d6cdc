/// The corrections of an ``AudioEncoder`` so far.
public struct AudioEncoderCounts: Sendable, Equatable {
    /// The frames that were passed to the encoder.
    public internal(set) var framesIn: UInt64 = 0
    /// The frames that were encoded, at the rate of the host clock.
    public internal(set) var framesOut: UInt64 = 0
    /// The frames of silence in place of missing ones.
    public internal(set) var insertedFrames: UInt64 = 0
    /// The frames that were left out because others were encoded for the same time.
    public internal(set) var droppedFrames: UInt64 = 0
    /// The mean difference between the host clock and the encoded audio in the last half second, in seconds; positive
    /// if the audio is early.
    public internal(set) var offset = 0.0

    init() {}
}
