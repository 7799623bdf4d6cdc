internal import CFFmpeg
internal import CNalu
internal import NaluBase

/// The working side of a session: takes samples out of the queue, decodes them, delivers what comes out.
///
/// `@unchecked Sendable`: it is made by the thread that hands in the first sample, and used by the worker thread alone from
/// then on. What the two sides share is ``DecoderState``.
final class DecoderWorker: @unchecked Sendable {
    private let monitor: Monitor<DecoderState>
    private let settings: DecoderSettings
    private let images: ImageMaker
    /// nil before the first sample, and when it could not be opened.
    private var decoder: VideoDecoder?
    private var format: FormatObject?
    private var inside = SamplesInside()
    private let delivery: FrameDelivery
    /// The decoder has nothing to refer to.
    private var needsStart = true
    /// Decoding began at a recovery point that is presented then.
    private var start: nalu_time?
    private let losses: LossWatch
    private var taint = Taint()
    /// The samples that the decoder's references come from.
    private let group = SampleGroup()
    /// The decoder was emptied in the middle of a group.
    private var needsRefill = false
    /// Samples below this number have been decoded before: those that are not inside have come back already.
    private var refillEnd: UInt64 = 0
    /// A picture was found to have a gap, and the decoder makes up nothing.
    private var mustConceal = false
    /// The group has such a picture.
    private var isConcealing = false
    /// Some picture of this format was in several parts.
    private var isSplit = false
    /// After a damaged reference, with pictures that nobody may see.
    private var mustStartAnew = false

    init(monitor: Monitor<DecoderState>, settings: DecoderSettings) {
        self.monitor = monitor
        self.settings = settings
        images = ImageMaker(settings)
        delivery = FrameDelivery(monitor)
        losses = LossWatch()
    }

    private enum Step {
        case decode(QueuedSample)
        case empty
        case finish
    }

    /// The thread's whole life.
    func run() {
        while true {
            switch nextStep() {
            case .decode(let queued):
                unsafe decode(queued.sample, queued.record)
                unsafe nalu_sample_release(queued.sample)
                try? monitor.locked { state in
                    state.processed = queued.record.number + 1
                    monitor.wake(.progress)
                }
            case .empty:
                let held = !inside.isEmpty
                empty()
                // What is asked for between two samples must not cost the pictures that follow.
                if held && group.isComplete {
                    needsStart = false
                    needsRefill = true
                }
            case .finish:
                finish()
                return
            }
        }
    }

    private func nextStep() -> Step {
        // The closure throws nothing.
        let step = try? monitor.wait(for: .work) { state throws(NaluError) -> Step? in
            if state.isInvalid { return .finish }
            if state.taken >= state.flushTarget && state.oldest < state.flushTarget { return .empty }
            guard let queued = state.queue.popFirst() else { return nil }
            state.taken += 1
            // Waking the client for each free place would cost as much again as the rest of a small picture.
            if state.queue.count <= 1 { monitor.wake(.room) }
            return .decode(queued)
        }
        return step ?? .finish
    }

    private var isInvalid: Bool {
        (try? monitor.locked { $0.isInvalid }) == true
    }

    // MARK: - Decoding

    private func decode(_ sample: OpaquePointer, _ given: SampleRecord) {
        var record = given
        let attachments = unsafe nalu_sample_get_attachments(sample)
        let isKeyFrame = unsafe nalu_sample_is_key_frame(sample) == 1
        let isStart = isKeyFrame || attachments & UInt32(NALU_SAMPLE_PARTIAL_SYNC) != 0
        record.isReference = attachments & UInt32(NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS) != 0
        unsafe adoptFormat(nalu_sample_get_format_description(sample))
        if isOver(record) { return }
        let loss = unsafe losses.look(at: sample)
        if settings.dropsUntilKeyFrame {
            if loss == .missing && !needsStart { empty() }
            if loss == .unreadable {
                delivery.lose(record, FrameDelivery.unreadable)
                return
            }
            if loss == .leading {
                delivery.lose(record, FrameDelivery.leading, [.frameDropped, .skippedLeadingFrameDropped])
                return
            }
            if isOver(record) { return }
        }
        let isIntra = isKeyFrame || isStart && attachments & UInt32(NALU_SAMPLE_DEPENDS_ON_OTHERS) == 0
        isSplit = unsafe isSplit || SplitPictures.has(sample, isHEVC: format?.isHEVC == true)
        taint.meet(record, isKeyFrame: isKeyFrame, isIntra: isIntra, isBehindLoss: loss == .missing)
        record.isTainted = loss == .leading || taint.covers(record)
        if needsStart {
            guard isStart else {
                delivery.lose(record, FrameDelivery.noStart, .frameDropped)
                return
            }
            needsStart = false
            group.forget()
            start = isKeyFrame ? nil : record.presentationTime
            // FFmpeg's decoder of H.265 makes up what such a recovery refers to, and marks nothing.
            if attachments & UInt32(NALU_SAMPLE_DEPENDS_ON_OTHERS) != 0, format?.isHEVC == true {
                taint.begin()
                record.isTainted = true
            }
        } else if isStart {
            start = nil
        }
        if let start, nalu_time_compare(record.presentationTime, start) < 0 {
            delivery.lose(record, FrameDelivery.leading, [.frameDropped, .skippedLeadingFrameDropped])
            return
        }
        if isKeyFrame { inside.beginSequence(record.number) }
        if isKeyFrame || isIntra && isConcealing {
            changeMode(record)
            if isOver(record) { return }
        }
        record.sequence = inside.sequence
        do throws(NaluError) {
            let decoder = try usableDecoder(record)
            if isKeyFrame { group.forget() }
            if isSplit { decoder.expectSplit() }
            if needsRefill { refill(decoder, before: record) }
            if !decoder.isImmediate { unsafe group.keep(sample, record.number) }
            inside.append(record)
            inside.begin(record.number, atOnce: decoder.runsPicturesAtOnce ? Int(settings.threadCount) : 1)
            let result = unsafe decoder.send(sample, number: record.number)
            if result < 0 { note(failure: result) }
            collect(decoder)
            if mustConceal { conceal(upTo: record.number + 1) }
            if mustStartAnew { empty() }
        } catch {
            needsStart = true
            delivery.lose(record, error)
        }
    }

    /// After the end the sample comes back with those inside.
    private func isOver(_ record: SampleRecord) -> Bool {
        guard isInvalid else { return false }
        inside.append(record)
        return true
    }

    /// Another format description: all pictures of the old one, then another decoder.
    private func adoptFormat(_ handle: OpaquePointer?) {
        if let format, unsafe format.handle == handle { return }
        guard let next = unsafe FormatObject(retaining: handle) else { return }
        if let format, unsafe format.isSame(as: next.handle) {
            self.format = next
            return
        }
        if decoder != nil { empty() }
        (decoder, format) = (nil, next)
        (needsStart, isSplit) = (true, false)
    }

    /// An intra picture, at which everything before can be finished: whether pictures run at once is as this sample wants it,
    /// and none is damaged now.
    private func changeMode(_ record: SampleRecord) {
        guard let decoder, isConcealing || decoder.runsPicturesAtOnce != runsPicturesAtOnce(record) else { return }
        empty()
        needsStart = false
        isConcealing = false
        self.decoder = nil
        group.forget()
    }

    /// Pictures of several slices have enough for the threads to do, and without concealment FFmpeg would wait for the whole of
    /// each picture that another refers to.
    private func runsPicturesAtOnce(_ record: SampleRecord) -> Bool {
        record.flags.contains(.asynchronous) && settings.threadCount > 1 && !settings.isLowDelay
            && !(isSplit && format?.isHEVC == false)
    }

    private func usableDecoder(_ record: SampleRecord) throws(NaluError) -> VideoDecoder {
        if let decoder { return decoder }
        guard let format else { throw VideoDecoder.outOfMemory }
        let made = try VideoDecoder(
            format, settings, picturesAtOnce: runsPicturesAtOnce(record), conceals: isConcealing)
        decoder = made
        return made
    }

    /// Decodes the group once more, as far as it went, for what comes now to refer to.
    private func refill(_ decoder: VideoDecoder, before record: SampleRecord) {
        needsRefill = false
        refillEnd = record.number
        decodeGroup(decoder)
    }

    private func decodeGroup(_ decoder: VideoDecoder) {
        unsafe group.forEach { sample, number in
            if isInvalid { return }
            _ = unsafe decoder.send(sample, number: number)
            collect(decoder)
        }
    }

    /// Decodes the group up to this sample once more, by a decoder that makes up what is missing, and goes on with that.
    private func conceal(upTo end: UInt64) {
        mustConceal = false
        guard let format, let decoder, group.isComplete,
            let made = try? VideoDecoder(
                format, settings, picturesAtOnce: decoder.runsPicturesAtOnce, conceals: true)
        else { return }
        isConcealing = true
        self.decoder = made
        inside.endAll()
        refillEnd = end
        decodeGroup(made)
    }

    /// Takes all pictures that the decoder has ready.
    private func collect(_ decoder: VideoDecoder) {
        // A decoder that fails over and over without taking anything in would never come to the end.
        var failures = 0
        while failures < 64 {
            switch decoder.receive() {
            case .picture(let picture):
                if !isInvalid { unsafe findGaps(decoder, upTo: VideoDecoder.number(of: picture)) }
                if isInvalid || mustConceal {
                    var freed: UnsafeMutablePointer<AVFrame>? = unsafe picture
                    unsafe av_frame_free(&freed)
                    return
                }
                unsafe deliver(picture, of: decoder)
            case .failure(let number):
                failures += 1
                note(failure: number)
            case .nothing:
                settle(decoder)
                return
            }
        }
    }

    /// A picture has come: what it was made from, and it itself, has been decoded as far as ever.
    private func findGaps(_ decoder: VideoDecoder, upTo number: UInt64) {
        while let damaged = decoder.nextGap(upTo: number) {
            let record = inside.fail(damaged, FrameDelivery.gap)
            // What has come back was looked at then.
            if record == nil && damaged < refillEnd || record?.isReference == false { continue }
            spread(from: damaged)
            mustConceal = !settings.dropsUntilKeyFrame && decoder.canConceal && group.isComplete && !decoder.isImmediate
        }
    }

    /// The decoder failed at a sample: the one it was given, or, when it decodes several at once, at one of the last.
    private func note(failure number: Int32) {
        let status: Status = number == nalu_ff_out_of_memory() ? .allocationFailed : .badData
        let error = NaluError(status, "FFmpeg's decoder says: \(SystemError.text(ffmpeg: number))")
        try? monitor.locked { $0.lastError = error.message }
        guard let first = inside.firstUnderway else { return }
        if decoder?.runsPicturesAtOnce == false {
            guard let record = inside.fail(first, error) else { return }
            if record.isReference { spread(from: first) }
        } else {
            inside.fail(first, error)
            spread(from: first)
        }
    }

    /// What comes after a damaged reference in decode order is made from it.
    private func spread(from number: UInt64) {
        inside.taint(after: number)
        taint.begin()
        mustStartAnew = settings.dropsUntilKeyFrame
    }

    /// Gives all pictures that are held, and the samples that turn out to have none.
    private func empty() {
        while let decoder {
            decoder.drain()
            collect(decoder)
            if isInvalid { return }
            if mustConceal, let last = inside.last {
                conceal(upTo: last + 1)
                continue
            }
            decoder.restart()
            inside.endAll()
            mustStartAnew = false
            break
        }
        while !isInvalid, let record = inside.popFirst() { delivery.lose(record) }
        if isInvalid { return }
        needsStart = true
        needsRefill = false
    }

    // MARK: - Delivering

    private func deliver(_ picture: UnsafeMutablePointer<AVFrame>, of decoder: VideoDecoder) {
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe picture
        let number = unsafe VideoDecoder.number(of: picture)
        guard let record = inside.take(number) else {
            unsafe av_frame_free(&frame)
            // Behind a loss it is the decoder's order that misleads.
            if number >= refillEnd && !taint.isThere { inside.comeTooLate(number) }
            return
        }
        if record.isTainted
            && (inside.isLate(record) || inside.hasSoundOne(before: record, atOnce: settings.threadCount))
        {
            unsafe av_frame_free(&frame)
            delivery.lose(record, FrameDelivery.incomplete, .frameDropped)
            return
        }
        while let past = inside.popPast(before: record) { delivery.lose(past) }
        guard !record.flags.contains(.doNotOutput) else {
            unsafe av_frame_free(&frame)
            unsafe delivery.call(record, NALU_STATUS_OK, .frameDropped, nil)
            return
        }
        let isDamaged = unsafe decoder.isDamaged(picture, isSplit: isSplit) || record.failure != nil
        if isDamaged && record.isReference && !record.isTainted { spread(from: record.number) }
        let isIncomplete = unsafe record.isTainted || VideoDecoder.isIncomplete(picture)
        if settings.dropsUntilKeyFrame && (isDamaged || isIncomplete) {
            unsafe av_frame_free(&frame)
            if isDamaged {
                delivery.lose(record, record.failure ?? FrameDelivery.noPicture)
            } else {
                delivery.lose(record, FrameDelivery.incomplete, .frameDropped)
            }
            return
        }
        var flags: DecodeInfoFlags = []
        if isDamaged || isIncomplete { flags.insert(.damaged) }
        do throws(NaluError) {
            let image = try unsafe images.image(of: picture)
            if image.isModifiable { flags.insert(.imageBufferModifiable) }
            inside.show(record)
            unsafe delivery.call(record, NALU_STATUS_OK, flags, image.handle)
            unsafe nalu_pixel_buffer_release(image.handle)
        } catch {
            delivery.lose(record, error)
        }
    }

    /// After each sample: those that can have no picture any more.
    private func settle(_ decoder: VideoDecoder) {
        while decoder.isImmediate ? !inside.isEmpty : inside.isOverfull {
            if isInvalid { return }
            if let record = inside.popFirst() { delivery.lose(record) }
        }
    }

    // MARK: - The end

    /// The session was invalidated: what is pending comes back dropped, and the client's things are let go.
    private func finish() {
        decoder = nil
        group.forget()
        while let record = inside.popFirst() {
            unsafe delivery.call(record, NALU_STATUS_INVALID_SESSION, .frameDropped, nil)
        }
        while let queued = (try? monitor.locked({ $0.queue.popFirst() })) ?? nil {
            unsafe nalu_sample_release(queued.sample)
            unsafe delivery.call(queued.record, NALU_STATUS_INVALID_SESSION, .frameDropped, nil)
        }
        DecoderCore.letGo(monitor)
        try? monitor.locked { state in
            state.workerIsDone = true
            monitor.wake(.progress)
        }
    }
}
