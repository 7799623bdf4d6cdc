extension SessionConfiguration {
    /// Whether frames have two fields. A set order of fields implies this.
    var isInterlaced: Bool { picture.fieldCount == 2 || (picture.fieldCount == nil && picture.fieldDetail != nil) }

    func checkFields() throws(NaluError) {
        func conflict(_ message: String) -> NaluError { NaluError(.conflict, message) }
        if picture.fieldCount == 1, let detail = picture.fieldDetail {
            throw conflict("FieldDetail \"\(detail.rawValue)\" needs two fields, but FieldCount is 1")
        }
        guard isInterlaced else { return }
        let profileName = effectiveProfileLevel.name
        let key = picture.fieldCount == nil ? "FieldDetail" : "FieldCount 2"
        if !profile.hasBFrames {
            throw conflict("\(key) makes interlaced frames, which ProfileLevel \"\(profileName)\" excludes")
        }
        if let level = profileLevel?.levelIDC, codec.limits.interlacedLevels?.contains(level) != true {
            throw conflict(
                "\(key) makes interlaced frames, which only levels 2.1 to 4.1 allow; ProfileLevel is \"\(profileName)\""
            )
        }
        if live.rate.maxSliceBytes > 0 {
            throw conflict(
                "\(key) makes interlaced frames, for which the encoder cannot keep MaxH264SliceBytes "
                    + "\(live.rate.maxSliceBytes)")
        }
    }
}

/// The field of an interlaced frame that is earlier, with CoreMedia's names. The rows of a frame arrive in spatial
/// order, so that two names mean the same field order.
enum FieldDetail: String, CaseIterable, Sendable {
    case temporalTopFirst = "TemporalTopFirst"
    case temporalBottomFirst = "TemporalBottomFirst"
    /// The field with the first row is earlier.
    case spatialFirstLineEarly = "SpatialFirstLineEarly"
    case spatialFirstLineLate = "SpatialFirstLineLate"

    var isTopFirst: Bool { self == .temporalTopFirst || self == .spatialFirstLineEarly }
}
