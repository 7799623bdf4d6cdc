/// The colour primaries that a session can tag: CoreVideo's names with their code in ITU-T H.264 table E-3.
enum ColorPrimaries: String, CaseIterable, Sendable {
    case itu709 = "ITU_R_709_2"
    case ebu3213 = "EBU_3213"
    case smpteC = "SMPTE_C"
    case p3D65 = "P3_D65"
    case itu2020 = "ITU_R_2020"

    var code: Int32 {
        switch self {
        case .itu709: 1
        case .ebu3213: 5
        case .smpteC: 6
        case .itu2020: 9
        case .p3D65: 12
        }
    }
}

/// The transfer functions: CoreVideo's names with their code in table E-4.
enum TransferFunction: String, CaseIterable, Sendable {
    case itu709 = "ITU_R_709_2"
    case smpte240M = "SMPTE_240M_1995"
    case itu2020 = "ITU_R_2020"
    case pq = "SMPTE_ST_2084_PQ"
    case hlg = "ITU_R_2100_HLG"
    case linear = "Linear"
    case sRGB = "IEC_sRGB"

    var code: Int32 {
        switch self {
        case .itu709: 1
        case .smpte240M: 7
        case .linear: 8
        case .sRGB: 13
        case .itu2020: 14
        case .pq: 16
        case .hlg: 18
        }
    }
}
