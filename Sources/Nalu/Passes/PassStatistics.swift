private import NaluLibc

/// What x264's first pass says of its frames: the lines of its statistics, as `x264_ratecontrol_new` reads them again.
struct PassStatistics {
    /// One frame, and the bits that it would take at another quantiser.
    struct Frame {
        /// In presentation order, from 0.
        let number: Int
        /// I, i, P, B or b; others refer to all but b.
        let type: UInt8
        /// Of the first pass.
        let quantiserScale: Double
        let textureBits: Double
        let motionBits: Double
        let otherBits: Double
        let intraMacroblocks: Double
        let macroblocks: Double

        /// As slice headers have it (ITU-T H.264 table 7-6).
        var sliceType: UInt8 {
            switch type {
            case UInt8(ascii: "I"), UInt8(ascii: "i"): 2
            case UInt8(ascii: "P"): 0
            default: 1
            }
        }

        /// x264's `qscale2bits`.
        func bits(at scale: Double) -> Double {
            scalableBits(at: scale) + otherBits
        }

        /// Those that depend on the quantiser: never 0, however many others there are.
        func scalableBits(at scale: Double) -> Double {
            (textureBits + 0.1) * pow(quantiserScale / scale, 1.1)
                + motionBits * pow(max(quantiserScale, 1) / max(scale, 1), 0.5)
        }
    }

    private let frames: [Frame]
    /// How the quantisers of the frames differ from each other in the second pass: each is its weight by what all share.
    private var weights: [Double] = []
    private let picture: PictureGeometry
    /// B-frames may be referred to.
    private let hasPyramid: Bool

    /// Throws `.badData`. What x264 relies on without a look is checked here, since the bytes may be anybody's: it allocates
    /// by the size of the pictures, has as many entries as there are semicolons, and looks frames up in them by their number.
    init(_ text: [UInt8], of clip: PassClip) throws(NaluError) {
        let header = text.prefix { $0 != UInt8(ascii: "\n") }
        let options = Self.fields(String(decoding: header, as: UTF8.self)[...])
        let picture = PictureGeometry(
            width: clip.width, height: clip.height, isInterlaced: options["interlaced", default: "0"] != "0")
        let beginning = "#options: \(picture.encodedWidth)x\(picture.encodedHeight) "
        guard header.starts(with: beginning.utf8) else {
            throw NaluError(
                .badData,
                "the statistics of the first pass begin with "
                    + "\"\(NaluError.excerpt(String(decoding: header, as: UTF8.self)))\"; expected \"\(beginning)\"")
        }
        if let byte = text.first(where: { $0 < 0x20 && $0 != UInt8(ascii: "\n") }) {
            throw NaluError(.badData, "the statistics of the first pass have a byte of \(byte); expected lines of text")
        }
        let lines = String(decoding: text[header.endIndex...], as: UTF8.self).split(separator: "\n")
        let frames = try lines.map { line throws(NaluError) in try Self.frame(line) }
        guard !frames.isEmpty, frames.count == clip.times.count, Set(frames.map(\.number)) == Set(frames.indices) else {
            throw NaluError(
                .badData,
                "the statistics of the first pass have \(frames.count) frames; expected \(clip.times.count), as there are "
                    + "times, in any order")
        }
        self.frames = frames
        self.picture = picture
        hasPyramid = Self.hasPyramid(header)
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

    /// As x264 reads it: the first occurrence, wherever it is.
    private static func hasPyramid(_ header: ArraySlice<UInt8>) -> Bool {
        guard let place = header.firstRange(of: Array("b_pyramid=".utf8)), let digit = header[place.upperBound...].first
        else {
            return false
        }
        return UInt8(ascii: "1")...UInt8(ascii: "9") ~= digit
    }

    /// Checks the macroblock tree: for each frame that others refer to, in coding order, a byte with its type, and two bytes
    /// for each macroblock. x264 reads it in presentation order, and without a pyramid has no memory for one that comes early
    /// (ratecontrol.c, x264_macroblock_tree_read).
    func check(tree: [UInt8]) throws(NaluError) {
        let kept = frames.filter { $0.type != UInt8(ascii: "b") }
        let size = 1 + 2 * picture.macroblocksWide * picture.macroblocksHigh
        let isInOrder = zip(kept, kept.dropFirst()).allSatisfy { $0.number < $1.number }
        guard tree.count / size == kept.count, tree.count.isMultiple(of: size), isInOrder || hasPyramid,
            zip(kept, stride(from: 0, to: tree.count, by: size)).allSatisfy({ tree[$1] == $0.sliceType })
        else {
            throw NaluError(
                .badData,
                "the macroblock tree of the first pass has \(tree.count) bytes; expected \(size) for each of \(kept.count) frames, "
                    + "in their order and of their types")
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
        let own = frames.map { $0.scalableBits(at: 1) }
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

    private static func frame(_ line: Substring) throws(NaluError) -> Frame {
        let fields = Self.fields(line)
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
        let index = Int(try number("in", in: 0...1e9))
        let place = Int(try number("out", in: 0...1e9))
        let semicolon = UInt8(ascii: ";")
        guard let type = fields["type"]?.utf8.first, "IiPBb".utf8.contains(type),
            line.utf8.starts(with: "in:\(index) out:\(place) type:\(Character(UnicodeScalar(type))) ".utf8),
            line.utf8.last == semicolon, !line.utf8.dropLast().contains(semicolon)
        else {
            throw NaluError(
                .badData,
                "the statistics of the first pass have \"\(NaluError.excerpt(String(line)))\"; expected \"in:\", \"out:\" and "
                    + "\"type:\" with I, i, P, B or b at its beginning, and \";\" at its end alone")
        }
        let intra = try number("imb")
        return Frame(
            number: index, type: type, quantiserScale: 0.85 * pow(2, (try number("q", in: -100...100) - 12) / 6),
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
