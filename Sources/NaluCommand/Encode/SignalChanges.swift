internal import Nalu
internal import NaluBase

/// Finds the pictures that the output labels wrongly or reduces, because their pixel aspect ratio, colour, chroma format
/// or bit depth is not that of the first picture. An output has one value of each.
struct SignalChanges {
    private let input: String
    private let output: String
    private let facts: VideoFacts
    /// Bits per sample of the output.
    private let bitDepth: Int
    /// The properties that the user has set.
    private let overridden: Set<PropertyKey>
    /// The signal of the first picture.
    private var first: PictureSignal?
    /// Width by height of the first picture, in pixels.
    private var firstShape = 1.0
    private var last: PictureSignal?
    private var told: Set<String> = []
    /// The lines for standard error: at most one for each kind of change.
    private(set) var lines: [String] = []

    /// - Parameters:
    ///   - facts: the facts by which the output is labelled.
    ///   - overridden: the properties of the input that the user's settings replace. Their changes lose nothing.
    init(input: String, output: String, facts: VideoFacts, bitDepth: Int, overridden: Set<PropertyKey>) {
        self.input = input
        self.output = output
        self.facts = facts
        self.bitDepth = bitDepth
        self.overridden = overridden
    }

    /// Looks at the next encoded picture. A reduced chroma format or bit depth becomes one of `losses`.
    mutating func look(at frame: TimedFrame, _ losses: inout Losses) {
        guard let signal = frame.signal, case .kept(let image) = frame.pixels else { return }
        look(at: signal, width: image.width, height: image.height, at: frame.time, &losses)
    }

    /// Looks at the signal and the size of a picture that is presented at `time`.
    mutating func look(
        at signal: PictureSignal, width: Int, height: Int, at time: MediaTime, _ losses: inout Losses
    ) {
        let shape = Double(width) / Double(height)
        guard let first else {
            (first, last, firstShape) = (signal, signal, shape)
            return
        }
        guard signal != last else { return }
        last = signal
        let place = "\(NumberText.decimal(time.seconds, places: 3)) s"
        let changes = changes(from: first, to: signal, shape: shape).filter { told.insert($0.name).inserted }
        if !changes.isEmpty {
            let list = changes.map { "\($0.name) \($0.now) (kept: \($0.kept))" }.joined(separator: ", ")
            lines.append("\(input) changes at \(place), but \(output) has one value for all frames: \(list)")
        }
        if signal.chroma != "4:2:0", signal.chroma != facts.chroma, told.insert(signal.chroma).inserted {
            losses.add("\(signal.chroma) from \(place) (now 4:2:0)")
        }
        let depth = "\(signal.bitDepth) bits per sample"
        if signal.bitDepth > bitDepth, signal.bitDepth != facts.bitDepth, told.insert(depth).inserted {
            losses.add("\(depth) from \(place) (now \(bitDepth))")
        }
    }

    private typealias Change = (name: String, now: String, kept: String)

    private func changes(from first: PictureSignal, to signal: PictureSignal, shape: Double) -> [Change] {
        var list: [Change] = []
        // Frames of another size are scaled to the first one's, so that only another displayed shape is a change.
        let stretch = shape * signal.aspect / (firstShape * first.aspect)
        let tolerance = shape == firstShape ? 1e-9 : 0.01
        if signal.aspect != first.aspect, abs(stretch - 1) > tolerance, !facts.hasAspectOfContainer,
            !overridden.contains(.pixelAspectRatio)
        {
            let kept = facts.pixelAspectRatio ?? (1, 1)
            list.append(
                (
                    "pixel aspect ratio", "\(signal.aspectHorizontal):\(signal.aspectVertical)",
                    "\(kept.horizontal):\(kept.vertical)"
                ))
        }
        func compare(_ name: String, _ key: PropertyKey, _ names: [Int: String], _ now: Int, _ kept: Int) {
            guard now != kept, !overridden.contains(key) else { return }
            list.append((name, names[now] ?? "\(now)", names[kept] ?? "\(kept)"))
        }
        compare("colour primaries", .colorPrimaries, StandardNames.primaries, signal.primaries, first.primaries)
        compare("transfer function", .transferFunction, StandardNames.transfers, signal.transfer, first.transfer)
        // RGB is converted to YCbCr with the session's own matrix.
        if signal.chroma != "RGB", first.chroma != "RGB" {
            compare("matrix", .yCbCrMatrix, StandardNames.matrices, signal.matrix, first.matrix)
        }
        if signal.chroma == "4:2:0", first.chroma == "4:2:0" {
            // A stream without a chroma location means 0.
            compare(
                "chroma location", .chromaLocation, [:], signal.chromaLocation ?? 0, first.chromaLocation ?? 0)
        }
        return list
    }
}
