private import NaluLibc

/// A measure of a frame's pixels, from which its bits are estimated before it is encoded.
struct PictureDetail {
    /// The bits without references at QP 0, by the model of ``FrameBudget``.
    let complexity: Double
    /// The mean difference of luma samples from the frame before, on the scale of 8 bits; nil for the first frame.
    let change: Double?
}

/// Looks at every fourth row of frames.
struct PictureExamination {
    /// The QP at which the estimate of the bits is exact, as far as one is.
    private static let qp = 32.0

    /// The mean of each run of 16 samples of the frame before.
    private var last: [Int] = []

    /// Returns the detail of the next frame: the entropy of the differences of neighbouring luma samples in runs of 16,
    /// and the difference of the runs from those of the frame before.
    mutating func examine(_ pixels: PixelView) -> PictureDetail {
        let (width, height) = (pixels.width, pixels.height)
        let plane = unsafe pixels.plane(0)
        let isWide = pixels.format.bitDepth > 8
        let step = pow(2, (Self.qp - 4) / 6) * (isWide ? 4 : 1)
        var sum = 0.0
        var changes = 0
        var runs = 0
        let isFirst = last.isEmpty
        for y in stride(from: 2, to: height, by: 4) {
            let row = unsafe plane.baseAddress + y * plane.stride
            for x in stride(from: 0, through: width - 17, by: 16) {
                let run = isWide ? unsafe Self.run(of: UInt16.self, row, x) : unsafe Self.run(of: UInt8.self, row, x)
                let ratio = 1.5 * Double(run.differences) / 16 / step
                sum += 0.5 * log2(1 + ratio * ratio)
                if isFirst {
                    last.append(run.sum)
                } else {
                    changes += abs(run.sum - last[runs])
                    last[runs] = run.sum
                }
                runs += 1
            }
        }
        let count = Double(max(runs, 1))
        // The factor stands for chroma, the summand for what no picture can do without.
        let bits = (1.2 * sum / count + 0.01) * Double(width * height)
        return PictureDetail(
            complexity: bits * pow(2, Self.qp / 6),
            change: isFirst ? nil : Double(changes) / count / 16 / (isWide ? 4 : 1))
    }

    /// Returns the sum of 16 samples, and of the differences between neighbours.
    private static func run<Sample: FixedWidthInteger & BitwiseCopyable>(
        of type: Sample.Type, _ row: UnsafeMutableRawPointer, _ start: Int
    ) -> (sum: Int, differences: Int) {
        let size = MemoryLayout<Sample>.size
        var (sum, differences) = (0, 0)
        var before = unsafe Int(row.load(fromByteOffset: start * size, as: type))
        for index in start + 1...start + 16 {
            let sample = unsafe Int(row.load(fromByteOffset: index * size, as: type))
            sum += sample
            differences += abs(sample - before)
            before = sample
        }
        return (sum, differences)
    }
}
