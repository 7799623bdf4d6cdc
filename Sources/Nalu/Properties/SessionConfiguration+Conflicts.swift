/// Settings that contradict each other.
extension SessionConfiguration {
    /// Throws for the first pair of explicit settings that contradict each other, for example AllowFrameReordering in a
    /// profile without B-frames.
    func checkConflicts() throws(NaluError) {
        func conflict(_ message: String) -> NaluError { NaluError(.conflict, message) }

        let profileName = effectiveProfileLevel.name
        if allowFrameReordering == true {
            if !profile.hasBFrames {
                throw conflict(
                    "AllowFrameReordering true needs B-frames, which ProfileLevel \"\(profileName)\" excludes")
            }
            if realTime == true {
                throw conflict("AllowFrameReordering true delays frames, which RealTime true excludes")
            }
            if let setting = own.settingWithoutDelay {
                throw conflict("AllowFrameReordering true delays frames, which \(setting) excludes")
            }
            if (0..<own.leastDelayForReordering).contains(maxFrameDelayCount) {
                throw conflict(
                    "AllowFrameReordering true needs a MaxFrameDelayCount of at least \(own.leastDelayForReordering), or -1; it is "
                        + "\(maxFrameDelayCount)")
            }
        }
        try checkPasses()
        if outputBitDepth == 10 && profile.maxBitDepth < 10 {
            let (usual, deep) = (codec.tenBitProfiles.keys.map(\.name), codec.tenBitProfiles.values.map(\.name))
            let constants =
                codec.tenBitProfiles.values.compactMap(codec.names).first
                ?? "an " + usual.map { codec.constantPrefix + $0 + "_" }.joined(separator: " or ") + " constant"
            throw conflict(
                "OutputBitDepth 10 needs the profile \(deep.joined(separator: " or ")), and ProfileLevel is "
                    + "\"\(profileName)\"; use \(constants), or unset one of them")
        }
        try checkReach()
        try checkOpenGOP()
        try checkFields()
        try checkQPBounds()
        try checkVBVBuffer()
        if parameterSetsInStream && !limitsOverSeams {
            throw conflict(
                "NaluParameterSetsInStream true and NaluLimitsOverSeams false are both set, and a chunk joiner counts "
                    + "samples only; unset one of them")
        }
        try checkRecovery()
        try checkLayers()
        if entropyMode == .cabac && !profile.hasCABAC {
            throw conflict(
                "H264EntropyMode \"CABAC\" is not allowed by ProfileLevel \"\(profileName)\"; use \"CAVLC\" or Main")
        }
        if !allowMultipleSlices && live.rate.maxSliceBytes > 0 {
            throw conflict(
                "MaxH264SliceBytes \(live.rate.maxSliceBytes) needs several slices, which "
                    + "NaluAllowMultipleSlices excludes")
        }
        try own.checkConflicts(with: self)
    }

    /// Throws for settings of rate control that lack another setting or contradict it.
    func checkRateIsComplete() throws(NaluError) {
        func conflict(_ message: String) -> NaluError { NaluError(.conflict, message) }

        if constantBitRate > 0 && live.rate.expectedFrameRate == 0 {
            throw conflict("ConstantBitRate \(constantBitRate) needs ExpectedFrameRate, which is not set")
        }
        if Double(constantBitRate) / max(live.rate.expectedFrameRate, 0.001) > 1e9 {
            throw conflict(
                "ConstantBitRate \(constantBitRate) is above 1000000000 bits a frame at ExpectedFrameRate "
                    + "\(live.rate.expectedFrameRate); lower the bit rate, or raise ExpectedFrameRate")
        }
        guard variableBitRate == 0 else { return }
        let initial = SessionConfiguration()
        if live.rate.vbvMaxBitRate != initial.live.rate.vbvMaxBitRate {
            throw conflict("VBVMaxBitRate \(live.rate.vbvMaxBitRate) needs VariableBitRate, which is not set")
        }
        if live.rate.vbvBufferDuration != initial.live.rate.vbvBufferDuration {
            throw conflict("VBVBufferDuration \(live.rate.vbvBufferDuration) needs VariableBitRate, which is not set")
        }
        if vbvInitialDelayPercentage != initial.vbvInitialDelayPercentage {
            throw conflict(
                "VBVInitialDelayPercentage \(vbvInitialDelayPercentage) needs VariableBitRate, which is not set")
        }
    }

    /// Throws if several ways to hold a rate are set.
    private func checkVBVBuffer() throws(NaluError) {
        func conflict(_ message: String) -> NaluError { NaluError(.conflict, message) }

        if let quality = live.rate.quality, let factor = live.rate.constantQualityFactor {
            throw conflict("Quality \(quality) and ConstantQualityFactor \(factor) are both set; unset one of them")
        }
        let (key, rate): (PropertyKey, Int) =
            constantBitRate > 0 ? (.constantBitRate, constantBitRate) : (.variableBitRate, variableBitRate)
        guard rate > 0 else { return }
        let other: PropertyKey? =
            constantBitRate > 0 && variableBitRate > 0
            ? .variableBitRate
            : live.rate.averageBitRate > 0
                ? .averageBitRate
                : live.rate.heldQuality != nil
                    ? live.rate.qualityKey : !live.rate.limits.isEmpty ? .dataRateLimits : nil
        if let other {
            throw conflict("\(key.rawValue) \(rate) and \(other.rawValue) are both set; unset one of them")
        }
        if constantBitRate > 0, let most = live.qpBounds.most {
            throw conflict(
                "MaxAllowedFrameQP \(most) can keep frames above the rate of ConstantBitRate; unset one of "
                    + "them")
        }
        guard variableBitRate > 0 else { return }
        if let setting = settingWithoutDelay {
            throw conflict("VariableBitRate \(rate) needs lookahead, which \(setting) excludes; use AverageBitRate")
        }
        if (1..<rate).contains(live.rate.vbvMaxBitRate) {
            throw conflict("VBVMaxBitRate \(live.rate.vbvMaxBitRate) is below VariableBitRate \(rate)")
        }
    }

    /// Throws for contradictory settings of references, lookahead and effort.
    private func checkReach() throws(NaluError) {
        func conflict(_ message: String) -> NaluError { NaluError(.conflict, message) }

        if allowFrameReordering == true && referenceBufferCount == 1 {
            throw conflict("AllowFrameReordering true needs a ReferenceBufferCount of at least 2, or 0; it is 1")
        }
        if let count = suggestedLookAheadFrameCount, count > 0 {
            if realTime == true {
                throw conflict("SuggestedLookAheadFrameCount \(count) delays frames, which RealTime true excludes")
            }
            if let setting = own.settingWithoutDelay {
                throw conflict("SuggestedLookAheadFrameCount \(count) delays frames, which \(setting) excludes")
            }
            if maxFrameDelayCount >= 0 && count > maxFrameDelayCount {
                throw conflict(
                    "SuggestedLookAheadFrameCount \(count) is above MaxFrameDelayCount \(maxFrameDelayCount); expected "
                        + "at most as many frames")
            }
        }
        if maximizePowerEfficiency == true && realTime == true {
            throw conflict("MaximizePowerEfficiency true slows encoding, which RealTime true excludes")
        }
    }

    private func checkQPBounds() throws(NaluError) {
        guard let most = live.qpBounds.most else { return }
        if let least = live.qpBounds.least, least > most {
            throw NaluError(.conflict, "MinAllowedFrameQP \(least) is above MaxAllowedFrameQP \(most)")
        }
    }
}

extension SessionConfiguration {
    /// Throws if AllowOpenGOP has no B-frames, which alone can refer across a key frame.
    func checkOpenGOP() throws(NaluError) {
        guard allowOpenGOP else { return }
        func excluded(_ setting: String) -> NaluError {
            NaluError(.conflict, "AllowOpenGOP true needs B-frames, which \(setting) excludes")
        }
        if allowFrameReordering == false { throw excluded("AllowFrameReordering false") }
        if realTime == true { throw excluded("RealTime true") }
        if recovers { throw excluded(enableLTR ? "EnableLTR true" : "NaluAllowIntraRefresh true") }
        if let setting = own.settingWithoutDelay { throw excluded(setting) }
        if !profile.hasBFrames { throw excluded("ProfileLevel \"\(effectiveProfileLevel.name)\"") }
        if (0...2).contains(maxFrameDelayCount) { throw excluded("MaxFrameDelayCount \(maxFrameDelayCount)") }
        if referenceBufferCount == 1 { throw excluded("ReferenceBufferCount 1") }
    }

    /// Whether the stream will have recovery points, as far as is known before the encoder is open.
    var opensGOPs: Bool { allowOpenGOP && reordersFrames }
}

extension SessionConfiguration {
    /// Throws for settings that recovery from loss excludes.
    func checkRecovery() throws(NaluError) {
        guard recovers else { return }
        func conflict(_ message: String) -> NaluError { NaluError(.conflict, message) }
        if enableLTR && allowIntraRefresh {
            throw conflict("EnableLTR and NaluAllowIntraRefresh are both true; the encoder supports only one of them")
        }
        let name = enableLTR ? "EnableLTR" : "NaluAllowIntraRefresh"
        if isInterlaced {
            throw conflict("\(name) true needs progressive frames, which FieldCount 2 and FieldDetail exclude")
        }
        if allowFrameReordering == true {
            throw conflict("AllowFrameReordering true delays frames, which \(name) true excludes")
        }
        if let count = suggestedLookAheadFrameCount, count > 0 {
            throw conflict("SuggestedLookAheadFrameCount \(count) delays frames, which \(name) true excludes")
        }
        if allowIntraRefresh && referenceBufferCount > 1 {
            throw conflict(
                "ReferenceBufferCount is \(referenceBufferCount); expected 0 or 1, because NaluAllowIntraRefresh is true"
            )
        }
    }
}
