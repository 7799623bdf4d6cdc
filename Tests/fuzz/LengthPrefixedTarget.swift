/// Length-prefixed data with all three sizes: walking and converting agree, and a buffer that is too small is never
/// written to.
func fuzzLengthPrefixed(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let stream = unsafe Fuzzing.input(data, size)
    for lengthSize in [1, 2, 4] {
        var expected: [UInt8] = []
        do throws(NaluError) {
            unsafe try LengthPrefixed.forEachUnit(in: stream, lengthSize: lengthSize) { unit in
                expected += [0, 0, 0, 1]
                unsafe expected += [UInt8](unit)
            }
            let converted = try LengthPrefixed.toAnnexB(unsafe [UInt8](stream), lengthSize: lengthSize)
            Fuzzing.require(converted == expected, "the conversion holds the units that the walk finds")
            unsafe checkShortBuffer(stream, lengthSize, size: expected.count)
        } catch {
            Fuzzing.require(error.status == .badData, "damaged data are bad data")
        }
    }
    for lengthSize in [0, 3, 5] {
        var offset = 0
        do throws(NaluError) {
            _ = unsafe try LengthPrefixed.next(in: stream, lengthSize: lengthSize, offset: &offset)
            Fuzzing.require(false, "other sizes are refused")
        } catch {
            Fuzzing.require(error.status == .parameter, "other sizes are a parameter error")
        }
    }
    return 0
}

private func checkShortBuffer(_ stream: UnsafeRawBufferPointer, _ lengthSize: Int, size: Int) {
    guard size > 0 else {
        return
    }
    var needed = 0
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size - 1, alignment: 1)
    defer { unsafe buffer.deallocate() }
    do throws(NaluError) {
        unsafe try LengthPrefixed.toAnnexB(stream, lengthSize: lengthSize, into: buffer, needed: &needed)
        Fuzzing.require(false, "a short buffer is refused")
    } catch {
        Fuzzing.require(error.status == .bufferTooSmall && needed == size, "the size needed is told")
    }
}
