internal import Nalu

/// The properties that say what the numbers of ITU-T H.273 mean, where there are some.
enum ColorNames {
    private static let primaries = [
        1: "ITU_R_709_2", 5: "EBU_3213", 6: "SMPTE_C", 9: "ITU_R_2020", 12: "P3_D65",
    ]
    private static let transfers = [
        1: "ITU_R_709_2", 7: "SMPTE_240M_1995", 8: "Linear", 13: "IEC_sRGB", 14: "ITU_R_2020", 16: "SMPTE_ST_2084_PQ",
        18: "ITU_R_2100_HLG",
    ]
    private static let matrices = [1: "ITU_R_709_2", 6: "ITU_R_601_4", 7: "SMPTE_240M_1995", 9: "ITU_R_2020"]
    /// x264's names, for what has no property's value.
    private static let x264Primaries = [4: "bt470m", 7: "smpte240m", 8: "film", 10: "smpte428", 11: "smpte431"]
    private static let x264Transfers = [
        4: "bt470m", 5: "bt470bg", 6: "smpte170m", 9: "log100", 10: "log316", 11: "iec61966-2-4", 12: "bt1361e",
        15: "bt2020-12", 17: "smpte428",
    ]
    private static let x264Matrices = [
        0: "GBR", 4: "fcc", 5: "bt470bg", 8: "YCgCo", 10: "bt2020c", 11: "smpte2085", 12: "chroma-derived-nc",
        13: "chroma-derived-c", 14: "ICtCp",
    ]

    static func properties(
        primaries: Int, transfer: Int, matrix: Int
    ) -> [(key: PropertyKey, value: PropertyValue?)] {
        var list: [(key: PropertyKey, value: PropertyValue?)] = []
        var options: [String] = []
        func add(
            _ key: PropertyKey, _ names: [Int: String], _ option: String, _ others: [Int: String], _ number: Int
        ) {
            if let name = names[number] {
                list.append((key, .string(name)))
            } else if let name = others[number] {
                options.append("\(option)=\(name)")
            }
        }
        add(.colorPrimaries, Self.primaries, "colorprim", x264Primaries, primaries)
        add(.transferFunction, transfers, "transfer", x264Transfers, transfer)
        add(.yCbCrMatrix, matrices, "colormatrix", x264Matrices, matrix)
        if !options.isEmpty { list.append((.x264Params, .string(options.joined(separator: ":")))) }
        return list
    }
}
