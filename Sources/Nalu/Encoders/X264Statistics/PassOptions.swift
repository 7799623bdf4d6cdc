/// The options of a first pass on which a later pass depends: the first line of x264's statistics.
///
/// x264 compares most of them with the options of the later pass, adopts some of them unchecked, and finds all of them
/// by a search for text (ratecontrol.c, `x264_ratecontrol_new`). ``text`` is therefore made from checked values alone.
struct PassOptions {
    /// Options that x264 always writes, with the values that they can have.
    private static let integers: [(name: String, range: ClosedRange<Int>)] = [
        ("bitdepth", 8...10), ("bluray_compat", 0...1), ("bframes", 0...16),
    ]
    /// Options that x264 writes with B-frames.
    private static let integersOfBFrames: [(name: String, range: ClosedRange<Int>)] = [
        ("b_pyramid", 0...2), ("b_adapt", 0...2), ("direct", 0...3), ("open_gop", 0...1),
    ]
    private static let otherIntegers: [(name: String, range: ClosedRange<Int>)] = [
        ("weightp", 0...2), ("intra_refresh", 0...1), ("mbtree", 0...1),
    ]
    /// X264_LOOKAHEAD_MAX.
    private static let mostLookahead = 250
    private static let fieldOrders: [Substring] = ["0", "tff", "bff", "fake"]

    /// The first line, with the newline.
    let text: String
    let picture: PictureGeometry
    /// The length of a tick of the time base, in seconds.
    let secondsPerTick: Double
    /// The longest run of B-frames.
    let mostBFrames: Int
    /// B-frames may be referred to.
    let hasPyramid: Bool
    let hasMacroblockTree: Bool
    let bitDepth: Int
    /// x264's qcomp, ip_ratio and pb_ratio, in hundredths.
    let compression: Int
    let intraFactor: Int
    let bidirectionalFactor: Int

    /// - Throws: ``Status/badData``.
    init(_ line: Substring, of clip: PassClip) throws(NaluError) {
        let words = Self.words(line)
        func checked(_ name: Substring, _ expected: String, _ isGood: (Substring) -> Bool) throws(NaluError)
            -> Substring
        {
            guard let value = words[name], isGood(value) else {
                let found = words[name].map { "\"\(name)=\(NaluError.excerpt(String($0)))\"" } ?? "no \"\(name)\""
                throw NaluError(.badData, "the statistics of the first pass have \(found); expected \(expected)")
            }
            return value
        }
        func integer(_ name: String, _ range: ClosedRange<Int>) throws(NaluError) -> Int {
            Int(try checked(name[...], "\(range)") { Int($0).map { range.contains($0) } ?? false }) ?? range.lowerBound
        }

        let order = try checked("interlaced", "one of \(Self.fieldOrders)") { Self.fieldOrders.contains($0) }
        picture = PictureGeometry(width: clip.width, height: clip.height, isInterlaced: order != "0")
        let beginning = "#options: \(picture.encodedWidth)x\(picture.encodedHeight) "
        guard line.utf8.starts(with: beginning.utf8) else {
            throw NaluError(
                .badData,
                "the statistics of the first pass begin with \"\(NaluError.excerpt(String(line)))\"; expected \"\(beginning)\""
            )
        }
        var text = beginning
        let tick = try checked("timebase", "two numbers of 1 to \(Int32.max) with / between them") {
            Self.fraction($0) != nil
        }
        let (units, scale) = Self.fraction(tick) ?? (1, 1)
        text += "timebase=\(units)/\(scale)"
        secondsPerTick = Double(units) / Double(scale)

        var values: [String: Int] = [:]
        func add(_ options: [(name: String, range: ClosedRange<Int>)]) throws(NaluError) {
            for (name, range) in options {
                let value = try integer(name, range)
                values[name] = value
                text += " \(name)=\(value)"
            }
        }
        try add(Self.integers)
        text += " interlaced=\(order)"
        if values["bframes", default: 0] > 0 { try add(Self.integersOfBFrames) }
        try add(Self.otherIntegers)
        let interval = try checked("keyint", "infinite or a number from 1") {
            $0 == "infinite" || Int($0).map { 1...Int(Int32.max) ~= $0 } ?? false
        }
        // x264 searches for this text with a space after the value.
        text += " keyint=" + (Int(interval).map { "\($0)" } ?? "infinite")
        if words["rc_lookahead"] != nil {
            text += " rc_lookahead=\(try integer("rc_lookahead", 0...Self.mostLookahead))"
        }
        // x264 does not read the following options. The division of bits reads them.
        func factor(_ name: String, _ value: Int, _ range: ClosedRange<Int>) -> Int {
            guard let found = words[name[...]].flatMap({ Hundredths.parse($0, range) }) else { return value }
            text += " \(name)=\(Hundredths.text(found))"
            return found
        }
        compression = factor("qcomp", 60, 0...100)
        intraFactor = factor("ip_ratio", 140, 1...10000)
        bidirectionalFactor = factor("pb_ratio", 130, 1...10000)
        mostBFrames = values["bframes", default: 0]
        hasPyramid = values["b_pyramid", default: 0] != 0
        hasMacroblockTree = values["mbtree"] != 0
        bitDepth = values["bitdepth", default: 8]
        self.text = text + "\n"
    }

    private static func fraction(_ text: Substring) -> (Int, Int)? {
        let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        guard numbers.count == 2, numbers.allSatisfy({ 1...Int(Int32.max) ~= $0 }) else { return nil }
        return (numbers[0], numbers[1])
    }

    /// The words `name=value` of a line, by name. If a name occurs twice, its first value counts.
    private static func words(_ line: Substring) -> [Substring: Substring] {
        var words: [Substring: Substring] = [:]
        for word in line.split(separator: " ") {
            guard let sign = word.firstIndex(of: "=") else { continue }
            let name = word[..<sign]
            if words[name] == nil { words[name] = word[word.index(after: sign)...] }
        }
        return words
    }
}

/// Numbers that x264 writes with two digits after the point.
enum Hundredths {
    /// Returns the number in hundredths; nil if the text is not a number in the range.
    static func parse(_ text: Substring, _ range: ClosedRange<Int>) -> Int? {
        guard let value = Double(text).map({ ($0 * 100).rounded() }),
            Double(range.lowerBound)...Double(range.upperBound) ~= value
        else { return nil }
        return Int(value)
    }

    static func text(_ value: Int) -> String {
        "\(value / 100)." + (value % 100 < 10 ? "0" : "") + "\(value % 100)"
    }
}
