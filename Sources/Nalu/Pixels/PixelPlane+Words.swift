import CYUV

// What is done to whole planes of 16-bit words, which hold samples of 10 bits. Their rows begin at even addresses, as
// the validation of a PixelView sees to.

extension PixelPlane {
    private var words: UnsafeMutablePointer<UInt16> { unsafe baseAddress.assumingMemoryBound(to: UInt16.self) }
    private var wordStep: Int32 { unsafe Int32(truncatingIfNeeded: stride / 2) }

    /// From the highest bits of the words to the lowest, or `up`.
    func shift(to destination: PixelPlane, width: Int, height: Int, up: Bool) {
        if up {
            unsafe ConvertToMSBPlane_16(
                words, wordStep, destination.words, destination.wordStep, Int32(width), Int32(height), 10)
        } else {
            unsafe ConvertToLSBPlane_16(
                words, wordStep, destination.words, destination.wordStep, Int32(width), Int32(height), 10)
        }
    }

    /// Takes `width` pairs of `height` rows apart, and brings them from the highest bits to the lowest.
    func splitWords(to first: PixelPlane, _ second: PixelPlane, width: Int, height: Int) {
        unsafe SplitUVPlane_16(
            words, wordStep, first.words, first.wordStep, second.words, second.wordStep, Int32(width), Int32(height),
            10)
    }

    /// Puts `width` words of `height` rows of two planes together to pairs; the bits stay where they are.
    func mergeWords(_ first: PixelPlane, _ second: PixelPlane, width: Int, height: Int) {
        unsafe MergeUVPlane_16(
            first.words, first.wordStep, second.words, second.wordStep, words, wordStep, Int32(width), Int32(height),
            16)
    }

    /// Resizes words of at most 10 bits in their lowest ones, as `resize` does bytes.
    func resizeWords(width: Int, height: Int, to destination: PixelPlane, width newWidth: Int, height newHeight: Int) {
        unsafe ScalePlane_12(
            words, wordStep, Int32(width), Int32(height), destination.words, destination.wordStep, Int32(newWidth),
            Int32(newHeight), kFilterBox)
    }

    /// Sets `width` words of `height` rows.
    func fill(word: UInt16, width: Int, height: Int) {
        for row in 0..<height {
            let start = unsafe words + row * stride / 2
            unsafe start.update(repeating: word, count: width)
        }
    }
}
