/// What begin_pass and end_pass ask of the session's thread.
enum PassRequest {
    /// Open an encoder for the pass.
    case begin(EncoderPass, RatePlan)
    /// Bring all frames out and close the encoder, by which it writes what it has learned.
    case end
}
