private import NaluLibc

/// An input that calls a client's functions.
@safe
package final class CallbackInput: ByteInput {
    private let reader: (UnsafeMutableRawBufferPointer) -> Int64
    private let seeker: ((Int64) -> Int32)?
    private let destroy: () -> Void
    let size: Int64

    /// Creates an input. `read` returns the number of bytes that it filled in, 0 at the end, or a negative errno
    /// number. `seek` returns 0 or an errno number. `destroy` is called once, when the input ends, if a reader was
    /// created. `size` is the number of bytes, or -1 if not known.
    package init(
        read: @escaping (UnsafeMutableRawBufferPointer) -> Int64, seek: ((Int64) -> Int32)?, size: Int64,
        destroy: @escaping () -> Void
    ) {
        unsafe reader = read
        seeker = seek
        self.size = size
        self.destroy = destroy
    }

    /// True if a reader was created. Otherwise the client keeps what `destroy` would release.
    var isAdopted = false

    deinit {
        if isAdopted { destroy() }
    }

    var canSeek: Bool { seeker != nil }

    func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        let count = unsafe reader(bytes)
        return count > Int64(bytes.count) || count <= -4096 ? -Int(EIO) : Int(count)
    }

    func seek(to offset: Int64) -> Int32 {
        guard let number = seeker?(offset) else { return ESPIPE }
        return (0..<4096).contains(number) ? number : EIO
    }
}
