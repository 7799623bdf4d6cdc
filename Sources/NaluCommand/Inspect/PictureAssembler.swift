internal import Nalu

/// Counts the bytes of NAL units as frames: what a report says of each, also where slices are missing or unreadable.
///
/// Where a picture begins, ``CodecReader`` decides with NaluBitstream. The core's `AccessUnitAssembler` makes samples from the
/// same decisions and leaves out what cannot be decoded.
struct PictureAssembler {
    private(set) var frames: [FrameRecord] = []
    private(set) var accessUnitCount = 0
    /// Whether an intra picture with a recovery point at itself is a key frame.
    private let recoveryMakesKeys: Bool

    /// What is known of the access unit under way.
    private struct Current {
        var offset = 0
        var size = 0
        var kinds: Set<PictureKind> = []
        var sliceCount = 0
        var isReference = false
        var recoveryCount: Int?
        var facts: PictureFacts?
        var qpSum = 0
        var qpCount = 0
    }

    private var current: Current?
    private var epoch = 0

    init(recoveryMakesKeys: Bool) {
        self.recoveryMakesKeys = recoveryMakesKeys
    }

    /// Whether slices of the picture under way have come.
    var hasSlices: Bool { current.map { $0.sliceCount > 0 } ?? false }

    mutating func addSlice(_ unit: ScannedUnit, _ slice: SliceFacts) {
        var picture = current ?? Current(offset: unit.offset)
        picture.size += unit.totalSize
        picture.isReference = picture.isReference || slice.isReference
        picture.sliceCount += 1
        if let access = slice.access { picture.kinds.insert(access) }
        switch slice.type {
        case .i, .si: picture.kinds.insert(.i)
        case .p, .sp: picture.kinds.insert(.p)
        case .b: picture.kinds.insert(.b)
        case nil: break
        }
        if let facts = slice.picture {
            picture.facts = facts
            if facts.restartsOrder { epoch += 1 }
        }
        if let qp = slice.qp {
            picture.qpSum += qp
            picture.qpCount += 1
        }
        current = picture
    }

    /// A unit that is no slice; `beginsAccessUnit` for the kinds that can only stand before a picture.
    mutating func add(_ unit: ScannedUnit, beginsAccessUnit: Bool) {
        if beginsAccessUnit, hasSlices { endAccessUnit() }
        var picture = current ?? Current(offset: unit.offset)
        picture.size += unit.totalSize
        current = picture
    }

    mutating func addRecoveryPoint(frameCount: Int) {
        current?.recoveryCount = frameCount
    }

    /// The end of the stream: what follows the last picture belongs to it.
    mutating func finish() {
        if let rest = current, rest.sliceCount == 0, !frames.isEmpty {
            frames[frames.count - 1].size += rest.size
            current = nil
        }
        endAccessUnit()
    }

    /// The next slice is of another picture.
    mutating func endAccessUnit() {
        defer { current = nil }
        guard let picture = current, picture.sliceCount > 0 else { return }
        accessUnitCount += 1
        // A picture without an order stands where it came.
        if picture.facts == nil { epoch += 1 }
        let kind = [PictureKind.idr, .bla, .cra, .b, .p, .i].first(where: picture.kinds.contains) ?? .unknown
        let isKey =
            kind.isRandomAccess || (recoveryMakesKeys && kind == .i && picture.recoveryCount == 0)
        let record = FrameRecord(
            offset: picture.offset, size: picture.size, kind: kind, isReference: picture.isReference, isKey: isKey,
            recoveryCount: picture.recoveryCount, structure: picture.facts?.structure ?? .frame,
            sliceCount: picture.sliceCount,
            qp: picture.qpCount == 0 ? nil : Double(picture.qpSum) / Double(picture.qpCount),
            frameNumber: picture.facts?.frameNumber, pictureOrderCount: picture.facts?.pictureOrderCount ?? 0,
            epoch: epoch, layer: picture.facts?.layer)
        if let first = frames.last, Self.isSecondField(record, of: first) {
            merge(record)
        } else {
            frames.append(record)
        }
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

/// What a slice says of its picture, in H.264 and H.265 alike.
struct SliceFacts {
    /// Nil where the header cannot be read.
    var type: SliceType?
    /// Of a picture at which decoding can begin.
    var access: PictureKind?
    /// Whether others may refer to the picture.
    var isReference = false
    /// The quantiser that the slice starts from.
    var qp: Int?
    /// Of the first slice of a picture that can be read.
    var picture: PictureFacts?
}

/// What the first slice of a picture that can be read says of it.
struct PictureFacts {
    var structure = FrameRecord.Structure.frame
    /// `frame_num`; H.265 has none.
    var frameNumber: Int?
    var pictureOrderCount: Int
    /// Whether orders are counted from zero again from here.
    var restartsOrder: Bool
    /// What H.265 also says.
    var layer: TemporalPlace?
}
