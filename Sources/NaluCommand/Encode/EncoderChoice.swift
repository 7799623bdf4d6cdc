internal import ArgumentParser
internal import Nalu

/// The command-line option that chooses the encoder.
struct EncoderChoice: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The identifier of the encoder; nalu encoders lists them. By default the first one of the codec.",
            valueName: "id"),
        completion: .list(EncoderRegistry.all.map { $0.id.description }))
    var encoder: String?

    func validate() throws {
        let identifiers = EncoderRegistry.all.map { $0.id.description }
        guard let encoder, !identifiers.contains(encoder) else { return }
        throw ValidationError(
            "--encoder is \"\(NaluError.excerpt(encoder))\"; expected one of \(identifiers.joined(separator: ", "))")
    }
}

extension VideoFacts {
    /// Removes the metadata that the encoder with an identifier cannot write. Returns their names, as parts of a message.
    mutating func removeMetadata(lackingIn encoder: String?) -> [String] {
        guard let encoder else { return [] }
        func lacks(_ key: PropertyKey) -> Bool { PropertyCatalog.info(key)?.encoderIDs.contains(encoder) != true }
        var removed: [String] = []
        if masteringDisplay != nil, lacks(.masteringDisplayColorVolume) {
            masteringDisplay = nil
            removed.append("the mastering display (the encoder \(encoder) does not write it)")
        }
        if contentLight != nil, lacks(.contentLightLevelInfo) {
            contentLight = nil
            removed.append("the content light level (the encoder \(encoder) does not write it)")
        }
        return removed
    }

    /// The settings that follow from the input, as far as the encoder of that identifier has them.
    func properties(of encoder: String?) -> [(key: PropertyKey, value: PropertyValue?)] {
        guard let encoder else { return properties }
        return properties.filter {
            $0.key != .outputBitDepth || PropertyCatalog.info($0.key)?.encoderIDs.contains(encoder) == true
        }
    }
}
