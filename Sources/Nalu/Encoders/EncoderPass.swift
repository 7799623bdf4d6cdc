/// One of several passes over the same frames.
struct EncoderPass: Hashable, Sendable {
    /// The path of the file that the first pass writes and later passes read. Other files of the encoder may lie beside
    /// it, with names that begin with this one.
    let statisticsPath: String
    let isFirst: Bool
}
