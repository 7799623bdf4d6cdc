/// Times: the arithmetic returns a result for every bit pattern, and the results agree with each other.
func fuzzMediaTime(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let bytes = unsafe Fuzzing.input(data, size)
    guard size >= 48 else {
        return 0
    }
    let a = unsafe time(bytes, 0)
    let b = unsafe time(bytes, 24)
    let (sum, difference) = (a + b, a - b)
    Fuzzing.require(sum.isIdentical(to: b + a), "addition is commutative")
    Fuzzing.require(a.compared(to: b) == -b.compared(to: a), "the order is antisymmetric")
    Fuzzing.require(a != b || a.hashValue == b.hashValue, "equal times have equal hashes")
    if a.isNumeric, b.isNumeric, sum.isNumeric, !sum.hasBeenRounded, a.epoch == 0, b.epoch == 0 {
        let back = sum - b
        Fuzzing.require(back == a || back.hasBeenRounded || !back.isNumeric, "subtraction undoes addition")
    }
    if difference.isNumeric, !difference.hasBeenRounded, a.epoch == b.epoch {
        Fuzzing.require(difference.value.signum() == Int64(a.compared(to: b)), "the order is the difference's sign")
    }
    let converted = a.converted(toTimescale: b.timescale)
    if converted.isNumeric, !converted.hasBeenRounded, a.isNumeric {
        Fuzzing.require(converted == a, "an exact conversion keeps the time")
    }
    let made = MediaTime(seconds: Double(bitPattern: UInt64(bitPattern: a.value)), preferredTimescale: b.timescale)
    if made.isNumeric, !made.hasBeenRounded {
        Fuzzing.require(made.seconds == Double(bitPattern: UInt64(bitPattern: a.value)), "exact seconds come back")
    }
    _ = a.description
    return 0
}

private func time(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> MediaTime {
    MediaTime(
        value: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self),
        timescale: unsafe bytes.loadUnaligned(fromByteOffset: offset + 8, as: Int32.self),
        flags: MediaTimeFlags(rawValue: unsafe bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self)),
        epoch: unsafe bytes.loadUnaligned(fromByteOffset: offset + 16, as: Int64.self)
    )
}
