internal import CFFmpeg
internal import NaluBase

/// What becomes of pictures that lack something, and of those that are made from them.
extension SampleDecoder {
    /// A picture has come: what it was made from, and it itself, has been decoded as far as ever.
    func findGaps(_ decoder: VideoDecoder, upTo number: UInt64) {
        while let damaged = decoder.nextGap(upTo: number) {
            let record = inside.fail(damaged, FrameDelivery.gap)
            // What has come back was looked at then.
            if record == nil && damaged < refillEnd || record?.isReference == false || record?.isLeading == true {
                continue
            }
            spread(from: damaged)
            let canConceal = decoder.canConceal && group.isComplete && !decoder.isImmediate
            if canConceal && !settings.dropsUntilKeyFrame { phase = .mustConceal }
        }
    }

    /// The decoder failed at a sample: the one it was given, or, when it decodes several at once, at one of the last.
    func note(failure number: Int32) {
        let status: Status = number == nalu_ff_out_of_memory() ? .allocationFailed : .badData
        let error =
            decoder?.takeRefusal()
            ?? NaluError(status, "FFmpeg's decoder reports: \(SystemError.text(ffmpeg: number))")
        delivery.remember(error)
        if status == .allocationFailed { inside.lackMemory(error) }
        guard let first = inside.firstUnderway else { return }
        if decoder?.runsPicturesAtOnce == false {
            guard let record = inside.fail(first, error) else { return }
            if record.isReference && !record.isLeading { spread(from: first) }
        } else {
            if inside.fail(first, error)?.isLeading != true { spread(from: first) }
        }
    }

    /// What comes after a damaged reference in decode order is made from it.
    func spread(from number: UInt64) {
        inside.taint(after: number)
        damage.begin()
        if settings.dropsUntilKeyFrame { phase = .mustStartAnew }
    }

    // MARK: Once more

    /// Decodes the group once more, as far as it went, for what comes now to refer to.
    func refill(_ decoder: VideoDecoder, before record: SampleRecord) {
        phase = .decoding
        refillEnd = record.number
        decodeGroup(decoder)
    }

    /// Decodes the group up to this sample once more, by a decoder that makes up what is missing, and goes on with that.
    func conceal(upTo end: UInt64) {
        phase = .decoding
        guard let format, let decoder, group.isComplete,
            let made = try? VideoDecoder.open(
                format, settings, picturesAtOnce: decoder.runsPicturesAtOnce, isReplacement: true)
        else { return }
        self.decoder = made
        inside.endAll()
        refillEnd = end
        decodeGroup(made)
    }

    private func decodeGroup(_ decoder: VideoDecoder) {
        group.forEach { sample, number in
            if isInvalid { return }
            _ = decoder.send(sample, number: number)
            collect(decoder)
        }
    }
}
