extension SessionConfiguration {
    /// What recovery from loss excludes.
    func checkRecovery() throws(NaluError) {
        guard recovers else { return }
        func conflict(_ sentence: String) -> NaluError { NaluError(.conflict, sentence) }
        if enableLTR && allowIntraRefresh {
            throw conflict("EnableLTR and NaluAllowIntraRefresh are both true; x264 supports only one of them")
        }
        let name = enableLTR ? "EnableLTR" : "NaluAllowIntraRefresh"
        if isInterlaced {
            throw conflict("\(name) true takes progressive frames, which FieldCount 2 and FieldDetail exclude")
        }
        if allowFrameReordering == true {
            throw conflict("AllowFrameReordering true holds frames back, which \(name) true excludes")
        }
        if let count = suggestedLookAheadFrameCount, count > 0 {
            throw conflict("SuggestedLookAheadFrameCount \(count) holds frames back, which \(name) true excludes")
        }
        if allowIntraRefresh && referenceBufferCount > 1 {
            throw conflict(
                "ReferenceBufferCount is \(referenceBufferCount); NaluAllowIntraRefresh true has one reference")
        }
    }
}
