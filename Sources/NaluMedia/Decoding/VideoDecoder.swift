internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// One of libavcodec's decoders, open for one format description.
final class VideoDecoder {
    /// The result of ``receive()``.
    enum Received {
        case picture(DecodedPicture)
        case nothing
        /// An error number of FFmpeg.
        case failure(Int32)
    }

    let runsPicturesAtOnce: Bool
    /// Whether FFmpeg conceals missing slices and reports them with the picture, which it does not do reliably with
    /// several threads. If false, ``missingSlices`` finds them.
    let conceals: Bool
    /// Whether this decoder replaced one that found a gap, in order to conceal it.
    let isReplacement: Bool
    /// Whether a replacement of this decoder can conceal gaps.
    let canConceal: Bool
    private let hasNoReordering: Bool
    private let isInDecodeOrder: Bool
    private let missingSlices: MissingSliceDetector
    private let hooks: DecoderHooks
    private let context: FFmpegStruct<AVCodecContext>
    private let packet: Packet
    /// The format description whose parameter sets the decoder has.
    private var format: FormatDescription
    private var hasFields: Bool

    /// Opens a decoder, without threads of its own if the system has no threads or no memory for them.
    ///
    /// - Parameters:
    ///   - picturesAtOnce: whether the decoder works on several pictures at once.
    ///   - isReplacement: whether the decoder conceals what another one found missing.
    static func open(
        _ format: FormatDescription, _ options: DecompressionSession.Options, picturesAtOnce: Bool,
        isReplacement: Bool = false
    ) throws(NaluError) -> VideoDecoder {
        do throws(NaluError) {
            return try VideoDecoder(format, options, picturesAtOnce: picturesAtOnce, isReplacement: isReplacement)
        } catch {
            // Threads need additional memory.
            guard error.status == .wouldBlock || error.status == .allocationFailed && options.threadCount != 1 else {
                throw error
            }
            var alone = options
            alone.threadCount = 1
            return try VideoDecoder(format, alone, picturesAtOnce: false, isReplacement: isReplacement)
        }
    }

    /// Throws `.wouldBlock` if a thread cannot be made.
    private init(
        _ format: FormatDescription, _ options: DecompressionSession.Options, picturesAtOnce: Bool, isReplacement: Bool
    ) throws(NaluError) {
        runsPicturesAtOnce = picturesAtOnce
        self.isReplacement = isReplacement
        self.format = format
        hasFields = format.hasFields
        hasNoReordering = format.sequence.reorderDepth == 0
        isInDecodeOrder = options.isInDecodeOrder
        canConceal = !format.isHEVC && !isInDecodeOrder
        // With one thread and no reordering each picture arrives before the next is decoded, so FFmpeg reports damage
        // in time.
        self.conceals =
            canConceal
            && (isReplacement || hasNoReordering && options.threadCount == 1 && !options.dropsUntilKeyFrame)
        missingSlices = MissingSliceDetector(isHEVC: format.isHEVC)
        hooks = DecoderHooks(
            // After the first field alone, a frame of two fields would look incomplete.
            missingSlices: isInDecodeOrder && format.hasFields ? nil : missingSlices,
            taken: isInDecodeOrder ? TakenPictures(isHEVC: format.isHEVC) : nil, limit: options.pictureLimit)
        packet = try Packet()
        guard let made = try unsafe FFmpegStruct(avcodec_alloc_context3(Self.codec(of: format))) else {
            throw Self.outOfMemory
        }
        context = made
        let record = format.record(isComplete: false)
        guard unsafe nalu_ff_set_decoder_extradata(context.pointer, record, record.count) >= 0 else {
            throw Self.outOfMemory
        }
        // FFmpeg conceals nothing if it has threads within a picture.
        context.thread_count = self.conceals && !picturesAtOnce ? 1 : Int32(options.threadCount)
        context.thread_type = picturesAtOnce ? FF_THREAD_FRAME : FF_THREAD_SLICE
        // With this flag FFmpeg marks pictures before a complete recovery instead of dropping them, so that every
        // sample gets its result.
        context.flags |= Int32(AV_CODEC_FLAG_OUTPUT_CORRUPT)
        // Without this flag FFmpeg crops less on the left than the stream states, to align rows for its own filters.
        context.flags |= Int32(AV_CODEC_FLAG_UNALIGNED)
        // If the stream does not state its reorder depth, FFmpeg begins with none, and returns pictures in the wrong
        // order until it has seen enough. In strict mode FFmpeg uses the depth that the level allows.
        if format.sequence.reorderDepth == nil {
            context.strict_std_compliance = FF_COMPLIANCE_STRICT
        }
        if options.dropsUntilKeyFrame {
            context.err_recognition = AV_EF_EXPLODE | AV_EF_BITSTREAM | AV_EF_BUFFER | AV_EF_CRCCHECK
        }
        unsafe context.opaque = Unmanaged.passUnretained(hooks).toOpaque()
        // Refuses too large pictures that a sample's own parameter sets announce, before anything is allocated and
        // without a line in FFmpeg's log.
        unsafe context.get_format = { decoder, formats in
            guard let context = unsafe FFmpegStruct(decoder) else { return AV_PIX_FMT_NONE }
            let hooks: DecoderHooks = unsafe owner(context.opaque)
            guard let refusal = hooks.limit.refusal(width: context.coded_width, height: context.coded_height) else {
                return unsafe avcodec_default_get_format(decoder, formats)
            }
            hooks.refusal.withLock { $0 = refusal }
            return AV_PIX_FMT_NONE
        }
        if !self.conceals {
            // Slices that FFmpeg generates cannot be distinguished from decoded ones. H.265 has no such option, and
            // FFmpeg generates no slices there.
            _ = unsafe nalu_ff_set_own_option(context.pointer, "enable_er", 0)
            unsafe nalu_ff_set_get_buffer(context.pointer) { context, frame, flags in
                let result = unsafe avcodec_default_get_buffer2(context, frame, flags)
                if result >= 0, let frame = unsafe FFmpegStruct(frame) {
                    unsafe (owner(context?.pointee.opaque) as DecoderHooks).begin(frame)
                }
                return result
            }
        }
        // Raises the level of all messages beyond AV_LOG_INFO, FFmpeg's default, so that none is written.
        context.log_level_offset = AV_LOG_INFO
        nalu_ff_forget_failed_allocations()
        let opened = unsafe avcodec_open2(context.pointer, nil, nil)
        // FFmpeg reports no error for parameter sets that it could not read for lack of memory.
        if opened != nalu_ff_again() && nalu_ff_has_failed_allocation() != 0 { throw Self.outOfMemory }
        guard opened >= 0 else {
            if opened == nalu_ff_out_of_memory() { throw Self.outOfMemory }
            if opened == nalu_ff_again() { throw NaluError(.wouldBlock, "no thread for a decoder") }
            throw NaluError(
                .badData,
                "FFmpeg's decoder refuses the parameter sets: \(SystemError.text(ffmpeg: opened))")
        }
    }

    deinit {
        unsafe context.free(avcodec_free_context)
    }

    // MARK: - Formats

    /// Throws for a format that no session decodes.
    static func checkFitness(of format: FormatDescription, _ limit: PictureLimit) throws(NaluError) {
        try format.requireVideo()
        try FFmpegLibraries.load()
        _ = try unsafe codec(of: format)
        let info = format.sequence
        try limit.check(info)
        let depths = format.isHEVC ? [8, 9, 10, 12] : [8, 9, 10, 12, 14]
        let isRGB = PictureLayout(info).isRGB
        guard (isRGB ? [8] : depths).contains(info.lumaBitDepth),
            info.chromaBitDepth == info.lumaBitDepth || info.chromaFormatIDC == 0
        else {
            let depth =
                info.chromaFormatIDC == 0 || info.chromaBitDepth == info.lumaBitDepth
                ? "\(info.lumaBitDepth) bits"
                : "\(info.lumaBitDepth) bits of luma with \(info.chromaBitDepth) of chroma"
            let list = depths.map(String.init).joined(separator: ", ")
            let expected = isRGB ? "RGB with 8" : "\(list), luma and chroma alike"
            throw NaluError(.unsupportedDataFormat, "the format description has \(depth); expected \(expected)")
        }
    }

    private static func codec(of format: FormatDescription) throws(NaluError) -> UnsafePointer<AVCodec> {
        guard let codec = unsafe avcodec_find_decoder(format.isHEVC ? AV_CODEC_ID_HEVC : AV_CODEC_ID_H264) else {
            throw NaluError(
                .couldNotFindVideoDecoder,
                "the installed FFmpeg has no decoder for \(format.isHEVC ? "H.265" : "H.264")")
        }
        return unsafe codec
    }

    // MARK: - Decoding

    /// Whether a picture arrives with its own sample or never.
    var isImmediate: Bool {
        isInDecodeOrder || hasNoReordering && !runsPicturesAtOnce && context.has_b_frames == 0
    }

    /// Sends a sample to the decoder, which keeps or copies the bytes. Call ``receive()`` afterwards until it returns
    /// `.nothing`.
    ///
    /// - Returns: FFmpeg's error number; 0 or more for success.
    func send(_ sample: Sample, number: UInt64) -> Int32 {
        hooks.taken?.beginSample(number)
        let result = sendParts(of: sample, number: number)
        if result < 0 { hooks.taken?.giveUp() }
        return result
    }

    private func sendParts(of sample: Sample, number: UInt64) -> Int32 {
        let end = unsafe sample.data.count
        guard hasFields, let start = innerParameterSets(in: sample) else { return send(0..<end, of: sample, number) }
        // FFmpeg would decode the second field of a single packet with parts of the former parameter sets.
        let result = send(0..<start, of: sample, number)
        let next = send(start..<end, of: sample, number)
        return result < 0 ? result : next
    }

    /// Returns the offset of the H.264 parameter sets between the two fields of a frame; nil if no parameter sets
    /// follow a slice.
    private func innerParameterSets(in sample: Sample) -> Int? {
        var (start, end) = (0, 0)
        var hasSlice = false
        return sample.firstResult { unit in
            (start, end) = (end, end + format.lengthSize + unit.count)
            let header = NALUnitHeader(rawValue: unit[0])
            hasSlice = hasSlice || header.hasSliceHeader
            let isSet = header.type == .sequenceParameterSet || header.type == .pictureParameterSet
            return hasSlice && isSet ? start : nil
        }
    }

    /// Sends bytes of a sample to the decoder.
    private func send(_ range: Range<Int>, of sample: Sample, _ number: UInt64) -> Int32 {
        guard range.count <= Int(Int32.max) else { return nalu_ff_invalid_data() }
        packet.borrow(range, of: sample)
        defer {
            packet.clear()
            withExtendedLifetime(sample) {}
        }
        // Every version of FFmpeg passes the time of a sample on to its picture.
        packet.presentation = Int64(bitPattern: number)
        packet.decode = Int64(bitPattern: number)
        guard adoptFormat(of: sample) else { return nalu_ff_out_of_memory() }
        nalu_ff_forget_failed_allocations()
        let result = unsafe avcodec_send_packet(context.pointer, packet.fields.pointer)
        // FFmpeg reports slices that lack memory as corrupt, or not at all.
        return nalu_ff_has_failed_allocation() != 0 ? nalu_ff_out_of_memory() : result
    }

    /// Attaches the parameter sets of another format description to the packet. They apply from its picture on. Returns
    /// false if there is no memory.
    private func adoptFormat(of sample: Sample) -> Bool {
        let next = sample.formatDescription
        guard next !== format else { return true }
        // Equal parameter sets are sent too: sets inside a sample, before its second field, may have replaced them.
        guard (try? packet.attach(configuration: next.record(isComplete: false))) != nil else { return false }
        format = next
        hasFields = next.hasFields
        return true
    }

    func receive() -> Received {
        guard let picture = DecodedPicture() else { return .failure(nalu_ff_out_of_memory()) }
        nalu_ff_forget_failed_allocations()
        let result = unsafe avcodec_receive_frame(context.pointer, picture.fields.pointer)
        let lacksMemory = nalu_ff_has_failed_allocation() != 0
        if result >= 0 {
            guard isInDecodeOrder else { return .picture(picture) }
            // This picture was delivered with its sample already.
            return receive()
        }
        guard !lacksMemory else { return .failure(nalu_ff_out_of_memory()) }
        guard result == nalu_ff_again() || result == nalu_ff_end_of_file() else { return .failure(result) }
        guard let taken = hooks.taken?.pop(mayBeSecondField: hasFields) else { return .nothing }
        crop(taken)
        return .picture(taken)
    }

    /// Crops a picture. FFmpeg crops the pictures that it returns, but not the memory that it decodes to.
    private func crop(_ picture: DecodedPicture) {
        let (frame, info) = (picture.fields, format.sequence)
        if (picture.width, picture.height) == (info.codedWidth, info.codedHeight) {
            frame.crop_left = info.cropLeft
            frame.crop_top = info.cropTop
            frame.crop_right = info.cropRight
            frame.crop_bottom = info.cropBottom
            _ = unsafe av_frame_apply_cropping(frame.pointer, Int32(AV_FRAME_CROP_UNALIGNED))
        } else {
            // The sample contains other parameter sets than the format description.
            frame.width = min(frame.width, context.width)
            frame.height = min(frame.height, context.height)
        }
    }

    /// Makes the decoder return its delayed pictures through ``receive()``. Call ``restart()`` before the next sample.
    ///
    /// - Returns: false if a picture may have been lost for lack of memory.
    func drain() -> Bool {
        nalu_ff_forget_failed_allocations()
        _ = unsafe avcodec_send_packet(context.pointer, nil)
        return nalu_ff_has_failed_allocation() == 0
    }

    /// Resets everything but the parameter sets.
    func restart() {
        unsafe avcodec_flush_buffers(context.pointer)
        missingSlices.forget()
        hooks.taken?.forget()
        if hasNoReordering { context.has_b_frames = 0 }
    }

    /// Prepares for pictures of several slices. Must be called before the first of them is sent.
    func expectSplit() {
        missingSlices.expectSplit()
    }

    /// Returns the next sample, in decode order, whose picture lacks a slice. `number` is the sample of a picture that
    /// has just arrived.
    func nextGap(upTo number: UInt64) -> UInt64? {
        missingSlices.popGap(upTo: number)
    }

    /// Returns and clears the reason of FFmpeg's last failure; nil if it is unknown.
    func takeRefusal() -> NaluError? {
        hooks.refusal.withLock { refusal in
            defer { refusal = nil }
            return refusal
        }
    }

    /// Returns whether FFmpeg reports that a part of the picture is damaged.
    func isDamaged(_ picture: DecodedPicture, isSplit: Bool) -> Bool {
        var flags = picture.fields.decode_error_flags
        // Without concealment FFmpeg sets this flag for every picture from the first with several slices on.
        if !conceals && isSplit { flags &= ~FF_DECODE_ERROR_DECODE_SLICES }
        return flags != 0
    }

    /// Returns whether the picture precedes the completion of a recovery.
    static func isIncomplete(_ picture: DecodedPicture) -> Bool {
        picture.fields.flags & AV_FRAME_FLAG_CORRUPT != 0
    }

    /// Returns flags for a picture of two fields, and for their order. H.265 is excluded, because FFmpeg marks its
    /// pictures that are a single field.
    func fields(of picture: DecodedPicture, _ record: SampleRecord) -> DecompressionSession.InfoFlags {
        guard !format.isHEVC, unsafe nalu_ff_is_interlaced(picture.fields.pointer) != 0 else { return [] }
        let isTopFirst = unsafe record.isTopFieldFirst ?? (nalu_ff_is_top_field_first(picture.fields.pointer) != 0)
        return isTopFirst ? .interlaced : [.interlaced, .bottomFieldFirst]
    }

    static var outOfMemory: NaluError {
        NaluError(.allocationFailed, "no memory for a decoder")
    }
}

/// The objects that FFmpeg's callbacks use.
private final class DecoderHooks: Sendable {
    let taken: TakenPictures?
    let limit: PictureLimit
    /// The error for a picture size that a sample's parameter sets announced. The decoder's threads set it.
    let refusal = Guarded<NaluError?>(nil)
    private let missingSlices: MissingSliceDetector?

    init(missingSlices: MissingSliceDetector?, taken: TakenPictures?, limit: PictureLimit) {
        self.missingSlices = missingSlices
        self.taken = taken
        self.limit = limit
    }

    /// Prepares a picture that the decoder is going to write to.
    func begin(_ frame: FFmpegStruct<AVFrame>) {
        missingSlices?.stamp(frame)
        taken?.take(frame)
    }
}
