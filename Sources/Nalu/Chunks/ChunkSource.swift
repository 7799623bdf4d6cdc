/// The frames of a video that is encoded in chunks. Every worker can read any range of them.
package protocol ChunkSource: Sendable {
    /// Returns the facts that the first frame and the container show.
    func facts() throws(NaluError) -> ChunkFacts

    /// Returns the presentation time of the last frame at or before `time` at which decoding can begin; nil if there is
    /// none.
    func entry(before time: MediaTime) throws(NaluError) -> MediaTime?

    /// Passes the frames presented at `begin` or later and before `end` to `body`, in this order. Nil: from the first
    /// frame, and to the last one.
    func forEachFrame(
        from begin: MediaTime?, to end: MediaTime?, _ body: (ChunkFrame) throws(NaluError) -> Void
    ) throws(NaluError)
}

/// A frame of a ``ChunkSource``.
package struct ChunkFrame {
    /// The pixels of a frame.
    package enum Pixels {
        case kept(PixelBuffer)
        /// Memory that is valid while the frame is passed.
        case lent(PixelView)

        var size: (width: Int, height: Int) {
            switch self {
            case .kept(let buffer): (buffer.width, buffer.height)
            case .lent(let view): (view.width, view.height)
            }
        }
    }

    package var pixels: Pixels
    package var time: MediaTime
    /// The invalid time if the duration is not known.
    package var duration: MediaTime
    /// True if parts of the picture are wrong or concealed.
    package var isDamaged = false
    /// True if the frame must have the size of the video.
    package var hasFixedSize = false

    package init(
        pixels: Pixels, time: MediaTime, duration: MediaTime, isDamaged: Bool = false, hasFixedSize: Bool = false
    ) {
        self.pixels = pixels
        self.time = time
        self.duration = duration
        self.isDamaged = isDamaged
        self.hasFixedSize = hasFixedSize
    }
}

extension CompressionSession {
    /// Encodes a frame of a source.
    func encode(_ frame: ChunkFrame) throws(NaluError) {
        switch frame.pixels {
        case .kept(let buffer):
            try unsafe encode(buffer, presentationTime: frame.time, duration: frame.duration)
        case .lent(let view):
            try unsafe encode(copying: view, presentationTime: frame.time, duration: frame.duration)
        }
    }
}

/// The facts about a ``ChunkSource`` that a plan needs.
package struct ChunkFacts: Sendable {
    package var width: Int
    package var height: Int
    /// The pixel format of the frames; nil if it is not known.
    package var format: PixelFormat?
    package var frameRate: ExactRate?
    package var start = MediaTime.zero
    package var duration: MediaTime
    /// The properties that describe the pictures, for the sessions that encode them again.
    package var properties: [PropertyText.Setting] = []
    /// True if all frames must have the size of the first one, unless they are scaled.
    package var hasFixedSize = false

    package init(
        width: Int, height: Int, format: PixelFormat? = nil, frameRate: ExactRate? = nil, duration: MediaTime
    ) {
        self.width = width
        self.height = height
        self.format = format
        self.frameRate = frameRate
        self.duration = duration
    }
}

/// A number of frames per second as a fraction of positive integers.
package struct ExactRate: Sendable, Equatable {
    package let numerator: Int32
    package let denominator: Int32

    package init?(_ numerator: Int32, _ denominator: Int32) {
        guard numerator > 0, denominator > 0 else { return nil }
        self.numerator = numerator
        self.denominator = denominator
    }

    /// Creates the rate that a measured rate stands for: one of NTSC, such as 30000/1001 for 29.97, or the nearest
    /// fraction with a denominator up to 100,000. Nil for rates of 0 and less, and of more than 1000.
    package init?(near rate: Double) {
        guard rate > 0, rate <= 1000 else { return nil }
        let ceiling = rate.rounded(.up)
        if rate != ceiling, abs(rate - ceiling * 1000 / 1001) < 0.005 {
            self.init(Int32(ceiling) * 1000, 1001)
            return
        }
        // The convergents of the continued fraction (Knuth, The Art of Computer Programming, volume 2, 4.5.3).
        let limit = 100_000
        let exact = Int(rate * 0x1p40)
        var (n, d) = (exact, 1 << 40)
        var (before, last) = ((0, 1), (1, 0))
        while d != 0 {
            let quotient = n / d
            let next = (before.0 + quotient * last.0, before.1 + quotient * last.1)
            guard next.1 <= limit else { break }
            (before, last) = (last, next)
            (n, d) = (d, n - quotient * d)
        }
        if d != 0 {
            let steps = (limit - before.1) / max(last.1, 1)
            let other = (before.0 + steps * last.0, before.1 + steps * last.1)
            func distance(_ fraction: (Int, Int)) -> Double { abs(Double(fraction.0) / Double(fraction.1) - rate) }
            if distance(other) < distance(last) { last = other }
        }
        self.init(Int32(clamping: last.0), Int32(clamping: last.1))
    }

    package var perSecond: Double { Double(numerator) / Double(denominator) }

    /// Returns the duration of so many frames, at most 2^31.
    func duration(ofFrames count: Int) -> MediaTime {
        MediaTime(value: Int64(clamping: count) &* Int64(denominator), timescale: numerator)
    }
}
