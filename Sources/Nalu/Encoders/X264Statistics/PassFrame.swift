private import NaluLibc

/// One frame of a first pass: a line of x264's statistics (ratecontrol.c, `x264_ratecontrol_end`).
///
/// The numbers of a line index x264's arrays, and reach its assertions, without a further check. Every one is therefore
/// checked against what x264 can have written, and ``text`` is made from the checked numbers alone.
struct PassFrame {
    /// Reference counts and weights of a P frame.
    struct Prediction: Hashable {
        /// Blocks of 8x8 pixels that each reference of list 0 predicts.
        var references: [Int] = []
        /// Empty; or the denominator, scale and offset of luma; or these and the denominator, scale and offset of Cb and the
        /// scale and offset of Cr (ITU-T H.264 7.4.3.2).
        var weights: [Int] = []
    }

    /// The highest number of texture, motion or other bits. Their sums and products then fit x264's `int`.
    private static let mostBits = 1 << 30
    /// The longest duration of a frame, in seconds.
    private static let longestDuration = 1000.0

    /// The index in presentation order, from 0.
    let number: Int
    /// The index in coding order, from 0.
    let place: Int
    /// The type: I, i, P, B or b. Other frames may refer to a frame of any type except b.
    let type: UInt8
    /// The duration in half ticks of the time base.
    private let duration: Int
    private let bufferDuration: Int
    /// Average QPs, hundredths: before and after adaptive quantisation.
    private let qp: Int
    private let adaptiveQP: Int
    private let texture: Int
    private let motion: Int
    private let other: Int
    private let intra: Int
    private let inter: Int
    private let skipped: Int
    /// Direct prediction: s (spatial), t (temporal) or -.
    private let direct: UInt8
    private let prediction: Prediction

    /// The QP scale of the first pass (ratecontrol.c, `qp2qscale`).
    let qpScale: Double

    /// - Parameter place: the index of the line.
    /// - Throws: ``Status/badData``.
    init(_ line: Substring.UTF8View, place: Int, of count: Int, _ picture: PictureGeometry, _ options: PassOptions)
        throws(NaluError)
    {
        var words = PassWords(line)
        let macroblocks = picture.macroblocksWide * picture.macroblocksHigh
        // A tick alone can last longer; the duration of the clip is checked.
        let mostTicks = max(1, Int(min(2 * Self.longestDuration / options.secondsPerTick, 1e15)))
        number = try words.integer("in:", 0...count - 1)
        self.place = try words.integer("out:", place...place)
        type = try words.letter("type:", place == 0 ? "I" : "IiPBb")
        duration = try words.integer("dur:", 1...mostTicks)
        bufferDuration = try words.integer("cpbdur:", 0...mostTicks)
        qp = try words.hundredths("q:", 0...10000)
        adaptiveQP = try words.hundredths("aq:", 0...10000)
        texture = try words.integer("tex:", 0...Self.mostBits)
        motion = try words.integer("mv:", 0...Self.mostBits)
        other = try words.integer("misc:", 0...Self.mostBits)
        intra = try words.integer("imb:", 0...macroblocks)
        inter = try words.integer("pmb:", 0...macroblocks - intra)
        skipped = try words.integer("smb:", 0...macroblocks - intra - inter)
        direct = try words.letter("d:", "st-")
        var prediction = try words.prediction(mostBlocks: 4 * macroblocks)
        let isIntra = type == UInt8(ascii: "I") || type == UInt8(ascii: "i")
        // x264 writes the weights of the previous P-frame for an I-frame, and does not use them (encoder.c,
        // `weighted_pred_init`).
        if isIntra { prediction.weights = [] }
        self.prediction = prediction
        guard prediction.references.isEmpty == isIntra, prediction.weights.isEmpty || type == UInt8(ascii: "P") else {
            throw words.failure("references in P and B frames, and weights in P frames alone")
        }
        qpScale = QPScale(bitDepth: options.bitDepth).scale(x264: Double(qp) / 100)
    }

    /// The line as x264 writes it.
    var text: String {
        var text =
            "in:\(number) out:\(place) type:\(Character(UnicodeScalar(type))) dur:\(duration) cpbdur:\(bufferDuration) "
        text += "q:\(Hundredths.text(qp)) aq:\(Hundredths.text(adaptiveQP)) tex:\(texture) mv:\(motion) misc:\(other) "
        text += "imb:\(intra) pmb:\(inter) smb:\(skipped) d:\(Character(UnicodeScalar(direct))) ref:"
        for count in prediction.references { text += "\(count) " }
        if let first = prediction.weights.first {
            text += "w:\(first)"
            for number in prediction.weights.dropFirst() { text += ",\(number)" }
            text += " "
        }
        return text + ";\n"
    }

    /// The duration in half ticks of the time base.
    var ticks: Int { duration }

    /// slice_type of ITU-T H.264 table 7-6.
    var sliceType: UInt8 {
        switch type {
        case UInt8(ascii: "I"), UInt8(ascii: "i"): 2
        case UInt8(ascii: "P"): 0
        default: 1
        }
    }

    /// The share of intra macroblocks, 0 to 1.
    var intraShare: Double {
        let all = intra + inter + skipped
        return all > 0 ? Double(intra) / Double(all) : 0
    }

    /// x264's `qscale2bits`.
    func bits(at scale: Double) -> Double {
        scalableBits(at: scale) + Double(other)
    }

    /// The bits that depend on the QP; never 0.
    func scalableBits(at scale: Double) -> Double {
        (Double(texture) + 0.1) * pow(qpScale / scale, 1.1)
            + Double(motion) * pow(max(qpScale, 1) / max(scale, 1), 0.5)
    }
}

/// The words of a line of statistics, in order.
private struct PassWords {
    private let line: Substring.UTF8View
    private var rest: Substring.UTF8View

    init(_ line: Substring.UTF8View) {
        self.line = line
        rest = line
    }

    func failure(_ expected: String) -> NaluError {
        NaluError(
            .badData,
            "the statistics of the first pass have \"\(NaluError.excerpt(String(Substring(line))))\"; expected \(expected)"
        )
    }

    /// The text between `name` and the next space.
    private mutating func word(_ name: String) throws(NaluError) -> Substring {
        guard rest.starts(with: name.utf8) else { throw failure("\"\(name)\" in its place") }
        let word = rest.dropFirst(name.utf8.count).prefix { $0 != UInt8(ascii: " ") }
        rest = rest[word.endIndex...].dropFirst()
        return Substring(word)
    }

    mutating func integer(_ name: String, _ range: ClosedRange<Int>) throws(NaluError) -> Int {
        guard let value = Int(try word(name)), range.contains(value) else { throw outside(name, "\(range)") }
        return value
    }

    mutating func hundredths(_ name: String, _ range: ClosedRange<Int>) throws(NaluError) -> Int {
        guard let value = Hundredths.parse(try word(name), range) else {
            throw outside(name, "\(range.lowerBound / 100)...\(range.upperBound / 100)")
        }
        return value
    }

    mutating func letter(_ name: String, _ letters: String) throws(NaluError) -> UInt8 {
        let text = try word(name).utf8
        guard text.count == 1, let letter = text.first, letters.utf8.contains(letter) else {
            throw outside(name, "one of \(letters)")
        }
        return letter
    }

    /// The end of the line: `ref:`, reference counts with a space after each, `w:` with a space after it, and `;`.
    mutating func prediction(mostBlocks: Int) throws(NaluError) -> PassFrame.Prediction {
        var prediction = PassFrame.Prediction()
        guard rest.starts(with: "ref:".utf8) else { throw failure("\"ref:\" in its place") }
        rest = rest.dropFirst(4)
        while let byte = rest.first, byte != UInt8(ascii: ";"), byte != UInt8(ascii: "w") {
            let count = try integer("", 0...mostBlocks)
            prediction.references.append(count)
            guard prediction.references.count <= 16 else { throw failure("at most 16 references") }
        }
        if rest.first == UInt8(ascii: "w") {
            let text = try word("w:")
            for number in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let number = Int(number), prediction.weights.count < 8 else {
                    throw outside("w:", "3 or 8 numbers")
                }
                prediction.weights.append(number)
            }
            guard Self.areWeights(prediction.weights) else {
                throw outside("w:", "denominators of 0 to 7, scales of 0 to 127 and offsets of -128 to 127")
            }
        }
        guard rest.elementsEqual(";".utf8) else { throw failure("\";\" at its end alone") }
        return prediction
    }

    private static func areWeights(_ weights: [Int]) -> Bool {
        func isWeight(_ denominator: Int, _ scale: Int, _ offset: Int) -> Bool {
            // If only one chroma plane is weighted, x264 writes the factor 1 for the other one as a fraction, up to 128/128.
            let isOne = scale == 1 << denominator && offset == 0
            return isOne || 0...127 ~= scale && -128...127 ~= offset
        }
        guard weights.count == 3 || weights.count == 8, 0...7 ~= weights[0],
            isWeight(weights[0], weights[1], weights[2])
        else { return false }
        return weights.count == 3
            || 0...7 ~= weights[3] && isWeight(weights[3], weights[4], weights[5])
                && isWeight(weights[3], weights[6], weights[7])
    }

    private func outside(_ name: String, _ expected: String) -> NaluError {
        failure("\(name.isEmpty ? "reference counts" : "\"\(name)\"") of \(expected)")
    }
}
