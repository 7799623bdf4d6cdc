/// An H.264 profile, or one of the constrained subsets that VideoToolbox names.
enum H264Profile: Sendable {
    case baseline
    case constrainedBaseline
    case main
    case high
    case constrainedHigh
    /// High with up to 10 bits per sample. VideoToolbox has no name for it: ``SessionConfiguration/profile`` derives it
    /// from High.
    case high10

    var hasCABAC: Bool { self != .baseline && self != .constrainedBaseline }
    var hasBFrames: Bool { self == .main || self == .high || self == .high10 }
    /// Whether the profile has the 8x8 transform and scaling matrices.
    var hasHighTools: Bool { self == .high || self == .constrainedHigh || self == .high10 }

    /// cpbBrVclFactor: the factor of table A-1's bit rates and buffer sizes (ITU-T H.264 table A-2).
    var bitFactor: Int {
        switch self {
        case .baseline, .constrainedBaseline, .main: 1000
        case .high, .constrainedHigh: 1250
        case .high10: 3000
        }
    }

    /// The name with which x264 restricts its parameters.
    var x264Name: String {
        switch self {
        case .baseline, .constrainedBaseline: "baseline"
        case .main: "main"
        case .high, .constrainedHigh: "high"
        case .high10: "high10"
        }
    }
}

/// The value of the ProfileLevel property: a profile, and a level or an AutoLevel.
struct ProfileLevel: Hashable, Sendable {
    let name: String
    let profile: H264Profile
    /// Ten times the level; nil for an AutoLevel.
    let levelIDC: Int?

    static let highAuto = ProfileLevel(name: "H264_High_AutoLevel", profile: .high, levelIDC: nil)

    /// Every constant that x264 supports, in VideoToolbox's order.
    static let all: [ProfileLevel] = {
        let levels = [30, 31, 32, 40, 41, 42, 50, 51, 52]
        func fixed(_ prefix: String, _ profile: H264Profile, _ levels: [Int]) -> [ProfileLevel] {
            levels.map {
                ProfileLevel(name: "H264_\(prefix)_\($0 / 10)_\($0 % 10)", profile: profile, levelIDC: $0)
            }
        }
        func auto(_ prefix: String, _ profile: H264Profile) -> [ProfileLevel] {
            [ProfileLevel(name: "H264_\(prefix)_AutoLevel", profile: profile, levelIDC: nil)]
        }
        return fixed("Baseline", .baseline, [13] + levels) + auto("Baseline", .baseline)
            + auto("ConstrainedBaseline", .constrainedBaseline)
            + fixed("Main", .main, levels) + auto("Main", .main)
            + fixed("High", .high, levels) + [highAuto]
            + auto("ConstrainedHigh", .constrainedHigh)
    }()

    static func named(_ name: String) throws(NaluError) -> ProfileLevel {
        if let found = all.first(where: { $0.name == name }) {
            return found
        }
        if name == "H264_Extended_5_0" || name == "H264_Extended_AutoLevel" {
            throw NaluError(
                .outOfRange, "ProfileLevel \"\(name)\": x264 does not write the Extended profile; expected Main or High"
            )
        }
        throw NaluError(
            .outOfRange,
            "ProfileLevel \"\(NaluError.excerpt(name))\" is not one of the H264_ constants, for example "
                + "\"\(highAuto.name)\"")
    }
}
