/// Annex B: every NAL unit lies inside the stream, and conversion to length-prefixed data and back restores it.
func fuzzAnnexB(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let stream = unsafe Fuzzing.input(data, size)
    var units: [[UInt8]] = []
    do throws(NaluError) {
        unsafe try AnnexB.forEachUnit(in: stream) { unit in
            let bytes = unsafe [UInt8](unit)
            Fuzzing.require(!bytes.isEmpty && bytes.last != 0, "a unit has a byte and no trailing zero")
            units.append(bytes)
        }
    } catch {
        Fuzzing.require(error.status == .badData, "a bad stream is bad data")
        Fuzzing.require(units.isEmpty, "only the beginning of a stream can be bad")
        return 0
    }
    for lengthSize in [1, 2, 4] {
        let limit = lengthSize == 4 ? Int.max : (1 << (8 * lengthSize)) - 1
        do throws(NaluError) {
            let prefixed = try AnnexB.toLengthPrefixed(unsafe [UInt8](stream), lengthSize: lengthSize)
            let back = try LengthPrefixed.toAnnexB(prefixed, lengthSize: lengthSize)
            let again = try AnnexB.toLengthPrefixed(back, lengthSize: lengthSize)
            Fuzzing.require(again == prefixed, "length-prefixed data survive the way through Annex B")
            Fuzzing.require(
                prefixed.count == units.reduce(0) { $0 + lengthSize + $1.count },
                "every unit is converted once"
            )
        } catch {
            Fuzzing.require(units.contains { $0.count > limit }, "only a long unit cannot be converted")
        }
    }
    // A walk can start at any offset, and it ends.
    for start in [1, size / 2, size - 1, size] where start >= 0 && start <= size {
        var offset = start
        while let unit = unsafe try? AnnexB.next(in: stream, offset: &offset) {
            Fuzzing.require(unit.count > 0 && offset <= size, "the walk goes on")
        }
    }
    return 0
}
