internal import Nalu

/// Puts NAL units together to access units (ITU-T H.264 7.4.1.2.3 and 7.4.1.2.4), and fields to frames.
struct PictureAssembler {
    private(set) var frames: [FrameRecord] = []
    private(set) var accessUnitCount = 0

    /// What is known of the access unit under way.
    private struct Current {
        var offset = 0
        var size = 0
        var slices: [SliceType: Int] = [:]
        var sliceCount = 0
        var isIDR = false
        var isReference = false
        var recoveryCount: Int?
        var first: SliceHeader?
        var last: SliceHeader?
        var qpSum = 0
        var qpCount = 0
        var pictureOrderCount = 0
        /// Whether units that can only stand before a picture have come behind its slices.
        var isEnded: Bool { sliceCount > 0 }
    }

    private var current: Current?
    private var counter = PictureOrderCounter()
    private var epoch = 0

    /// A slice, with as much of its header as could be read.
    mutating func addSlice(
        _ unit: ScannedUnit, start: SliceStart?, header: SliceHeader?, sequence: SequenceParameterSet?
    ) {
        if beginsPicture(start, header, sequence) { endAccessUnit() }
        var picture = current ?? Current(offset: unit.offset)
        let unitHeader = NALUnitHeader(rawValue: unit.head.first ?? 0)
        picture.size += unit.totalSize
        picture.isIDR = picture.isIDR || unitHeader.type == .sliceIDR
        picture.isReference = picture.isReference || unitHeader.isReference
        picture.sliceCount += 1
        if let start { picture.slices[start.type, default: 0] += 1 }
        if let header, header.redundantPictureCount == 0 {
            if picture.first == nil {
                picture.first = header
                if let sequence {
                    if header.isIDR || header.resetsReferences { epoch += 1 }
                    picture.pictureOrderCount = counter.count(of: header, in: sequence)
                }
            }
            picture.last = header
            picture.qpSum += header.qp
            picture.qpCount += 1
        }
        current = picture
    }

    /// A unit that is no slice; `beginsAccessUnit` for the kinds that can only stand before a picture.
    mutating func add(_ unit: ScannedUnit, beginsAccessUnit: Bool) {
        if beginsAccessUnit, current?.isEnded == true { endAccessUnit() }
        var picture = current ?? Current(offset: unit.offset)
        picture.size += unit.totalSize
        current = picture
    }

    mutating func addRecoveryPoint(frameCount: Int) {
        current?.recoveryCount = frameCount
    }

    /// The end of the stream: what stands behind the last picture belongs to it.
    mutating func finish() {
        if let rest = current, rest.sliceCount == 0, !frames.isEmpty {
            frames[frames.count - 1].size += rest.size
            current = nil
        }
        endAccessUnit()
    }

    private func beginsPicture(
        _ start: SliceStart?, _ header: SliceHeader?, _ sequence: SequenceParameterSet?
    ) -> Bool {
        guard let picture = current, picture.sliceCount > 0 else { return false }
        if let header, header.redundantPictureCount > 0 { return false }
        if let last = picture.last, let header {
            return PictureBoundary.lies(
                between: last, and: header, picOrderCountType: sequence?.picOrderCountType ?? 2)
        }
        return start?.firstMacroblock == 0
    }

    private mutating func endAccessUnit() {
        defer { current = nil }
        guard let picture = current, picture.sliceCount > 0 else { return }
        accessUnitCount += 1
        // A picture without an order stands where it came.
        if picture.first == nil { epoch += 1 }
        let kind = Self.kind(picture.slices, isIDR: picture.isIDR)
        let isKey = kind == .idr || (kind == .i && picture.recoveryCount == 0)
        let structure: FrameRecord.Structure =
            picture.first?.isField == true ? (picture.first?.isBottomField == true ? .bottomField : .topField) : .frame
        let record = FrameRecord(
            offset: picture.offset, size: picture.size, kind: kind, isReference: picture.isReference, isKey: isKey,
            recoveryCount: picture.recoveryCount, structure: structure, sliceCount: picture.sliceCount,
            qp: picture.qpCount == 0 ? nil : Double(picture.qpSum) / Double(picture.qpCount),
            frameNumber: picture.first?.frameNumber ?? 0, pictureOrderCount: picture.pictureOrderCount, epoch: epoch)
        if let first = frames.last, Self.isSecondField(record, of: first) {
            merge(record)
        } else {
            frames.append(record)
        }
    }

    private static func kind(_ slices: [SliceType: Int], isIDR: Bool) -> PictureKind {
        if isIDR { return .idr }
        if slices[.b] != nil { return .b }
        if slices[.p] != nil || slices[.sp] != nil { return .p }
        return slices.isEmpty ? .unknown : .i
    }

    /// Whether two neighbours are the fields of one frame (ITU-T H.264 3.30 and 3.31).
    private static func isSecondField(_ second: FrameRecord, of first: FrameRecord) -> Bool {
        let isOpposite =
            (first.structure == .topField && second.structure == .bottomField)
            || (first.structure == .bottomField && second.structure == .topField)
        return isOpposite && first.frameNumber == second.frameNumber && second.kind != .idr
            && (first.isReference || !second.isReference)
    }

    private mutating func merge(_ second: FrameRecord) {
        let index = frames.count - 1
        var frame = frames[index]
        frame.size += second.size
        frame.structure = .fieldPair
        frame.sliceCount += second.sliceCount
        frame.pictureOrderCount = min(frame.pictureOrderCount, second.pictureOrderCount)
        if let a = frame.qp, let b = second.qp { frame.qp = (a + b) / 2 }
        frames[index] = frame
    }
}
