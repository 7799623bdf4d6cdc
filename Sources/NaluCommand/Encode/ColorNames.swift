internal import Nalu

/// The property values for the numbers of ITU-T H.273 that have one.
enum ColorNames {
    private static let primaries = [
        1: "ITU_R_709_2", 5: "EBU_3213", 6: "SMPTE_C", 9: "ITU_R_2020", 12: "P3_D65",
    ]
    private static let transfers = [
        1: "ITU_R_709_2", 7: "SMPTE_240M_1995", 8: "Linear", 13: "IEC_sRGB", 14: "ITU_R_2020", 16: "SMPTE_ST_2084_PQ",
        18: "ITU_R_2100_HLG",
    ]
    private static let matrices = [1: "ITU_R_709_2", 6: "ITU_R_601_4", 7: "SMPTE_240M_1995", 9: "ITU_R_2020"]
    /// x264's names for numbers without a property value; "undef" states that the colour is unspecified.
    private static let x264Primaries = [
        2: "undef", 4: "bt470m", 7: "smpte240m", 8: "film", 10: "smpte428", 11: "smpte431",
    ]
    private static let x264Transfers = [
        2: "undef", 4: "bt470m", 5: "bt470bg", 6: "smpte170m", 9: "log100", 10: "log316", 11: "iec61966-2-4",
        12: "bt1361e", 15: "bt2020-12", 17: "smpte428",
    ]
    private static let x264Matrices = [
        2: "undef", 4: "fcc", 5: "bt470bg", 8: "YCgCo", 10: "bt2020c", 11: "smpte2085", 12: "chroma-derived-nc",
        13: "chroma-derived-c", 14: "ICtCp",
    ]

    static func properties(
        primaries: Int, transfer: Int, matrix: Int
    ) -> [(key: PropertyKey, value: PropertyValue?)] {
        let all: [(PropertyKey, String?)] = [
            (.colorPrimaries, Self.primaries[primaries]), (.transferFunction, transfers[transfer]),
            (.yCbCrMatrix, matrices[matrix]),
        ]
        return all.compactMap { key, name in name.map { (key, .string($0)) } }
    }

    /// Returns x264 options for the numbers without a property value. If `matrix` is nil, no option for the matrix.
    static func options(
        primaries: Int, transfer: Int, matrix: Int?
    ) -> [(name: String, value: String, property: PropertyKey?)] {
        let all: [(String, String?, PropertyKey)] = [
            ("colorprim", x264Primaries[primaries], .colorPrimaries),
            ("transfer", x264Transfers[transfer], .transferFunction),
            ("colormatrix", matrix.flatMap { x264Matrices[$0] }, .yCbCrMatrix),
        ]
        return all.compactMap { name, value, property in value.map { (name, $0, property) } }
    }
}
