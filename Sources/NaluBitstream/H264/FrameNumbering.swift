/// Renumbers the reference pictures of a stream. The new `frame_num` (ITU-T H.264 7.4.3) can have another size than the
/// encoder's, and does not count pictures that are left out.
package struct FrameNumbering: Sendable {
    /// The size of the encoder's `frame_num` in bits.
    private let sourceBits: Int
    /// The encoder's number of the current picture since the last IDR picture, without wrapping.
    private var source = 0
    /// The number of reference pictures since the last IDR picture that were left out before the current one.
    private var leftOut = 0
    private var isReference = false
    /// The new numbers, indexed by the encoder's number modulo 32. A decoded picture buffer holds fewer than 32 frames.
    private var numbers = InlineArray<32, Int>(repeating: 0)

    package init(sourceBits: Int) {
        self.sourceBits = sourceBits
    }

    /// Advances to the next picture in decode order. `header` is that of its first slice.
    package mutating func advance(to header: SliceHeaderSyntax) {
        if header.isIDR {
            (source, leftOut) = (0, 0)
        } else {
            source += (header.frameNumber - source) & ((1 << sourceBits) - 1)
        }
        isReference = header.unitHeader.isReference
        numbers[source & 31] = number
    }

    /// Marks the current picture as left out of the stream, or as no longer a reference, after the frame's headers have
    /// been written. A second call for the picture does nothing.
    package mutating func leaveOut() {
        if isReference { leftOut += 1 }
        isReference = false
    }

    /// The new number of the current picture, without wrapping.
    package var number: Int { source - leftOut }

    /// Writes the new number and references into a slice header of the current picture. `bits` is the size of the new
    /// `frame_num`. Throws `.badData` if the slice refers to a picture that no decoded picture buffer can still hold.
    package func apply(to header: inout SliceHeaderSyntax, bits: Int) throws(NaluError) {
        header.frameNumber = number & ((1 << bits) - 1)
        try header.renumberReferences(from: sourceBits, to: bits) { distance throws(NaluError) in
            guard distance < 32 else {
                throw NaluError(
                    .badData, "a slice refers to a frame \(distance) reference frames before it; expected at most 31")
            }
            return number - numbers[(source - distance) & 31]
        }
    }
}
