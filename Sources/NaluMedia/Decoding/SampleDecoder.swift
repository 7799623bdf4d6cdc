internal import CFFmpeg
internal import Nalu
internal import NaluBase
internal import NaluBitstream

/// Decodes samples in decode order, and delivers each one exactly once: with its picture, or with the reason why it has
/// none.
///
/// Only the worker thread uses it.
final class SampleDecoder {
    /// The state that decides how the next sample can be decoded.
    enum Phase {
        /// The decoder has no references.
        case needsStart
        case decoding
        /// The decoder was emptied between two key frames. It must decode its ``group`` again before the next sample.
        case needsRefill
        /// A picture has a gap that this decoder does not conceal. Another decoder must decode the ``group`` again.
        case mustConceal
        /// A reference is damaged, and the pictures that follow must not be displayed. The decoder must be emptied.
        case mustStartAnew
    }

    let options: DecompressionSession.Options
    let delivery: FrameDelivery
    private let monitor: Monitor<DecoderState>
    private let images: ImageMaker
    private var losses = StreamLossDetector()
    private var fieldOrder = FieldOrder()
    var phase = Phase.needsStart
    /// nil before the first sample, and if the decoder could not be opened.
    var decoder: VideoDecoder?
    private(set) var format: FormatDescription?
    private var lengthSize = 4
    /// Whether some picture of this format had several slices.
    private var hasSplitPictures = false
    /// Whether macroblocks of QP 0 are lossless since the last key frame.
    private var isLosslessAtZero = false
    /// The recovery point that decoding began with.
    private var start: SampleRecord?
    /// Counts the restarts of the output order, as at an IDR picture.
    private var orderCount: UInt64 = 0
    var inside = SamplesInside()
    var damage = DamagePropagation()
    /// The samples that the decoder's references come from.
    let group = SampleGroup()
    /// Samples below this number have been decoded before. Those that are no longer in ``inside`` have been delivered.
    var refillEnd: UInt64 = 0

    init(_ monitor: Monitor<DecoderState>, _ options: DecompressionSession.Options) {
        self.monitor = monitor
        self.options = options
        images = ImageMaker(options)
        delivery = FrameDelivery(monitor)
    }

    var isInvalid: Bool {
        (try? monitor.locked { $0.isInvalid }) == true
    }

    // MARK: - Decoding

    func decode(_ sample: Sample, _ given: SampleRecord) {
        var record = given
        let attachments = sample.attachments
        let isKeyFrame = !attachments.contains(.notSync)
        let isStart = isKeyFrame || attachments.contains(.partialSync)
        record.isReference = attachments.contains(.isDependedOnByOthers)
        if sample.editPlace == .start && isStart { beginRange(record) }
        if isOver(record) { return }
        adoptFormat(of: sample, isKeyFrame: isKeyFrame)
        record.isTopFieldFirst = fieldOrder.isTopFirst(sample)
        if isOver(record) { return }
        let report = look(at: sample)
        let loss = (try? report.loss.get()) ?? .nothing
        if let place = report.place {
            if place.restartsOrder { orderCount += 1 }
            record.place = (orderCount, place.order)
        }
        if options.dropsUntilKeyFrame {
            if loss == .referenceMissing && phase != .needsStart { empty() }
            if case .failure(let error) = report.loss, error.status == .badData {
                delivery.lose(record, FrameDelivery.unreadable)
                return
            }
            if loss == .leadingPicture {
                delivery.lose(record, FrameDelivery.leading, [.frameDropped, .skippedLeadingFrameDropped])
                return
            }
            if isOver(record) { return }
        }
        hasSplitPictures = hasSplitPictures || report.isSplit
        let isIntra = isKeyFrame || isStart && !attachments.contains(.dependsOnOthers)
        damage.meet(record, isKeyFrame: isKeyFrame, isIntra: isIntra, isAfterLoss: loss == .referenceMissing)
        record.isTainted = loss == .leadingPicture || damage.covers(record, byOrder: inside.ordersCount)
        if phase == .needsStart {
            guard isStart else {
                delivery.lose(record, FrameDelivery.noStart, .frameDropped)
                return
            }
            phase = .decoding
            group.forget()
            start = isKeyFrame ? nil : record
            // FFmpeg's H.265 decoder generates the missing references of a recovery point that is no intra picture, and
            // does not mark them.
            if attachments.contains(.dependsOnOthers), format?.isHEVC == true {
                damage.begin()
                record.isTainted = true
            }
        } else if isStart {
            start = nil
        }
        // Picture order counts are used if nothing was lost, because some times do not show the order. After a loss the
        // counts may be wrong.
        if let start, record.isPresented(before: start, byOrder: loss == .nothing), !isDecodable(report, loss) {
            // H.264 must decode these leading pictures: the reference numbers of later pictures count them.
            guard format?.isHEVC == false else {
                delivery.lose(record, FrameDelivery.leading, [.frameDropped, .skippedLeadingFrameDropped])
                return
            }
            (record.isLeading, record.isTainted) = (true, true)
        }
        if isKeyFrame { inside.beginSequence(record.number) }
        if isKeyFrame || isIntra && decoder?.isReplacement == true {
            changeMode(record, isLosslessAtZero: report.isLosslessAtZero)
            if isOver(record) { return }
        }
        if isKeyFrame && report.isField && isSingleField(sample) {
            finishFormerGroups()
            if isOver(record) { return }
        }
        record.sequence = inside.sequence
        do throws(NaluError) {
            let decoder = try usableDecoder(record)
            if isKeyFrame { group.beginSequence(record.number, holding: inside.first) }
            if hasSplitPictures { decoder.expectSplit() }
            if phase == .needsRefill { refill(decoder, before: record) }
            if !decoder.isImmediate { group.keep(sample, record.number) }
            inside.append(record, isIntact: loss == .nothing && !record.isTainted && !damage.isThere)
            inside.begin(record.number, atOnce: decoder.runsPicturesAtOnce ? options.threadCount : 1)
            let result = decoder.send(sample, number: record.number)
            if result < 0 { note(failure: result) }
            collect(decoder)
            if phase == .mustConceal { conceal(upTo: record.number + 1) }
            if phase == .mustStartAnew { empty() }
        } catch {
            phase = .needsStart
            delivery.lose(record, error)
        }
    }

    /// Returns whether a leading picture can be decoded without pictures that precede its random access picture (RADL
    /// of H.265).
    private func isDecodable(_ report: SampleReport, _ loss: LossFinding) -> Bool {
        report.isDecodableLeading && loss == .nothing && !damage.isThere
    }

    /// Delivers all pictures before the first sample of another range of an edit list. The sample's references,
    /// picture order counts and times do not continue those before it.
    private func beginRange(_ record: SampleRecord) {
        guard decoder != nil else { return }
        empty()
        losses.restart()
        damage = DamagePropagation()
        group.forget()
        inside.beginSequence(record.number)
        orderCount += 1
    }

    /// Returns whether the session has ended. In this case the sample is delivered with those in ``inside``.
    private func isOver(_ record: SampleRecord) -> Bool {
        guard isInvalid else { return false }
        inside.append(record)
        return true
    }

    /// Reads what is needed of the sample's NAL units.
    private func look(at sample: Sample) -> SampleReport {
        // In a reordered stream of variable frame rate, a duration that ends early does not prove a loss.
        let isInOrder = sample.decodeTime == sample.presentationTime
        let times =
            isInOrder ? sample.lossTimes : PictureTimes(presentation: sample.presentationTime, duration: .invalid)
        if let slices = sample.slices, let report = losses.look(at: slices, times) { return report }
        return withExtendedLifetime(sample) {
            unsafe losses.look(at: sample.data, lengthSize: lengthSize, times)
        }
    }

    /// Adopts another format description. If the pictures keep their size, its parameter sets take effect with the next
    /// sample (ITU-T H.264 7.4.1.2.1). Otherwise all pictures of the former one are delivered, and another decoder
    /// follows.
    private func adoptFormat(of sample: Sample, isKeyFrame: Bool) {
        if sample.formatDescription === format { return }
        let next = sample.formatDescription
        losses.adopt(next.isHEVC ? .hevc : .h264, parameterSets: next.parameterSets)
        lengthSize = next.lengthSize
        fieldOrder.adopt(next)
        if let format, next.goesOn(from: format, isKeyFrame: isKeyFrame) {
            self.format = next
            return
        }
        if decoder != nil { empty() }
        (decoder, format) = (nil, next)
        (phase, hasSplitPictures) = (.needsStart, false)
    }

    /// Replaces the decoder at an intra picture, where all earlier pictures can be finished. The reason is that the
    /// sample needs another kind of threads, that the decoder conceals damage that has ended, or that lossless pictures
    /// begin or end: libavcodec 59 keeps the scan order of lossless blocks from the first picture of a size.
    private func changeMode(_ record: SampleRecord, isLosslessAtZero: Bool) {
        let keepsScan = isLosslessAtZero == self.isLosslessAtZero
        self.isLosslessAtZero = isLosslessAtZero
        guard let decoder,
            decoder.isReplacement || decoder.runsPicturesAtOnce != runsPicturesAtOnce(record) || !keepsScan
        else { return }
        empty()
        phase = .decoding
        self.decoder = nil
        group.forget()
    }

    /// Delivers all pictures before an IDR picture that lacks a field. FFmpeg's decoder does not restart the output order
    /// there, and would mix them with the pictures that follow.
    private func finishFormerGroups() {
        guard !inside.isEmpty else { return }
        empty()
        phase = .decoding
        group.forget()
    }

    /// Returns whether the decoder works on several pictures at once. Pictures of several slices keep the threads busy
    /// within a picture. For these, without concealment, FFmpeg would wait for the whole of each reference picture.
    private func runsPicturesAtOnce(_ record: SampleRecord) -> Bool {
        record.flags.contains(.asynchronous) && options.threadCount > 1
            && !options.isLowDelay && !options.isInDecodeOrder && !(hasSplitPictures && format?.isHEVC == false)
    }

    private func usableDecoder(_ record: SampleRecord) throws(NaluError) -> VideoDecoder {
        if let decoder { return decoder }
        guard let format else { throw VideoDecoder.outOfMemory }
        let made = try VideoDecoder.open(format, options, picturesAtOnce: runsPicturesAtOnce(record))
        decoder = made
        return made
    }

    /// Delivers all pictures that the decoder has ready.
    func collect(_ decoder: VideoDecoder) {
        // The limit ends the loop if the decoder fails repeatedly without taking in data.
        var failures = 0
        while failures < 64 {
            switch decoder.receive() {
            case .picture(let picture):
                if !isInvalid { findGaps(decoder, upTo: picture.number) }
                if isInvalid || phase == .mustConceal { return }
                deliver(picture, of: decoder)
            case .failure(let number):
                failures += 1
                note(failure: number)
            case .nothing:
                settle(decoder)
                return
            }
        }
    }

    /// Delivers all delayed pictures. The group is decoded again afterwards, so that a flush between two samples does
    /// not lose the pictures that follow.
    func flush() {
        let held = !inside.isEmpty
        empty()
        group.releaseFormerSequences()
        if held && group.isComplete { phase = .needsRefill }
    }

    /// Delivers all delayed pictures, and the samples that turn out to have none.
    private func empty() {
        while let decoder {
            if !decoder.drain() { inside.lackMemory(VideoDecoder.outOfMemory) }
            collect(decoder)
            if isInvalid { return }
            if phase == .mustConceal, let last = inside.last {
                conceal(upTo: last + 1)
                continue
            }
            decoder.restart()
            inside.endAll()
            break
        }
        while !isInvalid, let record = inside.popFirst() { delivery.lose(record) }
        if !isInvalid { phase = .needsStart }
    }

    /// Ends decoding in an invalidated session: delivers the samples in ``inside`` without a picture.
    func end() {
        decoder = nil
        group.forget()
        while let record = inside.popFirst() { delivery.deliverUndecoded(record) }
    }

    // MARK: - Delivering

    private func deliver(_ picture: DecodedPicture, of decoder: VideoDecoder) {
        let number = picture.number
        guard let record = inside.take(number) else {
            // After a loss the decoder's output order can be wrong, so that it does not show whether the times are
            // right.
            if number >= refillEnd && !damage.isThere { inside.noteLatePicture(number) }
            return
        }
        if record.isLeading {
            delivery.lose(record)
            return
        }
        if record.isTainted && !options.isInDecodeOrder
            && (inside.isLate(record) || inside.hasIntactOne(before: record, atOnce: options.threadCount))
        {
            delivery.lose(record, FrameDelivery.incomplete, .frameDropped)
            return
        }
        while let past = inside.popPast(before: record) { delivery.lose(past) }
        guard !record.flags.contains(.doNotOutput) else {
            delivery.call(record, .ok, .frameDropped)
            return
        }
        let isDamaged = decoder.isDamaged(picture, isSplit: hasSplitPictures) || record.failure != nil
        if isDamaged && record.isReference && !record.isTainted { spread(from: record.number) }
        let isIncomplete = record.isTainted || VideoDecoder.isIncomplete(picture)
        if options.isInDecodeOrder && isDamaged || options.dropsUntilKeyFrame && (isDamaged || isIncomplete) {
            if isDamaged {
                delivery.lose(record, record.failure ?? FrameDelivery.noPicture)
            } else {
                delivery.lose(record, FrameDelivery.incomplete, .frameDropped)
            }
            return
        }
        var flags: DecompressionSession.InfoFlags = options.isInDecodeOrder ? [] : decoder.fields(of: picture, record)
        if isDamaged || isIncomplete { flags.insert(.damaged) }
        do throws(NaluError) {
            let image = try images.image(of: picture)
            if image.isModifiable { flags.insert(.imageBufferModifiable) }
            inside.show(record)
            delivery.call(record, .ok, flags, image.buffer)
        } catch {
            delivery.lose(record, error)
        }
    }

    /// Delivers, after each sample, those that can no longer have a picture.
    private func settle(_ decoder: VideoDecoder) {
        while decoder.isImmediate ? !inside.isEmpty : inside.isOverfull {
            if isInvalid { return }
            if let record = inside.popFirst() { delivery.lose(record) }
        }
    }
}
