internal import Nalu
private import NaluLibc

/// A client's functions.
@safe
package final class CallbackOutput: ByteOutput {
    private let writer: (UnsafeRawBufferPointer) -> Int32
    private let seeker: ((Int64) -> Int32)?
    private let destroy: () -> Void

    /// All functions give 0 or an errno number. `destroy` is called once, at the end, when ``isAdopted`` was set.
    package init(
        write: @escaping (UnsafeRawBufferPointer) -> Int32, seek: ((Int64) -> Int32)?, destroy: @escaping () -> Void
    ) {
        unsafe writer = write
        seeker = seek
        self.destroy = destroy
    }

    /// Whether the writer was created; else the client keeps what `destroy` would take.
    var isAdopted = false

    deinit {
        if isAdopted { destroy() }
    }

    var canSeek: Bool { seeker != nil }
    var readableDescriptor: Int32 { -1 }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        unsafe Self.normal(writer(bytes))
    }

    func seek(to offset: Int64) -> Int32 {
        seeker.map { Self.normal($0(offset)) } ?? ESPIPE
    }

    func cut(to size: Int64) {}

    /// A number that is no errno number is a failure all the same.
    private static func normal(_ number: Int32) -> Int32 {
        number == 0 || (1..<4096).contains(number) ? number : EIO
    }
}
