internal import CFFmpeg
private import NaluLibc

/// A destination for the bytes of a container. Functions return an errno number, or 0 for success.
protocol ByteOutput: AnyObject {
    /// Whether ``seek(to:)`` works.
    var canSeek: Bool { get }
    /// A descriptor for reading back written bytes; -1 if that is impossible.
    var readableDescriptor: Int32 { get }
    /// Writes all bytes at the current position.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int32
    func seek(to offset: Int64) -> Int32
    /// Truncates a regular file to `size`. Other outputs do nothing.
    func cut(to size: Int64)
    /// Whether ``commit(_:)`` replaces an existing file, which stays unchanged until then.
    var replacesAtEnd: Bool { get }
    /// Prepares for the first byte: empties a file that is written in place. Returns an error message; nil for success.
    func begin() -> String?
    /// Puts a complete file in its place. Returns an error message; nil for success.
    func commit(_ face: Face) -> String?
}

extension ByteOutput {
    var replacesAtEnd: Bool { false }
    func begin() -> String? { nil }
    func commit(_ face: Face) -> String? { nil }
}

/// libavformat's view of an output: its buffer, and the first failure.
@safe
final class OutputStream {
    /// The first failure as an errno number; 0 if there was none. Nothing is written after a failure.
    private(set) var failure: Int32 = 0
    let output: any ByteOutput
    let context: UnsafeMutablePointer<AVIOContext>
    let locale = StreamLocale()
    /// The search for the sample entry in the written bytes; nil if none is needed.
    var finder: SampleEntryFinder?
    private var place: Int64 = 0
    private var end: Int64 = 0
    /// An edit list that replaces the first track's in an index that is not written yet.
    var edits: EditList?
    /// Whether a copy of the movie's index is kept when it is written.
    var keepsIndex = false
    private(set) var index: (start: Int64, bytes: [UInt8])?
    private var hasSought = false

    /// The buffer for files in bytes. Large writes cost the system less for each byte.
    private static let fileBuffer: Int32 = 262_144

    /// - Parameter seeks: whether the muxer may seek, if the output can.
    init?(_ output: any ByteOutput, seeks: Bool) {
        self.output = output
        // `opaque` is set below, because the address of the object exists only after its initialisation.
        guard
            let context = unsafe nalu_ff_open_output(
                output.canSeek ? Self.fileBuffer : 65536, nil,
                { opaque, bytes, size in
                    unsafe OutputStream.of(opaque).write(UnsafeRawBufferPointer(start: bytes, count: Int(size)))
                },
                seeks && output.canSeek
                    ? { opaque, offset, whence in unsafe OutputStream.of(opaque).seek(offset, whence) } : nil)
        else { return nil }
        unsafe self.context = context
        unsafe context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        unsafe context.pointee.seekable = seeks && output.canSeek ? AVIO_SEEKABLE_NORMAL : 0
    }

    deinit {
        var context: UnsafeMutablePointer<AVIOContext>? = unsafe context
        unsafe nalu_ff_close_output(&context)
    }

    /// Writes the contents of the buffer to the output.
    func flush() {
        unsafe avio_flush(context)
    }

    /// The size of the output in bytes.
    var size: Int64 { end }

    /// Overwrites written bytes. Must be called after everything else is written.
    func replace(_ bytes: [UInt8], at offset: Int64) {
        guard failure == 0 else { return }
        failure = locale.ofClient {
            let number = output.seek(to: offset)
            return number != 0 ? number : unsafe bytes.withUnsafeBytes { unsafe output.write($0) }
        }
        guard let index, offset >= index.start else { return }
        let first = Int(offset - index.start)
        guard first + bytes.count <= index.bytes.count else { return }
        self.index?.bytes.replaceSubrange(first..<first + bytes.count, with: bytes)
    }

    private static func of(_ opaque: UnsafeMutableRawPointer?) -> OutputStream {
        guard let opaque = unsafe opaque else { preconditionFailure("a stream without its owner") }
        return unsafe Unmanaged<OutputStream>.fromOpaque(opaque).takeUnretainedValue()
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        if failure == 0 {
            let changed = unsafe withEdits(bytes)
            failure = locale.ofClient {
                if let changed { return unsafe changed.withUnsafeBytes { unsafe output.write($0) } }
                return unsafe output.write(bytes)
            }
        }
        guard failure == 0 else { return nalu_ff_error(failure) }
        unsafe finder?.look(at: bytes, place: place)
        if keepsIndex { unsafe keep(bytes) }
        place += Int64(bytes.count)
        end = max(end, place)
        return Int32(bytes.count)
    }

    /// Returns the bytes with ``edits`` if they begin with the index; else nil.
    private func withEdits(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let edits, bytes.count >= 8, unsafe bytes[4..<8].elementsEqual("moov".utf8) else { return nil }
        self.edits = nil
        let size = unsafe bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard size <= bytes.count, let index = unsafe edits.applied(to: [UInt8](bytes[..<size]), canGrow: false) else {
            return nil
        }
        return unsafe index + bytes[size...]
    }

    /// Keeps the index: bytes that are written after a seek and begin with `moov`. Later writes into it update the
    /// copy.
    private func keep(_ bytes: UnsafeRawBufferPointer) {
        let isBegin = unsafe hasSought && bytes.count >= 8 && bytes[4..<8].elementsEqual("moov".utf8)
        hasSought = false
        if isBegin { unsafe index = (place, [UInt8](bytes)) }
        guard !isBegin, let start = index?.start, var kept = index?.bytes, place >= start,
            place <= start + Int64(kept.count)
        else { return }
        let first = Int(place - start)
        index = nil
        let inside = min(bytes.count, kept.count - first)
        unsafe kept.replaceSubrange(first..<first + inside, with: bytes[..<inside])
        unsafe kept.append(contentsOf: bytes[inside...])
        index = (start, kept)
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        if whence & AVSEEK_SIZE != 0 { return end }
        guard whence & ~AVSEEK_FORCE == SEEK_SET else { return Int64(nalu_ff_error(EINVAL)) }
        if failure == 0 {
            failure = locale.ofClient { output.seek(to: offset) }
        }
        guard failure == 0 else { return Int64(nalu_ff_error(failure)) }
        place = offset
        hasSought = true
        return offset
    }
}
