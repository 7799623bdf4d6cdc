internal import CX264
private import NaluLibc

/// x264 as a ``VideoEncoder``. Its owner calls it from one thread at a time.
@safe
final class X264Encoder: VideoEncoder {
    let reorderDepth: Int
    let formatDescription: FormatDescription
    let takesQPOffsets: Bool
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
    private var clock: TickClock
    private let hasLTR: Bool
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
        if setup.configuration.enableLTR { setup.rate.leaveRoomInSlices() }
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
        let opened = unsafe try ClientSignals.kept { () throws(NaluError) in unsafe nalu_x264_open(parameters) }
        guard let encoder = unsafe opened else {
            defer { unsafe log.deallocate() }
            throw unsafe Self.failure(log, .couldNotCreateInstance, "x264 cannot be opened")
        }
        // x264 has copied the strings. The parameters that x264 returns below would overwrite the pointers to them.
        unsafe x264_param_cleanup(parameters)
        let format: FormatDescription
        let rewriter: SliceRewriter
        do {
            unsafe x264_encoder_parameters(encoder, parameters)
            // A later pass needs no lookahead, since it has the results of the first pass. Its options are therefore
            // not compared.
            if setup.pass?.isFirst != false {
                try unsafe EffectiveOptions(asked: asked, effective: description.text(parameters))
                    .check(setup.configuration.x264.options)
            }
            (format, rewriter) = try unsafe Self.readHeaders(encoder, log, setup, parameters.pointee)
            try unsafe Self.checkDelay(encoder, setup, parameters.pointee)
            try unsafe X264Parameters.checkRecovery(
                parameters.pointee, delay: Int(x264_encoder_maximum_delayed_frames(encoder)), setup.configuration)
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
        formatDescription = format
        sliceRewriter = rewriter
        forgetsPictures = unsafe setup.configuration.enableLTR && !Self.mayWritePCMInCAVLC(parameters.pointee)
        heldReferences = format.sequence.maxReferenceFrames
        hasLTR = setup.configuration.enableLTR
        unsafe recommendedParallelism = max(1, Int(nalu_x264_processor_count() / max(1, parameters.pointee.i_threads)))
        let interval = unsafe parameters.pointee.i_keyint_max
        keyFrameInterval = interval < X264_KEYINT_MAX_INFINITE ? Int(interval) : nil
        reorderDepth = unsafe Self.reorderDepth(parameters.pointee)
        // Without adaptive quantisation, x264 ignores the offsets.
        unsafe takesQPOffsets = parameters.pointee.rc.i_aq_mode != X264_AQ_NONE
        ownsRate = setup.configuration.x264.ownsRate
        unsafe ladder = AnalysisLadder(from: AnalysisSettings(parameters.pointee))
        unsafe clock = TickClock(parameters.pointee, setup)
        qpScale = QPScale(bitDepth: setup.bitDepth)
        measuresQuality = setup.configuration.calculateMeanSquaredError
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

    func encode(_ frame: EncoderFrame) throws(NaluError) -> EncodedPicture? {
        let locale = CLocale()
        defer { locale.leave() }
        let pixels = frame.pixels
        let keyType = frame.mayBeRecoveryPoint ? X264_TYPE_KEYFRAME : X264_TYPE_IDR
        unsafe input.pointee.i_type = frame.forceKeyFrame ? keyType : X264_TYPE_AUTO
        try recover(frame)
        unsafe input.pointee.i_qpplus1 = frame.baseQP.map { qpScale.x264($0) + 1 } ?? X264_QP_AUTO
        let tick = clock.next(frame.presentationTime)
        unsafe input.pointee.i_pts = tick
        if hasLTR {
            if ticks.count > 16 { ticks.removeFirst() }
            ticks.append((frame.token, tick))
        }
        unsafe input.pointee.opaque = UnsafeMutableRawPointer(bitPattern: UInt(frame.token) &+ 1)
        unsafe input.pointee.img.i_csp =
            (pixels.format.planeCount == 2 ? X264_CSP_NV12 : X264_CSP_I420) | depthFlag
        unsafe input.pointee.img.i_plane = Int32(pixels.format.planeCount)
        unsafe input.pointee.img.plane = (
            Self.bytes(pixels, 0), Self.bytes(pixels, 1), Self.bytes(pixels, 2), nil
        )
        unsafe input.pointee.img.i_stride = (
            Self.stride(pixels, 0), Self.stride(pixels, 1), Self.stride(pixels, 2), 0
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
        guard var offsets = frame.qpOffsets else { return try unsafe run(input) }
        // x264 reads the offsets only during the call.
        return try unsafe offsets.withUnsafeMutableBufferPointer { buffer throws(NaluError) in
            unsafe input.pointee.prop.quant_offsets = buffer.baseAddress
            defer { unsafe input.pointee.prop.quant_offsets = nil }
            return try unsafe run(input)
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
        if hasLTR { plan.leaveRoomInSlices() }
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

    func drain() throws(NaluError) -> EncodedPicture? {
        let locale = CLocale()
        defer { locale.leave() }
        while unsafe x264_encoder_delayed_frames(encoder) > 0 {
            if let picture = try unsafe run(nil) {
                return picture
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
        return unsafe EncodedPicture(
            token: UInt64(UInt(bitPattern: output.pointee.opaque) &- 1),
            data: UnsafeRawBufferPointer(start: start, count: Int(size)),
            isKeyFrame: output.pointee.b_keyframe != 0 && type == X264_TYPE_IDR,
            isRecoveryPoint: output.pointee.b_keyframe != 0 && type != X264_TYPE_IDR,
            isIntra: type == X264_TYPE_IDR || type == X264_TYPE_I || type == X264_TYPE_KEYFRAME,
            isReference: type != X264_TYPE_B,
            averageQP: qpScale.qp(x264: log.pointee.frame_qp),
            quality: measuresQuality ? quality() : nil)
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

    // MARK: Opening

    private static func readHeaders(
        _ encoder: OpaquePointer, _ log: UnsafeMutablePointer<nalu_x264_log>, _ setup: EncoderSetup,
        _ parameters: x264_param_t
    ) throws(NaluError) -> (FormatDescription, SliceRewriter) {
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        guard unsafe x264_encoder_headers(encoder, &units, &count) > 0, let units = unsafe units else {
            throw unsafe failure(log, .encoderMalfunction, "x264 returned no parameter sets")
        }
        var sets: [[UInt8]] = []
        var source: SequenceParameterSet?
        var pictures: [PictureParameterSet] = []
        for index in 0..<Int(count) {
            let unit = unsafe units[index]
            guard unsafe unit.i_type == NAL_SPS.rawValue || unit.i_type == NAL_PPS.rawValue, unsafe unit.i_payload > 4
            else {
                continue
            }
            // The parameter set follows a 4-byte length prefix.
            let bytes = unsafe [UInt8](UnsafeBufferPointer(start: unit.p_payload + 4, count: Int(unit.i_payload) - 4))
            if unsafe unit.i_type == NAL_SPS.rawValue {
                source = try SequenceParameterSet(parsing: bytes)
                sets.append(unsafe try edited(bytes, setup, parameters))
            } else {
                pictures.append(try PictureParameterSet(parsing: bytes))
                sets.append(bytes)
            }
        }
        let format = try FormatDescription(parameterSets: sets, lengthSize: 4)
        try checkProfile(format, setup)
        let rewriter = SliceRewriter(
            sequence: source ?? format.sequence, pictures: pictures,
            frameNumberBits: format.sequence.frameNumberBits)
        return (format, rewriter)
    }

    /// Edits x264's SPS. If x264 counts frames, it writes one tick per frame as the frame rate. If it follows
    /// presentation times, it writes their tick. The stream must state the client's frame rate, or none. With NAL HRD
    /// the clock is the unit of other fields and stays.
    private static func edited(
        _ bytes: [UInt8], _ setup: EncoderSetup, _ parameters: x264_param_t
    ) throws(NaluError) -> [UInt8] {
        let constraints: UInt8 = setup.configuration.profile == .constrainedHigh ? 0x0c : 0
        var timing: SequenceParameterSetEditor.Timing = .unchanged
        if unsafe parameters.i_nal_hrd == X264_NAL_HRD_NONE {
            if !setup.configuration.saysFrameRate {
                timing = .removed
            } else if unsafe parameters.b_vfr_input != 0 {
                timing = unsafe .set(
                    unitsInTick: parameters.i_fps_den, timeScale: parameters.i_fps_num * 2, isFixed: false)
            }
        }
        // x264 sets cbr_flag only if it holds a bit rate itself; see RateControl.Mode.constant.
        return try SequenceParameterSetEditor.edit(
            bytes, timing: timing, addingConstraintFlags: constraints,
            hasConstantBitRate: setup.configuration.constantBitRate > 0,
            frameNumberBits: setup.configuration.enableLTR
                ? unsafe X264Parameters.frameNumberBits(
                    SequenceParameterSet(parsing: bytes), usesCABAC: parameters.b_cabac != 0) : nil)
    }

    /// Throws if the stream has a higher profile than the session's. The announced profile is the one that x264's tools
    /// need, and `x264.params` may have enabled more tools.
    private static func checkProfile(_ format: FormatDescription, _ setup: EncoderSetup) throws(NaluError) {
        let allowed: Int
        switch setup.configuration.profile {
        case .baseline, .constrainedBaseline: allowed = 66
        case .main: allowed = 77
        case .high, .constrainedHigh: allowed = 100
        case .high10: allowed = 110
        }
        guard format.sequence.profileIDC <= allowed else {
            throw NaluError(
                .conflict,
                "x264.params \"\(setup.configuration.x264.options.text)\" would give the stream profile_idc "
                    + "\(format.sequence.profileIDC), above that of ProfileLevel "
                    + "\"\((setup.configuration.profileLevel ?? .highAuto).name)\"")
        }
    }

    /// Whether x264's analysis may choose I_PCM macroblocks in CAVLC. There they are aligned to bytes, and a slice
    /// header without a forgotten picture may be shorter by any number of bits.
    private static func mayWritePCMInCAVLC(_ parameters: x264_param_t) -> Bool {
        unsafe parameters.b_cabac == 0 && parameters.analyse.i_subpel_refine >= 6
            && (parameters.analyse.b_psy == 0 || parameters.analyse.f_psy_rd <= 0)
    }

    private static func reorderDepth(_ parameters: x264_param_t) -> Int {
        if unsafe parameters.i_bframe == 0 { return 0 }
        return unsafe parameters.i_bframe_pyramid == X264_B_PYRAMID_NONE ? 1 : 2
    }

    private static func checkDelay(
        _ encoder: OpaquePointer, _ setup: EncoderSetup, _ parameters: x264_param_t
    ) throws(NaluError) {
        let limit = setup.configuration.maxFrameDelayCount
        let delay = unsafe Int(x264_encoder_maximum_delayed_frames(encoder)) + reorderDepth(parameters)
        guard limit < 0 || delay <= limit else {
            throw NaluError(
                .conflict,
                "MaxFrameDelayCount is \(limit), but x264.params \"\(setup.configuration.x264.options.text)\" makes x264 "
                    + "delay \(delay) frames")
        }
    }

    // MARK: Helpers

    /// Throws if x264 cannot have its memory. Without memory, x264 prints to stderr, also while it encodes.
    private static func checkMemory(_ parameters: UnsafePointer<x264_param_t>) throws(NaluError) {
        let memory = unsafe nalu_x264_estimate(parameters)
        let size = unsafe "\(parameters.pointee.i_width)x\(parameters.pointee.i_height)"
        guard nalu_x264_can_have(memory) == 1 else {
            throw NaluError(
                .allocationFailed,
                "x264 needs about \(memory.total >> 20) MiB of memory for \(size) with these properties, which exceeds the process's limit; use a smaller size, fewer lookahead or reference frames, or raise the limit"
            )
        }
    }

    /// Returns the error with x264's reason. x264 states no reason if it gets no memory or no thread.
    private static func failure(
        _ log: UnsafeMutablePointer<nalu_x264_log>, _ status: Status, _ what: String
    ) -> NaluError {
        guard let reason = unsafe nalu_x264_log_error(log) else {
            return NaluError(.allocationFailed, "\(what): out of memory or threads")
        }
        return NaluError(status, "\(what): \(unsafe String(cString: reason))")
    }

    private static func bytes(_ pixels: PixelView, _ plane: Int) -> UnsafeMutablePointer<UInt8>? {
        guard plane < pixels.format.planeCount else { return nil }
        return unsafe pixels.plane(plane).baseAddress.assumingMemoryBound(to: UInt8.self)
    }

    private static func stride(_ pixels: PixelView, _ plane: Int) -> Int32 {
        plane < pixels.format.planeCount ? unsafe Int32(clamping: pixels.plane(plane).stride) : 0
    }
}
