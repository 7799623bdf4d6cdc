/// A property that Nalu, or one of its encoders, does not have.
public struct UnsupportedProperty: Sendable {
    public let key: PropertyKey
    /// The reason, as the end of an error message.
    public let reason: String
    /// The value that describes what the encoder does without the property, and that sessions therefore accept and
    /// return; nil if they refuse every value.
    public let off: PropertyValue?

    init(_ key: PropertyKey, _ reason: String, off: PropertyValue? = nil) {
        self.key = key
        self.reason = reason
        self.off = off
    }

    /// Returns a property for each key of the rows.
    static func list(
        off: PropertyValue? = nil, _ rows: [(keys: [PropertyKey], reason: String)]
    ) -> [UnsupportedProperty] {
        rows.flatMap { row in row.keys.map { UnsupportedProperty($0, row.reason, off: off) } }
    }
}

extension PropertyCatalog {
    /// VideoToolbox's keys that have no row, in its order. Each of its keys either has a row or is listed here.
    public static let unsupported: [UnsupportedProperty] = {
        let alpha = "the encoder writes no alpha plane; the alpha of a frame is not encoded"
        let digitalVideo = "it is a property of DV streams"
        let camera = "it belongs in the container of a spatial or projected video, not in the stream"
        return UnsupportedProperty.list([
            (["TargetQualityForAlpha"], alpha),
            (["Depth"], "it is a property of codecs that store RGB; this encoder stores YCbCr"),
            (["PreserveAlphaChannel"], alpha),
            (
                ["MaximumRealTimeFrameRate"],
                "no capacity is reserved for a maximum rate; when frames arrive too fast, encode waits or returns an error"
            ),
            (
                ["BaseLayerFrameRate"],
                "the temporal layers have fractions of the frames; use BaseLayerFrameRateFraction"
            ),
            (["UsingGPURegistryID"], "the encoder uses no GPU"),
            (["AspectRatio16x9"], digitalVideo + "; use PixelAspectRatio"),
            (["ProgressiveScan"], digitalVideo + "; use FieldCount"),
            (["ICCProfile"], "an ICC profile belongs in the container, not in the stream"),
            (["GammaLevel"], "streams signal transfer functions by code; use TransferFunction"),
            (["AlphaChannelMode"], alpha),
            (
                ["MultiPassStorage"],
                "no property holds an object; nalu_compression_session_set_multi_pass_storage in nalu/multi_pass.h sets it"
            ),
            (["PreserveDynamicHDRMetadata"], "pixel buffers carry no such metadata"),
            (
                ["MVHEVCVideoLayerIDs", "MVHEVCViewIDs", "MVHEVCLeftAndRightViewIDs"],
                "it is a property of MV-HEVC, which no encoder writes"
            ),
            (
                [
                    "HeroEye", "StereoCameraBaseline", "HorizontalDisparityAdjustment", "HasLeftStereoEyeView",
                    "HasRightStereoEyeView", "HorizontalFieldOfView", "ProjectionKind",
                ], camera
            ),
            (
                ["ViewPackingKind"],
                "with the encoder x264, use \"frame-packing\" in x264.params: 3 is side by side, 4 is top and bottom"
            ),
            (["CameraCalibrationDataLensCollection"], camera),
        ])
    }()

    /// Returns the error for a key that has no row.
    package static func notSupported(_ key: PropertyKey) -> NaluError {
        if let known = unsupported.first(where: { $0.key == key }) {
            return NaluError(.propertyNotSupported, "\(key.rawValue) is not supported: \(known.reason)")
        }
        return NaluError(
            .propertyNotSupported,
            "there is no property \"\(NaluError.excerpt(key.rawValue))\"; nalu_property_get_key lists them")
    }
}
