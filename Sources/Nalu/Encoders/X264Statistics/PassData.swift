private import NaluBase

#if !NALU_WITHOUT_X264
    private import CX264
#endif

/// The data of a first pass as bytes for another process: a signature, a version, the build of x264, the size of the
/// pictures, the frames with their times, the encoder's files, and the FNV-1a hash of all these bytes
/// (http://www.isthe.com/chongo/tech/comp/fnv). Numbers are little-endian.
///
/// The hash detects corruption, not malice: every number is checked as if an attacker had written it.
struct PassData {
    private static let signature = Array("NaluPass".utf8)
    private static let version: UInt32 = 1
    /// The build of x264; 0 in a library without x264, in which no session makes passes.
    private static let build: UInt32 = {
        #if NALU_WITHOUT_X264
            0
        #else
            UInt32(X264_BUILD)
        #endif
    }()
    /// The range of a clip's highest rate, if there is one.
    private static let highestRates: ClosedRange<UInt64> = 1000...2_000_000_000
    /// Value, time scale and whether it is a key frame.
    private static let frameSize = 13
    private static let hashSize = 8

    let clip: PassClip
    /// The contents of the files that a later pass reads, in the order of ``EncoderPass/lastingFiles(_:)``; nil for a
    /// file that does not exist.
    let files: [[UInt8]?]

    init(clip: PassClip, files: [[UInt8]?]) {
        self.clip = clip
        self.files = files
    }

    var bytes: [UInt8] {
        var bytes = Self.beginning
        bytes.reserveCapacity(64 + clip.times.count * Self.frameSize + files.reduce(0) { $0 + 9 + ($1?.count ?? 0) })
        bytes.append(integer: UInt32(clamping: clip.width))
        bytes.append(integer: UInt32(clamping: clip.height))
        bytes.append(clip.lastDuration)
        bytes.append(integer: UInt64(clip.highestRate))
        bytes.append(integer: UInt64(clip.times.count))
        for (index, time) in clip.times.enumerated() {
            bytes.append(time)
            bytes.append(clip.keyFrames.contains(index) ? 1 : 0)
        }
        for file in files {
            bytes.append(file == nil ? 0 : 1)
            bytes.append(integer: UInt64(file?.count ?? 0))
            bytes += file ?? []
        }
        Self.seal(&bytes)
        return bytes
    }

    /// The bytes before the size of the pictures.
    static var beginning: [UInt8] {
        var bytes = signature
        bytes.append(integer: version)
        bytes.append(integer: Self.build)
        return bytes
    }

    /// Appends the hash.
    static func seal(_ bytes: inout [UInt8]) {
        bytes.append(integer: hash(bytes))
    }

    /// Throws `.badData` and `.unsupportedDataFormat`.
    init(_ bytes: [UInt8]) throws(NaluError) {
        var reader = ByteReader(bytes[...])
        guard try reader.bytes(Self.signature.count) == Self.signature else {
            throw NaluError(.badData, "bytes do not begin with \"NaluPass\"; expected the bytes from copy_data")
        }
        let version: UInt32 = try reader.integer()
        guard version == Self.version else {
            throw NaluError(
                .unsupportedDataFormat, "bytes have version \(version); this library reads version \(Self.version)")
        }
        var end = ByteReader(bytes.suffix(Self.hashSize))
        guard try Self.hash(bytes.dropLast(Self.hashSize)) == end.integer() else {
            throw NaluError(
                .badData, "bytes are corrupt: their checksum does not match; expected the bytes from copy_data")
        }
        let build: UInt32 = try reader.integer()
        guard build == Self.build else {
            let own = Self.build == 0 ? "no x264" : "core \(Self.build)"
            throw NaluError(.unsupportedDataFormat, "bytes are of x264 core \(build); this library has \(own)")
        }
        let width: UInt32 = try reader.integer()
        let height: UInt32 = try reader.integer()
        var clip = PassClip(width: Int(width), height: Int(height))
        clip.lastDuration = try reader.time()
        let highestRate: UInt64 = try reader.integer()
        guard highestRate == 0 || Self.highestRates ~= highestRate else {
            throw NaluError(
                .badData, "bytes are corrupt: the highest rate is \(highestRate); expected 0 or \(Self.highestRates)")
        }
        clip.highestRate = Int(highestRate)
        let count: UInt64 = try reader.integer()
        guard count > 0, count <= bytes.count / Self.frameSize else { throw ByteReader.tooShort }
        for index in 0..<Int(count) {
            let time = try reader.time()
            guard time.isNumeric, clip.times.last.map({ $0 < time }) != false else {
                throw NaluError(.badData, "bytes are corrupt: the time of frame \(index) is \(time)")
            }
            clip.times.append(time)
            if try reader.integer() as UInt8 != 0 { clip.keyFrames.insert(index) }
        }
        self.clip = clip
        files = try EncoderPass.lastingFiles("").map { (_) throws(NaluError) in
            let isThere = try reader.integer() as UInt8 != 0
            let size: UInt64 = try reader.integer()
            let content = try reader.bytes(Int(clamping: size))
            return isThere ? content : nil
        }
        guard reader.rest.count == Self.hashSize else {
            throw NaluError(.badData, "bytes are corrupt: \(reader.rest.count) remain after the last file; expected 8")
        }
    }

    private static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }
}

extension [UInt8] {
    fileprivate mutating func append(integer: some FixedWidthInteger) {
        for shift in stride(from: 0, to: integer.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: integer >> shift))
        }
    }

    fileprivate mutating func append(_ time: MediaTime) {
        append(integer: time.isNumeric ? time.value : 0)
        append(integer: time.isNumeric ? time.timescale : 0)
    }
}

private struct ByteReader {
    static let tooShort = NaluError(
        .badData, "bytes are corrupt: the end is missing; expected the bytes from copy_data")

    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    mutating func bytes(_ count: Int) throws(NaluError) -> [UInt8] {
        guard count <= rest.count else { throw Self.tooShort }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func integer<Integer: FixedWidthInteger>() throws(NaluError) -> Integer {
        let size = Integer.bitWidth / 8
        guard size <= rest.count else { throw Self.tooShort }
        defer { rest = rest.dropFirst(size) }
        var value: UInt64 = 0
        for byte in rest.prefix(size).reversed() { value = value << 8 | UInt64(byte) }
        return Integer(truncatingIfNeeded: value)
    }

    /// A time, or the invalid time if it was not numeric.
    mutating func time() throws(NaluError) -> MediaTime {
        let value: Int64 = try integer()
        return MediaTime(value: value, timescale: try integer())
    }
}
