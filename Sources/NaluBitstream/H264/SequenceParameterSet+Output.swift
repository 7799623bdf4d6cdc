extension SequenceParameterSet {
    /// The number of pictures that a decoder may delay to output them in order. This is ``reorderDepth``, or if that is
    /// nil, the most that the level allows (ITU-T H.264 C.4.5.3). For Baseline, which has no B slices, it is then 0.
    package var outputDelay: Int {
        if let reorderDepth { return reorderDepth }
        return profileIDC == 66 ? 0 : mostOutputDelay
    }

    /// Whether ``outputDelay`` is only the usual value. Baseline streams can reorder P pictures, but few do.
    package var isOutputDelayUnsure: Bool { reorderDepth == nil && profileIDC == 66 && mostOutputDelay > 0 }

    /// The most pictures that a decoder may delay.
    package var mostOutputDelay: Int {
        if let maxDecodedFrameBuffering { return maxDecodedFrameBuffering }
        let macroblocks = codedWidth / 16 * (codedHeight / 16)
        let level = Self.decodedMacroblocks.first { $0.level >= max(levelIDC, 10) }
        return max(1, min((level?.macroblocks ?? 696_320) / max(macroblocks, 1), 16))
    }

    /// Whether size and format equal those of `other`, so that pictures of one can refer to pictures of the other.
    package func hasPictures(like other: SequenceParameterSet) -> Bool {
        codedWidth == other.codedWidth && codedHeight == other.codedHeight && cropLeft == other.cropLeft
            && cropTop == other.cropTop && cropRight == other.cropRight && cropBottom == other.cropBottom
            && chromaFormatIDC == other.chromaFormatIDC && separateColourPlanes == other.separateColourPlanes
            && lumaBitDepth == other.lumaBitDepth && chromaBitDepth == other.chromaBitDepth
    }

    /// `MaxDpbMbs` (table A-1), by ten times the level.
    private static let decodedMacroblocks: [(level: Int, macroblocks: Int)] = [
        (10, 396), (11, 900), (20, 2376), (21, 4752), (30, 8100), (31, 18000), (32, 20480), (41, 32768), (42, 34816),
        (50, 110_400), (52, 184_320), (62, 696_320),
    ]

    /// The display duration of a frame, two ticks. Nil if unspecified, and for more than 1000 frames per second: streams
    /// of variable frame rate state such rates to count in finer ticks.
    package var frameDuration: MediaTime? {
        guard unitsInTick > 0, timeScale > 0 else { return nil }
        var (value, scale) = (2 * Int64(unitsInTick), Int64(timeScale))
        while scale > Int64(Int32.max) {
            value = (value + 1) / 2
            scale /= 2
        }
        guard scale <= 1000 * value else { return nil }
        return MediaTime(value: value, timescale: Int32(scale))
    }
}
