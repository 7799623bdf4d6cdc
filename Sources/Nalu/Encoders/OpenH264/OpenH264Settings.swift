internal import COpenH264

/// The settings that one encoder of OpenH264 is opened with. A change of them needs another encoder, and a key frame.
struct OpenH264Settings: Equatable {
    /// Whether OpenH264's rate control runs. If not, each frame has a QP.
    let holdsRate: Bool
    /// The lowest QP that the session's properties ask for, 0 to 51.
    let askedQP: Int
    /// The lowest QP of OpenH264's rate control, 1 to 51. With 0, OpenH264 would limit the QP to 42.
    var leastQP: Int

    /// The lowest QP of OpenH264's own rate control, if the client has set none.
    private static let usualLeastQP = 12

    /// - Parameter floor: the lowest QP for the next frame, from ``NoiseFloor``.
    init(_ plan: RatePlan, _ bounds: QPBounds, floor: Int) {
        switch plan.aim {
        case .kilobitsPerSecond:
            holdsRate = true
            askedQP = bounds.least ?? Self.usualLeastQP
        case .quality(let quality):
            // A ceiling: OpenH264 holds that rate, but makes no picture better than the quality.
            holdsRate = plan.vbvBuffer != nil
            let qp = RatePlan.number(quality: quality, among: [51, 34, 26, 19, 1])
            askedQP = Self.bounded(Int(qp.rounded()), bounds)
        case .qp(let qp, _):
            holdsRate = false
            askedQP = Self.bounded(Int(qp.rounded()), bounds)
        }
        leastQP = holdsRate ? max(askedQP, floor, 1) : 0
    }

    private static func bounded(_ qp: Int, _ bounds: QPBounds) -> Int {
        min(max(qp, bounds.least ?? 0), bounds.most ?? 51)
    }

    /// Whether a running encoder with these settings can encode a frame that needs `other`. A lower QP than necessary is
    /// kept until the next key frame.
    func serves(_ other: OpenH264Settings, isKeyFrame: Bool) -> Bool {
        holdsRate == other.holdsRate
            && (!holdsRate
                || askedQP == other.askedQP
                    && (isKeyFrame ? leastQP == other.leastQP : leastQP >= other.leastQP))
    }

    /// Fills the settings of OpenH264.
    func fill(_ setup: EncoderSetup, _ rate: nalu_openh264_rate, frameRate: Double) -> nalu_openh264_settings {
        let configuration = setup.configuration
        var settings = nalu_openh264_settings()
        settings.width = Int32(setup.width)
        settings.height = Int32(setup.height)
        settings.rate = rate
        settings.frames_per_second = Float(frameRate)
        settings.min_qp = Int32(leastQP)
        settings.max_qp = Int32(configuration.live.qpBounds.most ?? 51)
        settings.profile_idc = Int32(configuration.profile.idc)
        settings.temporal_layers = configuration.hasTemporalLayers ? 2 : 1
        settings.uses_cabac = configuration.profile.hasCABAC && configuration.entropyMode != .cavlc
        settings.has_slices = configuration.allowMultipleSlices
        settings.is_full_range = setup.isFullRange
        settings.primaries = UInt8(clamping: configuration.signal.primaries(height: setup.height))
        settings.transfer = UInt8(clamping: configuration.signal.transferOrDefault)
        settings.matrix = UInt8(clamping: configuration.signal.matrix(height: setup.height))
        if let ratio = configuration.pixelAspectRatio {
            settings.sar_width = Int32(ratio.horizontal)
            settings.sar_height = Int32(ratio.vertical)
        }
        return settings
    }
}
