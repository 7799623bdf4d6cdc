/// The guard before libavformat's mov demuxer: with any reads, it returns the input's bytes up to the place that it
/// rejects. Its memory is bounded by the bytes read so far.
func fuzzBoxGuard(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let file = unsafe [UInt8](Fuzzing.input(data, size))
    for (saysSize, seeks) in [(true, false), (false, false), (true, true), (false, true)] {
        read(file, saysSize: saysSize, step: file.count + 1, seeks: seeks)
        read(file, saysSize: saysSize, step: 1 + file.count % 61, seeks: seeks)
    }
    readOn(file)
    _ = TransportPackets.fill(file)
    return 0
}

private final class FuzzedInput: ByteInput {
    private let bytes: [UInt8]
    private let saysSize: Bool
    private var position = 0

    init(_ bytes: [UInt8], saysSize: Bool) {
        self.bytes = bytes
        self.saysSize = saysSize
    }

    let canSeek = true
    var size: Int64 { saysSize ? Int64(bytes.count) : -1 }

    func read(_ room: UnsafeMutableRawBufferPointer) -> Int {
        let count = max(0, min(room.count, bytes.count - position))
        for index in 0..<count { unsafe room[index] = bytes[position + index] }
        position += count
        return count
    }

    func seek(to offset: Int64) -> Int32 {
        position = Int(clamping: offset)
        return 0
    }
}

/// Checks that the bytes in which the index was searched are still returned.
private func readOn(_ file: [UInt8]) {
    let input = UnseekableInput(FuzzedInput(file, saysSize: false))
    _ = input.hasIndexLast()
    var room = [UInt8](repeating: 0, count: 1 + file.count % 61)
    var place = 0
    while true {
        let count = unsafe room.withUnsafeMutableBytes { bytes in unsafe input.read(bytes) }
        if count == 0 { break }
        Fuzzing.require(place + count <= file.count, "no more comes than there is")
        Fuzzing.require(room[..<count].elementsEqual(file[place..<place + count]), "the bytes come as they are")
        place += count
    }
    Fuzzing.require(place == file.count, "all bytes come")
}

/// - Parameter seeks: true if the reader seeks, to offsets that the bytes determine.
private func read(_ file: [UInt8], saysSize: Bool, step: Int, seeks: Bool) {
    let input = BoxGuard(FuzzedInput(file, saysSize: saysSize), signals: ReaderSignals())
    var room = [UInt8](repeating: 0, count: step)
    var (place, turns) = (0, 0)
    while turns < 4 * file.count + 64 {
        turns += 1
        if seeks, turns % 3 == 0, !file.isEmpty {
            place = Int(file[turns % file.count]) * 7 % (file.count + 1)
            Fuzzing.require(input.seek(to: Int64(place)) == 0, "it seeks where the input does")
        }
        let count = unsafe room.withUnsafeMutableBytes { bytes in unsafe input.read(bytes) }
        if count < 0 {
            Fuzzing.require(input.refusal?.message.isEmpty == false, "a refusal has a sentence")
            return
        }
        if count == 0 {
            if seeks { continue }
            break
        }
        Fuzzing.require(place + count <= file.count, "no more comes than there is")
        Fuzzing.require(room[..<count].elementsEqual(file[place..<place + count]), "the bytes come as they are")
        place += count
    }
    _ = input.fault(atSize: Int64(file.count))
    Fuzzing.require(input.arrived <= Int64(file.count), "no more has come than there is")
}
