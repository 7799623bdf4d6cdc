private import NaluBase
private import NaluLibc
private import NaluMedia

/// Copies an input that cannot seek to a temporary file, so that it can be read more than once.
enum InputSpooler {
    /// - Parameters:
    ///   - descriptor: the input's descriptor, which is read to its end.
    ///   - head: bytes of the input that were read already.
    ///   - name: the input's name in error messages.
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
