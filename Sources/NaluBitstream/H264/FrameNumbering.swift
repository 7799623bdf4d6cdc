/// Counts the reference pictures of a stream by another `frame_num` (ITU-T H.264 7.4.3) than its encoder writes: one of
/// other bits, and without the pictures that are left out.
package struct FrameNumbering: Sendable {
    /// Bits of the `frame_num` that the encoder writes.
    private let sourceBits: Int
    /// The encoder's number of the current picture since the last IDR picture, without wrapping.
    private var source = 0
    /// How many reference pictures since the last IDR picture were left out before the current one.
    private var leftOut = 0
    private var isReference = false
    /// The new numbers by the encoder's: more than a decoded picture buffer holds.
    private var numbers = InlineArray<32, Int>(repeating: 0)

    package init(sourceBits: Int) {
        self.sourceBits = sourceBits
    }

    /// The next picture in decode order. `header`: that of its first slice.
    package mutating func advance(to header: SliceHeaderSyntax) {
        if header.isIDR {
            (source, leftOut) = (0, 0)
        } else {
            source += (header.frameNumber - source) & ((1 << sourceBits) - 1)
        }
        isReference = header.unitHeader.isReference
        numbers[source & 31] = number
    }

    /// The current picture is left out of the stream, or stays as one that no other refers to. Called once a frame, after its
    /// headers were written.
    package mutating func leaveOut() {
        if isReference { leftOut += 1 }
    }

    /// The number of the current picture, without wrapping.
    package var number: Int { source - leftOut }

    /// Writes the number and the references into a slice header of the current picture. Throws `.badData` if it refers to
    /// a picture of no decoded picture buffer.
    package func apply(to header: inout SliceHeaderSyntax, bits: Int) throws(NaluError) {
        header.frameNumber = number & ((1 << bits) - 1)
        try header.renumberReferences(from: sourceBits, to: bits) { distance throws(NaluError) in
            guard distance < 32 else {
                throw NaluError(
                    .badData, "a slice refers to a frame \(distance) reference frames before it, expected at most 31")
            }
            return number - numbers[(source - distance) & 31]
        }
    }
}
