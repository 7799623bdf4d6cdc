internal import CX265

/// Maps a session's configuration to x265's parameters.
@safe
struct X265Parameters {
    private let api: UnsafePointer<x265_api>
    let pointer: UnsafeMutablePointer<x265_param>

    /// The least width for x265's CU-tree. Its vector code stores the values of four blocks of 16 pixels at once, and writes
    /// beyond the memory of a row with fewer blocks.
    private static let leastWidthOfTree = 64

    /// Creates the parameters. The owner must call ``free()``, also after a throw of ``fill(from:)``.
    init(_ api: UnsafePointer<x265_api>) throws(NaluError) {
        guard let pointer = unsafe api.pointee.param_alloc() else {
            throw NaluError(.allocationFailed, "out of memory for x265's parameters")
        }
        unsafe self.api = api
        unsafe self.pointer = pointer
    }

    func free() {
        unsafe nalu_x265_free_strings(pointer)
        unsafe api.pointee.param_free(pointer)
    }

    /// Replaces the parameters by those that an encoder runs with.
    func read(from encoder: OpaquePointer) {
        unsafe nalu_x265_free_strings(pointer)
        unsafe api.pointee.encoder_parameters(encoder, pointer)
    }

    /// Fills the parameters. The caller must have a ``CLocale``.
    func fill(from setup: EncoderSetup) throws(NaluError) {
        let configuration = setup.configuration
        let preset = configuration.x265Preset
        guard unsafe api.pointee.param_default_preset(pointer, preset, nil) == 0 else {
            throw NaluError(.couldNotCreateInstance, "x265 does not accept preset \"\(preset)\"")
        }
        unsafe nalu_x265_set_form(pointer)
        unsafe pointer.pointee.sourceWidth = Int32(setup.width)
        unsafe pointer.pointee.sourceHeight = Int32(setup.height)
        unsafe pointer.pointee.internalBitDepth = Int32(setup.bitDepth)
        let rate = configuration.live.rate
        unsafe pointer.pointee.fpsNum = rate.assumedFrameRate.numerator
        unsafe pointer.pointee.fpsDenom = rate.assumedFrameRate.denominator
        unsafe pointer.pointee.bEmitVUITimingInfo = rate.frameRate == nil ? 0 : 1
        // The session's KeyFramePolicy decides on key frames. -1 would turn scene cuts off.
        unsafe pointer.pointee.keyframeMax = Int32.max
        unsafe pointer.pointee.keyframeMin = 1
        // x265 opens only for pictures of at least one coding tree unit, which has 64x64 pixels with most presets.
        if unsafe min(setup.width, setup.height) < Int(pointer.pointee.maxCUSize) {
            unsafe pointer.pointee.maxCUSize = 32
        }
        fillAnalysis(configuration)
        fillDelay(configuration)
        try fillThreads(configuration)
        fillRate(setup)
        fillSignal(setup)
        try fillMetadata(configuration)
    }

    /// Sets an option of x265's own syntax, which copies the value.
    private func parse(_ name: String, _ value: String) throws(NaluError) {
        guard unsafe api.pointee.param_parse(pointer, name, value) == 0 else {
            throw NaluError(.couldNotCreateInstance, "x265 does not accept \(name)=\(value)")
        }
    }

    private func fillAnalysis(_ configuration: SessionConfiguration) {
        // x265 reads the QP offsets of frames only with adaptive quantisation. This strength has almost no effect.
        if unsafe configuration.spatialAdaptiveQPLevel == 0 || pointer.pointee.rc.aqMode == X265_AQ_NONE {
            unsafe pointer.pointee.rc.aqMode = X265_AQ_VARIANCE
            unsafe pointer.pointee.rc.aqStrength = 0.01
        }
        if !configuration.allowBPyramid { unsafe pointer.pointee.bBPyramid = 0 }
        if !configuration.allowMultipleSlices { unsafe pointer.pointee.maxSlices = 1 }
    }

    /// Sets B-frames and lookahead within MaxFrameDelayCount.
    private func fillDelay(_ configuration: SessionConfiguration) {
        var lookahead = Int(unsafe pointer.pointee.lookaheadDepth)
        if let count = configuration.suggestedLookAheadFrameCount { lookahead = count }
        if let most = configuration.maxLookAheadFrameCount { lookahead = min(lookahead, most) }
        var bFrames = configuration.mayReorderFrames ? Int(unsafe pointer.pointee.bframes) : 0
        let room = configuration.maxFrameDelayCount
        if configuration.isLowDelay || (0..<X265Delay.least).contains(room) {
            (bFrames, lookahead) = (0, 0)
        } else if room > 0 {
            (bFrames, lookahead) = X265Delay.fit(bFrames: bFrames, lookahead: lookahead, in: room)
        }
        // x265 opens only if it looks further than its B-frames reach.
        bFrames = max(0, min(bFrames, lookahead - 1))
        unsafe pointer.pointee.bframes = Int32(bFrames)
        unsafe pointer.pointee.lookaheadDepth = Int32(lookahead)
        if bFrames == 0 { unsafe pointer.pointee.bFrameAdaptive = 0 }
        if lookahead == 0 { unsafe pointer.pointee.scenecutThreshold = 0 }
        // CU-tree needs a lookahead. In narrow pictures x265 3.5 writes beyond its memory.
        if unsafe lookahead == 0 || pointer.pointee.sourceWidth < Self.leastWidthOfTree {
            unsafe pointer.pointee.rc.cuTree = 0
        }
    }

    /// Sets the numbers of threads, so that ``X265Threads`` knows them before x265 is opened.
    private func fillThreads(_ configuration: SessionConfiguration) throws(NaluError) {
        let processors = X265Threads.processors
        let isFrugal = configuration.maximizePowerEfficiency == true
        // Each frame thread beyond the first delays one more frame.
        let mayDelay = configuration.maxFrameDelayCount < 0 && !configuration.isLowDelay && !isFrugal
        unsafe pointer.pointee.frameNumThreads =
            mayDelay ? X265Threads.frameThreads(pointer.pointee, processors: processors) : 1
        guard isFrugal else { return try parse("pools", "\(processors)") }
        unsafe pointer.pointee.bEnableWavefront = 0
        unsafe pointer.pointee.lookaheadThreads = 0
        try parse("pools", "none")
    }

    private func fillRate(_ setup: EncoderSetup) {
        unsafe pointer.pointee.rc.rateControlMode = Int32(X265_RC_CRF.rawValue)
        unsafe pointer.pointee.rc.rfConstant = Self.openingFactor(setup)
        // If CU-tree is off, x265 raises the QP of complex frames, and undoes 40 % of the frames' offsets.
        if unsafe pointer.pointee.rc.cuTree == 0 { unsafe pointer.pointee.rc.qCompress = 1 }
        let bounds = setup.configuration.live.qpBounds
        if let most = bounds.most { unsafe pointer.pointee.rc.qpMax = Int32(most) }
        if let least = bounds.least { unsafe pointer.pointee.rc.qpMin = Int32(least) }
    }

    /// Returns the rate factor to open with. x265 limits a frame's QP to the bounds before it adds the frame's offset, and
    /// after it: so the first limit must not apply, or the offset would be added to another QP than the rate factor's.
    static func openingFactor(_ setup: EncoderSetup) -> Double {
        let factor = rateFactor(setup.rate.aim)
        let bounds = setup.configuration.live.qpBounds
        let most = bounds.most.map { Double($0) - mostAboveFactor } ?? 51
        // The bounds may limit the QP of x265 if it holds a bit rate: each frame's offset is computed from the limited QP.
        guard case .quality = setup.rate.aim, let lowest = bounds.least else { return max(min(factor, most), 0) }
        let least = min(Double(lowest) + mostBelowFactor, 51)
        return least <= most ? factor.clamped(to: least...most) : max((least + most) / 2, 0)
    }

    /// The most by which the type and the complexity of a frame raise its QP above the rate factor, and lower it.
    private static let mostAboveFactor = 14.0
    private static let mostBelowFactor = 8.0

    /// Returns x265's rate factor. With a bit rate it is that of the normal quality, and a ``RateBudget`` offsets the QP of
    /// each frame.
    static func rateFactor(_ aim: RatePlan.Aim) -> Double {
        let quality = if case .quality(let quality) = aim { quality } else { RateControl.normalQuality }
        return RatePlan.number(quality: quality, among: [51, 35, 28, 21, 0])
    }

    private func fillSignal(_ setup: EncoderSetup) {
        let signal = setup.configuration.signal
        unsafe pointer.pointee.vui.bEnableVideoSignalTypePresentFlag = 1
        unsafe pointer.pointee.vui.bEnableVideoFullRangeFlag = setup.isFullRange ? 1 : 0
        unsafe pointer.pointee.vui.bEnableColorDescriptionPresentFlag = 1
        unsafe pointer.pointee.vui.colorPrimaries = Int32(signal.primaries(height: setup.height))
        unsafe pointer.pointee.vui.transferCharacteristics = Int32(signal.transferOrDefault)
        unsafe pointer.pointee.vui.matrixCoeffs = Int32(signal.matrix(height: setup.height))
        let location = Int32(signal.chromaLocation(ofRGB: setup.chromaIsCentred, isInterlaced: false))
        unsafe pointer.pointee.vui.bEnableChromaLocInfoPresentFlag = 1
        unsafe pointer.pointee.vui.chromaSampleLocTypeTopField = location
        unsafe pointer.pointee.vui.chromaSampleLocTypeBottomField = location
        if let ratio = setup.configuration.pixelAspectRatio {
            unsafe pointer.pointee.vui.aspectRatioIdc = X265_EXTENDED_SAR
            unsafe pointer.pointee.vui.sarWidth = Int32(ratio.horizontal)
            unsafe pointer.pointee.vui.sarHeight = Int32(ratio.vertical)
        }
    }

    private func fillMetadata(_ configuration: SessionConfiguration) throws(NaluError) {
        let picture = configuration.picture
        guard picture.hdrMetadataInsertion != HDRMetadataInsertionMode.none else { return }
        if let display = picture.masteringDisplay {
            let values = display.chromaticities
            func point(_ index: Int) -> String { "(\(values[2 * index]),\(values[2 * index + 1]))" }
            try parse(
                "master-display",
                "G\(point(0))B\(point(1))R\(point(2))WP\(point(3))L(\(display.maxLuminance),\(display.minLuminance))")
        }
        if let light = picture.contentLight {
            try parse("max-cll", "\(light.maximum),\(light.maximumFrameAverage)")
        }
    }
}

extension X265Parameters {
    /// Returns parameters as text in the syntax of x265's options.
    static func text(_ values: x265_param, _ preset: String) -> String {
        let pairs: [(String, String)] = unsafe [
            ("preset", preset), ("crf", "\(values.rc.rfConstant)"), ("output-depth", "\(values.internalBitDepth)"),
            ("fps", "\(values.fpsNum)/\(values.fpsDenom)"), ("bframes", "\(values.bframes)"),
            ("b-adapt", "\(values.bFrameAdaptive)"), ("b-pyramid", "\(values.bBPyramid)"),
            ("ref", "\(values.maxNumReferences)"), ("rc-lookahead", "\(values.lookaheadDepth)"),
            ("scenecut", "\(values.scenecutThreshold)"), ("open-gop", "\(values.bOpenGOP)"),
            ("aq-mode", "\(values.rc.aqMode)"), ("aq-strength", "\(values.rc.aqStrength)"),
            ("cutree", "\(values.rc.cuTree)"), ("qpmin", "\(values.rc.qpMin)"), ("qpmax", "\(values.rc.qpMax)"),
            ("pools", values.numaPools.map { unsafe String(cString: $0) } ?? ""),
            ("frame-threads", "\(values.frameNumThreads)"), ("wpp", "\(values.bEnableWavefront)"),
            ("rd", "\(values.rdLevel)"), ("me", "\(values.searchMethod)"), ("subme", "\(values.subpelRefine)"),
            ("merange", "\(values.searchRange)"), ("ctu", "\(values.maxCUSize)"), ("sao", "\(values.bEnableSAO)"),
            ("slices", "\(values.maxSlices)"),
        ]
        return pairs.map { "\($0.0)=\($0.1)" }.joined(separator: ":")
    }
}
