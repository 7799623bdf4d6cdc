/// A codec: its profiles, levels and own properties. Two codecs are equal if their codes are.
struct Codec: Hashable, Sendable {
    /// The four-character code of the codec's samples.
    let code: UInt32
    /// The beginning of the names of the codec's constants of ProfileLevel, for example "H264_".
    let constantPrefix: String
    /// Every value of ProfileLevel, in VideoToolbox's order.
    let profileLevels: [ProfileLevel]
    /// The constants that no encoder writes, each with the reason.
    let refusedProfileLevels: [String: String]
    /// The profile and level of a session that sets none.
    let usualProfileLevel: ProfileLevel
    /// The profiles that take the place of others if the stream has 10 bits.
    let tenBitProfiles: [CodecProfile: CodecProfile]
    let limits: any CodecLimits
    /// The properties that only this codec has, or has in a way of its own, except ProfileLevel.
    let properties: [PropertyInfo]

    /// Every codec that an encoder of the library has.
    static let all = [h264, h265]

    static func == (left: Codec, right: Codec) -> Bool { left.code == right.code }

    func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

/// A profile of a codec.
struct CodecProfile: Hashable, Sendable {
    /// The name in the standard, for example "High 10".
    let name: String
    /// `profile_idc` of H.264, `general_profile_idc` of H.265. A stream may state a smaller one.
    let idc: Int
    let hasCABAC: Bool
    /// Whether the profile, in VideoToolbox's sense, has B-frames and interlaced frames.
    let hasBFrames: Bool
    /// Whether H.264's 8x8 transform and scaling matrices are allowed.
    let hasHighTools: Bool
    /// The factor of the levels' bit rates and buffer sizes in thousandths.
    let bitFactor: Int
    let maxBitDepth: Int
}

/// The value of the ProfileLevel property: a profile, and a level or an AutoLevel.
struct ProfileLevel: Hashable, Sendable {
    let name: String
    let profile: CodecProfile
    /// The level as the stream states it: ten times the level in H.264. Nil for an AutoLevel.
    let levelIDC: Int?
}

/// The limits of a codec's profiles and levels. A session checks them before its encoder is opened.
protocol CodecLimits: Sendable {
    /// The smallest width and height in pixels.
    var leastSide: Int { get }
    /// The levels that allow interlaced frames; nil if the codec's encoders make none.
    var interlacedLevels: ClosedRange<Int>? { get }
    /// Checks the session's size. Throws `.invalidSize`.
    func check(width: Int, height: Int) throws(NaluError)
    /// Checks the properties for pictures of that geometry. Throws `.outOfRange` and `.conflict`.
    func check(_ configuration: SessionConfiguration, _ geometry: PictureGeometry) throws(NaluError)
    /// Checks a rate that changes while the encoder runs. Throws `.conflict`.
    func checkRate(_ configuration: SessionConfiguration) throws(NaluError)
    /// Returns the highest bit rate of a level in 1000 bits per second; nil for a number that is no level.
    func kilobitsPerSecond(level: Int, _ profile: CodecProfile) -> Int?
}

extension Codec {
    /// Returns the values of ProfileLevel with that profile, for error messages; nil if there is none.
    func names(of profile: CodecProfile) -> String? {
        let names = profileLevels.filter { $0.profile == profile }.map(\.name)
        return names.isEmpty ? nil : names.joined(separator: " or ")
    }
}

extension SessionConfiguration {
    /// The ProfileLevel that is set, or the codec's usual one.
    var effectiveProfileLevel: ProfileLevel { profileLevel ?? codec.usualProfileLevel }

    /// The profile of the stream, which depends on its depth.
    var profile: CodecProfile {
        let named = effectiveProfileLevel.profile
        guard outputBitDepth == 10, let deep = codec.tenBitProfiles[named] else { return named }
        // A client that chose between constants for both depths has excluded the other depth.
        return profileLevel != nil && codec.names(of: deep) != nil ? named : deep
    }

    /// The highest bit rate of a fixed level in 1000 bits per second; nil if the level is not fixed.
    var fixedLevelRate: Int? {
        profileLevel?.levelIDC.flatMap { codec.limits.kilobitsPerSecond(level: $0, profile) }
    }
}

extension PropertyInfo {
    /// Returns the row of ProfileLevel. The first codec has the default and the error messages.
    static func profileLevel(of codecs: [Codec]) -> PropertyInfo {
        let all = codecs.flatMap(\.profileLevels)
        return PropertyInfo(
            .profileLevel, .string, .untilOpen, nil, all.map(\.name), codecs.first?.usualProfileLevel.name ?? "",
            "The profile and level of the stream. An AutoLevel is the lowest level that allows the size, frame rate, "
                + "bit rate and reference frames.",
            checksNames: false,
            get: { .string($0.effectiveProfileLevel.name) },
            set: { configuration, value, _ throws(NaluError) in
                guard let name = value?.stringValue else {
                    configuration.profileLevel = nil
                    return
                }
                let codec = configuration.codec
                if let reason = codec.refusedProfileLevels[name] {
                    throw NaluError(.outOfRange, "ProfileLevel \"\(name)\": \(reason)")
                }
                guard let found = all.first(where: { $0.name == name }) else {
                    throw NaluError(
                        .outOfRange,
                        "ProfileLevel \"\(NaluError.excerpt(name))\" is not one of the \(codec.constantPrefix) constants, for example "
                            + "\"\(codec.usualProfileLevel.name)\"")
                }
                configuration.profileLevel = found
            })
    }
}
