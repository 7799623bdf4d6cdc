/// The properties of a session: the rows of the catalogue, applied to the session's state.
extension SessionCore {
    /// Sets all properties or none. A nil value restores a default.
    func setProperties(_ changes: [(key: PropertyKey, value: PropertyValue?)]) throws(NaluError) {
        // Single values are checked before the lock is held, and their combination afterwards.
        var checked: [(info: PropertyInfo, value: PropertyValue?)] = []
        for (key, value) in changes {
            let info = try encoder.properties.require(key)
            guard info.access != .readOnly else {
                throw NaluError(.propertyReadOnly, "\(key.rawValue) is read-only")
            }
            checked.append((info, try value.map { value throws(NaluError) in try info.checked(value) }))
        }
        let closes = try monitor.locked { state throws(NaluError) -> Bool in
            if state.isInvalid { throw Self.invalidError }
            let isUnused = state.isUnused
            let before = state.configuration
            var after = before
            for (info, value) in checked {
                try info.accessors.set(&after, value)
            }
            try after.checkConflicts()
            let geometry = geometry(after)
            try encoder.traits.codec.limits.check(after, geometry)
            _ = try after.picture.cleanAperture?.cropping(of: geometry)
            if let open = state.open, !isUnused {
                let (now, then) = (facts(state, before), facts(state, after))
                for (info, _) in checked where info.access == .untilOpen {
                    // A property may be set to the value that it returns, even if that value was derived and not set.
                    guard info.setting(in: now) == info.setting(in: then) else {
                        throw NaluError(
                            .tooLate,
                            "\(info.key.rawValue) cannot change after the first frame; set it before that"
                        )
                    }
                }
                try open.rateControl.checkChange(to: after.live.rate)
                try encoder.traits.codec.limits.checkRate(after)
            }
            if let passes = state.multiPass, !isUnused, state.open != nil || !passes.isUntouched {
                try before.checkChange(to: after, isBetweenPasses: passes.isBetween)
            }
            state.configuration = after
            guard isUnused, Self.needsOpening(from: before, to: after) else { return false }
            state.closeUnused()
            monitor.wake(.work)
            return true
        }
        if closes { try awaitClosing() }
    }

    func property(_ key: PropertyKey) throws(NaluError) -> PropertyValue {
        let info = try encoder.properties.require(key)
        return try monitor.locked { state throws(NaluError) in
            if state.isInvalid { throw Self.invalidError }
            if let value = info.value(in: facts(state, state.configuration)) { return value }
            if let reason = info.accessors.unavailable { throw NaluError(.valueNotAvailable, reason) }
            throw NaluError(
                .valueNotAvailable,
                state.open == nil
                    ? "\(key.rawValue) is not set, and the encoder is not open yet" : "\(key.rawValue) is not set")
        }
    }

    /// Returns every writable property that is not at its default, in the form of ``PropertyText``.
    func propertiesText() throws(NaluError) -> String {
        let configuration = try monitor.locked { state throws(NaluError) in
            if state.isInvalid { throw Self.invalidError }
            return state.configuration
        }
        let initial = SessionConfiguration(encoder.traits)
        var settings: [PropertyText.Setting] = []
        for info in encoder.properties.rows where info.access != .readOnly {
            let value = info.accessors.get(configuration)
            if value != info.accessors.get(initial) { settings.append((info.key, value)) }
        }
        return PropertyText.write(settings)
    }

    private func facts(_ state: SessionState, _ configuration: SessionConfiguration) -> SessionSnapshot {
        SessionSnapshot(
            configuration: configuration, encodedWidth: encodedWidth, encodedHeight: encodedHeight,
            sourceFormat: sourceFormat, encoderID: encoder.id, traits: encoder.traits,
            encoder: state.open.map { open in
                SessionSnapshot.Encoder(
                    reorderDepth: open.reorderDepth, isFullRange: open.setup.isFullRange, bitDepth: open.setup.bitDepth,
                    lastAnalysisStep: open.lastAnalysisStep, recommendedParallelism: open.recommendedParallelism,
                    keyFrameInterval: open.keyFrameInterval,
                    takesPoolBuffers: open.setup.takes(
                        sourceFormat ?? open.setup.input.usual, width: width, height: height),
                    entropyMode: open.entropyMode, chromaLocation: open.chromaLocation)
            },
            effectiveParameters: state.effectiveParameters, pendingFrames: state.ledger.pending,
            governorStep: state.governorStep)
    }
}

extension FormatDescription {
    /// The entropy mode of the first PPS of H.264; nil for other codecs.
    var entropyMode: SessionConfiguration.EntropyMode? {
        guard codec == Self.h264 else { return nil }
        for set in parameterSets where set.first.map({ $0 & 0x1f }) == 8 {
            if let picture = try? PictureParameterSet(parsing: set) {
                return picture.usesCABAC ? .cabac : .cavlc
            }
        }
        return nil
    }
}
