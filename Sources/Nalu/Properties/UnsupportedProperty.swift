/// A property that Nalu, or one of its encoders, does not have.
public struct UnsupportedProperty: Sendable {
    public let key: PropertyKey
    /// The reason, as the end of an error message.
    public let reason: String

    init(_ key: PropertyKey, _ reason: String) {
        self.key = key
        self.reason = reason
    }
}

extension PropertyCatalog {
    /// VideoToolbox's keys that have no row, in its order. Each of its keys either has a row or is listed here.
    public static let unsupported: [UnsupportedProperty] = {
        let alpha = "the encoder writes no alpha plane; the alpha of a frame is not encoded"
        let views = "it is a property of MV-HEVC, which no encoder writes"
        let camera = "it belongs in the container of a spatial or projected video, not in the stream"
        let digitalVideo = "it is a property of DV streams"
        return [
            UnsupportedProperty("TargetQualityForAlpha", alpha),
            UnsupportedProperty("Depth", "it is a property of codecs that store RGB; this encoder stores YCbCr"),
            UnsupportedProperty("PreserveAlphaChannel", alpha),
            UnsupportedProperty(
                "MaximumRealTimeFrameRate",
                "no capacity is reserved for a maximum rate; when frames arrive too fast, encode waits or returns an error"
            ),
            UnsupportedProperty(
                "BaseLayerFrameRate", "the temporal layers have fractions of the frames; use BaseLayerFrameRateFraction"
            ),
            UnsupportedProperty("UsingGPURegistryID", "the encoder uses no GPU"),
            UnsupportedProperty("AspectRatio16x9", digitalVideo + "; use PixelAspectRatio"),
            UnsupportedProperty("ProgressiveScan", digitalVideo + "; use FieldCount"),
            UnsupportedProperty("ICCProfile", "an ICC profile belongs in the container, not in the stream"),
            UnsupportedProperty(
                "GammaLevel", "streams signal transfer functions by code; use TransferFunction"),
            UnsupportedProperty("AlphaChannelMode", alpha),
            UnsupportedProperty(
                "MultiPassStorage",
                "no property holds an object; nalu_compression_session_set_multi_pass_storage in nalu/multi_pass.h sets it"
            ),
            UnsupportedProperty(
                "PreserveDynamicHDRMetadata", "pixel buffers carry no such metadata"),
            UnsupportedProperty("MVHEVCVideoLayerIDs", views),
            UnsupportedProperty("MVHEVCViewIDs", views),
            UnsupportedProperty("MVHEVCLeftAndRightViewIDs", views),
            UnsupportedProperty("HeroEye", camera),
            UnsupportedProperty("StereoCameraBaseline", camera),
            UnsupportedProperty("HorizontalDisparityAdjustment", camera),
            UnsupportedProperty("HasLeftStereoEyeView", camera),
            UnsupportedProperty("HasRightStereoEyeView", camera),
            UnsupportedProperty("HorizontalFieldOfView", camera),
            UnsupportedProperty("ProjectionKind", camera),
            UnsupportedProperty(
                "ViewPackingKind",
                "it is not implemented; use \"frame-packing\" in x264.params: 3 is side by side, 4 is top and bottom"),
            UnsupportedProperty("CameraCalibrationDataLensCollection", camera),
        ]
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
