internal import Nalu
private import NaluLibc

/// An output that calls a client's functions.
@safe
package final class CallbackOutput: ByteOutput {
    private let writer: (UnsafeRawBufferPointer) -> Int32
    private let seeker: ((Int64) -> Int32)?
    private let destroy: () -> Void

    /// The functions return 0 or an errno number. `destroy` is called once, at the end, if ``isAdopted`` is set.
    package init(
        write: @escaping (UnsafeRawBufferPointer) -> Int32, seek: ((Int64) -> Int32)?, destroy: @escaping () -> Void
    ) {
        unsafe writer = write
        seeker = seek
        self.destroy = destroy
    }

    /// Whether the writer was created. If not, the client keeps the resources that `destroy` would release.
    var isAdopted = false

    deinit {
        if isAdopted { destroy() }
    }

    var canSeek: Bool { seeker != nil }
    var readableDescriptor: Int32 { -1 }

    func write(_ bytes: Span<UInt8>) -> Int32 {
        Self.normal(unsafe bytes.withUnsafeBytes(writer))
    }

    func seek(to offset: Int64) -> Int32 {
        seeker.map { Self.normal($0(offset)) } ?? ESPIPE
    }

    func cut(to size: Int64) {}

    /// Returns an errno number as it is, and EIO for every other number but 0.
    private static func normal(_ number: Int32) -> Int32 {
        number == 0 || (1..<4096).contains(number) ? number : EIO
    }
}
