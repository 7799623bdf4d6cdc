import CPixelKernels

/// A colour matrix as the integers of the RGB kernel, for one range and one byte order.
enum RGBWeights {
    /// Returns the positions of red, green and blue in a pixel.
    static func positions(_ format: PixelFormat) -> (red: Int, green: Int, blue: Int) {
        switch format {
        case .rgba, .rgb24: (0, 1, 2)
        case .argb: (1, 2, 3)
        case .abgr: (3, 2, 1)
        default: (2, 1, 0)
        }
    }

    /// Returns weights with 15 fractional bits. Their sums are exact: the luma range for luma, and 0 for chroma. Grays
    /// therefore stay gray, and white stays white; the green weight compensates for the rounding of the other two. All
    /// results lie in 0...255, and within 0.52 of the exact value.
    static func make(_ matrix: ColorMatrix, source: PixelFormat, isFullRange: Bool) -> nalu_rgb_weights {
        let one = 32768.0
        let lumaSpan = (isFullRange ? 1 : 219.0 / 255) * one
        let chromaSpan = (isFullRange ? 1 : 224.0 / 255) * one
        let (kr, kb) = (matrix.kr, matrix.kb)

        func rounded(_ value: Double) -> Int16 { Int16(value.rounded()) }
        let lumaRed = rounded(kr * lumaSpan)
        let lumaBlue = rounded(kb * lumaSpan)
        let half = rounded(chromaSpan / 2)
        let cbRed = rounded(-kr / (2 * (1 - kb)) * chromaSpan)
        let crBlue = rounded(-kb / (2 * (1 - kr)) * chromaSpan)

        let place = positions(source)
        func placed(_ red: Int16, _ green: Int16, _ blue: Int16) -> (Int16, Int16, Int16, Int16) {
            func at(_ position: Int) -> Int16 {
                position == place.red ? red : position == place.green ? green : position == place.blue ? blue : 0
            }
            return (at(0), at(1), at(2), at(3))
        }

        var weights = nalu_rgb_weights()
        let lumaGreen = Int16(Int32(lumaSpan.rounded()) - Int32(lumaRed) - Int32(lumaBlue))
        weights.luma = placed(lumaRed, lumaGreen, lumaBlue)
        weights.cb = placed(cbRed, -half - cbRed, half)
        weights.cr = placed(half, -half - crBlue, crBlue)
        weights.luma_bias = ((isFullRange ? 0 : 16) << 15) + (1 << 14)
        // Halves round down: pure blue in full range is 255.5, which must not become 256.
        weights.chroma_bias = (128 << 17) + (1 << 16) - 1
        return weights
    }
}
