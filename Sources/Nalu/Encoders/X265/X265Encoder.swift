internal import CX265
private import NaluLibc

/// x265 as a ``VideoEncoder``. Its owner calls it from one thread at a time.
///
/// x265 encodes with a constant rate factor (CRF), and cannot change it while it runs. Offsets to the QP of entire frames
/// change the quality, and keep the rate (``RateBudget``). Every frame therefore has offsets.
@safe
final class X265Encoder: VideoEncoder {
    let reorderDepth: Int
    let formatDescription: FormatDescription
    let delay: Int
    let effectiveParameters: String

    private let api: UnsafePointer<x265_api>
    /// An x265_encoder, which Swift sees as an opaque pointer.
    private let encoder: OpaquePointer
    private let parameters: X265Parameters
    private let input: UnsafeMutablePointer<x265_picture>
    private let output: UnsafeMutablePointer<x265_picture>
    private let chroma: ChromaPlanes
    private let bitDepth: Int
    private let frameSeconds: Double
    /// The bits of the parameter sets before each key frame, if rate control counts them.
    private let extraBits: Double
    private var budget: any RateBudget
    /// The QPs of frames without offsets, from the quality that x265 was opened with.
    private let base: BaseQP
    private var lastTime: MediaTime?
    private var index: Int64 = 0
    private var examination = PictureExamination()
    /// One offset for each 16x16 block. x265 crashes if a later frame is the first one with offsets, so every
    /// frame has them.
    private var offsets: [Float]
    private let blockCount: Int
    private let hasContentLight: Bool
    /// A picture without its parameter sets. The memory is reused.
    private var stripped = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)

    init(_ setup: EncoderSetup) throws(NaluError) {
        let locale = CLocale()
        defer { locale.leave() }
        let api = unsafe try X265Library.functions(bitDepth: setup.bitDepth)
        let parameters = unsafe try X265Parameters(api)
        do {
            try parameters.fill(from: setup)
            unsafe try X265Memory.check(parameters.pointer.pointee)
        } catch {
            parameters.free()
            throw error
        }
        let opened: OpaquePointer?
        do {
            unsafe opened = try X265Threads.open(api, parameters.pointer)
        } catch {
            parameters.free()
            throw error
        }
        guard let encoder = unsafe opened else {
            parameters.free()
            throw NaluError(
                .couldNotCreateInstance,
                "x265 cannot be opened for \(setup.width)x\(setup.height) with \(setup.bitDepth) bits, and states no reason; "
                    + "it may lack memory")
        }
        unsafe parameters.read(from: encoder)
        let pictures = unsafe (api.pointee.picture_alloc(), api.pointee.picture_alloc())
        let format: FormatDescription
        do throws(NaluError) {
            format = unsafe try Self.readHeaders(api, encoder, setup.configuration.live.rate)
            guard unsafe pictures.0 != nil && pictures.1 != nil else {
                throw NaluError(.allocationFailed, "out of memory for x265's pictures")
            }
        } catch {
            unsafe api.pointee.encoder_close(encoder)
            if let picture = unsafe pictures.0 { unsafe api.pointee.picture_free(picture) }
            if let picture = unsafe pictures.1 { unsafe api.pointee.picture_free(picture) }
            parameters.free()
            throw error
        }
        guard let input = unsafe pictures.0, let output = unsafe pictures.1 else {
            throw NaluError(.allocationFailed, "out of memory for x265's pictures")
        }
        unsafe self.input = input
        unsafe self.output = output
        unsafe self.api = api
        unsafe self.encoder = encoder
        self.parameters = parameters
        formatDescription = format
        reorderDepth = format.hevcSequence?.reorderDepth ?? 0
        let values = unsafe parameters.pointer.pointee
        delay = unsafe X265Delay.frames(
            bFrames: Int(values.bframes), lookahead: Int(values.lookaheadDepth),
            frameThreads: Int(values.frameNumThreads))
        effectiveParameters = unsafe X265Parameters.text(values, setup.configuration.x265Preset)
        bitDepth = setup.bitDepth
        chroma = ChromaPlanes(
            width: setup.width / 2, height: setup.height / 2, bytesPerSample: setup.bitDepth > 8 ? 2 : 1)
        frameSeconds = 1 / setup.configuration.live.rate.assumedFrameRate.perSecond
        extraBits = setup.configuration.parameterSetsInStream ? unsafe Double(format.annexBParameterSets.count * 8) : 0
        hasContentLight = setup.configuration.picture.contentLight != nil
        let bounds = setup.configuration.live.qpBounds
        let leastQP = Double(bounds.least ?? 0)
        let qpBounds = leastQP...max(leastQP, Double(bounds.most ?? 51))
        base = BaseQP(quality: X265Parameters.openingFactor(setup), bounds: qpBounds)
        if unsafe values.lookaheadDepth > 0, case .kilobitsPerSecond = setup.rate.aim {
            budget = LookaheadBudget(
                base: base.ofOthers, bounds: qpBounds, keyInterval: Self.keyInterval(setup.configuration.live))
        } else {
            budget = FrameBudget(base: base, bounds: qpBounds, reorders: reorderDepth > 0)
        }
        blockCount = setup.geometry.macroblocksWide * setup.geometry.macroblocksHigh
        // x265 rounds the picture's size up, and reads one offset for each 16x16 block of the larger size.
        offsets = Array(repeating: 0, count: 4 * blockCount + 1024)
    }

    deinit {
        unsafe api.pointee.encoder_close(encoder)
        // x265_cleanup would free tables of other running encoders.
        unsafe api.pointee.picture_free(input)
        unsafe api.pointee.picture_free(output)
        unsafe stripped.deallocate()
        parameters.free()
    }

    /// Changes nothing: every frame is passed with its own rate.
    func retune(_ rate: RatePlan) throws(NaluError) {}

    func encode(_ frame: EncoderFrame) throws(NaluError) -> EncoderOutput? {
        let pixels = frame.pixels
        unsafe api.pointee.picture_init(parameters.pointer, input)
        unsafe input.pointee.bitDepth = Int32(bitDepth)
        unsafe input.pointee.pts = index
        index += 1
        unsafe input.pointee.userData = UnsafeMutableRawPointer(bitPattern: UInt(frame.token) &+ 1)
        unsafe input.pointee.sliceType = frame.forceKeyFrame ? X265_TYPE_IDR : X265_TYPE_AUTO
        unsafe input.pointee.forceqp = Int32(frame.baseQP.map { $0 + 1 } ?? 0)
        unsafe input.pointee.framesize = 0
        let planes = unsafe chroma.planes(of: pixels)
        unsafe input.pointee.planes = (pixels.plane(0).baseAddress, planes.0.baseAddress, planes.1.baseAddress)
        unsafe input.pointee.stride = (
            Int32(clamping: pixels.plane(0).stride), Int32(clamping: planes.0.stride), Int32(clamping: planes.1.stride)
        )
        let offset = Float(frame.qpOffset) + (frame.baseQP == nil ? Float(budgetOffset(frame)) : 0)
        for index in 0..<blockCount { offsets[index] = offset }
        if let map = frame.qpOffsets {
            let mean = meanBesideRate(map, frame)
            for index in 0..<min(blockCount, map.count) { offsets[index] += map[index] - mean }
        }
        return unsafe try offsets.withUnsafeMutableBufferPointer { buffer throws(NaluError) in
            unsafe input.pointee.quantOffsets = buffer.baseAddress
            defer { unsafe input.pointee.quantOffsets = nil }
            return unsafe try run(input)
        }.map { .picture($0) }
    }

    /// Returns the seconds between key frames by the properties.
    private static func keyInterval(_ settings: LiveSettings) -> Double {
        let rate = settings.rate.assumedFrameRate
        let keyFrames = settings.keyFrames
        guard keyFrames.allowTemporalCompression else { return 1 / rate.perSecond }
        let frames = keyFrames.maxInterval > 0 ? keyFrames.maxInterval : KeyFramePolicy.automaticInterval
        let seconds = Double(frames) / rate.perSecond
        return keyFrames.maxDuration > 0 ? min(seconds, keyFrames.maxDuration) : seconds
    }

    /// Returns the mean of the offsets of areas, which must not change the rate; 0 for a frame without a rate.
    private func meanBesideRate(_ map: [Float], _ frame: EncoderFrame) -> Float {
        guard frame.baseQP == nil, !map.isEmpty, case .kilobitsPerSecond = frame.rate.aim else { return 0 }
        return map.reduce(0, +) / Float(map.count)
    }

    /// Returns the offset of the frame's quality from the one that x265 was opened with; nil if the frame has a rate.
    private func qualityOffset(_ frame: EncoderFrame) -> Double? {
        guard case .quality = frame.rate.aim else { return nil }
        // x265 itself keeps the QP with its offset within the session's bounds.
        let wanted = BaseQP(quality: X265Parameters.rateFactor(frame.rate.aim), bounds: 0...51)
        return base.offset(to: wanted, isKeyFrame: frame.forceKeyFrame)
    }

    /// Returns the offset with which the frame has its quality and keeps its rate.
    private func budgetOffset(_ frame: EncoderFrame) -> Double {
        var seconds = frameSeconds
        if let lastTime {
            let step = (frame.presentationTime - lastTime).seconds
            if step.isFinite, step > 0 { seconds = min(step, 1) }
        }
        lastTime = frame.presentationTime
        let isKeyFrame = frame.forceKeyFrame
        let finest = qualityOffset(frame)
        guard frame.rate.vbvBuffer != nil else { return finest ?? 0 }
        return budget.offset(
            token: frame.token, frame.rate, seconds: seconds, isKeyFrame: isKeyFrame,
            detail: examination.examine(frame.pixels),
            extra: isKeyFrame ? extraBits : 0, finest: finest)
    }

    func drain() throws(NaluError) -> EncoderOutput? {
        unsafe try run(nil).map { .picture($0) }
    }

    private func run(_ picture: UnsafeMutablePointer<x265_picture>?) throws(NaluError) -> EncodedPicture? {
        var units: UnsafeMutablePointer<x265_nal>?
        var count: UInt32 = 0
        let result = unsafe api.pointee.encoder_encode(encoder, &units, &count, picture, output)
        guard result >= 0 else {
            throw NaluError(.encoderMalfunction, "x265 failed to encode a frame, and states no reason")
        }
        guard result > 0, count > 0, let units = unsafe units else { return nil }
        let data = unsafe bytes(UnsafeBufferPointer(start: units, count: Int(count)))
        let type = unsafe output.pointee.sliceType
        let token = unsafe UInt64(UInt(bitPattern: output.pointee.userData) &- 1)
        let isKeyFrame = type == X265_TYPE_IDR
        let qp = unsafe output.pointee.frameData.qp
        budget.note(token: token, bits: Double(data.count) * 8 + (isKeyFrame ? extraBits : 0), isKeyFrame: isKeyFrame)
        return unsafe EncodedPicture(
            token: token, data: data, isKeyFrame: isKeyFrame, isIntra: isKeyFrame || type == X265_TYPE_I,
            isReference: type != X265_TYPE_B, averageQP: qp)
    }

    /// Returns the picture's NAL units without parameter sets, which x265 writes before key frames if the stream has HDR
    /// metadata, and without a content light level of 0, 0, which x265 adds to a mastering display.
    private func bytes(_ units: UnsafeBufferPointer<x265_nal>) -> UnsafeRawBufferPointer {
        let sets = NAL_UNIT_VPS.rawValue...NAL_UNIT_PPS.rawValue
        let hasSets = unsafe units.contains { unsafe sets.contains($0.type) }
        let size = unsafe units.reduce(0) { unsafe $0 + Int($1.sizeBytes) }
        if !hasSets, let first = unsafe units.first {
            return unsafe UnsafeRawBufferPointer(start: first.payload, count: size)
        }
        if unsafe stripped.count < size {
            unsafe stripped.deallocate()
            unsafe stripped = .allocate(byteCount: 2 * size, alignment: 1)
        }
        var used = 0
        for index in units.indices {
            let unit = unsafe units[index]
            let isSet = unsafe sets.contains(unit.type)
            guard !isSet, let payload = unsafe unit.payload else { continue }
            let count = unsafe Int(unit.sizeBytes)
            // The payload's type follows the length and the header.
            if unsafe unit.type == NAL_UNIT_PREFIX_SEI.rawValue, count > 6,
                unsafe Int(payload[6]) == SEIPayloadType.contentLightLevel.rawValue, !hasContentLight
            {
                continue
            }
            unsafe UnsafeMutableRawBufferPointer(rebasing: stripped[used..<used + count])
                .copyMemory(from: UnsafeRawBufferPointer(start: payload, count: count))
            used += count
        }
        return unsafe UnsafeRawBufferPointer(rebasing: stripped[..<used])
    }
}
