/// The settings that all chunks of a video have in common.
package struct ChunkSettings: Sendable, Equatable {
    /// The size of the encoded pictures.
    package let width: Int
    package let height: Int
    /// The pixel format of the frames; nil if it is not known.
    package let format: PixelFormat?
    /// The properties of the sessions, in the form of ``CompressionSession/set(text:)``.
    package let properties: String
    /// True if frames of other sizes are scaled.
    package let scales: Bool
    /// Bits per second of the whole video.
    package let bitRate: Int
    /// The highest bit rate of the level.
    package let highestRate: Int?
    /// The value of ``PropertyKey/dataRateLimits``.
    package let limits: [Double]

    package init(
        width: Int, height: Int, format: PixelFormat?, properties: String, scales: Bool, bitRate: Int,
        highestRate: Int?, limits: [Double]
    ) {
        self.scales = scales
        self.width = width
        self.height = height
        self.format = format
        self.properties = properties
        self.bitRate = bitRate
        self.highestRate = highestRate
        self.limits = limits
    }

    /// Creates a session for a chunk. It has one thread, so that its samples do not depend on the machine.
    ///
    /// - Parameters:
    ///   - isFirst: false if another chunk precedes. `isLast`: false if another chunk follows.
    ///   - bitRate: bits per second; nil for the rate of the video.
    ///   - limitsOverSeams: true sets ``PropertyKey/limitsOverSeams``.
    func session(
        _ storage: MultiPassStorage?, isFirst: Bool, isLast: Bool, bitRate: Int? = nil,
        limitsOverSeams: Bool = false, _ outputHandler: @escaping OutputHandler
    ) throws(NaluError) -> CompressionSession {
        let session = try CompressionSession(
            width: width, height: height, sourceFormat: format, outputHandler: outputHandler)
        var settings = try PropertyText.read([UInt8](properties.utf8))
        if let bitRate { settings.append((.averageBitRate, .integer(Int64(bitRate)))) }
        if !isFirst { settings.append((.moreFramesBeforeStart, true)) }
        if !isLast { settings.append((.moreFramesAfterEnd, true)) }
        if limitsOverSeams { settings.append((.limitsOverSeams, true)) }
        try session.set(settings)
        if let storage { try session.setMultiPassStorage(storage) }
        return session
    }
}

// MARK: - Choice of the settings

extension ChunkSettings {
    /// x264's options that give a chunk the same bytes on every machine. Without the second one, each kind of processor
    /// has other bytes, and x264's macroblock tree for AVX-512 (core 164) reads memory that it has not written.
    private static let fixedOptions = "threads=1:cpu-independent=1"
    private static let reservedOptions = [
        "threads", "sliced-threads", "lookahead-threads", "sync-lookahead", "cpu-independent",
    ]
    /// The ratio of a chunk's highest expected bit rate to the mean. The level must hold it.
    private static let peak = 4
    private static let highestProperty = 2_000_000_000
    private static let fixedLevels = [30, 31, 32, 40, 41, 42, 50, 51, 52]

    /// Chooses the settings for a source, and checks them with a session.
    ///
    /// - Parameters:
    ///   - size: the size to which frames are scaled; nil for the source's.
    ///   - asked: the caller's settings, in order. They take precedence over the facts about the source.
    init(
        _ facts: ChunkFacts, size: (width: Int, height: Int)?, bitRate: Int, asked: [PropertyText.Setting]
    ) throws(NaluError) {
        let names = SourceSettings.overridden(by: asked)
        var own = facts.properties.filter { !names.contains($0.key) }
        // Scaling would mix the lines of two fields.
        if size != nil { own.removeAll { SourceSettings.fieldKeys.contains($0.key) } }
        do throws(NaluError) {
            try self.init(facts, size, bitRate, own, asked)
        } catch {
            guard own.contains(where: { $0.key == .fieldCount }) else { throw error }
            // Some sizes and profiles have no interlaced frames.
            own.removeAll { SourceSettings.fieldKeys.contains($0.key) }
            try self.init(facts, size, bitRate, own, asked)
        }
    }

    private init(
        _ facts: ChunkFacts, _ size: (width: Int, height: Int)?, _ bitRate: Int, _ own: [PropertyText.Setting],
        _ asked: [PropertyText.Setting]
    ) throws(NaluError) {
        var settings: [PropertyText.Setting] = []
        if let rate = facts.frameRate { settings.append((.expectedFrameRate, .double(rate.perSecond))) }
        settings.append((.averageBitRate, .integer(Int64(bitRate))))
        settings += own
        if size != nil {
            settings.append((.allowScaling, true))
        } else if facts.hasFixedSize {
            settings.append((.allowScaling, false))
        }
        settings += asked.filter { $0.key != .x264Params && $0.key != .averageBitRate }
        settings.append((.x264Params, .string(try Self.options(asked))))
        let (width, height) = size ?? (facts.width, facts.height)
        func session() throws(NaluError) -> CompressionSession {
            let session = try CompressionSession(
                width: width, height: height, sourceFormat: facts.format, outputHandler: { _ in })
            try session.set(settings)
            return session
        }
        if let profile = try Self.automaticProfile(session()) {
            let peak = try session()
            try peak.set(.averageBitRate, .integer(Int64(min(bitRate * Self.peak, Self.highestProperty))))
            try peak.prepare()
            let needed = try peak.openLevel ?? 0
            try peak.invalidate()
            let level = Self.fixedLevels.first { $0 >= needed } ?? 52
            settings.removeAll { $0.key == .profileLevel }
            settings.append((.profileLevel, .string("\(profile)\(level / 10)_\(level % 10)")))
        }
        let fixed = try session()
        if let most = try fixed.highestLevelRate, bitRate > most {
            let level = (try? fixed.property(.profileLevel))?.stringValue ?? ""
            throw NaluError(.outOfRange, "bit_rate is \(bitRate); expected at most \(most), which \(level) holds")
        }
        self.init(
            width: width, height: height, format: facts.format, properties: try fixed.propertiesText,
            scales: try fixed.property(.allowScaling).boolValue ?? true, bitRate: bitRate,
            highestRate: try fixed.highestLevelRate,
            limits: (try? fixed.property(.dataRateLimits))?.numbersValue ?? [])
    }

    /// Returns the beginning of the ProfileLevel constants, such as "H264_High_", if the level depends on the bit rate,
    /// so that it must be fixed; otherwise nil. Throws if several passes exclude a setting.
    private static func automaticProfile(_ session: CompressionSession) throws(NaluError) -> String? {
        let storage = try MultiPassStorage()
        defer { try? session.invalidate() }
        try session.set([(.moreFramesBeforeStart, true), (.moreFramesAfterEnd, true)])
        try session.setMultiPassStorage(storage)
        try session.beginPass()
        let name = try session.property(.profileLevel).stringValue ?? ""
        let profiles = ["H264_Baseline_", "H264_Main_", "H264_High_"]
        return profiles.first { name == $0 + "AutoLevel" }
    }

    /// Returns the value of x264.params: the caller's options and the fixed ones.
    private static func options(_ asked: [PropertyText.Setting]) throws(NaluError) -> String {
        let texts = asked.filter { $0.key == .x264Params }.compactMap { $0.value?.stringValue }.filter { !$0.isEmpty }
        for option in texts.flatMap({ $0.split(separator: ":") }) {
            let name = option.prefix { $0 != "=" }.filter { $0 != " " }
            guard !reservedOptions.contains(String(name)) else {
                throw NaluError(
                    .outOfRange,
                    "x264.params has \"\(NaluError.excerpt(String(option)))\"; expected none of \(reservedOptions.joined(separator: ", ")), which chunks set themselves"
                )
            }
        }
        return (texts + [fixedOptions]).joined(separator: ":")
    }
}

/// The rules by which a caller's settings override the facts about a source.
package enum SourceSettings {
    static let fieldKeys: Set<PropertyKey> = [.fieldCount, .fieldDetail]

    /// x264's options that override a property of the source.
    private static let signalOptions: [String: PropertyKey] = [
        "colorprim": .colorPrimaries, "transfer": .transferFunction, "colormatrix": .yCbCrMatrix,
        "chromaloc": .chromaLocation,
    ]

    /// Returns the properties for a source's colour, by its codes of ITU-T H.273, and chroma location. Codes that no table
    /// has are left out.
    package static func signal(primaries: Int?, transfer: Int?, matrix: Int?, chromaLocation: Int?) -> [PropertyText
        .Setting]
    {
        let codes: [(PropertyKey, Int?)] = [
            (.colorPrimaries, primaries), (.transferFunction, transfer), (.yCbCrMatrix, matrix),
            // A stream without a chroma location means 0.
            (.chromaLocation, chromaLocation == 0 ? nil : chromaLocation),
        ]
        return codes.compactMap { key, code in
            guard let code, PropertyCatalog.info(key)?.range?.contains(Double(code)) == true else { return nil }
            return (key, .integer(Int64(code)))
        }
    }

    /// Returns the properties of the source that do not apply if a caller asks for these settings.
    package static func overridden(by asked: [PropertyText.Setting]) -> Set<PropertyKey> {
        var names = Set(asked.map(\.key))
        // The chroma of a field does not lie where that of a frame lies.
        if !names.isDisjoint(with: fieldKeys) { names.formUnion(fieldKeys.union([.chromaLocation])) }
        // A profile also determines the bit depth, so the source's depth must not override the profile.
        if names.contains(.profileLevel) { names.insert(.outputBitDepth) }
        let params = asked.last { $0.key == .x264Params }?.value?.stringValue ?? ""
        names.formUnion(params.split(separator: ":").compactMap { signalOptions[String($0.prefix { $0 != "=" })] })
        return names
    }
}

/// The facts about a session that a plan of chunks needs.
extension CompressionSession {
    /// Ten times the level in the stream's parameter sets; nil until the encoder is open.
    package var openLevel: Int? {
        get throws(NaluError) { try core.monitor.locked { (state) throws(NaluError) in state.open?.level } }
    }

    /// The highest bit rate that the fixed level of ``PropertyKey/profileLevel`` allows, in bits per second; nil if the
    /// level is not fixed.
    package var highestLevelRate: Int? {
        get throws(NaluError) {
            let configuration = try core.monitor.locked { (state) throws(NaluError) in state.configuration }
            return configuration.fixedLevelRate.map { $0 * 1000 }
        }
    }
}
