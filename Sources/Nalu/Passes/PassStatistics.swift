private import NaluLibc

/// What x264's first pass says of its frames: the lines of its statistics, as `x264_ratecontrol_new` reads them again.
struct PassStatistics {
    /// One frame, and the bits that it would take at another quantiser.
    struct Frame {
        let type: UInt8
        /// Of the first pass.
        let quantiserScale: Double
        let textureBits: Double
        let motionBits: Double
        let otherBits: Double
        let intraMacroblocks: Double
        let macroblocks: Double

        /// x264's `qscale2bits`.
        func bits(at scale: Double) -> Double {
            (textureBits + 0.1) * pow(quantiserScale / scale, 1.1)
                + motionBits * pow(max(quantiserScale, 1) / max(scale, 1), 0.5) + otherBits
        }
    }

    private(set) var frames: [Frame] = []
    /// How the quantisers of the frames differ from each other in the second pass: each is its weight by what all share.
    private(set) var weights: [Double] = []

    /// Throws `.badData`.
    init(_ text: [UInt8]) throws(NaluError) {
        var options: [Substring: Substring] = [:]
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            let fields = Self.fields(line)
            if line.hasPrefix("#options:") {
                options = fields
            } else {
                try frames.append(Self.frame(fields))
            }
        }
        guard !frames.isEmpty else { throw NaluError(.badData, "the statistics of the first pass have no frames") }
        func option(_ name: Substring, _ value: Double) -> Double {
            guard let found = options[name].flatMap({ Double($0) }), 0...100 ~= found else { return value }
            return found
        }
        // x264 leaves both to the macroblock tree, where there is one.
        let hasTree = option("mbtree", 0) != 0
        let compression = hasTree ? 1 : min(option("qcomp", 0.6), 1)
        let intraFactor = max(option("ip_ratio", 1.4), 0.01)
        let bidirectionalFactor = hasTree ? 1 : max(option("pb_ratio", 1.3), 0.01)
        let complexities = compression == 1 ? nil : blurredComplexities()
        weights = frames.indices.map { index in
            let own = complexities.map { pow($0[index], 1 - compression) } ?? 1
            switch frames[index].type {
            case UInt8(ascii: "I"), UInt8(ascii: "i"): return own / intraFactor
            case UInt8(ascii: "b"), UInt8(ascii: "B"): return own * bidirectionalFactor
            default: return own
            }
        }
    }

    /// The bits of all frames, where `scale` is the quantiser scale of a P frame of weight 1.
    func bits(at scale: Double) -> Double {
        var sum = 0.0
        for (frame, weight) in zip(frames, weights) { sum += frame.bits(at: scale * weight) }
        return sum
    }

    /// The complexity of each frame and of those around it up to a change of scene, as x264's `init_pass2` has it.
    private func blurredComplexities() -> [Double] {
        let reach = 40
        let own = frames.map { $0.bits(at: 1) - $0.otherBits }
        let keeps = frames.map { frame in
            let part = frame.macroblocks > 0 ? frame.intraMacroblocks / frame.macroblocks : 0
            return 1 - part * part
        }
        return frames.indices.map { index in
            var weights = 0.0
            var sum = 0.0
            func add(_ other: Int, _ weight: Double) {
                let distance = Double(other - index)
                let share = weight * exp(-distance * distance / 200)
                weights += share
                sum += share * own[other]
            }
            var weight = 1.0
            for other in index..<min(frames.count, index + reach) {
                weight *= keeps[other]
                if weight < 0.0001 { break }
                add(other, weight)
            }
            weight = 1
            for other in stride(from: index, through: max(0, index - reach), by: -1) {
                add(other, weight)
                weight *= keeps[other]
                if weight < 0.0001 { break }
            }
            return weights > 0 ? sum / weights : own[index]
        }
    }

    private static func frame(_ fields: [Substring: Substring]) throws(NaluError) -> Frame {
        func number(_ name: Substring, in range: ClosedRange<Double> = 0...1e12) throws(NaluError) -> Double {
            guard let text = fields[name], let value = Double(text), range.contains(value) else {
                throw NaluError(
                    .badData,
                    "the statistics of the first pass have "
                        + "\"\(name):\(NaluError.excerpt(String(fields[name] ?? "")))\"; "
                        + "expected \(range.lowerBound) to \(range.upperBound)")
            }
            return value
        }
        guard let type = fields["type"]?.utf8.first else {
            throw NaluError(.badData, "the statistics of the first pass have a frame without \"type\"")
        }
        let intra = try number("imb")
        return Frame(
            type: type, quantiserScale: 0.85 * pow(2, (try number("q", in: -100...100) - 12) / 6),
            textureBits: try number("tex"),
            motionBits: try number("mv"), otherBits: try number("misc"), intraMacroblocks: intra,
            macroblocks: intra + (try number("pmb")) + (try number("smb")))
    }

    /// The words `name:value` and `name=value` of a line.
    private static func fields(_ line: Substring) -> [Substring: Substring] {
        var fields: [Substring: Substring] = [:]
        for word in line.split(whereSeparator: { $0 == " " || $0 == ";" }) {
            guard let colon = word.firstIndex(where: { $0 == ":" || $0 == "=" }) else { continue }
            fields[word[..<colon]] = word[word.index(after: colon)...]
        }
        return fields
    }
}
