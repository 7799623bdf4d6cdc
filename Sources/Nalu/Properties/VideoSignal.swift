/// The codes that a property of the video signal accepts, some of them with CoreVideo's name. x264 has the same codes.
struct SignalCodes: Sendable {
    /// The codes with a name, in the order in which the names are listed.
    let named: [(code: Int, name: String)]
    /// All codes, named or not. They include 3, which every colour table reserves, because streams contain it.
    let all: ClosedRange<Int>
    /// The table of codes, for error messages.
    let table: String

    var names: [String] { named.map(\.name) }

    /// Returns the code of a name, or the code that the text is; nil for another text.
    func code(_ text: String) -> Int? {
        if let named = named.first(where: { $0.name == text }) { return named.code }
        // A code has one spelling, without sign and leading zero.
        guard let code = Int(text), "\(code)" == text, all.contains(code) else { return nil }
        return code
    }

    /// Returns the name of a code, or its digits.
    func text(_ code: Int) -> String {
        named.first { $0.code == code }?.name ?? "\(code)"
    }

    /// The accepted values, for error messages.
    var expected: String {
        "one of \(names.joined(separator: ", ")), or a code of \(table), \(all.lowerBound) to \(all.upperBound)"
    }

    static let primaries = SignalCodes(
        named: [(1, "ITU_R_709_2"), (5, "EBU_3213"), (6, "SMPTE_C"), (12, "P3_D65"), (9, "ITU_R_2020")],
        all: 1...12, table: "ITU-T H.273 table 2")

    static let transfers = SignalCodes(
        named: [
            (1, "ITU_R_709_2"), (7, "SMPTE_240M_1995"), (14, "ITU_R_2020"), (16, "SMPTE_ST_2084_PQ"),
            (18, "ITU_R_2100_HLG"), (8, "Linear"), (13, "IEC_sRGB"),
        ],
        all: 1...18, table: "ITU-T H.273 table 3")

    /// The codes of the matrix. Code 0 is not among them: it means RGB, and the stream has YCbCr.
    static let matrices = SignalCodes(
        named: [(1, "ITU_R_709_2"), (6, "ITU_R_601_4"), (9, "ITU_R_2020"), (7, "SMPTE_240M_1995")],
        all: 1...14, table: "ITU-T H.273 table 4")

    static let chromaLocations = SignalCodes(
        named: [(0, "Left"), (1, "Center"), (2, "TopLeft"), (3, "Top"), (4, "BottomLeft"), (5, "Bottom")],
        all: 0...5, table: "ITU-T H.264 figure E-1")
}

/// The codes that describe the colour of a stream; nil for the default.
struct SignalSettings: Hashable, Sendable {
    var primaries: Int?
    var transfer: Int?
    var matrix: Int?
    var chromaLocation: Int?

    func primaries(height: Int) -> Int { primaries ?? (height >= 720 ? 1 : 6) }
    var transferOrDefault: Int { transfer ?? 1 }
    func matrix(height: Int) -> Int { matrix ?? ColorMatrix.automatic(height: height).code }
    /// RGB frames are converted with chroma in the middle, but field by field if they are interlaced.
    func chromaLocation(ofRGB isRGB: Bool, isInterlaced: Bool) -> Int {
        chromaLocation ?? (isRGB && !isInterlaced ? 1 : 0)
    }

    /// Returns the weights that convert RGB frames; nil if the library has no conversion with the matrix.
    func conversion(height: Int) -> ColorMatrix? {
        switch matrix {
        case nil, 2: .automatic(height: height)
        // Code 5 has the same weights as code 6.
        case 5: .itu601
        case let code?: ColorMatrix.allCases.first { $0.code == code }
        }
    }
}

extension ColorMatrix {
    /// The matrix_coefficients of ITU-T H.273 table 4.
    var code: Int {
        switch self {
        case .itu709: 1
        case .itu601: 6
        case .smpte240m: 7
        case .itu2020: 9
        }
    }
}
