internal import COpenH264
private import NaluLibc

/// OpenH264 as a ``VideoEncoder``. It returns each picture at once. Its owner calls it from one thread at a time.
@safe
final class OpenH264Encoder: VideoEncoder {
    let reorderDepth = 0
    let formatDescription: FormatDescription
    let sliceRewriter: SliceRewriter?
    let lastAnalysisStep: Int
    let recommendedParallelism: Int
    let reasonAgainstQPOffsets: String? = "OpenH264 takes no QP offsets"
    let hasOwnLayers = true
    let alternatesIDRNumbers = false
    private(set) var effectiveParameters: String

    /// The most attempts to encode a frame. After each one that did not fit, the QP rises by ``qpStep``.
    private static let attempts = 3
    private static let qpStep = 8

    private let setup: EncoderSetup
    private let noise: NoiseFloor
    /// The frames per second that OpenH264 is opened with, in its range.
    private let frameRate: Double
    /// The bits per second of OpenH264 divided by those of the stream. Their frame rates can differ.
    private let rateScale: Double
    private var encoder: OpaquePointer
    private var settings: OpenH264Settings
    private var frames: Int64 = 0
    /// The amount by which every lowest QP is raised, because a picture did not fit.
    private var extraQP = 0
    private var analysisStep = 0

    init(_ setup: EncoderSetup) throws(NaluError) {
        self.setup = setup
        noise = NoiseFloor(hasSlices: setup.configuration.allowMultipleSlices)
        let expected = setup.configuration.live.rate.assumedFrameRate.perSecond
        frameRate = min(max(expected, Double(NALU_OPENH264_MIN_FRAME_RATE)), Double(NALU_OPENH264_MAX_FRAME_RATE))
        rateScale = frameRate / expected
        lastAnalysisStep = setup.configuration.prioritizeEncodingSpeedOverQuality == true ? 0 : 1
        recommendedParallelism = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        settings = OpenH264Settings(setup.rate, setup.configuration.live.qpBounds, floor: 0)
        let rate = Self.rate(
            setup.rate, settings, floor: 0, scale: rateScale,
            complexity: Self.complexity(step: 0, last: lastAnalysisStep))
        unsafe encoder = try Self.open(settings.fill(setup, rate, frameRate: frameRate))
        do throws(NaluError) {
            let sets = unsafe try Self.readParameterSets(encoder, setup)
            formatDescription = sets.format
            sliceRewriter = sets.rewriter
        } catch {
            unsafe nalu_openh264_close(encoder)
            throw error
        }
        var version: (Int32, Int32, Int32) = (0, 0, 0)
        unsafe withUnsafeMutableBytes(of: &version) { bytes in
            unsafe nalu_openh264_version(bytes.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        effectiveParameters = "openh264=\(version.0).\(version.1).\(version.2)"
    }

    deinit { unsafe nalu_openh264_close(encoder) }

    func encode(_ frame: EncoderFrame) throws(NaluError) -> EncoderOutput? {
        var input = nalu_openh264_frame()
        let pixels = frame.pixels
        unsafe input.planes = (
            UnsafePointer(pixels.bytes(0)), UnsafePointer(pixels.bytes(1)), UnsafePointer(pixels.bytes(2))
        )
        input.strides = (pixels.stride(0), pixels.stride(1), pixels.stride(2))
        input.milliseconds = Int64(Double(frames) * 1000 / frameRate)
        input.is_key_frame = frame.forceKeyFrame
        frames += 1
        analysisStep = frame.analysisStep
        let floor = unsafe noise.qp(detail: nalu_openh264_detail(&input, Int32(setup.width), Int32(setup.height)))
        for _ in 0..<Self.attempts {
            try adjust(to: frame.rate, floor: min(floor + extraQP, 51), isKeyFrame: frame.forceKeyFrame)
            var picture = unsafe nalu_openh264_picture()
            if unsafe nalu_openh264_encode(encoder, &input, &picture) == 0 {
                return unsafe output(picture, token: frame.token)
            }
            // OpenH264 has closed the encoder.
            extraQP += Self.qpStep
            try reopen(OpenH264Settings(frame.rate, bounds, floor: min(floor + extraQP, 51)), frame.rate)
        }
        throw unsafe Self.failure(encoder, "OpenH264 failed to encode a frame")
    }

    func retune(_ rate: RatePlan) throws(NaluError) {
        // Nothing to do: every frame has its rate, and OpenH264 delays no picture.
    }

    func drain() throws(NaluError) -> EncoderOutput? { nil }

    private func output(_ picture: nalu_openh264_picture, token: UInt64) -> EncoderOutput {
        let kind = unsafe picture.kind
        if kind == NALU_OPENH264_SKIPPED { return .dropped(token: token) }
        return unsafe .picture(
            EncodedPicture(
                token: token, data: UnsafeRawBufferPointer(start: picture.data, count: picture.size),
                isKeyFrame: kind == NALU_OPENH264_IDR, isIntra: kind != NALU_OPENH264_P,
                isReference: picture.is_reference, averageQP: settings.holdsRate ? .nan : Double(frameQP)))
    }

    // MARK: The running encoder

    private var bounds: QPBounds { setup.configuration.live.qpBounds }
    /// The QP of the last frame, if the encoder holds no rate.
    private var frameQP = 0

    /// Changes the running encoder for the next frame, or replaces it if its settings cannot change while it runs.
    private func adjust(to plan: RatePlan, floor: Int, isKeyFrame: Bool) throws(NaluError) {
        let needed = OpenH264Settings(plan, bounds, floor: floor)
        guard settings.serves(needed, isKeyFrame: isKeyFrame) else {
            try reopen(needed, plan)
            return
        }
        var rate = rate(plan, needed, floor: floor)
        guard unsafe nalu_openh264_set_rate(encoder, &rate) == 0 else {
            throw unsafe Self.failure(encoder, "OpenH264 rejected the new rate")
        }
        frameQP = Int(rate.qp)
    }

    /// Replaces the encoder. The next picture is a key frame.
    private func reopen(_ needed: OpenH264Settings, _ plan: RatePlan) throws(NaluError) {
        let rate = rate(plan, needed, floor: needed.leastQP)
        let next = unsafe try Self.open(needed.fill(setup, rate, frameRate: frameRate))
        unsafe nalu_openh264_close(encoder)
        unsafe encoder = next
        settings = needed
        frameQP = Int(rate.qp)
    }

    private func rate(_ plan: RatePlan, _ settings: OpenH264Settings, floor: Int) -> nalu_openh264_rate {
        Self.rate(
            plan, settings, floor: floor, scale: rateScale,
            complexity: Self.complexity(step: analysisStep, last: lastAnalysisStep))
    }

    private static func rate(
        _ plan: RatePlan, _ settings: OpenH264Settings, floor: Int, scale: Double, complexity: Int32
    ) -> nalu_openh264_rate {
        var rate = nalu_openh264_rate()
        rate.complexity = complexity
        rate.qp = Int32(max(settings.askedQP, floor))
        guard settings.holdsRate else { return rate }
        let kilobits: Int
        if case .kilobitsPerSecond(let aim) = plan.aim {
            kilobits = aim
        } else {
            kilobits = plan.vbvBuffer?.kilobitsPerSecond ?? 0
        }
        let bits = Double(kilobits) * 1000 * scale
        rate.bits_per_second = Int32(min(max(bits, 1000), Double(NALU_OPENH264_MAX_BIT_RATE)))
        return rate
    }

    private static func complexity(step: Int, last: Int) -> Int32 { last > 0 && step == 0 ? 1 : 0 }

    // MARK: Helpers

    private static func open(_ settings: nalu_openh264_settings) throws(NaluError) -> OpaquePointer {
        var settings = settings
        var opened: OpaquePointer?
        let message = unsafe CText.written(512) { unsafe opened = nalu_openh264_open(&settings, $0, $1) }
        guard let encoder = unsafe opened else { throw NaluError(.couldNotCreateInstance, message) }
        return unsafe encoder
    }

    static func failure(_ encoder: OpaquePointer, _ what: String) -> NaluError {
        let reason = unsafe String(cString: nalu_openh264_error(encoder))
        return NaluError(.encoderMalfunction, reason.isEmpty ? what : "\(what): \(reason)")
    }
}
