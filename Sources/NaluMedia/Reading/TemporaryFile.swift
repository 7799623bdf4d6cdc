package import NaluBase
private import NaluLibc

/// A nameless file for an input that is read more than once but cannot seek. The file is gone when it is closed.
///
/// The file lies in the directory that `TMPDIR` names, or in /tmp. Only one thread uses it.
@safe
package final class TemporaryFile {
    let descriptor: Int32
    /// Bytes written.
    private(set) var size: Int64 = 0
    /// The path of the directory that contains the file.
    private let directory: String
    private var isOwned = true

    private static let attempts = 100
    private static let pieceSize = 1 << 18

    package init() throws(NaluError) {
        directory = TemporaryDirectory.path
        var made: Int32 = -1
        for _ in 0..<Self.attempts {
            let path = "\(directory)/nalu-input-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
            made = SystemCalls.open(path, O_RDWR | O_CREAT | O_EXCL, permissions: 0o600)
            if made >= 0 { _ = unsafe unlink(path.pathBytes) }
            if made >= 0 || errno != EEXIST { break }
        }
        descriptor = made
        guard made >= 0 else {
            isOwned = false
            throw failure(errno)
        }
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    private func failure(_ number: Int32) -> NaluError {
        NaluError(
            .inputOutput,
            "the input cannot seek and goes to a temporary file, which failed in the directory \"\(NaluError.excerpt(directory))\": \(SystemError.text(number)); expected TMPDIR to name a directory with room for the entire input"
        )
    }

    /// Writes an input to its end, and moves back to the beginning for reading.
    ///
    /// - Parameters:
    ///   - beginning: the bytes that have been read from the input.
    ///   - read: fills in up to all of the bytes, and returns their number; 0 at the end.
    package func fill(
        _ beginning: ArraySlice<UInt8>, read: (UnsafeMutableRawBufferPointer) throws(NaluError) -> Int
    ) throws(NaluError) {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
        defer { unsafe piece.deallocate() }
        var rest = beginning
        while !rest.isEmpty {
            let count = min(rest.count, piece.count)
            unsafe piece.copyBytes(from: rest.prefix(count))
            rest = rest.dropFirst(count)
            try unsafe append(UnsafeRawBufferPointer(rebasing: piece[..<count]))
        }
        while true {
            let count = unsafe try read(piece)
            if count == 0 { break }
            try unsafe append(UnsafeRawBufferPointer(rebasing: piece[..<count]))
        }
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw failure(errno) }
    }

    private func append(_ bytes: UnsafeRawBufferPointer) throws(NaluError) {
        var written = 0
        while written < bytes.count, let base = bytes.baseAddress {
            let count = unsafe write(descriptor, base + written, bytes.count - written)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw failure(count < 0 ? errno : ENOSPC) }
            written += count
        }
        size += Int64(written)
    }

    /// Hands the descriptor over to the caller, who must close it.
    package func take() -> Int32 {
        isOwned = false
        return descriptor
    }
}
