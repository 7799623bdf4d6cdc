/// A property that VideoToolbox has and Nalu does not have.
public struct UnsupportedProperty: Sendable {
    public let key: PropertyKey
    /// The reason, as the end of an error message.
    public let reason: String

    fileprivate init(_ key: PropertyKey, _ reason: String) {
        self.key = key
        self.reason = reason
    }
}

extension PropertyCatalog {
    /// VideoToolbox's keys that have no row, in its order. Each of its keys either has a row or is listed here.
    public static let unsupported: [UnsupportedProperty] = {
        let alpha = "the encoder writes no alpha plane; the alpha of a frame is not encoded"
        let layers = "the encoder has no temporal layers"
        let views = "it belongs to MV-HEVC, which holds several views; the codec here is H.264"
        let camera = "a container says it of a spatial or projected video, not the H.264 stream"
        let digitalVideo = "it is a flag of DV streams"
        return [
            UnsupportedProperty("TargetQualityForAlpha", alpha),
            UnsupportedProperty("Depth", "it belongs to codecs that store RGB pixels; H.264 here stores YCbCr"),
            UnsupportedProperty("PreserveAlphaChannel", alpha),
            UnsupportedProperty(
                "MaximumRealTimeFrameRate",
                "nothing is set aside for a highest rate: when frames come too fast, encode waits or says so"),
            UnsupportedProperty("BaseLayerFrameRateFraction", layers),
            UnsupportedProperty("BaseLayerBitRateFraction", layers),
            UnsupportedProperty("BaseLayerFrameRate", layers),
            UnsupportedProperty("UsingGPURegistryID", "the encoder uses no GPU"),
            UnsupportedProperty("AspectRatio16x9", digitalVideo + "; PixelAspectRatio says the shape of the pixels"),
            UnsupportedProperty("ProgressiveScan", digitalVideo + "; FieldCount says what frames are"),
            UnsupportedProperty("ICCProfile", "a container carries an ICC profile, not the H.264 stream"),
            UnsupportedProperty(
                "GammaLevel", "H.264 names a transfer function by a code, not by a number; see TransferFunction"),
            UnsupportedProperty("AlphaChannelMode", alpha),
            UnsupportedProperty(
                "MultiPassStorage",
                "no property holds an object; nalu_compression_session_set_multi_pass_storage in nalu/multi_pass.h sets it"
            ),
            UnsupportedProperty(
                "PreserveDynamicHDRMetadata", "pixel buffers here carry no metadata that could be preserved"),
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
                "it is not in this version; x264.params has \"frame-packing\": 3 side by side, 4 over and under"),
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
            "there is no property \"\(NaluError.excerpt(key.rawValue))\"; nalu_property_get_key lists all")
    }
}
