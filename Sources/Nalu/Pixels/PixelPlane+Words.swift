import CYUV

// Operations on entire planes of 16-bit words, which contain 10-bit samples. The validation of a PixelView ensures that
// their rows begin at even addresses.

extension PixelPlane {
    private var words: UnsafeMutablePointer<UInt16> { unsafe baseAddress.assumingMemoryBound(to: UInt16.self) }
    private var wordStep: Int32 { unsafe Int32(truncatingIfNeeded: stride / 2) }

    /// Moves samples from the highest bits of the words to the lowest, or with `up` from the lowest to the highest.
    func shift(to destination: PixelPlane, width: Int, height: Int, up: Bool) {
        if up {
            unsafe ConvertToMSBPlane_16(
                words, wordStep, destination.words, destination.wordStep, Int32(width), Int32(height), 10)
        } else {
            unsafe ConvertToLSBPlane_16(
                words, wordStep, destination.words, destination.wordStep, Int32(width), Int32(height), 10)
        }
    }

    /// Separates `width` pairs of `height` rows into two planes, and moves them from the highest bits to the lowest.
    func splitWords(to first: PixelPlane, _ second: PixelPlane, width: Int, height: Int) {
        unsafe SplitUVPlane_16(
            words, wordStep, first.words, first.wordStep, second.words, second.wordStep, Int32(width), Int32(height),
            10)
    }

    /// Interleaves `width` words of `height` rows of two planes into pairs. The bits stay where they are.
    func mergeWords(_ first: PixelPlane, _ second: PixelPlane, width: Int, height: Int) {
        unsafe MergeUVPlane_16(
            first.words, first.wordStep, second.words, second.wordStep, words, wordStep, Int32(width), Int32(height),
            16)
    }

    /// Resizes words whose lowest 10 bits are used, like `resize` for bytes.
    func resizeWords(width: Int, height: Int, to destination: PixelPlane, width newWidth: Int, height newHeight: Int) {
        unsafe ScalePlane_12(
            words, wordStep, Int32(width), Int32(height), destination.words, destination.wordStep, Int32(newWidth),
            Int32(newHeight), kFilterBox)
    }

    /// Sets `width` words of `height` rows to `word`.
    func fill(word: UInt16, width: Int, height: Int) {
        for row in 0..<height {
            let start = unsafe words + row * stride / 2
            unsafe start.update(repeating: word, count: width)
        }
    }
}
