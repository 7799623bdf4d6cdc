/// The value of the property `PixelTransferProperties`: VideoToolbox's dictionary as text, in the form of
/// ``PropertyText``.
struct PixelTransferSettings: Hashable, Sendable {
    /// The mode; nil if unset, which means Normal.
    var scalingMode: ScalingMode?
    /// True for Average, which is how chroma is always reduced; false if unset.
    var averagesChroma = false

    init() {}

    /// Throws `.outOfRange` for text of another form, and for an unsupported key or value.
    init(_ text: String) throws(NaluError) {
        let settings: [PropertyText.Setting]
        do throws(NaluError) {
            settings = try PropertyText.read([UInt8](text.utf8))
        } catch {
            throw NaluError(.outOfRange, "PixelTransferProperties: \(error.message)")
        }
        for (key, value) in settings {
            switch key.rawValue {
            case "ScalingMode":
                scalingMode = try Self.choice(key, value, ScalingMode.allCases)
            case "DownsamplingMode":
                averagesChroma = try Self.average(key, value)
            default:
                throw Self.refused(key)
            }
        }
    }

    /// The settings in one canonical spelling; "" if none is set.
    var text: String {
        var settings: [PropertyText.Setting] = []
        if let scalingMode { settings.append(("ScalingMode", .string(scalingMode.rawValue))) }
        if averagesChroma { settings.append(("DownsamplingMode", "Average")) }
        return PropertyText.write(settings)
    }

    private static func choice<Value: RawRepresentable<String>>(
        _ key: PropertyKey, _ value: PropertyValue?, _ all: [Value]
    ) throws(NaluError) -> Value? {
        guard let value else { return nil }
        guard let found = all.first(where: { .string($0.rawValue) == value }) else {
            throw NaluError(
                .outOfRange,
                "PixelTransferProperties has \(key.rawValue) \(value.quoted); expected one of "
                    + all.map { $0.rawValue }.joined(separator: ", "))
        }
        return found
    }

    private static func average(_ key: PropertyKey, _ value: PropertyValue?) throws(NaluError) -> Bool {
        switch value {
        case nil: false
        case .string("Average"): true
        case .string("Decimate"):
            throw NaluError(
                .outOfRange,
                "PixelTransferProperties has DownsamplingMode \"Decimate\", which would take chroma from a corner of the "
                    + "luma samples, while the stream signals their centre; expected Average")
        case let value?:
            throw NaluError(
                .outOfRange,
                "PixelTransferProperties has DownsamplingMode \(value.quoted); expected Average")
        }
    }

    /// The keys of VideoToolbox that are not supported, and the alternatives.
    private static let others: [String: String] = [
        "DestinationCleanAperture": "use the property CleanAperture",
        "DestinationPixelAspectRatio": "use the property PixelAspectRatio",
        "DestinationColorPrimaries":
            "colours are not converted between primaries; the property ColorPrimaries describes the frames",
        "DestinationTransferFunction":
            "colours are not converted between transfer functions; the property TransferFunction describes the "
            + "frames",
        "DestinationYCbCrMatrix": "use the property YCbCrMatrix",
        "DestinationICCProfile": "colours are not converted by ICC profiles",
        "RealTime": "frames are always converted inside the encode call",
    ]

    private static func refused(_ key: PropertyKey) -> NaluError {
        let name = NaluError.excerpt(key.rawValue)
        let reason = others[key.rawValue].map { ": " + $0 } ?? ""
        return NaluError(
            .outOfRange,
            "PixelTransferProperties has the key \(name), which is not supported\(reason); expected ScalingMode or "
                + "DownsamplingMode")
    }
}
