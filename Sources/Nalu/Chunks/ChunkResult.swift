/// The result of one pass over a chunk, which can be sent to another machine as bytes.
package struct ChunkResult: Sendable {
    package enum Stage: UInt8, Sendable {
        /// The first pass; ``data`` is for ``MultiPassStorage/init(data:directory:)``.
        case firstPass = 1
        /// The second pass and further ones; ``data`` is for ``ChunkSamples``.
        case secondPass = 2
    }

    package var stage: Stage
    /// The number of the chunk.
    package var number: Int
    /// The number of frames of the source in the first pass, and of samples in the second: `DataRateLimits` can drop
    /// frames. 0 for a chunk within a frame that is presented for longer; ``data`` is then empty.
    package var frameCount = 0
    /// The time from the first frame to the end of the last one.
    package var duration = MediaTime.zero
    /// The size of all samples.
    package var bits = 0
    /// The number of passes of the second stage.
    package var passCount = 0
    /// The number of frames of the source that were decoded with errors.
    package var damagedFrameCount = 0
    /// `DataRateLimits` of the whole video.
    package var limits: [Double] = []
    package var data: [UInt8] = []

    init(stage: Stage, number: Int) {
        self.stage = stage
        self.number = number
    }

    // MARK: - As bytes

    private static let signature = Array("NaluChunk1".utf8)

    /// The result as bytes, with a checksum.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.bytes = Self.signature
        writer.append(stage.rawValue)
        for value in [number, frameCount, bits, passCount, damagedFrameCount, limits.count] {
            writer.append(Int64(value))
        }
        writer.append(duration)
        for limit in limits { writer.append(limit.bitPattern) }
        writer.bytes += data
        writer.append(ByteWriter.checksum(writer.bytes[...]))
        return writer.bytes
    }

    /// Throws `.badData` for bytes that are not those of a result.
    package init(bytes: [UInt8]) throws(NaluError) {
        let corrupt = NaluError(
            .badData, "the bytes of a chunk are corrupt, or of another version; expected those of a result")
        var end = ByteCursor(bytes.suffix(8))
        guard bytes.starts(with: Self.signature), bytes.count >= Self.signature.count + 8,
            let checksum: UInt64 = end.integer(), checksum == ByteWriter.checksum(bytes.dropLast(8))
        else { throw corrupt }
        var cursor = ByteCursor(bytes.dropFirst(Self.signature.count).dropLast(8))
        guard let stage: UInt8 = cursor.integer(), let stage = Stage(rawValue: stage) else { throw corrupt }
        self.stage = stage
        var values: [Int] = []
        for _ in 0..<6 {
            guard let value: Int64 = cursor.integer(), value >= 0 else { throw corrupt }
            values.append(Int(value))
        }
        guard let duration = cursor.time(), duration.isNumeric, duration.value >= 0, values[5] <= 4 else {
            throw corrupt
        }
        (number, frameCount, bits, passCount) = (values[0], values[1], values[2], values[3])
        damagedFrameCount = values[4]
        self.duration = duration
        for _ in 0..<values[5] {
            guard let limit: UInt64 = cursor.integer() else { throw corrupt }
            limits.append(Double(bitPattern: limit))
        }
        data = Array(cursor.rest)
    }
}
