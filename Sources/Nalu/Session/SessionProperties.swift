/// Properties of a session: the catalogue's rows applied to what the session knows.
extension SessionCore {
    /// Sets all of them or none. nil restores a default.
    func setProperties(_ changes: [(key: PropertyKey, value: PropertyValue?)]) throws(NaluError) {
        // The values are checked before the lock is taken; what they add up to, after.
        var checked: [(info: PropertyInfo, value: PropertyValue?)] = []
        for (key, value) in changes {
            let info = try PropertyCatalog.require(key)
            guard info.access != .readOnly else {
                throw NaluError(.propertyReadOnly, "\(key.rawValue) is read-only")
            }
            checked.append((info, try value.map { value throws(NaluError) in try info.checked(value) }))
        }
        try monitor.locked { state throws(NaluError) in
            if state.isInvalid { throw Self.invalidError }
            let before = state.configuration
            var after = before
            for (info, value) in checked {
                try info.accessors.set(&after, value)
            }
            try after.checkConflicts()
            try checkLevel(after)
            try checkAperture(after)
            if let open = state.open {
                for (info, _) in checked where info.access == .untilOpen {
                    // What is read back may be set, also where it was not set but followed from the rest.
                    let old = info.accessors.get(before) ?? derived(info.key, state)
                    let new = info.accessors.get(after) ?? derived(info.key, state)
                    guard old == new else {
                        throw NaluError(
                            .tooLate,
                            "\(info.key.rawValue) cannot change once the encoder is open; set it before prepare or the first frame"
                        )
                    }
                }
                try open.rateControl.checkChange(to: after.live.rate)
                try checkLevelRate(after)
            }
            if let passes = state.multiPass, state.open != nil || !passes.isUntouched {
                try before.checkChange(to: after, isBetweenPasses: passes.isBetween)
            }
            state.configuration = after
        }
    }

    func property(_ key: PropertyKey) throws(NaluError) -> PropertyValue {
        let info = try PropertyCatalog.require(key)
        return try monitor.locked { state throws(NaluError) in
            if state.isInvalid { throw Self.invalidError }
            // Allowed reordering is not yet reordering: that property reports what the stream does.
            let asked =
                key == .allowFrameReordering || key == .allowOpenGOP ? nil : info.accessors.get(state.configuration)
            if let value = asked ?? derived(key, state) {
                return value
            }
            if key == .estimatedAverageBytesPerFrame {
                throw NaluError(
                    .valueNotAvailable,
                    "EstimatedAverageBytesPerFrame needs AverageBitRate and ExpectedFrameRate, and no Quality")
            }
            throw NaluError(
                .valueNotAvailable,
                state.open == nil
                    ? "\(key.rawValue) is not set, and the encoder is not open yet" : "\(key.rawValue) is not set")
        }
    }

    /// Every writable property that is not at its default, as ``PropertyText`` writes it.
    func propertiesText() throws(NaluError) -> String {
        let configuration = try monitor.locked { state throws(NaluError) in
            if state.isInvalid { throw Self.invalidError }
            return state.configuration
        }
        let initial = SessionConfiguration()
        var settings: [PropertyText.Setting] = []
        for info in PropertyCatalog.all where info.access != .readOnly {
            let value = info.accessors.get(configuration)
            if value != info.accessors.get(initial) { settings.append((info.key, value)) }
        }
        return PropertyText.write(settings)
    }

    /// What the preset of that name sets.
    func presetText(_ name: String) throws(NaluError) -> String {
        let isInvalid = try monitor.locked { $0.isInvalid }
        if isInvalid { throw Self.invalidError }
        return try CompressionPreset.named(name).propertiesText
    }

    /// A fixed level that cannot hold the size is refused when it is set.
    private func checkLevel(_ configuration: SessionConfiguration) throws(NaluError) {
        guard let profileLevel = configuration.profileLevel, let idc = profileLevel.levelIDC,
            let level = H264Level.level(idc)
        else { return }
        let wide = (encodedWidth + 15) / 16
        let high = (encodedHeight + 15) / 16
        guard level.holds(macroblocksWide: wide, high: high) else {
            throw NaluError(
                .outOfRange,
                "ProfileLevel \"\(profileLevel.name)\": level \(level.name) holds \(level.maxMacroblocksPerFrame) macroblocks a "
                    + "frame, and \(width)x\(height) has \(wide * high); take an AutoLevel")
        }
        let references = level.references(macroblocks: wide * high)
        guard configuration.referenceBufferCount <= references else {
            throw NaluError(
                .conflict,
                "ReferenceBufferCount is \(configuration.referenceBufferCount), and ProfileLevel "
                    + "\"\(profileLevel.name)\" holds \(references) frames of \(width)x\(height); take an AutoLevel")
        }
    }

    /// Only the session knows the size that an aperture and fields must lie in.
    private func checkAperture(_ configuration: SessionConfiguration) throws(NaluError) {
        let geometry = geometry(configuration)
        try geometry.checkFields()
        _ = try configuration.picture.cleanAperture?.cropping(of: geometry)
    }

    /// A bit rate beyond a fixed level is refused when the encoder is opened with it, and so it is later.
    private func checkLevelRate(_ configuration: SessionConfiguration) throws(NaluError) {
        guard let profileLevel = configuration.profileLevel, let level = profileLevel.levelIDC.flatMap(H264Level.level)
        else { return }
        let most = level.kilobitsPerSecond(configuration.profile) * 1000
        guard configuration.live.rate.averageBitRate <= most else {
            throw NaluError(
                .conflict,
                "AverageBitRate \(configuration.live.rate.averageBitRate) is above the \(most) bits a second of ProfileLevel "
                    + "\"\(profileLevel.name)\", with which the encoder runs")
        }
    }

    /// What is not set but follows from the rest, and what can only be read.
    private func derived(_ key: PropertyKey, _ state: SessionState) -> PropertyValue? {
        let configuration = state.configuration
        let isHD = encodedHeight >= 720
        return switch key {
        case .allowFrameReordering:
            .bool(state.open.map { $0.reorderDepth > 0 } ?? configuration.reordersFrames)
        case .allowOpenGOP:
            .bool(state.open.map { $0.reorderDepth > 0 && configuration.allowOpenGOP } ?? configuration.opensGOPs)
        case .h264EntropyMode:
            state.open.map { .string($0.usesCABAC ? "CABAC" : "CAVLC") }
        case .colorPrimaries:
            .string((isHD ? ColorPrimaries.itu709 : .smpteC).rawValue)
        case .transferFunction:
            .string(TransferFunction.itu709.rawValue)
        case .yCbCrMatrix:
            .string(ColorMatrix.automatic(height: encodedHeight).rawValue)
        case .x264Preset:
            .string(configuration.derivedPreset)
        case .x264Tune, .x264Params, .pixelTransferProperties:
            .string("")
        case .dataRateLimits, .pixelAspectRatio, .cleanAperture, .masteringDisplayColorVolume, .contentLightLevelInfo:
            .numbers([])
        case .fieldCount:
            .integer(configuration.isInterlaced ? 2 : 1)
        case .fieldDetail:
            configuration.isInterlaced ? .string(FieldDetail.temporalTopFirst.rawValue) : nil
        case .hdrMetadataInsertionMode:
            .string(HDRMetadataInsertionMode.automatic.rawValue)
        case .x264Effective:
            state.effectiveParameters.map { .string($0) }
        case .numberOfPendingFrames:
            .integer(Int64(state.ledger.pending))
        case .usingHardwareAcceleratedVideoEncoder:
            .bool(false)
        case .governorStep:
            .integer(Int64(state.governorStep))
        case .governorStepCount:
            state.open.map { .integer(configuration.governs ? Int64($0.lastAnalysisStep) : 0) }
        case .encoderID:
            .string(encoder.id.description)
        case .reorderDepth:
            state.open.map { .integer(Int64($0.reorderDepth)) }
        case .estimatedAverageBytesPerFrame:
            configuration.averageBytesPerFrame.map { .integer($0) }
        case .supportsBaseFrameQP:
            .bool(configuration.x264Params.leavesQPToFrames)
        case .supportedPresetDictionaries:
            .string(CompressionPreset.dictionariesText)
        case .pixelBufferPoolIsShared:
            state.open.map { .bool($0.setup.takes(sourceFormat ?? .nv12, width: width, height: height)) }
        case .videoEncoderPixelBufferAttributes:
            .string(pixelBufferAttributes(state))
        case .recommendedParallelizationLimit:
            state.open.map { .integer(Int64($0.recommendedParallelism)) }
        case .recommendedParallelizedSubdivisionMinimumFrameCount:
            parallel(state).map { .integer(Int64($0.minimumFrameCount)) }
        case .recommendedParallelizedSubdivisionMinimumDuration:
            parallel(state)?.minimumDuration.map { .double($0) }
        case .outputBitDepth:
            .integer(Int64(state.open?.setup.bitDepth ?? configuration.bitDepth(of: sourceFormat ?? .nv12)))
        default:
            nil
        }
    }

    /// Of frames that are encoded as they are, or are at least nearest to that.
    private func pixelBufferAttributes(_ state: SessionState) -> String {
        let source = sourceFormat ?? .nv12
        let isFullRange = state.open?.setup.isFullRange ?? (source.is420 && source.isFullRange)
        let bitDepth = state.open?.setup.bitDepth ?? state.configuration.bitDepth(of: source)
        let format: PixelFormat =
            bitDepth > 8
            ? (isFullRange ? .x420FullRange : .x420) : (isFullRange ? .nv12FullRange : .nv12)
        return PropertyText.write([
            ("PixelFormatType", .string(format.code ?? "")), ("Width", .integer(Int64(encodedWidth))),
            ("Height", .integer(Int64(encodedHeight))),
            ("BytesPerRowAlignment", .integer(Int64(PixelMemory.alignment))),
        ])
    }

    private func parallel(_ state: SessionState) -> ParallelEncoding? {
        state.open.map {
            ParallelEncoding(automaticInterval: $0.keyFrameInterval, settings: state.configuration.live)
        }
    }
}

extension FormatDescription {
    /// What the first picture parameter set says of the entropy coder.
    var usesCABAC: Bool {
        for set in parameterSets where set.first.map({ $0 & 0x1f }) == 8 {
            if let picture = try? PictureParameterSet(parsing: set) {
                return picture.usesCABAC
            }
        }
        return false
    }
}
