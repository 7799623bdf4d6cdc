/// The weights between RGB and YCbCr, with VideoToolbox's names.
public enum ColorMatrix: String, CaseIterable, Sendable {
    /// ITU-R BT.709-6: Kr 0.2126, Kb 0.0722.
    case itu709 = "ITU_R_709_2"
    /// ITU-R BT.601-7: Kr 0.299, Kb 0.114.
    case itu601 = "ITU_R_601_4"
    /// ITU-R BT.2020-2, non-constant luminance: Kr 0.2627, Kb 0.0593.
    case itu2020 = "ITU_R_2020"
    /// SMPTE ST 240: Kr 0.212, Kb 0.087.
    case smpte240m = "SMPTE_240M_1995"

    /// Returns the matrix of an untagged frame: BT.709 from 720 lines on, BT.601 below.
    public static func automatic(height: Int) -> ColorMatrix {
        height >= 720 ? .itu709 : .itu601
    }

    /// Returns the matrix of a C constant (`NALU_MATRIX_*`); 0 is ``automatic(height:)``.
    ///
    /// Throws `.outOfRange` for any other number.
    public static func numbered(_ number: Int32, height: Int) throws(NaluError) -> ColorMatrix {
        switch number {
        case 0: return .automatic(height: height)
        case 1: return .itu709
        case 2: return .itu601
        case 3: return .itu2020
        case 4: return .smpte240m
        default:
            throw NaluError(.outOfRange, "matrix is \(number); expected a NALU_MATRIX_ constant, 0 to 4")
        }
    }

    /// The weight of red in luma.
    public var kr: Double {
        switch self {
        case .itu709: 0.2126
        case .itu601: 0.299
        case .itu2020: 0.2627
        case .smpte240m: 0.212
        }
    }

    /// The weight of blue in luma. The weight of green is 1 - kr - kb.
    public var kb: Double {
        switch self {
        case .itu709: 0.0722
        case .itu601: 0.114
        case .itu2020: 0.0593
        case .smpte240m: 0.087
        }
    }
}
