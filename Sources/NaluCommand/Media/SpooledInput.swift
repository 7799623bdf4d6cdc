private import NaluBase
private import NaluLibc
private import NaluMediaEngine

/// A copy of an input that can only be read on, in a temporary file, for what is read more than once.
enum SpooledInput {
    /// - Parameters:
    ///   - descriptor: of the input, which is read to its end.
    ///   - head: what has been read of it already.
    ///   - name: for sentences.
    static func copy(of descriptor: Int32, after head: [UInt8] = [], name: String) throws(Failure) -> InputFile {
        let file: TemporaryFile
        do throws(NaluError) {
            file = try TemporaryFile()
            try unsafe file.fill(head[...]) { (piece) throws(NaluError) in
                while true {
                    let count = unsafe Glibc.read(descriptor, piece.baseAddress, piece.count)
                    if count >= 0 { return count }
                    if errno != EINTR { throw NaluError(.inputOutput, unsafe String(cString: strerror(errno))) }
                }
            }
        } catch {
            throw Failure("cannot read \(name): \(error.message)")
        }
        return try InputFile(spooled: file.take(), name: name)
    }
}
