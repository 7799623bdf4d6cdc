/// Something in the stream that is not as the standard wants it.
struct StreamProblem {
    /// Where in the file.
    let offset: Int
    let message: String
}
