internal import CX264
private import NaluLibc

/// x264 as a ``VideoEncoder``. Its owner calls it from one thread at a time.
@safe
final class X264Encoder: VideoEncoder {
    let reorderDepth: Int
    let formatDescription: FormatDescription
    let delay: Int
    let reasonAgainstQPOffsets: String?
    let heldReferences: Int
    let recommendedParallelism: Int
    let keyFrameInterval: Int?
    let sliceRewriter: SliceRewriter?
    let forgetsPictures: Bool
    private(set) var effectiveParameters: String
    private let description: X264Description

    /// An x264_t, which Swift sees as an opaque pointer.
    private let encoder: OpaquePointer
    private let log: UnsafeMutablePointer<nalu_x264_log>
    /// Reused for every frame: x264_picture_t is large, and most of its fields do not change.
    private let input: UnsafeMutablePointer<x264_picture_t>
    private let output: UnsafeMutablePointer<x264_picture_t>
    private let ownsRate: Bool
    private let qpScale: QPScale
    private let depthFlag: Int32
    private let measuresQuality: Bool
    /// Whether x264 writes the parameter sets before each key frame.
    private let writesParameterSets: Bool
    private var clock: TickClock
    private let mayForget: Bool
    /// The bytes by which another header can enlarge a slice.
    private let sliceGrowth: Int
    /// The offset of the entire frame, repeated for each macroblock; empty if no frame has one. The memory is reused.
    private var wholeOffsets: [Float]
    /// The ticks of the frames that may still be forgotten.
    private var ticks: [(token: UInt64, tick: Int64)] = []
    /// The VBV buffer for a plan without one. Without it, x264 would keep the buffer that it has.
    private let looseVBVBuffer: RatePlan.VBVBuffer?
    private var plan: RatePlan
    /// Whether x264's own parameters do not show the last plan yet.
    private var planIsPending = false
    /// The number of pictures that must still carry the plan.
    private var picturesToTell = 0
    private let ladder: AnalysisLadder
    private var analysisStep = 0

    init(_ setup: EncoderSetup) throws(NaluError) {
        let locale = CLocale()
        defer { locale.leave() }
        let parameters = UnsafeMutablePointer<x264_param_t>.allocate(capacity: 1)
        unsafe x264_param_default(parameters)
        defer {
            unsafe x264_param_cleanup(parameters)
            unsafe parameters.deallocate()
        }
        var setup = setup
        setup.rate.leaveRoomInSlices(X264Parameters.sliceGrowth(setup.configuration))
        let asked = try unsafe X264Parameters.fill(parameters, from: setup)
        let description = unsafe X264Description(before: parameters, setup.configuration)

        let log = UnsafeMutablePointer<nalu_x264_log>.allocate(capacity: 1)
        unsafe log.initialize(to: nalu_x264_log())
        unsafe nalu_x264_log_clear(log)
        unsafe nalu_x264_set_log(parameters, log)
        do throws(NaluError) {
            try unsafe Self.checkMemory(parameters)
        } catch {
            unsafe log.deallocate()
            throw error
        }
        // x264 starts its threads when it is opened.
        let opened = unsafe try InheritedState.hidden { () throws(NaluError) in unsafe nalu_x264_open(parameters) }
        guard let encoder = unsafe opened else {
            defer { unsafe log.deallocate() }
            throw unsafe Self.failure(log, .couldNotCreateInstance, "x264 cannot be opened")
        }
        // x264 has copied the strings. The parameters that x264 returns below would overwrite the pointers to them.
        unsafe x264_param_cleanup(parameters)
        let sets: H264ParameterSets
        do {
            unsafe x264_encoder_parameters(encoder, parameters)
            // A later pass needs no lookahead, since it has the results of the first pass. Its options are therefore
            // not compared.
            if setup.pass?.isFirst != false {
                try unsafe EffectiveOptions(asked: asked, effective: description.text(parameters))
                    .check(setup.configuration.x264.options)
            }
            sets = try unsafe Self.readHeaders(encoder, log, setup, parameters.pointee)
            try unsafe X264Parameters.checkRecovery(
                parameters.pointee, delay: Int(x264_encoder_maximum_delayed_frames(encoder)), setup.configuration)
            try unsafe Self.checkLayers(parameters.pointee, setup.configuration)
        } catch {
            unsafe x264_encoder_close(encoder)
            unsafe log.deallocate()
            throw error
        }
        unsafe self.encoder = encoder
        unsafe self.log = log
        unsafe input = .allocate(capacity: 1)
        unsafe output = .allocate(capacity: 1)
        unsafe x264_picture_init(input)
        unsafe x264_picture_init(output)
        formatDescription = sets.format
        sliceRewriter = sets.rewriter
        mayForget = setup.configuration.enableLTR || setup.configuration.hasTemporalLayers
        forgetsPictures = unsafe mayForget && !Self.mayWritePCMInCAVLC(parameters.pointee)
        heldReferences = sets.format.sequence.maxReferenceFrames
        sliceGrowth = X264Parameters.sliceGrowth(setup.configuration)
        let macroblocks = setup.geometry.macroblocksWide * setup.geometry.macroblocksHigh
        wholeOffsets = Array(repeating: 0, count: setup.configuration.hasTemporalLayers ? macroblocks : 0)
        unsafe recommendedParallelism = max(1, Int(nalu_x264_processor_count() / max(1, parameters.pointee.i_threads)))
        let interval = unsafe parameters.pointee.i_keyint_max
        keyFrameInterval = interval < X264_KEYINT_MAX_INFINITE ? Int(interval) : nil
        reorderDepth = unsafe Self.reorderDepth(parameters.pointee)
        unsafe delay = Int(x264_encoder_maximum_delayed_frames(encoder)) + reorderDepth
        // x264 ignores the offsets in this case.
        reasonAgainstQPOffsets =
            unsafe parameters.pointee.rc.i_aq_mode != X264_AQ_NONE
            ? nil
            : "the encoder runs without adaptive quantisation (aq-mode 0 in x264.effective): SpatialAdaptiveQPLevel 0, the "
                + "preset ultrafast, the tune psnr or x264.params turned it off; x264.params "
                + "\"aq-mode=1:aq-strength=0.01\" turns it on with almost no effect of its own"
        ownsRate = setup.configuration.x264.ownsRate
        unsafe ladder = AnalysisLadder(from: AnalysisSettings(parameters.pointee))
        unsafe clock = TickClock(parameters.pointee, setup)
        qpScale = QPScale(bitDepth: setup.bitDepth)
        measuresQuality = setup.configuration.calculateMeanSquaredError
        writesParameterSets = setup.configuration.parameterSetsInStream
        depthFlag = setup.bitDepth > 8 ? X264_CSP_HIGH_DEPTH : 0
        looseVBVBuffer = unsafe H264Level.level(Int(parameters.pointee.i_level_idc)).map {
            X264Parameters.looseVBVBuffer(setup.configuration, level: $0)
        }
        var plan = setup.rate
        plan.vbvBuffer = plan.vbvBuffer ?? looseVBVBuffer
        self.plan = plan
        self.description = description
        unsafe effectiveParameters = description.text(parameters)
    }

    deinit {
        let locale = CLocale()
        unsafe x264_encoder_close(encoder)
        locale.leave()
        unsafe input.deallocate()
        unsafe output.deallocate()
        unsafe log.deallocate()
    }

    func encode(_ frame: EncoderFrame) throws(NaluError) -> EncoderOutput? {
        let locale = CLocale()
        defer { locale.leave() }
        let pixels = frame.pixels
        let keyType = frame.mayBeRecoveryPoint ? X264_TYPE_KEYFRAME : X264_TYPE_IDR
        unsafe input.pointee.i_type = frame.forceKeyFrame ? keyType : X264_TYPE_AUTO
        try recover(frame)
        unsafe input.pointee.i_qpplus1 = frame.baseQP.map { qpScale.x264($0) + 1 } ?? X264_QP_AUTO
        let tick = clock.next(frame.presentationTime, isLimited: ownsRate || frame.rate.vbvBuffer != nil)
        unsafe input.pointee.i_pts = tick
        if mayForget {
            if ticks.count > 16 { ticks.removeFirst() }
            ticks.append((frame.token, tick))
        }
        unsafe input.pointee.opaque = UnsafeMutableRawPointer(bitPattern: UInt(frame.token) &+ 1)
        unsafe input.pointee.img.i_csp =
            (pixels.format.planeCount == 2 ? X264_CSP_NV12 : X264_CSP_I420) | depthFlag
        unsafe input.pointee.img.i_plane = Int32(pixels.format.planeCount)
        unsafe input.pointee.img.plane = (
            pixels.bytes(0), pixels.bytes(1), pixels.bytes(2), nil
        )
        unsafe input.pointee.img.i_stride = (
            pixels.stride(0), pixels.stride(1), pixels.stride(2), 0
        )
        unsafe input.pointee.param = nil
        let rate = completed(frame.rate)
        let changesRate = rate != plan && (!ownsRate || rate.maxSliceBytes != plan.maxSliceBytes)
        if changesRate || frame.analysisStep != analysisStep {
            plan = rate
            analysisStep = frame.analysisStep
            planIsPending = true
            // x264 accepts parameters when the picture that carries them is coded. With B-frames this happens after
            // pictures that arrived later, which therefore carry them too.
            unsafe picturesToTell = Int(x264_encoder_maximum_delayed_frames(encoder)) + 1
        }
        if picturesToTell > 0 {
            picturesToTell -= 1
            unsafe input.pointee.param = try changedParameters(plan)
        }
        guard let offsets = frame.qpOffsets else {
            guard frame.qpOffset != 0 else { return try unsafe run(input).map { .picture($0) } }
            for index in wholeOffsets.indices { wholeOffsets[index] = frame.qpOffset }
            return try run(offsets: &wholeOffsets)
        }
        var all = frame.qpOffset == 0 ? offsets : offsets.map { $0 + frame.qpOffset }
        return try run(offsets: &all)
    }

    /// Encodes the input with QP offsets, which x264 reads only during the call.
    private func run(offsets: inout [Float]) throws(NaluError) -> EncoderOutput? {
        try unsafe offsets.withUnsafeMutableBufferPointer { buffer throws(NaluError) in
            unsafe input.pointee.prop.quant_offsets = buffer.baseAddress
            defer { unsafe input.pointee.prop.quant_offsets = nil }
            return try unsafe run(input).map { .picture($0) }
        }
    }

    func retune(_ rate: RatePlan) throws(NaluError) {
        let rate = completed(rate)
        guard rate != plan, !ownsRate else { return }
        let locale = CLocale()
        defer { locale.leave() }
        plan = rate
        planIsPending = true
        picturesToTell = 0
        let parameters = try unsafe changedParameters(rate)
        defer { unsafe free(parameters) }
        unsafe nalu_x264_log_clear(log)
        guard unsafe x264_encoder_reconfig(encoder, parameters) == 0 else {
            throw unsafe Self.failure(log, .encoderMalfunction, "x264 rejected the new rate")
        }
    }

    private func completed(_ plan: RatePlan) -> RatePlan {
        var plan = plan
        plan.vbvBuffer = plan.vbvBuffer ?? looseVBVBuffer
        plan.leaveRoomInSlices(sliceGrowth)
        return plan
    }

    /// Passes the frame's requests on to the encoder before the frame itself.
    private func recover(_ frame: EncoderFrame) throws(NaluError) {
        if frame.beginIntraRefresh {
            unsafe x264_encoder_intra_refresh(encoder)
        }
        guard let token = frame.forgetFrom else { return }
        if let entry = ticks.first(where: { $0.token >= token }) {
            unsafe nalu_x264_log_clear(log)
            guard unsafe x264_encoder_invalidate_reference(encoder, entry.tick) == 0 else {
                throw unsafe Self.failure(log, .encoderMalfunction, "x264 cannot invalidate frame \(token)")
            }
        }
    }

    var lastAnalysisStep: Int { ladder.lastStep }

    func drain() throws(NaluError) -> EncoderOutput? {
        let locale = CLocale()
        defer { locale.leave() }
        while unsafe x264_encoder_delayed_frames(encoder) > 0 {
            if let picture = try unsafe run(nil) {
                return .picture(picture)
            }
        }
        return nil
    }

    // MARK: One call of x264

    private func run(_ picture: UnsafeMutablePointer<x264_picture_t>?) throws(NaluError) -> EncodedPicture? {
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        unsafe nalu_x264_log_clear(log)
        let size = unsafe x264_encoder_encode(encoder, &units, &count, picture, output)
        guard size >= 0 else {
            throw unsafe Self.failure(log, .encoderMalfunction, "x264 failed to encode a frame")
        }
        if planIsPending {
            noteEffectiveParameters()
        }
        guard size > 0, count > 0, let units = unsafe units, let start = unsafe units.pointee.p_payload else {
            return nil
        }
        let type = unsafe output.pointee.i_type
        let data = unsafe UnsafeMutableRawBufferPointer(start: start, count: Int(size))
        return unsafe EncodedPicture(
            token: UInt64(UInt(bitPattern: output.pointee.opaque) &- 1),
            data: writesParameterSets
                ? Self.withoutParameterSets(data, UnsafeBufferPointer(start: units, count: Int(count)))
                : UnsafeRawBufferPointer(data),
            isKeyFrame: output.pointee.b_keyframe != 0 && type == X264_TYPE_IDR,
            isRecoveryPoint: output.pointee.b_keyframe != 0 && type != X264_TYPE_IDR,
            isIntra: type == X264_TYPE_IDR || type == X264_TYPE_I || type == X264_TYPE_KEYFRAME,
            isReference: type != X264_TYPE_B,
            averageQP: qpScale.qp(x264: log.pointee.frame_qp),
            quality: measuresQuality ? quality() : nil)
    }

    /// Returns the picture without the parameter sets. Only an access unit delimiter can precede them; it moves to the
    /// place before the other NAL units.
    private static func withoutParameterSets(
        _ data: UnsafeMutableRawBufferPointer, _ units: UnsafeBufferPointer<x264_nal_t>
    ) -> UnsafeRawBufferPointer {
        func isSet(_ unit: x264_nal_t) -> Bool {
            unsafe unit.i_type == NAL_SPS.rawValue || unit.i_type == NAL_PPS.rawValue
        }
        func size(_ units: Slice<UnsafeBufferPointer<x264_nal_t>>) -> Int {
            unsafe units.reduce(0) { unsafe $0 + Int($1.i_payload) }
        }
        guard let first = unsafe units.firstIndex(where: isSet) else { return UnsafeRawBufferPointer(data) }
        let end = unsafe units[first...].firstIndex { unsafe !isSet($0) } ?? units.endIndex
        let before = unsafe size(units[..<first])
        let sets = unsafe size(units[first..<end])
        guard before + sets <= data.count else { return UnsafeRawBufferPointer(data) }
        if before > 0, let start = data.baseAddress {
            unsafe (start + sets).copyMemory(from: start, byteCount: before)
        }
        return unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(data)[sets...])
    }

    /// Returns the quality of the delivered picture. x264 reports 100 dB if it finds no error (encoder.c, calc_psnr).
    private func quality() -> QualityMetrics {
        unsafe QualityMetrics(
            lumaPSNR: output.pointee.prop.f_psnr.0, chromaBluePSNR: output.pointee.prop.f_psnr.1,
            chromaRedPSNR: output.pointee.prop.f_psnr.2, averagePSNR: output.pointee.prop.f_psnr_avg,
            ssim: output.pointee.prop.f_ssim, ceiling: 100,
            peak: depthFlag == 0 ? 255 : 1023)
    }

    /// Returns the running parameters with the changes. x264 applies them with the frame that carries them, and then
    /// frees them.
    private func changedParameters(_ plan: RatePlan) throws(NaluError) -> UnsafeMutablePointer<x264_param_t> {
        guard let memory = unsafe malloc(MemoryLayout<x264_param_t>.size) else {
            throw NaluError(.allocationFailed, "out of memory for changed encoder parameters")
        }
        let parameters = unsafe memory.bindMemory(to: x264_param_t.self, capacity: 1)
        unsafe x264_encoder_parameters(encoder, parameters)
        unsafe fillChanges(&parameters.pointee, plan)
        unsafe parameters.pointee.param_free = { unsafe free($0) }
        return unsafe parameters
    }

    private func fillChanges(_ parameters: inout x264_param_t, _ plan: RatePlan) {
        if ownsRate {
            unsafe parameters.i_slice_max_size = Int32(clamping: plan.maxSliceBytes)
        } else {
            unsafe X264Parameters.fillRate(&parameters, plan)
        }
        unsafe ladder[analysisStep].apply(to: &parameters)
    }

    /// Reads the parameters that x264 really runs with, and checks whether the last change has arrived there.
    private func noteEffectiveParameters() {
        let parameters = UnsafeMutablePointer<x264_param_t>.allocate(capacity: 1)
        unsafe x264_encoder_parameters(encoder, parameters)
        unsafe effectiveParameters = description.text(parameters)
        unsafe fillChanges(&parameters.pointee, plan)
        planIsPending = unsafe description.text(parameters) != effectiveParameters
        unsafe parameters.deallocate()
    }

    // MARK: Helpers

    /// Returns the error with x264's reason. x264 states no reason if it gets no memory or no thread.
    static func failure(
        _ log: UnsafeMutablePointer<nalu_x264_log>, _ status: Status, _ what: String
    ) -> NaluError {
        guard let reason = unsafe nalu_x264_log_error(log) else {
            return NaluError(.allocationFailed, "\(what): out of memory or threads")
        }
        return NaluError(status, "\(what): \(unsafe String(cString: reason))")
    }
}
