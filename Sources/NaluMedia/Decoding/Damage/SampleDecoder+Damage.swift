internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// Handling of incomplete pictures, and of the pictures that refer to them.
extension SampleDecoder {
    /// Finds incomplete pictures up to the one that has just arrived: the decoder writes no more to these, nor to the
    /// pictures that they refer to.
    func findGaps(_ decoder: VideoDecoder, upTo number: UInt64) {
        while let damaged = decoder.nextGap(upTo: number) {
            let record = inside.fail(damaged, FrameDelivery.gap)
            // A sample that was delivered before its group was decoded again was checked at that time.
            if record == nil && damaged < refillEnd || record?.isReference == false || record?.isLeading == true {
                continue
            }
            spread(from: damaged)
            let first = min(damaged, inside.first ?? damaged)
            let canConceal = decoder.canConceal && !decoder.isImmediate && group.holds(from: first)
            if canConceal && !options.dropsUntilKeyFrame { phase = .mustConceal }
        }
    }

    /// Records a failure of the decoder. It belongs to the sample just sent or, if several pictures are decoded at
    /// once, to one of the last samples.
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

    /// Marks every sample that follows an incomplete reference in decode order, up to the next key frame, as one that
    /// refers to it. If the decoder delays pictures, that key frame may have arrived already.
    func spread(from number: UInt64) {
        inside.taint(after: number)
        guard inside.sequence <= number else { return }
        damage.begin()
        if options.dropsUntilKeyFrame { phase = .mustStartAnew }
    }

    /// Returns whether the second field of an H.264 IDR picture is missing. Its slices have type 1 or, with data
    /// partitions, 2 (ITU-T H.264 7.4.1.2.4); or it is of type IDR as well, and has a slice with first_mb_in_slice 0, whose
    /// code is one bit.
    func isSingleField(_ sample: Sample) -> Bool {
        var hasSecond = false
        var begins = 0
        sample.forEachUnit { unit in
            guard unit.count > 1 else { return }
            hasSecond = hasSecond || (1...2).contains(unit[0] & 31)
            if unit[0] & 31 == 5, unit[1] & 0x80 != 0 { begins += 1 }
        }
        return !hasSecond && begins < 2
    }

    // MARK: Decoding a group again

    /// Decodes the group again as far as it went, so that the next samples have their references.
    func refill(_ decoder: VideoDecoder, before record: SampleRecord) {
        phase = .decoding
        refillEnd = record.number
        decodeGroup(decoder)
    }

    /// Decodes the group up to this sample again with a decoder that conceals missing slices. That decoder also decodes
    /// the samples that follow. The group must have all samples in ``inside``, because the former decoder's delayed
    /// pictures are lost.
    func conceal(upTo end: UInt64) {
        phase = .decoding
        guard let format, let decoder, group.holds(from: inside.first ?? end),
            let made = try? VideoDecoder.open(
                format, options, picturesAtOnce: decoder.runsPicturesAtOnce, isReplacement: true)
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

/// Tracks which samples refer to a lost or incomplete picture.
struct DamagePropagation {
    private var isOpen = false
    /// The intra picture that ends the damage: pictures presented from its time on do not refer to what precedes it.
    private var end: SampleRecord?

    /// Whether samples that follow may still refer to the lost or incomplete picture.
    var isThere: Bool { isOpen || end != nil }

    mutating func begin() {
        isOpen = true
    }

    /// Updates the state with the next sample in decode order.
    mutating func meet(_ record: SampleRecord, isKeyFrame: Bool, isIntra: Bool, isAfterLoss: Bool) {
        if isKeyFrame {
            // No picture refers across a key frame.
            (isOpen, end) = (false, nil)
        } else if isIntra {
            // Pictures that are presented before an intra picture may still refer to pictures that precede it in decode
            // order.
            if isOpen { end = record }
            isOpen = false
        } else if isAfterLoss {
            begin()
        }
    }

    /// Returns whether the sample may refer to a lost or incomplete picture.
    ///
    /// - Parameter byOrder: as for ``SampleRecord/isPresented(before:byOrder:)``.
    func covers(_ record: SampleRecord, byOrder: Bool) -> Bool {
        isOpen || end.map { record.isPresented(before: $0, byOrder: byOrder) } == true
    }
}
