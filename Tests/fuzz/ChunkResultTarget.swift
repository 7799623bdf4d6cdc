/// Results of chunks with arbitrary contents: each is rejected, or can be written again and joined. The input is the part
/// between the signature and the checksum.
func fuzzChunkResult(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    var writer = ByteWriter()
    writer.bytes = Array("NaluChunk1".utf8)
    unsafe writer.bytes += Fuzzing.input(data, size)
    writer.append(ByteWriter.checksum(writer.bytes[...]))
    let result: ChunkResult
    do throws(NaluError) {
        result = try ChunkResult(bytes: writer.bytes)
    } catch {
        Fuzzing.require(error.status == .badData, "the status is promised")
        return 0
    }
    Fuzzing.require(result.bytes == writer.bytes, "a result is written in one way")
    var stream = ChunkStream()
    guard let samples = try? stream.samples(of: result) else { return 0 }
    Fuzzing.require(samples.count == result.frameCount, "no sample is lost")
    for (sample, next) in zip(samples, samples.dropFirst()) {
        Fuzzing.require(sample.decodeTime < next.decodeTime, "decode times grow")
    }
    return 0
}
