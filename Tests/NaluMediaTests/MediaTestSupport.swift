import Glibc
import Nalu
import Synchronization
import Testing

/// Makes samples with a session.
enum Clip {
    static let (width, height) = (96, 64)

    /// Encodes `count` frames of 1001/30000 s, with reordering if there are several.
    static func samples(count: Int) throws -> [Sample] {
        let samples = Mutex<[Sample]>([])
        let session = try CompressionSession(width: width, height: height) { frame in
            if let sample = frame.sample { samples.withLock { $0.append(sample) } }
        }
        try session.set(.maxKeyFrameInterval, 8)
        for number in 0..<count {
            let buffer = try picture(number)
            try session.encode(
                buffer, presentationTime: MediaTime(value: Int64(number) * 1001, timescale: 30000),
                duration: MediaTime(value: 1001, timescale: 30000))
        }
        try session.complete()
        try session.invalidate()
        return samples.withLock { $0 }
    }

    /// Returns a picture with a pattern that moves.
    static func picture(_ number: Int) throws -> PixelBuffer {
        let buffer = try PixelBuffer(format: .i420, width: width, height: height)
        for plane in 0..<buffer.planeCount {
            guard let base = unsafe buffer.planeBaseAddress(plane) else { continue }
            for row in 0..<buffer.planeHeight(plane) {
                for column in 0..<buffer.planeWidth(plane) {
                    let value = UInt8(truncatingIfNeeded: column * 3 + row * 2 + number * 5 + plane * 40)
                    unsafe base.storeBytes(
                        of: value, toByteOffset: row * buffer.planeStride(plane) + column, as: UInt8.self)
                }
            }
        }
        return buffer
    }
}

/// A path for a file with this name. The file is removed with this object.
final class TemporaryFile: Sendable {
    private let directory: String
    let path: String

    init(_ name: String) {
        var template = Array("/tmp/nalu-media-XXXXXX".utf8CString)
        directory = unsafe mkdtemp(&template).map { unsafe String(cString: $0) } ?? "/tmp"
        path = "\(directory)/\(name)"
    }

    deinit {
        _ = unsafe unlink(path)
        _ = unsafe rmdir(directory)
    }

    func bytes() throws -> [UInt8] {
        let file = unsafe try #require(unsafe fopen(path, "rb"))
        defer { unsafe fclose(file) }
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe fread(&piece, 1, piece.count, file)
            if count == 0 { return all }
            all += piece[..<count]
        }
    }
}

/// The bytes that a writer passed to its write function.
final class Collected: Sendable {
    private let state = Mutex<[UInt8]>([])

    var bytes: [UInt8] { state.withLock { $0 } }

    @Sendable func append(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        state.withLock { unsafe $0.append(contentsOf: bytes) }
        return 0
    }
}

/// Lists the boxes of an ISO base media file.
enum Boxes {
    /// Returns the types of the outermost boxes in order, up to the first with an invalid size.
    static func names(of bytes: [UInt8]) -> [String] {
        var names: [String] = []
        var offset = 0
        while offset + 8 <= bytes.count {
            let size = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            names.append(String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self))
            guard size >= 8, offset + size <= bytes.count else { return names + ["?"] }
            offset += size
        }
        return names
    }
}

/// Checks that a call throws this status and an error message with these words.
func expect(
    _ status: Status, _ words: String..., location: SourceLocation = #_sourceLocation,
    in body: () throws(NaluError) -> Void
) {
    do throws(NaluError) {
        try body()
        Issue.record("nothing was thrown", sourceLocation: location)
    } catch {
        #expect(error.status == status, "\(error)", sourceLocation: location)
        for word in words
            + (error.message.contains("nalu_") || error.message.contains("NALU_") ? ["only Swift's names"] : [])
        {
            #expect(error.message.contains(word), sourceLocation: location)
        }
    }
}
