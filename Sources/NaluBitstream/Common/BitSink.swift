/// A destination of syntax elements (ITU-T H.264 7.2 and 9.1).
package protocol BitSink {
    /// Appends the lowest `width` bits of `value`, 0 to 32, the most significant first.
    mutating func append(_ value: UInt32, width: Int)
}

extension BitSink {
    package mutating func append(_ flag: Bool) {
        append(flag ? 1 : 0, width: 1)
    }

    /// Appends the bits `range` of `source`. The range must lie inside `source`.
    package mutating func append(_ source: [UInt8], bits range: Range<Int>) {
        var position = range.lowerBound
        while position < range.upperBound {
            let bit = position & 7
            let step = min(8 - bit, range.upperBound - position)
            let chunk = (source[position >> 3] &<< UInt8(bit)) &>> UInt8(8 - step)
            append(UInt32(chunk), width: step)
            position += step
        }
    }

    /// Appends `ue(v)`, an unsigned Exp-Golomb number of at most 2^32 - 2.
    package mutating func append(unsigned value: UInt32) {
        let code = UInt64(value) + 1
        let zeros = 63 - code.leadingZeroBitCount
        append(0, width: zeros)
        append(true)
        append(UInt32(truncatingIfNeeded: code), width: zeros)
    }

    /// Appends `se(v)`, a signed Exp-Golomb number of at least -(2^31 - 1).
    package mutating func append(signed value: Int32) {
        append(unsigned: value > 0 ? value.magnitude &* 2 &- 1 : value.magnitude &* 2)
    }
}
