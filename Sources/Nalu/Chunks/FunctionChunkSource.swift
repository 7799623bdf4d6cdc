/// The frames that a function returns, at a constant frame rate.
///
/// `@unchecked Sendable`: the function is called by the thread that calls this source, and the source is used during
/// one call of the C interface only.
package struct FunctionChunkSource: ChunkSource, @unchecked Sendable {
    private let count: Int
    private let rate: ExactRate
    private let format: PixelFormat?
    private let frame: (Int) throws(NaluError) -> PixelView

    /// - Parameters:
    ///   - count: the number of frames.
    ///   - format: the pixel format of all frames; nil if it is not known.
    ///   - frame: returns the frame with an index, from 0. Its planes stay valid until the next call.
    package init(
        count: Int, rate: ExactRate, format: PixelFormat?, frame: @escaping (Int) throws(NaluError) -> PixelView
    ) {
        self.count = count
        self.rate = rate
        self.format = format
        self.frame = frame
    }

    package func facts() throws(NaluError) -> ChunkFacts {
        let first = try frame(0)
        return ChunkFacts(
            width: first.width, height: first.height, format: format, frameRate: rate,
            duration: rate.duration(ofFrames: count))
    }

    package func entry(before time: MediaTime) throws(NaluError) -> MediaTime? {
        let index = (time.seconds * rate.perSecond).rounded(.toNearestOrEven)
        return rate.duration(ofFrames: Int(min(max(index, 0), 0x1p31)))
    }

    package func forEachFrame(
        from begin: MediaTime?, to end: MediaTime?, _ body: (ChunkFrame) throws(NaluError) -> Void
    ) throws(NaluError) {
        let first = begin.map(index) ?? 0
        let last = end.map { min(count, index($0)) } ?? count
        guard first < last else { return }
        for index in first..<last {
            try body(
                ChunkFrame(
                    pixels: .lent(frame(index)), time: rate.duration(ofFrames: index),
                    duration: rate.duration(ofFrames: 1)))
        }
    }

    /// Returns the index of the first frame at or after a time.
    private func index(_ time: MediaTime) -> Int {
        guard time.isNumeric, time.value > 0 else { return 0 }
        let units = Int128(time.value) * Int128(rate.numerator)
        let unit = Int128(time.timescale) * Int128(rate.denominator)
        return Int(clamping: (units + unit - 1) / unit)
    }
}
