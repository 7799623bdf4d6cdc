private import NaluLibc

/// The statistics that x264's first pass writes and a later one reads (ratecontrol.c, `x264_ratecontrol_new`).
struct PassStatistics {
    private let options: PassOptions
    /// The frames in coding order.
    private let frames: [PassFrame]
    /// The relative QP scales of the frames in the second pass: a frame's scale is its weight times the common scale.
    private var weights: [Double] = []

    /// Checks every number, because the bytes may come from an untrusted source, and x264 uses them without a check.
    ///
    /// - Throws: ``Status/badData``.
    init(_ text: [UInt8], of clip: PassClip) throws(NaluError) {
        if let byte = text.first(where: { ($0 < 0x20 || $0 > 0x7e) && $0 != UInt8(ascii: "\n") }) {
            throw NaluError(.badData, "the statistics of the first pass have a byte of \(byte); expected lines of text")
        }
        let lines = String(decoding: text, as: UTF8.self).utf8.split(separator: UInt8(ascii: "\n"))
        let options = try PassOptions(lines.first.map { Substring($0) } ?? "", of: clip)
        let count = lines.count - 1
        var frames: [PassFrame] = []
        guard count > 0, count == clip.times.count else {
            throw NaluError(
                .badData,
                "the statistics of the first pass have \(max(0, count)) frames; expected \(clip.times.count), as there are times"
            )
        }
        frames.reserveCapacity(count)
        var isThere = [Bool](repeating: false, count: count)
        for (place, line) in lines.dropFirst().enumerated() {
            let frame = try PassFrame(line, place: place, of: count, options.picture, options)
            guard !isThere[frame.number] else {
                throw NaluError(
                    .badData, "the statistics of the first pass have frame \(frame.number) twice; expected it once")
            }
            isThere[frame.number] = true
            frames.append(frame)
        }
        guard Self.codingOrder(frames, options).elementsEqual(frames.lazy.map(\.number)) else {
            throw NaluError(
                .badData,
                "the statistics of the first pass have frames in an order, or of types, that x264 does not encode; expected "
                    + "each run of B-frames behind the frame that follows it, and no run before an IDR frame")
        }
        // x264 multiplies the duration of the clip by a bit rate, and counts the bits in 64 bits.
        let seconds = frames.reduce(0) { $0 + Double($1.ticks) } / 2 * options.secondsPerTick
        guard seconds <= 1e9 else {
            throw NaluError(.badData, "the frames of the first pass last \(seconds) s; expected at most 1000000000 s")
        }
        self.frames = frames
        self.options = options
        // With the macroblock tree, x264 applies neither qcomp nor the blurring of complexities.
        let compression = options.hasMacroblockTree ? 1 : Double(options.compression) / 100
        let complexities = compression == 1 ? nil : blurredComplexities()
        weights = frames.indices.map { index in
            (complexities.map { pow($0[index], 1 - compression) } ?? 1) * typeFactor(of: frames[index])
        }
    }

    /// Returns the numbers of the frames in the order in which x264 encodes frames of these types; empty if x264 never
    /// chooses such types.
    ///
    /// x264 changes types that it would not have chosen, but keeps the statistics that it has read for them. An
    /// assertion then fails (slicetype.c, `x264_slicetype_decide`).
    private static func codingOrder(_ frames: [PassFrame], _ options: PassOptions) -> [Int] {
        var types = [UInt8](repeating: 0, count: frames.count)
        for frame in frames { types[frame.number] = frame.type }
        var order: [Int] = []
        order.reserveCapacity(frames.count)
        // The first B-frame of the run before the frame.
        var first = 0
        for (number, type) in types.enumerated() where type != UInt8(ascii: "b") && type != UInt8(ascii: "B") {
            let run = first..<number
            guard run.count <= options.mostBFrames, run.isEmpty || type != UInt8(ascii: "I") else { return [] }
            let reference = options.hasPyramid && run.count > 1 ? first + (run.count - 1) / 2 : nil
            guard run.allSatisfy({ types[$0] == UInt8(ascii: $0 == reference ? "B" : "b") }) else { return [] }
            order.append(number)
            if let reference { order.append(reference) }
            order += run.lazy.filter { $0 != reference }
            first = number + 1
        }
        return order
    }

    /// The statistics as a later pass reads them, made from the checked numbers alone.
    var text: [UInt8] {
        var text = Array(options.text.utf8)
        text.reserveCapacity(text.count + frames.count * 128)
        for frame in frames { text += frame.text.utf8 }
        return text
    }

    /// Checks the macroblock tree: for each frame that others refer to, in coding order, a byte with its type, and two bytes
    /// for each macroblock. x264 reads it in presentation order. Without a B-pyramid, x264 has no memory for a frame
    /// that is stored before an earlier frame (ratecontrol.c, x264_macroblock_tree_read).
    func check(tree: [UInt8]) throws(NaluError) {
        let kept = frames.filter { $0.type != UInt8(ascii: "b") }
        let size = 1 + 2 * options.picture.macroblocksWide * options.picture.macroblocksHigh
        let isInOrder = zip(kept, kept.dropFirst()).allSatisfy { $0.number < $1.number }
        guard tree.count / size == kept.count, tree.count.isMultiple(of: size), isInOrder || options.hasPyramid,
            zip(kept, stride(from: 0, to: tree.count, by: size)).allSatisfy({ tree[$1] == $0.sliceType })
        else {
            throw NaluError(
                .badData,
                "the macroblock tree of the first pass has \(tree.count) bytes; expected \(size) for each of \(kept.count) frames, "
                    + "in their order and of their types")
        }
    }

    /// The bits of all frames, where `scale` is the QP scale of a P frame of weight 1.
    func bits(at scale: Double) -> Double {
        var sum = 0.0
        for (frame, weight) in zip(frames, weights) { sum += frame.bits(at: scale * weight) }
        return sum
    }

    /// The mean distance of the first pass's QPs from those of the second pass at `scale`, weighted by bits at `scale`.
    func distance(from scale: Double) -> Double {
        mean(at: scale) { index in
            let planned = min(max(QPScale.qp(scale: scale * weights[index]), 0), 51)
            return abs(QPScale.qp(scale: frames[index].qpScale) - planned)
        }
    }

    /// The QP of P-frames for another first pass, whose QPs are then close to those of the second pass at `scale`.
    ///
    /// With the macroblock tree, a pass by rate factor gives the first frame the QP of P-frames (ratecontrol.c,
    /// `rate_estimate_qscale`), the second pass that of I-frames. The result allows for the first frame's share of the bits,
    /// which is nearly all in a still video.
    func firstPassQP(at scale: Double) -> Double {
        mean(at: scale) { index in
            let isFirst = index == 0 && options.hasMacroblockTree
            return QPScale.qp(scale: scale * weights[index] / (isFirst ? 1 : typeFactor(of: frames[index])))
        }
    }

    /// The mean of a value of each frame, weighted by the bits at `scale`.
    private func mean(at scale: Double, _ value: (Int) -> Double) -> Double {
        var sum = 0.0
        var bits = 0.0
        for (index, (frame, weight)) in zip(frames, weights).enumerated() {
            let own = frame.scalableBits(at: scale * weight)
            sum += own * value(index)
            bits += own
        }
        return sum / bits
    }

    /// The QP scale of a frame divided by that of a P-frame.
    private func typeFactor(of frame: PassFrame) -> Double {
        switch frame.type {
        case UInt8(ascii: "I"), UInt8(ascii: "i"): 100 / Double(options.intraFactor)
        case UInt8(ascii: "b"), UInt8(ascii: "B"):
            options.hasMacroblockTree ? 1 : Double(options.bidirectionalFactor) / 100
        default: 1
        }
    }

    /// The weighted mean of the complexities of each frame and its neighbours up to a scene change, as in x264's
    /// `init_pass2`.
    private func blurredComplexities() -> [Double] {
        let reach = 40
        let own = frames.map { $0.scalableBits(at: 1) }
        let keeps = frames.map { 1 - $0.intraShare * $0.intraShare }
        return frames.indices.map { index in
            var weights = 0.0
            var sum = 0.0
            func add(_ other: Int, _ weight: Double) {
                let distance = Double(other - index)
                let share = weight * exp(-distance * distance / 200)
                weights += share
                sum += share * own[other]
            }
            var weight = 1.0
            for other in index..<min(frames.count, index + reach) {
                weight *= keeps[other]
                if weight < 0.0001 { break }
                add(other, weight)
            }
            weight = 1
            for other in stride(from: index, through: max(0, index - reach), by: -1) {
                add(other, weight)
                weight *= keeps[other]
                if weight < 0.0001 { break }
            }
            return weights > 0 ? sum / weights : own[index]
        }
    }
}
